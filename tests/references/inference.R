# Reference values of tunebench.analysis.calculations, computed by R's own functions and by definitions written out.
# Run: Rscript tests/references/inference.R > tests/references/inference.json
# Needs nothing but base R.

number <- function(x) ifelse(is.finite(x), sprintf("%.17g", x), "null")
json <- function(x) {
  if (is.null(x)) return("null")
  if (is.list(x)) {
    if (is.null(names(x))) return(paste0("[", paste(vapply(x, json, ""), collapse = ", "), "]"))
    pairs <- paste0("\"", names(x), "\": ", vapply(x, json, ""))
    return(paste0("{", paste(pairs, collapse = ", "), "}"))
  }
  words <- if (is.character(x)) paste0("\"", x, "\"") else if (is.logical(x)) tolower(as.character(x)) else number(x)
  if (length(x) == 1 && !inherits(x, "AsIs")) words else paste0("[", paste(words, collapse = ", "), "]")
}
cases <- list()
case <- function(id, method, input, expected, rel_tol = 1e-9, abs_tol = 0)
  cases[[length(cases) + 1]] <<- list(id = id, method = method, rel_tol = rel_tol, abs_tol = abs_tol, input = input,
                                      expected = expected)

# --- ranks -----------------------------------------------------------------------------------------------
runs_a <- c(12.31, 11.87, 14.02, 12.95, 13.4, 11.2)
runs_b <- c(10.11, 9.84, 10.92, 11.55, 9.3, 10.4, 12.08, 9.95, 10.63)
w <- wilcox.test(runs_a, runs_b, exact = TRUE, conf.int = TRUE)
case("rank_shift_unequal", "rank-shift", list(before = runs_a, after = runs_b, conf = 0.95),
     list(W = w$statistic[[1]], p = w$p.value, hl = w$estimate[[1]], ci = as.vector(w$conf.int)))
w <- wilcox.test(runs_a, runs_b, exact = TRUE, conf.int = TRUE, conf.level = 0.99)
case("rank_shift_99", "rank-shift", list(before = runs_a, after = runs_b, conf = 0.99),
     list(ci = as.vector(w$conf.int)))
tied_a <- c(5, 7, 7, 8, 9, 9, 9, 12, 14, 15)
tied_b <- c(3, 4, 5, 5, 6, 7, 7, 8, 8, 9, 10)
w <- suppressWarnings(wilcox.test(tied_a, tied_b, conf.int = TRUE))
case("rank_shift_ties", "rank-shift", list(before = tied_a, after = tied_b, conf = 0.95),
     list(W = w$statistic[[1]], p = w$p.value))
case("rank_shift_ties_interval", "rank-shift", list(before = tied_a, after = tied_b, conf = 0.95),
     list(ci = as.vector(w$conf.int)), abs_tol = 2e-4) # uniroot's tolerance is 1e-4
long_a <- round(20 + 6 * sin(1.7 * (1:60)) + (1:60) / 37, 6)
long_b <- round(18.5 + 6 * cos(2.3 * (1:55)) + (1:55) / 41, 6)
w <- wilcox.test(long_a, long_b, conf.int = TRUE)
case("rank_shift_long", "rank-shift", list(before = long_a, after = long_b, conf = 0.95),
     list(W = w$statistic[[1]], p = w$p.value))
case("rank_shift_long_interval", "rank-shift", list(before = long_a, after = long_b, conf = 0.95),
     list(ci = as.vector(w$conf.int)), abs_tol = 2e-4)
w <- wilcox.test(log(runs_a), log(runs_b), exact = TRUE, conf.int = TRUE)
case("rank_ratio_unequal", "rank-ratio", list(before = runs_a, after = runs_b, conf = 0.95),
     list(ratio = exp(w$estimate[[1]]), ci = exp(as.vector(w$conf.int)), p = w$p.value))
above <- mean(outer(tied_a, tied_b, `>`)); below <- mean(outer(tied_a, tied_b, `<`))
w <- suppressWarnings(wilcox.test(tied_a, tied_b))
case("rank_effect_ties", "rank-effect", list(a = tied_a, b = tied_b),
     list(W = w$statistic[[1]], p = w$p.value, cliffs_delta = above - below,
          vargha_delaney_A = above + (1 - above - below) / 2))
