//! Conversion of algorithms, parameters and budgets of studies to the types of test generation.

use catherd_experiments::{Algorithm, Mutation};
use catherd_interface::search::{parameter_info, setting};
use catherd_interface::{AlgorithmInfo, FieldError, parameter_names};
use catherd_javascript_classes::machine::ProjectConfig;
use catherd_javascript_classes::machine::instrument::MutationOperator;
use catherd_javascript_classes::mutation::MutationSettings;
use catherd_javascript_classes::{GenerationSettings, Method, Profile};
use catherd_search::{Budget, ParameterError, Parameters, Setting};

use crate::{EXECUTIONS, STEPS};

/// The name of Flycatcher's algorithm.
pub const FLYCATCHER: &str = "flycatcher";

/// Algorithms that draw events are left out, because tests of this kind have no events.
fn names() -> Vec<&'static str> {
    let searches = catherd_search::Algorithm::NAMES.iter().copied().filter(|name| {
        catherd_search::Algorithm::named(name).is_ok_and(|algorithm| !algorithm.draws_events())
    });
    std::iter::once(FLYCATCHER).chain(searches).collect()
}

fn defaults(name: &str) -> Option<(Method, GenerationSettings)> {
    if name == FLYCATCHER {
        let settings = GenerationSettings {
            profile: Profile::Flycatcher,
            discard_throwing: true,
            ..GenerationSettings::default()
        };
        return Some((Method::Flycatcher, settings));
    }
    let algorithm = catherd_search::Algorithm::named(name).ok()?;
    (!algorithm.draws_events()).then(|| (Method::Search(algorithm), GenerationSettings::default()))
}

/// The algorithm and the settings that a study requests.
///
/// # Errors
///
/// If a field cannot be used.
pub fn read(algorithm: &Algorithm) -> Result<(Method, GenerationSettings), FieldError> {
    let Some((mut method, mut settings)) = defaults(&algorithm.name) else {
        return Err(FieldError::unknown_algorithm(&algorithm.name, &names()));
    };
    for (name, parameter) in &algorithm.parameters {
        let setting = setting(parameter);
        let result = match &mut method {
            Method::Search(search) if search.names().contains(&name.as_str()) => {
                search.set(name, setting)
            }
            _ if name == "delay" && setting == Setting::Word("draft") => {
                settings.draft_delay = true;
                Ok(())
            }
            _ => settings.set(name, setting),
        };
        result.map_err(|error| match error {
            ParameterError::Unknown { name, .. } => {
                let known = parameter_names(&algorithms(), &algorithm.name);
                FieldError::unknown_parameter(&name, &known)
            }
            error => catherd_interface::search::refusal(&error),
        })?;
    }
    Ok((method, settings))
}

/// Like [`read`], for a project whose `subject.toml` may name the profile.
///
/// # Errors
///
/// If a field cannot be used.
pub fn read_for(
    algorithm: &Algorithm,
    config: &ProjectConfig,
) -> Result<(Method, GenerationSettings), FieldError> {
    let (method, mut settings) = read(algorithm)?;
    if !algorithm.parameters.contains_key("profile") {
        match config.profile.as_deref() {
            Some("flycatcher") => settings.profile = Profile::Flycatcher,
            Some("scored") => settings.profile = Profile::Scored,
            _ => {}
        }
    }
    Ok((method, settings))
}

/// The settings of mutation analysis.
///
/// # Errors
///
/// If a field cannot be used.
pub fn mutation(mutation: &Mutation) -> Result<MutationSettings, FieldError> {
    let mut settings = MutationSettings { sample: mutation.sample, ..MutationSettings::default() };
    if !mutation.operators.is_empty() {
        settings.operators = operators(&mutation.operators)?;
    }
    settings.seed = mutation.seed.unwrap_or(settings.seed);
    settings.factor = mutation.block_factor.unwrap_or(settings.factor);
    Ok(settings)
}

/// The mutation operators with these names.
///
/// # Errors
///
/// If a name is unknown.
pub fn operators(names: &[String]) -> Result<Vec<MutationOperator>, FieldError> {
    let known = MutationOperator::ALL.map(MutationOperator::name);
    let operators = names.iter().map(|name| {
        MutationOperator::named(name).ok_or_else(|| FieldError::unknown_operator(name, &known))
    });
    operators.collect()
}

/// Converts the budget of a study to the type of the search.
pub fn budget(budget: &catherd_experiments::Budget) -> Budget {
    catherd_interface::search::budget(budget, EXECUTIONS, STEPS)
}

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
