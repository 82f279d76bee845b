//! Machines and repeated runs.

use super::CaptionedTable;
use crate::findings::Machine;
use crate::stats::Description;
use crate::table::{Cell, Table};

/// The acceleration of each machine, and the number of its repeated runs with identical records.
pub fn machines(machines: &[Machine]) -> CaptionedTable {
    let mut table = Table::new(&[
        ("machine", "Machine"),
        ("runs", "Runs"),
        ("lower_quartile", "Lower quartile"),
        ("median", "Median"),
        ("upper_quartile", "Upper quartile"),
        ("repeated", "Repeated runs"),
        ("identical", "Identical"),
    ]);
    for row in machines {
        let of = |value: fn(&Description) -> f64| row.factor.as_ref().ok().map(value);
        let cells = vec![
            Cell::Text(row.host.clone()),
            Cell::Count(row.runs.len()),
            Cell::number(of(|d| d.lower_quartile), 1),
            Cell::number(of(|d| d.median), 1),
            Cell::number(of(|d| d.upper_quartile), 1),
            Cell::Count(row.repeated.len()),
            Cell::Count(row.identical.len()),
        ];
        table.push_with_runs(cells, row.runs.iter().copied());
        table.set_source_runs("repeated", row.repeated.iter().copied());
        table.set_source_runs("identical", row.identical.iter().copied());
    }
    CaptionedTable {
        name: "machines",
        title: "Machines and repeated runs".to_owned(),
        caption: "Acceleration: program time divided by the real time of each search. A repeated \
                  run is also in an earlier folder of the report; it is identical if both \
                  records have the same digest."
            .to_owned(),
        table,
    }
}
