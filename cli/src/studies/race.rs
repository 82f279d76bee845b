//! A study in rounds on a cluster, such as a race: the client submits each round to the
//! coordinator, waits for the runs of the round, and decides what the next round contains.
//!
//! A client that is started again submits the same rounds, because the coordinator stores
//! everything on which the decisions depend.

use std::convert::Infallible;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use catherd_analysis::tidy::Dropped;
use catherd_analysis_results::race::{self, Rounds};
use catherd_analysis_results::stop;
use catherd_analysis_results::{
    Corpus, Extent, RunResult, StudyFolder, StudyTables, WrittenResults,
};
use catherd_cli_console::terminal::{self, BARS, plural};
use catherd_cli_console::{Exit, Failure};
use catherd_experiments::{CorpusDescription, Plan};
use catherd_proto::v1;
use indicatif::ProgressBar;

use super::connection::Connection;
use super::{fetch, style, submission};
use crate::archive::research_object;
use crate::failure::Worded;
use crate::run::{decided, dropped, text};
use crate::subjects;

/// Minimum time between two interim tables.
const TABLES_INTERVAL: Duration = Duration::from_secs(60);

/// The projects must have been uploaded.
pub(super) fn run(
    connection: &mut Connection,
    corpus: &Corpus,
    plan: &Plan,
    claim: v1::Claim,
    folder: &StudyFolder,
) -> Result<Exit, Failure> {
    let start = Instant::now();
    let projects = corpus.description(&plan.algorithms).map_err(Worded::worded)?;
    let tables = StudyTables::new(folder, plan, projects.clone(), subjects::kinds());
    let mut rounds =
        RemoteRounds { connection, projects, claim, tables, names: Vec::new(), written: start };
    match (plan.race, plan.stop) {
        (Some(race), _) => race::run(&mut rounds, plan, race)?,
        (None, Some(rule)) => stop::run(&mut rounds, plan, rule)?,
        (None, None) => rounds.run(plan.clone())?,
    };
    let results = rounds.write_tables(Extent::WithSuites)?;
    research_object::describe_folder(&folder.path, plan)?;
    terminal::print(&text(&results, &plan.name, &folder.path, start.elapsed()));
    let complete = corpus.unusable.is_empty() && results.problems.is_empty();
    Ok(if complete { Exit::Success } else { Exit::Incomplete })
}

struct RemoteRounds<'c> {
    connection: &'c mut Connection,
    projects: CorpusDescription,
    /// The claim of each round on workers.
    claim: v1::Claim,
    tables: StudyTables,
    /// Names of the rounds that have ended.
    names: Vec<String>,
    /// The time when tables were last written.
    written: Instant,
}

impl Rounds for RemoteRounds<'_> {
    type Error = Failure;
    type Stopped = Infallible;

    fn run(&mut self, round: Plan) -> Result<ControlFlow<Infallible>, Failure> {
        let reply = submission::submit(self.connection, &round, &self.projects, self.claim)?;
        if reply.ended < reply.planned {
            self.tables.mark_incomplete().map_err(Worded::worded)?;
            self.wait(&round)?;
        }
        self.names.push(round.name.clone());
        if self.written.elapsed() > TABLES_INTERVAL {
            self.write_tables(Extent::Tables)?;
        }
        Ok(ControlFlow::Continue(()))
    }

    fn results(&mut self, round: &str, take: &mut dyn FnMut(RunResult)) -> Result<(), Failure> {
        fetch(self.connection, round, None).try_for_each(|result| result.map(&mut *take))
    }

    fn report_decided(&mut self, algorithms: Vec<&str>, rest: usize, seeds: usize, all: usize) {
        terminal::note(&decided(&algorithms, rest, seeds, all));
    }

    fn report(&mut self, lost: &Dropped) {
        terminal::note(&dropped(lost));
    }

    fn tables(&mut self) -> &mut StudyTables {
        &mut self.tables
    }
}

impl RemoteRounds<'_> {
    fn wait(&mut self, round: &Plan) -> Result<(), Failure> {
        let configurations = plural(round.algorithms.len(), "configuration");
        let bar = BARS.add(ProgressBar::new(round.count() as u64));
        bar.set_style(style("{wide_bar:.cyan/dim} {msg}"));
        let request = v1::WatchRequest { interval_ms: 500 };
        let mut found = None;
        self.connection.follow(
            async |client| client.watch(request).await,
            |status| {
                found = status.studies.iter().find(|study| study.name == round.name).cloned();
                let Some(study) = &found else { return false };
                bar.set_length(study.planned);
                bar.set_position(study.done + study.failed + study.quarantined);
                let paused = study.state() == v1::StudyState::Paused;
                bar.set_message(format!(
                    "{}: {} of {} runs, {configurations}, {}{}",
                    round.name,
                    bar.position(),
                    study.planned,
                    plural(status.workers as usize, "worker"),
                    if paused { ", paused" } else { "" }
                ));
                let cancelled = study.state() == v1::StudyState::Cancelled;
                !cancelled && study.pending + study.leased > 0
            },
        )?;
        bar.finish_and_clear();
        let name = &round.name;
        match found {
            Some(study) if study.pending + study.leased == 0 => self.is_still(round),
            Some(_) => Err(Failure::new(format_args!("{name} was cancelled")).hint(format!(
                "continue it with catherd resume \"{name}\", then repeat the command"
            ))),
            None => Err(Failure::new(format_args!("{name} was deleted"))
                .hint("repeat the command if that is still what you want")),
        }
    }

    /// Checks that no other client has submitted a different round with the same name in the
    /// meantime.
    fn is_still(&mut self, round: &Plan) -> Result<(), Failure> {
        let request = v1::GetPlanRequest { study: round.name.clone() };
        let described = self.connection.call(async |client| client.get_plan(request).await)?;
        let read = described.plan.unwrap_or_default().read();
        let plan: Plan = read.map_err(|cause| super::unreadable("the plan of the round", cause))?;
        if plan == *round {
            return Ok(());
        }
        Err(Failure::new(format_args!("another client has submitted a different {}", round.name))
            .hint("give one of the studies another name with --name"))
    }

    fn write_tables(&mut self, extent: Extent) -> Result<WrittenResults, Failure> {
        let bar = BARS.add(ProgressBar::no_length());
        bar.set_style(style("{pos} runs fetched"));
        let connection = &*self.connection;
        let results = self.names.iter().flat_map(|round| fetch(connection, round, None));
        let results = results.inspect(|_| bar.inc(1));
        let results = self.tables.write(results, extent).map_err(Worded::worded);
        bar.finish_and_clear();
        self.written = Instant::now();
        results
    }
}
