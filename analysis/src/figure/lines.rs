//! Lines of several series, each named where it ends.

use super::chart::{Axis, Chart, short, style};
use super::spread;

/// A line.
pub(crate) struct Series {
    /// Its name.
    pub(crate) label: String,
    /// Its number, which decides colour, dashes and marker.
    pub(crate) number: usize,
    /// (x, y), ascending.
    pub(crate) points: Vec<(f64, f64)>,
}

/// Draws lines, and a dashed line at `reference`.
pub(crate) fn draw(
    x: Axis,
    y: Axis,
    series: &[Series],
    reference: Option<f64>,
    note: &str,
) -> String {
    let labels: Vec<String> = series.iter().map(|s| s.label.clone()).collect();
    let (low, high) = x.ends();
    let mut chart = Chart::new(x, y, (400.0, 280.0), &labels, note);
    if let Some(value) = reference {
        chart.reference((low, value), (high, value));
    }
    for Series { number, points, .. } in series {
        chart.line(points, style(*number), 1.8);
        for &point in points {
            chart.marker(point, *number, 3.0, 1.0);
        }
    }
    let mut ends: Vec<(f64, (f64, f64), &Series)> = series
        .iter()
        .filter_map(|s| {
            let at = chart.at(*s.points.last()?);
            Some((at.1, at, s))
        })
        .collect();
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (_, top, right, bottom) = chart.bounds();
    let places = spread(&ends.iter().map(|end| end.0).collect::<Vec<_>>(), top, bottom);
    for ((_, at, series), place) in ends.into_iter().zip(places) {
        let colour = style(series.number).colour;
        chart.rule(at, (right + 8.0, place), colour, 1.0, style(series.number).dashes);
        chart.marker_key(series.number, (right + 14.0, place), 1.0);
        chart.words((right + 22.0, place + 4.0), &short(&series.label), false);
    }
    chart.svg()
}
