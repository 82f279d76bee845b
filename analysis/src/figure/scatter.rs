//! Scatter plots: points of several series, with lines.

use std::collections::BTreeMap;

use super::chart::Chart;
use super::layout::{Height, Layout, Width};
use super::svg::Svg;
use super::{Axis, Series, three_digits};

const MAX_COUNTS: usize = 12;

/// Horizontal and vertical, in pixels.
const COUNT_ROOM: (f64, f64) = (22.0, 14.0);

pub(crate) struct PointSet {
    pub(crate) label: String,
    pub(crate) series: Series,
    pub(crate) filled: bool,
    pub(crate) points: Vec<(f64, f64)>,
}

impl PointSet {
    fn opacity(&self) -> f64 {
        if self.filled { 0.75 } else { 0.0 }
    }
}

#[derive(Default)]
pub(crate) struct Annotations {
    pub(crate) diagonal: bool,
    pub(crate) lines: Vec<(Series, [(f64, f64); 2])>,
    pub(crate) star: Option<(f64, f64)>,
}

pub(crate) fn draw(
    x: Axis,
    y: Axis,
    sets: &[PointSet],
    annotations: &Annotations,
    subtitle: &str,
) -> Svg {
    let labels: Vec<String> = sets.iter().map(|set| set.label.clone()).collect();
    let legend = if labels.iter().all(String::is_empty) { &[][..] } else { &labels[..] };
    let height = if annotations.diagonal { Height::Square } else { Height::Pixels(220.0) };
    let layout = Layout { legend, height, ..Layout::new(Width::Column, 0.0, subtitle) };
    let mut chart = Chart::new(x, y, &layout);
    if annotations.diagonal {
        let (x, y) = chart.ends();
        let (low, high) = (x.0.max(y.0), x.1.min(y.1));
        chart.reference((low, low), (high, high));
    }
    let mut shared: Vec<((f64, f64), usize)> = Vec::new();
    for set in sets {
        // Points within half a pixel share a marker to keep files small.
        let mut drawn: BTreeMap<(i64, i64), ((f64, f64), usize)> = BTreeMap::new();
        for &point in &set.points {
            let at = chart.at(point);
            let place = ((at.0 * 2.0).round() as i64, (at.1 * 2.0).round() as i64);
            drawn.entry(place).or_insert((point, 0)).1 += 1;
        }
        for &(point, count) in drawn.values() {
            let [x, y] = [point.0, point.1].map(three_digits);
            let who = if set.label.is_empty() { "" } else { &format!("{}: ", set.label) };
            let times = if count > 1 { format!(" ({count} points)") } else { String::new() };
            chart.begin(&set.label, &format!("{who}{x}, {y}{times}"));
            chart.marker(point, set.series, 2.8, set.opacity());
            chart.end();
        }
        shared.extend(drawn.into_values().filter(|(_, count)| *count > 1));
    }
    shared
        .sort_by(|a, b| b.1.cmp(&a.1).then(a.0.0.total_cmp(&b.0.0)).then(a.0.1.total_cmp(&b.0.1)));
    let mut written: Vec<(f64, f64)> = Vec::new();
    for (point, count) in shared.into_iter().take(MAX_COUNTS) {
        let at = chart.at(point);
        let is_free = |other: &(f64, f64)| {
            (other.0 - at.0).abs() > COUNT_ROOM.0 || (other.1 - at.1).abs() > COUNT_ROOM.1
        };
        if written.iter().all(is_free) {
            chart.boxed_text((at.0 + 5.0, at.1 + 8.0), &count.to_string());
            written.push(at);
        }
    }
    for (series, ends) in &annotations.lines {
        if let Some(ends) = within(*ends, chart.ends().1) {
            let label = sets.iter().find(|set| set.series == *series).map_or("", |set| &set.label);
            chart.begin(label, label);
            chart.line(&ends, series.style(), 1.8);
            chart.end();
        }
    }
    if let Some(star) = annotations.star {
        chart.star(star);
    }
    chart.legend(legend, |chart, number, place| {
        chart.marker_key(sets[number].series, place, sets[number].opacity());
    });
    chart.finish()
}

fn within(ends: [(f64, f64); 2], (low, high): (f64, f64)) -> Option<[(f64, f64); 2]> {
    let [(x, y), (to_x, to_y)] = ends;
    let inside = |y: f64| (low..=high).contains(&y);
    if y == to_y {
        return inside(y).then_some(ends);
    }
    let at = |height: f64| (height - y) / (to_y - y);
    let from = at(low).min(at(high)).max(0.0);
    let to = at(low).max(at(high)).min(1.0);
    let point = |share: f64| (x + (to_x - x) * share, y + (to_y - y) * share);
    (from < to).then(|| [point(from), point(to)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_at_the_frame() {
        let line = [(0.0, 50.0), (10.0, 150.0)];
        assert_eq!(within(line, (0.0, 100.0)), Some([(0.0, 50.0), (5.0, 100.0)]));
        assert_eq!(
            within([(0.0, 150.0), (10.0, 50.0)], (0.0, 100.0)),
            Some([(5.0, 100.0), (10.0, 50.0)])
        );
        assert_eq!(within(line, (160.0, 200.0)), None);
        assert_eq!(within([(0.0, 5.0), (1.0, 5.0)], (0.0, 4.0)), None);
    }
}
