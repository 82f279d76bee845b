//! Lines of several series, each labelled at its end.

use super::axis::truncated;
use super::chart::{Chart, spread_labels};
use super::layout::{Layout, Width};
use super::svg::{Anchor, Svg};
use super::{Axis, Series};

/// A line.
pub(crate) struct Line {
    pub(crate) label: String,
    pub(crate) series: Series,
    /// Points in ascending order of x.
    pub(crate) points: Vec<(f64, f64)>,
    /// The lower and the upper edge of a band around the line; both empty if there is none.
    pub(crate) band: [Vec<(f64, f64)>; 2],
}

impl Line {
    /// A line without a band.
    pub(crate) fn new(label: String, series: Series, points: Vec<(f64, f64)>) -> Line {
        Line { label, series, points, band: [Vec::new(), Vec::new()] }
    }
}

/// Draws curves with bands in a page's width, each labelled at its end.
pub(crate) fn curves(x: Axis, y: Axis, lines: &[Line], subtitle: &str) -> Svg {
    let labels: Vec<String> = lines.iter().map(|line| line.label.clone()).collect();
    let layout = Layout { right: &labels, ..Layout::new(Width::Page, 260.0, subtitle) };
    let mut chart = Chart::new(x, y, &layout);
    for Line { series, band: [lower, upper], .. } in lines {
        let outline: Vec<_> = lower.iter().chain(upper.iter().rev()).copied().collect();
        if !outline.is_empty() {
            chart.area(&outline, series.style().fill(0.18), false);
        }
    }
    for Line { series, points, .. } in lines {
        chart.line(points, series.style(), 1.8);
    }
    label_ends(&mut chart, lines);
    chart.finish()
}

/// Draws lines with markers at their points in a column's width, and a dashed line at `reference`.
pub(crate) fn marked(
    x: Axis,
    y: Axis,
    lines: &[Line],
    reference: Option<f64>,
    subtitle: &str,
) -> Svg {
    let labels: Vec<String> = lines.iter().map(|line| line.label.clone()).collect();
    let (low, high) = x.ends();
    let layout = Layout { legend: &labels, ..Layout::new(Width::Column, 200.0, subtitle) };
    let mut chart = Chart::new(x, y, &layout);
    if let Some(value) = reference {
        chart.reference((low, value), (high, value));
    }
    for Line { series, points, .. } in lines {
        chart.line(points, series.style(), 1.8);
        for &point in points {
            chart.marker(point, *series, 3.0, 1.0);
        }
    }
    chart.legend(&labels, |chart, number, place| chart.line_key(lines[number].series, place));
    chart.finish()
}

/// Writes the labels to the right of the frame in the order of the ends of their lines, moves them
/// apart where they would overlap, and connects them with the ends.
fn label_ends(chart: &mut Chart, lines: &[Line]) {
    let mut ends: Vec<((f64, f64), f64, &Line)> = lines
        .iter()
        .filter_map(|line| {
            let last = *line.points.last()?;
            Some((chart.at(last), last.1, line))
        })
        .collect();
    ends.sort_by(|a, b| a.0.1.total_cmp(&b.0.1).then(b.1.total_cmp(&a.1)));
    let (_, top, right, bottom) = chart.bounds();
    let wanted: Vec<f64> = ends.iter().map(|end| end.0.1).collect();
    for ((at, _, line), y) in ends.into_iter().zip(spread_labels(&wanted, top, bottom)) {
        let bend = [at, (right + 6.0, at.1), (right + 14.0, y), (right + 34.0, y)];
        chart.pixel_line(&bend, line.series.style().stroke(1.8));
        chart.text_at((right + 39.0, y + 4.0), &truncated(&line.label), Anchor::Start);
    }
}
