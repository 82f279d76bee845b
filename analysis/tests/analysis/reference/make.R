# Computes statistics of the samples in scipy.jsonl with R and writes them to r.jsonl, line by line. Both files are
# next to this script.
#
#     Rscript make.R
#
# Needs R 4 with the packages jsonlite, pROC and survival.

suppressPackageStartupMessages({library(jsonlite); library(pROC); library(survival)})

folder <- dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE)))

# Formats numbers with all digits, because toJSON rounds to 15.
number <- function(values) {
  sprintf("[%s]", paste(ifelse(is.infinite(values), "null", sprintf("%.17g", values)), collapse = ", "))
}

two_samples <- function(case) {
  x <- case$x
  y <- case$y
  values <- list()
  if (length(unique(c(x, y))) > 1) {
    values$wilcox <- suppressWarnings(wilcox.test(x, y)$p.value)
    if (length(x) > 1 && length(y) > 1) {
      curve <- roc(rep(1:0, c(length(x), length(y))), c(x, y), direction = "<", quiet = TRUE)
      # The variance of DeLong, DeLong and Clarke-Pearson; 0 if the samples do not overlap.
      values$delong <- suppressWarnings(var(curve, method = "delong"))
    }
  }
  if (length(x) == length(y) && any(x != y)) {
    test <- suppressWarnings(wilcox.test(x, y, paired = TRUE))
    values$signed_rank <- c(test$statistic, test$p.value)
  }
  if (length(x) == length(y) && length(x) > 2 && sd(x) > 0 && sd(y) > 0) {
    test <- suppressWarnings(cor.test(x, y))
    values$pearson <- c(test$estimate, test$p.value)
    values$spearman <- cor(x, y, method = "spearman")
  }
  values$quartiles <- quantile(x, c(0.25, 0.5, 0.75))
  values
}

many_samples <- function(case) {
  blocks <- case$blocks
  treatments <- ncol(blocks)
  ranks <- t(apply(blocks, 1, rank))
  unit <- sqrt(treatments * (treatments + 1) / (12 * nrow(blocks)))
  pairs <- combn(treatments, 2)
  distances <- abs(colMeans(ranks)[pairs[1, ]] - colMeans(ranks)[pairs[2, ]])
  friedman <- friedman.test(blocks)
  kruskal <- kruskal.test(split(blocks, col(blocks)))
  list(friedman = c(friedman$statistic, friedman$p.value), kruskal = c(kruskal$statistic, kruskal$p.value),
       nemenyi = ptukey(distances / unit, treatments, Inf, lower.tail = FALSE),
       critical_difference = qtukey(0.95, treatments, Inf) * unit)
}

p_values <- function(case) {
  list(holm = p.adjust(case$p, "holm"), benjamini_hochberg = p.adjust(case$p, "BH"))
}

contingency <- function(case) {
  test <- fisher.test(case$table)
  cells <- case$table + 0.5
  log_ratio <- log(cells[1, 1] * cells[2, 2] / (cells[1, 2] * cells[2, 1]))
  list(fisher = test$p.value, conditional = unname(test$estimate),
       interval = exp(log_ratio + c(-1, 1) * qnorm(0.975) * sqrt(sum(1 / cells))))
}

survivors <- function(case) {
  samples <- lapply(case$survival, function(sample) {
    data.frame(time = sample[, 1], event = sample[, 2])
  })
  all <- rbind(cbind(samples[[1]], group = 1), cbind(samples[[2]], group = 2))
  curve <- survfit(Surv(time, event) ~ 1, samples[[1]])
  test <- survdiff(Surv(time, event) ~ group, all)
  seen <- curve$n.event > 0
  list(times = curve$time[seen], shares = curve$surv[seen],
       log_rank = c(test$chisq, pchisq(test$chisq, 1, lower.tail = FALSE)))
}

describe <- function(case) {
  if (!is.null(case$x)) two_samples(case)
  else if (!is.null(case$blocks)) many_samples(case)
  else if (!is.null(case$p)) p_values(case)
  else if (!is.null(case$table)) contingency(case)
  else if (!is.null(case$survival)) survivors(case)
  else list()
}

lines <- readLines(file.path(folder, "scipy.jsonl"))
written <- vapply(lines, function(line) {
  values <- describe(fromJSON(line))
  fields <- sprintf("\"%s\": %s", names(values), vapply(values, number, ""))
  sprintf("{%s}", paste(fields, collapse = ", "))
}, "")
writeLines(unname(written), file.path(folder, "r.jsonl"))
