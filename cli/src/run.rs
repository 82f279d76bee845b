//! `catherd run`: executes a study on this machine and writes its results.
//!
//! - [`study_args`]: the arguments that make a study.
//! - [`corpus`]: the projects of the study, checked.
//! - [`folder`]: the folder of the study, which belongs to one study.
//! - [`local_cluster`]: a coordinator and its workers until every run has ended.
//! - [`race`]: runs in rounds, each without the configurations that have lost.
//! - [`display`]: the progress of the study on a terminal.
//! - [`results`]: tables, suites and a list of problems.

mod corpus;
mod display;
mod folder;
mod local_cluster;
mod race;
mod results;
mod study_args;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;

use catherd_coordinator::auth::{Role, TokenStore};
use catherd_coordinator::{Coordinator, Options};
use catherd_experiments::{Plan, Study};
use catherd_platform::allowed_cores;
use clap::Args;

use crate::failure::{self, Exit, Failure, STUDY_INCOMPLETE, STUDY_STOPPED};
use crate::file_names::safe_name;
use crate::tokens::new_token;
use crate::{subjects, terminal};
pub(crate) use corpus::Corpus;
use display::{Display, Title};
pub(crate) use folder::Folder;
use local_cluster::{Ended, Workers};
pub(crate) use results::{RunResult, export};
pub(crate) use study_args::{StudyArgs, too_few_seeds};

/// Runs a study: every project x every algorithm x every seed, on every core of this
/// machine, and writes its tables, figure and test suites.
///
/// A study that was interrupted, however that happened, continues when the same command is given
/// again; runs that have ended are not executed again.
#[derive(Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{}", failure::exit_codes(&[STUDY_INCOMPLETE, STUDY_STOPPED])))]
pub(crate) struct Arguments {
    #[command(flatten)]
    study: StudyArgs,

    /// Folder of the study and its results [default: results/NAME]
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Remove what the folder holds of this or another study, and start over
    #[arg(long)]
    fresh: bool,

    /// Worker processes, each pinned to a core [default: one for each core]
    #[arg(long, value_name = "N")]
    workers: Option<NonZeroUsize>,

    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

const EXAMPLES: &str = "\
Examples:
  catherd run experiments/smoke.toml
  catherd run experiments/smoke.toml --executions 50 --out /tmp/quick
  catherd run --projects games --algorithms random,mosa,mio --seeds 5 --executions 300";

pub(crate) fn run(arguments: Arguments) -> Result<Exit, Failure> {
    execute(&arguments).map(|(exit, _)| exit)
}

/// Runs a study. Returns its folder as well.
pub(crate) fn execute(arguments: &Arguments) -> Result<(Exit, PathBuf), Failure> {
    terminal::log(if arguments.quiet { "error" } else { "warn" });
    let start = Instant::now();
    let (study, corpus, plan) = arguments.study.plan()?;
    if let Some(note) = too_few_seeds(&plan).filter(|_| !arguments.quiet) {
        terminal::note(&note);
    }
    let folder = Folder::open(&arguments.folder(&study))?;
    folder.claim(&plan, arguments.fresh)?;

    let runner = LocalRunner { folder: &folder, corpus: &corpus, arguments };
    let skipped = corpus.skipped();
    corpus.describe(&folder.path)?;
    let results = if let Some(race) = plan.race {
        let Some((ends, dropped)) = race::run(&runner, &plan, race)? else {
            return Ok((Exit::Stopped, folder.path));
        };
        results::export(ends, &folder, &skipped, &dropped)?
    } else {
        let Some(coordinator) = runner.run(plan)? else { return Ok((Exit::Stopped, folder.path)) };
        let run_results = results::run_results(&coordinator, &study.name)?;
        results::export(run_results, &folder, &skipped, &[])?
    };
    terminal::print(&results.text(&study.name, &folder.path, start.elapsed()));
    let complete = corpus.unusable.is_empty() && results.problems.is_empty();
    Ok((if complete { Exit::Success } else { Exit::Incomplete }, folder.path))
}

/// Executes plans on this machine, in the folder of the study.
struct LocalRunner<'a> {
    folder: &'a Folder,
    corpus: &'a Corpus,
    arguments: &'a Arguments,
}

impl LocalRunner<'_> {
    /// Runs a plan to its end and returns its coordinator; `None` if a signal stopped it earlier.
    fn run(&self, plan: Plan) -> Result<Option<Coordinator>, Failure> {
        let title = Title::new(&plan);
        let programs = subjects::runs_programs(&plan.subject);
        let token = new_token()?;
        let coordinator = {
            let options = Options {
                engines: subjects::kinds().engines(),
                criteria: subjects::kinds().criteria(),
                // Other users of this machine can connect as well.
                tokens: Some(TokenStore::of(&token, Role::Worker)),
                serve_clients: false,
                ..Options::new(&self.folder.path)
            };
            Coordinator::open_study(options, plan)?
        };
        let before = coordinator.progress();
        let cores = self.arguments.cores();
        if !before.is_finished() {
            self.corpus.upload(coordinator.projects())?;
        }
        let display = Display::new(self.arguments.quiet, &title, &before, cores.len());
        let workers = Workers { cores: &cores, token: &token, programs };
        if local_cluster::run(&coordinator, self.folder, &workers, display)? == Ended::Finished {
            return Ok(Some(coordinator));
        }
        let after = coordinator.progress();
        let (ended, planned) = (after.done + after.failed + after.quarantined, after.planned);
        terminal::note(&format!(
            "Stopped after {ended} of {planned} runs. The same command continues from there."
        ));
        Ok(None)
    }
}

impl Arguments {
    fn folder(&self, study: &Study) -> PathBuf {
        let default = || Path::new("results").join(safe_name(&study.name));
        self.out.clone().unwrap_or_else(default)
    }

    /// The cores for workers: the first of those that this process may use.
    fn cores(&self) -> Vec<usize> {
        let mut cores = allowed_cores();
        if let Some(workers) = self.workers {
            if workers.get() > cores.len() {
                let n = cores.len();
                terminal::note(&format!(
                    "note: {n} workers, because this process may use {n} cores"
                ));
            }
            cores.truncate(workers.get());
        }
        cores
    }
}
