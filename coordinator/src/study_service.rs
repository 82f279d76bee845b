//! The gRPC service for clients.

use std::collections::BTreeSet;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use catherd_experiments::{Digest, Engines, Plan};
use catherd_proto::{DOCUMENT_VERSION, digest, v1};
use tokio::sync::mpsc;
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status, Streaming};

use crate::auth::{Role, require_role};
use crate::ids::StudyNumber;
use crate::ledger::{Phase, WorkerRule};
use crate::progress::Progress;
use crate::projects::Projects;
use crate::queue::SubjectEngine;
use crate::store::{
    Breakdown, EndedAttempt, FoundRun, StoreError, StoreReader, StoreUrl, StudyState,
};
use crate::traces::Traces;
use crate::uploads::Uploads;
use crate::worker_service::checked_name;
use crate::writer::{self, Cell, Explanation, WriterHandle};

use checked::{checked_claim, checked_description, ids_of, invalid_plan};
use results::send_results;
use status::encode_status;

mod checked;
mod results;
mod status;

/// Must be less than [`REQUEST_TIMEOUT`](catherd_proto::transport::REQUEST_TIMEOUT).
const PLANNING_TIMEOUT: Duration = Duration::from_secs(3);

/// Maximum size of all projects of a study together, in bytes.
const MAX_STUDY_BYTES: u64 = 64 << 30;

const MAX_NAMES_SHOWN: usize = 20;

/// Maximum number of pairs of project and algorithm in an estimate.
const MAX_CELLS: usize = 200_000;

/// In an estimate of a plan with more runs, all runs count as not ended.
const MAX_LOOKED_UP: usize = 200_000;

const MIN_WATCH_INTERVAL_MS: u64 = 100;

const MAX_DIGESTS: usize = 1 << 16;

/// Number of projects that are looked up at once. Workers that fetch a project wait meanwhile.
const LOOKUP_PAGE: usize = 1024;

const RESULTS_READ_AHEAD: usize = 64;

#[derive(Clone)]
pub(crate) struct StudyService {
    pub(crate) writer: WriterHandle,
    pub(crate) projects: Projects,
    pub(crate) uploads: Uploads,
    pub(crate) engines: Arc<Engines>,
    pub(crate) url: StoreUrl,
    pub(crate) traces: Option<Arc<Traces>>,
}

type Reply<T> = Result<Response<T>, Status>;
type Streamed<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

impl StudyService {
    fn number(&self, name: &str) -> Result<StudyNumber, Status> {
        let number = self.writer.progress.borrow().study(name).map(|study| study.number);
        number.ok_or_else(|| self.unknown_study(name))
    }

    fn unknown_study(&self, name: &str) -> Status {
        let progress = self.writer.progress.borrow();
        let names = progress.studies.iter().map(|study| &*study.name).take(MAX_NAMES_SHOWN);
        let names = names.collect::<Vec<_>>().join(", ");
        Status::not_found(format!("there is no study `{name}`; known studies: {names}"))
    }

    async fn check_projects(&self, plan: &Plan) -> Result<(), Status> {
        let digests: Vec<_> = plan.projects.iter().map(|project| project.digest).collect();
        let sizes = self.read(move |mut reader| reader.project_sizes(&digests)).await?;
        let missing = plan.projects.iter().zip(&sizes).find(|(_, size)| size.is_none());
        if let Some((project, _)) = missing {
            let name = &project.name;
            return Err(Status::aborted(format!("project {name} was not uploaded")));
        }
        let bytes: u64 = sizes.into_iter().flatten().sum();
        if bytes > MAX_STUDY_BYTES {
            return Err(Status::out_of_range(format!(
                "the projects of the study have {bytes} bytes, more than the maximum of \
                 {MAX_STUDY_BYTES}; divide the study into several"
            )));
        }
        Ok(())
    }

