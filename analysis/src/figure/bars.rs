//! Stacked horizontal bars: a whole and its parts.

use super::chart::{Axis, Chart, INK};

/// Fill and density of the parts, which run from good to bad: they differ in lightness too.
const PARTS: [(&str, f64); 5] =
    [("#0072B2", 1.0), ("#0072B2", 0.4), ("#ffffff", 1.0), ("#D55E00", 0.4), ("#D55E00", 1.0)];

/// Draws a bar for each name; all have as many parts as `parts` has names.
pub(crate) fn draw(
    label: &str,
    parts: &[String],
    bars: &[(String, Vec<usize>)],
    note: &str,
) -> String {
    let most = bars.iter().map(|bar| bar.1.iter().sum()).max().unwrap_or(1_usize).max(1);
    // The first bar stands on top.
    let y = Axis::names("", bars.iter().rev().map(|bar| bar.0.as_str()));
    let x = Axis::exact(label, 0.0, most as f64);
    let size = (400.0, 34.0 * bars.len().max(2) as f64);
    let mut chart = Chart::new(x, y, size, parts, note);
    for (place, (_, counts)) in bars.iter().rev().enumerate() {
        let mut from = 0;
        for (part, &count) in counts.iter().enumerate().filter(|(_, n)| **n > 0) {
            let (fill, opacity) = PARTS[part % PARTS.len()];
            let y = place as f64;
            let (low, high) = ((from as f64, y - 0.36), ((from + count) as f64, y + 0.36));
            chart.rect(low, high, fill, opacity);
            let text = count.to_string();
            let room = chart.at(high).0 - chart.at(low).0;
            if room > 8.0 * text.len() as f64 {
                let dark = opacity == 1.0 && fill != "#ffffff";
                let ink = if dark { "#ffffff" } else { INK };
                chart.inscription(((low.0 + high.0) / 2.0, y), &text, ink);
            }
            from += count;
        }
    }
    chart.legend(parts, |chart, number, place| {
        let (fill, opacity) = PARTS[number % PARTS.len()];
        chart.fill_key(place, fill, opacity);
    });
    chart.svg()
}
