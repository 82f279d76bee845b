//! Algorithms, parameters and budgets of a study as test generation takes them.

use std::time::Duration;

use catherd_experiments::{Algorithm, Parameter};
use catherd_javascript_classes::{Method, Profile, Settings};
use catherd_search::{Budget, Kind, ParameterError, Parameters, Setting};
use catherd_subject::{AlgorithmInfo, FieldError, ParameterInfo, Values};

use crate::{EXECUTIONS, STEPS};

/// The name of Flycatcher's algorithm.
pub const FLYCATCHER: &str = "flycatcher";

/// The algorithms of this kind; those that draw events while a test runs have no tests here.
fn names() -> Vec<&'static str> {
    let searches = catherd_search::Algorithm::NAMES.iter().copied().filter(|name| {
        catherd_search::Algorithm::named(name).is_ok_and(|algorithm| !algorithm.draws_events())
    });
    std::iter::once(FLYCATCHER).chain(searches).collect()
}

/// The algorithm and the settings of a name, with their defaults.
fn defaults(name: &str) -> Option<(Method, Settings)> {
    if name == FLYCATCHER {
        let settings = Settings {
            profile: Profile::Flycatcher,
            discard_throwing: true,
            ..Settings::default()
        };
        return Some((Method::Flycatcher, settings));
    }
    let algorithm = catherd_search::Algorithm::named(name).ok()?;
    (!algorithm.draws_events()).then(|| (Method::Search(algorithm), Settings::default()))
}

/// The algorithm and the settings that a study asks for.
///
/// # Errors
///
/// The first field that cannot be used.
pub fn read(algorithm: &Algorithm) -> Result<(Method, Settings), FieldError> {
    let Some((mut method, mut settings)) = defaults(&algorithm.name) else {
        return Err(FieldError {
            field: None,
            cause: format!(
                "unknown algorithm `{}`: there are {}",
                algorithm.name,
                names().join(", ")
            ),
            advice: "choose one of the algorithms listed above".to_owned(),
        });
    };
    for (name, parameter) in &algorithm.parameters {
        let setting = match parameter {
            Parameter::Bool(on) => Setting::Switch(*on),
            Parameter::Integer(number) => Setting::Number(*number as f64),
            Parameter::Number(number) => Setting::Number(*number),
            Parameter::Text(text) => Setting::Word(text),
        };
        let result = match &mut method {
            Method::Search(search) if search.names().contains(&name.as_str()) => {
                search.set(name, setting)
            }
            _ => settings.set(name, setting),
        };
        result.map_err(|error| FieldError {
            field: Some(name.clone()),
            advice: match error {
                ParameterError::Unknown { .. } => "choose one of the parameters listed above",
                ParameterError::Value { .. } => "give a value that is allowed",
            }
            .to_owned(),
            cause: error.to_string(),
        })?;
    }
    Ok((method, settings))
}

/// The budget of a study as the search has it.
pub fn budget(budget: &catherd_experiments::Budget) -> Budget {
    Budget {
        executions: budget.limit(EXECUTIONS),
        steps: budget.limit(STEPS),
        wall: budget.wall_ms.map(Duration::from_millis),
        ..Budget::default()
    }
}

/// The algorithms with their parameters.
pub(crate) fn algorithms() -> Vec<AlgorithmInfo> {
    let algorithms = names().into_iter().filter_map(|name| {
        let (method, settings) = defaults(name)?;
        let (summary, own) = match &method {
            Method::Flycatcher => (
                "random sequences of calls, types inferred by proxies (Flycatcher, 2012)"
                    .to_owned(),
                Vec::new(),
            ),
            Method::Search(search) => (search.summary().to_owned(), search.parameters()),
        };
        let parameters = own.into_iter().chain(settings.parameters()).map(parameter_info);
        Some(AlgorithmInfo { name: name.to_owned(), summary, parameters: parameters.collect() })
    });
    algorithms.collect()
}

fn parameter_info(parameter: catherd_search::Parameter) -> ParameterInfo {
    let values = match parameter.kind {
        Kind::Number { low, high } => Values::Number { low, high },
        Kind::Count { low, high } => Values::Integer { low: low as i64, high: high as i64 },
        Kind::Switch => Values::Flag,
        Kind::Choice(words) => {
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
