//! Checks of plans. Coordinators check the plans of clients, because a plan without bounds could
//! occupy a coordinator forever. `docs/reference/limits.md` lists the bounds.

use std::collections::{BTreeMap, BTreeSet};

use super::{FORMAT, Plan, PlannedProject, duplicates};
use crate::text::is_printable;
use crate::{Algorithm, Budget, Engines, Mutation, Parameter, Race, Stop};

/// Maximum number of runs of a study.
pub const MAX_RUNS: u64 = 10_000_000;

/// Maximum estimated size of the specifications of all runs of a study, in bytes.
pub const MAX_SPEC_BYTES: u64 = 16 << 30;

/// Maximum length of a name, in bytes.
pub const MAX_NAME_BYTES: usize = 256;

/// Maximum length of the name of a project, in bytes. The name may be a path.
pub const MAX_PROJECT_NAME_BYTES: usize = 1024;

/// Maximum number of configurations of a study.
pub const MAX_ALGORITHMS: usize = 10_000;

/// Maximum number of parameters of a configuration.
pub const MAX_PARAMETERS: usize = 256;

/// Maximum length of a string that is the value of a parameter, in bytes.
pub const MAX_PARAMETER_BYTES: usize = 64 << 10;

/// Maximum number of units of work in a budget, and of mutation operators.
pub const MAX_UNITS: usize = 64;

/// Maximum limit in units of work: 2^53 - 1, up to which common JSON parsers read integers exactly.
pub const MAX_WORK: u64 = (1 << 53) - 1;

/// Maximum limit in milliseconds of real time: 366 days.
pub const MAX_WALL_MS: u64 = 366 * 24 * 3600 * 1000;

/// Maximum seed: the largest integer of TOML.
pub const MAX_SEED: u64 = i64::MAX as u64;

/// A field of a plan that is not valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {problem}")]
pub struct InvalidPlan {
    /// The field, such as `projects.3.name`. Entries of lists are counted from 0.
    pub field: String,
    /// The problem with the field.
    pub problem: PlanProblem,
}

/// A problem with a field of a plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanProblem {
    /// The plan has a version of the format that this program does not read.
    #[error("the plan has version {0} of the format; this catherd reads version {FORMAT}")]
    Format(u32),
    /// The engine differs from the engine of this program.
    #[error("the plan was made for engine {found}; this catherd has {known}")]
    Engine {
        /// The engine of the plan.
        found: String,
        /// The engine of this program.
        known: String,
    },
    /// A field that needs a value is empty.
    #[error("is empty")]
    Empty,
    /// There are too many entries, runs or bytes.
    #[error("{found} are more than the maximum of {most}")]
    TooMany {
        /// The number found.
        found: u64,
        /// The largest permitted number.
        most: u64,
    },
    /// A string is too long.
    #[error("{bytes} bytes are more than the maximum of {most}")]
    TooLong {
        /// Length of the string in bytes.
        bytes: usize,
        /// The largest permitted length.
        most: usize,
    },
    /// A string contains a character that cannot be shown.
    #[error("has the character {0:?}, which cannot be shown")]
    Unprintable(char),
    /// A number is outside of its range.
    #[error("{value} is not between {least} and {most}")]
    OutOfRange {
        /// The number.
        value: String,
        /// The smallest permitted number.
        least: u64,
        /// The largest permitted number.
        most: u64,
    },
    /// The value cannot be used.
    #[error("{0} is not permitted")]
    NotUsable(String),
    /// The same entry is given twice.
    #[error("is the same as {0}")]
    Twice(String),
}

impl PlanProblem {
    /// A hint about what to do.
    pub fn advice(&self) -> &'static str {
        match self {
            PlanProblem::Format(_) | PlanProblem::Engine { .. } => {
                "use the same catherd at both ends"
            }
            PlanProblem::Empty => "give at least one value",
            PlanProblem::TooMany { .. } => "use fewer, or divide the study into several",
            PlanProblem::TooLong { .. } => "shorten it",
            PlanProblem::Unprintable(_) => "rename it",
            PlanProblem::OutOfRange { .. } | PlanProblem::NotUsable(_) => "change or remove it",
            PlanProblem::Twice(_) => "leave one of them out",
        }
    }
}

