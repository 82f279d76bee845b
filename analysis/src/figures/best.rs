//! The best algorithm compared with the other algorithms.

use super::{Figure, range, sample_size};
use crate::figure::intervals::{self, Row};
use crate::figure::{Axis, truncated};
use crate::findings::Best;
use crate::terms::counted;
use crate::tidy::Results;

/// The difference in mean coverage between each algorithm and the best algorithm.
pub fn best(results: &Results, best: &Best) -> Option<Figure> {
    let name = |algorithm: usize| truncated(&results.algorithms[algorithm]);
    let label = |algorithm, mean: f64| format!("{}  {:.1} %", name(algorithm), mean * 100.0);
    let mut rows = vec![Row {
        label: label(best.algorithm, best.mean),
        series: results.series(best.algorithm),
        value: 0.0,
        interval: None,
    }];
    let selected = super::selected(results);
    let others = best.others.iter().filter(|other| selected[other.algorithm]);
    rows.extend(others.map(|other| Row {
        label: label(other.algorithm, other.mean),
        series: results.series(other.algorithm),
        value: -other.difference * 100.0,
        interval: other.interval.ok().map(|i| (-i.high * 100.0, -i.low * 100.0)),
    }));
    let ends = rows.iter().flat_map(|row| {
        let (low, high) = row.interval.unwrap_or((row.value, row.value));
        [low, row.value, high]
    });
    let (low, high) = range(ends)?;
    if best.others.is_empty() {
        return None;
    }
    let first = &results.algorithms[best.algorithm];
    let n = best.projects.len();
    let over = counted(n, "project");
    Some(Figure {
        name: "best".to_owned(),
        title: format!("Mean coverage compared with {first}"),
        caption: format!(
            "Mean over {over} of the difference from {first} in percentage points, with its \
             95 % bootstrap interval over projects; after the names, the mean coverage. An \
             interval that contains 0 (dashed) is compatible with no difference."
        ),
        svg: intervals::draw(
            Axis::round("Difference in mean coverage (percentage points)", low, high.max(0.0)),
            &rows,
            &sample_size(n, "project"),
        ),
    })
}
