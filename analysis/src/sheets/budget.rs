//! What time brings.

use super::comparison::{RESULT, result};
use super::{Sheet, label};
use crate::findings::{Convergence, Milestone};
use crate::stats::Description;
use crate::table::{Cell, Table};
use crate::tidy::{Clock, Results};

/// Each pair of algorithms after parts of the budget.
pub fn milestones(results: &Results, clock: &Clock, milestones: &[Milestone]) -> Sheet {
    let mut columns = vec![("first", "First"), ("second", "Second"), ("at", "Budget")];
    columns.extend(RESULT);
    let mut table = Table::new(&columns);
    for pair in 0..milestones.first().map_or(0, |m| m.comparisons.len()) {
        for milestone in milestones {
            let row = &milestone.comparisons[pair];
            let mut cells = vec![
                label(results, row.first),
                label(results, row.second),
                Cell::Count(milestone.at as usize),
            ];
            cells.extend(result(row));
            table.push_explained(cells, row.runs(&milestone.samples, |_| true));
        }
    }
    Sheet {
        name: "budget",
        title: "Pairs of algorithms by budget".to_owned(),
        caption: format!("What the comparison would be with a budget of so many {}.", clock.unit()),
        table,
    }
}

/// What it takes to reach shares of the final coverage.
pub fn convergence(results: &Results, clock: &Clock, rows: &[Convergence]) -> Sheet {
    let mut table = Table::new(&[
        ("algorithm", "Algorithm"),
        ("share", "Of the final coverage"),
        ("lower_quartile", "Lower quartile"),
        ("median", "Median"),
        ("upper_quartile", "Upper quartile"),
        ("mean", "Mean"),
        ("runs", "Runs"),
    ]);
    for row in rows {
        let of = |value: fn(&Description) -> f64| row.spent.as_ref().ok().map(value);
        let cells = vec![
            label(results, row.algorithm),
            Cell::Share(row.share, 0),
            Cell::number(of(|d| d.lower_quartile), 1),
            Cell::number(of(|d| d.median), 1),
            Cell::number(of(|d| d.upper_quartile), 1),
            Cell::number(of(|d| d.mean), 1),
            Cell::Count(row.runs.len()),
        ];
        table.push_explained(cells, row.runs.iter().copied());
    }
    Sheet {
        name: "convergence",
        title: "Convergence".to_owned(),
        caption: format!(
            "How many {} a run needs to reach a share of what it covers in the end.",
            clock.unit()
        ),
        table,
    }
}
