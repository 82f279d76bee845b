//! Scatter plots: points of several series, with lines through them.

use super::chart::{Axis, Chart, style};

/// Points that look alike.
pub(crate) struct Cloud {
    /// The name in the legend.
    pub(crate) label: String,
    /// The series, which decides shape and colour.
    pub(crate) series: usize,
    /// Whether the points are filled.
    pub(crate) filled: bool,
    /// (x, y).
    pub(crate) points: Vec<(f64, f64)>,
}

/// What else a scatter plot shows.
#[derive(Default)]
pub(crate) struct Extras {
    /// A dashed line on which both coordinates are the same.
    pub(crate) diagonal: bool,
    /// Straight lines: series, ends.
    pub(crate) lines: Vec<(usize, [(f64, f64); 2])>,
    /// A point of interest.
    pub(crate) star: Option<(f64, f64)>,
}

/// Draws points.
pub(crate) fn draw(x: Axis, y: Axis, clouds: &[Cloud], extras: &Extras, note: &str) -> String {
    let labels: Vec<String> = clouds.iter().map(|cloud| cloud.label.clone()).collect();
    let legend = if labels.iter().all(String::is_empty) { &[][..] } else { &labels[..] };
    let ends = (x.ends(), y.ends());
    let size = if extras.diagonal { (310.0, 310.0) } else { (400.0, 290.0) };
    let mut chart = Chart::new(x, y, size, legend, note);
    if extras.diagonal {
        let low = ends.0.0.max(ends.1.0);
        let high = ends.0.1.min(ends.1.1);
        chart.reference((low, low), (high, high));
    }
    for cloud in clouds {
        // Points on one pixel are one.
        let mut seen = std::collections::BTreeSet::new();
        for &point in &cloud.points {
            let at = chart.at(point);
            if seen.insert(((at.0 * 2.0).round() as i64, (at.1 * 2.0).round() as i64)) {
                chart.marker(point, cloud.series, 2.8, opacity(cloud));
            }
        }
    }
    for (series, ends) in &extras.lines {
        chart.line(ends, style(*series), 1.8);
    }
    if let Some(star) = extras.star {
        chart.star(star);
    }
    chart.legend(legend, |chart, number, place| {
        chart.marker_key(clouds[number].series, place, opacity(&clouds[number]));
    });
    chart.svg()
}

fn opacity(cloud: &Cloud) -> f64 {
    if cloud.filled { 0.75 } else { 0.0 }
}
