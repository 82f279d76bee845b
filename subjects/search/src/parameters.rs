//! Parameters of algorithms, which are set by name.

use std::fmt;

/// The allowed values of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum ParameterKind {
    /// A number from `low` to `high`.
    Number {
        /// The smallest allowed value.
        low: f64,
        /// The largest allowed value.
        high: f64,
    },
    /// A whole number from `low` to `high`.
    Count {
        /// The smallest allowed value.
        low: usize,
        /// The largest allowed value.
        high: usize,
    },
    /// A switch, which is on or off.
    Switch,
    /// One of several words.
    Choice(Vec<&'static str>),
}

impl fmt::Display for ParameterKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number { low, high } => write!(f, "a number from {low} to {high}"),
            Self::Count { low, high } => write!(f, "a whole number from {low} to {high}"),
            Self::Switch => write!(f, "true or false"),
            Self::Choice(words) => write!(f, "one of {}", words.join(", ")),
        }
    }
}

/// The value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Setting<'a> {
    /// The value of a switch.
    Switch(bool),
    /// The value of a number or a count.
    Number(f64),
    /// The value of a choice.
    Word(&'a str),
}

impl From<bool> for Setting<'_> {
    fn from(on: bool) -> Self {
        Self::Switch(on)
    }
}

impl From<f64> for Setting<'_> {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl<'a> From<&'a str> for Setting<'a> {
    fn from(word: &'a str) -> Self {
        Self::Word(word)
    }
}

impl fmt::Display for Setting<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Switch(on) => write!(f, "{on}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Word(word) => write!(f, "`{word}`"),
        }
    }
}

/// A parameter of an algorithm.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// The name in study files.
    pub name: &'static str,
    /// The allowed values.
    pub kind: ParameterKind,
    /// The current value.
    pub value: Setting<'static>,
    /// A description in one line.
    pub meaning: &'static str,
}

/// Why a parameter cannot be set.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ParameterError {
    /// The algorithm has no parameter with this name.
    #[error("unknown parameter `{name}`{}", if .known.is_empty() { ": this algorithm has none" } else { "" })]
    Unknown {
        /// The unknown name.
        name: String,
        /// The names of all parameters of the algorithm.
        known: Vec<&'static str>,
    },
    /// The value is not allowed.
    #[error("parameter `{name}` is {value}, but must be {kind}")]
    Value {
        /// The name of the parameter.
        name: &'static str,
        /// The refused value.
        value: String,
        /// The allowed values.
        kind: ParameterKind,
    },
}

/// A parameter with a reference to its value.
pub struct Field<'a> {
    name: &'static str,
    meaning: &'static str,
    slot: Slot<'a>,
}

enum Slot<'a> {
    Number(&'a mut f64, f64, f64),
    Count(&'a mut usize, usize, usize),
    Switch(&'a mut bool),
    Choice(Vec<&'static str>, usize, Box<dyn FnOnce(usize) + 'a>),
}

impl<'a> Field<'a> {
    /// A probability or another share, from 0 to 1.
    pub fn share(name: &'static str, value: &'a mut f64) -> Self {
        Self::number(name, value, 0.0, 1.0)
    }

    /// A number from `low` to `high`.
    pub fn number(name: &'static str, value: &'a mut f64, low: f64, high: f64) -> Self {
        Self::new(name, Slot::Number(value, low, high))
    }

    fn new(name: &'static str, slot: Slot<'a>) -> Self {
        Self { name, meaning: "", slot }
    }

    /// Adds a description in one line.
    #[must_use]
    pub fn meaning(self, meaning: &'static str) -> Self {
        Self { meaning, ..self }
    }

    /// A whole number from `low` to `high`.
    pub fn count(name: &'static str, value: &'a mut usize, low: usize, high: usize) -> Self {
        Self::new(name, Slot::Count(value, low, high))
    }

    /// A switch, which is on or off.
    pub fn switch(name: &'static str, value: &'a mut bool) -> Self {
        Self::new(name, Slot::Switch(value))
    }

    /// One of several words, each of which stands for a value.
    pub fn choice<T: Copy + PartialEq>(
        name: &'static str,
        value: &'a mut T,
        all: &'static [(&'static str, T)],
    ) -> Self {
        let words = all.iter().map(|(word, _)| *word).collect();
        let chosen = all.iter().position(|(_, choice)| choice == value).unwrap_or(0);
        let choose = Box::new(|index: usize| *value = all[index].1);
        Self::new(name, Slot::Choice(words, chosen, choose))
    }

    fn parameter(&self) -> Parameter {
        let (kind, value) = match &self.slot {
            Slot::Number(value, low, high) => {
                (ParameterKind::Number { low: *low, high: *high }, Setting::Number(**value))
            }
            Slot::Count(value, low, high) => {
                (ParameterKind::Count { low: *low, high: *high }, Setting::Number(**value as f64))
            }
            Slot::Switch(value) => (ParameterKind::Switch, Setting::Switch(**value)),
            Slot::Choice(words, chosen, _) => {
                (ParameterKind::Choice(words.clone()), Setting::Word(words[*chosen]))
            }
        };
        Parameter { name: self.name, kind, value, meaning: self.meaning }
    }

    fn set(self, value: Setting<'_>) -> Result<(), ParameterError> {
        let Parameter { name, kind, .. } = self.parameter();
        match (self.slot, value) {
            (Slot::Number(slot, low, high), Setting::Number(value))
                if (low..=high).contains(&value) =>
            {
                *slot = value;
            }
            (Slot::Count(slot, low, high), Setting::Number(value))
                if value.fract() == 0.0 && (low as f64..=high as f64).contains(&value) =>
            {
                *slot = value as usize;
            }
            (Slot::Switch(slot), Setting::Switch(value)) => *slot = value,
            (Slot::Choice(words, _, choose), Setting::Word(word)) if words.contains(&word) => {
                choose(words.iter().position(|known| *known == word).unwrap_or(0));
            }
            _ => return Err(ParameterError::Value { name, value: value.to_string(), kind }),
        }
        Ok(())
    }
}

/// Settings that are read and changed by name.
pub trait Parameters: Clone {
    /// All parameters with references to their values. The other methods use this list.
    #[doc(hidden)]
    fn fields(&mut self) -> Vec<Field<'_>>;

    /// All parameters with their current values and their allowed values.
    fn parameters(&self) -> Vec<Parameter> {
        self.clone().fields().iter().map(Field::parameter).collect()
    }

    /// The names of all parameters.
    fn names(&self) -> Vec<&'static str> {
        self.parameters().into_iter().map(|parameter| parameter.name).collect()
    }

    /// Sets a parameter.
    ///
    /// # Errors
    /// If there is no parameter with this name, or if the value is not allowed. In both cases, the
    /// settings do not change.
    fn set<'v>(&mut self, name: &str, value: impl Into<Setting<'v>>) -> Result<(), ParameterError> {
        let known = self.names();
        match self.fields().into_iter().find(|field| field.name == name) {
            Some(field) => field.set(value.into()),
            None => Err(ParameterError::Unknown { name: name.to_owned(), known }),
        }
    }
}
