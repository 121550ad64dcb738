predict.acqnp <- function(object, newdata, context = NULL,
                          type = c("mean", "sd", "quantile", "interval", "region", "density", "prob", "draws", "table"),
                          levels = c(0.05, 0.25, 0.5, 0.75, 0.95), level = 0.9, at = NULL, draws = 100, seed = NULL, ...) {
  type <- match.arg(type)
  if (type == "interval") {
    levels <- c(0.5 - level / 2, 0.5 + level / 2)
  }
  flags <- c(
    paste0("--quantiles=", numbers(levels)), paste0("--hdr=", numbers(level)),
    switch(type, density = paste0("--density=", grid(at)), prob = paste0("--exceed=", thresholds(at)),
      draws = c(paste0("--draws=", draws), if (!is.null(seed)) paste0("--seed=", numbers(seed))))
  )
  table <- predicted(object, newdata, context, flags)
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
  colnames(m) <- switch(type,
    quantile = paste0(100 * levels, "%"), interval = c("lower", "upper"),
    density = , prob = format(at, trim = TRUE), draws = colnames(m)
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

numbers <- function(x) paste(sprintf("%.15g", x), collapse = ",")

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
  paste(sprintf("%.17g", at[1]), sprintf("%.17g", at[length(at)]), length(at), sep = ":")
}

# predicted returns the program's table in the order of newdata, with the number of its row. Groups
# that have no known points are predicted as groups of which nothing is known. Rows with a missing x
# have NA.
predicted <- function(object, newdata, context, flags) {
  columns <- object$columns
  check(newdata, "newdata", columns$x)
  if (!is.null(context)) {
    check(context, "context", c(columns$group, columns$x, columns$y))
    context <- context[present(context, c(columns$group, columns$x, columns$y)), , drop = FALSE]
  }
  group <- groupsOf(newdata, columns$group)
  whole <- present(newdata, columns$x)
  known <- if (is.null(context)) rep(FALSE, nrow(newdata)) else group %in% groupsOf(context, columns$group)
  parts <- list(
    ask(object, newdata, which(whole & known), group, context, flags),
    ask(object, newdata, which(whole & !known), group, NULL, flags)
  )
  table <- do.call(rbind, parts)
  if (is.null(table)) {
    stop("newdata: found no row without missing x", call. = FALSE)
  }
  all <- expand.grid(channel = columns$y, row = seq_len(nrow(newdata)), stringsAsFactors = FALSE)
  table <- table[match(paste(all$row, all$channel), paste(table$row, table$channel)), , drop = FALSE]
  table$row <- all$row
  table$channel <- all$channel
  rownames(table) <- NULL
  table
}

# ask calls the program for some rows of newdata.
ask <- function(object, newdata, rows, group, context, flags) {
  if (length(rows) == 0) {
    return(NULL)
  }
  columns <- object$columns
  grouped <- !is.null(context) && !is.null(columns$group)
  rows <- rows[order(match(group[rows], unique(group[rows])))] # the program answers group by group
  dir <- folder(setNames(object$files, file.path("fit", names(object$files))))
  on.exit(unlink(dir, recursive = TRUE))
  writeTable(newdata[rows, , drop = FALSE], c(if (grouped) columns$group, columns$x), object$prefixes, file.path(dir, "newdata.csv"))
  if (!is.null(context)) {
    context <- context[groupsOf(context, columns$group) %in% group[rows], , drop = FALSE]
    writeTable(context, c(columns$group, columns$x, columns$y), object$prefixes, file.path(dir, "context.csv"))
    flags <- c("--context=context.csv", flags)
  }
  table <- readTable(run(dir, "predict", "fit", "--targets=newdata.csv", flags))
  number <- if (grouped) match(paste(table[["function"]], table$target), keys(group[rows])) else as.integer(table$target) + 1
  made <- table[seq(3 + length(columns$x), ncol(table))] # channel, mean, sd and what flags asked for
  numeric <- !names(made) %in% "channel" & !grepl("^hdr", names(made))
  made[numeric] <- lapply(made[numeric], as.numeric)
  cbind(row = rows[number], made)
}

# keys returns for each row its group and its number within the group.
keys <- function(group) paste(group, ave(seq_along(group), group, FUN = seq_along) - 1)

groupsOf <- function(data, group) {
  if (is.null(group) || is.null(data[[group]])) rep("", nrow(data)) else cells(data[[group]], group)
}

present <- function(data, columns) {
  Reduce(`&`, lapply(columns, function(name) !is.na(data[[name]])))
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
