//! The subject kind `sequences`: models of event sequences, for which suites are chosen that cover
//! many items of a coverage criterion.
//!
//! - [`Sequences`]: the kind, whose projects are models.
//! - A run usually makes a pool of walks, searches for a suite of tests from the pool, and reports
//!   which items the suite covers and which faults it detects. The `risk` algorithm executes the
//!   pool instead, and reports evidence about each item.

mod approach;
mod configuration;
mod detection;
mod goals;
mod info;
mod projects;
mod record;
mod risk;
mod runner;
mod search;
mod subject;

use std::path::Path;

use catherd_experiments::{Algorithm, Mutation, NamedGoals, ProjectSource, SubjectInfo};
use catherd_interface::{
    AlgorithmInfo, Approaches, FieldError, FindError, FoundProject, FoundProjects, LoadedRunner,
    Progress, ProjectTable, Runner, RunnerContext, SubjectKind,
};

pub use info::ENGINE;

/// The name of the kind.
pub const KIND: &str = "sequences";

/// The subject kind of models of event sequences.
#[derive(Clone, Copy, Debug)]
pub struct Sequences;

impl SubjectKind for Sequences {
    fn info(&self) -> SubjectInfo {
        info::info()
    }

    fn summary(&self) -> &'static str {
        "models of event sequences: *.bp and *.bp.json files, folders of them, builtin:NAME"
    }

    fn algorithms(&self) -> Vec<AlgorithmInfo> {
        configuration::algorithms()
    }

    fn check_algorithm(&self, algorithm: &Algorithm) -> Result<(), FieldError> {
        configuration::read(algorithm).map(drop)
    }

    fn check_mutation(&self, mutation: &Mutation) -> Result<(), FieldError> {
        configuration::check_mutation(mutation)
    }

    fn find(
        &self,
        projects: &ProjectSource,
        progress: &dyn Progress,
    ) -> Result<FoundProjects, FindError> {
        projects::find(projects, progress)
    }

    fn is_builtin(&self, path: &Path) -> bool {
        projects::builtin_name(path).is_some()
    }

    fn describe(&self, projects: &[FoundProject]) -> Result<Option<ProjectTable>, FindError> {
        if projects.is_empty() { Ok(None) } else { projects::table(projects).map(Some) }
    }

    fn name_goals(
        &self,
        projects: &[FoundProject],
        algorithms: &[Algorithm],
    ) -> Result<Vec<NamedGoals>, FindError> {
        goals::of(projects, algorithms)
    }

    fn approaches(&self) -> Option<Approaches> {
        Some(approach::of)
    }

    fn needs_process(&self) -> bool {
        true
    }

    fn runner(&self, _: &RunnerContext<'_>) -> Option<Box<dyn Runner>> {
        Some(Box::<LoadedRunner<subject::Subject>>::default())
    }
}
