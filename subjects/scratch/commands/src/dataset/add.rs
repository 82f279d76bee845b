//! `catherd dataset add`: adds local files to a corpus.

use std::path::PathBuf;

use catherd_cli_console::{Exit, Failure, terminal};
use catherd_scratch_corpora::corpus::{Origin, add};
use catherd_scratch_corpora::{find, today};
use clap::Args;

use super::{OutputFolder, summary};
use crate::failure::Worded;

/// Adds local projects to a corpus, which is created if it does not exist.
///
/// Projects are repacked, so that the digest of a project does not depend on its archive.
/// Projects that the corpus already contains are left out.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd dataset add games/*.sb3 -o corpora/games
  catherd dataset add course -o corpora/course --source \"course 2026, group B\" --licence CC-BY-4.0

Exit codes: 0 if all can be used, 2 if some cannot, 1 if the command failed.")]
pub struct Arguments {
    /// Project files (.sb3, .sb2), unpacked project folders, or folders of them
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,

    #[command(flatten)]
    out: OutputFolder,

    /// Origin of the projects, as free text
    #[arg(long, value_name = "TEXT", default_value = "local files")]
    source: String,

    /// Licence of the projects, as an SPDX identifier
    #[arg(long, value_name = "ID", default_value = "")]
    licence: String,
}

pub(super) fn run(arguments: Arguments) -> Result<Exit, Failure> {
    let Arguments { paths, out, source, licence } = arguments;
    let found = find(paths).map_err(Worded::worded)?;
    for skipped in &found.skipped {
        terminal::note(&format!("skipped: {skipped}"));
    }
    let origin = Origin { source, licence, fetched: today() };
    let (corpus, added) = add(&out.folder, &found, &origin).map_err(Worded::worded)?;
    let known = found.projects.len() - added;
    terminal::print(&format!(
        "added {added}, left out {known} that the corpus already contains\n{}",
        summary(&corpus)
    ));
    Ok(if found.skipped.is_empty() { Exit::Success } else { Exit::Incomplete })
}
