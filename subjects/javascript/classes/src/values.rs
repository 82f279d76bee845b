//! Simple values: random values, constants of the program, and values from generators that the
//! project names.

use catherd_javascript_machine::instrument::Units;
use catherd_javascript_machine::{Argument, ProjectConfig};
use catherd_search::Stream;

use crate::pattern::Pattern;
use crate::types::Type;

/// Numbers and strings of the target files, and generators that the project names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Constants {
    numbers: Vec<f64>,
    texts: Vec<String>,
    number_generator: Option<Pattern>,
    text_generator: Option<Pattern>,
}

/// Error for a key of `subject.toml` that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConfigError(String);

impl From<String> for ConfigError {
    fn from(line: String) -> ConfigError {
        ConfigError(line)
    }
}

/// Checks the generators and the profile that a project names.
///
/// # Errors
///
/// If a key cannot be used.
pub fn check_config(config: &ProjectConfig) -> Result<(), ConfigError> {
    for (key, pattern) in [("numbers", &config.numbers), ("strings", &config.strings)] {
        if let Some(pattern) = pattern {
            Pattern::parse(pattern).map_err(|error| format!("subject.toml: {key}: {error}"))?;
        }
    }
    match config.profile.as_deref() {
        None | Some("flycatcher" | "scored") => Ok(()),
        Some(other) => {
            let cause =
                format!("subject.toml: profile: `{other}` is neither flycatcher nor scored");
            Err(cause.into())
        }
    }
}

const SPECIAL_NUMBERS: [f64; 8] =
    [0.0, -0.0, 1.0, -1.0, f64::NAN, f64::INFINITY, 2_147_483_648.0, 9_007_199_254_740_992.0];
const SPECIAL_TEXTS: [&str; 6] = ["", " ", "0", "a", "__proto__", "\u{1F600}"];

impl Constants {
    /// The constants of the target files. A generator that [`check_config`] refuses is ignored.
    pub fn of(units: &Units, config: &ProjectConfig) -> Constants {
        let generator =
            |text: &Option<String>| text.as_ref().and_then(|text| Pattern::parse(text).ok());
        Constants {
            numbers: units.numbers.keys().map(|bits| f64::from_bits(*bits)).collect(),
            texts: units.texts.keys().cloned().collect(),
            number_generator: generator(&config.numbers),
            text_generator: generator(&config.strings),
        }
    }

    /// A drawn string that is not a number results in NaN.
    fn generated_number(&self, rng: &mut Stream) -> Option<f64> {
        let text = self.number_generator.as_ref()?.draw(rng);
        Some(text.trim().parse().unwrap_or(f64::NAN))
    }

    /// A number of 1 to 10 digits, or from the project's generator (profile `flycatcher`).
    pub(crate) fn plain_number(&self, rng: &mut Stream) -> f64 {
        match self.generated_number(rng) {
            Some(number) => number,
            None => digits(rng),
        }
    }

    /// A string of 1 to 10 letters, digits and `_`, or from the project's generator (profile
    /// `flycatcher`).
    pub(crate) fn plain_text(&self, rng: &mut Stream) -> String {
        match &self.text_generator {
            Some(pattern) => pattern.draw(rng),
            None => word(rng),
        }
    }

    /// A number (profile `scored`). `share` is the probability of a constant of the program.
    pub fn number(&self, share: f64, rng: &mut Stream) -> f64 {
        if rng.chance(share) && !self.numbers.is_empty() {
            let constant = *rng.pick(&self.numbers);
            return constant + [0.0, 0.0, -1.0, 1.0][rng.index(4)];
        }
        if rng.chance(0.1) {
            return *rng.pick(&SPECIAL_NUMBERS);
        }
        if let Some(number) = self.generated_number(rng) {
            return number;
        }
        let drawn = rng.gaussian(0.0, 20.0);
        if rng.chance(0.2) { (drawn * 100.0).round() / 100.0 } else { drawn.round() + 0.0 }
    }

    /// A string (profile `scored`). `share` is the probability of a constant of the program.
    pub fn text(&self, share: f64, rng: &mut Stream) -> String {
        if rng.chance(share) && !self.texts.is_empty() {
            return rng.pick(&self.texts).clone();
        }
        if rng.chance(0.1) {
            return (*rng.pick(&SPECIAL_TEXTS)).to_owned();
        }
        if let Some(pattern) = &self.text_generator {
            return pattern.draw(rng);
        }
        let mut text = String::new();
        while rng.chance(0.8) && text.len() < 40 {
            text.push(self.letter(share, rng));
        }
        text
    }

    /// A printable character; with probability `share` a character of a string constant.
    fn letter(&self, share: f64, rng: &mut Stream) -> char {
        if rng.chance(share) && !self.texts.is_empty() {
            let letters: Vec<char> = rng.pick(&self.texts).chars().collect();
            if !letters.is_empty() {
                return *rng.pick(&letters);
            }
        }
        printable(rng)
    }
}

fn printable(rng: &mut Stream) -> char {
    char::from(b' ' + rng.below(95) as u8)
}

fn digits(rng: &mut Stream) -> f64 {
    let length = rng.between(1, 10);
    (0..length).fold(0.0, |number, _| number * 10.0 + rng.below(10) as f64)
}

fn word(rng: &mut Stream) -> String {
    const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    let length = rng.between(1, 10);
    (0..length).map(|_| char::from(*rng.pick(LETTERS))).collect()
}

/// A value of a simple type; `None` for other types.
pub(crate) fn simple(type_: &Type, rng: &mut Stream) -> Option<Argument> {
    Some(match type_ {
        Type::Boolean => Argument::Boolean(rng.chance(0.5)),
        Type::Null => Argument::Null,
        Type::Undefined => Argument::Undefined,
        Type::BigInt => Argument::BigInt((rng.below(200) as i64 - 100).to_string()),
        Type::Symbol => Argument::Symbol("s".to_owned()),
        Type::RegExp => {
            let texts = ["a", "[0-9]+", "^\\w+$", "\\s", "."];
            Argument::RegExp(
                (*rng.pick(&texts)).to_owned(),
                if rng.chance(0.5) { "g" } else { "" }.to_owned(),
            )
        }
        Type::Date => Argument::Date((rng.below(4_000_000_000_000) as f64).floor()),
        _ => return None,
    })
}

/// A value near another value; `None` for a value without neighbours.
pub(crate) fn neighbour(
    value: &Argument,
    constants: &Constants,
    share: f64,
    rng: &mut Stream,
) -> Option<Argument> {
    Some(match value {
        Argument::Number(number) => {
            let step = rng.gaussian(0.0, 5.0);
            Argument::Number(match rng.index(4) {
                0 if number.is_finite() => -number,
                1 if number.is_finite() => number + step,
                _ if number.is_finite() => {
                    let whole = if step.abs() < 1.0 { step.signum() } else { step.round() };
                    number + whole
                }
                _ => step.round(),
            })
        }
        Argument::String(text) => {
            let mut letters: Vec<char> = text.chars().collect();
            match rng.index(3) {
                0 => {
                    let letter = constants.letter(share, rng);
                    letters.insert(rng.index(letters.len() + 1), letter);
                }
                1 if !letters.is_empty() => {
                    letters.remove(rng.index(letters.len()));
                }
                _ if !letters.is_empty() => {
                    let at = rng.index(letters.len());
                    letters[at] = constants.letter(share, rng);
                }
                _ => letters.push(constants.letter(share, rng)),
            }
            Argument::String(letters.into_iter().take(200).collect())
        }
        Argument::Boolean(is) => Argument::Boolean(!is),
        _ => return None,
    })
}
