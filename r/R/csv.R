# cells writes a column as the program reads it: numbers to the last bit, dates and times in UTC, all
# else as names. The prefix goes before names that would else be read as numbers, dates or missing.
cells <- function(column, name, prefix = "") {
  if (!is.null(dim(column)) || is.list(column) && !inherits(column, "POSIXlt")) {
    stop(name, ": found ", class(column)[1], ", expected a column of numbers, dates or names", call. = FALSE)
  }
  text <- if (inherits(column, "POSIXt")) {
    format(as.POSIXct(column), "%Y-%m-%dT%H:%M:%OS6Z", tz = "UTC")
  } else if (inherits(column, "Date")) {
    format(column, "%Y-%m-%d")
  } else if (is.numeric(column)) {
    sprintf("%.17g", as.numeric(column))
  } else {
    paste0(prefix, enc2utf8(as.character(column)))
  }
  text[is.na(column)] <- ""
  text
}

# missingCells is what the program reads as a missing cell.
missingCells <- c("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL", "None", ".")

# prefixOf returns the prefix of a column's names, "" if the program cannot take them for anything else.
prefixOf <- function(column) {
  if (is.numeric(column) || inherits(column, c("Date", "POSIXt"))) {
    return("")
  }
  names <- unique(as.character(column))
  names <- names[!is.na(names)]
  other <- grepl("^[-+.]?[0-9]", names) | names %in% missingCells | grepl("^[-+]?inf", names, ignore.case = TRUE)
  if (any(other)) "level " else ""
}

# writeTable writes columns of data to a CSV file. prefixes has those of the names, by column.
writeTable <- function(data, columns, prefixes, path) {
  quoted <- function(text) paste0('"', gsub('"', '""', text, fixed = TRUE), '"')
  table <- lapply(columns, function(name) {
    prefix <- if (name %in% names(prefixes)) prefixes[[name]] else ""
    quoted(cells(data[[name]], name, prefix))
  })
  rows <- if (nrow(data) > 0) do.call(paste, c(table, sep = ","))
  writeLines(c(paste(quoted(enc2utf8(columns)), collapse = ","), rows), path, useBytes = TRUE)
}

# readTable reads what the program printed, all as text.
readTable <- function(lines) {
  read.csv(text = lines, colClasses = "character", na.strings = character(0), check.names = FALSE, encoding = "UTF-8")
}
