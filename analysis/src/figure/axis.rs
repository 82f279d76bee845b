//! Axes: their ends, their ticks, and the position of a value.

use super::numbers::{grouped, round_step};

/// Longest name beside an axis or in a legend, in characters.
const MAX_NAME: usize = 28;

/// An axis of a chart.
pub(crate) struct Axis {
    pub(super) label: String,
    low: f64,
    high: f64,
    scale: Scale,
    /// Value and text of each tick.
    pub(super) ticks: Vec<(f64, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scale {
    Linear,
    Logarithmic,
    /// One position for each name: 0, 1, 2, ...
    Names,
}

impl Axis {
    /// A linear axis from a round number at or below `low` to one at or above `high`.
    pub(crate) fn round(label: &str, low: f64, high: f64) -> Axis {
        let step = round_step(((high - low) / 5.0).max(1e-3));
        let low = (low / step + 1e-9).floor() * step;
        let high = ((high / step - 1e-9).ceil() * step).max(low + step);
        Axis::exact(label, low, high)
    }

    /// A linear axis between these values, with about five round ticks.
    pub(crate) fn exact(label: &str, low: f64, high: f64) -> Axis {
        Axis::with_step(label, (low, high), round_step(((high - low) / 5.0).max(1e-3)))
    }

    /// A linear axis between these values, with a tick at each multiple of `step`.
    pub(crate) fn with_step(label: &str, (low, high): (f64, f64), step: f64) -> Axis {
        let decimals = (-libm::log10(step)).ceil().max(0.0) as usize;
        let first = (low / step - 1e-9).ceil() as i64;
        let last = (high / step + 1e-9).floor() as i64;
        let ticks = (first..=last).map(|n| {
            let value = n as f64 * step;
            let text = if decimals == 0 { grouped(value) } else { format!("{value:.decimals$}") };
            (value, text)
        });
        let ticks = ticks.collect();
        Axis { label: label.to_owned(), low, high, scale: Scale::Linear, ticks }
    }

    /// A linear axis of percentages from 0 to 100.
    pub(crate) fn percent(label: &str) -> Axis {
        Axis::exact(label, 0.0, 100.0)
    }

    /// A logarithmic axis that contains these positive values.
    pub(crate) fn log(label: &str, low: f64, high: f64) -> Axis {
        let (first, last) = (libm::log10(low).floor() as i32, libm::log10(high).ceil() as i32);
        let last = last.max(first + 1);
        let mut ticks: Vec<(f64, String)> = (first..=last)
            .flat_map(|power| [(1.0, power), (3.0, power)])
            .map(|(factor, power)| {
                let value = factor * libm::exp10(f64::from(power));
                let decimals = (-power).max(0) as usize;
                let text = if power < 0 { format!("{value:.decimals$}") } else { grouped(value) };
                (value, text)
            })
            .collect();
        // Keep the last tick that is not above any value, the first one that is not below any,
        // and those between.
        let below = ticks.iter().filter(|tick| tick.0 <= low * (1.0 + 1e-9)).count().max(1) - 1;
        ticks.drain(..below);
        let within = ticks.iter().filter(|tick| tick.0 < high * (1.0 - 1e-9)).count().max(1);
        ticks.truncate(within + 1);
        let ends = (ticks[0].0, ticks[ticks.len() - 1].0);
        // Many decades need no ticks between them.
        if ticks.len() > 8 {
            ticks.retain(|tick| libm::log10(tick.0).fract() == 0.0);
        }
        let (low, high) = ends;
        Axis { label: label.to_owned(), low, high, scale: Scale::Logarithmic, ticks }
    }

    /// An axis with one position for each name: 0, 1, 2, ...
    pub(crate) fn names<'a>(label: &str, names: impl IntoIterator<Item = &'a str>) -> Axis {
        let ticks: Vec<(f64, String)> =
            names.into_iter().enumerate().map(|(i, name)| (i as f64, truncated(name))).collect();
        let high = ticks.len().max(1) as f64 - 0.5;
        Axis { label: label.to_owned(), low: -0.5, high, scale: Scale::Names, ticks }
    }

    /// Whether the ticks are names.
    pub(super) fn has_names(&self) -> bool {
        self.scale == Scale::Names
    }

    /// The position of a value, in 0..=1; values beyond an end are moved to it.
    pub(super) fn position(&self, value: f64) -> f64 {
        let scaled = |v: f64| match self.scale {
            Scale::Logarithmic => libm::log10(v.max(f64::MIN_POSITIVE)),
            Scale::Linear | Scale::Names => v,
        };
        let (low, high) = (scaled(self.low), scaled(self.high));
        ((scaled(value) - low) / (high - low)).clamp(0.0, 1.0)
    }

    /// Position and text of the ticks between the ends.
    pub(super) fn visible_ticks(&self) -> Vec<(f64, String)> {
        let inside =
            |value: f64| value >= self.low - 1e-9 && value <= self.high * (1.0 + 1e-9) + 1e-9;
        self.ticks
            .iter()
            .filter(|tick| inside(tick.0))
            .map(|(value, text)| (self.position(*value), text.clone()))
            .collect()
    }

    /// The values at the ends.
    pub(crate) fn ends(&self) -> (f64, f64) {
        (self.low, self.high)
    }
}

/// A name with an ellipsis in place of its end if it is too long for an axis or a legend.
pub(crate) fn truncated(name: &str) -> String {
    if name.chars().count() <= MAX_NAME {
        return name.to_owned();
    }
    name.chars().take(MAX_NAME - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_round_ends_and_ticks() {
        let axis = Axis::round("", 0.13, 0.92);
        assert_eq!(axis.ends(), (0.0, 1.0));
        assert_eq!(axis.ticks[1].1, "0.2");
        let axis = Axis::log("", 3.0, 1_500.0);
        assert_eq!(axis.ends(), (3.0, 3_000.0));
        assert!((axis.position(3.0 * 10_f64.powf(1.5)) - 0.5).abs() < 1e-12);
        assert_eq!(Axis::log("", 7.0, 7.0).ends(), (3.0, 10.0));
        assert_eq!(Axis::log("", 1e-2, 1e5).ticks.len(), 8);
        assert_eq!(axis.position(0.0), 0.0, "a value without a logarithm is at the low end");
        let same = Axis::round("", 7.0, 7.0);
        assert!(same.ends().0 < same.ends().1);
        let steps = Axis::with_step("", (80.0, 95.0), 5.0);
        assert_eq!(
            steps.ticks.iter().map(|t| t.1.as_str()).collect::<Vec<_>>(),
            ["80", "85", "90", "95"]
        );
    }
}
