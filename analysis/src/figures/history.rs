//! Comparisons of this version with earlier versions.

use super::{Figure, range};
use crate::figure::Axis;
use crate::figure::intervals::{self, Row};
use crate::findings::VersionChange;
use crate::tidy::Results;

/// The differences in mean coverage between earlier versions and this version of each algorithm.
pub fn history(results: &Results, changes: &[VersionChange]) -> Option<Figure> {
    let mut rows = Vec::new();
    for (number, label) in results.algorithms.iter().enumerate() {
        let own = changes.iter().filter(|one| one.algorithm == *label);
        rows.extend(own.map(|one| Row {
            label: format!("{label}, {}", one.version),
            series: results.series(number),
            value: 100.0 * (one.old - one.new),
            interval: one.interval.ok().map(|i| (-100.0 * i.high, -100.0 * i.low)),
        }));
    }
    let ends = rows.iter().flat_map(|row| {
        let (low, high) = row.interval.unwrap_or((row.value, row.value));
        [low, row.value, high]
    });
    let (low, high) = range(ends)?;
    let projects = changes.iter().map(|one| one.projects).max()?;
    Some(Figure {
        name: "history".to_owned(),
        title: "Earlier versions".to_owned(),
        caption: "Mean coverage of an earlier version minus mean coverage of this version (dashed), over the projects \
                  of both, in percentage points, with its 95 % interval (Student's t over projects). To \
                  the left of the dashed line the earlier version covers less."
            .to_owned(),
        svg: intervals::draw(
            Axis::round("Difference from this version (percentage points)", low.min(0.0), high.max(0.0)),
            &rows,
            &super::sample_size(projects, "project"),
        ),
    })
}
