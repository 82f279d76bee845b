//! The commands for JavaScript projects.
//!
//! - [`Command`], [`run`]: `catherd javascript`.
//! - [`inspect`]: `catherd inspect`; [`packages`]: `catherd dataset javascript`.
//! - [`export`]: `catherd export`.
//! - [`generate`], [`test`], [`coverage`], [`mutate`]: the commands with these names, for
//!   JavaScript projects.

mod apart;
mod code;
pub mod export;
mod generate;
pub mod inspect;
mod methods;
pub mod packages;
mod suites;

pub use generate::{Flags, generate};
pub use suites::{MUTATION_OPERATORS, coverage, is_suite, mutate, test};

use std::fs;
use std::path::PathBuf;

use catherd_cli_console::terminal::{self, plural};
use catherd_cli_console::{Exit, Failure, exit_codes};
use catherd_javascript_kind::examples;
use clap::{Args, Subcommand};

/// Works with JavaScript subjects and their results.
#[derive(Subcommand)]
#[allow(missing_docs, reason = "the arguments of each command contain its help")]
pub enum Command {
    Methods(methods::Arguments),
    // The name of `catherd dev javascript check` in version 0.3, accepted for one more version.
    #[command(hide = true)]
    Check(Check),
}

/// Compares the JavaScript test generator with worked examples.
#[derive(Subcommand)]
#[allow(missing_docs, reason = "the arguments of each command contain its help")]
pub enum DevCommand {
    Check(Check),
}

impl From<DevCommand> for Command {
    fn from(DevCommand::Check(check): DevCommand) -> Command {
        Command::Check(check)
    }
}

const EXAMPLES: &str = "\
Examples:
  catherd dev javascript check examples.jsonl
  catherd dev javascript check examples.jsonl --only inf-";

/// Checks worked examples: JSON lines with an input and its exact result, such as coverage goals,
/// evidence on types, branch distances or generated suites.
///
/// Each line of the file is a JSON object with `id`, `file`, `source`, `ask` and `expect`.
#[derive(Args)]
#[command(after_help = format!(
    "{EXAMPLES}\n\n{}",
    exit_codes(&[(Exit::Incomplete, "an example differs")])
))]
pub struct Check {
    /// File of examples, one JSON object per line
    file: PathBuf,

    /// Beginning of the ids of the examples that are checked
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
}

/// Executes `catherd javascript`.
///
/// # Errors
///
/// If a file cannot be read or its content cannot be used.
pub fn run(command: Command) -> Result<Exit, Failure> {
    let Check { file, only } = match command {
        Command::Check(check) => check,
        Command::Methods(arguments) => return methods::run(&arguments),
    };
    let text = fs::read_to_string(&file)
        .map_err(|error| Failure::new(format!("{}: {error}", file.display())))?;
    let (mut differing, mut skipped, mut count) = (0, 0, 0);
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let verdict = examples::check(line, &only)
            .map_err(|error| Failure::new(format!("{}:{}: {error}", file.display(), number + 1)))?;
        let Some(verdict) = verdict else { continue };
        count += 1;
        let state = match (verdict.skipped, verdict.differences.is_empty()) {
            (true, _) => "not compared: this program cannot do what the example asks",
            (false, true) => "same",
            (false, false) => "differs",
        };
        terminal::print(&format!("{}: {state}\n", verdict.id));
        for difference in &verdict.differences {
            terminal::print(&format!("  {difference}\n"));
        }
        skipped += usize::from(verdict.skipped);
        differing += usize::from(!verdict.differences.is_empty());
    }
    let summary =
        format!("{}: {differing} different, {skipped} not compared\n", plural(count, "example"));
    terminal::print(&summary);
    Ok(if differing == 0 { Exit::Success } else { Exit::Incomplete })
}
