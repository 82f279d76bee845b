//! Races: the number of projects on which each configuration was run.

use super::chart::Chart;
use super::layout::{Layout, Width};
use super::svg::Svg;
use super::{Axis, Series, Style};

pub(crate) struct Racer {
    pub(crate) label: String,
    pub(crate) series: Series,
    pub(crate) projects: usize,
    pub(crate) dropped: bool,
}

pub(crate) fn draw(mut racers: Vec<Racer>, subtitle: &str) -> Svg {
    racers.sort_by_key(|racer| racer.projects);
    let most = racers.iter().map(|racer| racer.projects).max().unwrap_or(0).max(1);
    let x = Axis::exact("Projects", 0.0, most as f64);
    let names = || racers.iter().map(|racer| racer.label.as_str());
    let (width, height) =
        (Width::with_names_at_the_side(names()), 20.0 * racers.len().max(2) as f64);
    let legend = ["dropped", "in the race"].map(str::to_owned);
    let layout = Layout { legend: &legend, ..Layout::new(width, height, subtitle) };
    let mut chart = Chart::new(x, Axis::names("", names()), &layout);
    for (row, racer) in racers.iter().enumerate() {
        let (end, y) = (racer.projects as f64, row as f64);
        let style = Style::solid(racer.series.style().colour);
        chart.line(&[(0.0, y), (end, y)], style, if racer.dropped { 1.5 } else { 3.5 });
        chart.marker((end, y), racer.series, 4.5, opacity(racer.dropped));
    }
    chart.legend(&legend, |chart, number, place| {
        chart.marker_key(Series::Other(0), place, opacity(number == 0));
    });
    chart.finish()
}

fn opacity(dropped: bool) -> f64 {
    if dropped { 0.0 } else { 1.0 }
}
