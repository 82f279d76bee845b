//! The commands that manage the studies and the workers of a coordinator.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::Instant;

use catherd_analysis_results::{Extent, RunResult, StudyFolder, StudyTables};
use catherd_cli_console::terminal::{self, BARS, plural};
use catherd_cli_console::{Exit, Failure, exit_codes};
use catherd_coordinator::{Breakdown, QuarantinedRun};
use catherd_experiments::file_names::safe_name;
use catherd_experiments::{CorpusDescription, Plan};
use catherd_proto::transport::AuthChannel;
use catherd_proto::v1::studies_client::StudiesClient;
use catherd_proto::v1::{self, run_result};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use crate::archive::research_object;
use crate::failure::Worded;
use crate::notify::Notify;
use crate::remote::Remote;
use crate::run::{PlannedStudy, StudyArgs, text, too_few_seeds};
use crate::{study_status, subjects};
use claims::ClaimFlags;
use connection::{Connection, Lasting};

mod claims;
mod connection;
mod estimate;
mod race;
mod submission;
mod why;
mod workers;

pub(crate) use claims::Share;
pub(crate) use why::Why;
pub(crate) use workers::Tell;

/// Submits a study to a coordinator.
///
/// The command uploads the projects of the study and plans its runs. Runs that have ended in any
/// study of the coordinator are not executed again. A study that is submitted again with more
/// projects, algorithms or seeds is extended.
///
/// For a race, the command submits each round after the previous one has ended, drops the
/// configurations that have lost, and finally writes the tables; for a study with `[stop]`, it
/// submits seeds until every comparison is decided. If the command was interrupted, it continues
/// when it is given again.
#[derive(Args)]
#[command(after_help = format!("{SUBMIT}\n\n{}", exit_codes(&[SUBMITTED_IN_PART])))]
pub(crate) struct Submit {
    #[command(flatten)]
    study: StudyArgs,

    /// Folder of the tables of a race, or of a study with `[stop]` [default: results/NAME]
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,

    #[command(flatten)]
    claim: ClaimFlags,

    /// Submit nothing: print what the study is expected to take, from runs that the coordinator has
    /// measured
    #[arg(long)]
    plan: bool,

    /// Number of workers for the estimate [default: the workers that the coordinator has]
    #[arg(long, value_name = "N", requires = "plan")]
    on: Option<u32>,

    #[command(flatten)]
    remote: Remote,
}

const SUBMIT: &str = "\
Examples:
  catherd submit experiments/smoke.toml
  catherd submit --projects games --algorithms mosa,mio --seeds 20 --executions 300 --name games
  catherd submit experiments/smoke.toml --share 3 --quota 16
  catherd submit experiments/random1000.toml --plan --on 64
  catherd submit experiments/tuning-race.toml --out race";

/// The meaning of exit code 2 of `catherd submit`.
const SUBMITTED_IN_PART: (Exit, &str) = (
    Exit::Incomplete,
    "submitted, but projects were skipped, or runs of a race or of a study with [stop] failed",
);

/// The meaning of exit code 2 of `catherd watch` and `catherd results`.
const RUNS_FAILED: (Exit, &str) = (Exit::Incomplete, "runs failed or are quarantined");

impl Submit {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let mut connection = Connection::new(&self.remote)?;
        let PlannedStudy { study, corpus, plan, .. } = self.study.plan()?;
        if let Some(note) = too_few_seeds(&plan) {
            terminal::note(&note);
        }
        if self.out.is_some() && !plan.has_rounds() {
            return Err(Failure::new(format_args!("--out: {} has no rounds", study.name))
                .hint("leave it out, and write tables with catherd results"));
        }
        if self.plan {
            return estimate::run(&mut connection, &plan, self.on);
        }
        let claim = self.claim.claim();
        submission::upload_projects(&mut connection, &corpus, &plan)?;
        if plan.has_rounds() {
            let default = || PathBuf::from("results").join(safe_name(&study.name));
            let folder =
                StudyFolder::open(&self.out.unwrap_or_else(default)).map_err(Worded::worded)?;
            return race::run(&mut connection, &corpus, &plan, claim, &folder);
        }
        let description = corpus.description(&plan.algorithms).map_err(Worded::worded)?;
        let reply = submission::submit(&mut connection, &plan, &description, claim)?;
        terminal::note(&format!(
            "{}: {}, {} of them ended earlier; `catherd watch` shows their progress",
            study.name,
            plural(reply.planned as usize, "run"),
            reply.ended
        ));
        let complete = corpus.unusable.is_empty();
        Ok(if complete { Exit::Success } else { Exit::Incomplete })
    }
}