type Checked = Result<(), InvalidPlan>;

fn invalid(field: impl Into<String>, problem: PlanProblem) -> Checked {
    Err(InvalidPlan { field: field.into(), problem })
}

impl Plan {
    /// Checks a plan. Any engine is accepted for a subject kind without an entry in `engines`.
    ///
    /// # Errors
    ///
    /// If a field has a value that this program does not accept.
    pub fn check(&self, engines: &Engines) -> Checked {
        if self.format != FORMAT {
            return invalid("format", PlanProblem::Format(self.format));
        }
        name("name", &self.name)?;
        name("subject", &self.subject)?;
        name("engine", &self.engine)?;
        if let Some(known) = engines.get(&self.subject).filter(|known| **known != self.engine) {
            let (found, known) = (self.engine.clone(), known.clone());
            return invalid("engine", PlanProblem::Engine { found, known });
        }
        self.check_runs()?;
        algorithms(&self.algorithms)?;
        seeds(&self.seeds)?;
        budget(&self.budget)?;
        self.mutation.as_ref().map_or(Ok(()), mutation)?;
        self.race.map_or(Ok(()), race)?;
        self.stop.map_or(Ok(()), stop)?;
        if self.race.is_some() && self.stop.is_some() {
            return invalid("stop", PlanProblem::NotUsable("use together with a race".to_owned()));
        }
        projects(&self.projects)?;
        self.check_spec_bytes()
    }

    /// Must be called before any work that is done for each run.
    fn check_runs(&self) -> Checked {
        let lists = [
            ("projects", self.projects.len()),
            ("algorithms", self.algorithms.len()),
            ("seeds", self.seeds.len()),
        ];
        if let Some((field, _)) = lists.into_iter().find(|(_, entries)| *entries == 0) {
            return invalid(field, PlanProblem::Empty);
        }
        at_most("algorithms", self.algorithms.len(), MAX_ALGORITHMS as u64)?;
        at_most("runs", self.count(), MAX_RUNS)
    }

    fn check_spec_bytes(&self) -> Checked {
        let parameters = |algorithm: &Algorithm| {
            let sizes = algorithm.parameters.iter().map(|(name, value)| {
                name.len() + if let Parameter::Text(text) = value { text.len() } else { 24 }
            });
            algorithm.label.len() + algorithm.name.len() + sizes.sum::<usize>()
        };
        let algorithm = self.algorithms.iter().map(parameters).max().unwrap_or(0);
        let project = self.projects.iter().map(|project| project.name.len()).max().unwrap_or(0);
        let bytes = (algorithm + project) as u64;
        at_most("runs, bytes of their specifications", self.count() as u64 * bytes, MAX_SPEC_BYTES)
    }
}

fn at_most(field: &str, found: impl TryInto<u64>, most: u64) -> Checked {
    let found = found.try_into().unwrap_or(u64::MAX);
    if found <= most { Ok(()) } else { invalid(field, PlanProblem::TooMany { found, most }) }
}

fn in_range(field: impl Into<String>, value: u64, (least, most): (u64, u64)) -> Checked {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    invalid(field, PlanProblem::OutOfRange { value: value.to_string(), least, most })
}

fn name(field: &str, text: &str) -> Checked {
    text_of(field, text, MAX_NAME_BYTES)
}

fn text_of(field: &str, text: &str, most: usize) -> Checked {
    if text.trim().is_empty() {
        return invalid(field, PlanProblem::Empty);
    }
    if text.len() > most {
        return invalid(field, PlanProblem::TooLong { bytes: text.len(), most });
    }
    let unprintable = text.chars().find(|c| !is_printable(*c));
    unprintable.map_or(Ok(()), |c| invalid(field, PlanProblem::Unprintable(c)))
}

