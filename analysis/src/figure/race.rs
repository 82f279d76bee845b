//! Races: the number of projects on which each configuration was run.

use super::chart::Chart;
use super::svg::Svg;
use super::{Axis, style};

/// A configuration of a race.
pub(crate) struct Racer {
    pub(crate) label: String,
    /// Number of projects on which it was run.
    pub(crate) projects: usize,
    /// Whether it was dropped after them.
    pub(crate) dropped: bool,
}

/// Draws a line for each configuration, those with the most projects at the top.
pub(crate) fn draw(mut racers: Vec<Racer>, subtitle: &str) -> Svg {
    racers.sort_by_key(|racer| racer.projects);
    let most = racers.iter().map(|racer| racer.projects).max().unwrap_or(0).max(1);
    let x = Axis::exact("Projects", 0.0, most as f64);
    let y = Axis::names("", racers.iter().map(|racer| racer.label.as_str()));
    let size = (400.0, 22.0 * racers.len().max(2) as f64);
    let legend = ["dropped", "in the race"].map(str::to_owned);
    let mut chart = Chart::new(x, y, size, &legend, subtitle);
    for (row, racer) in racers.iter().enumerate() {
        let (end, y) = (racer.projects as f64, row as f64);
        let series = series(racer.dropped);
        chart.line(&[(0.0, y), (end, y)], style(series), if racer.dropped { 1.5 } else { 3.5 });
        chart.marker((end, y), series, 4.5, if racer.dropped { 0.0 } else { 1.0 });
    }
    chart.legend(&legend, |chart, number, place| {
        let dropped = number == 0;
        chart.marker_key(series(dropped), place, if dropped { 0.0 } else { 1.0 });
    });
    chart.finish()
}

/// The series whose style shows the state of a configuration.
fn series(dropped: bool) -> usize {
    if dropped { 2 } else { 0 }
}
