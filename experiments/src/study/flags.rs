//! A study from command-line flags.

use std::path::PathBuf;

use super::check::{self, Flaw};
use super::{Place, Study, StudyError};
use crate::{Algorithm, Budget};

/// The flags of `catherd run` as they were typed. They are texts so that one place
/// words all errors.
#[derive(Clone, Debug, Default)]
pub struct Flags {
    /// `--name`; `study` if absent.
    pub name: Option<String>,
    /// `--projects`, repeatable.
    pub projects: Vec<PathBuf>,
    /// `--algorithms`: names separated by commas.
    pub algorithms: String,
    /// `--seeds`: a count (`5`) or a list (`3,14,15`; `7,` is the one seed 7). One seed if absent.
    pub seeds: Option<String>,
    /// `--executions`.
    pub executions: Option<String>,
    /// `--steps`.
    pub steps: Option<String>,
    /// `--wall`: a span such as `10s`.
    pub wall: Option<String>,
}

pub(super) fn build(flags: &Flags) -> Result<Study, StudyError> {
    if flags.projects.is_empty() {
        return Err(at("--projects", nothing("no projects", "name files or folders")));
    }

    let algorithms: Vec<Algorithm> = flags
        .algorithms
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .map(Algorithm::plain)
        .collect();
    if algorithms.is_empty() {
        let missing = nothing("no algorithms", "name at least one, such as random,mosa,mio");
        return Err(at("--algorithms", missing));
    }
    check::algorithms(&algorithms).map_err(|(_, flaw)| at("--algorithms", flaw))?;

    let seeds = match flags.seeds.as_deref() {
        None => Ok(vec![1]),
        Some(list) if list.contains(',') => {
            check::seed_list(list.split(',').filter(|seed| !seed.trim().is_empty()))
        }
        Some(count) => check::seed_count(count),
    }
    .map_err(|flaw| at("--seeds", flaw))?;

    let limit = |flag, text: &Option<String>, read: fn(&str) -> Result<u64, Flaw>| {
        text.as_deref().map(read).transpose().map_err(|flaw| at(flag, flaw))
    };
    let budget = Budget {
        executions: limit("--executions", &flags.executions, check::positive)?,
        steps: limit("--steps", &flags.steps, check::positive)?,
        wall_ms: limit("--wall", &flags.wall, check::span_ms)?,
    };
    if budget == Budget::default() {
        let missing = nothing("no budget", "give --executions, --steps or --wall");
        return Err(at("--executions", missing));
    }

    Ok(Study {
        name: flags.name.clone().unwrap_or_else(|| "study".to_owned()),
        projects: flags.projects.clone(),
        algorithms,
        seeds,
        budget,
        subject: "scratch".to_owned(),
    })
}

fn nothing(problem: &str, advice: &str) -> Flaw {
    Flaw { problem: problem.to_owned(), advice: advice.to_owned() }
}

fn at(flag: &str, Flaw { problem, advice }: Flaw) -> StudyError {
    StudyError::Invalid { place: Place::Flags, field: flag.to_owned(), problem, advice }
}
