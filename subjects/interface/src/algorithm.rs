//! Descriptions of algorithms and parameters, and the error for refused settings.

use std::fmt;

use catherd_experiments::{AlgorithmError, Parameter, instead};
use serde::Serialize;

/// The [`AlgorithmInfo::name`] for a kind that accepts algorithms of any name.
pub const ANY_ALGORITHM: &str = "*";

/// Describes an algorithm of a kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AlgorithmInfo {
    /// The name in study files, or [`ANY_ALGORITHM`].
    pub name: String,
    /// Description in one line.
    pub summary: String,
    /// The parameters.
    pub parameters: Vec<ParameterInfo>,
}

/// A parameter of an algorithm.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ParameterInfo {
    /// The name in study files.
    pub name: String,
    /// The value that applies if a study does not set the parameter.
    pub default: Option<Parameter>,
    /// The allowed values.
    pub values: Values,
    /// Description in one line.
    pub meaning: String,
}

/// The allowed values of a parameter.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Values {
    /// `true` or `false`.
    Flag,
    /// A whole number in `low..=high`.
    Integer {
        /// The smallest number.
        low: i64,
        /// The largest number.
        high: i64,
    },
    /// A number in `low..=high`.
    Number {
        /// The smallest number.
        low: f64,
        /// The largest number.
        high: f64,
    },
    /// One of several words.
    Choice {
        /// The allowed words.
        words: Vec<String>,
    },
    /// Any string.
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
            Values::Text => f.write_str("a string"),
        }
    }
}

/// A setting that a kind refuses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{cause}")]
pub struct FieldError {
    /// The name of the refused parameter, or of the refused key in the settings of mutation
    /// analysis.
    pub field: Option<String>,
    /// What is wrong, in one line.
    pub cause: String,
    /// What to write instead.
    pub advice: String,
}

/// Returns the names of an algorithm's parameters.
pub fn parameter_names(algorithms: &[AlgorithmInfo], algorithm: &str) -> Vec<String> {
    let of = algorithms.iter().filter(|info| info.name == algorithm);
    of.flat_map(|info| info.parameters.iter().map(|parameter| parameter.name.clone())).collect()
}

impl FieldError {
    /// The error that a kind has no algorithm with this name.
    pub fn unknown_algorithm(name: &str, known: &[impl AsRef<str>]) -> FieldError {
        FieldError {
            field: None,
            cause: format!("unknown algorithm `{name}`"),
            advice: instead(name, known),
        }
    }

    /// The error that an algorithm has no parameter with this name.
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

    /// The error that a kind has no mutation operator with this name.
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
