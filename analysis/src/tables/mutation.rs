//! The table of mutation analysis.

use super::{CaptionedTable, label};
use crate::findings::MutationAnalysis;
use crate::stats::{Description, mean};
use crate::table::{Cell, Table};
use crate::tidy::Results;

/// Mutation scores of each algorithm, for all operators together and for each operator.
pub fn mutation(results: &Results, analysis: &MutationAnalysis) -> CaptionedTable {
    let mut table = Table::new(&[
        ("algorithm", "Algorithm"),
        ("operator", "Operator"),
        ("mutants", "Mutants"),
        ("killed", "Killed"),
        ("score", "Score"),
        ("median", "Median of runs"),
        ("mean", "Mean of runs"),
        ("false_positives", "False positives"),
        ("runs", "Runs"),
    ]);
    for row in &analysis.scores {
        let of = |value: fn(&Description) -> f64| row.summary.as_ref().ok().map(value);
        let operator = row.operator.map_or("all", |operator| &analysis.operators[operator]);
        let failing =
            mean(row.runs.iter().filter_map(|&run| analysis.false_positives[run as usize]));
        let cells = vec![
            label(results, row.algorithm),
            Cell::Text(operator.to_owned()),
            Cell::Count(row.mutants),
            Cell::Count(row.killed),
            Cell::share((row.mutants > 0).then(|| row.killed as f64 / row.mutants as f64), 2),
            Cell::share(of(|d| d.median), 2),
            Cell::share(of(|d| d.mean), 2),
            Cell::share(failing.filter(|_| row.operator.is_none()), 2),
            Cell::Count(row.runs.len()),
        ];
        table.push_with_runs(cells, row.runs.iter().copied());
    }
    CaptionedTable {
        name: "mutation",
        title: "Mutation scores".to_owned(),
        caption: "Score: share of the mutants of all runs that the suites kill. False positives: \
                  mean share of the tests of a suite that fail on the unchanged project; they are \
                  not executed on mutants."
            .to_owned(),
        table,
    }
}
