//! Compares the statistics with reference values of SciPy and R.
//!
//! `reference/make.py` and `reference/make.R` write `scipy.jsonl` and `r.jsonl`, whose lines with
//! the same number refer to the same sample.

use catherd_analysis::stats::{
    Bootstrap, BradleyTerry, Compat, Conover, Contingency, Description, Estimator, Incidence,
    LinearFit, MannWhitney, MeanPosterior, Nemenyi, Observation, Power, SignedRank, Survival,
    benjamini_hochberg, friedman, holm, kruskal_wallis, log_rank, pearson, spearman, t_interval,
};
use serde::Deserialize;

/// A line of `scipy.jsonl`. Only the fields for the kind of sample are present.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Scipy {
    x: Vec<f64>,
    y: Vec<f64>,
    u1: f64,
    a12: f64,
    p_exact: f64,
    p_asymptotic: Option<f64>,
    describe: Option<[f64; 7]>,
    wilcoxon: Option<[f64; 3]>,
    pearson: Option<[f64; 2]>,
    spearman: Option<[f64; 2]>,
    line: Option<[f64; 4]>,
    blocks: Vec<Vec<f64>>,
    friedman: Option<[f64; 2]>,
    kruskal: [f64; 2],
    nemenyi: Vec<f64>,
    critical_difference: f64,
    conover: Vec<f64>,
    p: Vec<f64>,
    benjamini_hochberg: Vec<f64>,
    table: Option<[[u64; 2]; 2]>,
    fisher: f64,
    odds_ratio: f64,
    wilson: [f64; 2],
    survival: Option<[Vec<(f64, bool)>; 2]>,
    steps: Vec<(f64, f64)>,
    log_rank: [f64; 2],
    bootstrap: Vec<f64>,
    interval: [f64; 2],
}

/// A line of `r.jsonl`. Only the fields for the kind of sample are present.
#[derive(Default, Deserialize)]
#[serde(default)]
struct R {
    wilcox: Option<[f64; 1]>,
    delong: Option<[f64; 1]>,
    signed_rank: Option<[f64; 2]>,
    pearson: Option<[f64; 2]>,
    spearman: Option<[f64; 1]>,
    quartiles: Option<[f64; 3]>,
    friedman: [f64; 2],
    kruskal: [f64; 2],
    nemenyi: Vec<f64>,
    critical_difference: [f64; 1],
    holm: Vec<f64>,
    benjamini_hochberg: Vec<f64>,
    fisher: [f64; 1],
    conditional: [f64; 1],
    interval: [f64; 2],
    times: Vec<f64>,
    shares: Vec<f64>,
    log_rank: [f64; 2],
}

fn cases(choose: impl Fn(&Scipy) -> bool) -> Vec<(usize, Scipy, R)> {
    let scipy = include_str!("reference/scipy.jsonl").lines();
    let r = include_str!("reference/r.jsonl").lines();
    assert_eq!(scipy.clone().count(), r.clone().count());
    let parsed = scipy.zip(r).enumerate().map(|(line, (scipy, r))| {
        (line, serde_json::from_str(scipy).unwrap(), serde_json::from_str(r).unwrap())
    });
    let chosen: Vec<_> = parsed.filter(|(_, scipy, _)| choose(scipy)).collect();
    assert!(chosen.len() >= 5, "only {} lines", chosen.len());
    chosen
}

#[track_caller]
fn near(line: usize, what: &str, found: f64, expected: f64, tolerance: f64) {
    let error = if expected == 0.0 { found.abs() } else { ((found - expected) / expected).abs() };
    assert!(error < tolerance, "line {}: {what} is {found:e}, not {expected:e}", line + 1);
}

#[track_caller]
fn close(line: usize, what: &str, found: f64, expected: f64) {
    near(line, what, found, expected, 1e-9);
}

#[track_caller]
fn all_close(line: usize, what: &str, found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "line {}: {what}", line + 1);
    for (found, expected) in found.iter().zip(expected) {
        close(line, what, *found, *expected);
    }
}

