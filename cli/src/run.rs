//! `catherd run`: executes a study on this machine and writes its results.
//!
//! - [`study_args`]: the arguments that make a study; [`corpus`]: the search for its projects.
//! - [`local_cluster`]: a coordinator and its workers until every run has ended.
//! - [`display`]: the progress of the study on a terminal; [`summary`]: what is printed at its end.
//!
//! The folder, its tables and the rounds of a race are of `catherd-analysis-results`.

mod corpus;
mod display;
mod local_cluster;
mod study_args;
mod summary;

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use catherd_analysis::tidy::{Dropped, RunStates};
use catherd_analysis_results::race::{self, Rounds};
use catherd_analysis_results::{
    Corpus, Extent, InterimTables, ResultsError, RunResult, StoredStudies, StudyFolder, StudyTables,
};
use catherd_cli_console::{Exit, Failure, exit_codes, terminal};
use catherd_coordinator::auth::{Role, TokenStore};
use catherd_coordinator::{Coordinator, CoordinatorOptions, Repair};
use catherd_experiments::file_names::safe_name;
use catherd_experiments::{Plan, Study};
use catherd_platform::allowed_cores;
use clap::Args;

use crate::failure::{STUDY_INCOMPLETE, STUDY_STOPPED, Worded};
use crate::programs::{Isolation, WorkerPrograms};
use crate::tokens::new_token;
use crate::{programs, subjects};
use display::{Display, Title};
pub(crate) use local_cluster::Ended;
use local_cluster::Workers;
pub(crate) use study_args::{PlannedStudy, StudyArgs, too_few_seeds};
pub(crate) use summary::{dropped, text};

/// Runs a study on this machine and writes its results.
///
/// Every algorithm is executed on every project with every seed, on all cores of this machine. The
/// results are tables, a figure and test suites.
///
/// A study that was interrupted for any reason continues when the same command is given again; runs
/// that have ended are not executed again.
#[derive(Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{}", exit_codes(&[STUDY_INCOMPLETE, STUDY_STOPPED])))]
pub(crate) struct Arguments {
    #[command(flatten)]
    study: StudyArgs,

    /// Folder of the study and its results [default: results/NAME]
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Delete the results of any study in the folder, and start over
    #[arg(long)]
    fresh: bool,

    /// Number of worker processes, each pinned to a core [default: one for each core]
    #[arg(long, value_name = "N")]
    workers: Option<NonZeroUsize>,

    /// How often to rewrite the tables while runs are executed, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    tables_interval: u64,

    /// How long to retry a failing store, such as on a full disk, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    retry_timeout: u64,

    /// Isolation of external tools: in namespaces of their own, programs see no token files, no network
    /// and no other processes, and write to their working folder only
    #[arg(long, value_name = "MODE", default_value = "wanted")]
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
    let folder = StudyFolder::open(&folder).map_err(Worded::worded)?;
    folder.claim(&plan, arguments.fresh).map_err(Worded::worded)?;

    let projects = corpus.description(&plan.algorithms).map_err(Worded::worded)?;
    let tables = StudyTables::new(&folder, &plan, projects, subjects::kinds());
    let mut runner = LocalRunner::new(&folder, &corpus, arguments, tables);
    let ended = match plan.race {
        Some(race) => race::run(&mut runner, &plan, race)?,
        None => Rounds::run(&mut runner, plan)?,
    };
    if ended.is_break() {
        return Ok((Exit::Stopped, folder.path));
    }
    let results = runner.tables.write(runner.studies.results(), Extent::WithSuites);
    let results = results.map_err(Worded::worded)?;
    terminal::print(&text(&results, &study.name, &folder.path, start.elapsed()));
    let complete = corpus.unusable.is_empty() && results.problems.is_empty();
    Ok((if complete { Exit::Success } else { Exit::Incomplete }, folder.path))
}

/// Whether every run of a plan has ended, by what the folder of the study says.
fn has_ended(folder: &Path, plan: &Plan) -> bool {
    let states = RunStates::read(folder).ok().flatten();
    states.is_some_and(|states| states.is_complete() && states.planned == plan.count() as u64)
}

impl Rounds for LocalRunner<'_> {
    type Error = Failure;
    type Stopped = Ended;

    fn run(&mut self, round: Plan) -> Result<ControlFlow<Ended>, Failure> {
        Ok(match self.run(round)? {
            Ended::Finished => ControlFlow::Continue(()),
            stopped => ControlFlow::Break(stopped),
        })
    }

    fn results(&mut self, round: &str, take: &mut dyn FnMut(RunResult)) -> Result<(), Failure> {
        let names = vec![round.to_owned()];
        let round = StoredStudies { names, ..self.studies.clone() };
        let mut results = round.results();
        results.try_for_each(|result| result.map(&mut *take)).map_err(Worded::worded)
    }

    fn report(&mut self, dropped: &Dropped) {
        terminal::note(&summary::dropped(dropped));
    }

    fn tables(&mut self) -> &mut StudyTables {
        &mut self.tables
    }
}

/// Executes plans on this machine, in the folder of the study.
struct LocalRunner<'a> {
    folder: &'a StudyFolder,
    corpus: &'a Corpus,
    arguments: &'a Arguments,
    tables: StudyTables,
    /// The studies in the folder's store that have been started.
    studies: StoredStudies,
}

impl<'a> LocalRunner<'a> {
    fn new(
        folder: &'a StudyFolder,
        corpus: &'a Corpus,
        arguments: &'a Arguments,
        tables: StudyTables,
    ) -> LocalRunner<'a> {
        let store = CoordinatorOptions::new(&folder.path).store;
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
        let options = CoordinatorOptions {
            engines: subjects::kinds().engines(),
            criteria: subjects::kinds().criteria(),
            // Other users of this machine can connect as well.
            tokens: Some(TokenStore::of(&token, Role::Worker)),
            serve_clients: false,
            ..CoordinatorOptions::new(&self.folder.path)
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
            self.tables.mark_incomplete().map_err(Worded::worded)?;
            let stored = self.corpus.store(&coordinator, |project, cause| {
                let name = &project.name;
                terminal::note(&format!("project {name} is stored again: {cause}"));
            });
            stored.map_err(Worded::worded)?;
        }
        if programs.is_some() {
            let missing = programs::missing_guarantees(&self.folder.spools(), isolation)?;
            missing.into_iter().for_each(|line| terminal::note(&line));
        }
        let display = Display::new(self.arguments.quiet, title, &before, cores.len());
        let interval = Duration::from_secs(self.arguments.tables_interval);
        let warn = |error: ResultsError| {
            let failure = error.worded();
            terminal::note(&format!("warning: the interim tables were not written: {failure}"));
        };
        let interim = InterimTables::new(self.tables.clone(), self.studies.clone(), interval, warn);
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
            Err(error) => {
                let failure = error.worded();
                terminal::note(&format!("warning: tables were not written: {failure}"));
            }
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
