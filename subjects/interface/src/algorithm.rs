//! Descriptions of algorithms and parameters, and the error for a setting that a kind refuses.

use std::fmt;

use catherd_experiments::{AlgorithmError, Parameter, instead};
use serde::Serialize;

/// The [`AlgorithmInfo::name`] of a kind that accepts any name.
pub const ANY_ALGORITHM: &str = "*";

/// An algorithm of a kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AlgorithmInfo {
    /// The name in study files; [`ANY_ALGORITHM`] if the kind accepts any name.
    pub name: String,
    /// Description in one line.
    pub summary: String,
    /// Its parameters, in the order of the documentation.
    pub parameters: Vec<ParameterInfo>,
}

/// A parameter of an algorithm.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ParameterInfo {
    /// The name in study files.
    pub name: String,
    /// The value that applies unless a study sets the parameter. `None` if every study must set it.
    pub default: Option<Parameter>,
    /// The values that are allowed.
    pub values: Values,
    /// Description in one line.
    pub meaning: String,
}

/// The values that a parameter may have.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Values {
    /// `true` or `false`.
    Flag,
    /// A whole number in `low..=high`.
    Integer {
        /// The smallest.
        low: i64,
        /// The largest.
        high: i64,
    },
    /// A number in `low..=high`.
    Number {
        /// The smallest.
        low: f64,
        /// The largest.
        high: f64,
    },
    /// One of these words.
    Choice {
        /// The words.
        words: Vec<String>,
    },
    /// Any text.
    Text,
}

impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Values::Flag => f.write_str("true or false"),
            Values::Integer { low, high: i64::MAX } => write!(f, "a whole number from {low}"),
            Values::Integer { low, high } => write!(f, "a whole number from {low} to {high}"),
            Values::Number { low, high } => write!(f, "a number from {low} to {high}"),
            Values::Choice { words } => write!(f, "one of {}", words.join(", ")),
            Values::Text => f.write_str("a text"),
        }
    }
}

/// A setting that a kind refuses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{cause}")]
pub struct FieldError {
    /// The parameter, or the key of the mutation settings. `None` if the error is not about one of
    /// them, such as an unknown algorithm or a kind without mutation analysis.
    pub field: Option<String>,
    /// What is wrong, in one line.
    pub cause: String,
    /// What to write instead.
    pub advice: String,
}

/// The names of the parameters of an algorithm; empty if there is no such algorithm.
pub fn parameter_names(algorithms: &[AlgorithmInfo], algorithm: &str) -> Vec<String> {
    let of = algorithms.iter().filter(|info| info.name == algorithm);
    of.flat_map(|info| info.parameters.iter().map(|parameter| parameter.name.clone())).collect()
}

impl FieldError {
    /// A kind has no algorithm of this name.
    pub fn unknown_algorithm(name: &str, known: &[impl AsRef<str>]) -> FieldError {
        FieldError {
            field: None,
            cause: format!("unknown algorithm `{name}`"),
            advice: instead(name, known),
        }
    }

    /// An algorithm has no parameter of this name.
    pub fn unknown_parameter(name: &str, known: &[impl AsRef<str>]) -> FieldError {
        let table = name.split_once('.').map(|(table, _)| table);
        let advice = match table.filter(|table| known.iter().any(|known| known.as_ref() == *table))
        {
            Some(table) => {
                format!("write {table} = VALUE, or {table} = [VALUE, VALUE] for several")
            }
            None => instead(name, known),
        };
        FieldError {
            field: Some(name.to_owned()),
            cause: format!("unknown parameter `{name}`"),
            advice,
        }
    }

    /// There is no mutation operator of this name.
    pub fn unknown_operator(name: &str, known: &[impl AsRef<str>]) -> FieldError {
        FieldError {
            field: Some("operators".to_owned()),
            cause: format!("unknown mutation operator `{name}`"),
            advice: instead(name, known),
        }
    }
}

impl From<FieldError> for AlgorithmError {
    fn from(error: FieldError) -> AlgorithmError {
        match error.field {
            None => AlgorithmError::Name(error.cause),
            Some(_) => AlgorithmError::Parameter(error.cause),
        }
    }
}
