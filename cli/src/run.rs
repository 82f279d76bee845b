//! `catherd run`: a study from its file or flags to its tables.
//!
//! - [`corpus`]: the projects of the study, checked.
//! - [`folder`]: where the study lives, and whether it is the same study.
//! - [`herd`]: coordinator and workers until every run has ended.
//! - [`race`]: the same round by round, without the configurations that have lost.
//! - [`display`]: how far the study is, for people.
//! - [`results`]: tables, suites and what went wrong.

mod corpus;
mod display;
mod folder;
mod herd;
mod race;
mod results;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;

use catherd_coordinator::{Coordinator, Options};
use catherd_experiments::{Algorithm, Flags, Plan, PlanError, Study};
use catherd_platform::allowed_cores;
use catherd_subject::FieldError;
use clap::Args;

use crate::failure::{self, Exit, Failure};
use crate::subjects::{self, WorkLimits};
use crate::terminal;
pub(crate) use corpus::Corpus;
use display::{Display, Title};
pub(crate) use folder::{Folder, safe_name};
use herd::Ended;
pub(crate) use results::{RunResult, export};

/// Runs a study: every project x every algorithm x every seed, on every core of this
/// machine, and writes its tables, figure and test suites.
///
/// However a study was interrupted, it goes on when the same command is given again; runs
/// that have ended are not run again.
#[derive(Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{}", failure::EXIT_CODES))]
pub(crate) struct Arguments {
    #[command(flatten)]
    matrix: Matrix,

    /// Folder of the study and its results [default: results/NAME]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Discard what the folder holds of this or another study and start over
    #[arg(long)]
    fresh: bool,

    /// Worker processes, each pinned to a core [default: one a core]
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

/// Runs a study; gives its folder too.
pub(crate) fn execute(arguments: &Arguments) -> Result<(Exit, PathBuf), Failure> {
    terminal::log(if arguments.quiet { "error" } else { "warn" });
    let start = Instant::now();
    let (study, corpus, plan) = arguments.matrix.plan()?;
    let folder = Folder::open(&arguments.folder(&study))?;
    folder.claim(&plan, arguments.fresh)?;

    let field = Field { folder: &folder, corpus: &corpus, arguments };
    let skipped = corpus.skipped();
    corpus.describe(&folder.path)?;
    let results = if let Some(race) = plan.race {
        let Some((ends, dropped)) = race::run(&field, &plan, race)? else {
            return Ok((Exit::Stopped, folder.path));
        };
        results::export(ends, &folder, &skipped, &dropped)?
    } else {
        let Some(coordinator) = field.run(plan)? else { return Ok((Exit::Stopped, folder.path)) };
        let run_results = results::run_results(&coordinator, &study.name)?;
        results::export(run_results, &folder, &skipped, &[])?
    };
    terminal::print(&results.text(&study.name, &folder.path, start.elapsed()));
    let whole = corpus.unusable.is_empty() && results.problems.is_empty();
    Ok((if whole { Exit::Fine } else { Exit::Incomplete }, folder.path))
}

/// Where plans are run.
struct Field<'a> {
    folder: &'a Folder,
    corpus: &'a Corpus,
    arguments: &'a Arguments,
}

impl Field<'_> {
    /// Runs a plan to its end; none if it was stopped before.
    fn run(&self, plan: Plan) -> Result<Option<Coordinator>, Failure> {
        let title = Title::new(&plan);
        let coordinator = {
            let engines = subjects::kinds().engines();
            Coordinator::open_study(Options { engines, ..Options::new(&self.folder.path) }, plan)?
        };
        let before = coordinator.progress();
        let cores = self.arguments.cores();
        if !before.is_finished() {
            self.corpus.upload(coordinator.projects())?;
        }
        let display = Display::new(self.arguments.quiet, &title, &before, cores.len());
        if herd::run(&coordinator, self.folder, &cores, display)? == Ended::Finished {
            return Ok(Some(coordinator));
        }
        let after = coordinator.progress();
        let (ended, planned) = (after.done + after.failed + after.quarantined, after.planned);
        terminal::note(&format!(
            "Stopped after {ended} of {planned} runs. The same command goes on from there."
        ));
        Ok(None)
    }
}

fn subject_help() -> String {
    let kinds = subjects::kinds();
    let (names, default) = (kinds.names().join(", "), kinds.default_kind().name());
    format!("Subject kind: one of {names} [default: the study file's, otherwise {default}]")
}

fn algorithms_help() -> String {
    let (names, kind) = (subjects::algorithm_names(), subjects::kinds().default_kind().name());
    format!("Algorithms, separated by commas; of {kind}: {names}")
}

/// The parts of a study: a file, flags, or both.
#[derive(Args)]
pub(crate) struct Matrix {
    /// Study file (TOML); flags replace what it says
    #[arg(value_name = "STUDY.toml")]
    study: Option<PathBuf>,

    /// Project files, or folders of them; see catherd subjects
    #[arg(long, value_name = "PATH", num_args = 1..)]
    projects: Vec<PathBuf>,

