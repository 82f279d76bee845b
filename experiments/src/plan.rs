//! Plans: the runs of a study on its projects.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::{
    Algorithm, Budget, Digest, Engines, Mutation, Race, RunSpec, Stop, Study, SubjectInfo, nearest,
};

pub mod check;
mod difference;
mod study_file;

use check::InvalidPlan;
pub use difference::PlanDifference;

/// A project that has been found, read and packed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedProject {
    /// The project's name in tables.
    pub name: String,
    /// Digest of the packed bytes.
    pub digest: Digest,
}

/// Why a subject kind refuses an algorithm.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AlgorithmError {
    /// The subject kind refuses the algorithm as a whole.
    #[error("{0}")]
    Name(String),
    /// The subject kind refuses a parameter.
    #[error("{0}")]
    Parameter(String),
}

/// An error in planning a study.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// The subject kind refuses an algorithm or one of its parameters.
    #[error("algorithm `{label}`: {cause}")]
    Algorithm {
        /// Label of the algorithm.
        label: String,
        /// Why the subject kind refuses the algorithm.
        cause: AlgorithmError,
    },
    /// The subject kind does not count this unit of the budget.
    #[error("subject kind `{kind}` does not count `{unit}`; set {known} under budget")]
    Unit {
        /// The unit.
        unit: String,
        /// The subject kind.
        kind: String,
        /// The limit that was probably meant, or all limits that can be set.
        known: String,
    },
    /// The study has no usable project.
    #[error("study `{0}` has no usable project; name at least one under projects")]
    NoProjects(String),
    /// A field has an invalid value.
    #[error("{invalid}; {advice}", invalid = .0, advice = .0.problem.advice())]
    Invalid(InvalidPlan),
}

impl From<InvalidPlan> for PlanError {
    fn from(cause: InvalidPlan) -> PlanError {
        PlanError::Invalid(cause)
    }
}

/// Everything that determines the runs of a study. The runs are made on demand, because a study may
/// have millions of runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    format: u32,
    /// Name of the study.
    pub name: String,
    /// Engine id of the subject kind.
    pub engine: String,
    /// Name of the subject kind.
    pub subject: String,
    /// Configurations to compare, in the order in which tables list them.
    pub algorithms: Vec<Algorithm>,
    /// Seeds, in the order given.
    pub seeds: Vec<u64>,
    /// The budget of each run.
    pub budget: Budget,
    /// Mutation analysis of the suites.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mutation: Option<Mutation>,
    /// How the algorithms race.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub race: Option<Race>,
    /// When the study ends early.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<Stop>,
    /// The projects, each only once.
    pub projects: Vec<PlannedProject>,
}

const FORMAT: u32 = 2;

impl Plan {
    /// Plans a study on `projects`. Duplicates are left out, because they would have the same runs.
    /// `check` is the subject kind's check of an algorithm and its parameters.
    ///
    /// # Errors
    ///
    /// If the study cannot be planned.
    pub fn new(
        study: &Study,
        subject: &SubjectInfo,
        mut projects: Vec<PlannedProject>,
        check: impl Fn(&Algorithm) -> Result<(), AlgorithmError>,
    ) -> Result<Plan, PlanError> {
        for algorithm in &study.algorithms {
            let label = || algorithm.label.clone();
            check(algorithm).map_err(|cause| PlanError::Algorithm { label: label(), cause })?;
        }
        PlanError::of_budget(&study.budget, subject).map_or(Ok(()), Err)?;
        for (duplicate, _) in duplicates(&projects).into_iter().rev() {
            projects.remove(duplicate);
        }
        if projects.is_empty() {
            return Err(PlanError::NoProjects(study.name.clone()));
        }
        let plan = Plan {
            format: FORMAT,
            name: study.name.clone(),
            engine: subject.engine.clone(),
            subject: subject.kind.clone(),
            algorithms: study.algorithms.clone(),
            seeds: study.seeds.clone(),
            budget: study.budget.clone(),
            mutation: study.mutation.clone(),
            race: study.race,
            stop: study.stop,
            projects,
        };
        let engines = Engines::from([(subject.kind.clone(), subject.engine.clone())]);
        plan.check(&engines)?;
        Ok(plan)
    }

