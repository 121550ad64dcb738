# Formulas and cells, without the program.
library(acqnp)
columnsOf <- acqnp:::columnsOf
cells <- acqnp:::cells
fails <- function(code, text) {
  said <- tryCatch({
    code
    ""
  }, error = conditionMessage)
  if (!grepl(text, said, fixed = TRUE)) stop("found the error '", said, "', expected '", text, "'")
}

d <- data.frame(g = c("a", "b"), y = 1:2, x = 3:4, `a b` = 5:6, check.names = FALSE)
stopifnot(
  columnsOf(y ~ x | g, d)$text == "y ~ x | g",
  columnsOf(log(y) ~ x + `a b`, d)$text == "log(y) ~ x + `a b`",
  identical(columnsOf(y ~ . | g, d)$x, c("x", "a b")), identical(columnsOf(y ~ . | g, d, "x")$x, "a b"),
  columnsOf(y ~ . + log(x) | g, d)$text == "y ~ `a b` + log(x) | g",
  columnsOf(y ~ 1 | g, d)$text == "y ~ 1 | g", is.null(columnsOf(y ~ 1 | g, d)$x),
  columnsOf(y ~ factor(x) + offset(log(`a b`)) | g, d)$text == "y ~ factor(x) + offset(log(`a b`)) | g",
  identical(columnsOf(y ~ x + offset(log(`a b`)), d)$needed, "a b"),
  columnsOf(y ~ x + cyclic(x, 24) + cyclic(x, 365.25), d)$text == "y ~ x + cyclic(x, 24) + cyclic(x, 365.25)",
  identical(columnsOf(y ~ x + cyclic(x, 24), d)$x, "x"),
  is.null(columnsOf(y ~ x, d)$group),
  columnsOf(y ~ 1 | g + `a b`, d)$text == "y ~ 1 | g + `a b`", identical(columnsOf(y ~ x | g + `a b`, d)[c("group", "x", "needed")], list(group = "g", x = c("x", "a b"), needed = "a b")),
  identical(columnsOf(y ~ x | g/`a b`, d)$group, c("g", "a b")), columnsOf(y ~ x | g/`a b`, d)$text == "y ~ x | g/`a b`"
)
fails(columnsOf(y ~ z | g, d), "found no column z")
fails(columnsOf(y ~ I(z^2) | g, d), "found no column z")
fails(columnsOf(~x, d), "expected y ~ x1 + x2 | group")
fails(acqnp(y ~ x, as.matrix(d["x"])), "expected a data frame")

# What is no term, and what follows | and is no group, or group in a group, goes to the program as it stands, which refuses it.
stopifnot(
  columnsOf(y ~ I(x^2) + (1 | g), d)$text == "y ~ I(x^2) + (1 | g)", columnsOf(y ~ x * `a b` + y2:x | g, cbind(d, y2 = 1))$text == "y ~ x*`a b` + y2:x | g",
  columnsOf(y ~ x | g + log(x), d)$text == "y ~ x | g + log(x)",
  columnsOf(y ~ x | log(g), d)$text == "y ~ x | log(g)"
)

x <- c(0.1, 1 / 3, 1e300, -2^-1074, NA, 11, 1e15 + 0.5)
stopifnot(
  identical(as.numeric(cells(x, "x")[-5]), x[-5]), cells(x, "x")[c(1, 5, 6)] == c("0.1", "null", "11"),
  cells(Inf, "x") == '"Inf"',
  cells(as.Date("2024-03-01"), "d") == '"2024-03-01"',
  cells(as.POSIXct("2024-03-01 12:30", tz = "Etc/GMT-2"), "d") == '"2024-03-01T10:30:00.000000Z"',
  identical(cells(factor(c("u", NA)), "k"), c('"u"', "null")),
  identical(cells(c(TRUE, NA), "k"), c("true", "null"))
)
# A string is a name, whatever it says. What the program would trim, or take for a missing cell, stands in quotes.
stopifnot(
  identical(cells(c("NA", "None", "a \"b\" \\", NA), "k"), c('"NA"', '"None"', '"a \\"b\\" \\\\"', "null")),
  identical(acqnp:::texts(c("", " a", "a", "b\nc"), "k"), c('""', '" a"', "a", '"b\\nc"')),
  identical(acqnp:::fromJSON(paste0("[", paste(cells(c("tab\t", "é \\ \"", "\001"), "k"), collapse = ","), "]"))[2:3], list("é \\ \"", "\001"))
)
stopifnot(identical(cells(acqnp:::asWritten('" a"'), "k"), '"\\" a\\""'))
stopifnot(identical(acqnp:::groupsOf(data.frame(g = c("1.0", "100", "10.", "2.50", "a.0", NA)), "g")[, 1], c("1", "100", "10", "2.5", "a.0", NA)))
# Names that look like numbers are factors to the program.
d$code <- factor(7:8)
stopifnot(columnsOf(y ~ x + code | g, d)$text == "y ~ x + factor(code) | g", columnsOf(y ~ . | g, d)$text == "y ~ x + `a b` + factor(code) | g")

