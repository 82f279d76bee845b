//! Conversion of the settings of a study to the types of test generation, search and mutation
//! analysis.

use catherd_experiments::{ASSERTIONS, Algorithm, Mutation, Parameter};
use catherd_interface::search::{parameter_info, setting};
use catherd_interface::{AlgorithmInfo, FieldError, ParameterInfo, Values, parameter_names};
use catherd_scratch_mutation::{self as mutation, Level, Operator};
use catherd_scratch_testgen::{Assertions, Criteria, GenerateError};
use catherd_search::{Budget, ParameterError};

use crate::generator::Generator;
use crate::info::{BLOCKS, BRANCHES, EXECUTIONS, STEPS};

pub(crate) const FRESH_SEEDS: &str = "fresh_seeds";

/// Default number of fresh seeds for algorithms for games.
const GAME_SEEDS: usize = 10;
const MAX_SEEDS: usize = 1_000;

const CRITERIA: &str = "criteria";

const CRITERIA_WORDS: [&str; 3] = [BLOCKS, BRANCHES, "blocks,branches"];

const MEASURE_BRANCHES: &str = "measure_branches";

const MINIMISE: &str = "minimise_assertions";

const ADVICE: &str = "write none, relevant, minimal, minimal-by-test or diverse";

const WORDS: [&str; 5] = ["none", "relevant", "minimal", "minimal-by-test", "diverse"];

const ASKED: &str = "asked_mutants";

const NOTICED_BY: &str = "noticed_by";

const MAX_NOTICING: i64 = 1_000;

/// Settings for processing a generated suite.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct After {
    /// Regression assertions to add to the suite; `None` for a suite without assertions.
    pub assertions: Option<Assertions>,
    /// The number of fresh seeds under which the coverage of the suite is measured.
    pub fresh_seeds: usize,
    /// Whether the coverage of branches is measured in addition to the coverage of blocks.
    pub branches: bool,
}

/// Reads the generator of an algorithm, and the settings for processing its suites.
///
/// # Errors
///
/// If the algorithm or a parameter cannot be used.
pub fn read(algorithm: &Algorithm) -> Result<(Generator, After), FieldError> {
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
    let own = |name: &str| {
        let all =
            [ASSERTIONS, FRESH_SEEDS, CRITERIA, MEASURE_BRANCHES, MINIMISE, ASKED, NOTICED_BY];
        all.contains(&name)
    };
    let others = algorithm.parameters.iter().filter(|(name, _)| !own(name));
    let settings: Vec<_> =
        others.map(|(name, parameter)| (name.as_str(), setting(parameter))).collect();
    let mut generator =
        Generator::new(&algorithm.name, &settings).map_err(|error| refusal(algorithm, &error))?;
    let fresh_seeds = match algorithm.parameters.get(FRESH_SEEDS) {
        None if generator.is_for_games() => GAME_SEEDS,
        None => 0,
        Some(Parameter::Integer(seeds)) if (0..=MAX_SEEDS as i64).contains(seeds) => {
            *seeds as usize
        }
        Some(_) => {
            return Err(FieldError {
                field: Some(FRESH_SEEDS.to_owned()),
                cause: format!(
                    "parameter `{FRESH_SEEDS}` is not a whole number from 0 to {MAX_SEEDS}"
                ),
                advice: "write a number of seeds".to_owned(),
            });
        }
    };
    // A suite without assertions cannot be minimised.
    let minimised = minimisation(algorithm)?.map(|_| Assertions::default());
    let assertions = assertions.or(minimised);
    let criteria = criteria(algorithm)?;
    generator.settings_mut().criteria = criteria;
    let branches = match algorithm.parameters.get(MEASURE_BRANCHES) {
        None => criteria.aims_at_branches(),
        Some(Parameter::Bool(measure)) => *measure || criteria.aims_at_branches(),
        Some(_) => {
            return Err(FieldError {
                field: Some(MEASURE_BRANCHES.to_owned()),
                cause: format!("parameter `{MEASURE_BRANCHES}` is neither true nor false"),
                advice: "write true or false".to_owned(),
            });
        }
    };
    Ok((generator, After { assertions, fresh_seeds, branches }))
}

