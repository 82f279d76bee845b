//! The table of A/A tests.

use super::comparison::{RESULT, result_rows};
use super::{CaptionedTable, label};
use crate::comparison::LEVEL;
use crate::findings::AaTest;
use crate::stats::runs_needed;
use crate::table::{Cell, Table};
use crate::tidy::Results;

/// Each algorithm compared with itself, with the first columns of Table 6 of the Whisker paper.
pub fn aa_test(results: &Results, aa_tests: &[AaTest]) -> CaptionedTable {
    let mut columns = vec![("algorithm", "Algorithm")];
    columns.extend(RESULT);
    columns.extend([("false_positive_rate", "False positives"), ("too_few_runs", "Too few runs")]);
    let mut table = Table::new(&columns);
    let rows = result_rows(aa_tests.iter().map(|test| &test.comparison));
    for (test, result) in aa_tests.iter().zip(rows) {
        let comparison = &test.comparison;
        let mut cells = vec![label(results, test.algorithm)];
        cells.extend(result);
        cells.extend([
            Cell::share(test.false_positive_rate(), 1),
            Cell::Count(comparison.too_few_runs()),
        ]);
        table.push_with_runs(cells, comparison.runs(&test.samples, |_| true));
    }
    let few = match aa_tests.iter().all(|test| test.false_positive_rate().is_none()) {
        true if !aa_tests.is_empty() => format!(
            " No project has enough runs for a significant difference between halves: {} runs of \
             an algorithm are needed.",
            2 * runs_needed(LEVEL)
        ),
        _ => String::new(),
    };
    CaptionedTable {
        name: "aa-test",
        title: "Algorithms against themselves".to_owned(),
        caption: format!(
            "A/A test: on each project, every second run of an algorithm against its other runs. \
             The expected A12 is 0.50, and the expected share of projects with a significant \
             difference (false positives), among those with enough runs for one, is at most \
             {:.0} %. If a larger share of projects differs significantly between two algorithms, \
             chance is an unlikely explanation.{few}",
            LEVEL * 100.0
        ),
        table,
    }
}
