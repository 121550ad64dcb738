# columnsOf reads y ~ x | group: the columns y, x and group (NULL without one, two of outer/group), and the
# text that the program reads. needed are the columns of offsets and, of group + crossed, the crossed one, a column of x:
# every row must have them.
columnsOf <- function(formula, data, weights = NULL) {
  if (!inherits(formula, "formula") || length(formula) != 3) {
    stop("formula: expected y ~ x1 + x2 | group, with names of columns", call. = FALSE)
  }
  right <- formula[[3]]
  group <- groupText <- crossed <- NULL
  if (is.call(right) && identical(right[[1]], as.name("|"))) {
    by <- right[[3]]
    if (is.call(by) && identical(by[[1]], as.name("+")) && length(by) == 3 && is.name(by[[2]]) && is.name(by[[3]])) {
      crossed <- as.character(by[[3]])
      by <- by[[2]]
    }
    nested <- groupsIn(by)
    group <- if (is.null(nested)) all.vars(by) else nested
    groupText <- if (is.null(nested)) asItStands(by) else paste(quoted(nested), collapse = "/")
    if (!is.null(crossed)) groupText <- paste(groupText, "+", quoted(crossed))
    right <- right[[2]]
  }
  y <- termsOf(formula[[2]])
  x <- termsOf(right, data, setdiff(names(data), c(all.vars(formula), weights)))
  absent <- setdiff(c(y$columns, x$columns, group, crossed), names(data))
  if (length(absent) > 0) {
    stop("formula: found no column ", absent[1], " in data", call. = FALSE)
  }
  text <- paste(paste(y$text, collapse = " + "), "~", paste(x$text, collapse = " + "))
  list(y = y$columns, x = unique(c(x$columns, crossed)), needed = c(x$needed, crossed), group = group, crossed = crossed, text = paste0(text, if (!is.null(groupText)) paste(" |", groupText)))
}

# groupsIn returns the columns of group, or of outer/group. It returns NULL for anything else, which is for the program
# to judge.
groupsIn <- function(e) {
  if (is.name(e)) {
    return(as.character(e))
  }
  if (is.call(e) && identical(e[[1]], as.name("/")) && is.name(e[[2]]) && is.name(e[[3]])) {
    return(c(as.character(e[[2]]), as.character(e[[3]])))
  }
}

# quoted returns the name of a column as a formula of the program has it.
quoted <- function(name) {
  ifelse(grepl("^[[:alpha:]][[:alnum:]_.]*$", name), name, paste0("`", gsub("`", "``", name, fixed = TRUE), "`"))
}

# plainTerm returns the text of columns, as factor(column) where the program would not see names.
plainTerm <- function(columns, data) {
  vapply(columns, function(name) if (looksOther(data[[name]])) paste0("factor(", quoted(name), ")") else quoted(name), "", USE.NAMES = FALSE)
}

# asItStands returns the text of a part of a formula, for the program to judge: it says what to write instead.
asItStands <- function(e) paste(deparse(e, width.cutoff = 500L), collapse = " ")

# termsOf reads a sum of columns of data, of their products, of functions of them that the program takes, and of 1. A point is the other
# columns, those that the formula does not name.
termsOf <- function(e, data = NULL, others = ".") {
  if (is.name(e)) {
    columns <- if (identical(e, as.name("."))) others else as.character(e)
    return(list(columns = columns, text = plainTerm(columns, data)))
  }
  sign <- if (is.call(e) && length(e) == 3 && is.name(e[[1]])) as.character(e[[1]]) else ""
  if (sign %in% c("+", "*", ":")) {
    sides <- list(termsOf(e[[2]], data, others), termsOf(e[[3]], data, others))
    of <- function(name) unlist(lapply(sides, `[[`, name))
    text <- if (sign == "+") of("text") else paste(sides[[1]]$text, sides[[2]]$text, sep = sign)
    return(list(columns = of("columns"), text = text, needed = of("needed")))
  }
  if (identical(e, 1)) {
    return(list(columns = NULL, text = "1"))
  }
  name <- if (is.call(e) && is.name(e[[1]])) as.character(e[[1]]) else ""
  if (name %in% c("log", "factor") && length(e) == 2 && is.name(e[[2]])) {
    column <- as.character(e[[2]])
    return(list(columns = column, text = paste0(name, "(", quoted(column), ")")))
  }
  if (name == "cyclic" && length(e) == 3 && is.name(e[[2]]) && is.numeric(e[[3]])) {
    column <- as.character(e[[2]])
    return(list(columns = column, text = paste0("cyclic(", quoted(column), ", ", digits(e[[3]]), ")")))
  }
  if (name == "offset" && length(e) == 2) {
    inner <- termsOf(e[[2]])
    return(list(columns = inner$columns, text = paste0("offset(", inner$text, ")"), needed = inner$columns))
  }
  list(columns = all.vars(e), text = asItStands(e))
}
