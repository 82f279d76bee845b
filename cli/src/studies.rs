//! The commands that manage the studies of a coordinator: `submit`, `status`, `watch`, `pause`,
//! `resume`, `cancel` and `results`.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use catherd_coordinator::{Breakdown, QuarantinedRun};
use catherd_experiments::{CorpusDescription, Digest, Plan};
use catherd_proto::transport::{AuthChannel, PROJECT_CHUNK};
use catherd_proto::v1::studies_client::StudiesClient;
use catherd_proto::v1::{self, run_result};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Code;

use crate::failure::{Exit, Failure};
use crate::file_names::safe_name;
use crate::remote::Remote;
use crate::run::{Extent, Folder, RunResult, StudyArgs, StudyTables, too_few_seeds};
use crate::study_status;
use crate::terminal::{self, BARS, plural};
use connection::Connection;

mod connection;

/// First and longest wait before an upload is repeated.
const UPLOAD_PAUSE: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));

/// Submits a study to a coordinator: uploads its projects and plans its runs.
///
/// Runs that have ended in any study of the coordinator are not executed again. A study that is
/// submitted again with more projects, algorithms or seeds is extended.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd submit experiments/smoke.toml
  catherd submit --projects games --algorithms mosa,mio --seeds 20 --executions 300 --name games")]
pub(crate) struct Submit {
    #[command(flatten)]
    study: StudyArgs,

    #[command(flatten)]
    remote: Remote,
}

impl Submit {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let mut connection = Connection::new(&self.remote)?;
        let (study, corpus, plan) = self.study.plan()?;
        if let Some(note) = too_few_seeds(&plan) {
            terminal::note(&note);
        }
        if plan.race.is_some() {
            return Err(Failure::new(format_args!("{} is a race", study.name))
                .hint("run it on one machine, with catherd run"));
        }
        let digests = plan.projects.iter().map(|project| project.digest.0.to_vec().into());
        let all = v1::ProjectDigests { digests: digests.collect() };
        let missing = connection.call(async |client| client.missing_projects(all).await)?.digests;
        let bar = BARS.add(ProgressBar::new(missing.len() as u64));
        bar.set_style(style("{bar:30.cyan/dim} {pos} of {len} projects uploaded"));
        corpus.each(|digest, bytes| {
            if !missing.iter().any(|one| **one == digest.0) {
                return Ok(());
            }
            bar.inc(1);
            send(&mut connection, digest, bytes)
        })?;
        bar.finish_and_clear();
        let plan = v1::Document::write(&plan).map_err(Failure::new)?;
        let projects = v1::Document::write(&corpus.description()?).map_err(Failure::new)?;
        let mut request =
            v1::SubmitRequest { plan: Some(plan), waiting: false, projects: Some(projects) };
        let bar = BARS.add(ProgressBar::no_length());
        bar.set_style(style("{bar:30.cyan/dim} {pos} of {len} runs planned"));
        let reply = loop {
            let submission = request.clone();
            let reply = connection.call(async |client| client.submit(submission).await)?;
            request.waiting = true;
            if reply.unplanned == 0 {
                break reply;
            }
            bar.set_length(reply.planned + reply.unplanned);
            bar.set_position(reply.planned);
        };
        bar.finish_and_clear();
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

/// Uploads a project in chunks.
fn send(connection: &mut Connection, digest: Digest, bytes: &[u8]) -> Result<(), Failure> {
    let size = bytes.len() as u64;
    let chunks: Vec<_> = bytes
        .chunks(PROJECT_CHUNK)
        .map(|data| v1::ProjectChunk { size, data: data.to_vec().into() })
        .collect();
    let mut pause = UPLOAD_PAUSE.0;
    let stored = loop {
        let sent = connection.upload(async |client| upload(client, chunks.clone()).await);
        match sent {
            Ok(stored) => break stored,
            // Uploads of other clients leave no room now.
            Err(status) if status.code() == Code::ResourceExhausted => {
                std::thread::sleep(pause);
                pause = (2 * pause).min(UPLOAD_PAUSE.1);
            }
            Err(status) => return Err(connection.refused(&status)),
        }
    };
    if stored.digests.first().is_none_or(|stored| **stored != digest.0) {
        return Err(Failure::new(format_args!("project {digest} was damaged during the upload"))
            .hint("repeat the command"));
    }
    Ok(())
}

async fn upload(
    client: &mut StudiesClient<AuthChannel>,
    chunks: Vec<v1::ProjectChunk>,
) -> Result<tonic::Response<v1::ProjectDigests>, tonic::Status> {
    let (sender, receiver) = mpsc::channel(4);
    let sending = async move {
        for chunk in chunks {
            if sender.send(chunk).await.is_err() {
                return;
            }
        }
    };
    tokio::join!(sending, client.put_project(ReceiverStream::new(receiver))).1
}

/// Shows the progress of the studies of a coordinator, and which runs of a study have no record.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd status
  catherd status games
  catherd status games --json | jq .missing
  catherd status results/smoke")]
pub(crate) struct Status {
    /// A study, whose runs without a record are listed with the reasons; or a folder of results,
    /// for which no coordinator is asked
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

/// Shows the progress of the active studies until all their runs have ended.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd watch
  catherd watch --coordinator ant:7420")]
pub(crate) struct Watch {
    #[command(flatten)]
    remote: Remote,
}

impl Watch {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let mut connection = Connection::new(&self.remote)?;
        let request = v1::WatchRequest { interval_ms: 500 };
        let bar = BARS.add(ProgressBar::new(0));
        bar.set_style(style("{wide_bar:.cyan/dim} {msg}"));
        let mut last = v1::Status::default();
        connection.follow(
            async |client| client.watch(request).await,
            |status| {
                bar.set_length(status.planned);
                bar.set_position(status.done + status.failed + status.quarantined);
                bar.set_message(format!(
                    "{} of {} runs, {:.1}/s, {}",
                    bar.position(),
                    status.planned,
                    status.runs_per_second,
                    plural(status.workers as usize, "worker")
                ));
                last = status;
                last.pending + last.leased > 0
            },
        )?;
        bar.finish_and_clear();
        terminal::print(&study_status::as_text(&last, None, None));
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
    /// The study
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

/// Removes a study from a coordinator, also while it is being planned.
///
/// Its runs and their records stay in the store: a study that is submitted later does not execute
/// them again. Runs in hand are finished.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd delete games
  catherd delete games --coordinator ant:7420")]
pub(crate) struct Delete {
    /// The study
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

/// Fetches the results of a study so far and writes its tables, figure and suites.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd results games
  catherd results games --out /tmp/games")]
pub(crate) struct Results {
    /// The study
    study: String,

