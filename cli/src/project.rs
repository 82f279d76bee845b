//! The project and the suite that the commands for single projects open.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use catherd_datasets::LoadedProject;
use catherd_suite::{Suite, SuiteError};
use catherd_testgen::{GenerateError, Prepared, Settings};
use catherd_vm::Program;
use clap::Args;

use crate::failure::Failure;

/// The arguments for a project and a suite for it.
#[derive(Args)]
pub(crate) struct Pair {
    /// The project: an .sb3 or .sb2 file or an unpacked folder
    #[arg(value_name = "PROJECT")]
    pub(crate) project: std::path::PathBuf,

    /// The suite: a JSON file that catherd generate or catherd run wrote
    #[arg(value_name = "SUITE")]
    pub(crate) suite: std::path::PathBuf,

    /// Accept a suite that was generated for another project, such as a model solution
    #[arg(long)]
    pub(crate) any_project: bool,
}

/// Reads a project.
pub(crate) fn open(path: &Path) -> Result<LoadedProject, Failure> {
    LoadedProject::read(path).map_err(|error| {
        Failure::new(error).hint("name an .sb3 or .sb2 file or an unpacked project folder")
    })
}

impl Pair {
    /// Reads project and suite, and checks that the suite was made for the project.
    pub(crate) fn open(&self) -> Result<(LoadedProject, Suite), Failure> {
        let suite = read_suite(&self.suite)?;
        let subject = open(&self.project)?;
        if !self.any_project {
            suite.belongs_to(&hex::encode(subject.digest)).map_err(|error| self.failure(error))?;
        }
        Ok((subject, suite))
    }

    /// Compiles the project.
    pub(crate) fn compile(&self, subject: &LoadedProject) -> Result<Arc<Program>, Failure> {
        Program::compile(&subject.project)
            .map(Arc::new)
            .map_err(|error| Failure::new(format!("{}: {error}", self.project.display())))
    }

    /// A failure about the suite, with the name of its file.
    pub(crate) fn failure(&self, error: SuiteError) -> Failure {
        suite_failure(&self.suite, error)
    }
}

/// Prepares a project for test generation.
pub(crate) fn prepare(
    path: &Path,
    subject: &LoadedProject,
    settings: Settings,
) -> Result<Arc<Prepared>, Failure> {
    Prepared::new(&subject.project, settings)
        .map_err(|error: GenerateError| Failure::new(format!("{}: {error}", path.display())))
}

fn read_suite(path: &Path) -> Result<Suite, Failure> {
    let text = fs::read_to_string(path).map_err(|error| {
        Failure::new(format!("{}: {error}", path.display()))
            .hint("name a suite that catherd generate or catherd run wrote")
    })?;
    Suite::from_json(&text).map_err(|error| suite_failure(path, error))
}

fn suite_failure(path: &Path, error: SuiteError) -> Failure {
    let hint = match error {
        SuiteError::Json(_) | SuiteError::Machine { .. } | SuiteError::Assertion { .. } => {
            "the file is damaged or no suite: generate one with catherd generate"
        }
        SuiteError::Format { .. } => {
            "use the version of catherd that wrote it, or generate it again"
        }
        SuiteError::Project { .. } | SuiteError::Goals { .. } => {
            "name the project for which the suite was generated, or use --any-project"
        }
        SuiteError::Steps { .. } => "allow more with --steps",
        SuiteError::Sprite { .. } => "generate a suite for this project",
    };
    Failure::new(format!("{}: {error}", path.display())).hint(hint)
}
