//! Races: how far each configuration came.

use super::chart::{Axis, Chart, style};

/// A configuration.
pub(crate) struct Lane {
    /// Its name.
    pub(crate) label: String,
    /// Projects that it was run on.
    pub(crate) projects: usize,
    /// Whether it was dropped after them.
    pub(crate) dropped: bool,
}

/// Draws the lanes, those that came farthest on top.
pub(crate) fn draw(mut lanes: Vec<Lane>, note: &str) -> String {
    lanes.sort_by_key(|lane| lane.projects);
    let most = lanes.iter().map(|lane| lane.projects).max().unwrap_or(0).max(1);
    let x = Axis::exact("Projects", 0.0, most as f64);
    let y = Axis::names("", lanes.iter().map(|lane| lane.label.as_str()));
    let size = (400.0, 22.0 * lanes.len() as f64);
    let legend = ["dropped", "in the race"].map(str::to_owned);
    let mut chart = Chart::new(x, y, size, &legend, note);
    for (place, lane) in lanes.iter().enumerate() {
        let (end, y) = (lane.projects as f64, place as f64);
        let sign = sign(lane.dropped);
        chart.line(&[(0.0, y), (end, y)], style(sign), if lane.dropped { 1.5 } else { 3.5 });
        chart.marker((end, y), sign, 4.5, if lane.dropped { 0.0 } else { 1.0 });
    }
    chart.legend(&legend, |chart, number, place| {
        chart.marker_key(sign(number == 0), place, if number == 0 { 0.0 } else { 1.0 });
    });
    chart.svg()
}

fn sign(dropped: bool) -> usize {
    if dropped { 2 } else { 0 }
}