    async fn find_missing(&self, wanted: Vec<Digest>) -> Result<BTreeSet<Digest>, Status> {
        let projects = self.projects.clone();
        let find = move || {
            let mut missing = BTreeSet::new();
            for page in wanted.chunks(LOOKUP_PAGE) {
                missing.extend(projects.missing(page)?);
            }
            Ok::<_, StoreError>(missing)
        };
        let missing = tokio::task::spawn_blocking(find).await;
        let missing = missing.map_err(|panic| Status::internal(panic.to_string()))?;
        missing.map_err(|error| Status::unavailable(error.to_string()))
    }

    async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(StoreReader) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Status> {
        let url = self.url.clone();
        let read = tokio::task::spawn_blocking(move || read(StoreReader::open(&url)?)).await;
        match read {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(error)) => Err(Status::unavailable(error.to_string())),
            Err(panic) => Err(Status::internal(panic.to_string())),
        }
    }
}

#[tonic::async_trait]
impl v1::studies_server::Studies for StudyService {
    async fn get_status(&self, request: Request<v1::StatusRequest>) -> Reply<v1::Status> {
        require_role(&request, Role::Viewer)?;
        Ok(Response::new(encode_status(&self.writer.progress.borrow())))
    }

    type WatchStream = Streamed<v1::Status>;

    async fn watch(&self, request: Request<v1::WatchRequest>) -> Reply<Self::WatchStream> {
        require_role(&request, Role::Viewer)?;
        let interval = request.into_inner().interval_ms.max(MIN_WATCH_INTERVAL_MS);
        let interval = Duration::from_millis(interval);
        let mut progress = self.writer.progress.clone();
        let (sender, receiver) = mpsc::channel(1);
        tokio::spawn(async move {
            loop {
                let (status, finished) = {
                    let progress = progress.borrow_and_update();
                    (encode_status(&progress), progress.is_finished())
                };
                if sender.send(Ok(status)).await.is_err() || finished {
                    return;
                }
                tokio::time::sleep(interval).await;
                if progress.changed().await.is_err() {
                    return;
                }
            }
        });
        Ok(Response::new(Box::pin(ReceiverStream::new(receiver))))
    }

    async fn explain(&self, request: Request<v1::ExplainRequest>) -> Reply<v1::ExplainReply> {
        require_role(&request, Role::Viewer)?;
        let study = self.number(&request.into_inner().study)?;
        let missing = self.read(move |mut reader| reader.missing(study)).await?;
        let missing = missing.into_iter().map(|missing| v1::Missing {
            project: missing.project,
            algorithm: missing.label,
            phase: missing.phase.name().to_owned(),
            runs: missing.runs,
            reason: missing.reason,
        });
        Ok(Response::new(v1::ExplainReply { missing: missing.collect() }))
    }

    type ResultsStream = Streamed<v1::RunResult>;

    async fn results(&self, request: Request<v1::ResultsRequest>) -> Reply<Self::ResultsStream> {
        require_role(&request, Role::Viewer)?;
        let v1::ResultsRequest { study, after, number } = request.into_inner();
        let study = self.number(&study)?;
        if number.is_some_and(|number| number != study) {
            return Err(Status::aborted(StoreError::StudyChanged.to_string()));
        }
        let (sender, receiver) = mpsc::channel(RESULTS_READ_AHEAD);
        let url = self.url.clone();
        tokio::task::spawn_blocking(move || {
            if let Err(error) = send_results(&url, study, after, &sender) {
                let status = match error {
                    // The study existed when the request arrived, so it has been replaced or
                    // deleted since.
                    StoreError::StudyChanged | StoreError::NoStudy(_) => {
                        Status::aborted(StoreError::StudyChanged.to_string())
                    }
                    // Repeating the request would not help.
                    _ if error.is_damage() => Status::data_loss(error.to_string()),
                    _ => Status::unavailable(error.to_string()),
                };
                // Sending fails only after the client has closed the stream.
                let _ = sender.blocking_send(Err(status));
            }
        });
        Ok(Response::new(Box::pin(ReceiverStream::new(receiver))))
    }

