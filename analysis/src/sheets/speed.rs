//! Time: what it bought, and what it cost.

use super::{Sheet, label};
use crate::findings::{Cost, Speed};
use crate::stats::Description;
use crate::table::{Cell, Table};
use crate::tidy::Results;

/// How much faster than in Scratch programs ran, and how many assertions were flaky.
pub fn speed(results: &Results, rows: &[Speed]) -> Sheet {
    let mut table = Table::new(&[
        ("algorithm", "Algorithm"),
        ("lower_quartile", "Lower quartile"),
        ("median", "Median"),
        ("upper_quartile", "Upper quartile"),
        ("assertions", "Stable assertions"),
        ("flaky", "Flaky assertions"),
        ("flaky_share", "Flaky"),
        ("runs", "Runs"),
    ]);
    let count = |n: Option<u64>| n.map_or(Cell::Missing, |n| Cell::Count(n as usize));
    for row in rows {
        let of = |value: fn(&Description) -> f64| row.factor.as_ref().ok().map(value);
        let share = row.assertions.zip(row.flaky).and_then(|(stable, flaky)| {
            (stable + flaky > 0).then(|| flaky as f64 / (stable + flaky) as f64)
        });
        let cells = vec![
            label(results, row.algorithm),
            Cell::number(of(|d| d.lower_quartile), 1),
            Cell::number(of(|d| d.median), 1),
            Cell::number(of(|d| d.upper_quartile), 1),
            count(row.assertions),
            count(row.flaky),
            Cell::share(share, 3),
            Cell::Count(row.runs.len()),
        ];
        table.push_explained(cells, row.runs.iter().copied());
    }
    Sheet {
        name: "speed",
        title: "Acceleration and flakiness".to_owned(),
        caption: "Program time over real time of each search, where Scratch is at 1: machine, \
                  search and fitness together; searches of less than a millisecond are left out. \
                  Flaky assertions did not hold each time that \
                  their test was executed again, and are not in the suites."
            .to_owned(),
        table,
    }
}

/// What each algorithm cost.
pub fn cost(results: &Results) -> Sheet {
    let mut table = Table::new(&[
        ("algorithm", "Algorithm"),
        ("core_hours", "Core-hours"),
        ("search_hours", "of them search"),
        ("executions", "Executions"),
        ("steps", "Steps"),
        ("execution_ms", "ms an execution"),
        ("unknown", "Runs of unknown time"),
        ("runs", "Runs"),
    ]);
    let count = |n: Option<u64>| n.map_or(Cell::Missing, |n| Cell::Count(n as usize));
    let costs = Cost::all(results);
    let hours: f64 = costs.iter().filter_map(|row| row.core_hours).sum();
    for row in costs {
        let cells = vec![
            label(results, row.algorithm),
            Cell::number(row.core_hours, 3),
            Cell::number(row.search_hours, 3),
            count(row.executions),
            count(row.steps),
            Cell::number(row.execution_ms, 3),
            Cell::Count(row.unknown),
            Cell::Count(row.runs.len()),
        ];
        table.push_explained(cells, row.runs);
    }
    Sheet {
        name: "cost",
        title: "Cost".to_owned(),
        caption: format!(
            "Real time of runs, each on a core of its own; failed runs included. {hours:.3} \
             core-hours in all."
        ),
        table,
    }
}
