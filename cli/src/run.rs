//! `catherd run`: executes a study on this machine and writes its results.
//!
//! - [`study_args`]: the arguments that make a study.
//! - [`corpus`]: the projects of the study, checked.
//! - [`folder`]: the folder of the study, which belongs to one study.
//! - [`local_cluster`]: a coordinator and its workers until every run has ended.
//! - [`race`]: runs in rounds, each without the configurations that have lost.
//! - [`display`]: the progress of the study on a terminal.
//! - [`results`]: the results of runs in the store.
//! - [`tables`]: tables and a list of problems; [`suites`]: artifacts; [`interim`]: tables of
//!   the runs that have ended so far.

mod corpus;
mod display;
mod folder;
mod goals;
mod interim;
mod local_cluster;
pub(crate) mod race;
mod results;
mod study_args;
mod suites;
mod tables;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use catherd_analysis::tidy::RunStates;
use catherd_cli_console::file_names::safe_name;
use catherd_cli_console::{Exit, Failure, exit_codes, terminal};
use catherd_coordinator::auth::{Role, TokenStore};
use catherd_coordinator::{Coordinator, Options, Repair};
use catherd_experiments::{Plan, Study};
use catherd_platform::allowed_cores;
use clap::Args;

use crate::failure::{STUDY_INCOMPLETE, STUDY_STOPPED, Worded};
use crate::programs::{Isolation, WorkerPrograms};
use crate::tokens::new_token;
use crate::{programs, subjects};
pub(crate) use corpus::Corpus;
use display::{Display, Title};
#[cfg(test)]
pub(crate) use folder::contents;
pub(crate) use folder::{Folder, MANIFEST, RESULT_FILES};
use interim::InterimTables;
pub(crate) use local_cluster::Ended;
use local_cluster::Workers;
use race::Rounds;
pub(crate) use results::RunResult;
pub(crate) use results::StoredStudies;
pub(crate) use study_args::{PlannedStudy, StudyArgs, too_few_seeds};
pub(crate) use tables::{Extent, Results, StudyTables};

/// Runs a study: every project x every algorithm x every seed, on every core of this
/// machine, and writes its tables, figure and test suites.
///
/// A study that was interrupted, however that happened, continues when the same command is given
/// again; runs that have ended are not executed again.
#[derive(Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{}", exit_codes(&[STUDY_INCOMPLETE, STUDY_STOPPED])))]
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

    /// Seconds between two writings of the tables while runs are executed
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    tables_interval: u64,

    /// Seconds for which a failing store, such as on a full disk, is tried again
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    retry_timeout: u64,

    /// Whether programs of a study of external tools get namespaces of their own, in which they see no
    /// token files, no network and no other processes, and write to their working folder alone
    #[arg(long, value_name = "WHETHER", default_value = "wanted")]
    isolation: Isolation,

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
    let PlannedStudy { study, corpus, plan, tools } = arguments.study.plan()?;
    if let Some(note) = too_few_seeds(&plan).filter(|_| !arguments.quiet) {
        terminal::note(&note);
    }
    let folder = arguments.folder(&study);
    if arguments.fresh || !has_ended(&folder, &plan) {
        arguments.study.check_tools(&tools)?;
    }
    let folder = Folder::open(&folder)?;
    folder.claim(&plan, arguments.fresh)?;

    let tables = StudyTables::new(&folder, &plan, corpus.description(&plan.algorithms)?);
    let mut runner = LocalRunner::new(&folder, &corpus, arguments, tables);
    let ended = match plan.race {
        Some(race) => race::run(&mut runner, &plan, race)?,
        None => runner.run(plan)?,
    };
    if ended != Ended::Finished {
        return Ok((Exit::Stopped, folder.path));
    }
    let results = runner.tables.write(runner.studies.results(), Extent::WithSuites)?;
    terminal::print(&results.text(&study.name, &folder.path, start.elapsed()));
    let complete = corpus.unusable.is_empty() && results.problems.is_empty();
    Ok((if complete { Exit::Success } else { Exit::Incomplete }, folder.path))
}

/// Whether every run of a plan has ended, by what the folder of the study says.
fn has_ended(folder: &Path, plan: &Plan) -> bool {
    let states = RunStates::read(folder).ok().flatten();
    states.is_some_and(|states| states.is_complete() && states.planned == plan.count() as u64)
}

