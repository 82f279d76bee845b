# Fits the model of Bradley and Terry to 50 small studies and writes the results to bradley_terry.jsonl, next to this
# script: the most probable strengths under a normal prior with a standard deviation of 2, and the probabilities
# of being the strongest, estimated by importance sampling from the exact posterior.
#
#     Rscript bradley_terry.R
#
# Needs R 4 with the packages jsonlite and BradleyTerry2. If both algorithms of each pair win more than once, the
# strengths under a wide prior are compared with those of BTm, which uses no prior.

suppressPackageStartupMessages({library(jsonlite); library(BradleyTerry2)})

folder <- dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE)))
set.seed(42)
DRAWS <- 200000

wins_of <- function(values) {
  k <- ncol(values)
  wins <- matrix(0, k, k)
  for (i in 1:k) for (j in 1:k) if (i != j) {
    wins[i, j] <- sum(values[, i] > values[, j]) + sum(values[, i] == values[, j]) / 2
  }
  wins
}

# The logarithm of the posterior density of each row of strengths.
density <- function(strengths, wins, prior) {
  total <- -rowSums(strengths^2) / (2 * prior^2)
  k <- ncol(wins)
  for (i in 1:k) for (j in 1:k) if (i != j) {
    total <- total + wins[i, j] * plogis(strengths[, i] - strengths[, j], log.p = TRUE)
  }
  total
}

mode_of <- function(wins, prior) {
  k <- ncol(wins)
  objective <- function(s) -density(matrix(s, 1), wins, prior)
  gradient <- function(s) {
    p <- plogis(outer(s, s, "-"))
    all <- wins + t(wins)
    s / prior^2 - rowSums(wins - all * p)
  }
  found <- optim(rep(0, k), objective, gradient, method = "BFGS", hessian = TRUE,
                 control = list(reltol = 1e-16, maxit = 10000))
  found
}

study <- function(number) {
  blocks <- sample(8:60, 1)
  k <- sample(2:6, 1)
  ease <- rnorm(blocks, 0.7, 0.1)
  effects <- rnorm(k, 0, 0.04)
  # Rounding to two decimals creates ties.
  values <- round(ease + matrix(rep(effects, each = blocks), blocks) + matrix(rnorm(blocks * k, 0, 0.06), blocks), 2)
  wins <- wins_of(values)
  found <- mode_of(wins, 2)
  # Importance sampling from a distribution with heavy tails around the mode.
  root <- chol(solve(found$hessian))
  scale <- sqrt(5 / rchisq(DRAWS, 5))
  normals <- matrix(rnorm(DRAWS * k), DRAWS)
  drawn <- sweep(normals %*% root * scale, 2, found$par, "+")
  proposal <- -(5 + k) / 2 * log(1 + rowSums((normals * scale)^2) / 5)
  weight <- density(drawn, wins, 2) - proposal
  weight <- exp(weight - max(weight))
  best <- max.col(drawn, ties.method = "first")
  strongest <- vapply(1:k, function(i) sum(weight[best == i]) / sum(weight), 0)
  effective <- sum(weight)^2 / sum(weight^2)
  stopifnot(effective > DRAWS / 10)
  # Compare with BTm.
  pairs <- t(combn(k, 2))
  names <- paste0("t", 1:k)
  data <- data.frame(one = factor(names[pairs[, 1]], names), other = factor(names[pairs[, 2]], names),
                     won = wins[pairs], lost = wins[pairs[, 2:1, drop = FALSE]])
  if (all(data$won > 1 & data$lost > 1)) {
    btm <- suppressWarnings(BTm(cbind(won, lost), one, other, data = data))
    ability <- c(0, coef(btm))
    wide <- mode_of(wins, 1e4)$par
    stopifnot(max(abs((ability - mean(ability)) - (wide - mean(wide)))) < 1e-3)
    checked <<- checked + 1
  }
  list(blocks = values, strengths = found$par, strongest = strongest)
}

checked <- 0
lines <- vapply(1:50, function(number) {
  as.character(toJSON(study(number), auto_unbox = FALSE, digits = NA))
}, "")
writeLines(lines, file.path(folder, "bradley_terry.jsonl"))
cat(checked, "of 50 studies compared with BTm\n")
