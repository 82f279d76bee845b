//! The statistics against reference values of an independent implementation.

use std::path::PathBuf;

use catherd_analysis::stats::{
    Compat, Contingency, LinearFit, MannWhitney, SignedRank, benjamini_hochberg, friedman, holm,
    kruskal_wallis, pearson, spearman,
};
use serde::Deserialize;

/// The lines of a reference file beside the corpus.
fn lines<T: for<'de> Deserialize<'de>>(file: &str) -> Vec<T> {
    let corpus = std::env::var_os("CATHERD_CORPUS");
    let corpus = corpus.expect("CATHERD_CORPUS names the folder of the corpus");
    let path = PathBuf::from(corpus).join("../reference").join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let lines: Vec<T> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(!lines.is_empty(), "{} is empty", path.display());
    lines
}

#[track_caller]
fn close(line: usize, what: &str, found: f64, expected: f64) {
    let error = if expected == 0.0 { found.abs() } else { ((found - expected) / expected).abs() };
    assert!(error < 1e-9, "line {}: {what} is {found:e}, not {expected:e}", line + 1);
}

#[derive(Deserialize)]
struct TwoSamples {
    x: Vec<f64>,
    y: Vec<f64>,
    a12: f64,
    u1: f64,
    cliffs_delta: f64,
    p_exact: f64,
    p_asymptotic: f64,
    pearson_r: Option<f64>,
    pearson_p: Option<f64>,
    spearman_rho: Option<f64>,
}

#[test]
#[ignore = "needs CATHERD_CORPUS"]
fn two_samples() {
    for (line, case) in lines::<TwoSamples>("two_samples.jsonl").iter().enumerate() {
        let test = MannWhitney::new(&case.x, &case.y).unwrap();
        close(line, "A12", test.a12(), case.a12);
        close(line, "U1", test.u1(), case.u1);
        close(line, "Cliff's delta", test.cliffs_delta(), case.cliffs_delta);
        close(line, "the exact p", test.exact().value, case.p_exact);
        close(line, "the asymptotic p", test.asymptotic().value, case.p_asymptotic);
        if let Some(r) = case.pearson_r {
            close(line, "Pearson's r", pearson(&case.x, &case.y).unwrap().r, r);
        }
        if let Some(p) = case.pearson_p {
            close(line, "the p of Pearson's r", pearson(&case.x, &case.y).unwrap().p.value, p);
        }
        if let Some(rho) = case.spearman_rho {
            close(line, "Spearman's rho", spearman(&case.x, &case.y).unwrap().r, rho);
        }
    }
}

#[derive(Deserialize)]
struct ManySamples {
    blocks: Vec<Vec<f64>>,
    friedman: (f64, f64),
    kruskal: (f64, f64),
    wilcoxon_first_two: (f64, f64),
    p: Vec<f64>,
    holm: Vec<f64>,
    benjamini_hochberg: Vec<f64>,
}

#[test]
#[ignore = "needs CATHERD_CORPUS"]
fn many_samples() {
    for (line, case) in lines::<ManySamples>("many_samples.jsonl").iter().enumerate() {
        let columns: Vec<Vec<f64>> = (0..case.blocks[0].len())
            .map(|column| case.blocks.iter().map(|block| block[column]).collect())
            .collect();
        let q = friedman(&case.blocks).unwrap();
        close(line, "Friedman's statistic", q.statistic, case.friedman.0);
        close(line, "Friedman's p", q.p.value, case.friedman.1);
        let samples: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let h = kruskal_wallis(&samples).unwrap();
        close(line, "Kruskal and Wallis's statistic", h.statistic, case.kruskal.0);
        close(line, "Kruskal and Wallis's p", h.p.value, case.kruskal.1);
        // The reference drops zeros, corrects for ties and not for continuity.
        let w = SignedRank::new(&columns[0], &columns[1]).unwrap();
        close(line, "Wilcoxon's statistic", w.statistic(), case.wilcoxon_first_two.0);
        close(line, "Wilcoxon's p", w.asymptotic().value, case.wilcoxon_first_two.1);
        for (found, expected) in holm(&case.p).unwrap().iter().zip(&case.holm) {
            close(line, "Holm's p", *found, *expected);
        }
        let adjusted = benjamini_hochberg(&case.p).unwrap();
        for (found, expected) in adjusted.iter().zip(&case.benjamini_hochberg) {
            close(line, "Benjamini and Hochberg's p", *found, *expected);
        }
    }
}

/// A line of `golden.jsonl`: values of SciPy 1.17, but for the exact p-value of samples
/// with ties (an enumeration in whole numbers) and the p-value of Pearson's r (60 digits).
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
