# Fits and predictions, beside the same of the command line.
library(acqnp)
if (!acqnp:::hasProgram()) {
  cat("skipped: found no program acqnp\n")
  quit("no")
}
program <- acqnp:::program()
fails <- function(code, text) {
  said <- tryCatch({
    code
    ""
  }, error = conditionMessage)
  if (!grepl(text, said, fixed = TRUE)) stop("found the error '", said, "', expected '", text, "'")
}
# near allows a unit in the last digit: R reads decimal numbers a bit less exactly than it writes them.
near <- function(a, b) isTRUE(all.equal(a, b, tolerance = 1e-15))

set.seed(1)
d <- data.frame(
  g = rep(sprintf("group %02d", 1:15), each = 8), x = runif(120), k = factor(sample(c("u", "v"), 120, TRUE)),
  day = as.Date("2024-01-01") + sample(300, 120)
)
d$y <- exp(d$x + (d$k == "u") + rnorm(15)[rep(1:15, each = 8)] / 2 + rnorm(120) / 5)
d$z <- d$x - d$y
d$x[3] <- NA
dir <- tempfile()
dir.create(dir)
setwd(dir)
write <- function(d, file) write.csv(within(d, x <- sprintf("%.17g", x)), file, row.names = FALSE, na = "")
precise <- function(d) {
  for (name in intersect(c("y", "z"), names(d))) d[[name]] <- sprintf("%.17g", d[[name]])
  d
}
call <- function(...) system2(program, shQuote(c(..., "-q")), stdout = TRUE)

fit <- acqnp(log(y) ~ x + k + day | g, d, instant = TRUE)
write(precise(d[c("g", "x", "k", "day", "y")]), "d.csv")
invisible(call("fit", "d.csv", "log(y) ~ x + k + day | g", "--instant", "--out", "d.fit"))
# The files name the place of the data, and are else the same.
text <- function(bytes) sub('"file":"[^"]*"', "", rawToChar(bytes))
stopifnot(text(fit$files[["fit.json"]]) == text(readBin("d.fit/fit.json", "raw", 1e8)))

context <- d[c(10:12, 20, 21), ]
newdata <- d[c(22, 13, 14, 24), ]
write(precise(context[c("g", "x", "k", "day", "y")]), "context.csv")
write(newdata[c("g", "x", "k", "day")], "newdata.csv")
call("predict", "d.fit", "--context", "context.csv", "--targets", "newdata.csv", "--density=1:5:9", "--exceed=2,3", "--out", "p.csv")
p <- read.csv("p.csv", check.names = FALSE)
p <- p[match(newdata$x, p$x), ]
call("predict", "d.fit", "--context", "context.csv", "--targets", "newdata.csv", "--quantiles=0.05,0.95", "--out", "ends.csv")
ends <- read.csv("ends.csv", check.names = FALSE)
got <- function(...) predict(fit, newdata, context, ...)
columns <- function(pattern) unname(as.matrix(p[grepl(pattern, names(p))]))
stopifnot(
  near(got(), p$mean), near(got("sd"), p$sd), near(unname(got("quantile")), columns("^q")),
  near(got("interval")$lwr, ends$q0.05), near(got("interval")$upr, ends$q0.95), near(unname(got("density", at = seq(1, 5, 0.5))), columns("^density")),
  near(unname(got("prob", at = 2:3)), columns("^exceed")), near(got("table")$mean, p$mean),
  identical(colnames(got("prob", at = c(0.5, 2, 1000))), c("0.5", "2", "1000")),
  near(c(t(got("region")[[2]])), as.numeric(strsplit(p$hdr0.9[2], "[:;]")[[1]])),
  identical(got("draws", draws = 4, seed = 1), got("draws", draws = 4, seed = 1)), ncol(got("draws", draws = 4)) == 4
)

# Groups without known points, a missing x, and the order of rows.
newdata$g[2] <- "unknown"
newdata$x[3] <- NA
mixed <- predict(fit, newdata, context)
stopifnot(
  !anyNA(mixed), near(mixed[c(1, 4)], p$mean[c(1, 4)]),
  near(mixed[2], predict(fit, newdata[2, c("x", "k", "day")]))
)

