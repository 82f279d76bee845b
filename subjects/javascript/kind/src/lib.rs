//! The subject kind `javascript`: classes and functions of JavaScript packages, for which
//! Flycatcher's generator and the searches make suites.
//!
//! - [`JavaScript`]: the kind.
//! - [`packages`]: corpora of npm packages.
//! - [`project`]: one project and its suites, without a study.
//! - [`configuration`]: algorithms and parameters as a study names them.

pub mod configuration;
pub mod examples;
mod measures;
pub mod packages;
pub mod project;
mod projects;
mod record;
mod runner;

use catherd_experiments::{
    Algorithm, CriterionInfo, Mutation, Noun, ProjectSource, SubjectInfo, Unit,
};
use catherd_interface::{
    AlgorithmInfo, FieldError, FindError, FoundProject, FoundProjects, LoadedRunner, Progress,
    ProjectTable, Runner, RunnerContext, SubjectKind,
};

pub use catherd_javascript_classes as classes;

/// The kind's name.
pub const KIND: &str = "javascript";

/// The engine id: the version of everything that influences a record (instrumentation, machine, generation).
pub const ENGINE: &str = "javascript/11";

pub(crate) const EXECUTIONS: &str = "executions";
pub(crate) const STEPS: &str = "steps";
pub(crate) const GOALS: &str = "goals";
pub(crate) const STATEMENTS: &str = "statements";
/// Parts of a mutant's location: the file, the function, line and column.
pub(crate) const LEVELS: [&str; 3] = ["target", "script", "block"];

/// The subject kind of JavaScript packages.
#[derive(Clone, Copy, Debug)]
pub struct JavaScript;

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
            criteria: vec![CriterionInfo::new("goal", GOALS)],
            suite_unit: Noun::new("statement", STATEMENTS),
            mutant_levels: LEVELS.map(str::to_owned).to_vec(),
            artifact_extension: "json".to_owned(),
            measures: measures::related(),
        }
    }

    fn summary(&self) -> &'static str {
        "JavaScript classes and functions: .js files, folders with package.json, .tgz packages"
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
        projects::find(projects, progress)
    }

    fn describe(&self, projects: &[FoundProject]) -> Result<Option<ProjectTable>, FindError> {
        if projects.is_empty() { Ok(None) } else { measures::table(projects).map(Some) }
    }

    fn runner(&self, _: &RunnerContext<'_>) -> Option<Box<dyn Runner>> {
        Some(Box::<LoadedRunner<runner::Loaded>>::default())
    }
}
