//! Box plots: quartiles, whiskers to the last value within 1.5 times their distance, values
//! beyond as circles, and the mean as a diamond.

use super::chart::{Axis, Chart, style};
use crate::stats::Description;

/// Boxes that stand together above one name: one for each series that has values.
pub(crate) struct Cluster {
    /// The name.
    pub(crate) label: String,
    /// (series, values).
    pub(crate) boxes: Vec<(usize, Vec<f64>)>,
}

/// How dense a box is filled, so that series differ without colour.
const OPACITIES: [f64; 4] = [0.15, 0.45, 0.75, 0.3];

/// Draws boxes on a vertical axis; `series` names them where a cluster has several.
pub(crate) fn draw(y: Axis, clusters: &[Cluster], series: &[String], note: &str) -> String {
    let most = clusters.iter().map(|c| c.boxes.len()).max().unwrap_or(1).max(1);
    let width = (clusters.len() * most) as f64 * if most > 1 { 26.0 } else { 124.0 };
    let names = Axis::names("", clusters.iter().map(|c| c.label.as_str()));
    let size = (width.clamp(260.0, 1_100.0), 290.0);
    let mut chart = Chart::new(names, y, size, series, note);
    let slot = 0.8 / most as f64;
    for (number, cluster) in clusters.iter().enumerate() {
        for (place, (series, values)) in cluster.boxes.iter().enumerate() {
            let offset = (place as f64 - (cluster.boxes.len() - 1) as f64 / 2.0) * slot;
            let half = if most > 1 { slot * 0.42 } else { 0.2 };
            one(&mut chart, number as f64 + offset, half, *series, values, most == 1);
        }
    }
    chart.legend(series, |chart, number, place| {
        chart.fill_key(place, style(number).colour, OPACITIES[number % OPACITIES.len()]);
    });
    chart.svg()
}

fn one(chart: &mut Chart, x: f64, half: f64, series: usize, values: &[f64], told: bool) {
    let Ok(d) = Description::of(values) else { return };
    let reach = 1.5 * (d.upper_quartile - d.lower_quartile);
    let inside = || {
        values.iter().filter(|v| **v >= d.lower_quartile - reach && **v <= d.upper_quartile + reach)
    };
    let low = inside().copied().fold(d.lower_quartile, f64::min);
    let high = inside().copied().fold(d.upper_quartile, f64::max);
    let ink = super::Style { colour: "#222222", dashes: "" };
    chart.line(&[(x, low), (x, d.lower_quartile)], ink, 1.0);
    chart.line(&[(x, d.upper_quartile), (x, high)], ink, 1.0);
    for end in [low, high] {
        chart.line(&[(x - half / 2.0, end), (x + half / 2.0, end)], ink, 1.0);
    }
    let fill = style(series).colour;
    let opacity = OPACITIES[series % OPACITIES.len()];
    chart.rect((x - half, d.lower_quartile), (x + half, d.upper_quartile), fill, opacity);
    chart.line(&[(x - half, d.median), (x + half, d.median)], ink, 2.5);
    // Those at the same pixel are one circle.
    let mut beyond: Vec<f64> = values.iter().copied().filter(|v| *v < low || *v > high).collect();
    beyond.sort_unstable_by(f64::total_cmp);
    beyond.dedup_by_key(|v| (chart.at((x, *v)).1 * 2.0).round() as i64);
    for value in beyond {
        chart.marker((x, value), 0, 1.6, 0.0);
    }
    chart.marker((x, d.mean), 3, 3.5, 1.0);
    if told {
        // Beside the box, where neither circles nor whiskers are.
        let (from, _) = chart.at((x + half, d.median));
        let (_, y) = chart.at((x, d.median));
        chart.words((from + 4.0, y + 4.0), &figure(d.median), false);
    }
}

/// A number in some three digits.
pub(crate) fn figure(value: f64) -> String {
    match value.abs() {
        v if v.fract() == 0.0 || v >= 100.0 => super::grouped(value.round()),
        v if v >= 10.0 => format!("{value:.1}"),
        v if v >= 0.01 => format!("{value:.2}"),
        _ => format!("{value:.1e}"),
    }
}
