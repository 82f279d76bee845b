//! Axes: their limits, their ticks, and the position of a value.

use super::numbers::{grouped, round_step};

/// In characters.
const MAX_NAME: usize = 28;

const PAIR: &str = " vs ";

const MAX_TICKS: usize = 7;

/// Factors of a power of ten for ticks, from dense to sparse.
const FACTORS: [&[f64]; 5] = [
    &[1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0],
    &[1.0, 2.0, 3.0, 4.0, 6.0, 8.0],
    &[1.0, 2.0, 5.0],
    &[1.0, 3.0],
    &[1.0],
];

pub(crate) struct Axis {
    pub(super) label: String,
    low: f64,
    high: f64,
    scale: Scale,
    pub(super) ticks: Vec<(f64, String)>,
    pub(super) minor: Vec<f64>,
    origin: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scale {
    Linear,
    Logarithmic,
    Names,
}

impl Axis {
    /// From a round number of at most `low` to a round number of at least `high`.
    pub(crate) fn round(label: &str, low: f64, high: f64) -> Axis {
        let step = round_step(((high - low) / 5.0).max(1e-3));
        let low = (low / step + 1e-9).floor() * step;
        let high = ((high / step - 1e-9).ceil() * step).max(low + step);
        Axis::exact(label, low, high)
    }

    pub(crate) fn exact(label: &str, low: f64, high: f64) -> Axis {
        Axis::with_step(label, (low, high), round_step(((high - low) / 5.0).max(1e-3)))
    }

    pub(crate) fn with_step(label: &str, (low, high): (f64, f64), step: f64) -> Axis {
        let decimals = (-libm::log10(step)).ceil().max(0.0) as usize;
        let first = (low / step - 1e-9).ceil() as i64;
        let last = (high / step + 1e-9).floor() as i64;
        let ticks = (first..=last).map(|n| {
            let value = n as f64 * step;
            let text = if decimals == 0 { grouped(value) } else { format!("{value:.decimals$}") };
            (value, text)
        });
        Axis { origin: Some(0.0), ..Axis::new(label, (low, high), Scale::Linear, ticks.collect()) }
    }

    fn new(label: &str, ends: (f64, f64), scale: Scale, ticks: Vec<(f64, String)>) -> Axis {
        let (label, (low, high)) = (label.to_owned(), ends);
        Axis { label, low, high, scale, ticks, minor: Vec::new(), origin: None }
    }

    /// Sets the origin, for a quantity whose smallest possible value is not 0, such as ranks.
    pub(crate) fn with_origin(self, origin: f64) -> Axis {
        Axis { origin: Some(origin), ..self }
    }

    pub(crate) fn percent(label: &str) -> Axis {
        Axis::exact(label, 0.0, 100.0)
    }

    pub(crate) fn percent_of(label: &str, low: f64, high: f64) -> Axis {
        let step = round_step(((high - low) / 5.0).max(0.5));
        let high = ((high / step - 1e-9).ceil() * step).clamp(step, 100.0);
        let low = ((low / step + 1e-9).floor() * step).clamp(0.0, high - step);
        Axis::with_step(label, (low, high), step)
    }

    /// The values must be positive.
    pub(crate) fn log(label: &str, low: f64, high: f64) -> Axis {
        let high = high.max(low);
        if high < low * 2.0 {
            return Axis::log_within_octave(label, low, high);
        }
        let decades = libm::log10(low).floor() as i32..=libm::log10(high).floor() as i32 + 1;
        let values = |factors: &[f64]| -> Vec<f64> {
            let of = |power: i32| factors.iter().map(move |f| f * libm::exp10(f64::from(power)));
            decades.clone().flat_map(of).collect()
        };
        let around = |values: &[f64]| -> Vec<f64> {
            let below = values.iter().filter(|&&v| v <= low * (1.0 + 1e-9)).count().max(1) - 1;
            let within = values.iter().filter(|&&v| v < high * (1.0 - 1e-9)).count();
            values[below..(within + 1).max(below + 2).min(values.len())].to_vec()
        };
        let candidates = FACTORS.map(|factors| around(&values(factors)));
        let fitting = candidates.iter().position(|ticks| ticks.len() <= MAX_TICKS);
        let labelled = &candidates[fitting.unwrap_or(FACTORS.len() - 1)];
        let every = labelled.len().div_ceil(MAX_TICKS);
        let decimals = |value: f64| {
            let power = libm::log10(value).floor() as i32;
            let digits = (value / libm::exp10(f64::from(power)) - 1.5).abs() < 1e-9
                || (value / libm::exp10(f64::from(power)) - 2.5).abs() < 1e-9;
            (i32::from(digits) - power).max(0) as usize
        };
        let text = |value: f64| match decimals(value) {
            0 => grouped(value.round()),
            decimals => format!("{value:.decimals$}"),
        };
        let ends = (labelled[0], labelled[labelled.len() - 1]);
        let ticks = labelled.iter().step_by(every).map(|&value| (value, text(value))).collect();
        let digits = values(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
        let minor = digits.into_iter().filter(|v| *v > ends.0 && *v < ends.1).collect();
        Axis { minor, ..Axis::new(label, ends, Scale::Logarithmic, ticks) }
    }

    fn log_within_octave(label: &str, low: f64, high: f64) -> Axis {
        let step = [(high - low) / 4.0, low / 10.0].into_iter().fold(f64::MIN, f64::max);
        let step = if step >= 1e-3 { round_step(step) } else { step };
        let first = ((low / step + 1e-9).floor() * step).max(step);
        let last = ((high / step - 1e-9).ceil() * step).max(first + step);
        let linear = Axis::with_step(label, (first, last), step);
        Axis::new(label, (first, last), Scale::Logarithmic, linear.ticks)
    }

    pub(crate) fn names<'a>(label: &str, names: impl IntoIterator<Item = &'a str>) -> Axis {
        let ticks: Vec<(f64, String)> =
            names.into_iter().enumerate().map(|(i, name)| (i as f64, truncated(name))).collect();
        let high = ticks.len().max(1) as f64 - 0.5;
        Axis::new(label, (-0.5, high), Scale::Names, ticks)
    }

