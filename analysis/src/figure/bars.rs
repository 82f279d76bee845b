//! Horizontal bars: stacked parts of a whole, or one percentage each.

use super::chart::{Chart, INK};
use super::svg::{Anchor, Fill, Svg};
use super::{Axis, style};

/// Fills of the parts, from good to bad: they differ in lightness as well as in colour.
const PARTS: [Fill; 5] = [
    Fill { colour: "#0072B2", opacity: 1.0 },
    Fill { colour: "#0072B2", opacity: 0.4 },
    Fill { colour: "#ffffff", opacity: 1.0 },
    Fill { colour: "#D55E00", opacity: 0.4 },
    Fill { colour: "#D55E00", opacity: 1.0 },
];

/// Draws a stacked bar of counts for each name; each has as many parts as `parts` has names.
pub(crate) fn stacked(
    label: &str,
    parts: &[String],
    bars: &[(String, Vec<usize>)],
    subtitle: &str,
) -> Svg {
    let most = bars.iter().map(|bar| bar.1.iter().sum()).max().unwrap_or(1_usize).max(1);
    // The vertical axis grows upwards and the first bar is at the top.
    let y = Axis::names("", bars.iter().rev().map(|bar| bar.0.as_str()));
    let x = Axis::exact(label, 0.0, most as f64);
    let size = (400.0, 34.0 * bars.len().max(2) as f64);
    let mut chart = Chart::new(x, y, size, parts, subtitle);
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
                let dark = fill.opacity == 1.0 && fill.colour != "#ffffff";
                let colour = if dark { "#ffffff" } else { INK };
                chart.text_on_area(((low.0 + high.0) / 2.0, y), &text, colour);
            }
            from += count;
        }
    }
    chart.legend(parts, |chart, number, place| chart.area_key(place, PARTS[number % PARTS.len()]));
    chart.finish()
}

/// Draws a bar for each named percentage (0..=100), the first at the top, with its number.
pub(crate) fn percentages(label: &str, bars: &[(String, f64)], subtitle: &str) -> Svg {
    let y = Axis::names("", bars.iter().rev().map(|bar| bar.0.as_str()));
    let size = (360.0, 20.0 * bars.len().max(2) as f64);
    let mut chart = Chart::new(Axis::percent(label), y, size, &[], subtitle);
    for (row, (_, percentage)) in bars.iter().rev().enumerate() {
        let y = row as f64;
        chart.rectangle((0.0, y - 0.35), (*percentage, y + 0.35), style(1).fill(0.55));
        let (x, y) = chart.at((*percentage, y));
        chart.text_at((x + 6.0, y + 4.0), &format!("{percentage:.0}"), Anchor::Start);
    }
    chart.finish()
}
