//! Rank diagrams: algorithms by mean rank, with intervals, and with bars that join algorithms
//! (Demšar, 2006).

use super::axis::truncated;
use super::chart::{Chart, INK};
use super::layout::{Layout, Width};
use super::svg::Svg;
use super::{Axis, Series, Style};

pub(crate) struct RankedRow {
    pub(crate) label: String,
    pub(crate) series: Series,
    pub(crate) rank: f64,
    pub(crate) interval: (f64, f64),
    pub(crate) inner: Option<(f64, f64)>,
}

/// Each bar has the indices of the rows whose ranks it joins, and its width in pixels.
pub(crate) fn draw(rows: &[RankedRow], bars: &[(Vec<usize>, f64)], subtitle: &str) -> Svg {
    let count = rows.len();
    let last = (count as f64).max(2.0);
    let x = Axis::exact("Mean rank (1 = highest coverage)", 1.0, last).with_origin(1.0);
    // The vertical axis points upwards.
    let mut names: Vec<String> = rows
        .iter()
        .rev()
        .map(|row| format!("{}  {:.2}", truncated(&row.label), row.rank))
        .collect();
    names.resize(count + bars.len(), String::new());
    let y = Axis::names("", names.iter().map(String::as_str));
    let width = Width::with_names_at_the_side(names.iter().map(String::as_str));
    let height = 24.0 * (count + bars.len()).max(2) as f64;
    let mut chart = Chart::new(x, y, &Layout::new(width, height, subtitle));
    for (number, row) in rows.iter().enumerate() {
        let y = (count - 1 - number) as f64;
        let (low, high) = row.interval;
        let inner = row.inner.map_or(String::new(), |(low, high)| {
            format!(", on exactly these projects from {low:.2} to {high:.2}")
        });
        let tooltip =
            format!("{}: mean rank {:.2}, from {low:.2} to {high:.2}{inner}", row.label, row.rank);
        chart.begin(&row.label, &tooltip);
        let style = Style::solid(row.series.style().colour);
        chart.line(&[(low, y), (high, y)], style, 2.0);
        for end in [low, high] {
            chart.line(&[(end, y - 0.15), (end, y + 0.15)], style, 2.0);
        }
        if let Some((low, high)) = row.inner {
            chart.line(&[(low, y), (high, y)], style, 6.0);
        }
        chart.marker((row.rank, y), row.series, 4.5, 1.0);
        chart.end();
    }
    for (number, (members, width)) in bars.iter().enumerate() {
        let of = || members.iter().map(|&row| rows[row].rank);
        let (low, high) = (of().fold(f64::MAX, f64::min), of().fold(f64::MIN, f64::max));
        let y = (count + number) as f64;
        // A bar of equal ranks must be visible.
        let more = (0.04 - (high - low)).max(0.0) / 2.0 + 0.02;
        chart.line(&[(low - more, y), (high + more, y)], Style::solid(INK), *width);
    }
    chart.finish()
}