    /// Folder for the results [default: results/STUDY]
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,

    #[command(flatten)]
    remote: Remote,
}

impl Results {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let start = Instant::now();
        let mut connection = Connection::new(&self.remote)?;
        let request = v1::GetPlanRequest { study: self.study.clone() };
        let described = connection.call(async |client| client.get_plan(request).await)?;
        let read = described.plan.unwrap_or_default().read();
        let plan: Plan = read.map_err(|cause| unreadable("the plan of the study", cause))?;
        let projects = described.projects.map(|document| document.read()).transpose();
        let projects: Option<CorpusDescription> =
            projects.map_err(|cause| unreadable("the description of its projects", cause))?;
        let request = v1::ResultsRequest { study: self.study.clone() };
        let mut stream = connection.call(async |client| client.results(request).await)?;
        let default = || PathBuf::from("results").join(safe_name(&self.study));
        let folder = Folder::open(&self.out.clone().unwrap_or_else(default))?;
        let bar = BARS.add(ProgressBar::no_length());
        bar.set_style(style("{pos} runs fetched"));
        let results = std::iter::from_fn(|| {
            bar.inc(1);
            connection.next(&mut stream).transpose().map(|result| read_result(result?))
        });
        let tables = StudyTables::new(&folder, &plan, projects.unwrap_or_default());
        let results = tables.write(results, Extent::WithSuites)?;
        bar.finish_and_clear();
        terminal::print(&results.text(&self.study, &folder.path, start.elapsed()));
        Ok(if results.problems.is_empty() { Exit::Success } else { Exit::Incomplete })
    }
}

/// Reads the result of a run.
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

/// The failure about a document that this version cannot read.
fn unreadable(what: &str, cause: impl Display) -> Failure {
    Failure::new(format_args!("cannot read {what}: {cause}"))
        .hint("use the same version of catherd on both machines")
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
