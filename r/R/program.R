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
  # Where 'go install' puts it, which few PATHs have.
  set <- function(name, otherwise) if (nzchar(Sys.getenv(name))) Sys.getenv(name) else otherwise
  go <- set("GOBIN", file.path(set("GOPATH", file.path(set("USERPROFILE", path.expand("~")), "go")), "bin"))
  path <- Sys.which(c("acqnp", file.path(go, "acqnp")))
  if (!any(nzchar(path))) {
    stop("found no program acqnp in PATH and in ", go, ", where 'go install ./cmd/acqnp' in a checkout puts it; ",
      "name it if it is elsewhere: options(acqnp.program = \"/path/to/acqnp\")", call. = FALSE)
  }
  normalizePath(path[nzchar(path)][[1]])
}

# hasProgram reports whether program finds one. Examples, tests and the vignette skip what needs it.
hasProgram <- function() !inherits(try(program(), silent = TRUE), "try-error")

# run runs a command of the program in a folder and returns the lines that it prints. An error or a warning of
# the program is one of R with the same line, in the words of R, also with --json, where lines are objects. places has,
# by the stem of a file, the row of data that each of its lines is.
run <- function(dir, command, ..., places = list()) {
  path <- program()
  old <- setwd(dir)
  on.exit(setwd(old))
  out <- tempfile()
  err <- tempfile()
  on.exit(unlink(c(out, err)), add = TRUE)
  shell <- if (.Platform$OS.type == "windows") "cmd" else "sh"
  code <- system2(path, shQuote(c(command, "--quiet", ...), type = shell), stdout = out, stderr = err)
  said <- readLines(err, encoding = "UTF-8", warn = FALSE)
  said <- inR(vapply(said[nzchar(said)], plain, "", USE.NAMES = FALSE), places)
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

# flagsInR has flags of the program, and what does the same here. Others are arguments of the same name.
flagsInR <- c("as-new" = "as_new = TRUE", targets = "newdata", quantiles = "levels", hdr = "level", density = "at", exceed = "at")

# inR returns lines of the program with arguments instead of its flags, and rows of data instead of lines of files.
inR <- function(lines, places = list()) {
  replaced <- function(lines, pattern, by) {
    found <- gregexpr(pattern, lines, perl = TRUE)
    regmatches(lines, found) <- lapply(regmatches(lines, found), function(some) vapply(some, by, ""))
    lines
  }
  lines <- replaced(lines, "((fit|predict) )?(?<![[:alnum:]_-])--[a-z][a-z-]*([ =](real|counts|bounded)\\b)?", function(flag) {
    parts <- strsplit(sub("^[a-z ]*--", "", flag), "[ =]")[[1]]
    here <- if (parts[1] %in% names(flagsInR)) flagsInR[[parts[1]]] else gsub("-", "_", parts[1])
    if (length(parts) > 1) paste0(here, " = \"", parts[2], "\"") else here
  })
  replaced(lines, "\\b(data|context|newdata)[.]jsonl(:[0-9]+)?", function(place) {
    parts <- strsplit(sub("[.]jsonl", "", place), ":")[[1]]
    row <- as.integer(parts[2])
    rows <- places[[parts[1]]]
    if (is.na(row)) parts[1] else paste0(parts[1], ", row ", if (is.null(rows)) row else rows[row])
  })
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
    if (!grepl(paste0("of 1 group (", nameless), line, fixed = TRUE)) warning(sub("^warning: ", "", line), call. = FALSE)
  }
  said[!warned & nzchar(said)]
}

# contents returns the files below a folder, as folder takes them. It leaves out pictures.
contents <- function(dir) {
  names <- grep("[.]png$", list.files(dir, recursive = TRUE, all.files = TRUE), invert = TRUE, value = TRUE)
  read <- function(name) readBin(file.path(dir, name), "raw", file.size(file.path(dir, name)))
  setNames(lapply(names, read), names)
}
