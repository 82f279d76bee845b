//! The subject kind `javascript`: classes and functions of JavaScript packages, for which
//! Flycatcher's generator and the searches make suites.
//!
//! - [`JavaScript`]: the kind.
//! - [`configuration`]: algorithms and parameters as a study names them.

pub mod configuration;
pub mod examples;
mod projects;
mod record;
mod runner;

use catherd_experiments::{Algorithm, CriterionInfo, Noun, ProjectSource, SubjectInfo, Unit};
use catherd_subject::{
    AlgorithmInfo, FieldError, FindError, Found, Progress, Runner, RunnerContext, SubjectKind,
};

/// The kind's name.
pub const KIND: &str = "javascript";

/// Version of all that decides a record: instrumentation, machine, generation.
pub const ENGINE: &str = "javascript/2";

pub(crate) const EXECUTIONS: &str = "executions";
pub(crate) const STEPS: &str = "steps";
pub(crate) const GOALS: &str = "goals";
pub(crate) const STATEMENTS: &str = "statements";

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
            mutant_levels: Vec::new(),
            artifact_extension: "json".to_owned(),
            measures: Vec::new(),
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

    fn find(&self, projects: &ProjectSource, progress: &dyn Progress) -> Result<Found, FindError> {
        projects::find(projects, progress)
    }

    fn runner(&self, _: &RunnerContext<'_>) -> Option<Box<dyn Runner>> {
        Some(Box::<runner::JavaScriptRunner>::default())
    }
}