#[test]
fn two_samples() {
    for (line, case, r) in cases(|case| !case.y.is_empty()) {
        let test = MannWhitney::new(&case.x, &case.y).unwrap();
        close(line, "A12", test.a12(), case.a12);
        close(line, "U1", test.u1(), case.u1);
        close(line, "Cliff's delta", test.cliffs_delta(), 2.0 * case.a12 - 1.0);
        close(line, "the exact p", test.exact().value, case.p_exact);
        if let Some(p) = case.p_asymptotic {
            close(line, "the asymptotic p", test.asymptotic().value, p);
        }
        if let Some([p]) = r.wilcox {
            close(line, "R's p", Compat::R.mann_whitney(&test).unwrap().value, p);
        }
        if let Some([variance]) = r.delong.filter(|_| case.a12 > 0.0 && case.a12 < 1.0) {
            let interval = test.a12_interval(0.95).unwrap();
            let a = case.a12;
            let spread = 1.959_963_984_540_054 * variance.sqrt() / (a * (1.0 - a));
            let end = |logit: f64| 1.0 / (1.0 + (-logit).exp());
            let centre = (a / (1.0 - a)).ln();
            close(line, "the lower end of A12", interval.low, end(centre - spread));
            close(line, "the upper end of A12", interval.high, end(centre + spread));
        }
        if let Some(expected) = case.describe {
            let found = Description::of(&case.x).unwrap();
            let quartiles = [found.lower_quartile, found.median, found.upper_quartile];
            all_close(line, "a quartile", &quartiles, &expected[3..6]);
            all_close(line, "R's quartile", &quartiles, &r.quartiles.unwrap());
            let rest = [found.mean, found.deviation.unwrap(), found.minimum, found.maximum];
            let [mean, deviation, minimum, _, _, _, maximum] = expected;
            assert!((found.mean - mean).abs() < 1e-12, "line {}: the mean", line + 1);
            all_close(line, "a description", &rest[1..], &[deviation, minimum, maximum]);
        }
    }
}

#[test]
fn paired_samples() {
    for (line, case, r) in cases(|case| case.wilcoxon.is_some() || case.pearson.is_some()) {
        if let Some([statistic, asymptotic, exact]) = case.wilcoxon {
            let test = SignedRank::new(&case.x, &case.y).unwrap();
            close(line, "Wilcoxon's statistic", test.statistic(), statistic);
            close(line, "Wilcoxon's p", test.asymptotic().value, asymptotic);
            close(line, "Wilcoxon's exact p", test.exact().value.min(1.0), exact);
            let [v, p] = r.signed_rank.unwrap();
            close(line, "R's V", Compat::R.signed_rank_statistic(&test), v);
            close(line, "R's p of Wilcoxon's test", Compat::R.signed_rank(&test).value, p);
        }
        if let Some(expected) = case.pearson {
            let found = pearson(&case.x, &case.y).unwrap();
            all_close(line, "Pearson's r or p", &[found.r, found.p.value], &expected);
            all_close(line, "R's r or p", &[found.r, found.p.value], &r.pearson.unwrap());
        }
        if let Some([rho, p]) = case.spearman {
            let found = spearman(&case.x, &case.y).unwrap();
            close(line, "Spearman's rho", found.r, rho);
            close(line, "Spearman's p", found.p.value, p);
            close(line, "R's rho", found.r, r.spearman.unwrap()[0]);
        }
        if let Some(expected) = case.line {
            let fit = LinearFit::new(&case.x, &case.y).unwrap();
            let found = [fit.slope, fit.intercept, fit.slope_error, fit.intercept_error];
            all_close(line, "the line", &found, &expected);
        }
    }
}

