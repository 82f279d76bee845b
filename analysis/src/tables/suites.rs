//! Sizes of test suites.

use super::{CaptionedTable, label};
use crate::figures::shown_individually;
use crate::findings::Suites;
use crate::stats::Description;
use crate::table::{Cell, Table};
use crate::terms::{capitalised, counted};
use crate::tidy::Results;

/// Sizes of suites on projects on which all algorithms have the same mean coverage.
pub fn suites(results: &Results) -> CaptionedTable {
    let suites = Suites::new(results);
    let units = &results.subject.suite_unit.plural;
    let mut table = Table::new(&[
        ("algorithm", "Algorithm"),
        ("mean_size", &format!("Mean {units}")),
        ("median_size", &format!("Median {units}")),
        ("mean_removed", &format!("Removed {units}")),
        ("mean_tests", "Mean tests"),
        ("median_tests", "Median tests"),
        ("mean_test_size", &format!("{} per test", capitalised(units))),
        ("runs", "Runs"),
    ]);
    for row in &suites.sizes {
        let of = |value: fn(&Description) -> f64| row.size.as_ref().ok().map(value);
        let cells = vec![
            label(results, row.algorithm),
            Cell::number(of(|d| d.mean), 2),
            Cell::number(of(|d| d.median), 1),
            Cell::number(row.removed, 2),
            Cell::number(row.tests.as_ref().ok().map(|d| d.mean), 2),
            Cell::number(row.tests.as_ref().ok().map(|d| d.median), 1),
            Cell::number(row.test_size, 2),
            Cell::Count(row.runs.len()),
        ];
        table.push_with_runs(cells, row.runs.iter().copied());
        let all = (0_u32..).zip(&results.runs);
        let own = all.filter(|(_, run)| run.algorithm as usize == row.algorithm);
        table.set_source_runs("mean_test_size", own.map(|(number, _)| number));
    }
    let effects: Vec<String> = suites
        .comparisons
        .iter()
        .filter(|pair| shown_individually(results, pair.second))
        .filter_map(|pair| {
            let [first, second] = [pair.first, pair.second].map(|a| &results.algorithms[a]);
            Some(format!("{first} against {second} {:.2}", pair.mean_a12()?))
        })
        .collect();
    let effects = match effects.is_empty() {
        true => String::new(),
        false => format!(
            " Mean A12 of the number of {units} (below 0.5: the first has smaller suites): {}.",
            effects.join(", ")
        ),
    };
    CaptionedTable {
        name: "suites",
        title: "Sizes of test suites".to_owned(),
        caption: format!(
            "Final suites on the {} on which all algorithms have the same mean coverage; \
             {units} per test: on all projects. Removed: by minimisation.{effects}",
            counted(suites.projects.len(), "project")
        ),
        table,
    }
}