# A group of the data knows its rows, unless it is a new one.
seen <- d[d$g == "group 05", ][1:2, ]
told <- predict(fit, seen, type = "table")
stopifnot(all(told$known_fit == 8), all(told$known_context == 0), all(predict(fit, seen, as_new = TRUE, type = "table")$known_fit == 0))

# The program sees the whole context, so that it can say which name may be a slip.
warned <- tryCatch(predict(fit, within(newdata[1, ], g <- "kettle"), within(context, g <- "Kettle")), warning = conditionMessage)
stopifnot(grepl("(kettle is near Kettle); of Kettle there are points and no targets", warned, fixed = TRUE))

# What R asks of a model. Without new data, the rows of the fit are predicted, and nobody is told that they are known.
quiet <- function(code) withCallingHandlers(code, warning = function(w) stop(conditionMessage(w)))
own <- quiet(predict(fit))
stopifnot(
  length(own) == 120, near(own, suppressWarnings(predict(fit, d))), identical(own, unname(fitted(fit))), identical(names(fitted(fit)), rownames(d)),
  near(unname(residuals(fit)), d$y - own), nobs(fit) == 120, identical(formula(fit), log(y) ~ x + k + day | g),
  near(c(logLik(fit)), 120 * summary(fit)$expected$log_density), identical(attr(logLik(fit), "nobs"), nobs(fit)), is.na(AIC(fit)),
  mean(abs(predict(fit, as_new = TRUE) - d$y)) > mean(abs(residuals(fit)))
)
fails(got(interval = "prediction", level = 2), "level: found 2, expected a number between 0 and 1")
fails(got("region", level = c(0.5, 0.9)), "level: found 2 numbers, expected one")
fails(got("quantile", levels = numeric(0)), "levels: found none, expected numbers between 0 and 1")
fails(got("draws", draws = 0), "draws: found 0, expected 1 or more")
said <- got(interval = "prediction", level = 0.8)
stopifnot(is.data.frame(said), identical(names(said), c("fit", "lwr", "upr")), near(said$fit, mixed), identical(said, got("interval", level = 0.8)),
  near(unname(got("quantile", levels = c(0.1, 0.9))), unname(as.matrix(said[-1]))))
set.seed(2)
drawn <- simulate(fit, 2)
set.seed(2)
stopifnot(identical(simulate(fit, 2), drawn), identical(dim(drawn), c(120L, 2L)), names(drawn) == c("sim_1", "sim_2"),
  identical(drawn, simulate(fit, 2, seed = attr(drawn, "seed"))), sd(drawn$sim_1) > 0,
  near(simulate(fit, 2, 7, FALSE, newdata = newdata, context = context)$sim_2, got("draws", draws = 2, seed = 7, joint = TRUE)[, 2]))
fails(coef(fit), "coef: a mixture of models has no coefficients")

# A fit that was saved predicts in another session what it predicted before.
saveRDS(fit, "fit.rds")
script <- 'library(acqnp); f <- readRDS("fit.rds"); a <- readRDS("asked.rds"); saveRDS(predict(f, a[[1]], a[[2]]), "told.rds")'
saveRDS(list(newdata, context), "asked.rds")
stopifnot(system2(file.path(R.home("bin"), "Rscript"), c("-e", shQuote(script)), env = "R_TESTS=") == 0, identical(readRDS("told.rds"), mixed))

# What matters is what the command line says, but for its words.
k <- acqnp(y ~ . | g, d[c("g", "x", "k", "y")], instant = TRUE)
writeBin(k$files[["fit.json"]], {dir.create("k.fit"); "k.fit/fit.json"})
said <- acqnp:::fromJSON(tail(call("plot", "effects", "k.fit", "--json"), 1))$targets[[1]]
told <- effects(k)
write(precise(d[c("g", "x", "k", "y")]), "k.csv")
invisible(call("fit", "k.csv", "y ~ . | g", "--instant", "--out", "point.fit"))
stopifnot(
  text(k$files[["fit.json"]]) == text(readBin("point.fit/fit.json", "raw", 1e8)), identical(formula(k), y ~ . | g), k$columns$text == "y ~ x + k | g", identical(told$loss$column, c("k", "x", "g")),
  identical(told$loss$loss, c(sapply(said$columns, `[[`, "loss"), said$known_points$loss)), identical(names(told$curves), c("k", "x")),
  identical(told$curves$k$x, c("u", "v")), identical(told$curves$x$q0.5, sapply(said$columns[[2]]$points, `[[`, "q0.5")),
  identical(told$changes$change, sapply(said$columns, function(one) one$change$change))
)

