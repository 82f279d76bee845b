//! Machines and repeated runs.

use super::Sheet;
use crate::findings::Machine;
use crate::stats::Description;
use crate::table::{Cell, Table};

/// How fast each machine ran programs, and whether runs that others have, too, came out the same.
pub fn machines(machines: &[Machine]) -> Sheet {
    let mut table = Table::new(&[
        ("machine", "Machine"),
        ("runs", "Runs"),
        ("lower_quartile", "Lower quartile"),
        ("median", "Median"),
        ("upper_quartile", "Upper quartile"),
        ("repeated", "Repeated runs"),
        ("agreeing", "that agree"),
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
            Cell::Count(row.agreeing.len()),
        ];
        table.push_explained(cells, row.runs.iter().copied());
        table.explain("repeated", row.repeated.iter().copied());
        table.explain("agreeing", row.agreeing.iter().copied());
    }
    Sheet {
        name: "machines",
        title: "Machines and repeated runs".to_owned(),
        caption: "Acceleration by machine. A repeated run stands in an earlier folder of the \
                  report, too; it agrees if its record is the same to the last bit."
            .to_owned(),
        table,
    }
}
