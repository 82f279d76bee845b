//! From a study and its projects to runs.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::{Algorithm, Budget, Digest, ENGINE, Mutation, Race, RunSpec, Study};

/// A project that was found, read and packed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

/// A study whose projects have been found: all that decides its runs, in a form that
/// travels and is kept. The runs themselves are made when they are asked for, since a
/// study may have millions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Version of this form.
    format: u32,
    /// The study's name.
    pub name: String,
    /// [`ENGINE`] of the planner.
    pub engine: String,
    /// Subject kind.
    pub subject: String,
    /// What is compared, in the order of the tables.
    pub algorithms: Vec<Algorithm>,
    /// Seeds, in the order given.
    pub seeds: Vec<u64>,
    /// The budget of each run.
    pub budget: Budget,
    /// Mutation analysis of the suites; none: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mutation: Option<Mutation>,
    /// How the algorithms race; none: all run on every project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub race: Option<Race>,
    /// Projects, each once.
    pub projects: Vec<PlannedProject>,
}

/// The version of [`Plan`]'s form.
const FORMAT: u32 = 2;

impl Plan {
    /// Plans a study on `projects`. Of projects with the same bytes only the first is
    /// planned, since their runs would be the same runs ([`twins`] names the others).
    /// `check` is the subject kind's word on an algorithm and its parameters.
    ///
    /// # Errors
    ///
    /// When the subject kind refuses an algorithm, or no project is left.
    pub fn new(
        study: &Study,
        mut projects: Vec<PlannedProject>,
        check: impl Fn(&Algorithm) -> Result<(), String>,
    ) -> Result<Plan, PlanError> {
        for algorithm in &study.algorithms {
            let label = || algorithm.label.clone();
            check(algorithm).map_err(|cause| PlanError::Algorithm { label: label(), cause })?;
        }
        for (twin, _) in twins(&projects).into_iter().rev() {
            projects.remove(twin);
        }
        if projects.is_empty() {
            return Err(PlanError::NoProjects(study.name.clone()));
        }
        Ok(Plan {
            format: FORMAT,
            name: study.name.clone(),
            engine: ENGINE.to_owned(),
            subject: study.subject.clone(),
            algorithms: study.algorithms.clone(),
            seeds: study.seeds.clone(),
            budget: study.budget,
            mutation: study.mutation.clone(),
            race: study.race,
            projects,
        })
    }

    /// What a plan from elsewhere has that this build would not have planned.
    ///
    /// # Errors
    ///
    /// The first such thing.
    pub fn check(&self) -> Result<(), &'static str> {
        let parts = [
            ("another version of its description", self.format == FORMAT),
            ("another version of catherd", self.engine == ENGINE),
            ("nothing to run", self.count() > 0),
            ("the same project twice", twins(&self.projects).is_empty()),
        ];
        parts.into_iter().find(|(_, fine)| !fine).map_or(Ok(()), |(part, _)| Err(part))
    }

    /// A round of a race: the algorithms that are left, on some of the projects.
    pub fn round(&self, number: usize, algorithms: &[usize], projects: Range<usize>) -> Plan {
        Plan {
            name: format!("{}, round {number}", self.name),
            algorithms: algorithms.iter().map(|&a| self.algorithms[a].clone()).collect(),
            projects: self.projects[projects].to_vec(),
            race: None,
            ..self.clone()
        }
    }

    /// How many runs there are; in a race, if nothing is dropped.
    pub fn count(&self) -> usize {
        self.projects.len() * self.algorithms.len() * self.seeds.len()
    }

    /// The runs: by project in the order given, then by algorithm, then by seed.
    pub fn into_runs(self) -> impl Iterator<Item = RunSpec> {
        let runs = 0..self.count();
        runs.map(move |number| {
            let (project, algorithm) = self.cell(number);
            let seed = self.seeds[number % self.seeds.len()];
            RunSpec {
                project: project.digest,
                project_name: project.name.clone(),
                subject: self.subject.clone(),
                algorithm: algorithm.clone(),
                seed,
                budget: self.budget,
                mutation: self.mutation.clone(),
                engine: self.engine.clone(),
            }
        })
    }

    /// Project and algorithm of a run by its place among the runs, from 0.
    ///
    /// # Panics
    ///
    /// When there is no such place.
    pub fn cell(&self, place: usize) -> (&PlannedProject, &Algorithm) {
        let rest = place / self.seeds.len();
        let algorithm = &self.algorithms[rest % self.algorithms.len()];
        (&self.projects[rest / self.algorithms.len()], algorithm)
    }

    /// The names of project and algorithm of each run, in their order.
    pub fn places(&self) -> impl Iterator<Item = (&str, &str)> {
        (0..self.count()).map(|place| {
            let (project, algorithm) = self.cell(place);
            (&*project.name, &*algorithm.label)
        })
    }

    /// The first part in which `earlier` has something that this plan lacks; none if this
    /// plan is the same or only adds projects, algorithms or seeds.
    pub fn lacks(&self, earlier: &Plan) -> Option<&'static str> {
        let parts = [
            ("another version of its description", self.format == earlier.format),
            ("another version of catherd", self.engine == earlier.engine),
            ("another subject kind", self.subject == earlier.subject),
            ("other projects", holds(&self.projects, &earlier.projects)),
            ("other algorithms", holds(&self.algorithms, &earlier.algorithms)),
            ("other seeds", holds(&self.seeds, &earlier.seeds)),
            ("another budget", self.budget == earlier.budget),
            ("another mutation analysis", self.mutation == earlier.mutation),
            ("another race", self.race == earlier.race),
        ];
        parts.into_iter().find(|(_, same)| !same).map(|(part, _)| part)
    }
}

fn holds<T: PartialEq>(all: &[T], some: &[T]) -> bool {
    // What is added usually follows, so this seldom searches.
    some.iter().zip(all).all(|(one, other)| one == other) && some.len() <= all.len()
        || some.iter().all(|one| all.contains(one))
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
