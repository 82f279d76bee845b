//! Parameters of an algorithm that names a suite.

use catherd_experiments::{Algorithm, Parameter};
use catherd_interface::{FieldError, ParameterInfo, Values};
use catherd_scratch_grading_whisker::Seed;
use catherd_scratch_grading_whisker::whisker::SuiteOptions;

const SUITE: &str = "suite";
const STRICT: &str = "strict";
const VERSION: &str = "version";
/// Placeholder for the seed of the run in the name of a suite.
const SEED: &str = "{seed}";
const VERSIONS: [&str; 2] = ["2022", "2023"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    /// Name of the suite, which may contain [`SEED`].
    suite: String,
    strict: bool,
    of_2022: bool,
}

pub(crate) fn parameters() -> Vec<ParameterInfo> {
    let parameter = |name: &str, default, values, meaning: &str| ParameterInfo {
        name: name.to_owned(),
        default,
        values,
        meaning: meaning.to_owned(),
    };
    let words = VERSIONS.map(str::to_owned).to_vec();
    vec![
        parameter(
            SUITE,
            Some(Parameter::Text(String::new())),
            Values::Text,
            "name of the suite: its file name without the name of the project and the extension; \
             {seed} stands for the seed of the run; empty: the name of the algorithm",
        ),
        parameter(
            STRICT,
            Some(Parameter::Bool(false)),
            Values::Flag,
            "execute suites in JavaScript as catherd test --strict does",
        ),
        parameter(
            VERSION,
            Some(Parameter::Text(VERSIONS[1].to_owned())),
            Values::Choice { words },
            "version of Whisker that determines the comparisons and types in JavaScript suites",
        ),
    ]
}

impl Settings {
    pub(crate) fn read(algorithm: &Algorithm) -> Result<Settings, FieldError> {
        let mut settings =
            Settings { suite: algorithm.name.clone(), strict: false, of_2022: false };
        for (name, value) in &algorithm.parameters {
            let refused = |cause: String, advice: &str| FieldError {
                field: Some(name.clone()),
                cause,
                advice: advice.to_owned(),
            };
            match (name.as_str(), value) {
                (SUITE, Parameter::Text(suite)) if suite.is_empty() => {}
                (SUITE, Parameter::Text(suite)) => settings.suite.clone_from(suite),
                (STRICT, Parameter::Bool(strict)) => settings.strict = *strict,
                (VERSION, Parameter::Text(text)) if VERSIONS.contains(&text.as_str()) => {
                    settings.of_2022 = text == VERSIONS[0];
                }
                (SUITE | STRICT | VERSION, _) => {
                    let cause = format!("parameter `{name}` has a value that is not allowed");
                    let advice = "write a string for suite, true or false for strict, and \
                                  \"2022\" or \"2023\" for version";
                    return Err(refused(cause, advice));
                }
                _ => {
                    let cause = format!(
                        "unknown parameter `{name}`; the parameters are {SUITE}, {STRICT} and {VERSION}"
                    );
                    let advice = "choose one of the parameters listed above, or correct the name \
                                  of the algorithm";
                    return Err(refused(cause, advice));
                }
            }
        }
        Ok(settings)
    }

    pub(crate) fn suite_of(&self, seed: u64) -> String {
        self.suite.replace(SEED, &seed.to_string())
    }

    pub(crate) fn options(&self, seed: u64) -> SuiteOptions {
        SuiteOptions {
            seed: Some(Seed::number(seed as f64)),
            strict: self.strict,
            compat_p: self.of_2022,
            coverage: true,
            ..SuiteOptions::default()
        }
    }
}