fn criteria(algorithm: &Algorithm) -> Result<Criteria, FieldError> {
    let refused = |cause: String| FieldError {
        field: Some(CRITERIA.to_owned()),
        cause,
        advice: "write blocks, branches, or both as a list".to_owned(),
    };
    let text = match algorithm.parameters.get(CRITERIA) {
        None => return Ok(Criteria::Blocks),
        Some(Parameter::Text(text)) => text,
        Some(_) => return Err(refused(format!("parameter `{CRITERIA}` is not a criterion"))),
    };
    let (mut blocks, mut branches) = (false, false);
    for word in text.split(',').map(str::trim) {
        let given = match word {
            BLOCKS => &mut blocks,
            BRANCHES => &mut branches,
            _ => return Err(refused(format!("parameter `{CRITERIA}`: no criterion `{word}`"))),
        };
        if std::mem::replace(given, true) {
            return Err(refused(format!("parameter `{CRITERIA}` names `{word}` twice")));
        }
    }
    Ok(match (blocks, branches) {
        (true, true) => Criteria::BlocksAndBranches,
        (false, true) => Criteria::Branches,
        _ => Criteria::Blocks,
    })
}

/// How the assertions of an algorithm's suites are minimised by mutants, and the maximum number of
/// mutants; `None` if assertions are not minimised.
///
/// # Errors
///
/// If a parameter for minimisation cannot be used.
pub fn minimisation(algorithm: &Algorithm) -> Result<Option<(Level, Option<u64>)>, FieldError> {
    let refused = |field: &str, cause: &str, advice: &str| FieldError {
        field: Some(field.to_owned()),
        cause: format!("parameter `{field}` is {cause}"),
        advice: advice.to_owned(),
    };
    let times = match algorithm.parameters.get(NOTICED_BY) {
        None => 1,
        Some(Parameter::Integer(number @ 1..=MAX_NOTICING)) => *number as u32,
        Some(_) => {
            let cause = format!("not a number from 1 to {MAX_NOTICING}");
            return Err(refused(NOTICED_BY, &cause, "write a number of assertions"));
        }
    };
    let level = match algorithm.parameters.get(MINIMISE) {
        None => None,
        Some(Parameter::Text(word)) => match word.as_str() {
            "none" => None,
            "relevant" => Some(Level::Relevant),
            "minimal" => Some(Level::Minimal(times)),
            "minimal-by-test" => Some(Level::MinimalByTest(times)),
            "diverse" => Some(Level::Diverse(times)),
            _ => return Err(refused(MINIMISE, "an unknown word", ADVICE)),
        },
        Some(_) => return Err(refused(MINIMISE, "not a word", ADVICE)),
    };
    let asked = match algorithm.parameters.get(ASKED) {
        None => None,
        Some(Parameter::Integer(number @ 1..)) => Some(number.unsigned_abs()),
        Some(_) => return Err(refused(ASKED, "not a number of mutants", "write 1 or more")),
    };
    Ok(level.map(|level| (level, asked)))
}

fn refusal(algorithm: &Algorithm, error: &GenerateError) -> FieldError {
    let (field, advice) = match error {
        GenerateError::Parameter(ParameterError::Unknown { name, .. }) => {
            let known = parameter_names(&algorithms(), &algorithm.name);
            return FieldError::unknown_parameter(name, &known);
        }
        GenerateError::Parameter(error) => return catherd_interface::search::refusal(error),
        GenerateError::Events { .. } => {
            let given = |name: &&str| algorithm.parameters.contains_key(*name);
            let name = ["min_events", "max_events"].into_iter().find(given);
            (name.map(str::to_owned), "raise max_events or lower min_events")
        }
        GenerateError::Algorithm(_) => {
            return FieldError::unknown_algorithm(&algorithm.name, &Generator::names());
        }
        GenerateError::Compile(_) => (None, "correct the project"),
    };
    FieldError { field, cause: error.to_string(), advice: advice.to_owned() }
}

