//! Algorithms, budgets and mutation settings of a study as test generation takes them.

use catherd_experiments::{ASSERTIONS, Algorithm, Mutation, Parameter};
use catherd_mutation::{self as mutation, Operator};
use catherd_search::{Budget, Parameters as _};
use catherd_subject::{AlgorithmInfo, FieldError, ParameterInfo, Values};
use catherd_subject_search::{parameter_info, setting};
use catherd_testgen::{Assertions, Configuration, GenerateError};

use crate::info::{EXECUTIONS, STEPS};

/// The configuration of an algorithm, the settings of test generation included, and the
/// assertions that its suites get; `None` if they get none.
///
/// # Errors
///
/// The first field that cannot be used.
pub fn read(algorithm: &Algorithm) -> Result<(Configuration, Option<Assertions>), FieldError> {
    let assertions = match algorithm.parameters.get(ASSERTIONS) {
        None | Some(Parameter::Bool(false)) => None,
        Some(Parameter::Bool(true)) => Some(Assertions::default()),
        Some(_) => {
            return Err(FieldError {
                field: Some(ASSERTIONS.to_owned()),
                cause: format!("parameter `{ASSERTIONS}` is neither true nor false"),
                advice: "write true or false".to_owned(),
            });
        }
    };
    let others = algorithm.parameters.iter().filter(|(name, _)| *name != ASSERTIONS);
    let settings: Vec<_> =
        others.map(|(name, parameter)| (name.as_str(), setting(parameter))).collect();
    let configuration = Configuration::new(&algorithm.name, &settings)
        .map_err(|error| refusal(algorithm, &error))?;
    Ok((configuration, assertions))
}

/// An error of test generation with the parameter at fault.
fn refusal(algorithm: &Algorithm, error: &GenerateError) -> FieldError {
    let (field, advice) = match error {
        GenerateError::Parameter(error) => return catherd_subject_search::refusal(error),
        GenerateError::Events { .. } => {
            let given = |name: &&str| algorithm.parameters.contains_key(*name);
            let name = ["min_events", "max_events"].into_iter().find(given);
            (name.map(str::to_owned), "raise max_events or lower min_events")
        }
        _ => (None, "choose one of the algorithms listed above"),
    };
    FieldError { field, cause: error.to_string(), advice: advice.to_owned() }
}

/// The settings of mutation analysis.
///
/// # Errors
///
/// The first field that cannot be used.
pub fn mutation(mutation: &Mutation) -> Result<mutation::Settings, FieldError> {
    let mut settings = mutation::Settings { sample: mutation.sample, ..Default::default() };
    if !mutation.operators.is_empty() {
        let operators = mutation.operators.iter().map(|name| name.parse::<Operator>());
        settings.operators = operators.collect::<Result<_, _>>().map_err(|error| FieldError {
            field: Some("operators".to_owned()),
            cause: error.to_string(),
            advice: "correct mutation.operators".to_owned(),
        })?;
    }
    settings.seed = mutation.seed.unwrap_or(settings.seed);
    settings.block_factor = mutation.block_factor.unwrap_or(settings.block_factor);
    Ok(settings)
}

/// The budget of a study as the search has it.
pub fn budget(budget: &catherd_experiments::Budget) -> Budget {
    catherd_subject_search::budget(budget, EXECUTIONS, STEPS)
}

/// The algorithms of the search, each with its own parameters, those of test generation and
/// [`ASSERTIONS`].
pub(crate) fn algorithms() -> Vec<AlgorithmInfo> {
    let algorithms = catherd_search::Algorithm::NAMES.iter().filter_map(|name| {
        let configuration = Configuration::new(name, &[]).ok()?;
        let mut parameters: Vec<_> =
            configuration.parameters().into_iter().map(parameter_info).collect();
        parameters.push(ParameterInfo {
            name: ASSERTIONS.to_owned(),
            default: Some(Parameter::Bool(false)),
            values: Values::Flag,
            meaning: "give suites regression assertions".to_owned(),
        });
        let summary = configuration.algorithm.summary().to_owned();
        Some(AlgorithmInfo { name: (*name).to_owned(), summary, parameters })
    });
    algorithms.collect()
}
