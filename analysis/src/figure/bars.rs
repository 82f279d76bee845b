//! Horizontal bars, which show either the stacked parts of a whole or a percentage.

use super::chart::{Chart, INK};
use super::layout::{Layout, Width};
use super::svg::{Anchor, Fill, Svg};
use super::{Axis, Series, round_step};

/// Fills of the parts, from good to bad.
const PARTS: [Fill; 5] = [
    Fill { colour: "#01665e", opacity: 1.0 },
    Fill { colour: "#80cdc1", opacity: 1.0 },
    Fill { colour: "#ffffff", opacity: 1.0 },
    Fill { colour: "#dfc27d", opacity: 1.0 },
    Fill { colour: "#8c510a", opacity: 1.0 },
];

const DARK: [&str; 2] = [PARTS[0].colour, PARTS[4].colour];

pub(crate) fn stacked(
    label: &str,
    parts: &[String],
    bars: &[(String, Vec<usize>)],
    subtitle: &str,
) -> Svg {
    let most = bars.iter().map(|bar| bar.1.iter().sum()).max().unwrap_or(1_usize).max(1);
    // The vertical axis points upwards.
    let y = Axis::names("", bars.iter().rev().map(|bar| bar.0.as_str()));
    let step = round_step((most as f64 / 5.0).max(1.0));
    let x = Axis::with_step(label, (0.0, most as f64), step);
    let width = Width::with_names_at_the_side(bars.iter().map(|bar| bar.0.as_str()));
    let height = 28.0 * bars.len().max(2) as f64;
    let layout = Layout { legend: parts, ..Layout::new(width, height, subtitle) };
    let mut chart = Chart::new(x, y, &layout);
    for (row, (_, counts)) in bars.iter().rev().enumerate() {
        let y = row as f64;
        let mut from = 0;
        for (part, &count) in counts.iter().enumerate().filter(|(_, n)| **n > 0) {
            let fill = PARTS[part % PARTS.len()];
            let (low, high) = ((from as f64, y - 0.36), ((from + count) as f64, y + 0.36));
            chart.rectangle(low, high, fill);
            let text = count.to_string();
            let room = chart.at(high).0 - chart.at(low).0;
            if room > 8.0 * text.len() as f64 {
                let colour = if DARK.contains(&fill.colour) { "#ffffff" } else { INK };
                chart.text_on_area(((low.0 + high.0) / 2.0, y), &text, colour);
            }
            from += count;
        }
    }
    chart.legend(parts, |chart, number, place| chart.area_key(place, PARTS[number % PARTS.len()]));
    chart.finish()
}

pub(crate) fn percentages(label: &str, bars: &[(String, f64)], subtitle: &str) -> Svg {
    let names = || bars.iter().map(|bar| bar.0.as_str());
    let y = Axis::names("", names().rev());
    let height = 20.0 * bars.len().max(2) as f64;
    let layout = Layout::new(Width::with_names_at_the_side(names()), height, subtitle);
    let x = Axis::with_step(label, (0.0, 110.0), 20.0);
    let mut chart = Chart::new(x, y, &layout);
    for (row, (_, percentage)) in bars.iter().rev().enumerate() {
        let y = row as f64;
        let fill = Series::Other(1).style().fill(0.6);
        chart.rectangle((0.0, y - 0.35), (*percentage, y + 0.35), fill);
        let (x, y) = chart.at((*percentage, y));
        chart.text_at((x + 4.0, y + 4.0), &format!("{percentage:.0}"), Anchor::Start);
    }
    chart.finish()
}