fn algorithms(algorithms: &[Algorithm]) -> Checked {
    let (mut labels, mut settings) = (BTreeMap::new(), BTreeMap::new());
    for (number, algorithm) in algorithms.iter().enumerate() {
        let field = format!("algorithms.{number}");
        name(&format!("{field}.label"), &algorithm.label)?;
        name(&format!("{field}.name"), &algorithm.name)?;
        let entries = algorithm.parameters.len();
        at_most(&format!("{field}.parameters"), entries, MAX_PARAMETERS as u64)?;
        for (parameter, value) in &algorithm.parameters {
            name(&format!("{field}.parameters"), parameter)?;
            parameter_value(&format!("{field}.parameters.{parameter}"), value)?;
        }
        // Values that are not finite, which JSON cannot express, were refused above.
        let setting = serde_json::to_string(&(&algorithm.name, &algorithm.parameters));
        let setting = setting.unwrap_or_default();
        let earlier = labels.insert(&algorithm.label, number);
        if let Some(earlier) = earlier.or_else(|| settings.insert(setting, number)) {
            return invalid(field, PlanProblem::Twice(format!("algorithms.{earlier}")));
        }
    }
    Ok(())
}

fn parameter_value(field: &str, value: &Parameter) -> Checked {
    match value {
        Parameter::Number(number) if !number.is_finite() => {
            invalid(field, PlanProblem::NotUsable(number.to_string()))
        }
        Parameter::Text(text) if text.len() > MAX_PARAMETER_BYTES => {
            let (bytes, most) = (text.len(), MAX_PARAMETER_BYTES);
            invalid(field, PlanProblem::TooLong { bytes, most })
        }
        _ => Ok(()),
    }
}

fn seeds(seeds: &[u64]) -> Checked {
    let mut known = BTreeSet::new();
    for (number, &seed) in seeds.iter().enumerate() {
        let field = || format!("seeds.{number}");
        if seed > MAX_SEED {
            return in_range(field(), seed, (0, MAX_SEED));
        }
        if !known.insert(seed) {
            return invalid(field(), PlanProblem::Twice("an earlier seed".to_owned()));
        }
    }
    Ok(())
}

fn budget(budget: &Budget) -> Checked {
    if budget.is_empty() {
        return invalid("budget", PlanProblem::Empty);
    }
    at_most("budget", budget.work.len(), MAX_UNITS as u64)?;
    for (unit, &limit) in &budget.work {
        name("budget", unit)?;
        in_range(format!("budget.{unit}"), limit, (1, MAX_WORK))?;
    }
    budget.wall_ms.map_or(Ok(()), |limit| in_range("budget.wall_ms", limit, (1, MAX_WALL_MS)))
}

fn mutation(mutation: &Mutation) -> Checked {
    at_most("mutation.operators", mutation.operators.len(), MAX_UNITS as u64)?;
    mutation.operators.iter().try_for_each(|operator| name("mutation.operators", operator))?;
    let limits = [("sample", mutation.sample), ("block_factor", mutation.block_factor)];
    for (field, limit) in limits {
        limit.map_or(Ok(()), |n| in_range(format!("mutation.{field}"), n, (1, MAX_WORK)))?;
    }
    mutation.seed.map_or(Ok(()), |seed| in_range("mutation.seed", seed, (0, MAX_SEED)))
}

fn race(race: Race) -> Checked {
    if !(race.level > 0.0 && race.level < 1.0) {
        return invalid("race.level", PlanProblem::NotUsable(race.level.to_string()));
    }
    in_range("race.first", race.first, (2, MAX_RUNS))?;
    in_range("race.every", race.every, (1, MAX_RUNS))
}

fn stop(stop: Stop) -> Checked {
    if !(stop.margin > 0.0 && stop.margin < 1.0) {
        return invalid("stop.margin", PlanProblem::NotUsable(stop.margin.to_string()));
    }
    in_range("stop.first", stop.first, (Stop::MIN_FIRST, MAX_RUNS))?;
    in_range("stop.every", stop.every, (1, MAX_RUNS))
}

fn projects(projects: &[PlannedProject]) -> Checked {
    for (number, project) in projects.iter().enumerate() {
        text_of(&format!("projects.{number}.name"), &project.name, MAX_PROJECT_NAME_BYTES)?;
    }
    match duplicates(projects).first() {
        Some((copy, original)) => {
            invalid(format!("projects.{copy}"), PlanProblem::Twice(format!("projects.{original}")))
        }
        None => Ok(()),
    }
}
