//! Values with their confidence intervals, one row for each.

use super::chart::Chart;
use super::layout::{Layout, Width};
use super::svg::Svg;
use super::{Axis, Series, Style, three_digits};

pub(crate) struct Row {
    pub(crate) label: String,
    pub(crate) series: Series,
    pub(crate) value: f64,
    pub(crate) interval: Option<(f64, f64)>,
}

pub(crate) fn draw(x: Axis, rows: &[Row], subtitle: &str) -> Svg {
    let labels = || rows.iter().map(|row| row.label.as_str());
    let names = Axis::names("", labels().rev());
    let height = 24.0 * rows.len().max(2) as f64;
    let mut chart = Chart::new(
        x,
        names,
        &Layout::new(Width::with_names_at_the_side(labels()), height, subtitle),
    );
    chart.reference((0.0, -0.5), (0.0, rows.len() as f64 - 0.5));
    for (at, row) in rows.iter().rev().enumerate() {
        let y = at as f64;
        let interval = row.interval.map_or(String::new(), |(low, high)| {
            format!(", 95 % interval from {} to {}", three_digits(low), three_digits(high))
        });
        chart.begin(&row.label, &format!("{}: {}{interval}", row.label, three_digits(row.value)));
        if let Some((low, high)) = row.interval {
            let style = Style::solid(row.series.style().colour);
            chart.line(&[(low, y), (high, y)], style, 2.0);
            for end in [low, high] {
                chart.line(&[(end, y - 0.15), (end, y + 0.15)], style, 2.0);
            }
        }
        chart.marker((row.value, y), row.series, 4.5, 1.0);
        chart.end();
    }
    chart.finish()
}
