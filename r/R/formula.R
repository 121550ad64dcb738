# columnsOf reads y ~ x | group: the columns y, x and group (NULL without one, two of outer/group), and the
# text that the program reads. needed are the columns of offsets, which every row must have.
columnsOf <- function(formula, data) {
  if (!inherits(formula, "formula") || length(formula) != 3) {
    stop("formula: expected y ~ x1 + x2 | group, with names of columns", call. = FALSE)
  }
  right <- formula[[3]]
  group <- NULL
  if (is.call(right) && identical(right[[1]], as.name("|"))) {
    group <- groupsIn(right[[3]])
    right <- right[[2]]
  }
  y <- termsOf(formula[[2]])
  x <- if (identical(right, as.name("."))) others(names(data), c(y$columns, group)) else termsOf(right)
  all <- c(y$columns, unique(x$columns), group)
  absent <- setdiff(all, names(data))
  if (length(absent) > 0) {
    stop("formula: found no column ", absent[1], " in data", call. = FALSE)
  }
  if (length(group) > 2 || anyDuplicated(all) > 0) {
    stop("formula: expected one column after |, or outer/group, and each column once", call. = FALSE)
  }
  text <- paste(paste(y$text, collapse = " + "), "~", paste(x$text, collapse = " + "))
  list(y = y$columns, x = unique(x$columns), needed = x$needed, group = group, text = paste0(text, if (!is.null(group)) paste(" |", paste(quoted(group), collapse = "/"))))
}

# groupsIn returns the columns of group, or of outer/group.
groupsIn <- function(e) {
  if (is.call(e) && identical(e[[1]], as.name("/"))) {
    return(c(groupsIn(e[[2]]), groupsIn(e[[3]])))
  }
  termsOf(e)$columns
}

# quoted returns the name of a column as a formula of the program has it.
quoted <- function(name) {
  ifelse(grepl("^[[:alpha:]][[:alnum:]_.]*$", name), name, paste0("`", gsub("`", "``", name, fixed = TRUE), "`"))
}

others <- function(all, used) {
  columns <- setdiff(all, used)
  list(columns = columns, text = quoted(columns))
}

# termsOf reads a sum of columns, of functions of them that the program takes, and of 1.
termsOf <- function(e) {
  if (is.name(e)) {
    return(list(columns = as.character(e), text = quoted(as.character(e))))
  }
  if (is.call(e) && identical(e[[1]], as.name("+")) && length(e) == 3) {
    sides <- list(termsOf(e[[2]]), termsOf(e[[3]]))
    of <- function(name) unlist(lapply(sides, `[[`, name))
    return(list(columns = of("columns"), text = of("text"), needed = of("needed")))
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
    return(list(columns = column, text = paste0("cyclic(", quoted(column), ", ", sprintf("%.17g", e[[3]]), ")")))
  }
  if (name == "offset" && length(e) == 2) {
    inner <- termsOf(e[[2]])
    return(list(columns = inner$columns, text = paste0("offset(", inner$text, ")"), needed = inner$columns))
  }
  stop("formula: found ", paste(deparse(e), collapse = " "), ", expected columns, log(column), factor(column), cyclic(column, period), offset(column), 1 and +", call. = FALSE)
}
