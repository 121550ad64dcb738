# Fits mgcv's additive models and writes what a prediction needs: for each fold (0: all rows) and family
# the matrix of each column's smooths on 200 points, coefficients, covariances and penalties.
# Rscript mgcv.R DIR: reads DIR/rows.csv (g, x1…, y, ly, fold), writes DIR/FOLD-FAMILY-*.csv and DIR/choice.csv.
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
  f <- as.formula(paste("v ~", paste(mean_terms, collapse=" + ")))
  suppressWarnings(if (family == "gaulss") gam(list(f, as.formula(paste("~", paste(sd_terms, collapse=" + ")))), data=d, family=gaulss(), method="REML", optimizer="efs")
  else bam(f, data=d, family=if (family == "scat") scat() else gaussian(), method="fREML", discrete=TRUE))
}
few <- function(d) d[d$g %in% levels(d$g)[1:20], ]
try_fit <- function(...) {  # a fit that takes more than 10 s of processor time is left out
  setTimeLimit(cpu=10, transient=TRUE)
  on.exit(setTimeLimit())
  tryCatch(fit(...), error=function(e) NULL)
}
value <- function(m) if (is.null(m)) Inf else AIC(m)

d$g <- factor(d$g)
y <- "y"; all_rows <- list(gaussian=try_fit(d, y, "gaussian"))
if (log_ok) { m <- try_fit(d, "ly", "gaussian"); if (value(m) + 2 * sum(d$jacobian) < value(all_rows$gaussian)) { y <- "ly"; all_rows$gaussian <- m } }

save <- function(m, fold, family, d) {
  out <- function(a, name) write.table(a, file.path(dir, paste0(fold, "-", family, "-", name, ".csv")), sep=",", row.names=FALSE, col.names=FALSE)
  ref <- data.frame(lapply(d[xs], median), g=factor(levels(d$g)[1], levels(d$g)))
  rows <- list(predict(m, ref, type="lpmatrix"))
  lpi <- attr(rows[[1]], "lpi")
  for (x in xs) {
    at <- ref[rep(1, 200), ]
    at[[x]] <- seq(d_low[[x]], d_high[[x]], length.out=200)
    rows <- c(rows, list(predict(m, at, type="lpmatrix")))
  }
  group <- rep(0, length(coef(m))); P <- matrix(0, 0, 0)
  scale <- if (family == "gaussian") m$sig2 else 1
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
  noise <- if (family == "scat") m$family$getTheta(TRUE) else c(0, sqrt(m$sig2))
  out(rbind(noise), "noise")
}
d_low <- lapply(d[xs], min); d_high <- lapply(d[xs], max)
write.csv(data.frame(y=y), file.path(dir, "choice.csv"), row.names=FALSE)
for (family in c("gaussian", "scat", "gaulss")) for (k in 0:max(d$fold)) {
  part <- if (k == 0) d else d[d$fold != k, ]
  if (family == "gaulss") part <- few(part)
  part$g <- droplevels(part$g)
  m <- if (k == 0 && !is.null(all_rows[[family]])) all_rows[[family]] else try_fit(part, y, family)
  if (is.null(m)) break
  save(m, k, family, part)
}
