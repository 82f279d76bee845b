//! Values with their confidence intervals, one row for each.

use super::chart::Chart;
use super::svg::Svg;
use super::{Axis, style};

/// A row.
pub(crate) struct Row {
    pub(crate) label: String,
    /// The number of the series, which decides its colour and marker.
    pub(crate) series: usize,
    pub(crate) value: f64,
    /// Lower and upper end; `None` if there is no interval.
    pub(crate) interval: Option<(f64, f64)>,
}

/// Draws the rows, the first at the top, with a dashed line at 0.
pub(crate) fn draw(x: Axis, rows: &[Row], subtitle: &str) -> Svg {
    let names = Axis::names("", rows.iter().rev().map(|row| row.label.as_str()));
    let size = (400.0, 26.0 * rows.len().max(2) as f64);
    let mut chart = Chart::new(x, names, size, &[], subtitle);
    chart.reference((0.0, -0.5), (0.0, rows.len() as f64 - 0.5));
    for (at, row) in rows.iter().rev().enumerate() {
        let y = at as f64;
        if let Some((low, high)) = row.interval {
            chart.line(
                &[(low, y), (high, y)],
                super::Style { dashes: "", ..style(row.series) },
                2.0,
            );
        }
        chart.marker((row.value, y), row.series, 4.5, 1.0);
    }
    chart.finish()
}