# A fit may keep no rows, also not in what R holds beside the program's files: levels of factors, the formula's variables.
strict <- function(data) suppressWarnings(acqnp(y ~ x | g, data, instant = TRUE, no_rows = TRUE))
bare <- strict(within(d, g <- factor(g)))
strings <- function(fit) rawToChar(Filter(function(b) b != 0, serialize(fit, NULL)))
new <- data.frame(g = "group 05", x = 0.5)
warned <- tryCatch(predict(bare, new), warning = conditionMessage)
stopifnot(!grepl("group 05", strings(bare)), grepl("group 05", strings(k)), nobs(bare) == 120, grepl("the fit keeps no rows (no_rows)", warned, fixed = TRUE),
  near(suppressWarnings(predict(bare, new)), predict(bare, new[-1])), predict(bare, new, d[d$g == "group 05", ]) != predict(bare, new[-1]))
fails(fitted(bare), "newdata: the fit keeps no rows (no_rows)")
fails(effects(bare), "expected one without no_rows")

# Two columns of y, and factors whose levels are numbers.
d$code <- factor(ifelse(d$k == "u", "1", "2"))
two <- acqnp(y + z ~ x + code | g, within(d, { y[5] <- NA; z[5:6] <- NA }), instant = TRUE, seed = 3)
m <- predict(two, d[9:10, ], d[11:12, ])
half <- two
half$model <- half$model[1:9, ]
c1 <- acqnp(y ~ x + code | g, d, instant = TRUE)
stopifnot(
  identical(names(m), c("y", "z")), length(m$z) == 2, nrow(summary(two)$expected) == 2, nobs(two) == 119, nrow(two$model) == 119,
  identical(dim(residuals(half)), c(9L, 2L)), is.na(residuals(half)["6", "z"]), names(simulate(half)$z) == "sim_1",
  identical(predict(k, d[9:10, ], d[11:12, ]), predict(c1, d[9:10, ], d[11:12, ]))
)

# Terms and weights: those of the command line.
d$days <- rep(c(1, 2, 4, 8), 30)
d$w <- rep(1:3, 40)
d$n <- d$y * d$days
weighted <- acqnp(n ~ cyclic(x, 2) + offset(log(days)) | g, d, instant = TRUE, row_weights = "w")
asked <- data.frame(g = "new", x = 1, days = c(1, 8, NA))
level <- acqnp(y ~ 1 | g, d, instant = TRUE)
m <- predict(weighted, asked)
stopifnot(near(m[2], 8 * m[1]), is.na(m[3]), !anyNA(predict(level, data.frame(g = c("a", "b")))), grepl('"row_weights":"w"', rawToChar(weighted$files[["fit.json"]])))
lost <- suppressWarnings(acqnp(y ~ x | g, within(d, { y[1] <- NA; w[1:2] <- c(NA, 0) }), instant = TRUE, row_weights = "w"))
stopifnot(identical(rownames(lost$model), as.character(3:120)))
fails(acqnp(y ~ x | g, within(d, w[1] <- NA), row_weights = "w"), "data, row 1: w: found nothing, expected a row weight")
fails(acqnp(y ~ x | g, d, row_weights = "v"), "row_weights: found no column v")

# Formulas are for the program to judge: crossed groups are not nested ones.
fails(acqnp(y ~ I(x^2) | g, d), "found I(x^2), expected the column alone: models find curves")
fails(acqnp(y ~ x + (1 | g), d), "found (1 | g), expected '| group' at the end of the formula")
crossed <- summary(acqnp(y ~ x * days | g, d, instant = TRUE))
stopifnot(identical(crossed$coefficients$name, c("(Intercept)", "x", "days", "x \u00d7 days")))
fails(acqnp(y ~ x * days + I(days^2) | g, d), "found I(days^2), expected the column alone")
fails(acqnp(y ~ x + y | g, d), "the column \"y\" twice")
fails(acqnp(y ~ x | g + k + day, d), "acqnp fit: formula: found g + k + day after '|'")
fails(acqnp(y ~ x | log(days), d), "acqnp fit: formula: found")

