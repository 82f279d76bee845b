//! Runs without coverage, and skipped projects.

use super::{CaptionedTable, label};
use crate::findings::Missing;
use crate::table::{Cell, Table};
use crate::tidy::Results;

/// Runs without coverage and skipped projects, by cause.
pub fn missing(results: &Results) -> CaptionedTable {
    let missing = Missing::new(results);
    let mut table = Table::new(&[
        ("algorithm", "Algorithm"),
        ("cause", "Cause"),
        ("reason", "Reason"),
        ("runs", "Runs"),
        ("projects", "Projects"),
        ("example", "Example"),
    ]);
    for group in &missing.groups {
        let example = group.projects.first().map(|&project| results.projects[project].name.clone());
        let cells = vec![
            label(results, group.algorithm),
            Cell::Text(group.cause.label().to_owned()),
            group.reason.clone().map_or(Cell::Missing, Cell::Text),
            Cell::Count(group.count),
            Cell::Count(group.projects.len()),
            example.map_or(Cell::Missing, Cell::Text),
        ];
        table.push_with_runs(cells, group.runs.iter().copied());
    }
    for skipped in &missing.skipped {
        table.push(vec![
            Cell::Missing,
            Cell::Text("skipped".to_owned()),
            Cell::Text(skipped.reason.clone()),
            Cell::Missing,
            Cell::Count(1),
            Cell::Text(skipped.project.clone()),
        ]);
    }
    CaptionedTable {
        name: "missing",
        title: "Missing data".to_owned(),
        caption: format!(
            "{} of {} planned runs have a coverage. The others are missing and do not count as 0 %.",
            missing.covered, missing.planned
        ),
        table,
    }
}
