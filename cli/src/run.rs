//! `catherd run`: executes a study on this machine and writes its results.

mod corpus;
mod display;
mod events;
mod local_cluster;
mod power;
mod study_args;
mod summary;
mod trials;

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use catherd_analysis::tidy::{Dropped, RunStates};
use catherd_analysis_results::race::{self, Rounds};
use catherd_analysis_results::stop;
use catherd_analysis_results::{
    Corpus, Extent, InterimTables, ResultsError, RunResult, StoredStudies, StudyFolder, StudyTables,
};
use catherd_cli_console::{Exit, Failure, exit_codes, terminal};
use catherd_coordinator::auth::{Role, TokenStore};
use catherd_coordinator::{Coordinator, CoordinatorOptions, Repair};
use catherd_experiments::file_names::safe_name;
use catherd_experiments::{Plan, Study};
use catherd_platform::{Topology, allowed_cores};
use clap::Args;

use crate::archive::research_object;
use crate::check::{self, CheckSettings};
use crate::failure::{STUDY_INCOMPLETE, STUDY_STOPPED, Worded};
use crate::notify::Notify;
use crate::programs::{Isolation, WorkerPrograms};
use crate::tokens::new_token;
use crate::{claims, programs, subjects};
pub(crate) use display::Pace;
use display::{Display, Title};
use events::Events;
pub(crate) use local_cluster::Ended;
use local_cluster::{FailureRule, Workers};
pub(crate) use study_args::{PlannedStudy, StudyArgs, too_few_seeds};
pub(crate) use summary::{decided, dropped, text};
pub(crate) use trials::TRIALS;

/// Runs a study on this machine and writes its results.
///
/// By default, every algorithm is executed on every project with every seed, on all physical cores
/// of this machine. The results are tables, a figure and test suites.
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

    /// Results of a study with measure = "apart": its trials are measured again, for example by
    /// another measurer, instead of being executed again
    #[arg(long, value_name = "RESULTS")]
    trials: Option<PathBuf>,

    /// Number of worker processes, each pinned to a core [default: one for each physical core]
    #[arg(long, value_name = "N", value_parser = at_least_one, allow_hyphen_values = true)]
    workers: Option<NonZeroUsize>,

    /// Use all hyper-threads of a physical core for workers, not only one. Runs on hyper-threads of
    /// one core slow each other down, so their real time means little
    #[arg(long)]
    siblings: bool,

    /// Execute nothing; say which effects the study can find, and how many projects and seeds an
    /// effect needs. Runs in the folder are used as a pilot study
    #[arg(long)]
    plan: bool,

    /// How often to rewrite the tables while runs are executed, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    tables_interval: u64,

    /// How long to retry if the store fails, for example because the disk is full, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    retry_timeout: u64,

    /// Isolation of external tools: in separate namespaces, programs see no token files, no network
    /// and no other processes, and write to their working folder only
    #[arg(long, value_name = "MODE", default_value = "wanted")]
    isolation: Isolation,

    /// Continue if all runs of an algorithm fail for the same reason. Otherwise the study is
    /// stopped after 10 of them, on two projects if there are two
    #[arg(long)]
    keep_going: bool,

    /// Show the progress in a browser, on this address of this machine
    #[arg(long, value_name = "ADDR", num_args = 0..=1, default_missing_value = "127.0.0.1:7421",
          value_parser = address)]
    dashboard: Option<SocketAddr>,

    /// Check the study, estimate its cost, and execute none of its runs; see catherd check
    #[arg(long)]
    dry_run: bool,

    /// Print what happens as JSON, one object on each line of standard output, instead of text
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    notify: Notify,

    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

/// Number of pending runs above which a warning is printed if the program was built without
/// optimisation.
const LARGE: u64 = 1_000;

const EXAMPLES: &str = "\
Examples:
  catherd run experiments/smoke.toml
  catherd run experiments/smoke.toml --executions 50 --out /tmp/quick
  catherd run experiments/smoke.toml --plan
  catherd run --projects games --algorithms random,mosa,mio --seeds 5 --executions 300";

pub(crate) fn at_least_one(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "write a whole number of at least 1".to_owned())
}

/// Parses an address, or a port of this machine.
fn address(text: &str) -> Result<SocketAddr, String> {
    let port = text.parse().map(|port| SocketAddr::from(([127, 0, 0, 1], port)));
    let wrong = |_| "write ADDRESS:PORT, such as 127.0.0.1:7421, or a port".to_owned();
    port.or_else(|_| text.replace("localhost:", "127.0.0.1:").parse().map_err(wrong))
}