# Spans of time are the numbers that they are, in the unit of the fit; strings are names, of x and of groups; a group
# is known by its number.
spans <- data.frame(n = round(10 * runif(120), 1), arm = c("None", "NA", "c")[1:120 %% 3 + 1])
spans$id <- rep(c(1:14, NA), each = 8)
spans$label <- c("NA", "None", 3:15)[rep(1:15, each = 8)]
spans$y <- round(2 * spans$n + c(0, 30, -30)[1:120 %% 3 + 1] + rnorm(15)[rep(1:15, each = 8)], 2)
spans$wait <- as.difftime(spans$n, units = "days")
said <- NULL
waits <- withCallingHandlers(acqnp(y ~ wait + arm | label, spans, instant = TRUE), message = function(m) { said <<- c(said, conditionMessage(m)); invokeRestart("muffleMessage") })
stopifnot(identical(said, "wait: a difftime, taken for numbers of days\n"), waits$result$groups == 15, waits$result$rows == 120)
asked <- data.frame(label = c("NA", "None", "3", "new"), n = c(1, 4.5, 9, 9), arm = c("None", "NA", "c", "None"))
days <- predict(waits, transform(asked, wait = as.difftime(n, units = "days")), type = "table")
hours <- predict(waits, transform(asked, wait = as.difftime(24 * n, units = "hours")), type = "table")
stopifnot(
  near(days$mean, hours$mean), near(days$mean, predict(waits, transform(asked, wait = n))), identical(days$known_fit, c(8, 8, 8, 0)),
  abs(days$mean[1:3] - (2 * asked$n[1:3] + c(0, 30, -30))) < 8
)
numbered <- acqnp(y ~ n | id, spans, instant = TRUE)
told <- predict(numbered, data.frame(n = 1, id = c(2, NA, 99)), type = "table")
stopifnot(numbered$result$rows == 112, identical(told$known_fit, c(8, NA, 0)), identical(is.na(told$mean), c(FALSE, TRUE, FALSE)))
fails(predict(numbered, data.frame(n = 1, id = NA)), "newdata: found no row with its group")
fails(predict(numbered, data.frame(n = as.difftime(1, units = "days"), id = 2)), "newdata: n: found a difftime")

# Groups in groups: known and unknown classes and schools in one call, as the command line predicts them, and whole
# numbers, which are said.
i <- 0:95
scores <- data.frame(school = paste0("s", i %/% 12), class = i %/% 4 %% 3, hours = i %% 4)
scores$score <- 10 * ((i %/% 12 * 7) %% 5) + 3 * scores$class + scores$hours + (i * i) %% 3
nested <- acqnp(score ~ hours | school/class, scores, instant = TRUE)
told <- data.frame(school = c("new", "new", "s1"), class = c("a", "a", "7"), hours = c(1, 2, 1), score = c(31, 33, 20))
asked <- data.frame(school = c("s1", "s1", "new", "other"), class = c("0", "7", "b", "a"), hours = 1)
write.csv(scores, "schools.csv", row.names = FALSE)
write.csv(told, "told.csv", row.names = FALSE)
write.csv(asked, "asked.csv", row.names = FALSE)
invisible(call("fit", "schools.csv", "score ~ hours | school/class", "--instant", "--out", "schools.fit"))
for (new in c(FALSE, TRUE)) {
  call("predict", "schools.fit", "--context", "told.csv", "--targets", "asked.csv", if (new) "--as-new", "--out", paste0("p", new, ".csv"))
  p <- read.csv(paste0("p", new, ".csv"), check.names = FALSE)
  got <- predict(nested, asked, told, type = "table", as_new = new)
  stopifnot(near(got$mean, p$mean), identical(got$known_beside, as.numeric(p$known_beside)), length(unique(got$mean)) == 4)
}
stopifnot(any(grepl("score is taken for whole numbers of 0 or more", capture.output(print(nested)), fixed = TRUE)),
  any(grepl("score is taken for whole", capture.output(summary(nested)), fixed = TRUE)))

