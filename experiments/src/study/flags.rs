//! Builds a study from flags, or from a file and flags.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::check::{self, Flaw};
use super::{ProjectSource, SourceLocation, Study, StudyError};
use crate::{Algorithm, Budget, Mutation};

/// The flags that define a study. The values are strings, because this module checks them.
#[derive(Clone, Debug, Default)]
pub struct Flags {
    /// `--name`.
    pub name: Option<String>,
    /// `--projects`, repeatable.
    pub projects: Vec<PathBuf>,
    /// `--algorithms`: names or labels separated by commas.
    pub algorithms: Option<String>,
    /// `--seeds`: a number (`5`) or a list (`3,14,15`; `7,` is only the seed 7).
    pub seeds: Option<String>,
    /// `--UNIT`: limits in units of work, by the name of the unit.
    pub work: BTreeMap<String, String>,
    /// `--wall`: a duration such as `10s`.
    pub wall: Option<String>,
    /// `--assertions`: suites get regression assertions.
    pub assertions: bool,
    /// `--mutation`: suites are evaluated by mutation analysis.
    pub mutation: bool,
    /// `--subject`.
    pub subject: Option<String>,
}

pub(super) fn build(flags: &Flags) -> Result<Study, StudyError> {
    if flags.projects.is_empty() {
        return Err(at("--projects", nothing("no projects", "name files or folders")));
    }
    let mut algorithms = algorithms(flags.algorithms.as_deref().unwrap_or_default(), &[])?;
    assert(&mut algorithms, flags);
    Ok(Study {
        name: flags.name.clone().unwrap_or_else(|| "study".to_owned()),
        projects: ProjectSource::Paths(flags.projects.clone()),
        algorithms,
        seeds: flags.seeds.as_deref().map_or(Ok(vec![1]), seeds)?,
        budget: budget(flags)?.ok_or_else(|| {
            at(
                "--wall",
                nothing("no budget", "give a unit of work, such as --executions, or --wall"),
            )
        })?,
        mutation: flags.mutation.then(Mutation::default),
        race: None,
        stop: None,
        subject: flags.subject.clone(),
    })
}

/// The limits of a budget are replaced together.
pub(super) fn replace(study: Study, flags: &Flags) -> Result<Study, StudyError> {
    let mut algorithms = match flags.algorithms.as_deref() {
        Some(list) => algorithms(list, &study.algorithms)?,
        None => study.algorithms,
    };
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
        stop: study.stop,
        subject: flags.subject.clone().or(study.subject),
    })
}

fn assert(algorithms: &mut [Algorithm], flags: &Flags) {
    if flags.assertions {
        algorithms.iter_mut().for_each(Algorithm::assert);
    }
}

/// A word is a label or a name in the file, or the name of another algorithm.
fn algorithms(list: &str, file: &[Algorithm]) -> Result<Vec<Algorithm>, StudyError> {
    let words = list.split(',').map(str::trim).filter(|word| !word.is_empty());
    let asserted = !file.is_empty() && file.iter().all(Algorithm::asserts);
    let mut algorithms: Vec<Algorithm> = Vec::new();
    for word in words {
        if let Some(labelled) = file.iter().find(|known| known.label == word) {
            algorithms.push(labelled.clone());
        } else if file.iter().any(|known| known.name == word) {
            algorithms.extend(file.iter().filter(|known| known.name == word).cloned());
        } else {
            let mut plain = Algorithm::plain(word);
            if asserted {
                plain.assert();
            }
            algorithms.push(plain);
        }
    }
    if algorithms.is_empty() {
        let missing = nothing("no algorithms", "name at least one; see catherd subjects");
        return Err(at("--algorithms", missing));
    }
    check::algorithms(&algorithms).map_err(|(_, flaw)| at("--algorithms", flaw))?;
    Ok(algorithms)
}

fn seeds(text: &str) -> Result<Vec<u64>, StudyError> {
    let seeds = if text.contains(',') {
        check::seed_list(text.split(',').filter(|seed| !seed.trim().is_empty()))
    } else if text.trim().parse::<i128>().is_err() {
        let advice = "give the number of seeds, such as 5, or a list such as 3,14,15";
        Err(nothing(&format!("`{text}` is neither a number nor a list"), advice))
    } else {
        check::seed_count(text)
    };
    seeds.map_err(|flaw| at("--seeds", flaw))
}

fn budget(flags: &Flags) -> Result<Option<Budget>, StudyError> {
    let limit = |flag: &str, text: &str, read: fn(&str) -> Result<u64, Flaw>| {
        read(text).map_err(|flaw| at(flag, flaw))
    };
    let work = flags.work.iter().map(|(unit, text)| {
        Ok((unit.clone(), limit(&format!("--{unit}"), text, check::positive)?))
    });
    let wall = flags.wall.as_deref().map(|text| limit("--wall", text, check::span_ms));
    let budget = Budget { work: work.collect::<Result<_, _>>()?, wall_ms: wall.transpose()? };
    Ok((!budget.is_empty()).then_some(budget))
}

fn nothing(problem: &str, advice: &str) -> Flaw {
    Flaw { problem: problem.to_owned(), advice: advice.to_owned() }
}

fn at(flag: &str, Flaw { problem, advice }: Flaw) -> StudyError {
    StudyError::Invalid { location: SourceLocation::Flags, field: flag.to_owned(), problem, advice }
}
