//! Test suites.

use super::{Sheet, label};
use crate::figures::alone;
use crate::findings::Suites;
use crate::stats::Description;
use crate::table::{Cell, Table};
use crate::tidy::Results;

/// Sizes of suites where coverage is equal.
pub fn suites(results: &Results) -> Sheet {
    let suites = Suites::new(results);
    let mut table = Table::new(&[
        ("algorithm", "Algorithm"),
        ("mean_events", "Mean events"),
        ("median_events", "Median"),
        ("removed_events", "Removed events"),
        ("mean_tests", "Tests"),
        ("mean_test_events", "Events of a test"),
        ("runs", "Runs"),
    ]);
    for row in &suites.sizes {
        let of = |value: fn(&Description) -> f64| row.events.as_ref().ok().map(value);
        let cells = vec![
            label(results, row.algorithm),
            Cell::number(of(|d| d.mean), 2),
            Cell::number(of(|d| d.median), 1),
            Cell::number(row.removed, 2),
            Cell::number(row.tests, 2),
            Cell::number(row.test_events, 2),
            Cell::Count(row.runs.len()),
        ];
        table.push_explained(cells, row.runs.iter().copied());
        let all = (0_u32..).zip(&results.runs);
        let own = all.filter(|(_, run)| run.algorithm as usize == row.algorithm);
        table.explain("mean_test_events", own.map(|(number, _)| number));
    }
    let effects: Vec<String> = suites
        .comparisons
        .iter()
        .filter(|pair| alone(results, pair.second))
        .filter_map(|pair| {
            let [first, second] = [pair.first, pair.second].map(|a| &results.algorithms[a]);
            Some(format!("{first} against {second} {:.2}", pair.mean_a12()?))
        })
        .collect();
    let effects = match &effects[..] {
        [] => String::new(),
        some => {
            format!(" Mean A12 of the number of events (below 1/2: smaller): {}.", some.join(", "))
        }
    };
    Sheet {
        name: "suites",
        title: "Sizes of test suites".to_owned(),
        caption: format!(
            "On the {} projects on which all algorithms cover the same; events of a test: on \
             all.{effects}",
            suites.projects.len()
        ),
        table,
    }
}
