//! From a study and its projects to runs.

use std::collections::BTreeMap;

use crate::{Algorithm, Digest, ENGINE, RunSpec, Study};

/// A project that was found, read and packed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedProject {
    /// Its name in tables.
    pub name: String,
    /// The digest of its packed bytes.
    pub digest: Digest,
}

/// A study that cannot be planned.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// The subject kind does not know an algorithm or one of its parameters.
    #[error("algorithm `{label}`: {cause}")]
    Algorithm {
        /// The algorithm's label.
        label: String,
        /// What the subject kind says.
        cause: String,
    },
    /// Nothing is left to run.
    #[error("study `{0}` has no usable project; name at least one under projects")]
    NoProjects(String),
}

/// The runs of a study: by project in the order given, then by algorithm, then by
/// seed. Of projects with the same bytes only the first is planned, since their runs
/// would be the same runs ([`twins`] names the others). `check` is the subject kind's
/// word on an algorithm and its parameters.
pub fn plan(
    study: &Study,
    projects: &[PlannedProject],
    check: impl Fn(&Algorithm) -> Result<(), String>,
) -> Result<Vec<RunSpec>, PlanError> {
    for algorithm in &study.algorithms {
        let label = || algorithm.label.clone();
        check(algorithm).map_err(|cause| PlanError::Algorithm { label: label(), cause })?;
    }
    if projects.is_empty() {
        return Err(PlanError::NoProjects(study.name.clone()));
    }
    let twins: Vec<usize> = twins(projects).into_iter().map(|(twin, _)| twin).collect();
    let mut runs = Vec::with_capacity(study.runs(projects.len() - twins.len()));
    for (number, project) in projects.iter().enumerate() {
        if twins.binary_search(&number).is_ok() {
            continue;
        }
        for algorithm in &study.algorithms {
            for &seed in &study.seeds {
                runs.push(RunSpec {
                    project: project.digest,
                    project_name: project.name.clone(),
                    subject: study.subject.clone(),
                    algorithm: algorithm.clone(),
                    seed,
                    budget: study.budget,
                    engine: ENGINE.to_owned(),
                });
            }
        }
    }
    Ok(runs)
}

/// Projects whose bytes are those of an earlier one: (its number, the earlier one's),
/// ascending.
pub fn twins(projects: &[PlannedProject]) -> Vec<(usize, usize)> {
    let mut first = BTreeMap::new();
    let mut twins = Vec::new();
    for (number, project) in projects.iter().enumerate() {
        let original = *first.entry(project.digest).or_insert(number);
        if original != number {
            twins.push((number, original));
        }
    }
    twins
}
