//! `catherd dataset add`: a corpus of local files.

use std::path::PathBuf;

use catherd_datasets::corpus::{Source, add};
use catherd_datasets::{find, today};
use clap::Args;

use super::{Out, told};
use crate::failure::{Exit, Failure};
use crate::terminal;

/// Adds local projects to a corpus, which is made if there is none.
///
/// Projects are packed anew, so that the same project has the same digest wherever it came
/// from. What the corpus has already is left out.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd dataset add games/*.sb3 -o corpora/games
  catherd dataset add course -o corpora/course --source \"course 2026, group B\" --licence CC-BY-4.0

Exit codes: 0 if all were added, 2 if some cannot be used, 1 if nothing could be done.")]
pub(crate) struct Arguments {
    /// Project files (.sb3, .sb2), unpacked project folders, or folders of them
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,

    #[command(flatten)]
    out: Out,

    /// Where the projects are from, for people
    #[arg(long, value_name = "TEXT", default_value = "local files")]
    source: String,

    /// Licence of the projects, as an SPDX identifier
    #[arg(long, value_name = "ID", default_value = "")]
    licence: String,
}

pub(super) fn run(arguments: Arguments) -> Result<Exit, Failure> {
    let Arguments { paths, out, source, licence } = arguments;
    let found = find(paths)?;
    for skipped in &found.skipped {
        terminal::note(&format!("skipped: {skipped}"));
    }
    let source = Source { source, licence, fetched: today() };
    let (corpus, added) = add(&out.folder, &found, &source)?;
    let known = found.projects.len() - added;
    terminal::print(&format!("added {added}, {known} were there already\n{}", told(&corpus)));
    Ok(if found.skipped.is_empty() { Exit::Fine } else { Exit::Incomplete })
}