pub(crate) fn run(arguments: Arguments) -> Result<Exit, Failure> {
    if arguments.dry_run {
        return check::study(&arguments.study, &CheckSettings::of_run(arguments.json));
    }
    execute(&arguments).map(|(exit, _)| exit)
}

/// Returns the exit code and the folder of the study.
pub(crate) fn execute(arguments: &Arguments) -> Result<(Exit, PathBuf), Failure> {
    terminal::log(if arguments.quiet { "error" } else { "warn" });
    let ended = execute_study(arguments);
    let study = arguments.study.name();
    let folder = match &ended {
        Ok((_, folder)) => Some(folder.as_path()),
        Err(_) => None,
    };
    let exit = ended.as_ref().map(|(exit, _)| *exit);
    arguments.notify.execute(&study, folder, exit);
    ended
}

fn execute_study(arguments: &Arguments) -> Result<(Exit, PathBuf), Failure> {
    let start = Instant::now();
    let PlannedStudy { study, corpus, plan, tools } = arguments.study.plan()?;
    let events = Events::new(arguments.json);
    if let Some(note) = too_few_seeds(&plan).filter(|_| !arguments.quiet) {
        terminal::note(&note);
    }
    let folder = arguments.folder(&study);
    if arguments.plan {
        terminal::print(&power::text(&plan, &folder));
        return Ok((Exit::Success, folder));
    }
    if arguments.fresh || !has_ended(&folder, &plan) {
        arguments.study.check_tools(&tools)?;
    }
    let folder = StudyFolder::open(&folder).map_err(Worded::worded)?;
    folder.claim(&plan, arguments.fresh).map_err(Worded::worded)?;

    if let Some(claims) = arguments.study.claims() {
        claims::copy(&claims, &folder.path)?;
    }
    if let Some(results) = &arguments.trials {
        trials::import(results, &folder, &plan)?;
    }
    let projects = corpus.description(&plan.algorithms).map_err(Worded::worded)?;
    let tables = StudyTables::new(&folder, &plan, projects, subjects::kinds());
    let mut runner = LocalRunner::new(&folder, &corpus, arguments, tables);
    runner.events = events;
    let ended = match (plan.race, plan.stop) {
        (Some(race), _) => race::run(&mut runner, &plan, race)?,
        (None, Some(rule)) => stop::run(&mut runner, &plan, rule)?,
        (None, None) => Rounds::run(&mut runner, plan.clone())?,
    };
    if ended.is_break() {
        runner.events.stopped(&study.name, &folder.path);
        return Ok((Exit::Stopped, folder.path));
    }
    let results = runner.tables.write(runner.studies.results(), Extent::WithSuites);
    let results = results.map_err(Worded::worded)?;
    research_object::describe_folder(&folder.path, &plan)?;
    let complete = corpus.unusable.is_empty() && results.problems.is_empty();
    let exit = if complete { Exit::Success } else { Exit::Incomplete };
    match arguments.json {
        true => runner.events.finished(&study.name, &folder.path, &results, start.elapsed()),
        false => terminal::print(&text(&results, &study.name, &folder.path, start.elapsed())),
    }
    Ok((exit, folder.path))
}

/// Whether every run of a plan has ended, according to `study-state.json` in the folder of the study.
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

    fn report_decided(&mut self, algorithms: Vec<&str>, rest: usize, seeds: usize, all: usize) {
        terminal::note(&decided(&algorithms, rest, seeds, all));
    }

    fn report(&mut self, dropped: &Dropped) {
        terminal::note(&summary::dropped(dropped));
    }

    fn tables(&mut self) -> &mut StudyTables {
        &mut self.tables
    }
}