# Crossed names, of which those of a group that is not asked about tell too.
i <- 0:119
items <- data.frame(subject = paste0("s", i %/% 8), item = 100 + (i * 7 + i %/% 8) %% 12, x = i^2 %% 8 / 8)
items$rt <- (i %/% 8 * 7) %% 5 + 3 * (items$item %% 4) + i^2 %% 5 / 4
heard <- data.frame(subject = c("new", "new", "other"), item = c(100, 999, 999), x = c(0, 0.5, 0.5), rt = c(4, 9, 8))
wanted <- data.frame(subject = c("new", "new", "new", "s1"), item = c(101, 999, NA, 102), x = 0)
write.csv(items, "items.csv", row.names = FALSE)
write.csv(heard, "told-items.csv", row.names = FALSE)
write.csv(wanted[-3, ], "asked-items.csv", row.names = FALSE)
invisible(call("fit", "items.csv", "rt ~ x | subject + item", "--instant", "--out", "items.fit"))
call("predict", "items.fit", "--context", "told-items.csv", "--targets", "asked-items.csv", "--out", "items-p.csv")
crossed <- acqnp(rt ~ x | subject + item, items, instant = TRUE)
got <- predict(crossed, wanted, heard)
stopifnot(near(got[-3], read.csv("items-p.csv")$mean), is.na(got[3]), identical(summary(crossed)$deviations$level, c("subject", "item", "residual")))
fails(acqnp(rt ~ x + (1 | subject) + (1 | item), items), "or '| subject + item' for (1 | subject) + (1 | item)")

# What is printed and drawn.
s <- summary(fit)
stopifnot(
  identical(s$coefficients$name[1:2], c("(Intercept)", "x")), all(s$coefficients$se > 0), identical(s$deviations$level, c("g", "residual")),
  s$deviations$groups[1] == 15, all(s$deviations$sd^2 - s$deviations$variance < 1e-9), any(grepl("by REML, unshrunk", capture.output(s))),
  abs(sum(s$models$weight) - 1) < 1e-9, s$groups == 15, s$expected$coverage90 > 0.5,
  any(grepl("log(y) ~ x + k + day | g, 120 rows in 15 groups", capture.output(print(fit)), fixed = TRUE)), any(grepl("promise", capture.output(s)))
)
# Limits of y are texts.
limited <- within(d, y <- ifelse(y < 1.5, "<1.5", sprintf("%.17g", y)))
below <- suppressWarnings(acqnp(y ~ x | g, limited, instant = TRUE))
stopifnot(grepl(paste("limits of y, such as <50 and >200:", sum(limited$y == "<1.5"), "below and 0 above"), below$result$warnings[[1]], fixed = TRUE))
factors <- suppressWarnings(acqnp(y ~ x | g, within(limited, y <- factor(y)), instant = TRUE))
stopifnot(identical(residuals(factors), residuals(below)))
known <- function(y) suppressWarnings(predict(below, data.frame(g = "one", x = 0.5), context = data.frame(g = "one", x = 0.4, y = y)))
stopifnot(known("<0.5") < known("<1.5"), known("<1.5") < known(1.5))

# A column says it of numbers, also of a context.
sided <- within(d, side <- ifelse(y < 1.5, "left", "none"))
sided$y <- pmax(sided$y, 1.5)
left <- suppressWarnings(acqnp(y ~ . | g, sided[c("g", "x", "y", "side")], instant = TRUE, censored = "side"))
at <- function(side) suppressWarnings(predict(left, data.frame(g = "one", x = 0.5), context = data.frame(g = "one", x = 0.4, y = 1.5, side = side)))
stopifnot(abs(at("left") - known("<1.5")) < 1e-6, abs(at("none") - known(1.5)) < 1e-6)
fails(acqnp(y ~ x | g, d, censored = "v"), "censored: found no column v")
# Two names of y are 0 and 1.
named <- suppressWarnings(acqnp(k ~ x | g, d, instant = TRUE))
p <- suppressWarnings(predict(named, data.frame(g = "one", x = 0.5), context = data.frame(g = "one", x = 0.4, k = c("u", "v"))[2, ]))
stopifnot(p > 0, p < 1, identical(unlist(named$result$targets[[1]]$names), c("u", "v")), all(abs(residuals(named)) < 1), any(grepl("k is the probability of v, not of u", capture.output(print(named)))))

