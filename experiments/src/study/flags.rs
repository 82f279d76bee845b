//! A study from command-line flags, alone or on top of a file.

use std::path::PathBuf;

use super::check::{self, Flaw};
use super::{Place, ProjectSource, Study, StudyError};
use crate::{Algorithm, Budget, Mutation};

/// The flags of `catherd run` as they were typed. They are texts so that one place
/// words all errors.
#[derive(Clone, Debug, Default)]
pub struct Flags {
    /// `--name`; `study` if absent.
    pub name: Option<String>,
    /// `--projects`, repeatable.
    pub projects: Vec<PathBuf>,
    /// `--algorithms`: names separated by commas.
    pub algorithms: Option<String>,
    /// `--seeds`: a count (`5`) or a list (`3,14,15`; `7,` is the one seed 7). One seed if absent.
    pub seeds: Option<String>,
    /// `--executions`.
    pub executions: Option<String>,
    /// `--steps`.
    pub steps: Option<String>,
    /// `--wall`: a span such as `10s`.
    pub wall: Option<String>,
    /// `--assertions`: suites get regression assertions.
    pub assertions: bool,
    /// `--mutation`.
    pub mutation: bool,
}

pub(super) fn build(flags: &Flags) -> Result<Study, StudyError> {
    if flags.projects.is_empty() {
        return Err(at("--projects", nothing("no projects", "name files or folders")));
    }
    let mut algorithms = algorithms(flags.algorithms.as_deref().unwrap_or_default())?;
    assert(&mut algorithms, flags);
    Ok(Study {
        name: flags.name.clone().unwrap_or_else(|| "study".to_owned()),
        projects: ProjectSource::Paths(flags.projects.clone()),
        algorithms,
        seeds: flags.seeds.as_deref().map_or(Ok(vec![1]), seeds)?,
        budget: budget(flags)?.ok_or_else(|| {
            at("--executions", nothing("no budget", "give --executions, --steps or --wall"))
        })?,
        mutation: flags.mutation.then(Mutation::default),
        race: None,
        subject: "scratch".to_owned(),
    })
}

/// Replaces what the flags name. The limits of a budget are replaced together: a limit
/// that the file set and no flag names is lifted.
pub(super) fn replace(study: Study, flags: &Flags) -> Result<Study, StudyError> {
    let mut algorithms = flags.algorithms.as_deref().map_or(Ok(study.algorithms), algorithms)?;
    assert(&mut algorithms, flags);
    Ok(Study {
        name: flags.name.clone().unwrap_or(study.name),
        projects: match &*flags.projects {
            [] => study.projects,
            given => ProjectSource::Paths(given.to_vec()),
        },
        algorithms,
        seeds: flags.seeds.as_deref().map_or(Ok(study.seeds), seeds)?,
        budget: budget(flags)?.unwrap_or(study.budget),
        mutation: study.mutation.or_else(|| flags.mutation.then(Mutation::default)),
        race: study.race,
        subject: study.subject,
    })
}

fn assert(algorithms: &mut [Algorithm], flags: &Flags) {
    if flags.assertions {
        algorithms.iter_mut().for_each(Algorithm::assert);
    }
}

fn algorithms(list: &str) -> Result<Vec<Algorithm>, StudyError> {
    let names = list.split(',').map(str::trim).filter(|name| !name.is_empty());
    let algorithms: Vec<Algorithm> = names.map(Algorithm::plain).collect();
    if algorithms.is_empty() {
        let missing = nothing("no algorithms", "name at least one, such as random,mosa,mio");
        return Err(at("--algorithms", missing));
    }
    check::algorithms(&algorithms).map_err(|(_, flaw)| at("--algorithms", flaw))?;
    Ok(algorithms)
}

fn seeds(text: &str) -> Result<Vec<u64>, StudyError> {
    let seeds = if text.contains(',') {
        check::seed_list(text.split(',').filter(|seed| !seed.trim().is_empty()))
    } else {
        check::seed_count(text)
    };
    seeds.map_err(|flaw| at("--seeds", flaw))
}

/// None if no flag sets a limit.
fn budget(flags: &Flags) -> Result<Option<Budget>, StudyError> {
    let limit = |flag, text: &Option<String>, read: fn(&str) -> Result<u64, Flaw>| {
        text.as_deref().map(read).transpose().map_err(|flaw| at(flag, flaw))
    };
    let budget = Budget {
        executions: limit("--executions", &flags.executions, check::positive)?,
        steps: limit("--steps", &flags.steps, check::positive)?,
        wall_ms: limit("--wall", &flags.wall, check::span_ms)?,
    };
    Ok((budget != Budget::default()).then_some(budget))
}

fn nothing(problem: &str, advice: &str) -> Flaw {
    Flaw { problem: problem.to_owned(), advice: advice.to_owned() }
}

fn at(flag: &str, Flaw { problem, advice }: Flaw) -> StudyError {
    StudyError::Invalid { place: Place::Flags, field: flag.to_owned(), problem, advice }
}
