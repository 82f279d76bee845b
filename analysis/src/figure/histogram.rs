//! Histograms.

use super::chart::{Axis, Chart, style};
use crate::stats::Description;

/// How many values lie in equal parts of an axis; `logarithmic` parts are equal factors, and
/// take positive values only.
pub(crate) fn draw(
    label: &str,
    counted: &str,
    values: &[f64],
    logarithmic: bool,
    note: &str,
) -> String {
    let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(l, h), &v| (l.min(v), h.max(v)));
    let (low, high) = if values.is_empty() { (1.0, 10.0) } else { (low, high) };
    let x = if logarithmic { Axis::log(label, low, high) } else { Axis::round(label, low, high) };
    let (from, to) = x.ends();
    let parts = if logarithmic { (libm::log10(to / from) * 8.0).round() } else { 20.0 } as usize;
    let place = |v: f64| {
        if logarithmic {
            libm::log10(v / from) / libm::log10(to / from)
        } else {
            (v - from) / (to - from)
        }
    };
    let edge = |i: usize| {
        let share = i as f64 / parts as f64;
        if logarithmic { from * libm::pow(to / from, share) } else { from + (to - from) * share }
    };
    let mut counts = vec![0_usize; parts];
    for &value in values {
        counts[((place(value) * parts as f64) as usize).min(parts - 1)] += 1;
    }
    let most = counts.iter().copied().max().unwrap_or(0).max(1) as f64;
    let y = Axis::round(counted, 0.0, most.max(5.0));
    let top = y.ends().1;
    let mut chart = Chart::new(x, y, (430.0, 250.0), &[], note);
    for (part, &count) in counts.iter().enumerate().filter(|(_, n)| **n > 0) {
        chart.rect((edge(part), 0.0), (edge(part + 1), count as f64), style(1).colour, 0.55);
    }
    if let Ok(d) = Description::of(values) {
        chart.line(
            &[(d.median, 0.0), (d.median, top)],
            super::Style { dashes: "6 4", ..style(2) },
            2.0,
        );
    }
    chart.svg()
}