slots_a <- c(42.1, 55.3, 61.7, 70.2, 68.8, 64.4, 59.1, 57.7, 49.5, 44.9, 40.3, 38.2)
slots_b <- c(30.2, 41.9, 40.4, 52.1, 47.3, 50.8, 44.6, 37.9, 39.1, 30.6, 33.3, 39.7)
w <- wilcox.test(log(slots_a), log(slots_b), paired = TRUE, exact = TRUE, conf.int = TRUE)
case("paired_ratio", "paired-ratio", list(before = slots_a, after = slots_b),
     list(V = w$statistic[[1]], p = w$p.value, ratio = exp(w$estimate[[1]]), ci = exp(as.vector(w$conf.int))))
w <- suppressWarnings(wilcox.test(log(c(2, 4, 8, 3, 6, 5, 7)), log(c(1, 2, 4, 3, 9, 2, 3)), paired = TRUE))
case("paired_ratio_ties", "paired-ratio", list(before = c(2, 4, 8, 3, 6, 5, 7), after = c(1, 2, 4, 3, 9, 2, 3)),
     list(V = w$statistic[[1]], p = w$p.value))

# --- samples ---------------------------------------------------------------------------------------------
for (n in c(6, 11, 24)) {
  x <- round(exp(sin(3.1 * (1:n)) + 2), 4); s <- sort(x)
  k <- qbinom(0.025, n, 0.5); if (pbinom(k, n, 0.5) > 0.025) k <- k - 1
  case(paste0("median_interval_", n), "median-interval", list(x = x),
       list(median = median(x), ci = c(s[k + 1], s[n - k]), achieved_conf = 1 - 2 * pbinom(k, n, 0.5)))
}
hd <- function(x, p) {
  n <- length(x); e <- pbeta((0:n) / n, (n + 1) * p, (n + 1) * (1 - p)); sum(diff(e) * sort(x))
}
for (n in c(7, 400)) {
  x <- round(exp(1.3 * sin(2.7 * (1:n))) * (1 + (1:n %% 13) / 5), 4); p <- c(0.1, 0.5, 0.9, 0.95, 0.99)
  case(paste0("quantiles_", n), "quantiles", list(x = x, probs = p),
       list(hd = sapply(p, function(q) hd(x, q)), type7 = as.vector(quantile(x, p))))
}
x <- c(3.2, 3.4, 2.9, 3.1, 9.7, 3.3, 3.0, 3.6, 0.1, 3.2, 3.5)
q <- quantile(x, c(0.25, 0.75), names = FALSE); m <- mad(x, constant = 1)
case("outliers", "outliers", list(x = x),
     list(median = median(x), mad_raw = m, mod_z = 0.6745 * (x - median(x)) / m, q1 = q[1], q3 = q[2],
          tukey_lo = q[1] - 1.5 * IQR(x), tukey_hi = q[2] + 1.5 * IQR(x), severe_hi = q[2] + 3 * IQR(x),
          flagged_index = which(abs(0.6745 * (x - median(x)) / m) > 3.5) - 1))
d <- c(94, 197, 16, 38, 99, 141, 23)
r <- round(86.86 + 25 * qnorm(((1:199) - 0.5) / 199) + 4 * sin(5 * (1:199)), 6)
jack <- sapply(seq_along(d), function(i) mean(d[-i])); dev <- mean(jack) - jack
acc <- sum(dev^3) / (6 * sum(dev^2)^1.5); z0 <- qnorm(mean(r < mean(d)))
level <- function(p) pnorm(z0 + (z0 + qnorm(p)) / (1 - acc * (z0 + qnorm(p))))
alpha <- c(level(0.025), level(0.975))
case("bca", "bca", list(data = d, replicates = r, statistic = "mean", conf = 0.95),
     list(theta = mean(d), acc = acc, z0 = z0, alpha_adj = alpha, ci_type7 = quantile(r, alpha, names = FALSE)))
pooled <- (sum((runs_a - mean(runs_a))^2) + sum((runs_b - mean(runs_b))^2)) / (length(runs_a) + length(runs_b) - 2)
df <- length(runs_a) + length(runs_b) - 2
beyond <- function(rho) (mean(runs_a) - rho * mean(runs_b))^2 -
  qt(0.975, df)^2 * pooled * (1 / length(runs_a) + rho^2 / length(runs_b))