    #[arg(long, value_name = "KIND", help = subject_help())]
    subject: Option<String>,

    #[arg(long, value_name = "LIST", help = algorithms_help())]
    algorithms: Option<String>,

    /// Number of seeds (5: the seeds 1 to 5), or a list of them (3,14,15) [default: 1]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    seeds: Option<String>,

    #[command(flatten)]
    work: WorkLimits,

    /// Budget of a run: real time, such as 10s or 10min; runs then depend on the machine
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    wall: Option<String>,

    /// Give test suites regression assertions; costs six more executions of each final test
    #[arg(long)]
    assertions: bool,
    /// Hold the suites, with assertions, against mutants of their projects; a study file can say
    /// which
    #[arg(long)]
    mutation: bool,

    /// Name of the study in reports [default: the file's; without a file, study]
    #[arg(long)]
    name: Option<String>,
}

impl Matrix {
    fn study(&self) -> Result<Study, Failure> {
        let flags = Flags {
            name: self.name.clone(),
            projects: self.projects.clone(),
            algorithms: self.algorithms.clone(),
            seeds: self.seeds.clone(),
            work: self.work.0.clone(),
            subject: self.subject.clone(),
            wall: self.wall.clone(),
            assertions: self.assertions,
            mutation: self.mutation,
        };
        match &self.study {
            Some(file) => Ok(Study::read(file)?.overridden(&flags)?),
            None if self.projects.is_empty() => Err(Failure::new("no study to run")
                .hint("name a study file, or projects with --projects; see catherd run --help")),
            None => Ok(Study::from_flags(&flags)?),
        }
    }

    /// A failure with the line of the field that it is about, if a file has it.
    fn located(&self, field: &str, failure: Failure) -> Failure {
        match self.study.as_ref().and_then(|file| Study::location(file, field)) {
            Some(location) => {
                let named = field.split('.').filter(|part| part.parse::<usize>().is_err());
                let field = named.collect::<Vec<_>>().join(".");
                failure.at(format_args!("{location}{field}: "))
            }
            None => failure,
        }
    }

    /// Finds and checks everything that the study names.
    pub(crate) fn plan(&self) -> Result<(Study, Corpus, Plan), Failure> {
        let study = self.study()?;
        let kind = subjects::kind_of(&study).map_err(|e| self.located("subject", e))?;
        let info = kind.info();
        if let Some(error) = PlanError::of_budget(&study.budget, &info) {
            let unit = study.budget.unknown_unit(&info).unwrap_or_default();
            return Err(self.located(&format!("budget.{unit}"), error.into()));
        }
        if let Some(mutation) = &study.mutation {
            kind.check_mutation(mutation).map_err(|error| match (self.mutation, &error.field) {
                (true, _) => error.into(),
                (false, None) => self.located("mutation", error.into()),
                (false, Some(key)) => self.located(&format!("mutation.{key}"), error.into()),
            })?;
        }
        // Projects are found last, because a misspelt name should not wait for a thousand of them.
        for (number, algorithm) in study.algorithms.iter().enumerate() {
            kind.check_algorithm(algorithm)
                .map_err(|error| self.algorithm_refused(number, algorithm, error))?;
        }
        let corpus = Corpus::find(&study.projects, kind);
        let corpus = corpus.map_err(|failure| match &self.projects[..] {
            [] => self.located("projects", failure),
            _ => failure,
        })?;
        let plan = Plan::new(&study, &info, corpus.planned(), |algorithm| {
            kind.check_algorithm(algorithm).map_err(|error| error.cause)
        })?;
        Ok((study, corpus, plan))
    }

    /// The failure of an algorithm that the kind refuses, with the line of the field at fault if
    /// a study file names it.
    fn algorithm_refused(
        &self,
        number: usize,
        algorithm: &Algorithm,
        error: FieldError,
    ) -> Failure {
        let FieldError { field, cause, advice } = error;
        let line = match &field {
            None => cause,
            Some(_) => format!("algorithm `{}`: {cause}", algorithm.label),
        };
        let failure = Failure::new(line).hint(advice);
        let entry = format!("algorithms.{number}");
        match (&self.algorithms, field) {
            (Some(_), _) => failure,
            (None, Some(name)) if algorithm.parameters.contains_key(&name) => {
                self.located(&format!("{entry}.parameters.{name}"), failure)
            }
            (None, _) => self.located(&entry, failure),
        }
    }
}

impl Arguments {
    fn folder(&self, study: &Study) -> PathBuf {
        let default = || Path::new("results").join(folder::safe_name(&study.name));
        self.out.clone().unwrap_or_else(default)
    }

    /// The cores to work on: the first of those that this process may use.
    fn cores(&self) -> Vec<usize> {
        let mut cores = allowed_cores();
        if let Some(workers) = self.workers {
            if workers.get() > cores.len() {
                let n = cores.len();
                terminal::note(&format!("note: {n} workers, since this process has {n} cores"));
            }
            cores.truncate(workers.get());
        }
        cores
    }
}
