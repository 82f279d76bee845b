//! Comparisons of a version of a tool with earlier versions.

use super::CaptionedTable;
use crate::findings::{MARGIN, VersionChange};
use crate::table::{Cell, Table};

/// Each algorithm compared with the same algorithm in earlier studies.
pub fn history(changes: &[VersionChange]) -> CaptionedTable {
    let mut table = Table::new(&[
        ("version", "Against"),
        ("algorithm", "Algorithm"),
        ("change", "Change"),
        ("projects", "Projects"),
        ("old", "Mean then"),
        ("new", "Mean now"),
        ("difference", "Difference"),
        ("low", "from"),
        ("high", "to"),
        ("noise", "Noise"),
    ]);
    for one in changes {
        let points = |share: f64| 100.0 * share;
        let cells = vec![
            Cell::Text(one.version.clone()),
            Cell::Text(one.algorithm.clone()),
            Cell::Text(one.change().name().to_owned()),
            Cell::Count(one.projects),
            Cell::Share(one.old, 2),
            Cell::Share(one.new, 2),
            Cell::Number(points(one.new - one.old), 2),
            Cell::number(one.interval.ok().map(|i| points(i.low)), 2),
            Cell::number(one.interval.ok().map(|i| points(i.high)), 2),
            Cell::number(one.noise.map(points), 2),
        ];
        table.push_with_runs(cells, one.runs.iter().copied());
    }
    CaptionedTable {
        name: "history",
        title: "This version against earlier ones".to_owned(),
        caption: format!(
            "Mean coverage over the projects of both studies, and the difference in percentage points with \
             its 95 % interval (Student's t over projects). Noise: half the width of the same interval for \
             the odd against the even runs of the earlier study, which do not differ (an A/A test). Better and worse: the \
             difference is larger than the noise and than {} percentage point. The runs of a number are those of \
             this version.",
            100.0 * MARGIN
        ),
        table,
    }
}
