//! Histograms.

use super::chart::{Chart, INK};
use super::layout::{Layout, Width, width_of};
use super::svg::{Anchor, Svg};
use super::{Axis, Series, Style, three_digits};

const BINS_PER_DECADE: f64 = 8.0;
const MIN_BINS: f64 = 12.0;

/// On a logarithmic axis, all values must be positive.
pub(crate) fn draw(
    label: &str,
    counted: &str,
    values: &[f64],
    logarithmic: bool,
    series: Series,
    median: Option<f64>,
    subtitle: &str,
) -> Svg {
    let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(l, h), &v| (l.min(v), h.max(v)));
    let (low, high) = if values.is_empty() { (1.0, 10.0) } else { (low, high) };
    let x = if logarithmic { Axis::log(label, low, high) } else { Axis::round(label, low, high) };
    let (from, to) = x.ends();
    let bins = if logarithmic {
        (libm::log10(to / from) * BINS_PER_DECADE).round().max(MIN_BINS) as usize
    } else {
        20
    };
    let position = |v: f64| {
        if logarithmic {
            libm::log10(v / from) / libm::log10(to / from)
        } else {
            (v - from) / (to - from)
        }
    };
    let edge = |i: usize| {
        let share = i as f64 / bins as f64;
        if logarithmic { from * libm::pow(to / from, share) } else { from + (to - from) * share }
    };
    let mut counts = vec![0_usize; bins];
    for &value in values {
        counts[((position(value) * bins as f64) as usize).min(bins - 1)] += 1;
    }
    let most = counts.iter().copied().max().unwrap_or(0).max(1) as f64;
    let y = Axis::round(counted, 0.0, most.max(5.0));
    let top = y.ends().1;
    let mut chart = Chart::new(x, y, &Layout::new(Width::Column, 180.0, subtitle));
    for (bin, &count) in counts.iter().enumerate().filter(|(_, n)| **n > 0) {
        chart.rectangle((edge(bin), 0.0), (edge(bin + 1), count as f64), series.style().fill(0.6));
    }
    if let Some(median) = median {
        let style = Style { dashes: "6 4", ..Style::solid(INK) };
        chart.line(&[(median, 0.0), (median, top)], style, 2.0);
        let (x, y) = chart.at((median, top));
        let text = format!("median {}", three_digits(median));
        let (left, _, right, _) = chart.bounds();
        let half = width_of(&text) / 2.0;
        let middle = x.clamp(left + half, (right - half).max(left + half));
        chart.text_at((middle, y - 4.0), &text, Anchor::Middle);
    }
    chart.finish()
}
