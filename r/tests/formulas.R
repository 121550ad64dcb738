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
  identical(columnsOf(y ~ . | g, d)$x, c("x", "a b")),
  columnsOf(y ~ 1 | g, d)$text == "y ~ 1 | g", is.null(columnsOf(y ~ 1 | g, d)$x),
  columnsOf(y ~ factor(x) + offset(log(`a b`)) | g, d)$text == "y ~ factor(x) + offset(log(`a b`)) | g",
  identical(columnsOf(y ~ x + offset(log(`a b`)), d)$needed, "a b"),
  columnsOf(y ~ x + cyclic(x, 24) + cyclic(x, 365.25), d)$text == "y ~ x + cyclic(x, 24) + cyclic(x, 365.25)",
  identical(columnsOf(y ~ x + cyclic(x, 24), d)$x, "x"),
  is.null(columnsOf(y ~ x, d)$group),
  identical(columnsOf(y ~ x | g/`a b`, d)$group, c("g", "a b")), columnsOf(y ~ x | g/`a b`, d)$text == "y ~ x | g/`a b`"
)
fails(columnsOf(y ~ I(x^2) | g, d), "found I(x^2), expected columns")
fails(columnsOf(y ~ z | g, d), "found no column z")
fails(columnsOf(y ~ x + y | g, d), "each column once")
fails(columnsOf(~x, d), "expected y ~ x1 + x2 | group")
fails(acqnp(y ~ x, as.matrix(d["x"])), "expected a data frame")

x <- c(0.1, 1 / 3, 1e300, -2^-1074, NA)
stopifnot(
  identical(as.numeric(cells(x, "x"))[1:4], x[1:4]), cells(x, "x")[5] == "",
  cells(as.Date("2024-03-01"), "d") == "2024-03-01",
  cells(as.POSIXct("2024-03-01 12:30", tz = "Etc/GMT-2"), "d") == "2024-03-01T10:30:00.000000Z",
  identical(cells(factor(c("u", NA)), "k"), c("u", "")),
  cells(TRUE, "k") == "TRUE",
  acqnp:::prefixOf(factor(c("u", "v"))) == "", acqnp:::prefixOf(factor(1:2)) != "", acqnp:::prefixOf(c("NA", "u")) != ""
)
fails(cells(list(1), "k"), "k: found list")

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
Sys.setenv(PATH = "", ACQNP = "")
fails(acqnp(y ~ x | g, d), "install it with")
Sys.setenv(PATH = path)
