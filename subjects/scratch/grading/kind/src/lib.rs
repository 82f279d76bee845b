//! The subject kind `suite`: Scratch projects with existing suites, written by hand or generated
//! earlier, which a study executes on the projects and on their mutants.
//!
//! - [`Suites`]: the kind. The algorithms of the kind `scratch` generate a suite; any other
//!   algorithm executes a suite next to the project, by default the suite with the name of the
//!   algorithm. Suites written by hand and generated suites therefore appear in the same tables.
//! - [`Bundle`]: a project with its suites, which workers receive.
//! - [`JavaScriptTests`]: a suite in JavaScript as mutation analysis executes it.

mod bundle;
mod javascript;
mod projects;
mod record;
mod runner;
mod settings;

use catherd_experiments::{Algorithm, Digest, Mutation, NamedGoals, ProjectSource, SubjectInfo};
use catherd_interface::{
    ANY_ALGORITHM, AlgorithmInfo, FieldError, FindError, FoundProject, FoundProjects, Progress,
    ProjectTable, Runner, RunnerContext, SubjectKind,
};
use catherd_scratch_kind::{Scratch, configuration};

pub use bundle::{Bundle, BundleError, SuiteText};
pub use javascript::JavaScriptTests;

/// The kind's name.
pub const KIND: &str = "suite";

/// Version of everything that influences records.
pub const ENGINE: &str = "suite/9";

/// The subject kind of Scratch projects with suites.
#[derive(Clone, Copy, Debug)]
pub struct Suites;

fn generates(name: &str) -> bool {
    Scratch.algorithms().iter().any(|algorithm| algorithm.name == name)
}

impl SubjectKind for Suites {
    fn info(&self) -> SubjectInfo {
        SubjectInfo { kind: KIND.to_owned(), engine: ENGINE.to_owned(), ..Scratch.info() }
    }

    fn summary(&self) -> &'static str {
        "Scratch projects with suites: suites are files next to a project that are named after it"
    }

    fn algorithms(&self) -> Vec<AlgorithmInfo> {
        let suite = AlgorithmInfo {
            name: ANY_ALGORITHM.to_owned(),
            summary: "any other name: an existing suite, by default the one with this name"
                .to_owned(),
            parameters: settings::parameters(),
        };
        std::iter::once(suite).chain(Scratch.algorithms()).collect()
    }

    fn check_algorithm(&self, algorithm: &Algorithm) -> Result<(), FieldError> {
        if generates(&algorithm.name) {
            Scratch.check_algorithm(algorithm)
        } else {
            settings::Settings::read(algorithm).map(drop)
        }
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
        if projects.is_empty() { Ok(None) } else { projects::table(projects).map(Some) }
    }

    /// Goals are named as in the kind `scratch`: with the settings of the algorithm if it generates
    /// a suite, or else with the default settings.
    fn name_goals(
        &self,
        projects: &[FoundProject],
        algorithms: &[Algorithm],
    ) -> Result<Vec<NamedGoals>, FindError> {
        let generator = |algorithm: &Algorithm| match generates(&algorithm.name) {
            true => algorithm.clone(),
            false => Algorithm { label: algorithm.label.clone(), ..Algorithm::plain("random") },
        };
        let algorithms: Vec<Algorithm> = algorithms.iter().map(generator).collect();
        let mut all = Vec::new();
        for found in projects {
            // A project that no run can read has no goals; its runs report the reason.
            let Ok(Bundle { project, .. }) = Bundle::from_bytes(&found.bytes()?) else { continue };
            let (digest, name, path) = (Digest::of(&project), found.name.clone(), &found.path);
            let project =
                FoundProject::new(name, path.clone(), digest, move || Ok(project.clone()));
            let goals = Scratch.name_goals(&[project], &algorithms)?;
            all.extend(goals.into_iter().map(|one| NamedGoals { project: found.digest, ..one }));
        }
        Ok(all)
    }

    fn needs_process(&self) -> bool {
        true
    }

    fn runner(&self, context: &RunnerContext<'_>) -> Option<Box<dyn Runner>> {
        let generator = Scratch.runner(context)?;
        Some(Box::new(runner::SuiteRunner::new(generator)))
    }
}
