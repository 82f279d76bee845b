//! `catherd dev vm digest`: digests of runs of projects.

use std::path::PathBuf;

use catherd_cli_console::terminal::{self, bar};
use catherd_cli_console::{Exit, Failure};
use catherd_scratch_conformance::{RandomInputDriver, RunDigest, digests};
use catherd_scratch_corpora::find;
use catherd_scratch_vm::Compat;
use clap::Args;

use super::thread_count;
use crate::failure::Worded;

/// Runs projects with input drawn from a seed and prints a digest of all their states.
///
/// A digest covers the properties of the stage, of sprites and of clones, with their variables and
/// lists, the number of threads, the limits that were hit, and the executed blocks, branch
/// distances and strings that sprites say, before the first step and after each step. It must be
/// the same on every computer, in every build, on any number of threads and with `--interpret`:
/// compare two outputs with `diff`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd dev vm digest games > here.txt
  catherd dev vm digest games --jobs 1 | diff here.txt -
  catherd dev vm digest games --interpret | diff here.txt -

Exit codes: 0 if all ran, 2 if a project was skipped, 1 if the command failed.")]
pub struct Arguments {
    /// Project files, unpacked project folders, or folders of them
    #[arg(required = true, value_name = "DIR")]
    projects: Vec<PathBuf>,

    /// Number of steps of each project (1/30 s of Scratch time each)
    #[arg(long, value_name = "N", default_value_t = 300)]
    steps: u64,

    /// Seed of the machine's random numbers and of the input
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// Maximum number of projects: the first projects by name
    #[arg(long, value_name = "N")]
    limit: Option<usize>,

    /// Number of threads [default: one for each core]
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,

    /// Let the interpreter execute everything, without the faster form of custom blocks that run
    /// without screen refresh
    #[arg(long)]
    interpret: bool,

    /// The machine: 2022, which is Scratch as Whisker's study changed it, or today
    #[arg(long, value_name = "MACHINE", default_value_t)]
    compat: Compat,

    /// Print one JSON object per line instead of `DIGEST  PROJECT`
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: Arguments) -> Result<Exit, Failure> {
    let Arguments { projects, steps, seed, limit, jobs, interpret, compat, json } = arguments;
    let mut found = find(projects).map_err(Worded::worded)?;
    found.projects.truncate(limit.unwrap_or(usize::MAX));
    let named: Vec<_> = found.projects.iter().map(|e| (e.name.clone(), e.path.clone())).collect();
    let bar = bar(named.len());
    let driver = RandomInputDriver { steps, seed, interpret, compat };
    let runs = digests(&named, driver, thread_count(jobs), |_| bar.inc(1));
    bar.finish_and_clear();
    let mut failures: Vec<String> = found.skipped.iter().map(ToString::to_string).collect();
    let mut text = String::new();
    for run in runs {
        match run {
            Ok(run) => text += &line(&run, json),
            Err(error) => failures.push(error.to_string()),
        }
    }
    terminal::print(&text);
    for failure in &failures {
        terminal::note(&format!("skipped: {failure}"));
    }
    Ok(if failures.is_empty() { Exit::Success } else { Exit::Incomplete })
}

fn line(run: &RunDigest, json: bool) -> String {
    if json {
        serde_json::to_string(run).map_or(String::new(), |line| line + "\n")
    } else {
        format!("{}  {}\n", run.digest, run.project)
    }
}