    async fn get_plan(&self, request: Request<v1::GetPlanRequest>) -> Reply<v1::GetPlanReply> {
        require_role(&request, Role::Viewer)?;
        let study = self.number(&request.into_inner().study)?;
        let read = move |mut reader: StoreReader| {
            Ok((reader.study(study)?.plan, reader.description(study)?))
        };
        let (plan, projects) = self.read(read).await?;
        let document =
            |json: Vec<u8>| v1::Document { version: DOCUMENT_VERSION, json: json.into() };
        let (plan, projects) = (Some(document(plan)), projects.map(document));
        Ok(Response::new(v1::GetPlanReply { plan, projects, number: Some(study) }))
    }

    async fn missing_projects(
        &self,
        request: Request<v1::ProjectDigests>,
    ) -> Reply<v1::ProjectDigests> {
        require_role(&request, Role::Submitter)?;
        let wanted = request.into_inner().digests;
        if wanted.len() > MAX_DIGESTS {
            let rule = format!("{} digests; a request has at most {MAX_DIGESTS}", wanted.len());
            return Err(Status::invalid_argument(rule));
        }
        let wanted = wanted.iter().map(|bytes| digest(bytes)).collect::<Result<Vec<_>, _>>();
        let wanted = wanted.map_err(|error| Status::invalid_argument(error.to_string()))?;
        let missing = self.find_missing(wanted).await?.into_iter();
        let digests = missing.map(|digest| digest.0.to_vec().into()).collect();
        Ok(Response::new(v1::ProjectDigests { digests }))
    }

    async fn put_project(
        &self,
        request: Request<Streaming<v1::ProjectChunk>>,
    ) -> Reply<v1::ProjectDigests> {
        require_role(&request, Role::Submitter)?;
        let upload = self.uploads.receive(&mut request.into_inner()).await?;
        let projects = self.projects.clone();
        let stored = tokio::task::spawn_blocking(move || projects.insert(&upload.bytes)).await;
        let stored = stored.map_err(|panic| Status::internal(panic.to_string()))?;
        let digest: Digest = stored
            .map_err(|error| Status::unavailable(format!("cannot store a project: {error}")))?;
        Ok(Response::new(v1::ProjectDigests { digests: vec![digest.0.to_vec().into()] }))
    }

    async fn submit(&self, request: Request<v1::SubmitRequest>) -> Reply<v1::SubmitReply> {
        let caller = require_role(&request, Role::Submitter)?;
        let v1::SubmitRequest { plan, waiting, projects, claim } = request.into_inner();
        let claim = checked_claim(claim.unwrap_or_default())?;
        let description = projects.map(checked_description).transpose()?;
        let plan: Plan = plan
            .unwrap_or_default()
            .read()
            .map_err(|error| Status::invalid_argument(error.to_string()))?;
        plan.check(&self.engines).map_err(invalid_plan)?;
        self.check_projects(&plan).await?;
        let name = plan.name.clone();
        // Runs can be leased as soon as the study is planned.
        if let Some(traces) = self.traces.as_ref().filter(|_| !waiting) {
            traces.note_submission(&plan, SystemTime::now());
        }
        // Planning a large study may take longer than the request time-out. The client submits the
        // study again until planning is complete.
        let submitted = self.writer.submit(plan, waiting, caller, claim);
        let Ok(planned) = tokio::time::timeout(PLANNING_TIMEOUT, submitted).await else {
            return Ok(Response::new(planning_reply(&self.writer.progress.borrow(), &name)));
        };
        let study = planned?;
        if let Some(description) = description {
            self.writer.describe(study, description).await?;
        }
        // The writer publishes progress with the study before it answers.
        let progress = self.writer.progress.borrow();
        let counts = progress.study(&name).map(|study| study.counts).unwrap_or_default();
        Ok(Response::new(v1::SubmitReply {
            planned: counts.planned(),
            ended: counts.planned() - counts.of(Phase::Pending) - counts.of(Phase::Leased),
            unplanned: 0,
        }))
    }