    pub(super) fn has_names(&self) -> bool {
        self.scale == Scale::Names
    }

    pub(super) fn is_broken(&self) -> bool {
        self.origin.is_some_and(|origin| origin < self.low - 1e-9 || origin > self.high + 1e-9)
    }

    /// Values beyond an end are moved to the end.
    pub(super) fn position(&self, value: f64) -> f64 {
        let scaled = |v: f64| match self.scale {
            Scale::Logarithmic => libm::log10(v.max(f64::MIN_POSITIVE)),
            Scale::Linear | Scale::Names => v,
        };
        let (low, high) = (scaled(self.low), scaled(self.high));
        ((scaled(value) - low) / (high - low)).clamp(0.0, 1.0)
    }

    pub(super) fn visible_ticks(&self) -> Vec<(f64, String)> {
        let inside =
            |value: f64| value >= self.low - 1e-9 && value <= self.high * (1.0 + 1e-9) + 1e-9;
        self.ticks
            .iter()
            .filter(|tick| inside(tick.0))
            .map(|(value, text)| (self.position(*value), text.clone()))
            .collect()
    }

    pub(crate) fn ends(&self) -> (f64, f64) {
        (self.low, self.high)
    }
}

/// Names of parameters are shortened first. An ellipsis replaces the middle, because names often
/// differ at their ends.
pub(crate) fn truncated(name: &str) -> String {
    let fits = |name: &str| name.chars().count() <= MAX_NAME;
    if fits(name) {
        return name.to_owned();
    }
    let (name, share) = match name.rfind(']') {
        Some(end) if name.ends_with('%') => name.split_at(end + 1),
        _ => (name, ""),
    };
    if fits(name) {
        return format!("{name}{share}");
    }
    let letters = (3..MAX_NAME).rev().chain([0]);
    let mut shortest = name.to_owned();
    for shorter in letters.map_while(|letters| abbreviated(name, letters)) {
        if fits(&shorter) {
            return shorter + share;
        }
        shortest = shorter;
    }
    match shortest.split_once(PAIR) {
        Some((first, _)) => cut(first, MAX_NAME - PAIR.len() - 1) + PAIR + "…",
        None => cut(&shortest, MAX_NAME) + share,
    }
}

fn cut(text: &str, most: usize) -> String {
    let letters: Vec<char> = text.chars().collect();
    if letters.len() <= most {
        return text.to_owned();
    }
    let end = (most - 1) * 2 / 5;
    let begin = most - 1 - end;
    letters[..begin].iter().chain(&['…']).chain(&letters[letters.len() - end..]).collect()
}

/// Shortens the names of parameters in labels of grids to `letters` letters; 0 leaves them out.
fn abbreviated(text: &str, letters: usize) -> Option<String> {
    let mut short = String::new();
    let (mut rest, mut found) = (text, false);
    while let Some((before, after)) = rest.split_once('[') {
        let (settings, rest_after) = after.split_once(']')?;
        let cut = settings.split(' ').map(|setting| {
            let (name, value) = setting.split_once('=')?;
            let name: String = name.chars().take(letters).collect();
            Some(if name.is_empty() { value.to_owned() } else { format!("{name}={value}") })
        });
        let cut = cut.collect::<Option<Vec<_>>>().map(|settings| settings.join(" "));
        found |= cut.is_some();
        let settings = cut.as_deref().unwrap_or(settings);
        short.extend([before, "[", settings, "]"]);
        rest = rest_after;
    }
    short.push_str(rest);
    found.then_some(short)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_grids_keep_their_values() {
        assert_eq!(truncated("mosa[population=10]"), "mosa[population=10]");
        let long = "mosa[population=10 crossover=0.5 max_events=40]";
        assert_eq!(truncated(long), "mosa[pop=10 cro=0.5 max=40]");
        let longer = "mosa[a_very_long_name=12345 another_long_name=67890 z=1234567]";
        assert_eq!(truncated(longer), "mosa[12345 67890 1234567]");
        let longest = "mosa[a_very_long_name=12345 another_long_name=67890 z=12345678901]";
        assert_eq!(truncated(longest), "mosa[12345 67890 …345678901]");
        let share = "mosa[a_very_long_name=12345 another_long_name=67890] 98.5 %";
        assert_eq!(truncated(share), "mosa[a_ve=12345 anot=67890] 98.5 %");
        assert_eq!(truncated(&truncated(share)), truncated(share));
        let pair = "mosa[population=10 crossover=0.5] vs mosa";
        assert_eq!(truncated(pair), "mosa[pop=10 cro=0.5] vs mosa");
        let other = "a name of more than 28 letters [x]";
        assert_eq!(truncated(other), "a name of more th…etters [x]");
        let sizes = ["released[subsequence:auto 10]", "released[subsequence:auto 20]"];
        assert_eq!(
            sizes.map(truncated),
            ["released[subseque…e:auto 10]", "released[subseque…e:auto 20]"]
        );
        let pairs = [
            "best-of[consecutive:auto 10] vs unranked[auto 5]",
            "best-of[x:auto 20] vs unranked[auto 5]",
        ];
        assert_eq!(
            pairs.map(truncated),
            ["best-of[consec…auto 10] vs …", "best-of[x:auto 20] vs …"]
        );
    }

    fn labels(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|tick| tick.1.as_str()).collect()
    }

