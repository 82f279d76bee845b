//! Settings of algorithms by name.

use std::fmt;

/// What a parameter may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A number from `low` to `high`.
    Number {
        /// Smallest value allowed.
        low: f64,
        /// Largest value allowed.
        high: f64,
    },
    /// A whole number from `low` to `high`.
    Count {
        /// Smallest value allowed.
        low: usize,
        /// Largest value allowed.
        high: usize,
    },
    /// 0 is off, 1 is on.
    Switch,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number { low, high } => write!(f, "a number from {low} to {high}"),
            Self::Count { low, high } => write!(f, "a whole number from {low} to {high}"),
            Self::Switch => write!(f, "0 (off) or 1 (on)"),
        }
    }
}

/// A parameter of an algorithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Its name in study files.
    pub name: &'static str,
    /// What it may be.
    pub kind: Kind,
    /// Its present value; a switch is 0 or 1.
    pub value: f64,
}

/// A setting that cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ParameterError {
    /// The algorithm has no parameter of this name.
    #[error("unknown parameter `{name}`: {}", listed(.known))]
    Unknown {
        /// The name that was given.
        name: String,
        /// The names that there are.
        known: Vec<&'static str>,
    },
    /// The value is not allowed.
    #[error("parameter `{name}` is {value}, but must be {kind}")]
    Value {
        /// The parameter.
        name: &'static str,
        /// The value that was given.
        value: f64,
        /// What is allowed.
        kind: Kind,
    },
}

fn listed(names: &[&str]) -> String {
    if names.is_empty() {
        "this algorithm has none".to_owned()
    } else {
        format!("there are {}", names.join(", "))
    }
}

/// A parameter together with the place where its value is kept.
pub struct Field<'a> {
    name: &'static str,
    slot: Slot<'a>,
}

enum Slot<'a> {
    Number(&'a mut f64, f64, f64),
    Count(&'a mut usize, usize, usize),
    Switch(&'a mut bool),
}

impl<'a> Field<'a> {
    /// A probability or another share, in 0..=1.
    pub(crate) fn share(name: &'static str, value: &'a mut f64) -> Self {
        Self { name, slot: Slot::Number(value, 0.0, 1.0) }
    }

    /// A whole number in `low..=high`.
    pub(crate) fn count(name: &'static str, value: &'a mut usize, low: usize, high: usize) -> Self {
        Self { name, slot: Slot::Count(value, low, high) }
    }

    /// On or off.
    pub(crate) fn switch(name: &'static str, value: &'a mut bool) -> Self {
        Self { name, slot: Slot::Switch(value) }
    }

    fn parameter(&self) -> Parameter {
        let (kind, value) = match &self.slot {
            Slot::Number(value, low, high) => (Kind::Number { low: *low, high: *high }, **value),
            Slot::Count(value, low, high) => {
                (Kind::Count { low: *low, high: *high }, **value as f64)
            }
            Slot::Switch(value) => (Kind::Switch, f64::from(u8::from(**value))),
        };
        Parameter { name: self.name, kind, value }
    }

    fn set(self, value: f64) -> Result<(), ParameterError> {
        let Parameter { name, kind, .. } = self.parameter();
        match self.slot {
            Slot::Number(slot, low, high) if (low..=high).contains(&value) => *slot = value,
            Slot::Count(slot, low, high)
                if value.fract() == 0.0 && (low as f64..=high as f64).contains(&value) =>
            {
                *slot = value as usize;
            }
            Slot::Switch(slot) if value == 0.0 || value == 1.0 => *slot = value == 1.0,
            _ => return Err(ParameterError::Value { name, value, kind }),
        }
        Ok(())
    }
}

/// Settings that can be read and changed by name.
pub trait Parameters: Clone {
    /// Every parameter and where its value is kept: the one list behind all else.
    #[doc(hidden)]
    fn fields(&mut self) -> Vec<Field<'_>>;

    /// Every parameter with its present value and what it may be.
    fn parameters(&self) -> Vec<Parameter> {
        self.clone().fields().iter().map(Field::parameter).collect()
    }

    /// The names of all parameters.
    fn names(&self) -> Vec<&'static str> {
        self.parameters().into_iter().map(|parameter| parameter.name).collect()
    }

    /// Changes a parameter; a switch takes 0 or 1.
    ///
    /// # Errors
    /// If there is no such parameter or the value is not allowed; nothing has changed
    /// then.
    fn set(&mut self, name: &str, value: f64) -> Result<(), ParameterError> {
        match self.fields().into_iter().find(|field| field.name == name) {
            Some(field) => field.set(value),
            None => {
                let known = self.names();
                Err(ParameterError::Unknown { name: name.to_owned(), known })
            }
        }
    }
}
