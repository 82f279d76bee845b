//! Tables on acceleration, flakiness and cost.

use super::{CaptionedTable, count, label};
use crate::findings::{Cost, RealTime, RealTimeVerdict, Speed};
use crate::stats::Description;
use crate::table::{Cell, Table};
use crate::terms::capitalised;
use crate::tidy::Results;

/// The acceleration of each algorithm, and its counts of stable and flaky assertions.
pub fn speed(results: &Results, rows: &[Speed]) -> CaptionedTable {
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
        table.push_with_runs(cells, row.runs.iter().copied());
    }
    CaptionedTable {
        name: "speed",
        title: "Acceleration and flakiness".to_owned(),
        caption: "Acceleration: program time divided by the real time of each search, which \
                  includes the search algorithm and its fitness function. Searches of less than a \
                  millisecond are left out. Flaky assertions, which the suites list separately, \
                  may not hold in every execution."
            .to_owned(),
        table,
    }
}

/// The cost of each algorithm.
pub fn cost(results: &Results, real_time: Option<&RealTime>) -> CaptionedTable {
    let units = &results.subject.units;
    let mut columns = vec![
        ("algorithm".to_owned(), "Algorithm".to_owned()),
        ("core_hours".to_owned(), "Core-hours".to_owned()),
        ("search_hours".to_owned(), "Core-hours of search".to_owned()),
    ];
    columns.extend(units.iter().map(|u| (u.name.clone(), capitalised(&u.plural))));
    let unit = units.first().map_or("unit", |unit| &unit.singular);
    columns.extend([
        ("ms_per_unit".to_owned(), format!("ms per {unit}")),
        ("unknown".to_owned(), "Runs of unknown time".to_owned()),
        ("runs".to_owned(), "Runs".to_owned()),
    ]);
    let mut table = Table::new(&columns);
    let costs = Cost::all(results);
    let hours: f64 = costs.iter().filter_map(|row| row.core_hours).sum();
    for row in costs {
        let mut cells = vec![
            label(results, row.algorithm),
            Cell::number(row.core_hours, 3),
            Cell::number(row.search_hours, 3),
        ];
        cells.extend(row.work.iter().map(|&work| count(work)));
        cells.extend([
            Cell::number(row.ms_per_unit, 3),
            Cell::Count(row.unknown),
            Cell::Count(row.runs.len()),
        ]);
        table.push_with_runs(cells, row.runs);
    }
    CaptionedTable {
        name: "cost",
        title: "Cost".to_owned(),
        caption: format!(
            "Real time of all runs, failed ones included{}. Total: {hours:.3} core-hours.",
            match real_time.map(|found| found.verdict) {
                None | Some(RealTimeVerdict::NoneFound) => "; each run counts as one core",
                // The table has a separate sentence about this verdict.
                Some(RealTimeVerdict::Disturbed | RealTimeVerdict::Unknown) => "",
            }
        ),
        table,
    }
}
