//! The arguments of commands for one project and one suite.

use std::path::PathBuf;

use catherd_cli_console::Pair;
use clap::Args;

/// The arguments for a project and its suite.
#[derive(Args)]
pub(crate) struct PairArgs {
    /// The project: an .sb3 or .sb2 file or an unpacked folder; a .js or .ts file, a folder with
    /// package.json or subject.toml, or a .tgz package; for catherd test also a folder of Scratch
    /// projects, or - for a list on standard input
    #[arg(value_name = "PROJECT")]
    project: PathBuf,

    /// The suite: a JSON file that catherd generate or catherd run wrote; for Scratch also a
    /// JavaScript file
    #[arg(value_name = "SUITE")]
    suite: PathBuf,

    /// Accept a suite that was generated for another project, such as a model solution
    #[arg(long)]
    any_project: bool,
}

impl From<PairArgs> for Pair {
    fn from(arguments: PairArgs) -> Pair {
        let PairArgs { project, suite, any_project } = arguments;
        Pair { project, suite, any_project }
    }
}