/// Shows the progress of studies, and runs without a record.
///
/// Without a folder of results, the command asks a coordinator about its studies.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd status
  catherd status games
  catherd status games --json | jq .missing
  catherd status results/smoke")]
pub(crate) struct Status {
    /// Name of a study, whose runs without a record are listed with the reasons, or a folder of
    /// results [default: all studies of the coordinator]
    #[arg(value_name = "STUDY|RESULTS")]
    study: Option<String>,

    #[command(flatten)]
    remote: Remote,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Status {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let folder = self.study.as_deref().map(Path::new);
        if let Some(folder) = folder.filter(|folder| study_status::has_tables(folder)) {
            let status = study_status::of_folder(folder)?;
            let text = match self.json {
                true => format!("{:#}\n", study_status::as_json(&status, None)),
                false => study_status::table_of_studies(&status, None),
            };
            terminal::print(&text);
            return Ok(Exit::Success);
        }
        let mut connection = Connection::new(&self.remote)?;
        let status =
            connection.call(async |client| client.get_status(v1::StatusRequest {}).await)?;
        let missing = match self.study.clone() {
            Some(study) => {
                let request = v1::ExplainRequest { study };
                Some(connection.call(async |client| client.explain(request).await)?.missing)
            }
            None => None,
        };
        let text = if self.json {
            format!("{:#}\n", study_status::as_json(&status, missing.as_deref()))
        } else {
            study_status::as_text(&status, self.study.as_deref(), missing.as_deref())
        };
        terminal::print(&text);
        Ok(Exit::Success)
    }
}

/// Shows the progress of active studies until their runs have ended.
#[derive(Args)]
#[command(after_help = format!("{WATCH}\n\n{}", exit_codes(&[RUNS_FAILED])))]
pub(crate) struct Watch {
    #[command(flatten)]
    remote: Remote,

    /// Print each status as JSON, one object on each line, instead of a bar
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    notify: Notify,
}

const WATCH: &str = "\
Examples:
  catherd watch
  catherd watch --coordinator ant:7420";

impl Watch {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let ended = self.follow();
        // Name no study, because the command watches all active studies of the coordinator.
        self.notify.execute("", None, ended.as_ref().copied());
        ended
    }

    fn follow(&self) -> Result<Exit, Failure> {
        let mut connection = Connection::new(&self.remote)?;
        let request = v1::WatchRequest { interval_ms: if self.json { 1000 } else { 500 } };
        let bar = BARS.add(ProgressBar::new(0));
        bar.set_style(style("{wide_bar:.cyan/dim} {msg}"));
        let mut last = v1::Status::default();
        connection.follow(
            async |client| client.watch(request).await,
            |status| {
                bar.set_length(status.planned);
                bar.set_position(status.done + status.failed + status.quarantined);
                bar.set_message(format!(
                    "{} of {} runs, {}",
                    bar.position(),
                    status.planned,
                    study_status::pace(&status)
                ));
                if self.json {
                    terminal::print(&format!("{}\n", study_status::as_json(&status, None)));
                }
                last = status;
                last.pending + last.leased > 0
            },
        )?;
        bar.finish_and_clear();
        if !self.json {
            terminal::print(&study_status::as_text(&last, None, None));
        }
        let complete = last.failed + last.quarantined == 0;
        Ok(if complete { Exit::Success } else { Exit::Incomplete })
    }
}

// The help of the commands is at the variants of `Command` in main.rs.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd pause games
  catherd resume games
  catherd cancel games --coordinator ant:7420")]
pub(crate) struct Change {
    /// Name of the study
    study: String,

    #[command(flatten)]
    remote: Remote,
}

impl Change {
    pub(crate) fn run(self, state: v1::StudyState) -> Result<Exit, Failure> {
        let mut connection = Connection::new(&self.remote)?;
        let request = v1::SetStateRequest { study: self.study.clone(), state: state.into() };
        connection.call(async |client| client.set_state(request).await)?;
        let word = match state {
            v1::StudyState::Active => "active",
            v1::StudyState::Paused => "paused",
            v1::StudyState::Cancelled => "cancelled",
        };
        terminal::note(&format!("{} is {word}", self.study));
        Ok(Exit::Success)
    }
}

/// Removes a study from a coordinator; its records are kept.
///
/// A study can be removed while it is being planned. Its runs and their records stay in the store:
/// a study that is submitted later does not execute them again. Runs that workers have already
/// leased are finished.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd delete games
  catherd delete games --coordinator ant:7420")]
pub(crate) struct Delete {
    /// Name of the study
    study: String,