#[test]
#[ignore = "slow"]
fn many_samples() {
    for (line, case, r) in cases(|case| !case.blocks.is_empty()) {
        let treatments = case.blocks[0].len();
        let columns: Vec<Vec<f64>> = (0..treatments)
            .map(|column| case.blocks.iter().map(|block| block[column]).collect())
            .collect();
        let q = friedman(&case.blocks).unwrap();
        if let Some(expected) = case.friedman {
            all_close(line, "Friedman's test", &[q.statistic, q.p.value], &expected);
        }
        all_close(line, "R's Friedman test", &[q.statistic, q.p.value], &r.friedman);
        let samples: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let h = kruskal_wallis(&samples).unwrap();
        all_close(line, "Kruskal and Wallis's test", &[h.statistic, h.p.value], &case.kruskal);
        all_close(line, "R's Kruskal test", &[h.statistic, h.p.value], &r.kruskal);
        let nemenyi = Nemenyi::new(&case.blocks).unwrap();
        let conover = Conover::new(&case.blocks).unwrap();
        let pairs = (0..treatments).flat_map(|a| (a + 1..treatments).map(move |b| (a, b)));
        for (pair, (a, b)) in pairs.enumerate() {
            // The libraries integrate the studentised range only approximately.
            let found = nemenyi.p(a, b).value;
            near(line, "Nemenyi's p", found, case.nemenyi[pair], 1e-7);
            near(line, "R's p of Nemenyi's test", found, r.nemenyi[pair], 1e-7);
            close(line, "Conover's p", conover.p(a, b).value, case.conover[pair]);
        }
        let difference = nemenyi.critical_difference(0.05);
        near(line, "the critical difference", difference, case.critical_difference, 1e-7);
        near(line, "R's critical difference", difference, r.critical_difference[0], 1e-4);
    }
}

#[test]
fn adjusted_p_values() {
    for (line, case, r) in cases(|case| !case.p.is_empty()) {
        all_close(line, "Holm's p", &holm(&case.p).unwrap(), &r.holm);
        let adjusted = benjamini_hochberg(&case.p).unwrap();
        all_close(line, "Benjamini and Hochberg's p", &adjusted, &case.benjamini_hochberg);
        all_close(line, "R's p of Benjamini and Hochberg", &adjusted, &r.benjamini_hochberg);
    }
}

#[test]
fn contingency_tables() {
    for (line, case, r) in cases(|case| case.table.is_some()) {
        let [[ones, zeros], _] = case.table.unwrap();
        let table = Contingency::new(case.table.unwrap()).unwrap();
        close(line, "Fisher's p", table.fisher().value, case.fisher);
        close(line, "R's p of Fisher's test", table.fisher().value, r.fisher[0]);
        close(line, "the odds ratio", table.odds_ratio().unwrap(), case.odds_ratio);
        let interval = table.odds_ratio_interval(0.95).unwrap();
        all_close(line, "the interval", &[interval.low, interval.high], &r.interval);
        // R computes this estimate to about three digits.
        let conditional = table.conditional_odds_ratio().unwrap();
        near(line, "R's odds ratio", conditional, r.conditional[0], 5e-3);
        let wilson = Contingency::wilson(ones, ones + zeros, 0.95).unwrap();
        all_close(line, "Wilson's interval", &[wilson.low, wilson.high], &case.wilson);
    }
}

#[test]
fn times_to_events() {
    for (line, case, r) in cases(|case| case.survival.is_some()) {
        let samples = case.survival.unwrap().map(|sample| {
            let observed = |(time, event)| Observation { time, event };
            sample.into_iter().map(observed).collect::<Vec<_>>()
        });
        let (times, shares): (Vec<f64>, Vec<f64>) =
            Survival::of(&samples[0]).unwrap().steps.into_iter().unzip();
        let (scipy_times, scipy_shares): (Vec<f64>, Vec<f64>) = case.steps.into_iter().unzip();
        all_close(line, "a time", &times, &scipy_times);
        all_close(line, "R's time", &times, &r.times);
        for expected in [scipy_shares, r.shares] {
            for (found, expected) in shares.iter().zip(expected) {
                assert!((found - expected).abs() < 1e-12, "line {}: {found} {expected}", line + 1);
            }
        }
        let (statistic, p) = log_rank(&samples[0], &samples[1]).unwrap();
        all_close(line, "the log-rank test", &[statistic, p], &case.log_rank);
        all_close(line, "R's log-rank test", &[statistic, p], &r.log_rank);
    }
}

