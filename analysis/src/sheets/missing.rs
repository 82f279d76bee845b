//! What is missing.

use super::{Sheet, label};
use crate::findings::Missing;
use crate::table::{Cell, Table};
use crate::tidy::Results;

/// What is missing, and why.
pub fn missing(results: &Results) -> Sheet {
    let missing = Missing::new(results);
    let mut table = Table::new(&[
        ("algorithm", "Algorithm"),
        ("cause", "Cause"),
        ("reason", "Reason"),
        ("runs", "Runs"),
        ("projects", "Projects"),
        ("example", "Such as"),
    ]);
    for gap in &missing.gaps {
        let example = gap.projects.first().map(|&project| results.projects[project].name.clone());
        let cells = vec![
            label(results, gap.algorithm),
            Cell::Text(gap.cause.words().to_owned()),
            gap.reason.clone().map_or(Cell::Missing, Cell::Text),
            Cell::Count(gap.count),
            Cell::Count(gap.projects.len()),
            example.map_or(Cell::Missing, Cell::Text),
        ];
        table.push_explained(cells, gap.runs.iter().copied());
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
    Sheet {
        name: "missing",
        title: "Missing data".to_owned(),
        caption: format!(
            "{} of {} runs have a coverage. The others are missing, not 0 %.",
            missing.covered, missing.planned
        ),
        table,
    }
}