    #[command(flatten)]
    remote: Remote,
}

impl Delete {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let mut connection = Connection::new(&self.remote)?;
        let request = v1::DeleteRequest { study: self.study.clone() };
        connection.call(async |client| client.delete(request).await)?;
        terminal::note(&format!("{} is deleted", self.study));
        Ok(Exit::Success)
    }
}

/// Fetches the results of a study from a coordinator.
///
/// The command writes tables, a figure and test suites of the runs that have ended so far.
#[derive(Args)]
#[command(after_help = format!("{RESULTS}\n\n{}", exit_codes(&[RUNS_FAILED])))]
pub(crate) struct Results {
    /// Name of the study
    study: String,

    /// Folder of the results [default: results/STUDY]
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,

    #[command(flatten)]
    remote: Remote,
}

const RESULTS: &str = "\
Examples:
  catherd results games
  catherd results games --out /tmp/games";

impl Results {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let start = Instant::now();
        let mut connection = Connection::new(&self.remote)?;
        let request = v1::GetPlanRequest { study: self.study.clone() };
        let described = connection.call(async |client| client.get_plan(request).await)?;
        let number = described.number;
        let read = described.plan.unwrap_or_default().read();
        let plan: Plan = read.map_err(|cause| unreadable("the plan of the study", cause))?;
        let projects = described.projects.map(|document| document.read()).transpose();
        let projects: Option<CorpusDescription> = projects
            .map_err(|cause| unreadable("the description of the study's projects", cause))?;
        let default = || PathBuf::from("results").join(safe_name(&self.study));
        let folder = StudyFolder::open(&self.out.clone().unwrap_or_else(default));
        let folder = folder.map_err(Worded::worded)?;
        let had_tables = study_status::has_tables(&folder.path);
        let bar = BARS.add(ProgressBar::no_length());
        bar.set_style(style("{pos} runs fetched"));
        let results = fetch(&connection, &self.study, number).inspect(|_| bar.inc(1));
        let projects = projects.unwrap_or_default();
        let tables = StudyTables::new(&folder, &plan, projects, subjects::kinds());
        let results = tables.write(results, Extent::WithSuites).map_err(Worded::worded);
        bar.finish_and_clear();
        let results = results.inspect_err(|_| {
            let before =
                if had_tables { "its earlier tables are unchanged" } else { "it has no tables" };
            terminal::note(&format!(
                "{} is not complete: {before}; {} of at most {} runs were fetched",
                folder.path.display(),
                bar.position(),
                plan.count()
            ));
        })?;
        research_object::describe_folder(&folder.path, &plan)?;
        terminal::print(&text(&results, &self.study, &folder.path, start.elapsed()));
        Ok(if results.problems.is_empty() { Exit::Success } else { Exit::Incomplete })
    }
}

/// `number` is the number of the study at the time when the plan was read.
fn fetch<'c>(
    connection: &'c Connection,
    study: &str,
    number: Option<u32>,
) -> impl Iterator<Item = Result<RunResult, Failure>> + use<'c> {
    let mut stream = Lasting::new(connection);
    let mut request = v1::ResultsRequest { study: study.to_owned(), after: 0, number };
    let next = move || {
        let rest = request.clone();
        let next = stream.next(&async |client: &mut StudiesClient<AuthChannel>| {
            client.results(rest.clone()).await
        });
        if let Ok(Some(result)) = &next {
            request.after = result.cursor;
        }
        next.transpose()
    };
    std::iter::from_fn(next).map(|result| read_result(result?))
}

fn read_result(result: v1::RunResult) -> Result<RunResult, Failure> {
    let unreadable = |cause: &dyn Display| unreadable("a result", cause);
    let spec = result.spec.unwrap_or_default().read().map_err(|cause| unreadable(&cause))?;
    match result.end {
        Some(run_result::End::Record(document)) => {
            let record = document.read().map_err(|cause| unreadable(&cause))?;
            Ok(RunResult::Record(Box::new((spec, record))))
        }
        Some(run_result::End::Quarantined(v1::Quarantined { attempts, kind, reason })) => {
            let kind = Breakdown::ALL.get(kind as usize).copied().unwrap_or(Breakdown::Crashed);
            Ok(RunResult::Quarantined(Box::new(QuarantinedRun { spec, attempts, kind, reason })))
        }
        None => Err(unreadable(&"it is empty")),
    }
}

fn unreadable(what: &str, cause: impl Display) -> Failure {
    Failure::new(format_args!("cannot read {what}: {cause}"))
        .hint("use the same version of catherd on both machines")
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