impl Rounds for LocalRunner<'_> {
    fn run(&mut self, round: Plan) -> Result<Ended, Failure> {
        LocalRunner::run(self, round)
    }

    fn results(&mut self, round: &str, take: &mut dyn FnMut(RunResult)) -> Result<(), Failure> {
        let names = vec![round.to_owned()];
        let round = StoredStudies { names, ..self.studies.clone() };
        round.results().try_for_each(|result| result.map(&mut *take))
    }

    fn tables(&mut self) -> &mut StudyTables {
        &mut self.tables
    }
}

/// Executes plans on this machine, in the folder of the study.
struct LocalRunner<'a> {
    folder: &'a Folder,
    corpus: &'a Corpus,
    arguments: &'a Arguments,
    tables: StudyTables,
    /// The studies in the folder's store that have been started.
    studies: StoredStudies,
}

impl<'a> LocalRunner<'a> {
    fn new(
        folder: &'a Folder,
        corpus: &'a Corpus,
        arguments: &'a Arguments,
        tables: StudyTables,
    ) -> LocalRunner<'a> {
        let store = Options::new(&folder.path).store;
        let studies = StoredStudies { store, names: Vec::new() };
        LocalRunner { folder, corpus, arguments, tables, studies }
    }

    /// Runs a plan until all its runs have ended, or until it is stopped. Then the tables are those
    /// of the runs that have ended.
    fn run(&mut self, plan: Plan) -> Result<Ended, Failure> {
        let title = Title::new(&plan);
        self.studies.names.push(plan.name.clone());
        let ended = self.execute(plan, &title);
        match &ended {
            Ok(Ended::Finished | Ended::StoppedAtOnce) => {}
            Ok(Ended::Stopped | Ended::StoreFailed) | Err(_) => self.write_interim_tables(),
        }
        ended
    }

    fn execute(&self, plan: Plan, title: &Title) -> Result<Ended, Failure> {
        let programs = subjects::runs_programs(&plan.subject);
        let isolation = self.arguments.isolation;
        let programs =
            programs.then(|| WorkerPrograms { tools: self.arguments.study.folder(), isolation });
        let token = new_token()?;
        let options = Options {
            engines: subjects::kinds().engines(),
            criteria: subjects::kinds().criteria(),
            // Other users of this machine can connect as well.
            tokens: Some(TokenStore::of(&token, Role::Worker)),
            serve_clients: false,
            ..Options::new(&self.folder.path)
        };
        let coordinator = Coordinator::open_study(options, plan).map_err(Worded::worded)?;
        for Repair { run, cause, repeated } in coordinator.repairs() {
            let (id, place) = (run.id().short(), run.place());
            let then = if *repeated { "it is executed again" } else { "it is as it was" };
            let store = &self.studies.store;
            terminal::note(&format!("{store}: run {id} ({place}) was damaged: {cause}; {then}"));
        }
        let before = coordinator.progress();
        let cores = self.arguments.cores();
        if !before.is_finished() {
            self.tables.mark_incomplete()?;
            self.corpus.upload(&coordinator)?;
        }
        if programs.is_some() {
            let missing = programs::missing_guarantees(&self.folder.spools(), isolation)?;
            missing.into_iter().for_each(|line| terminal::note(&line));
        }
        let display = Display::new(self.arguments.quiet, title, &before, cores.len());
        let interval = Duration::from_secs(self.arguments.tables_interval);
        let interim = InterimTables::new(self.tables.clone(), self.studies.clone(), interval);
        let retry = Duration::from_secs(self.arguments.retry_timeout);
        let workers = Workers { cores: &cores, token: &token, programs: programs.as_ref() };
        let ended =
            local_cluster::run(&coordinator, self.folder, &workers, display, interim, retry)?;
        if ended != Ended::Finished {
            let after = coordinator.progress();
            let (ended, planned) = (after.done + after.failed + after.quarantined, after.planned);
            terminal::note(&format!(
                "Stopped after {ended} of {planned} runs. The same command continues from there."
            ));
        }
        Ok(ended)
    }

    /// Writes the tables of a study that was stopped or that failed. What it was stopped for is
    /// more important than what goes wrong here.
    fn write_interim_tables(&self) {
        match self.tables.write(self.studies.results(), Extent::WithSuites) {
            Ok(_) => {}
            Err(failure) => terminal::note(&format!("warning: tables were not written: {failure}")),
        }
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
