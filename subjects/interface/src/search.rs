//! Conversions for subject kinds whose algorithms are from `catherd-search`.

use std::time::Duration;

use catherd_experiments::{Budget, Parameter, instead};
use catherd_search::{ParameterError, ParameterKind, Setting};

use crate::{FieldError, ParameterInfo, Values};

/// Converts the value of a parameter of a study.
pub fn setting(parameter: &Parameter) -> Setting<'_> {
    match parameter {
        Parameter::Bool(on) => Setting::Switch(*on),
        Parameter::Integer(number) => Setting::Number(*number as f64),
        Parameter::Number(number) => Setting::Number(*number),
        Parameter::Text(text) => Setting::Word(text),
    }
}

/// Converts the description of a parameter of the search.
pub fn parameter_info(parameter: catherd_search::Parameter) -> ParameterInfo {
    let values = match parameter.kind {
        ParameterKind::Number { low, high } => Values::Number { low, high },
        ParameterKind::Count { low, high } => {
            Values::Integer { low: low as i64, high: high as i64 }
        }
        ParameterKind::Switch => Values::Flag,
        ParameterKind::Choice(words) => {
            Values::Choice { words: words.into_iter().map(str::to_owned).collect() }
        }
    };
    let default = match (parameter.value, &values) {
        (Setting::Switch(on), _) => Parameter::Bool(on),
        (Setting::Number(number), Values::Integer { .. }) => Parameter::Integer(number as i64),
        (Setting::Number(number), _) => Parameter::Number(number),
        (Setting::Word(word), _) => Parameter::Text(word.to_owned()),
    };
    ParameterInfo {
        name: parameter.name.to_owned(),
        default: Some(default),
        values,
        meaning: parameter.meaning.to_owned(),
    }
}

/// Converts an error in a parameter.
pub fn refusal(error: &ParameterError) -> FieldError {
    match error {
        ParameterError::Unknown { name, known } => FieldError::unknown_parameter(name, known),
        ParameterError::Value { name, value, kind } => FieldError {
            field: Some((*name).to_owned()),
            cause: error.to_string(),
            advice: match kind {
                ParameterKind::Choice(words) => instead(value.trim_matches('`'), words),
                kind => format!("give {kind}"),
            },
        },
    }
}

/// Converts the budget of a run. `executions` and `steps` are the kind's units of work.
pub fn budget(budget: &Budget, executions: &str, steps: &str) -> catherd_search::Budget {
    catherd_search::Budget {
        executions: budget.limit(executions),
        steps: budget.limit(steps),
        wall: budget.wall_ms.map(Duration::from_millis),
        ..catherd_search::Budget::default()
    }
}