    #[test]
    fn axes_have_round_ends_and_ticks() {
        let axis = Axis::round("", 0.13, 0.92);
        assert_eq!(axis.ends(), (0.0, 1.0));
        assert_eq!(axis.ticks[1].1, "0.2");
        assert_eq!(axis.position(0.0), 0.0, "the low end has the position 0");
        let same = Axis::round("", 7.0, 7.0);
        assert!(same.ends().0 < same.ends().1);
        assert_eq!(labels(&Axis::with_step("", (80.0, 95.0), 5.0)), ["80", "85", "90", "95"]);
        assert_eq!(Axis::percent_of("", 63.0, 99.0).ends(), (60.0, 100.0));
        assert_eq!(Axis::percent_of("", 100.0, 100.0).ends(), (99.5, 100.0));
        assert_eq!(Axis::percent_of("", 0.0, 0.0).ends(), (0.0, 0.5));
    }

    #[test]
    fn logarithmic_axes_have_at_most_seven_labels() {
        assert_eq!(
            labels(&Axis::log("", 3.0, 1_500.0)),
            ["3", "10", "30", "100", "300", "1000", "3000"]
        );
        assert_eq!(labels(&Axis::log("", 7.0, 60.0)), ["6", "8", "10", "20", "30", "40", "60"]);
        assert_eq!(labels(&Axis::log("", 0.021, 0.034)), ["0.020", "0.025", "0.030", "0.035"]);
        assert_eq!(labels(&Axis::log("", 104.0, 121.0)), ["100", "120", "140"]);
        assert_eq!(labels(&Axis::log("", 1e-3, 1e9)).len(), 7);
        let same = Axis::log("", 7.0, 7.0);
        assert!(same.ends().0 < same.ends().1);
        let axis = Axis::log("", 3.0, 3_000.0);
        assert!((axis.position(3.0 * 10_f64.powf(1.5)) - 0.5).abs() < 1e-12);
        assert_eq!(axis.minor.len(), 26);
        for power in -6..6 {
            for ratio in 0..60 {
                let low = 1.7 * 10_f64.powi(power);
                let high = low * 1.25_f64.powi(ratio);
                let axis = Axis::log("", low, high);
                let ends = axis.ends();
                assert!(
                    ends.0 <= low * (1.0 + 1e-9) && ends.1 >= high * (1.0 - 1e-9),
                    "{low} {high}"
                );
                let fewest = if ratio < 3 { 2 } else { 4 };
                assert!((fewest..=7).contains(&axis.ticks.len()), "{low} {high} {:?}", axis.ticks);
            }
        }
    }

    #[test]
    fn axes_that_leave_out_their_origin_are_broken() {
        assert!(Axis::round("", 48.0, 92.0).is_broken() && !Axis::round("", 0.0, 9.0).is_broken());
        assert!(!Axis::round("", -3.0, 9.0).is_broken() && !Axis::log("", 10.0, 90.0).is_broken());
        assert!(!Axis::exact("", 1.0, 3.0).with_origin(1.0).is_broken());
        assert!(!Axis::names("", ["a"]).is_broken());
    }
}
