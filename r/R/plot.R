plot.acqnp <- function(x, context = NULL, n = 100, levels = c(0.9, 0.5), y = x$columns$y[1], ...) {
  columns <- x$columns
  unknown <- setdiff(names(list(...)), c("", names(formals(plot.default)), names(par())))
  if (length(unknown) > 0) {
    stop("plot: found the argument ", unknown[1], ", expected context, n, levels, y, or one of plot.default", call. = FALSE)
  }
  if (!is.null(context)) {
    check(context, "context", c(columns$group, columns$x, columns$y))
    context <- inUnits(context, c(columns$x, columns$y), x$units, "context")
    context <- context[present(context, columns$group), , drop = FALSE]
  }
  axis <- Filter(function(name) !is.null(x$ranges[[name]]), columns$x)[1]
  if (is.na(axis)) {
    stop("plot: found no x with numbers", call. = FALSE)
  }
  names <- if (is.null(context)) NA else apply(groupsOf(context, columns$group), 1, paste, collapse = "/")
  groups <- unique(names)
  if (is.null(context) && length(columns$x) > 1) {
    stop("plot: with several x, expected a context, whose first row of each group states the others", call. = FALSE)
  }
  if (length(groups) > 1) {
    old <- par(mfrow = rev(n2mfrow(min(length(groups), 9))))
    on.exit(par(old))
  }
  for (group in head(groups, 9)) {
    known <- if (!is.na(group)) context[names == group, , drop = FALSE]
    panel(x, axis, y, known, group, n, sort(levels, decreasing = TRUE), list(...))
  }
  invisible(x)
}

# panel draws the smallest regions of y that hold given probabilities, along one x.
panel <- function(object, axis, y, known, group, n, levels, more) {
  ends <- object$ranges[[axis]]
  at <- seq(ends[1], ends[2], length.out = n)
  newdata <- if (is.null(known)) data.frame(row.names = seq_len(n)) else known[rep(1, n), , drop = FALSE]
  newdata[[axis]] <- at
  regions <- lapply(levels, function(level) {
    found <- predict(object, newdata, known, type = "region", level = level)
    if (length(object$columns$y) > 1) found[[y]] else found
  })
  seen <- range(unlist(regions), known[[y]], na.rm = TRUE, finite = TRUE)
  title <- if (is.na(group) || !nzchar(group)) "" else paste(paste(object$columns$group, collapse = "/"), group)
  do.call(plot, modifyList(list(x = ends, y = seen, type = "n", xlab = axis, ylab = y, main = title), more))
  shades <- gray.colors(length(levels), start = 0.9, end = 0.6)
  half <- diff(ends) / (n - 1) / 2
  for (i in seq_along(levels)) {
    for (j in seq_len(n)) {
      r <- regions[[i]][[j]]
      rect(at[j] - half, r[, "lower"], at[j] + half, r[, "upper"], col = shades[i], border = NA)
    }
  }
  if (!is.null(known)) {
    points(known[[axis]], known[[y]], pch = 19, cex = 0.8)
  }
}