pdf("plot.pdf")
plot(named, data.frame(g = "one", x = c(0.2, 0.4), k = c("u", "v")))
plot(below, data.frame(g = "one", x = c(0.2, 0.4), y = c("<1.5", "2")))
plot(fit, context)
plot(fit, context[1:3, ], newdata = newdata, levels = 0.5)
plot(acqnp(y ~ day | g, d, instant = TRUE), n = 20)
plot(nested, told)
plot(bare, n = 20)
# A dozen groups, of which nine are drawn, with one warning of the program for all, and an outcome that does not move.
dozen <- data.frame(g = rep(paste("new", 1:12), each = 2), x = c(0.2, 9), k = "u", day = d$day[1:2], y = 2)
said <- NULL
listen <- function(condition) { said <<- c(said, conditionMessage(condition)); invokeRestart(computeRestarts()[[1]]) }
withCallingHandlers(plot(fit, dozen), message = listen, warning = listen)
stopifnot(said[1] == "drawn: 9 of 12 groups\n", length(said) > 1, !anyDuplicated(said))
plot(numbered, data.frame(id = c(2, NA), n = 1, y = 9), newdata = data.frame(id = c(2, NA), n = 1:2))
plot(weighted, data.frame(g = "new", x = 1, days = 1:2, n = 3), newdata = data.frame(g = "new", x = 1, days = c(1, NA)))
flat <- acqnp(y ~ day | g, within(d, y <- rep(c(0, 0, 0, 5), 30)), instant = TRUE)
quiet(plot(flat, n = 20))
dev.off()
stopifnot(file.size("plot.pdf") > 1000)
fails(plot(fit), "expected a context")

# A mistake is an error with the program's line.
said <- tryCatch(acqnp(log(k) ~ x | g, d, instant = TRUE), error = conditionMessage)
stopifnot(length(said) == 1, grepl("^acqnp fit: data[^.]*: k: found [^\n]*$", said))
fails(predict(fit, newdata[-1], context), "newdata: found no column g, which context has")
fails(predict(nested, asked[-1]), "newdata: found no column school")
fails(predict(fit, newdata, context["x"]), "context: found no column")
fails(predict(fit, newdata, context, "density"), "evenly spaced")
fails(predict(fit, newdata, context, "region", level = c(0.5, 0.9)), "level: found 2 numbers, expected one")
fails(predict(fit, newdata[0, ]), "newdata: found no row")
stopifnot(ncol(predict(fit, newdata[1, ], type = "draws", draws = 1e5, seed = 2^53)) == 1e5)

# What the program says beside its answer: a program that gives two warnings, and then ends well, fails with a
# line, or ends without one.
if (.Platform$OS.type == "unix") {
  says <- function(code) {
    file <- tempfile()
    writeLines(c("#!/bin/sh", "cat >&2 <<'end'",
      '{"event":"warning","message":"3 rows left out: no \\"x\\""}', "warning: column k: names",
      if (code == 1) '{"event":"error","command":"acqnp fit","message":"out: no space left"}', '{"event":"progress","done":1}',
      "end", "echo answer", paste("exit", code)), file)
    Sys.chmod(file, "755")
    options(acqnp.program = file)
    warned <- NULL
    value <- withCallingHandlers(
      tryCatch(acqnp:::run(tempdir(), "fit"), error = conditionMessage),
      warning = function(w) { warned <<- c(warned, conditionMessage(w)); invokeRestart("muffleWarning") })
    list(value, warned)
  }
  both <- c('3 rows left out: no "x"', "column k: names")
  stopifnot(identical(says(0), list("answer", both)), identical(says(1), list("acqnp fit: out: no space left", both)),
    identical(says(9), list("acqnp ended with exit code 9", both)))
  options(acqnp.program = NULL)
}
