acqnp <- function(formula, data, instant = FALSE, budget = NULL, outcome = NULL, seed = NULL, threads = NULL,
                  row_weights = NULL, censored = NULL, no_rows = FALSE) {
  if (!is.data.frame(data)) {
    stop("data: expected a data frame", call. = FALSE)
  }
  columns <- columnsOf(formula, data, c(row_weights, censored))
  columns$censored <- censored
  all <- unique(c(columns$group, columns$x, columns$y))
  dir <- folder()
  on.exit(unlink(dir, recursive = TRUE))
  if (!is.null(row_weights) && !(row_weights %in% names(data))) {
    stop("row_weights: found no column ", row_weights, " in data", call. = FALSE)
  }
  if (!is.null(censored) && !(censored %in% names(data))) {
    stop("censored: found no column ", censored, " in data", call. = FALSE)
  }
  units <- unitsOf(data, all)
  for (name in names(units)) message(name, ": a ", class(data[[name]])[1], ", taken for numbers of ", units[[name]])
  data <- inUnits(data, all, units, "data")
  used <- present(data, c(columns$group, columns$needed)) & rowSums(!is.na(data[columns$y])) > 0
  if (!is.null(row_weights)) data[[row_weights]][!used] <- 1 # the program reads the weights of rows that it leaves out
  writeTable(data, c(all, row_weights, censored), file.path(dir, "data.jsonl"))
  number <- function(flag, value) if (!is.null(value)) paste0(flag, "=", digits(value))
  said <- run(
    dir, "fit", "--out", "fit", "--no-picture", "--json", if (instant) "--instant", if (no_rows) "--no-rows", if (!is.null(outcome)) paste0("--outcome=", outcome),
    number("--budget", budget), number("--seed", seed), number("--threads", threads),
    if (!is.null(row_weights)) paste0("--row-weights=", row_weights), if (!is.null(censored)) paste0("--censored=", censored), "--", "data.jsonl", columns$text
  )
  result <- fromJSON(said[length(said)])
  result$warnings <- lapply(result$warnings, inR)
  if (!is.null(row_weights)) used <- used & data[[row_weights]] > 0
  call <- match.call()
  model <- as.data.frame(data)[used, all, drop = FALSE]
  ranges <- lapply(Filter(runs, model[columns$x]), range, na.rm = TRUE)
  if (no_rows) { # neither rows nor names, nor the caller's variables, which a formula has
    model <- droplevels(model[0, , drop = FALSE])
    environment(formula) <- globalenv()
    call$formula <- formula
    if (!is.language(call$data)) call$data <- quote(data)
  }
  structure(list(
    call = call, formula = formula, columns = columns, units = units, result = result,
    model = model, ranges = ranges, # the rows that the fit was made of, and of columns of x that are numbers or dates the ends
    files = contents(file.path(dir, "fit"))
  ), class = "acqnp")
}

# runs reports whether a column is an axis: of numbers or dates.
runs <- function(v) is.numeric(v) || inherits(v, c("Date", "POSIXct"))

print.acqnp <- function(x, ...) {
  noMore("print", print.acqnp, ...)
  s <- summary(x)
  cat(headline(s), outcomes(x), sep = "")
  cat(sprintf("expected of %s: log density %.3f, CRPS %.4g, intervals of 90%% hold %.0f%%\n",
    s$expected$y, s$expected$log_density, s$expected$crps, 100 * s$expected$coverage90), sep = "")
  invisible(x)
}

# outcomes says what the values of y are taken for, "" for any number.
outcomes <- function(object) {
  of <- function(target) {
    o <- target$outcome
    if (length(o) == 0) {
      return(NULL)
    }
    if (length(target$names)) {
      return(paste0(target$channel, " is the probability of ", target$names[[2]], ", not of ", target$names[[1]], "\n"))
    }
    ends <- paste0(if (!is.null(o$low)) paste(" of", o$low, "or more"), if (!is.null(o$high)) paste(if (!is.null(o$low)) " and", "of", o$high, "or less"))
    paste0(target$channel, " is taken for ", if (isTRUE(o$whole)) "whole ", "numbers", ends, "; outcome = \"real\" if it is not\n")
  }
  unlist(lapply(object$result$targets, of))
}

headline <- function(s) paste0("acqnp: ", s$formula, ", ", s$rows, " rows in ", s$groups, if (s$groups == 1) " group\n" else " groups\n")

# pick returns what each of some lists has of a name.
pick <- function(lists, name) unlist(lapply(lists, `[[`, name))

summary.acqnp <- function(object, ...) {
  noMore("summary", summary.acqnp, ...)
  row <- function(target) {
    e <- target$expected
    data.frame(
      y = target$channel, log_density = e$log_density, se = e$log_density_se, crps = e$crps,
      coverage50 = e$coverage[["0.5"]], coverage90 = e$coverage[["0.9"]]
    )
  }
  rows <- function(target) {
    of <- target$candidates
    data.frame(y = target$channel, model = pick(of, "name"), log_density = pick(of, "log_density"), crps = pick(of, "crps"), weight = pick(of, "weight"))
  }
  coefficients <- function(target) {
    of <- target$table$coefficients
    if (length(of)) data.frame(y = target$channel, name = pick(of, "name"), estimate = pick(of, "estimate"), se = pick(of, "standard_error"))
  }
  deviations <- function(target) {
    of <- c(target$table$levels, if (length(target$table$residual)) list(c(list(name = "residual", groups = NA), target$table$residual)))
    if (length(of)) data.frame(y = target$channel, level = pick(of, "name"), groups = pick(of, "groups"), variance = pick(of, "variance"), sd = pick(of, "standard_deviation"), correlation = vapply(of, function(level) if (is.null(level$correlation)) NA_real_ else level$correlation, 0))
  }
  said <- function(target) c(target$table$about, if (length(target$table$none)) paste("no table:", target$table$none), unlist(target$table$notes))
  targets <- object$result$targets
  structure(list(
    formula = object$columns$text, groups = object$result$groups, rows = object$result$rows,
    expected = do.call(rbind, lapply(targets, row)), models = do.call(rbind, lapply(targets, rows)),
    coefficients = do.call(rbind, lapply(targets, coefficients)), deviations = do.call(rbind, lapply(targets, deviations)),
    table = lapply(targets, said), promise = object$result$promise, outcomes = outcomes(object)
  ), class = "summary.acqnp")
}

print.summary.acqnp <- function(x, ...) {
  noMore("print", print.summary.acqnp, ...)
  cat(headline(x), x$outcomes, sep = "")
  cat("\nmodels, by predictions of groups that they were not fitted to:\n")
  print(x$models, row.names = FALSE, digits = 4)
  cat("\nexpected of a new group:\n")
  print(x$expected, row.names = FALSE, digits = 4)
  for (said in x$table) {
    cat("\n", paste0(strwrap(c(paste("table", said[1]), said[-1])), "\n"), sep = "")
  }
  for (part in list(x$coefficients, x$deviations)) {
    if (!is.null(part)) print(part, row.names = FALSE, digits = 4)
  }
  cat("\n", paste(strwrap(paste("promise:", x$promise)), collapse = "\n"), "\n", sep = "")
  invisible(x)
}