    async fn estimate(&self, request: Request<v1::EstimateRequest>) -> Reply<v1::EstimateReply> {
        require_role(&request, Role::Viewer)?;
        let plan = request.into_inner().plan.unwrap_or_default();
        let plan: Plan =
            plan.read().map_err(|error| Status::invalid_argument(error.to_string()))?;
        plan.check(&self.engines).map_err(invalid_plan)?;
        let cells = plan.projects.len() * plan.algorithms.len();
        if cells > MAX_CELLS {
            let rule = format!(
                "{cells} pairs of project and algorithm; at most {MAX_CELLS} can be estimated"
            );
            return Err(Status::invalid_argument(rule));
        }
        let engine = SubjectEngine { kind: plan.subject.clone(), engine: plan.engine.clone() };
        let runs = plan.count() as u64;
        let cells = self.read(move |reader| cells_left(reader, &plan)).await?;
        let left: u64 = cells.iter().map(|cell| cell.runs).sum();
        let estimate =
            self.writer.call(|reply| writer::Request::Estimate { cells, engine, reply }).await?;
        let estimated = estimate.by_source.into_iter();
        let estimated = estimated.map(|(source, (runs, expected))| v1::EstimatedRuns {
            source: source.to_owned(),
            runs,
            expected_ms: expected.as_millis() as u64,
        });
        Ok(Response::new(v1::EstimateReply {
            runs,
            ended: runs - left,
            estimated: estimated.collect(),
            workers: estimate.workers as u32,
            others_ms: estimate.others.as_millis() as u64,
        }))
    }

    async fn why(&self, request: Request<v1::WhyRequest>) -> Reply<v1::WhyReply> {
        require_role(&request, Role::Viewer)?;
        let prefix = request.into_inner().run;
        let (low, high) = ids_of(&prefix).ok_or_else(|| {
            Status::invalid_argument(format!(
                "`{prefix}` is not the beginning of a run's id: 4 to 64 hexadecimal digits"
            ))
        })?;
        let found = self.read(move |mut reader| reader.runs_between(low, high)).await?;
        let run = match <[FoundRun; 1]>::try_from(found) {
            Ok([run]) => run,
            Err(found) if found.is_empty() => {
                return Err(Status::not_found(format!(
                    "there is no run whose id begins with {prefix}"
                )));
            }
            Err(_) => {
                let rule =
                    format!("several runs have ids that begin with {prefix}; give more digits");
                return Err(Status::invalid_argument(rule));
            }
        };
        let FoundRun { number, spec, breakdowns } = run;
        let explained = self.writer.call(|reply| writer::Request::Why { run: number, reply });
        let Explanation { studies, phase, attempts, mut reasons } = explained.await?;
        reasons.extend(breakdowns.into_iter().map(|ended| {
            let EndedAttempt { attempt, kind, worker, reason } = ended;
            let kind = match kind {
                Some(Breakdown::Crashed) => "crashed",
                Some(Breakdown::TimedOut) => "timed out",
                Some(Breakdown::OutOfMemory) => "ran out of memory",
                Some(Breakdown::Lost) => "was lost",
                None => "ended",
            };
            format!("attempt {attempt} on worker {worker} {kind}: {reason}")
        }));
        Ok(Response::new(v1::WhyReply {
            run: spec.id().to_string(),
            studies,
            place: spec.place().to_string(),
            phase: phase.name().to_owned(),
            attempts,
            reasons,
        }))
    }