struct LocalRunner<'a> {
    folder: &'a StudyFolder,
    corpus: &'a Corpus,
    arguments: &'a Arguments,
    tables: StudyTables,
    /// The studies in the folder's store that have been started.
    studies: StoredStudies,
    events: Events,
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
        LocalRunner { folder, corpus, arguments, tables, studies, events: Events::default() }
    }

    fn run(&mut self, plan: Plan) -> Result<Ended, Failure> {
        let title = Title::new(&plan);
        self.studies.names.push(plan.name.clone());
        let ended = self.execute(plan, &title);
        match &ended {
            Ok(Ended::Finished | Ended::StoppedAtOnce) => {}
            Ok(Ended::Stopped | Ended::StoreFailed | Ended::FailedAlike) | Err(_) => {
                self.write_interim_tables();
            }
        }
        ended
    }

    fn execute(&self, plan: Plan, title: &Title) -> Result<Ended, Failure> {
        let projects = plan.projects.len();
        let programs = subjects::kinds().runs_programs(&plan.subject);
        let isolation = self.arguments.isolation;
        let programs =
            programs.then(|| WorkerPrograms { tools: self.arguments.study.folder(), isolation });
        let token = new_token()?;
        let options = CoordinatorOptions {
            engines: subjects::kinds().engines(),
            criteria: subjects::kinds().criteria(),
            // Require a token, because other users of this machine can connect.
            tokens: Some(TokenStore::of(&token, Role::Worker, "")),
            serve_clients: false,
            ..CoordinatorOptions::new(&self.folder.path)
        };
        let coordinator = Coordinator::open_study(options, plan).map_err(Worded::worded)?;
        for Repair { run, cause, repeated } in coordinator.repairs() {
            let (id, place) = (run.id().short(), run.place());
            let then = if *repeated { "it is executed again" } else { "it was repaired" };
            let store = &self.studies.store;
            terminal::note(&format!("{store}: run {id} ({place}) was damaged: {cause}; {then}"));
        }
        let before = coordinator.progress();
        let cores = self.arguments.cores();
        if !before.is_finished() {
            self.tables.mark_incomplete().map_err(Worded::worded)?;
            self.store_projects(&coordinator)?;
        }
        let restore = || self.store_projects(&coordinator);
        if programs.is_some() {
            let missing = programs::missing_guarantees(&self.folder.spools(), isolation)?;
            missing.into_iter().for_each(|line| terminal::note(&line));
        }
        let quiet = self.arguments.quiet || self.arguments.json;
        let display = Display::new(quiet, title, &before, cores.len());
        let display = display.with_events(self.events, title, &before, cores.len());
        if self.arguments.dashboard.is_none() && !quiet && !before.is_finished() {
            terminal::note("--dashboard shows the progress in a browser.");
        }
        if cfg!(debug_assertions) && before.pending > LARGE {
            terminal::note(
                "This catherd was built without optimisation; one built with \
                 `cargo build --release` takes a fraction of the time, with the same results.",
            );
        }
        let interval = Duration::from_secs(self.arguments.tables_interval);
        let warn = |error: ResultsError| {
            let failure = error.worded();
            terminal::note(&format!("warning: the interim tables were not written: {failure}"));
        };
        let interim = InterimTables::new(self.tables.clone(), self.studies.clone(), interval, warn);
        let retry = Duration::from_secs(self.arguments.retry_timeout);
        let workers = Workers {
            cores: &cores,
            token: &token,
            programs: programs.as_ref(),
            dashboard: self.arguments.dashboard,
            restore: &restore,
        };
        let rules = (retry, FailureRule { projects, keep_going: self.arguments.keep_going });
        let ended =
            local_cluster::run(&coordinator, self.folder, &workers, display, interim, rules)?;
        if ended != Ended::Finished {
            let after = coordinator.progress();
            let (ended, planned) = (after.done + after.failed + after.quarantined, after.planned);
            terminal::note(&format!(
                "Stopped after {ended} of {planned} runs. The same command continues from there."
            ));
        }
        Ok(ended)
    }

    /// Stores the projects that are missing or damaged in the store.
    fn store_projects(&self, coordinator: &Coordinator) -> Result<(), Failure> {
        let stored = self.corpus.store(coordinator, |project, cause| {
            let name = &project.name;
            terminal::note(&format!("project {name} is stored again: {cause}"));
        });
        stored.map_err(Worded::worded)
    }

    /// An error is only printed as a warning, because the reason why the study ended is more
    /// important.
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

    fn cores(&self) -> Vec<usize> {
        let allowed = allowed_cores();
        let mut cores = Topology::of_this_machine().worker_cores(&allowed, self.siblings);
        if let Some(workers) = self.workers {
            if workers.get() > cores.len() {
                let number = terminal::plural(cores.len(), "worker");
                terminal::note(&match cores.len() < allowed.len() {
                    true => format!(
                        "note: {number}, one for each physical core; --siblings uses all {} hyper-threads",
                        allowed.len()
                    ),
                    false => format!(
                        "note: {number}, because this process may use {}",
                        terminal::plural(cores.len(), "core")
                    ),
                });
            }
            cores.truncate(workers.get());
        }
        cores
    }
}
