//! Ranks of suites, their relation to detection, and the stability of risk estimates.

use super::{CaptionedTable, label};
use crate::findings::{RankDetection, RiskStability, SuiteRank};
use crate::table::{Cell, Table};
use crate::tidy::Results;

/// Ranks of suites by project, criterion and algorithm (Elyasaf et al., Table IV).
pub fn suite_ranks(results: &Results, ranks: &[SuiteRank]) -> CaptionedTable {
    let mut table = Table::new(&[
        ("project", "Project"),
        ("criterion", "Criterion"),
        ("use", "Use"),
        ("algorithm", "Algorithm"),
        ("size", "Tests"),
        ("runs", "Runs"),
        ("maximum", "Max. rank"),
        ("mean", "Mean rank"),
        ("low", "Low"),
        ("high", "High"),
        ("of_reachable", "Of reachable"),
        ("search_ms", "ms"),
    ]);
    for rank in ranks {
        let of_reachable =
            rank.reachable.filter(|&reachable| reachable > 0.0).map(|all| rank.ranks.mean / all);
        let cells = vec![
            Cell::Text(results.projects[rank.project].name.clone()),
            Cell::Text(rank.criterion.clone()),
            Cell::Text(if rank.optimised { "optimised" } else { "measured" }.to_owned()),
            label(results, rank.algorithm),
            rank.size.map_or(Cell::Missing, |size| Cell::Count(size as usize)),
            Cell::Count(rank.runs.len()),
            Cell::Number(rank.ranks.maximum, 0),
            Cell::Number(rank.ranks.mean, 2),
            Cell::number(rank.interval.map(|interval| interval.low), 2),
            Cell::number(rank.interval.map(|interval| interval.high), 2),
            Cell::share(of_reachable, 1),
            Cell::number(rank.search_ms, 2),
        ];
        table.push_with_runs(cells, rank.runs.iter().copied());
    }
    CaptionedTable {
        name: "suite-ranks",
        title: "Ranks of suites".to_owned(),
        caption: "Rank: number or total weight of the items of a criterion that a suite covers. \
                  Optimised: the criterion of the search; measured: another one. Low and high: \
                  bootstrap interval of the mean at 95 %. Of reachable: mean rank divided by the rank \
                  of all items that some trace covers. ms: mean time of the search in milliseconds."
            .to_owned(),
        table,
    }
}

/// The correlation between the rank of a suite and detection.
pub fn rank_detection(results: &Results, all: &[RankDetection]) -> CaptionedTable {
    let mut table = Table::new(&[
        ("project", "Project"),
        ("fault", "Fault and rule"),
        ("size", "Tests"),
        ("criterion", "Criterion"),
        ("runs", "Runs"),
        ("spearman", "Spearman"),
        ("p", "p"),
    ]);
    for one in all.iter().filter(|one| one.correlation.is_some()) {
        let cells = vec![
            Cell::Text(results.projects[one.project].name.clone()),
            Cell::Text(one.fault.clone()),
            Cell::Count(one.size as usize),
            Cell::Text(one.criterion.clone()),
            Cell::Count(one.runs.len()),
            Cell::number(one.correlation.map(|correlation| correlation.r), 3),
            Cell::number(one.correlation.map(|correlation| correlation.p.value), 4),
        ];
        table.push_with_runs(cells, one.runs.iter().copied());
    }
    CaptionedTable {
        name: "rank-detection",
        title: "Rank against detection".to_owned(),
        caption: format!(
            "Spearman's correlation between a suite's rank by a measured criterion and detection of \
             the fault, over suites of the same size by all algorithms, from at least ten runs. Rows \
             without a correlation, because all ranks are equal, or all or no suites detect the \
             fault: {} of {}.",
            all.iter().filter(|one| one.correlation.is_none()).count(),
            all.len()
        ),
        table,
    }
}

/// Variances of risk estimates after at most a fifth of the tests and after all tests.
pub fn risk_stability(results: &Results, all: &[RiskStability]) -> CaptionedTable {
    let mut table = Table::new(&[
        ("project", "Project"),
        ("algorithm", "Algorithm"),
        ("runs", "Runs"),
        ("kept", "Kept items"),
        ("early_tests", "Tests before"),
        ("early_maximum", "Max. variance before"),
        ("tests", "Tests"),
        ("maximum", "Max. variance"),
        ("p90", "90th percentile"),
        ("median", "Median"),
        ("ratio", "Ratio"),
    ]);
    for one in all {
        let Some(last) = one.variances.last() else { continue };
        let early = one.variances.iter().rev().find(|early| early.tests * 5 <= last.tests);
        let variance = |value: Option<f64>| Cell::number(value, 8);
        let cells = vec![
            Cell::Text(results.projects[one.project].name.clone()),
            label(results, one.algorithm),
            Cell::Count(one.runs.len()),
            Cell::number(one.kept, 1),
            early.map_or(Cell::Missing, |early| Cell::Count(early.tests as usize)),
            variance(early.map(|early| early.largest)),
            Cell::Count(last.tests as usize),
            variance(Some(last.largest)),
            variance(last.p90),
            variance(last.median),
            Cell::number(early.map(|early| last.largest / early.largest), 3),
        ];
        table.push_with_runs(cells, one.runs.iter().copied());
    }
    CaptionedTable {
        name: "risk-stability",
        title: "Stability of risk estimates".to_owned(),
        caption: "Variances of the estimates of the items that enough tests cover in the end, means \
                  over runs: after all tests, and earlier, after at most a fifth of them. Ratio: the \
                  largest variance divided by the earlier one."
            .to_owned(),
        table,
    }
}
