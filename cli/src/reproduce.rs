//! `catherd reproduce`: runs a study and writes its report.

use catherd_cli_console::{Exit, Failure, exit_codes};
use clap::Args;

use crate::failure::{CHECK_FAILED, STUDY_INCOMPLETE, STUDY_STOPPED};
use crate::subjects::PROGRAM;
use crate::{report, run};

/// Runs a study and writes its report.
///
/// Works like `catherd run` followed by `catherd report`, and writes the report into the subfolder
/// `report` of the results.
#[derive(Args)]
#[command(after_help = format!(
    "{EXAMPLES}\n\n{}",
    exit_codes(&[STUDY_INCOMPLETE, STUDY_STOPPED, CHECK_FAILED])
))]
pub(crate) struct Reproduce {
    #[command(flatten)]
    run: run::Arguments,

    #[command(flatten)]
    report: report::OfStudy,
}

const EXAMPLES: &str = "\
Examples:
  catherd reproduce experiments/smoke.toml
  catherd reproduce experiments/ci-smoke.toml --check \"algorithms/mio/mean >= 90 %\"";

pub(crate) fn run(arguments: &Reproduce) -> Result<Exit, Failure> {
    let (exit, folder) = run::execute(&arguments.run)?;
    if exit == Exit::Stopped {
        return Ok(exit);
    }
    // A failed check takes precedence over an incomplete study.
    Ok(match report::of_study(&arguments.report, &folder, &PROGRAM)? {
        Exit::Success => exit,
        failed => failed,
    })
}
