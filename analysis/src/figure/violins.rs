//! Violin plots: the density of a sample on both sides of an axis.

use super::boxes::{MEAN, description};
use super::chart::{Chart, INK};
use super::layout::{Layout, Width};
use super::svg::Svg;
use super::{Axis, Series, Style, three_digits};
use crate::stats::Description;

const POINTS: usize = 128;

pub(crate) struct Violin<'a> {
    pub(crate) label: &'a str,
    pub(crate) series: Series,
    pub(crate) values: &'a [f64],
}

pub(crate) fn draw(y: Axis, samples: &[Violin<'_>], reference: Option<f64>, subtitle: &str) -> Svg {
    let names = Axis::names("", samples.iter().map(|sample| sample.label));
    let layout = Layout::new(Width::above(samples.len()), 220.0, subtitle);
    let mut chart = Chart::new(names, y, &layout);
    if let Some(value) = reference {
        let last = samples.len() as f64 - 0.5;
        chart.reference((-0.5, value), (last, value));
    }
    let (left, _, right, _) = chart.bounds();
    let labelled = (right - left) / samples.len().max(1) as f64 > 55.0;
    for (number, sample) in samples.iter().enumerate() {
        chart.begin(sample.label, &description(sample.label, sample.label, sample.values));
        draw_violin(&mut chart, number, sample, labelled);
        chart.end();
    }
    chart.finish()
}

fn draw_violin(chart: &mut Chart, number: usize, sample: &Violin<'_>, labelled: bool) {
    let Violin { series, values, .. } = *sample;
    let Ok(d) = Description::of(values) else { return };
    let x = number as f64;
    let density = density(values, &d);
    let highest = density.iter().map(|p| p.1).fold(0.0, f64::max);
    let side =
        |sign: f64| density.iter().map(move |(y, share)| (x + sign * 0.4 * share / highest, *y));
    let outline: Vec<_> =
        side(1.0).chain(side(-1.0).collect::<Vec<_>>().into_iter().rev()).collect();
    chart.area(&outline, series.style().fill(0.2), true);
    let ink = Style::solid(INK);
    chart.line(&[(x, d.lower_quartile), (x, d.upper_quartile)], ink, 4.0);
    chart.line(&[(x - 0.1, d.median), (x + 0.1, d.median)], ink, 2.5);
    chart.marker((x, d.mean), MEAN, 3.5, 1.0);
    if labelled {
        let (from, y) = chart.at((x + 0.1, d.median));
        chart.boxed_text((from + 3.0, y), &three_digits(d.median));
    }
}

/// A Gaussian kernel density between the smallest and the largest value. The bandwidth follows
/// Silverman's rule, but is at least a sixtieth of the range.
fn density(values: &[f64], d: &Description) -> Vec<(f64, f64)> {
    let range = d.maximum - d.minimum;
    if range == 0.0 {
        // Equal values have no density.
        return vec![(d.minimum, 1.0)];
    }
    let quartiles = (d.upper_quartile - d.lower_quartile) / 1.34;
    let spread = d.deviation.unwrap_or(range);
    let spread = if quartiles > 0.0 { spread.min(quartiles) } else { spread };
    let width = (0.9 * spread * libm::pow(d.n as f64, -0.2)).max(range / 60.0);
    let at = |point: usize| d.minimum + range * point as f64 / (POINTS - 1) as f64;
    let mut counts = vec![0.0; POINTS];
    for value in values {
        counts[((value - d.minimum) / range * (POINTS - 1) as f64).round() as usize] += 1.0;
    }
    let kernel: Vec<f64> =
        (0..POINTS).map(|i| libm::exp(-((at(i) - at(0)) / width).powi(2) / 2.0)).collect();
    (0..POINTS)
        .map(|i| (at(i), counts.iter().enumerate().map(|(j, n)| n * kernel[i.abs_diff(j)]).sum()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_density_is_high_where_values_are() {
        let values: Vec<f64> = (0..90).map(|i| f64::from(i % 9)).chain([40.0]).collect();
        let density = density(&values, &Description::of(&values).unwrap());
        assert_eq!((density[0].0, density[POINTS - 1].0), (0.0, 40.0));
        let highest = density.iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
        assert!((2.0..6.0).contains(&highest.0), "{highest:?}");
        assert!(density[80].1 < highest.1 / 100.0);
    }
}
