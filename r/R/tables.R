# cells writes a column as values of JSON, as the program reads them: numbers to the last bit, dates and times in UTC,
# all else as names, and null only for what R has missing.
cells <- function(column, name) {
  text <- texts(column, name)
  bare <- is.logical(column) | is.numeric(column) & is.finite(column)
  text[!bare] <- jsonText(text[!bare])
  text[is.na(text) | is.na(column)] <- "null"
  text
}

# texts writes the values of a column, NA where they are missing.
texts <- function(column, name) {
  if (!is.null(dim(column)) || is.list(column) && !inherits(column, "POSIXlt")) {
    stop(name, ": found ", class(column)[1], ", expected a column of numbers, dates or names", call. = FALSE)
  }
  text <- if (inherits(column, "POSIXt")) {
    format(as.POSIXct(column), "%Y-%m-%dT%H:%M:%OS6Z", tz = "UTC")
  } else if (inherits(column, "Date")) {
    format(column, "%Y-%m-%d")
  } else if (is.numeric(column)) {
    digits(as.numeric(column))
  } else if (is.logical(column)) {
    ifelse(column, "true", "false")
  } else if (inherits(column, "written")) {
    unclass(column)
  } else {
    written(enc2utf8(as.character(column)))
  }
  text[is.na(column)] <- NA
  text
}

# digits writes numbers with as few digits as read back as the number.
digits <- function(x) {
  text <- sprintf("%.15g", x)
  more <- is.finite(x) & (suppressWarnings(as.numeric(text)) != x | abs(x) > 1e15 | abs(x) < 1e-15)
  text[more] <- sprintf("%.17g", x[more])
  text
}

# written puts a name in quotes where the program would drop spaces of it or see a missing cell.
written <- function(name) {
  odd <- !is.na(name) & (name != trimws(name) | !nzchar(name) | startsWith(name, "\"") | grepl("\n", name, fixed = TRUE))
  name[odd] <- jsonText(name[odd])
  name
}

# asWritten marks names that written has passed.
asWritten <- function(names) structure(names, class = "written")

# looksOther reports whether a column holds names that the program would read as numbers or dates.
looksOther <- function(column) {
  if (is.numeric(column) || is.logical(column) || inherits(column, c("Date", "POSIXt", "difftime"))) {
    return(FALSE)
  }
  any(grepl("^[[:space:]]*([-+.]?[0-9]|[-+]?inf)", unique(as.character(column)), ignore.case = TRUE))
}

# unitsOf returns the units of those of some columns that hold spans of time, by name.
unitsOf <- function(data, columns) {
  spans <- Filter(function(name) inherits(data[[name]], "difftime"), columns)
  vapply(setNames(spans, spans), function(name) units(data[[name]]), "")
}

# inUnits returns data with the spans of time in some columns as numbers, in the units that a fit has.
inUnits <- function(data, columns, units, what) {
  for (name in intersect(columns, names(data))) {
    if (!inherits(data[[name]], "difftime")) next
    if (!name %in% names(units)) {
      stop(what, ": ", name, ": found a ", class(data[[name]])[1], ", expected what the fit had: no span of time", call. = FALSE)
    }
    data[[name]] <- as.numeric(as.difftime(as.numeric(data[[name]]), units = units(data[[name]])), units = units[[name]])
  }
  data
}

# writeTable writes columns of data as JSON lines, in which a text is a name and null is a missing cell.
writeTable <- function(data, columns, path) {
  keys <- paste0(jsonText(columns), ":")
  fields <- lapply(seq_along(columns), function(k) paste0(keys[k], cells(data[[columns[k]]], columns[k])))
  rows <- if (nrow(data) > 0) paste0("{", do.call(paste, c(fields, sep = ",")), "}")
  writeLines(rows, path, useBytes = TRUE)
}

# readTable reads what the program printed from a column on: numbers but for some columns. It is quick with 100,000.
readTable <- function(lines, from, texts) {
  cells <- function(lines) scan(text = lines, what = "", sep = ",", quote = "\"", na.strings = character(0), quiet = TRUE, encoding = "UTF-8")
  names <- cells(lines[1])
  m <- matrix(cells(lines[-1]), ncol = length(names), byrow = TRUE)
  used <- seq(match(from, names), length(names))
  columns <- lapply(used, function(k) if (grepl(texts, names[k])) m[, k] else as.numeric(m[, k]))
  structure(columns, names = names[used], class = "data.frame", row.names = seq_len(nrow(m)))
}
