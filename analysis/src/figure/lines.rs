//! Lines of several series, each with its label where it ends.

use super::axis::truncated;
use super::chart::{Chart, spread_labels};
use super::svg::{Anchor, Stroke, Svg};
use super::{Axis, style};

/// A line.
pub(crate) struct Series {
    /// Text beside the end of the line.
    pub(crate) label: String,
    /// The number of the series, which decides its colour, dashes and marker.
    pub(crate) number: usize,
    /// Points in ascending order of x.
    pub(crate) points: Vec<(f64, f64)>,
    /// The lower and the upper edge of a band around the line; both empty if there is none.
    pub(crate) band: [Vec<(f64, f64)>; 2],
}

impl Series {
    /// A line without a band.
    pub(crate) fn new(label: String, number: usize, points: Vec<(f64, f64)>) -> Series {
        Series { label, number, points, band: [Vec::new(), Vec::new()] }
    }
}

/// What a line chart shows besides its lines.
pub(crate) struct Options<'a> {
    /// Height of a dashed line for comparison.
    pub(crate) reference: Option<f64>,
    /// Whether points have markers.
    pub(crate) markers: bool,
    /// The line above the frame.
    pub(crate) subtitle: &'a str,
}

/// Draws the lines.
pub(crate) fn draw(x: Axis, y: Axis, series: &[Series], options: &Options<'_>) -> Svg {
    let labels: Vec<String> = series.iter().map(|s| s.label.clone()).collect();
    let (low, high) = x.ends();
    let size = if options.markers { (400.0, 280.0) } else { (430.0, 290.0) };
    let mut chart = Chart::new(x, y, size, &labels, options.subtitle);
    if let Some(value) = options.reference {
        chart.reference((low, value), (high, value));
    }
    for Series { number, band: [lower, upper], .. } in series {
        let outline: Vec<_> = lower.iter().chain(upper.iter().rev()).copied().collect();
        if !outline.is_empty() {
            chart.area(&outline, style(*number).fill(0.18), false);
        }
    }
    for Series { number, points, .. } in series {
        chart.line(points, style(*number), 1.8);
        for &point in points.iter().filter(|_| options.markers) {
            chart.marker(point, *number, 3.0, 1.0);
        }
    }
    label_ends(&mut chart, series, options.markers);
    chart.finish()
}

/// Writes the labels to the right of the frame in the order of the ends of the lines, moves them
/// apart where they would overlap, and connects them with their lines.
fn label_ends(chart: &mut Chart, series: &[Series], markers: bool) {
    let mut ends: Vec<((f64, f64), f64, &Series)> = series
        .iter()
        .filter_map(|s| {
            let last = *s.points.last()?;
            Some((chart.at(last), last.1, s))
        })
        .collect();
    ends.sort_by(|a, b| a.0.1.total_cmp(&b.0.1).then(b.1.total_cmp(&a.1)));
    let (_, top, right, bottom) = chart.bounds();
    let wanted: Vec<f64> = ends.iter().map(|end| end.0.1).collect();
    for ((at, _, series), y) in ends.into_iter().zip(spread_labels(&wanted, top, bottom)) {
        let style = style(series.number);
        if markers {
            let stroke = Stroke { width: 1.0, ..style.stroke(1.0) };
            chart.pixel_line(&[at, (right + 8.0, y)], stroke);
            chart.marker_key(series.number, (right + 14.0, y), 1.0);
            chart.text_at((right + 22.0, y + 4.0), &truncated(&series.label), Anchor::Start);
        } else {
            let bend = [at, (right + 6.0, at.1), (right + 14.0, y), (right + 34.0, y)];
            chart.pixel_line(&bend, style.stroke(1.8));
            chart.bold_text_at((right + 39.0, y + 4.0), &series.label);
        }
    }
}