ratio <- mean(runs_a) / mean(runs_b)
case("ratio_of_means", "ratio-of-means", list(before = runs_a, after = runs_b),
     list(ratio = ratio, df = df, ci = c(uniroot(beyond, c(0.5, ratio), tol = 1e-14)$root,
                                         uniroot(beyond, c(ratio, 3), tol = 1e-14)$root)))
a <- rep(c("raid5", "raid10"), each = 12); b <- rep(rep(c("pool4", "pool8", "pool16"), each = 4), 2)
y <- round(exp(6 + 0.3 * (a == "raid10") + 0.2 * (b == "pool8") + 0.25 * (b == "pool16") * (a == "raid10") +
               0.05 * sin(7 * (1:24))), 2)
t <- anova(lm(log(y) ~ a * b))
case("factorial", "factorial", list(y = y, a = a, b = b),
     list(F_a = t$`F value`[1], F_b = t$`F value`[2], F_ab = t$`F value`[3], p_a = t$`Pr(>F)`[1],
          p_ab = t$`Pr(>F)`[3], df = t$Df, gm_a = as.list(exp(tapply(log(y), a, mean)))))
keep <- -c(2, 3, 17); y3 <- y[keep]; a3 <- factor(a[keep]); b3 <- factor(b[keep])
contrasts(a3) <- contr.sum(2); contrasts(b3) <- contr.sum(3)
t <- drop1(lm(log(y3) ~ a3 * b3), . ~ ., test = "F")
case("factorial_unequal", "factorial", list(y = y3, a = a[keep], b = b[keep]),
     list(F_a = t$`F value`[2], F_b = t$`F value`[3], F_ab = t$`F value`[4], p_ab = t$`Pr(>F)`[4]))
p <- c(0.001, 0.2, 0.012, 0.8, 0.03, 0.041, 0.0004, 0.5, 0.03, 1)
case("adjust_p", "adjust-p", list(p = p), list(bh = p.adjust(p, "BH"), holm = p.adjust(p, "holm")))

# --- series ----------------------------------------------------------------------------------------------
rho_of <- function(x, most) as.vector(acf(x, lag.max = most, plot = FALSE)$acf)
sizes <- function(x) {
  n <- length(x); r <- rho_of(x, n - 1)
  r1 <- min(max(r[2] + (1 + 4 * r[2]) / n, 0), 0.97)
  total <- 0; last <- Inf; k <- 0
  while (2 * k + 1 <= n %/% 3) {
    pair <- r[2 * k + 1] + r[2 * k + 2]
    if (pair <= 0) break
    last <- min(last, pair); total <- total + last; k <- k + 1
  }
  tau <- max(1, 2 * total - 1)
  ar <- max(n * (1 - r1) / (1 + r1), 2); geyer <- n / (tau * (1 + 2 * tau / n))
  c(ar = ar, geyer = geyer, eff = max(2, min(ar, geyer)))
}
welch <- function(b, a) {
  nb <- sizes(b)[["eff"]]; na <- sizes(a)[["eff"]]
  vb <- var(b) / (nb - 1); va <- var(a) / (na - 1)
  df <- (vb + va)^2 / (vb^2 / (nb - 1) + va^2 / (na - 1)); d <- mean(b) - mean(a)
  list(d = d, df = df, ci = d + c(-1, 1) * qt(0.975, df) * sqrt(vb + va), p = 2 * pt(-abs(d) / sqrt(vb + va), df))
}
ar1 <- function(n, phi, seed) { set.seed(seed); as.vector(arima.sim(list(ar = phi), n)) }
compared <- function(id, b, a) {
  l <- welch(log(b), log(a)); d <- welch(b, a)
  case(id, "compare-series", list(before = b, after = a),
       list(neff_ar1_before = sizes(log(b))[["ar"]], neff_geyer_before = sizes(log(b))[["geyer"]],
            neff_before = sizes(log(b))[["eff"]], neff_after = sizes(log(a))[["eff"]], df = l$df, ratio = exp(l$d),
            ci = exp(l$ci), p = l$p, diff = d$d, diff_ci = d$ci,
            naive_welch_ci = exp(as.vector(t.test(log(b), log(a))$conf.int)), scale = "log"), rel_tol = 1e-8)
}
compared("compare_correlated", round(exp(3 + 0.2 * ar1(240, 0.9, 1)), 3), round(exp(2.8 + 0.2 * ar1(180, 0.8, 2)), 3))
compared("compare_independent", round(exp(3 + 0.2 * ar1(60, -0.2, 3)), 3), round(exp(3 + 0.2 * ar1(75, 0.1, 4)), 3))
compared("compare_slow_and_noise", round(exp(3 + 0.1 * ar1(200, 0.97, 5) + 0.3 * cos(91 * (1:200))), 3),
         round(exp(2.9 + 0.1 * ar1(200, 0.97, 6) + 0.3 * cos(57 * (1:200))), 3))
