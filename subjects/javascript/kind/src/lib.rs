//! The subject kind `javascript`: classes and functions of JavaScript packages, for which
//! Flycatcher's generator and the search algorithms generate suites.
//!
//! - [`JavaScript`]: the kind.
//! - [`packages`]: corpora of npm packages.
//! - [`project`]: one project and its suites, without a study.
//! - [`confirmation`]: execution of a suite in Node.js before it is written as code.
//! - [`configuration`]: algorithms and parameters as a study names them.

pub mod configuration;
pub mod confirmation;
pub mod examples;
mod goals;
mod measures;
pub mod packages;
pub mod project;
mod projects;
mod record;
mod runner;
mod since;

use std::sync::Arc;

use catherd_experiments::{
    Algorithm, CriterionInfo, Digest, Mutation, NamedGoals, Noun, ProjectSource, SubjectInfo, Unit,
};
use catherd_interface::{
    AlgorithmInfo, Examination, FieldError, FindError, FoundProject, FoundProjects, LoadedRunner,
    Progress, ProjectTable, Runner, RunnerContext, SubjectKind,
};

pub use catherd_javascript_classes as classes;

/// The name of the kind.
pub const KIND: &str = "javascript";

/// The engine id: the version of everything that influences a record.
pub const ENGINE: &str = "javascript/19";

pub(crate) const EXECUTIONS: &str = "executions";
pub(crate) const STEPS: &str = "steps";
pub(crate) const GOALS: &str = "goals";
pub(crate) const BRANCHES: &str = "branches";
pub(crate) const STATEMENTS: &str = "statements";
/// Parts of a mutant's location.
pub(crate) const LEVELS: [&str; 3] = ["target", "script", "block"];

/// A function that examines a project, like [`Runner::examine`].
pub type Examiner = fn(Digest, Arc<[u8]>, &Examination) -> Result<Vec<(String, String)>, String>;

/// The subject kind of JavaScript packages.
#[derive(Clone, Copy, Debug)]
pub struct JavaScript {
    examine: Examiner,
}

impl Default for JavaScript {
    /// A kind that examines projects in this process.
    fn default() -> JavaScript {
        JavaScript::examined_by(|digest, bytes, asked| {
            let mut runner = LoadedRunner::<runner::Loaded>::default();
            let examined = runner.load(digest, bytes).and_then(|()| runner.examine(asked));
            examined.map_err(|error| error.to_string())
        })
    }
}

impl JavaScript {
    /// A kind that examines projects with a function, for example in a separate process, because a
    /// hostile project could end this process.
    pub fn examined_by(examine: Examiner) -> JavaScript {
        JavaScript { examine }
    }
}

impl SubjectKind for JavaScript {
    fn info(&self) -> SubjectInfo {
        SubjectInfo {
            kind: KIND.to_owned(),
            engine: ENGINE.to_owned(),
            units: vec![
                Unit::new(
                    EXECUTIONS,
                    "test execution",
                    "test executions",
                    "executions of a test by inference and search",
                ),
                Unit::new(
                    STEPS,
                    "step",
                    "steps",
                    "statements, iterations, entries of functions and traps of proxies",
                ),
            ],
            criteria: vec![
                CriterionInfo::new("goal", GOALS),
                CriterionInfo::new("branch", BRANCHES),
            ],
            suite_unit: Noun::new("statement", STATEMENTS),
            mutant_levels: LEVELS.map(str::to_owned).to_vec(),
            artifact_extension: "json".to_owned(),
            measures: measures::related(),
        }
    }

    fn summary(&self) -> &'static str {
        "JavaScript and TypeScript classes and functions: files, folders with package.json, .tgz packages"
    }

    fn algorithms(&self) -> Vec<AlgorithmInfo> {
        configuration::algorithms()
    }

    fn check_algorithm(&self, algorithm: &Algorithm) -> Result<(), FieldError> {
        configuration::read(algorithm).map(drop)
    }

    fn check_mutation(&self, mutation: &Mutation) -> Result<(), FieldError> {
        configuration::mutation(mutation).map(drop)
    }

    fn find(
        &self,
        projects: &ProjectSource,
        progress: &dyn Progress,
    ) -> Result<FoundProjects, FindError> {
        projects::find(projects, progress, self.examine)
    }

    fn describe(&self, projects: &[FoundProject]) -> Result<Option<ProjectTable>, FindError> {
        if projects.is_empty() {
            return Ok(None);
        }
        measures::table(projects, self.examine).map(Some)
    }

    fn name_goals(
        &self,
        projects: &[FoundProject],
        algorithms: &[Algorithm],
    ) -> Result<Vec<NamedGoals>, FindError> {
        goals::of(projects, algorithms, self.examine)
    }

    fn needs_process(&self) -> bool {
        true
    }

    fn runner(&self, _: &RunnerContext<'_>) -> Option<Box<dyn Runner>> {
        Some(Box::<LoadedRunner<runner::Loaded>>::default())
    }
}