/// Converts the settings of mutation analysis.
///
/// # Errors
///
/// If an operator does not exist.
pub fn mutation(mutation: &Mutation) -> Result<mutation::MutationSettings, FieldError> {
    let mut settings = mutation::MutationSettings { sample: mutation.sample, ..Default::default() };
    if !mutation.operators.is_empty() {
        let operators = mutation.operators.iter().map(|name| name.parse::<Operator>());
        settings.operators = operators.collect::<Result<_, _>>().map_err(|error| {
            FieldError::unknown_operator(&error.0, &Operator::ALL.map(Operator::name))
        })?;
    }
    settings.seed = mutation.seed.unwrap_or(settings.seed);
    settings.block_factor = mutation.block_factor.unwrap_or(settings.block_factor);
    Ok(settings)
}

/// Converts the budget of a study to the type of the search.
pub fn budget(budget: &catherd_experiments::Budget) -> Budget {
    catherd_interface::search::budget(budget, EXECUTIONS, STEPS)
}

pub(crate) fn algorithms() -> Vec<AlgorithmInfo> {
    let algorithms = Generator::names().into_iter().filter_map(|name| {
        let generator = Generator::new(name, &[]).ok()?;
        let mut parameters: Vec<_> =
            generator.parameters().into_iter().map(parameter_info).collect();
        parameters.push(ParameterInfo {
            name: ASSERTIONS.to_owned(),
            default: Some(Parameter::Bool(false)),
            values: Values::Flag,
            meaning: "give suites regression assertions".to_owned(),
        });
        let seeds = if generator.is_for_games() { GAME_SEEDS } else { 0 };
        parameters.push(ParameterInfo {
            name: FRESH_SEEDS.to_owned(),
            default: Some(Parameter::Integer(seeds as i64)),
            values: Values::Integer { low: 0, high: MAX_SEEDS as i64 },
            meaning: "seeds under which the suite's coverage is measured as well".to_owned(),
        });
        parameters.push(ParameterInfo {
            name: CRITERIA.to_owned(),
            default: Some(Parameter::Text(BLOCKS.to_owned())),
            values: Values::Choice { words: CRITERIA_WORDS.map(str::to_owned).to_vec() },
            meaning: "the goals at which generation aims".to_owned(),
        });
        parameters.push(ParameterInfo {
            name: MEASURE_BRANCHES.to_owned(),
            default: Some(Parameter::Bool(false)),
            values: Values::Flag,
            meaning: "measure the coverage of branches even if generation does not aim at them"
                .to_owned(),
        });
        parameters.push(ParameterInfo {
            name: MINIMISE.to_owned(),
            default: Some(Parameter::Text("none".to_owned())),
            values: Values::Choice { words: WORDS.map(str::to_owned).to_vec() },
            meaning: "keep only assertions that notice a mutant, or a small subset with which the \
                      suite or each test notices the same mutants; diverse also keeps two \
                      about each attribute"
                .to_owned(),
        });
        parameters.push(ParameterInfo {
            name: ASKED.to_owned(),
            default: None,
            values: Values::Integer { low: 1, high: i64::MAX },
            meaning: "maximum number of mutants for minimise_assertions".to_owned(),
        });
        parameters.push(ParameterInfo {
            name: NOTICED_BY.to_owned(),
            default: Some(Parameter::Integer(1)),
            values: Values::Integer { low: 1, high: MAX_NOTICING },
            meaning:
                "assertions that notice each mutant after minimise_assertions, if that many do"
                    .to_owned(),
        });
        let summary = generator.summary().to_owned();
        Some(AlgorithmInfo { name: name.to_owned(), summary, parameters })
    });
    algorithms.collect()
}
