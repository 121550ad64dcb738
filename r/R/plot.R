plot.acqnp <- function(x, context = NULL, n = 100, levels = c(0.9, 0.5), y = x$columns$y[1], newdata = NULL, ...) {
  columns <- x$columns
  unknown <- setdiff(names(list(...)), c("", names(formals(plot.default)), names(par())))
  if (length(unknown) > 0) {
    stop("plot: found the argument ", unknown[1], ", expected context, n, levels, y, newdata, or one of plot.default", call. = FALSE)
  }
  if (!is.null(context)) {
    check(context, "context", c(columns$group, columns$x, columns$y))
    context <- inUnits(context, c(columns$x, columns$y), x$units, "context")
  }
  if (!is.null(newdata)) {
    check(newdata, "newdata", c(columns$group, columns$x))
    newdata <- inUnits(newdata, columns$x, x$units, "newdata")
  }
  grouped <- function(data) if (!is.null(data)) data[present(data, columns$group), , drop = FALSE]
  known <- grouped(context)
  newdata <- grouped(newdata)
  axis <- setdiff(names(x$ranges), columns$crossed)[1]
  if (is.na(axis)) {
    stop("plot: found no x with numbers or dates", call. = FALSE)
  }
  if (is.null(context) && is.null(newdata) && length(columns$x) > 1) {
    stop("plot: with several x, expected a context or newdata, which state the others", call. = FALSE)
  }
  of <- function(data) if (!is.null(data)) apply(groupsOf(data, columns$group), 1, paste, collapse = "/")
  groups <- if (is.null(context) && is.null(newdata)) NA else unique(c(of(known), of(newdata)))
  if (length(groups) == 0) {
    stop("plot: found no row with a group in context and newdata", call. = FALSE)
  }
  levels <- sort(levels, decreasing = TRUE)
  drawn <- head(groups, 9)
  if (length(drawn) < length(groups)) message("drawn: ", length(drawn), " of ", length(groups), " groups")
  panels <- lapply(drawn, function(group) {
    rows <- function(data) if (any(of(data) %in% group)) data[of(data) %in% group, , drop = FALSE]
    c(list(group = group), panel(x, axis, rows(known), rows(newdata), n))
  })
  table <- predicted(x, do.call(rbind, lapply(panels, `[[`, "asked")), context, c("--quantiles=0.5", paste0("--hdr=", numbers(levels))))
  tables <- split(table[table$channel == y, ], rep(seq_along(panels), vapply(panels, function(p) nrow(p$asked), 0L)))
  if (length(panels) > 1) {
    old <- par(mfrow = rev(n2mfrow(length(panels))))
    on.exit(par(old))
  }
  for (i in seq_along(panels)) drawPanel(x, axis, y, panels[[i]], tables[[i]], levels, i == 1, list(...))
  invisible(x)
}

# panel returns what a group's panel shows: the known points, the ends of the axis, and the rows that are asked of the
# program: along one x if the others are constant, else, as bars, those of newdata, or the known points, at their own x.
panel <- function(object, axis, known, newdata, n) {
  columns <- object$columns
  ends <- range(object$ranges[[axis]], known[[axis]], newdata[[axis]], na.rm = TRUE)
  constant <- vapply(setdiff(columns$x, axis), function(name) length(unique(known[[name]])) < 2, TRUE)
  bars <- !is.null(newdata) || !all(constant)
  asked <- if (!is.null(newdata)) newdata else if (bars) known else if (is.null(known)) data.frame(row.names = seq_len(n)) else known[rep(1, n), , drop = FALSE]
  if (!bars) asked[[axis]] <- seq(ends[1], ends[2], length.out = n)
  list(known = known, ends = ends, bars = bars, asked = asked[intersect(c(columns$group, columns$x), names(asked))])
}

# drawPanel draws the median of y and the smallest regions that hold given probabilities, from the program's table.
drawPanel <- function(object, axis, y, panel, table, levels, first, more) {
  known <- panel$known
  if (!is.null(known)) known[[y]] <- yNumbers(known[[y]], object$result$targets[[match(y, object$columns$y)]]) # a limit is drawn where it is
  regions <- lapply(table[grep("^hdr", names(table))], lapply, regionOf)
  # A line between two branches would be where y is not.
  median <- ifelse(vapply(regions[[1]], NROW, 0L) > 1, NA, table$q0.5)
  title <- if (is.null(object$columns$group) || is.na(panel$group)) "" else paste(paste(object$columns$group, collapse = "/"), panel$group)
  seen <- range(unlist(regions), known[[y]], na.rm = TRUE, finite = TRUE)
  do.call(plot, modifyList(list(x = panel$ends, y = seen, type = "n", xlab = axis, ylab = y, main = title), more))
  shades <- gray.colors(length(levels), start = 0.9, end = 0.6)
  at <- as.numeric(panel$asked[[axis]])
  half <- diff(as.numeric(panel$ends)) / (if (panel$bars) 80 else length(at) - 1) / 2
  for (i in seq_along(levels)) {
    for (j in seq_along(at)) {
      r <- regions[[i]][[j]]
      if (!is.null(r)) rect(at[j] - half, r[, "lower"], at[j] + half, r[, "upper"], col = shades[i], border = NA)
    }
  }
  if (panel$bars) segments(at - half, median, at + half) else lines(at, median)
  points(known[[axis]], known[[y]], pch = 19, cex = 0.8)
  if (first) {
    falls <- isTRUE(table$q0.5[which.max(at)] < table$q0.5[which.min(at)])
    legend(if (falls) "topright" else "topleft", c(paste0(100 * levels, "%"), "median", if (!is.null(known)) "known"),
      pch = c(rep(15, length(levels)), NA, if (!is.null(known)) 19), lty = c(rep(NA, length(levels)), 1, if (!is.null(known)) NA),
      col = c(shades, "black", if (!is.null(known)) "black"), pt.cex = c(rep(2, length(levels)), 1, 0.8), bty = "n", cex = 0.8)
  }
}
