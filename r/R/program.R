# program returns the path of the program acqnp.
program <- function() {
  for (named in c(getOption("acqnp.program", ""), Sys.getenv("ACQNP"))) {
    if (nzchar(named)) {
      path <- Sys.which(named)
      if (!nzchar(path)) {
        stop("found no program at ", named, ", where the option acqnp.program or the variable ACQNP says it is", call. = FALSE)
      }
      return(normalizePath(path))
    }
  }
  path <- Sys.which("acqnp")
  if (!nzchar(path)) {
    stop("found no program acqnp in PATH; install it with 'pip install acqnp', from an archive of a release or with ",
      "'go install github.com/acqnp/acqnp/cmd/acqnp@latest', or name it in options(acqnp.program = \"/path/to/acqnp\")",
      call. = FALSE
    )
  }
  normalizePath(path)
}

# run runs a command of the program in a folder and returns the lines that it prints. An error or a warning of
# the program is one of R with the same line, also with --json, where lines are objects.
run <- function(dir, command, ...) {
  path <- program()
  old <- setwd(dir)
  on.exit(setwd(old))
  out <- tempfile()
  err <- tempfile()
  on.exit(unlink(c(out, err)), add = TRUE)
  shell <- if (.Platform$OS.type == "windows") "cmd" else "sh"
  code <- system2(path, shQuote(c(command, "--quiet", ...), type = shell), stdout = out, stderr = err)
  said <- readLines(err, encoding = "UTF-8", warn = FALSE)
  said <- vapply(said[nzchar(said)], plain, "", USE.NAMES = FALSE)
  if (code != 0) {
    said <- tell(said)
    stop(if (length(said) > 0) said[length(said)] else paste("acqnp ended with exit code", code), call. = FALSE)
  }
  tell(said)
  readLines(out, encoding = "UTF-8", warn = FALSE)
}

# plain returns a line of the program as it is without --json.
plain <- function(line) {
  if (!startsWith(line, "{")) {
    return(line)
  }
  event <- fromJSON(line)
  start <- switch(event$event, warning = "warning: ", error = paste0(event$command, ": "), "")
  paste0(start, event$message)
}

# folder makes a temporary folder with files, which are raw vectors by name.
folder <- function(files = list()) {
  dir <- tempfile("acqnp")
  dir.create(dir)
  for (name in names(files)) {
    path <- file.path(dir, name)
    dir.create(dirname(path), showWarnings = FALSE, recursive = TRUE)
    writeBin(files[[name]], path)
  }
  dir
}

# tell gives the warnings among the program's lines, and returns what else it said.
tell <- function(said) {
  warned <- startsWith(said, "warning: ")
  for (line in said[warned]) {
    warning(sub("^warning: ", "", line), call. = FALSE)
  }
  said[!warned & nzchar(said)]
}

# contents returns the files below a folder, as folder takes them. It leaves out pictures.
contents <- function(dir) {
  names <- grep("[.]png$", list.files(dir, recursive = TRUE, all.files = TRUE), invert = TRUE, value = TRUE)
  read <- function(name) readBin(file.path(dir, name), "raw", file.size(file.path(dir, name)))
  setNames(lapply(names, read), names)
}