#[test]
#[ignore = "slow"]
fn bootstrap_intervals() {
    for (line, case, _) in cases(|case| !case.bootstrap.is_empty()) {
        let bootstrap = Bootstrap { replicates: 50_000, ..Bootstrap::default() };
        let found = bootstrap.mean(&case.bootstrap).unwrap();
        let [low, high] = case.interval;
        // Both intervals depend on random numbers: the standard error of a quantile of 50,000 draws
        // is about 0.3 % of the width.
        for (found, expected) in [(found.low, low), (found.high, high)] {
            let error = (found - expected).abs() / (high - low);
            assert!(error < 0.03, "line {}: {found} is not {expected}", line + 1);
        }
    }
}

/// A line of `golden.jsonl`. The values are from SciPy 1.17, except the exact p-values of samples
/// with ties (enumerated in integers) and the p-values of Pearson's r (computed with 60 digits).
#[derive(Default, Deserialize)]
#[serde(default)]
struct Golden {
    x: Vec<f64>,
    y: Vec<f64>,
    u1: f64,
    p_asymptotic: f64,
    p_exact: Option<f64>,
    scipy_p: f64,
    scipy_p_exact: Option<f64>,
    wilcoxon: Option<(f64, f64)>,
    scipy_wilcoxon_p: f64,
    pearson: (f64, f64),
    spearman: (f64, f64),
    fit: [f64; 4],
    table: Option<[[u64; 2]; 2]>,
    fisher: f64,
    odds_ratio: Option<f64>,
    conditional: f64,
}

#[test]
fn golden() {
    for (line, text) in include_str!("golden.jsonl").lines().enumerate() {
        let case: Golden = serde_json::from_str(text).unwrap();
        if let Some(table) = case.table {
            let table = Contingency::new(table).unwrap();
            close(line, "Fisher's p", table.fisher().value, case.fisher);
            let conditional = Compat::R.odds_ratio(&table).unwrap();
            close(line, "the conditional odds ratio", conditional, case.conditional);
            if let Some(ratio) = case.odds_ratio {
                close(line, "the odds ratio", Compat::Scipy.odds_ratio(&table).unwrap(), ratio);
            }
            continue;
        }
        let test = MannWhitney::new(&case.x, &case.y).unwrap();
        close(line, "U1", test.u1(), case.u1);
        close(line, "the asymptotic p", test.asymptotic().value, case.p_asymptotic);
        close(line, "SciPy's p", Compat::Scipy.mann_whitney(&test).unwrap().value, case.scipy_p);
        if let Some(p) = case.p_exact {
            close(line, "the exact p", test.exact().value, p);
        }
        if let Some(p) = case.scipy_p_exact {
            let found = Compat::Scipy.mann_whitney_exact(&test).unwrap();
            close(line, "SciPy's exact p", found.value, p);
        }
        if let Some((statistic, p)) = case.wilcoxon {
            let test = SignedRank::new(&case.x, &case.y).unwrap();
            close(line, "Wilcoxon's statistic", test.statistic(), statistic);
            close(line, "Wilcoxon's p", test.asymptotic().value, p);
            let scipy = Compat::Scipy.signed_rank(&test).value;
            close(line, "SciPy's p of Wilcoxon's test", scipy, case.scipy_wilcoxon_p);
            let r = pearson(&case.x, &case.y).unwrap();
            close(line, "Pearson's r", r.r, case.pearson.0);
            close(line, "the p of Pearson's r", r.p.value, case.pearson.1);
            let rho = spearman(&case.x, &case.y).unwrap();
            close(line, "Spearman's rho", rho.r, case.spearman.0);
            close(line, "the p of Spearman's rho", rho.p.value, case.spearman.1);
            let fit = LinearFit::new(&case.x, &case.y).unwrap();
            let found = [fit.slope, fit.intercept, fit.slope_error, fit.intercept_error];
            for (found, expected) in found.into_iter().zip(case.fit) {
                close(line, "the line", found, expected);
            }
        }
    }
}

