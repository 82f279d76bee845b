# Writes 50 small studies to studies.jsonl, next to this script, with statistics of paired differences, sample sizes
# and estimates of reachable goals computed with R.
#
#     Rscript studies.R
#
# Needs R 4 with the packages jsonlite and vegan.

suppressPackageStartupMessages({library(jsonlite); library(vegan)})

folder <- dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE)))
set.seed(41)

study <- function(number) {
  projects <- sample(6:40, 1)
  ease <- rnorm(projects, 0.8, 0.1)
  effect <- rnorm(1, 0, 0.05)
  x <- round(pmin(1, ease + effect + rnorm(projects, 0, 0.05)), 6)
  y <- round(pmin(1, ease + rnorm(projects, 0, 0.05)), 6)
  test <- t.test(x, y, paired = TRUE)
  power <- power.t.test(delta = 0.2 + number / 40, sd = 1, power = 0.8, type = "paired")
  runs <- sample(5:30, 1)
  goals <- sample(10:60, 1)
  covers <- matrix(rbinom(runs * goals, 1, rep(plogis(rnorm(goals, -1.5, 1.5)), each = runs)), nrow = runs)
  pool <- specpool(covers)
  list(x = x, y = y, interval = as.numeric(test$conf.int), higher = pt(unname(test$statistic), projects - 1),
       delta = 0.2 + number / 40, pairs = power$n,
       runs = runs, covering = colSums(covers), chao = pool$chao, chao_se = pool$chao.se,
       jackknife = c(pool$jack1, pool$jack2))
}

lines <- vapply(1:50, function(number) {
  as.character(toJSON(study(number), auto_unbox = TRUE, digits = NA))
}, "")
writeLines(lines, file.path(folder, "studies.jsonl"))
