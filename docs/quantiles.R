# Reads the quantiles.csv of acqnp sample-quantiles, with base R alone.
#
#   source("docs/quantiles.R")
#   q <- read_quantiles("quantiles.csv")
#   parts <- components(q, target = 0)              # of the first target, if there is one group
#   density_of(parts, y = c(100, 200, 300))
#
# Each row of parts is a part of the predictive distribution: an asymmetric Laplace distribution with
# level tau (cqnp, acqnp), or a normal distribution, whose tau is empty (cnp, canp, bnp).

read_quantiles <- function(file) read.csv(file, check.names = FALSE)

# The rows of the parts at a target, which counts from 0 within its group. channel is the name of a
# column of y; it may be left out if there is one, and so may the group's name, in the first column.
components <- function(q, target, channel = q$channel[1], name = q[[1]][1]) {
  q[q$kind == "component" & q$target == target & q$channel == channel & q[[1]] %in% name, ]
}

# The density at each y. Say log = TRUE if the configuration's data.log names the column: then the
# parts are those of log y.
density_of <- function(parts, y, log = FALSE) {
  if (log) {
    return(ifelse(y > 0, density_of(parts, log(pmax(y, 0))) / y, 0))
  }
  part <- function(i) with(parts[i, ], {
    if (is.na(tau)) return(weight * dnorm(y, mu, sigma))
    e <- (y - mu) / sigma
    weight * tau * (1 - tau) / sigma * exp(-ifelse(e < 0, tau - 1, tau) * e)
  })
  Reduce(`+`, lapply(seq_len(nrow(parts)), part))
}
