plot.acqnp <- function(x, context = NULL, n = 100, levels = c(0.9, 0.5), y = x$columns$y[1], newdata = NULL, ...) {
  columns <- x$columns
  unknown <- setdiff(names(list(...)), c("", names(formals(plot.default)), names(par())))
  if (length(unknown) > 0) {
    stop("plot: found the argument ", unknown[1], ", expected context, n, levels, y, newdata, or one of plot.default", call. = FALSE)
  }
  if (!is.null(context)) {
    check(context, "context", c(columns$group, columns$x, columns$y))
    context <- inUnits(context, c(columns$x, columns$y), x$units, "context")
    context <- context[present(context, columns$group), , drop = FALSE]
  }
  if (!is.null(newdata)) {
    check(newdata, "newdata", c(columns$group, columns$x))
    newdata <- inUnits(newdata, columns$x, x$units, "newdata")
  }
  axis <- setdiff(names(x$ranges), columns$crossed)[1]
  if (is.na(axis)) {
    stop("plot: found no x with numbers or dates", call. = FALSE)
  }
  if (is.null(context) && is.null(newdata) && length(columns$x) > 1) {
    stop("plot: with several x, expected a context or newdata, which state the others", call. = FALSE)
  }
  of <- function(data) if (!is.null(data)) apply(groupsOf(data, columns$group), 1, paste, collapse = "/")
  groups <- unique(c(of(context), of(newdata)))
  if (is.null(groups)) groups <- NA
  if (length(groups) > 1) {
    old <- par(mfrow = rev(n2mfrow(min(length(groups), 9))))
    on.exit(par(old))
  }
  for (group in head(groups, 9)) {
    rows <- function(data) if (any(of(data) %in% group)) data[of(data) %in% group, , drop = FALSE]
    panel(x, axis, y, rows(context), rows(newdata), group, n, sort(levels, decreasing = TRUE), identical(group, groups[1]), list(...))
  }
  invisible(x)
}

# panel draws the median of y and the smallest regions that hold given probabilities: along one x if the others are
# constant, else as bars of the rows of asked, or of the known points, at their own x.
panel <- function(object, axis, y, known, asked, group, n, levels, first, more) {
  ends <- range(object$ranges[[axis]], known[[axis]], asked[[axis]], na.rm = TRUE)
  constant <- vapply(setdiff(object$columns$x, axis), function(name) length(unique(known[[name]])) < 2, TRUE)
  bars <- !is.null(asked) || !all(constant)
  newdata <- if (!is.null(asked)) asked else if (bars) known else if (is.null(known)) data.frame(row.names = seq_len(n)) else known[rep(1, n), , drop = FALSE]
  if (!bars) newdata[[axis]] <- seq(ends[1], ends[2], length.out = n)
  table <- predicted(object, newdata, known, c("--quantiles=0.5", paste0("--hdr=", numbers(levels))))
  table <- table[table$channel == y, ]
  if (!is.null(known)) known[[y]] <- yNumbers(known[[y]], object$result$targets[[match(y, object$columns$y)]]) # a limit is drawn where it is
  regions <- lapply(table[grep("^hdr", names(table))], lapply, regionOf)
  # A line between two branches would be where y is not.
  median <- ifelse(vapply(regions[[1]], NROW, 0L) > 1, NA, table$q0.5)
  title <- if (is.null(object$columns$group) || is.na(group)) "" else paste(paste(object$columns$group, collapse = "/"), group)
  seen <- range(unlist(regions), known[[y]], na.rm = TRUE, finite = TRUE)
  do.call(plot, modifyList(list(x = ends, y = seen, type = "n", xlab = axis, ylab = y, main = title), more))
  shades <- gray.colors(length(levels), start = 0.9, end = 0.6)
  at <- as.numeric(newdata[[axis]])
  half <- diff(as.numeric(ends)) / (if (bars) 80 else n - 1) / 2
  for (i in seq_along(levels)) {
    for (j in seq_along(at)) {
      r <- regions[[i]][[j]]
      rect(at[j] - half, r[, "lower"], at[j] + half, r[, "upper"], col = shades[i], border = NA)
    }
  }
  if (bars) segments(at - half, median, at + half) else lines(at, median)
  points(known[[axis]], known[[y]], pch = 19, cex = 0.8)
  if (first) {
    rises <- cor(at, table$q0.5) >= 0
    legend(if (isFALSE(rises)) "topright" else "topleft", c(paste0(100 * levels, "%"), "median", if (!is.null(known)) "known"),
      pch = c(rep(15, length(levels)), NA, if (!is.null(known)) 19), lty = c(rep(NA, length(levels)), 1, if (!is.null(known)) NA),
      col = c(shades, "black", if (!is.null(known)) "black"), pt.cex = c(rep(2, length(levels)), 1, 0.8), bty = "n", cex = 0.8)
  }
}
