# The generics of R that a fit answers, beside print, summary, predict and plot.

fitted.acqnp <- function(object, ...) {
  noMore("fitted", fitted.acqnp, ...)
  byRow(object, predict(object))
}

residuals.acqnp <- function(object, ...) {
  noMore("residuals", residuals.acqnp, ...)
  byRow(object, mapply(yNumbers, object$model[object$columns$y], object$result$targets, SIMPLIFY = FALSE)) - fitted(object)
}

# yNumbers returns y as the program's numbers: of two names 0 and 1, and of a limit the number in it.
yNumbers <- function(y, target) {
  if (length(target$names)) {
    at <- match(as.character(y), unlist(target$names))
    return(ifelse(is.na(at), match(tolower(y), unlist(target$names)), at) - 1)
  }
  if (is.character(y) || is.factor(y)) as.numeric(sub("^ *[<>\u2264\u2265]=? *", "", y)) else y
}

# byRow returns a vector with the names of the fit's rows or, of several y, a matrix.
byRow <- function(object, values) {
  m <- if (is.list(values)) do.call(cbind, values) else cbind(values)
  rownames(m) <- rownames(object$model)
  if (ncol(m) == 1) m[, 1] else m
}

nobs.acqnp <- function(object, ...) {
  noMore("nobs", nobs.acqnp, ...)
  object$result$rows
}

logLik.acqnp <- function(object, ...) {
  noMore("logLik", logLik.acqnp, ...)
  density <- vapply(object$result$targets, function(target) target$expected$log_density, 0)
  structure(nobs(object) * sum(density), df = NA, nobs = nobs(object), class = "logLik")
}

simulate.acqnp <- function(object, nsim = 1, seed = NULL, as_new = TRUE, ...) {
  if (is.null(seed)) seed <- sample.int(.Machine$integer.max, 1)
  drawn <- predict(object, ..., type = "draws", draws = nsim, seed = seed, as_new = as_new, joint = TRUE)
  shaped <- function(m) setNames(as.data.frame(m), paste0("sim_", seq_len(nsim)))
  structure(if (is.list(drawn)) lapply(drawn, shaped) else shaped(drawn), seed = seed)
}

coef.acqnp <- function(object, ...) {
  stop("coef: a mixture of models has no coefficients; effects(fit) says how much each column matters and how y runs along it, ",
    "summary(fit)$models what each model weighs", call. = FALSE)
}

effects.acqnp <- function(object, threads = NULL, ...) {
  noMore("effects", effects.acqnp, ...)
  dir <- folder(setNames(object$files, file.path("fit", names(object$files))))
  on.exit(unlink(dir, recursive = TRUE))
  said <- run(dir, "plot", "effects", "--json", if (!is.null(threads)) paste0("--threads=", digits(threads)), "fit")
  targets <- fromJSON(said[length(said)])$targets
  rows <- function(list, names) do.call(rbind, lapply(list, function(one) data.frame(one[names], check.names = FALSE)))
  lost <- function(target) {
    known <- list(target$known_points)
    cbind(y = target$channel, rows(c(target$columns, known), c("column", "loss", "loss_se")))
  }
  curve <- function(name) {
    do.call(rbind, lapply(targets, function(target) {
      column <- Filter(function(one) one$column == name, target$columns)[[1]]
      cbind(y = target$channel, rows(column$points, names(column$points[[1]])))
    }))
  }
  loss <- do.call(rbind, lapply(targets, lost))
  columns <- vapply(targets[[1]]$columns, `[[`, "", "column")
  change <- function(target) {
    do.call(rbind, lapply(Filter(function(one) !is.null(one$change), target$columns), function(one) {
      moved <- one$change
      data.frame(y = target$channel, column = one$column, from = format(moved$from), to = format(moved$to), change = moved$change,
        change_se = moved$change_se, scale = target$scale)
    }))
  }
  list(loss = loss, curves = lapply(setNames(columns, columns), curve), changes = do.call(rbind, lapply(targets, change)))
}
