//! `catherd dataset split`: splits a corpus into disjoint parts.

use std::path::PathBuf;

use catherd_cli_console::{Exit, Failure, terminal};
use catherd_scratch_corpora::corpus::split;
use clap::Args;

use super::{OutputFolder, read, seed_parser, summary};
use crate::failure::Worded;

/// Splits a corpus at random into disjoint parts, each of which is a separate corpus.
///
/// A project and its duplicates are in the same part.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd dataset split corpora/all --parts tuning=250,evaluation=750 -o corpora/split")]
pub struct Arguments {
    /// Folder of the corpus
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Names and sizes of the parts, in projects; a project and its duplicates count as one
    #[arg(long, value_name = "NAME=N,...", value_delimiter = ',', value_parser = part, required = true)]
    parts: Vec<(String, usize)>,

    /// Seed of the random split
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = seed_parser())]
    seed: u64,

    #[command(flatten)]
    out: OutputFolder,
}

fn part(text: &str) -> Result<(String, usize), String> {
    let (name, size) = text.split_once('=').ok_or("give NAME=N, such as tuning=250")?;
    let is_valid_name = !name.is_empty()
        && !name.starts_with('.')
        && name.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c));
    if !is_valid_name {
        return Err(format!(
            "`{name}` is not a valid folder name: use letters, digits, `-`, `_`, and `.` except \
             at the start"
        ));
    }
    match size.parse() {
        Ok(size) if size > 0 => Ok((name.to_owned(), size)),
        _ => Err(format!("`{size}` is not a whole number of at least 1")),
    }
}

pub(super) fn run(arguments: Arguments) -> Result<Exit, Failure> {
    let Arguments { folder, parts, seed, out } = arguments;
    if let Some((name, _)) = parts
        .iter()
        .enumerate()
        .find_map(|(at, part)| parts[..at].iter().find(|earlier| earlier.0 == part.0))
    {
        return Err(Failure::new(format_args!("--parts: `{name}` is given twice"))
            .hint("give every part a different name"));
    }
    for corpus in split(&read(&folder)?, &parts, seed, &out.folder).map_err(Worded::worded)? {
        terminal::print(&summary(&corpus));
    }
    Ok(Exit::Success)
}