zeros_b <- round(pmax(0, 4 + 3 * ar1(120, 0.6, 7)), 2); zeros_a <- round(pmax(0, 1 + 2 * ar1(120, 0.6, 8)), 2)
d <- welch(zeros_b, zeros_a)
vb <- var(zeros_b) / (sizes(zeros_b)[["eff"]] - 1); va <- var(zeros_a) / (sizes(zeros_a)[["eff"]] - 1)
beyond <- function(rho) (mean(zeros_b) - rho * mean(zeros_a))^2 - qt(0.975, d$df)^2 * (vb + rho^2 * va)
ratio <- mean(zeros_b) / mean(zeros_a)
case("compare_zeros", "compare-series", list(before = zeros_b, after = zeros_a),
     list(diff = d$d, diff_ci = d$ci, df = d$df, p = d$p, ratio = ratio,
          ci = c(uniroot(beyond, c(0, ratio), tol = 1e-14)$root, uniroot(beyond, c(ratio, 99), tol = 1e-14)$root),
          scale = "difference"), rel_tol = 1e-8)
x <- round(50 + 5 * ar1(90, 0.7, 9), 2); n <- length(x); lag <- 8
g <- as.vector(acf(x, lag.max = lag, type = "covariance", plot = FALSE)$acf)
case("autocorrelation", "autocorrelation", list(series = x, lag = lag),
     list(mean = mean(x), lag1 = g[2] / g[1], n_eff_ar1 = n * (1 - g[2] / g[1]) / (1 + g[2] / g[1]),
          se_hac = sqrt((g[1] + 2 * sum((1 - (1:lag) / (lag + 1)) * g[-1])) / n), se_iid = sd(x) / sqrt(n)))
x <- c(10.2, 9.7, 10.5, 10.1, 9.9, 10.3, 9.6, 13.9, 14.4, 13.6, 14.1, 14.8, 13.7, 14.2, 14.0)
n <- length(x); ks <- 3:(n - 3)
across <- function(u, v) mean(abs(outer(u, v, `-`)))
within <- function(u) sum(abs(outer(u, u, `-`))) / (length(u) * (length(u) - 1))
q <- sapply(ks, function(k) k * (n - k) / n *
            (2 * across(x[1:k], x[(k + 1):n]) - within(x[1:k]) - within(x[(k + 1):n])))
u <- sapply(1:(n - 1), function(t) sum(sign(outer(x[1:t], x[(t + 1):n], `-`))))
case("change_point", "change-point", list(series = x, min_size = 3),
     list(k_candidates = ks, Q = q, best_k = ks[which.max(q)], pettitt_K = max(abs(u))))

# --- judging ---------------------------------------------------------------------------------------------
e_b <- c(500, 20, 7000, 60, 1500, 9); t_b <- c(0.2, 6.1, 0.004, 1.1, 0.03, 20)
e_a <- c(610, 18, 6500, 75, 1490, 11); t_a <- c(0.05, 5.9, 0.0045, 1.2, 0.011, 3)
share <- function(u, v) sum(pmin(u / sum(u), v / sum(v)))
las <- sum(e_b * t_b) / sum(e_b * t_a); paa <- sum(e_a * t_b) / sum(e_a * t_a)
case("sql_mix", "sql-mix",
     list(execs_before = e_b, elapsed_per_exec_before = t_b, execs_after = e_a, elapsed_per_exec_after = t_a),
     list(raw_ratio = sum(e_b * t_b) / sum(e_a * t_a), laspeyres = las, paasche = paa, fisher = sqrt(las * paa),
          geomean = exp(mean(log(t_b / t_a))), similarity_exec = share(e_b, e_a),
          similarity_time = share(e_b * t_b, e_a * t_a), similarity_fixed_cost = share(e_b * t_b, e_a * t_b),
          regressed_index = which(t_a / t_b > 1.05) - 1))

cat("[\n", paste(vapply(cases, json, ""), collapse = ",\n"), "\n]\n", sep = "")
