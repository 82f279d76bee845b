//! Scatter plots: points of several series, with lines.

use std::collections::BTreeSet;

use super::chart::Chart;
use super::svg::Svg;
use super::{Axis, style};

/// Points with one marker.
pub(crate) struct PointSet {
    /// The entry in the legend.
    pub(crate) label: String,
    /// The number of the series, which decides shape and colour.
    pub(crate) series: usize,
    /// Whether the markers are filled.
    pub(crate) filled: bool,
    pub(crate) points: Vec<(f64, f64)>,
}

impl PointSet {
    fn opacity(&self) -> f64 {
        if self.filled { 0.75 } else { 0.0 }
    }
}

/// What a scatter plot shows besides its points.
#[derive(Default)]
pub(crate) struct Annotations {
    /// Whether there is a dashed line on which both coordinates are equal.
    pub(crate) diagonal: bool,
    /// Straight lines: series and ends.
    pub(crate) lines: Vec<(usize, [(f64, f64); 2])>,
    /// A point marked by a star.
    pub(crate) star: Option<(f64, f64)>,
}

/// Draws the points.
pub(crate) fn draw(
    x: Axis,
    y: Axis,
    sets: &[PointSet],
    annotations: &Annotations,
    subtitle: &str,
) -> Svg {
    let labels: Vec<String> = sets.iter().map(|set| set.label.clone()).collect();
    let legend = if labels.iter().all(String::is_empty) { &[][..] } else { &labels[..] };
    let size = if annotations.diagonal { (310.0, 310.0) } else { (400.0, 290.0) };
    let mut chart = Chart::new(x, y, size, legend, subtitle);
    if annotations.diagonal {
        let (x, y) = chart.ends();
        let (low, high) = (x.0.max(y.0), x.1.min(y.1));
        chart.reference((low, low), (high, high));
    }
    for set in sets {
        // Points within half a pixel share a marker, so that files stay small.
        let mut drawn = BTreeSet::new();
        for &point in &set.points {
            let at = chart.at(point);
            if drawn.insert(((at.0 * 2.0).round() as i64, (at.1 * 2.0).round() as i64)) {
                chart.marker(point, set.series, 2.8, set.opacity());
            }
        }
    }
    for (series, ends) in &annotations.lines {
        chart.line(ends, style(*series), 1.8);
    }
    if let Some(star) = annotations.star {
        chart.star(star);
    }
    chart.legend(legend, |chart, number, place| {
        chart.marker_key(sets[number].series, place, sets[number].opacity());
    });
    chart.finish()
}
