//! Detection of known faults.

use super::{CaptionedTable, label};
use crate::figures::selected;
use crate::findings::Detection;
use crate::table::{Cell, Table};
use crate::tidy::Results;

/// The share of runs whose suite detects a fault, with a column for each algorithm (Elyasaf et al.,
/// Table III).
pub fn detection(results: &Results, all: &[Detection]) -> CaptionedTable {
    let selected = selected(results);
    let shown: Vec<usize> = (0..selected.len()).filter(|&algorithm| selected[algorithm]).collect();
    let names: Vec<&String> =
        shown.iter().map(|&algorithm| &results.algorithms[algorithm]).collect();
    let mut columns: Vec<(String, String)> =
        [("project", "Project"), ("fault", "Fault"), ("rule", "Rule")]
            .map(|(name, title)| (name.to_owned(), title.to_owned()))
            .into();
    columns.extend(names.iter().map(|&label| (label.clone(), label.clone())));
    let mut table = Table::new(&columns);
    let same = |a: &Detection, b: &Detection| {
        (a.project, &a.rule, &a.fault) == (b.project, &b.rule, &b.fault)
    };
    for row in all.chunk_by(same) {
        let mut cells = vec![
            Cell::Text(results.projects[row[0].project].name.clone()),
            Cell::Text(row[0].fault.clone()),
            Cell::Text(row[0].rule.clone()),
        ];
        let of = |algorithm: usize| row.iter().find(|one| one.algorithm == algorithm);
        cells.extend(shown.iter().map(|&a| Cell::share(of(a).map(Detection::share), 1)));
        table.push_with_runs(cells, row.iter().flat_map(|one| one.runs.iter().copied()));
        for one in row.iter().filter(|one| selected[one.algorithm]) {
            table.set_source_runs(&results.algorithms[one.algorithm], one.runs.iter().copied());
        }
    }
    let left_out = match results.algorithms.len() - shown.len() {
        0 => String::new(),
        n => format!(
            " Shown: the first algorithm and those with the highest coverage; {n} more are in the table \
             of intervals."
        ),
    };
    CaptionedTable {
        name: "detection",
        title: "Detection of known faults".to_owned(),
        caption: format!(
            "Share of runs whose suite has a test that detects the fault by the rule: trigger, the \
             events of the fault one directly after the other; trigger-subsequence, in this order; \
             replay, the faulty system fails the test.{left_out}"
        ),
        table,
    }
}

/// The share of runs whose suite detects a fault, with intervals and tests, and a row for each
/// algorithm.
pub fn detection_intervals(results: &Results, all: &[Detection]) -> CaptionedTable {
    let mut table = Table::new(&[
        ("project", "Project"),
        ("fault", "Fault"),
        ("rule", "Rule"),
        ("algorithm", "Algorithm"),
        ("runs", "Runs"),
        ("share", "Share"),
        ("low", "Low"),
        ("high", "High"),
        ("p", "p"),
        ("p_holm", "p (Holm)"),
    ]);
    for one in all {
        let cells = vec![
            Cell::Text(results.projects[one.project].name.clone()),
            Cell::Text(one.fault.clone()),
            Cell::Text(one.rule.clone()),
            label(results, one.algorithm),
            Cell::Count(one.runs.len()),
            Cell::Share(one.share(), 1),
            Cell::share(one.interval.map(|interval| interval.low), 1),
            Cell::share(one.interval.map(|interval| interval.high), 1),
            Cell::number(one.p, 4),
            Cell::number(one.adjusted, 4),
        ];
        table.push_with_runs(cells, one.runs.iter().copied());
    }
    CaptionedTable {
        name: "detection-intervals",
        title: "Detection of known faults with intervals".to_owned(),
        caption: "Low and high: Wilson's interval (1927) at 95 %. p: Fisher's exact test against the first \
                  algorithm; Holm: adjusted over the faults of all projects for the same algorithm and rule."
            .to_owned(),
        table,
    }
}
