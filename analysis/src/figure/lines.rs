//! Lines of several series, labelled at their ends or in a legend.

use super::axis::truncated;
use super::chart::{Chart, spread_labels};
use super::layout::{Layout, Width};
use super::svg::{Anchor, Stroke, Svg};
use super::{Axis, Series, three_digits};

const CONNECTION: &str = "#888888";

pub(crate) struct Line {
    pub(crate) label: String,
    pub(crate) series: Series,
    /// Points in ascending order of x.
    pub(crate) points: Vec<(f64, f64)>,
    /// Lower and upper edge; both are empty if there is no band.
    pub(crate) band: [Vec<(f64, f64)>; 2],
}

impl Line {
    pub(crate) fn new(label: String, series: Series, points: Vec<(f64, f64)>) -> Line {
        Line { label, series, points, band: [Vec::new(), Vec::new()] }
    }
}

pub(crate) fn curves(x: Axis, y: Axis, lines: &[Line], subtitle: &str) -> Svg {
    let labels: Vec<String> = lines.iter().map(|line| line.label.clone()).collect();
    let layout = Layout { right: &labels, ..Layout::new(Width::Page, 260.0, subtitle) };
    let mut chart = Chart::new(x, y, &layout);
    for Line { label, series, band: [lower, upper], .. } in lines {
        let outline: Vec<_> = lower.iter().chain(upper.iter().rev()).copied().collect();
        if !outline.is_empty() {
            chart.begin(label, "");
            chart.area(&outline, series.style().fill(0.18), false);
            chart.end();
        }
    }
    for Line { label, series, points, .. } in lines {
        chart.begin(label, label);
        chart.line(points, series.style(), 1.8);
        chart.end();
    }
    label_ends(&mut chart, lines);
    chart.finish()
}

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
    for Line { label, series, points, .. } in lines {
        chart.begin(label, label);
        chart.line(points, series.style(), 1.8);
        chart.end();
        for &point in points {
            let [x, y] = [point.0, point.1].map(three_digits);
            chart.begin(label, &format!("{label}: {y} at {x}"));
            chart.marker(point, *series, 3.0, 1.0);
            chart.end();
        }
    }
    chart.legend(&labels, |chart, number, place| chart.line_key(lines[number].series, place));
    chart.finish()
}

/// Labels are connected by thin lines, because readers would mistake lines in the style of the data
/// for data.
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
        let bend = [at, (right + 4.0, at.1), (right + 12.0, y), (right + 14.0, y)];
        let key = [(right + 14.0, y), (right + 34.0, y)];
        chart.begin_key(&line.label);
        chart.pixel_line(&bend, Stroke::solid(CONNECTION, 0.7));
        chart.pixel_line(&key, line.series.style().stroke(1.8));
        chart.text_at((right + 39.0, y + 4.0), &truncated(&line.label), Anchor::Start);
        chart.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_do_not_continue_to_the_labels() {
        let line = |label: &str, number, y| {
            Line::new(label.to_owned(), Series::Algorithm(number), vec![(0.0, 0.0), (1.0, y)])
        };
        let lines = [line("mosa", 0, 1.0), line("mio", 1, 0.99)];
        let svg = curves(Axis::round("x", 0.0, 1.0), Axis::round("y", 0.0, 1.0), &lines, "");
        let svg = svg.as_str();
        assert_eq!(svg.matches(CONNECTION).count(), 2, "{svg}");
        let strokes: Vec<&str> = svg.split("<polyline").skip(1).collect();
        let thick = strokes.iter().filter(|one| one.contains("stroke-width=\"1.8\""));
        assert_eq!(thick.count(), 4, "{svg}");
    }
}
