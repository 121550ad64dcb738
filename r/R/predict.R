predict.acqnp <- function(object, newdata = NULL, context = NULL,
                          type = c("mean", "sd", "quantile", "interval", "region", "density", "prob", "draws", "table"),
                          levels = c(0.05, 0.25, 0.5, 0.75, 0.95), level = 0.9, at = NULL, draws = 100, seed = NULL, as_new = FALSE,
                          joint = FALSE, interval = c("none", "prediction"), ...) {
  noMore("predict", predict.acqnp, ...)
  if (is.null(newdata) && nrow(object$model) == 0) {
    stop("newdata: the fit keeps no rows (no_rows), expected rows to predict", call. = FALSE)
  }
  type <- if (match.arg(interval) == "none") match.arg(type) else "interval"
  if (type %in% c("interval", "region") && length(level) != 1) {
    stop("level: found ", length(level), " numbers, expected one", call. = FALSE)
  }
  if (type %in% c("interval", "region") && !isTRUE(level > 0 && level < 1)) {
    stop("level: found ", level, ", expected a number between 0 and 1", call. = FALSE)
  }
  if (type == "quantile" && length(levels) == 0) {
    stop("levels: found none, expected numbers between 0 and 1", call. = FALSE)
  }
  if (type == "draws" && isTRUE(draws < 1)) {
    stop("draws: found ", draws, ", expected 1 or more", call. = FALSE)
  }
  if (type == "interval") {
    levels <- signif(0.5 + c(-1, 1) * level / 2, 14) # 0.05, not 0.04999999999999999
  }
  flags <- c(
    if (as_new) "--as-new", paste0("--quantiles=", if (type %in% c("quantile", "interval", "table")) numbers(levels)),
    paste0("--hdr=", if (type %in% c("region", "table")) numbers(level)),
    switch(type, density = paste0("--density=", grid(at)), prob = paste0("--exceed=", thresholds(at)),
      draws = c(paste0("--draws=", digits(draws)), if (!is.null(seed)) paste0("--seed=", digits(seed)), if (joint) "--joint"))
  )
  # What the fit has said of its own rows, and what is of intervals alone, is not said.
  left <- c(character(0), if (is.null(newdata)) c("known points: of ", "missing cells in "), if (type %in% c("mean", "sd", "density", "draws")) "intervals and regions of ")
  table <- withCallingHandlers(
    predicted(object, if (is.null(newdata)) object$model else newdata, context, flags),
    warning = function(w) if (any(startsWith(conditionMessage(w), left))) invokeRestart("muffleWarning")
  )
  if (type == "table") {
    return(table)
  }
  shaped <- function(channel) {
    shape(table[table$channel == channel, , drop = FALSE], type, levels, at)
  }
  found <- lapply(setNames(object$columns$y, object$columns$y), shaped)
  if (length(found) == 1) found[[1]] else found
}

# shape returns what a type asks for, from the rows of one y.
shape <- function(table, type, levels, at) {
  prefix <- c(quantile = "^q[0-9]", interval = "^q[0-9]", density = "^density", prob = "^exceed", draws = "^draw[0-9]")
  if (type %in% c("mean", "sd")) {
    return(table[[type]])
  }
  if (type == "region") {
    return(lapply(table[[grep("^hdr", names(table))]], regionOf))
  }
  m <- as.matrix(table[grepl(prefix[[type]], names(table))])
  rownames(m) <- NULL
  if (type == "interval") {
    return(data.frame(fit = table$mean, lwr = m[, 1], upr = m[, 2]))
  }
  colnames(m) <- switch(type,
    quantile = paste0(100 * levels, "%"),
    density = , prob = vapply(at, format, ""), draws = colnames(m)
  )
  m
}

# regionOf reads "a:b;c:d", a union of intervals, as a matrix with a row for each.
regionOf <- function(text) {
  if (is.na(text)) {
    return(NULL)
  }
  ends <- as.numeric(unlist(strsplit(strsplit(text, ";", fixed = TRUE)[[1]], ":", fixed = TRUE)))
  matrix(ends, ncol = 2, byrow = TRUE, dimnames = list(NULL, c("lower", "upper")))
}

numbers <- function(x) paste(digits(x), collapse = ",")

thresholds <- function(at) {
  if (length(at) == 0) {
    stop("at: expected values of y, whose probability to be exceeded is asked for", call. = FALSE)
  }
  numbers(at)
}

# grid writes evenly spaced values as the program reads them.
grid <- function(at) {
  step <- diff(at)
  if (length(at) < 2 || any(step <= 0) || max(step) - min(step) > 1e-9 * diff(range(at))) {
    stop("at: expected at least two evenly spaced values, such as seq(100, 1000, by = 10)", call. = FALSE)
  }
  paste(digits(at[1]), digits(at[length(at)]), length(at), sep = ":")
}

