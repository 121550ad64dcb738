# fromJSON reads a JSON value: objects and arrays become lists, null becomes NA.
fromJSON <- function(text) {
  pattern <- '"([^"\\\\]|\\\\.)*"|[][{}:,]|[-+.0-9eE]+|true|false|null'
  tokens <- regmatches(text, gregexpr(pattern, text, perl = TRUE))[[1]]
  at <- 0
  following <- function() tokens[at <<- at + 1]
  unquoted <- function(token) parse(text = token, keep.source = FALSE, encoding = "UTF-8")[[1]] # a literal of R, too
  value <- function(token) {
    switch(substr(token, 1, 1),
      "{" = , "[" = several(token),
      '"' = unquoted(token),
      t = TRUE, f = FALSE, n = NA,
      as.numeric(token)
    )
  }
  several <- function(open) {
    found <- list()
    repeat {
      token <- following()
      if (token %in% c("}", "]")) {
        return(found)
      }
      if (token == ",") next
      name <- NULL
      if (open == "{") {
        name <- unquoted(token)
        following() # the colon
        token <- following()
      }
      one <- value(token)
      if (is.null(name)) found[[length(found) + 1]] <- one else found[[name]] <- one
    }
  }
  value(following())
}

# jsonText writes texts as strings of JSON.
jsonText <- function(text) {
  text <- gsub("\"", "\\\"", gsub("\\", "\\\\", enc2utf8(text), fixed = TRUE), fixed = TRUE)
  if (any(grepl("[[:cntrl:]]", text))) {
    short <- c("8" = "\\b", "9" = "\\t", "10" = "\\n", "12" = "\\f", "13" = "\\r")
    for (code in 1:31) {
      by <- if (code %in% names(short)) short[[as.character(code)]] else sprintf("\\u%04x", code)
      text <- gsub(intToUtf8(code), by, text, fixed = TRUE)
    }
  }
  paste0("\"", text, "\"")
}