    async fn set_claim(&self, request: Request<v1::SetClaimRequest>) -> Reply<v1::SetClaimReply> {
        let caller = require_role(&request, Role::Submitter)?;
        let v1::SetClaimRequest { study, claim } = request.into_inner();
        let claim = checked_claim(claim.unwrap_or_default())?;
        match self.writer.set_claim(study.clone(), claim, caller).await?? {
            true => Ok(Response::new(v1::SetClaimReply {})),
            false => Err(self.unknown_study(&study)),
        }
    }

    async fn set_workers(
        &self,
        request: Request<v1::SetWorkersRequest>,
    ) -> Reply<v1::SetWorkersReply> {
        require_role(&request, Role::Administrator)?;
        let v1::SetWorkersRequest { name, rule } = request.into_inner();
        let name = checked_name(name)?;
        let rule = match v1::WorkerRule::try_from(rule) {
            Ok(v1::WorkerRule::Admit) => None,
            Ok(v1::WorkerRule::Drain) => Some(WorkerRule::Drain),
            Ok(v1::WorkerRule::Block) => Some(WorkerRule::Block),
            Err(_) => return Err(Status::invalid_argument(format!("unknown rule {rule}"))),
        };
        let told = self.writer.call(|reply| writer::Request::SetWorkers { name, rule, reply });
        Ok(Response::new(v1::SetWorkersReply { workers: told.await? }))
    }

    async fn set_state(&self, request: Request<v1::SetStateRequest>) -> Reply<v1::SetStateReply> {
        let caller = require_role(&request, Role::Submitter)?;
        let request = request.into_inner();
        let state = match v1::StudyState::try_from(request.state) {
            Ok(v1::StudyState::Active) => StudyState::Active,
            Ok(v1::StudyState::Paused) => StudyState::Paused,
            Ok(v1::StudyState::Cancelled) => StudyState::Cancelled,
            Err(_) => {
                let known = StudyState::ALL.map(StudyState::name).join(", ");
                let rule = format!("unknown state {}; known states: {known}", request.state);
                return Err(Status::invalid_argument(rule));
            }
        };
        match self.writer.set_state(request.study.clone(), state, caller).await?? {
            true => Ok(Response::new(v1::SetStateReply {})),
            false => Err(self.unknown_study(&request.study)),
        }
    }

    async fn delete(&self, request: Request<v1::DeleteRequest>) -> Reply<v1::DeleteReply> {
        let caller = require_role(&request, Role::Submitter)?;
        let study = request.into_inner().study;
        match self.writer.delete(study.clone(), caller).await?? {
            true => Ok(Response::new(v1::DeleteReply {})),
            false => Err(self.unknown_study(&study)),
        }
    }
}

/// The client takes 0 unplanned runs to mean that planning is complete.
fn planning_reply(progress: &Progress, name: &str) -> v1::SubmitReply {
    let planning = progress.planning.iter().find(|planning| planning.study == name);
    let unplanned = planning.map_or(1, |planning| (planning.total - planning.planned).max(1));
    let planned = planning.map_or(0, |planning| planning.planned);
    v1::SubmitReply { planned: planned as u64, ended: 0, unplanned: unplanned as u64 }
}

/// The runs of a plan that are not known to have ended, by project and algorithm.
fn cells_left(mut reader: StoreReader, plan: &Plan) -> Result<Vec<Cell>, StoreError> {
    let seeds = plan.seeds.len();
    let mut cells = Vec::new();
    for first in (0..plan.count()).step_by(seeds) {
        let (project, algorithm) = plan.cell(first);
        // Looking up millions of runs would take minutes.
        let ended = match plan.count() <= MAX_LOOKED_UP {
            true => {
                let ids: Vec<_> = (first..first + seeds).map(|run| plan.run(run).id()).collect();
                reader.have_ended(&ids)?.into_iter().filter(|ended| *ended).count()
            }
            false => 0,
        };
        let (project, label) = (project.digest, algorithm.label.clone());
        cells.push(Cell { project, label, runs: (seeds - ended) as u64 });
    }
    Ok(cells)
}
