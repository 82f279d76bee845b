//! `catherd inspect`: passes a project to its subject kind.

use std::path::PathBuf;

use catherd_cli_console::{Exit, Failure};
use catherd_javascript_commands::inspect as javascript;
use catherd_javascript_kind::project::is_project;
use catherd_scratch_commands::inspect as scratch;
use clap::Args;

/// Shows what a project offers to tests, and what is not supported.
///
/// For a Scratch project: the blocks that are not executed as Scratch executes them, and what they
/// do instead. For a JavaScript project: its classes and functions, and the types of parameters,
/// which are inferred from tests with unknown values, with their evidence.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd inspect game.sb3
  catherd inspect game.sb3 --compat 2022 --json
  catherd inspect list.js
  catherd inspect package --json

Exit codes: 0 if the project could be read, 1 if not.")]
pub(crate) struct Arguments {
    /// The project: an .sb3 or .sb2 file or an unpacked folder; for JavaScript a .js or .ts file, a
    /// folder with package.json or subject.toml, or a .tgz package
    #[arg(value_name = "PROJECT")]
    project: PathBuf,

    #[command(flatten)]
    scratch: scratch::Flags,

    #[command(flatten)]
    javascript: javascript::Flags,

    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    if is_project(&arguments.project) {
        return javascript::run(&arguments.project, &arguments.javascript, arguments.json);
    }
    scratch::run(&arguments.project, &arguments.scratch, arguments.json)
}
