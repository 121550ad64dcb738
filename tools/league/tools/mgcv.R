# Fits mgcv's additive models and writes what a prediction needs: for each fold (0: all rows) the
# matrix of each column's smooths on 200 points, coefficients, covariances and penalties.
# Rscript mgcv.R DIR: reads DIR/rows.csv (g, x1…, y, ly, fold), writes DIR/FOLD-*.csv and DIR/choice.csv.
suppressMessages(library(mgcv))
dir <- commandArgs(TRUE)[1]
d <- read.csv(file.path(dir, "rows.csv"), colClasses=c(g="character"))
xs <- grep("^x[0-9]+$", names(d), value=TRUE)
by_group <- length(unique(d$g)) > 1
within <- sapply(xs, function(x) mean(tapply(d[[x]], d$g, function(v) length(unique(v)))))
main <- xs[which.max(within)]
unique_of <- function(x) length(unique(d[[x]]))
few_values <- function(x) unique_of(x) * if (by_group && within[x] < 1.5) 0.5 else 1  # folds lack groups, and so values of theirs
term <- function(x, k) if (few_values(x) < 5) x else sprintf("s(%s, k=%d)", x, as.integer(min(k, few_values(x) - 1, max(4, nrow(d) %/% (6 * length(xs))))))
own <- if (!by_group) NULL else if (within[main] < 3) "s(g, bs='re')" else sprintf("s(%s, g, bs='fs', k=%d)", main, min(5, max(3, unique_of(main) - 1)))
mean_terms <- c(sapply(xs, term, k=10), own)
sd_terms <- sapply(xs, term, k=6)
log_ok <- all(is.finite(d$ly))

fit <- function(d, y, family) {
  d$v <- d[[y]]; d$g <- droplevels(d$g)
  if (family == "gaulss") d <- few(d)
  f <- as.formula(paste("v ~", paste(mean_terms, collapse=" + ")))
  suppressWarnings(if (family == "gaulss") gam(list(f, as.formula(paste("~", paste(sd_terms, collapse=" + ")))), data=d, family=gaulss(), method="REML", optimizer="efs")
  else bam(f, data=d, family=if (family == "scat") scat() else gaussian(), method="fREML", discrete=TRUE))
}
few <- function(d) { d <- d[as.integer(d$g) <= 20, ]; d$g <- droplevels(d$g); d }
try_fit <- function(...) tryCatch(fit(...), error=function(e) NULL)
value <- function(m) if (is.null(m)) Inf else AIC(m)

d$g <- factor(d$g)
m <- try_fit(d, "y", "gaussian"); best <- list(y="y", family="gaussian", m=m, value=value(m))
if (log_ok) { m <- try_fit(d, "ly", "gaussian"); v <- value(m) + 2 * sum(d$jacobian); if (v < best$value) best <- list(y="ly", family="gaussian", m=m, value=v) }
few_value <- value(try_fit(few(d), best$y, "gaussian"))
m <- try_fit(d, best$y, "scat"); gain <- c(gaussian=0, scat=(best$value - (best$y == "ly") * 2 * sum(d$jacobian) - value(m)) / nrow(d))
l <- try_fit(d, best$y, "gaulss"); gain["gaulss"] <- (few_value - value(l)) / nrow(few(d))
best$family <- names(which.max(gain)); if (best$family == "scat") best$m <- m; if (best$family == "gaulss") { best$m <- l }

save <- function(m, fold, d) {
  out <- function(a, name) write.table(a, file.path(dir, paste0(fold, "-", name, ".csv")), sep=",", row.names=FALSE, col.names=FALSE)
  ref <- data.frame(lapply(d[xs], median), g=factor(levels(d$g)[1], levels(d$g)))
  rows <- list(predict(m, ref, type="lpmatrix"))
  lpi <- attr(rows[[1]], "lpi")
  for (x in xs) {
    at <- ref[rep(1, 200), ]
    at[[x]] <- seq(d_low[[x]], d_high[[x]], length.out=200)
    rows <- c(rows, list(predict(m, at, type="lpmatrix")))
  }
  group <- rep(0, length(coef(m))); P <- matrix(0, 0, 0)
  scale <- if (best$family == "gaussian") m$sig2 else 1
  sp <- if (is.null(m$full.sp)) m$sp else m$full.sp
  for (s in m$smooth) if ("g" %in% s$term || identical(s$fterm, "g")) {
    n <- (s$last.para - s$first.para + 1) / nlevels(d$g)
    group[s$first.para:s$last.para] <- 2
    used <- s$first.para - 1 + which(colSums(abs(do.call(rbind, rows)[, s$first.para:s$last.para, drop=FALSE])) > 0)
    at <- seq(which(s$first.para:s$last.para == used[1]), length.out=n)
    group[s$first.para - 1 + at] <- 1
    k <- seq(s$first.sp, s$last.sp)
    P <- Reduce(`+`, Map(function(S, l) S[at, at, drop=FALSE] * l, s$S, sp[k])) / scale
  }
  keep <- group < 2
  second <- rep(1, length(group)); if (!is.null(lpi)) second[lpi[[2]]] <- 2
  out(do.call(rbind, rows)[, keep, drop=FALSE], "rows"); out(m$Vp[keep, keep], "cov"); out(P, "prior")
  out(rbind(coef(m)[keep], group[keep], second[keep]), "coef")
  noise <- if (best$family == "scat") m$family$getTheta(TRUE) else c(0, sqrt(m$sig2))
  out(rbind(noise), "noise")
}
d_low <- lapply(d[xs], min); d_high <- lapply(d[xs], max)
write.csv(data.frame(y=best$y, family=best$family), file.path(dir, "choice.csv"), row.names=FALSE)
level <- function(m, d) if (best$family == "gaulss") few(d) else d
save(best$m, 0, level(best$m, d))
for (k in setdiff(unique(d$fold), 0)) {
  part <- d[d$fold != k, ]; part$g <- droplevels(part$g)
  m <- try_fit(part, best$y, best$family)
  if (!is.null(m)) save(m, k, level(m, part))
}