#[derive(Deserialize)]
struct RStudy {
    x: Vec<f64>,
    y: Vec<f64>,
    interval: [f64; 2],
    /// Posterior probability that the mean difference is positive.
    higher: f64,
    delta: f64,
    /// Number of pairs for a power of 80 % in the t test.
    pairs: f64,
    runs: u64,
    covering: Vec<u64>,
    chao: f64,
    jackknife: [f64; 2],
}

/// Fifty studies with t intervals, posterior probabilities, sample sizes and estimates of the
/// number of species (package vegan) from R.
#[test]
fn studies_have_the_values_of_r() {
    let studies: Vec<RStudy> = include_str!("reference/studies.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(studies.len(), 50);
    for study in &studies {
        let differences: Vec<f64> = study.x.iter().zip(&study.y).map(|(x, y)| x - y).collect();
        let (_, interval) = t_interval(&differences, 0.95).unwrap();
        assert!((interval.low - study.interval[0]).abs() < 1e-9, "{interval:?}");
        assert!((interval.high - study.interval[1]).abs() < 1e-9, "{interval:?}");
        let blocks: Vec<[f64; 2]> = study.x.iter().zip(&study.y).map(|(&x, &y)| [x, y]).collect();
        let (higher, _) = MeanPosterior::over_blocks(&blocks).unwrap().pair(0, 1, 0.0);
        // The tolerance is four Monte Carlo standard errors of 4,000 draws.
        assert!((higher - study.higher).abs() < 0.032, "{higher} {}", study.higher);
        let pairs = Power::default().projects(study.delta).unwrap() as f64;
        let expected = study.pairs * std::f64::consts::PI / 3.0;
        assert!((pairs - expected).abs() < 2.0, "{pairs} {expected}");
        let incidence = Incidence::new(study.runs, 1 << 30, study.covering.clone()).unwrap();
        let value = |estimator| incidence.reachable(estimator, 0.95).value;
        let estimators = [Estimator::Chao2, Estimator::Jackknife1, Estimator::Jackknife2];
        let expected = [study.chao, study.jackknife[0], study.jackknife[1]];
        for (estimator, expected) in estimators.into_iter().zip(expected) {
            // The estimates are at least the observed number of goals.
            let expected = expected.max(incidence.observed() as f64);
            assert!((value(estimator) - expected).abs() < 1e-6, "{estimator:?} {expected}");
        }
    }
}

#[derive(Deserialize)]
struct Contests {
    blocks: Vec<Vec<f64>>,
    strengths: Vec<f64>,
    /// Posterior probabilities of being the strongest, estimated by importance sampling.
    strongest: Vec<f64>,
}

/// Because of Laplace's approximation, the tolerance is four Monte Carlo standard errors plus 0.02.
#[test]
#[ignore = "slow"]
fn contests_have_the_values_of_r() {
    let studies: Vec<Contests> = include_str!("reference/bradley_terry.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(studies.len(), 50);
    for (line, study) in studies.iter().enumerate() {
        let model = BradleyTerry::new(&study.blocks).unwrap();
        for (found, expected) in model.strengths.iter().zip(&study.strengths) {
            assert!((found - expected).abs() < 1e-5, "line {line}: {found} {expected}");
        }
        for (found, expected) in model.best().into_iter().zip(&study.strongest) {
            let draws = MeanPosterior::DRAWS as f64;
            let error = (expected * (1.0 - expected) / draws).sqrt();
            let tolerance = 4.0 * error + 0.02;
            assert!((found - expected).abs() < tolerance, "line {line}: {found} {expected}");
        }
    }
}
