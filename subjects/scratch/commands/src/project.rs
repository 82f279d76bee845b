//! Reading and compiling the project and the suite of a command.

use std::path::Path;
use std::sync::Arc;

use catherd_cli_console::{Failure, Pair, places};
use catherd_scratch_corpora::LoadedProject;
use catherd_scratch_grading_whisker::SuiteKind;
use catherd_scratch_suite::{Suite, SuiteError};
use catherd_scratch_testgen::{GenerateError, GenerationSettings, Prepared};
use catherd_scratch_vm::{Compat, Program};

pub(crate) fn open(path: &Path) -> Result<LoadedProject, Failure> {
    let hint = "name an .sb3 or .sb2 file or an unpacked project folder";
    places::check(path, hint)?;
    LoadedProject::read(path).map_err(|error| Failure::new(error).hint(hint))
}

pub(crate) fn open_pair(pair: &Pair) -> Result<(LoadedProject, Suite), Failure> {
    let suite = read_suite(pair)?;
    let subject = open(&pair.project)?;
    if !pair.any_project {
        check_digest(pair, &suite, &subject)?;
    }
    Ok((subject, suite))
}

pub(crate) fn check_digest(
    pair: &Pair,
    suite: &Suite,
    subject: &LoadedProject,
) -> Result<(), Failure> {
    let digest = hex::encode(subject.digest);
    suite.belongs_to(&digest).map_err(|error| suite_failure(pair, error))
}

pub(crate) fn parse_suite(pair: &Pair, text: &str) -> Result<Suite, Failure> {
    Suite::from_json(text).map_err(|error| suite_failure(pair, error))
}

pub(crate) fn compile(
    path: &Path,
    subject: &LoadedProject,
    compat: Compat,
) -> Result<Arc<Program>, Failure> {
    Program::compile_for(&subject.project, compat)
        .map(Arc::new)
        .map_err(|error| Failure::new(format!("{}: {error}", path.display())))
}

/// Includes colours even if no block senses them, because suites may query them and pictures show
/// them.
pub(crate) fn compile_for_scripts(
    path: &Path,
    subject: &LoadedProject,
    compat: Compat,
    earlier: Option<&Program>,
) -> Result<Arc<Program>, Failure> {
    let compiled = match earlier {
        Some(earlier) => earlier.compile_sharing(&subject.project),
        None => Program::compile_for(&subject.project, compat),
    };
    compiled
        .map(|program| Arc::new(program.with_colors()))
        .map_err(|error| Failure::new(format!("{}: {error}", path.display())))
}

pub(crate) fn prepare(
    path: &Path,
    subject: &LoadedProject,
    settings: GenerationSettings,
) -> Result<Arc<Prepared>, Failure> {
    Prepared::new(&subject.project, settings)
        .map_err(|error: GenerateError| Failure::new(format!("{}: {error}", path.display())))
}

/// A generated suite is a JSON object, and models are a JSON array.
pub(crate) fn is_javascript(text: &str) -> bool {
    let first = text.trim_start_matches('\u{feff}').trim_start().chars().next();
    first.is_some_and(|first| !['{', '['].contains(&first))
}

fn read_suite(pair: &Pair) -> Result<Suite, Failure> {
    let text = pair.read_suite()?;
    if is_javascript(&text) && SuiteKind::of(&text).is_ok() {
        let file = pair.suite.display();
        let error = format!("{file}: the suite is JavaScript instead of JSON");
        return Err(Failure::new(error).hint("execute it with catherd test"));
    }
    parse_suite(pair, &text)
}

pub(crate) fn suite_failure(pair: &Pair, error: SuiteError) -> Failure {
    let hint = match error {
        SuiteError::Json(_) | SuiteError::Machine { .. } | SuiteError::Assertion { .. } => {
            "the file is damaged or not a suite: generate one with catherd generate"
        }
        SuiteError::Format { .. } => {
            "use the version of catherd that wrote it, or generate it again"
        }
        SuiteError::Project { .. } | SuiteError::Goals { .. } => {
            "name the project for which the suite was generated, or use --any-project"
        }
        SuiteError::Compat { .. } => "execute it in its own machine, without --compat",
        SuiteError::Steps { .. } => "allow more with --steps",
        SuiteError::Sprite { .. } => "generate a suite for this project",
        SuiteError::Policy { .. } => "correct the policy, or generate a suite for this project",
    };
    Failure::new(format!("{}: {error}", pair.suite.display())).hint(hint)
}
