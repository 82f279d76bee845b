//! Box plots with whiskers to the last values within 1.5 times the interquartile range of the box.

use super::chart::{Chart, INK};
use super::layout::{Layout, Width};
use super::svg::{Fill, Svg};
use super::{Axis, Series, Style, three_digits};
use crate::comparison::MIN_SAMPLE;
use crate::stats::Description;

pub(crate) struct BoxGroup {
    pub(crate) label: String,
    pub(crate) boxes: Vec<(Series, Vec<f64>)>,
}

/// The series whose marker is the diamond of the mean.
pub(super) const MEAN: Series = Series::Other(3);

/// Opacities of the boxes by series, which distinguish series without colour.
const OPACITIES: [f64; 4] = [0.15, 0.45, 0.75, 0.3];

pub(crate) fn draw(
    y: Axis,
    groups: &[BoxGroup],
    legend: &[(Series, String)],
    subtitle: &str,
) -> Svg {
    let most = groups.iter().map(|group| group.boxes.len()).max().unwrap_or(1).max(1);
    let names = Axis::names("", groups.iter().map(|group| group.label.as_str()));
    let boxes = groups.len() * most;
    let width = if most > 1 && boxes > 12 { Width::Page } else { Width::above(groups.len()) };
    let entries: Vec<String> = legend.iter().map(|entry| entry.1.clone()).collect();
    let layout = Layout { legend: &entries, ..Layout::new(width, 220.0, subtitle) };
    let mut chart = Chart::new(names, y, &layout);
    let (left, _, right, _) = chart.bounds();
    let labelled = most == 1 && (right - left) / groups.len().max(1) as f64 > 70.0;
    let slot = 0.8 / most as f64;
    for (number, group) in groups.iter().enumerate() {
        for (index, (series, values)) in group.boxes.iter().enumerate() {
            let offset = (index as f64 - (group.boxes.len() - 1) as f64 / 2.0) * slot;
            let half_width = if most > 1 { slot * 0.42 } else { 0.16 };
            let x = number as f64 + offset;
            let name = legend.get(index).map_or(&group.label, |entry| &entry.1);
            chart.begin(name, &description(&group.label, name, values));
            draw_box(&mut chart, x, half_width, *series, values);
            if labelled {
                label_median(&mut chart, x + half_width, values);
            }
            chart.end();
        }
    }
    chart.legend(&entries, |chart, number, place| chart.area_key(place, fill(legend[number].0)));
    chart.finish()
}

pub(super) fn description(group: &str, name: &str, values: &[f64]) -> String {
    let Ok(d) = Description::of(values) else { return name.to_owned() };
    let who = if group == name { name.to_owned() } else { format!("{name}, {group}") };
    let [low, lower, median, upper, high, mean] =
        [d.minimum, d.lower_quartile, d.median, d.upper_quartile, d.maximum, d.mean]
            .map(three_digits);
    format!(
        "{who}: median {median}, quartiles {lower} and {upper}, mean {mean}, from {low} to {high} \
         (n = {})",
        d.n
    )
}

fn fill(series: Series) -> Fill {
    series.style().fill(OPACITIES[series.number() % OPACITIES.len()])
}

fn draw_box(chart: &mut Chart, x: f64, half_width: f64, series: Series, values: &[f64]) {
    let Ok(d) = Description::of(values) else { return };
    if values.len() < MIN_SAMPLE {
        // Quartiles of so few values would not be meaningful.
        for &value in values {
            chart.marker((x, value), series, 2.8, 0.0);
        }
        return chart.marker((x, d.mean), MEAN, 3.5, 1.0);
    }
    let reach = 1.5 * (d.upper_quartile - d.lower_quartile);
    let inside = || {
        values.iter().filter(|v| **v >= d.lower_quartile - reach && **v <= d.upper_quartile + reach)
    };
    let low = inside().copied().fold(d.lower_quartile, f64::min);
    let high = inside().copied().fold(d.upper_quartile, f64::max);
    let ink = Style::solid(INK);
    chart.line(&[(x, low), (x, d.lower_quartile)], ink, 1.0);
    chart.line(&[(x, d.upper_quartile), (x, high)], ink, 1.0);
    for end in [low, high] {
        chart.line(&[(x - half_width / 2.0, end), (x + half_width / 2.0, end)], ink, 1.0);
    }
    let corners = ((x - half_width, d.lower_quartile), (x + half_width, d.upper_quartile));
    chart.rectangle(corners.0, corners.1, fill(series));
    chart.line(&[(x - half_width, d.median), (x + half_width, d.median)], ink, 2.5);
    let mut beyond: Vec<f64> = values.iter().copied().filter(|v| *v < low || *v > high).collect();
    beyond.sort_unstable_by(f64::total_cmp);
    // Values within half a pixel share a circle to keep files small.
    beyond.dedup_by_key(|v| (chart.at((x, *v)).1 * 2.0).round() as i64);
    for value in beyond {
        chart.marker((x, value), Series::Other(0), 1.6, 0.0);
    }
    chart.marker((x, d.mean), MEAN, 3.5, 1.0);
}

fn compact(value: f64) -> String {
    match value.abs() {
        size if size >= 1e6 => format!("{}M", three_digits(value / 1e6)),
        size if size >= 1e4 => format!("{}k", three_digits(value / 1e3)),
        _ => three_digits(value),
    }
}

/// Writes the median to the right of a box, where there are no circles or whiskers.
fn label_median(chart: &mut Chart, right: f64, values: &[f64]) {
    let Ok(d) = Description::of(values) else { return };
    let (x, y) = chart.at((right, d.median));
    chart.boxed_text((x + 4.0, y), &compact(d.median));
}