# Spans of time are numbers, in the units of the fit.
d$wait <- as.difftime(c(1, 36), units = "hours")
units <- acqnp:::unitsOf(d, names(d))
stopifnot(
  identical(units, c(wait = "hours")),
  identical(acqnp:::inUnits(data.frame(wait = as.difftime(c(1, NA), units = "days")), "wait", units, "newdata")$wait, c(24, NA)),
  identical(acqnp:::inUnits(data.frame(wait = 5), "wait", units, "newdata")$wait, 5)
)
fails(acqnp:::inUnits(d, "wait", acqnp:::unitsOf(d, "x"), "newdata"), "newdata: wait: found a difftime, expected what the fit had")

# Arguments that a method does not have.
fit <- structure(list(columns = list(y = "y")), class = "acqnp")
fails(predict(fit, d, Context = d), "predict: found the argument Context, expected object, newdata, context")
fails(predict(fit, d, interval = "confidence"), "prediction")
for (call in expression(predict(fit, d, type.fit = "response"), predict(fit, d, se.fit = TRUE), predict(fit, d, re.form = NA))) {
  fails(eval(call), paste("predict: found the argument", names(call)[4]))
}
fails(predict(fit, d, NULL, "mean", 0.5, 0.9, NULL, 100, NULL, FALSE, FALSE, "none", 7), "found the argument 7")
fails(print(fit, digits = 3), "print: found the argument digits, expected x")
fails(summary(fit, full = TRUE), "summary: found the argument full")
fails(fitted(fit, level = 0), "fitted: found the argument level, expected object")
fails(residuals(fit, "pearson"), "residuals: found the argument")
fails(nobs(fit, use = 1), "nobs: found the argument use")
fails(logLik(fit, REML = TRUE), "logLik: found the argument REML")
fails(simulate(fit, re.form = NA), "found the argument re.form")
fails(effects(fit, column = "x"), "effects: found the argument column, expected object, threads")
fails(coef(fit), "coef: a mixture of models has no coefficients; effects(fit)")
fails(confint(fit), "has no coefficients")
pdf(NULL)
fails(plot(fit, Context = d), "plot: found the argument Context")
dev.off()

# Lines of the program, in the words of R.
said <- acqnp:::inR(c("these scores say nothing; --as-new forgets them", "context.jsonl:2: x: found \"a\"",
  "fit --outcome real gives others a density too", "data.jsonl: left out 2 of 9 rows", "a - b"), list(context = c(4L, 7L)))
stopifnot(identical(said, c("these scores say nothing; as_new = TRUE forgets them", "context, row 7: x: found \"a\"",
  "outcome = \"real\" gives others a density too", "data: left out 2 of 9 rows", "a - b")))
fails(cells(list(1), "k"), "k: found list")

stopifnot(acqnp:::headline(list(formula = "y ~ x", rows = 60, groups = 1)) == "acqnp: y ~ x, 60 rows in 1 group\n")

# fromJSON reads what the program writes.
read <- acqnp:::fromJSON('{"a":[1,-2.5e-3,true,null],"b":{"c":"\\"x\\" \\u003c y, {z}"},"d":[]}')
stopifnot(
  identical(read$a, list(1, -0.0025, TRUE, NA)), read$b[["c"]] == "\"x\" < y, {z}", identical(read$d, list())
)

# Without the program there is one line that says how to get it.
options(acqnp.program = "/nowhere/acqnp")
fails(acqnp(y ~ x | g, d), "found no program at /nowhere/acqnp")
options(acqnp.program = NULL)
path <- Sys.getenv("PATH")
go <- tempfile()
Sys.setenv(PATH = "", ACQNP = "", GOBIN = go)
fails(acqnp(y ~ x | g, d), paste("found no program acqnp in PATH and in", go))
fails(acqnp(y ~ x | g, d), "options(acqnp.program = \"/path/to/acqnp\")")
stopifnot(!acqnp:::hasProgram())
if (.Platform$OS.type == "unix") {
  dir.create(go)
  file.create(file.path(go, "acqnp"))
  Sys.chmod(file.path(go, "acqnp"), "755")
  stopifnot(basename(acqnp:::program()) == "acqnp", acqnp:::hasProgram())
}
Sys.setenv(PATH = path)