    /// A round of a race.
    pub fn round(&self, number: usize, algorithms: &[usize], projects: Range<usize>) -> Plan {
        Plan {
            name: format!("{}, round {number}", self.name),
            algorithms: algorithms.iter().map(|&a| self.algorithms[a].clone()).collect(),
            projects: self.projects[projects].to_vec(),
            race: None,
            ..self.clone()
        }
    }

    /// A round of a study with a stopping rule.
    pub fn seed_round(&self, number: usize, algorithms: &[usize], seeds: Vec<u64>) -> Plan {
        let all = 0..self.projects.len();
        Plan { seeds, stop: None, ..self.round(number, algorithms, all) }
    }

    /// Whether the study is executed in rounds, which are separate plans in a store.
    pub fn has_rounds(&self) -> bool {
        self.race.is_some() || self.stop.is_some()
    }

    /// The plan as a JSON file.
    ///
    /// # Errors
    ///
    /// If the plan cannot be converted to JSON.
    pub fn to_json(&self) -> serde_json::Result<Vec<u8>> {
        let mut json = serde_json::to_vec_pretty(self)?;
        json.push(b'\n');
        Ok(json)
    }

    /// Number of runs if no run is left out, at most `usize::MAX`.
    pub fn count(&self) -> usize {
        let cells = self.projects.len().saturating_mul(self.algorithms.len());
        cells.saturating_mul(self.seeds.len())
    }

    /// The runs, in the order of their positions.
    pub fn into_runs(self) -> impl Iterator<Item = RunSpec> {
        (0..self.count()).map(move |position| self.run(position))
    }

    /// The run at a position of the plan, from 0.
    ///
    /// # Panics
    ///
    /// If there is no run at that position.
    pub fn run(&self, position: usize) -> RunSpec {
        let (project, algorithm) = self.cell(position);
        RunSpec {
            project: project.digest,
            project_name: project.name.clone(),
            subject: self.subject.clone(),
            algorithm: algorithm.clone(),
            seed: self.seeds[position % self.seeds.len()],
            budget: self.budget.clone(),
            mutation: self.mutation.clone(),
            engine: self.engine.clone(),
        }
    }

    /// The project and the algorithm of the run at a position of the plan, from 0.
    ///
    /// # Panics
    ///
    /// If there is no run at that position.
    pub fn cell(&self, position: usize) -> (&PlannedProject, &Algorithm) {
        let rest = position / self.seeds.len();
        let algorithm = &self.algorithms[rest % self.algorithms.len()];
        (&self.projects[rest / self.algorithms.len()], algorithm)
    }

    /// The name of the project and the label of the algorithm of each run, in the order of the
    /// runs.
    pub fn places(&self) -> impl Iterator<Item = (&str, &str)> {
        (0..self.count()).map(|position| {
            let (project, algorithm) = self.cell(position);
            (&*project.name, &*algorithm.label)
        })
    }
}

impl PlanError {
    /// The error for a unit of the budget that the subject kind does not count.
    pub fn of_budget(budget: &Budget, subject: &SubjectInfo) -> Option<PlanError> {
        let unit = budget.unknown_unit(subject)?.to_owned();
        let mut known: Vec<&str> = subject.units.iter().map(|unit| unit.name.as_str()).collect();
        known.push("wall");
        let known = match nearest(&unit, known.iter().copied()) {
            Some(near) => near.to_owned(),
            None => known.join(" or "),
        };
        Some(PlanError::Unit { unit, kind: subject.kind.clone(), known })
    }
}

/// Projects with the same bytes as an earlier project: pairs of the number of the project and the
/// number of the first project with these bytes.
pub fn duplicates(projects: &[PlannedProject]) -> Vec<(usize, usize)> {
    let mut first = BTreeMap::new();
    let mut duplicates = Vec::new();
    for (number, project) in projects.iter().enumerate() {
        let original = *first.entry(project.digest).or_insert(number);
        if original != number {
            duplicates.push((number, original));
        }
    }
    duplicates
}