# predicted returns the program's table in the order of newdata, with the number of its row. Groups
# that have no known points are predicted as groups of which nothing is known. A missing x is a value; rows
# without a group or an offset have NA.
predicted <- function(object, newdata, context, flags) {
  columns <- object$columns
  all <- c(columns$group, columns$x, columns$y)
  check(newdata, "newdata", columns$x)
  lost <- setdiff(columns$group, names(newdata))
  if (length(lost) > 0 && (!is.null(context) || length(lost) < length(columns$group))) {
    stop("newdata: found no column ", lost[1], if (!is.null(context)) ", which context has", call. = FALSE)
  }
  newdata <- inUnits(newdata, all, object$units, "newdata")
  if (!is.null(context)) {
    check(context, "context", all)
    context <- inUnits(context, all, object$units, "context")
  }
  table <- ask(object, newdata, which(present(newdata, c(intersect(columns$group, names(newdata)), columns$needed))), context, flags)
  if (is.null(table)) {
    stop("newdata: found no row", if (nrow(newdata) > 0) " with its group, offset and crossed name", call. = FALSE)
  }
  all <- expand.grid(channel = columns$y, row = seq_len(nrow(newdata)), stringsAsFactors = FALSE)
  table <- table[match(paste(all$row, all$channel), paste(table$row, table$channel)), , drop = FALSE]
  table$row <- all$row
  table$channel <- all$channel
  rownames(table) <- NULL
  table
}

# ask calls the program for some rows of newdata. It answers in their order, a row for each y.
ask <- function(object, newdata, rows, context, flags) {
  if (length(rows) == 0) {
    return(NULL)
  }
  columns <- object$columns
  group <- groupsOf(newdata, columns$group)[rows, , drop = FALSE]
  dir <- folder(setNames(object$files, file.path("fit", names(object$files))))
  on.exit(unlink(dir, recursive = TRUE))
  write <- function(data, group, names, file) {
    group[is.na(group)] <- nameless
    for (k in seq_along(columns$group)) data[[columns$group[k]]] <- asWritten(group[, k])
    writeTable(data, c(columns$group, names), file.path(dir, file))
  }
  write(newdata[rows, , drop = FALSE], group, columns$x, "newdata.jsonl")
  places <- list(newdata = rows)
  if (!is.null(context)) {
    of <- groupsOf(context, columns$group)
    used <- present(context, c(columns$group, columns$needed, columns$y))
    if (!all(used)) {
      warning("context: left out ", sum(!used), " of ", length(used), " rows, without y, group, offset or crossed name", call. = FALSE)
    }
    places$context <- which(used) # also of groups that are not asked about: the name of one may be a slip
    if (length(places$context) > 0) {
      write(context[places$context, , drop = FALSE], of[places$context, , drop = FALSE], c(columns$x, columns$y, intersect(columns$censored, names(context))), "context.jsonl")
      flags <- c("--context=context.jsonl", flags)
    }
  }
  lines <- run(dir, "predict", "--targets=newdata.jsonl", flags, "--", "fit", places = places)
  cbind(row = rep(rows, each = length(columns$y)), readTable(lines, "channel", "^(channel$|hdr)")) # and mean, sd and what flags asked for
}

# nameless is the name of the group of rows without a column of groups, in quotes that no other name is written in.
nameless <- "\"no name\""

# groupsOf returns a matrix with a column of names for each column of groups, one of NA without any.
groupsOf <- function(data, group) {
  if (is.null(group) || !all(group %in% names(data))) {
    return(matrix(NA_character_, nrow(data), max(1, length(group))))
  }
  matrix(unlist(lapply(group, function(name) spelled(texts(data[[name]], name)))), nrow(data))
}

# spelled gives numbers that name groups one spelling: "1.0" is 1.
spelled <- function(name) {
  number <- grepl("^-?[0-9]+[.][0-9]*$", name)
  name[number] <- sub("[.]?0*$", "", name[number])
  name
}

present <- function(data, columns) {
  Reduce(`&`, lapply(columns, function(name) !is.na(data[[name]])), rep(TRUE, nrow(data)))
}

check <- function(data, what, columns) {
  if (!is.data.frame(data)) {
    stop(what, ": expected a data frame", call. = FALSE)
  }
  absent <- setdiff(columns, names(data))
  if (length(absent) > 0) {
    stop(what, ": found no column ", absent[1], call. = FALSE)
  }
}

# noMore refuses the arguments that a method does not have: R would pass over them.
noMore <- function(generic, method, ...) {
  more <- as.list(substitute(list(...)))[-1]
  if (length(more) == 0) {
    return(invisible())
  }
  name <- if (is.null(names(more)) || !nzchar(names(more)[1])) deparse(more[[1]])[1] else names(more)[1]
  stop(generic, ": found the argument ", name, ", expected ", paste(setdiff(names(formals(method)), "..."), collapse = ", "), call. = FALSE)
}
