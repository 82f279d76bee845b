//! The subject kind `scratch`: Scratch projects, for which catherd generates suites.
//!
//! - [`Scratch`]: the kind.
//! - [`configuration`]: conversion of the algorithms, parameters and budgets of a study.
//! - [`ProjectMeasures`]: a row of `projects.csv`.

pub mod configuration;
mod description;
mod generator;
mod goals;
mod info;
mod picture;
mod projects;
mod record;
mod runner;

use catherd_experiments::{Algorithm, Mutation, NamedGoals, ProjectSource, SubjectInfo};
use catherd_interface::{
    AlgorithmInfo, FieldError, FindError, FoundProject, FoundProjects, LoadedRunner, Picture,
    PictureError, Progress, ProjectTable, Runner, RunnerContext, SubjectKind,
};

pub use description::ProjectMeasures;
pub use generator::{GeneratedSuite, Generator, GeneratorRequest};
pub use info::ENGINE;
pub use record::add_mutants;

/// The kind's name.
pub const KIND: &str = "scratch";

/// The subject kind of Scratch projects.
#[derive(Clone, Copy, Debug)]
pub struct Scratch;

impl SubjectKind for Scratch {
    fn info(&self) -> SubjectInfo {
        info::info()
    }

    fn summary(&self) -> &'static str {
        "Scratch projects: .sb3 and .sb2 files, unpacked folders and corpora"
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

    fn project_extension(&self) -> &'static str {
        "sb3"
    }

    fn describe(&self, projects: &[FoundProject]) -> Result<Option<ProjectTable>, FindError> {
        if projects.is_empty() { Ok(None) } else { description::table(projects).map(Some) }
    }

    fn name_goals(
        &self,
        projects: &[FoundProject],
        algorithms: &[Algorithm],
    ) -> Result<Vec<NamedGoals>, FindError> {
        goals::of(projects, algorithms)
    }

    fn picture(&self, project: &[u8], suite: &str) -> Result<Option<Picture>, PictureError> {
        picture::draw(project, suite)
    }

    fn runner(&self, _: &RunnerContext<'_>) -> Option<Box<dyn Runner>> {
        Some(Box::<LoadedRunner<runner::Loaded>>::default())
    }
}
