//! The gRPC service for clients that submit, follow, pause and fetch studies.

use std::collections::BTreeSet;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use catherd_experiments::{CorpusDescription, Digest, Engines, InvalidPlan, Plan, PlanProblem};
use catherd_proto::{DOCUMENT_VERSION, digest, v1};
use tokio::sync::mpsc;
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status, Streaming};

use crate::auth::{Role, require_role};
use crate::ids::StudyNumber;
use crate::ledger::Phase;
use crate::progress::{PlanningProgress, Progress, StudyProgress, UnservedRuns};
use crate::projects::Projects;
use crate::store::{QuarantinedRun, StoreError, StoreReader, StoreUrl, StudyState};
use crate::uploads::Uploads;
use crate::writer::WriterHandle;

/// Time after which a submission is answered even if its study is not completely planned. Less than
/// [`REQUEST_TIMEOUT`](catherd_proto::transport::REQUEST_TIMEOUT).
const PLANNING_TIMEOUT: Duration = Duration::from_secs(3);

/// Maximum size of all projects of a study together, in bytes: 64 GiB.
const MAX_STUDY_BYTES: u64 = 64 << 30;

/// Maximum number of studies that an error lists.
const MAX_NAMES_SHOWN: usize = 20;

/// Shortest permitted interval between two messages of `Watch`.
const MIN_WATCH_INTERVAL_MS: u64 = 100;

/// Number of results that are read ahead for a slow receiver.
const RESULTS_READ_AHEAD: usize = 64;

/// The service; cheap to clone.
#[derive(Clone)]
pub(crate) struct StudyService {
    pub(crate) writer: WriterHandle,
    pub(crate) projects: Projects,
    pub(crate) uploads: Uploads,
    pub(crate) engines: Arc<Engines>,
    pub(crate) url: StoreUrl,
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

    /// Checks that the projects of a plan have been uploaded, and that they are not too large
    /// together.
    async fn check_projects(&self, plan: &Plan) -> Result<(), Status> {
        let digests: Vec<_> = plan.projects.iter().map(|project| project.digest).collect();
        let sizes = self.read(move |mut reader| reader.project_sizes(&digests)).await?;
        let missing = plan.projects.iter().zip(&sizes).find(|(_, size)| size.is_none());
        if let Some((project, _)) = missing {
            let name = &project.name;
            return Err(Status::failed_precondition(format!("project {name} was not uploaded")));
        }
        let bytes: u64 = sizes.into_iter().flatten().sum();
        if bytes > MAX_STUDY_BYTES {
            return Err(Status::resource_exhausted(format!(
                "the projects of the study have {bytes} bytes, of at most {MAX_STUDY_BYTES}; divide \
                 the study into several"
            )));
        }
        Ok(())
    }

    /// The projects among these that the store does not have.
    async fn find_missing(&self, wanted: Vec<Digest>) -> Result<BTreeSet<Digest>, Status> {
        let projects = self.projects.clone();
        let missing = tokio::task::spawn_blocking(move || projects.missing(&wanted)).await;
        let missing = missing.map_err(|panic| Status::internal(panic.to_string()))?;
        missing.map_err(|error| Status::unavailable(error.to_string()))
    }

    /// Reads the store on a blocking thread.
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
        let study = self.number(&request.into_inner().study)?;
        let (sender, receiver) = mpsc::channel(RESULTS_READ_AHEAD);
        let url = self.url.clone();
        tokio::task::spawn_blocking(move || {
            if let Err(error) = send_results(&url, study, &sender) {
                let status = match error {
                    // The number belonged to a study before, so the study was replaced or deleted.
                    StoreError::StudyChanged | StoreError::NoStudy(_) => {
                        Status::aborted(StoreError::StudyChanged.to_string())
                    }
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
        Ok(Response::new(v1::GetPlanReply { plan, projects }))
    }

    async fn missing_projects(
        &self,
        request: Request<v1::ProjectDigests>,
    ) -> Reply<v1::ProjectDigests> {
        require_role(&request, Role::Submitter)?;
        let wanted = request.into_inner().digests;
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
        require_role(&request, Role::Submitter)?;
        let v1::SubmitRequest { plan, waiting, projects } = request.into_inner();
        let description = projects.map(checked_description).transpose()?;
        let plan: Plan = plan
            .unwrap_or_default()
            .read()
            .map_err(|error| Status::invalid_argument(error.to_string()))?;
        plan.check(&self.engines).map_err(invalid_plan)?;
        self.check_projects(&plan).await?;
        let name = plan.name.clone();
        // Planning a large study takes longer than the request time-out. It continues in the
        // background, and the client submits again until it is complete.
        let submitted = self.writer.submit(plan, waiting);
        let Ok(planned) = tokio::time::timeout(PLANNING_TIMEOUT, submitted).await else {
            return Ok(Response::new(planning_reply(&self.writer.progress.borrow(), &name)));
        };
        let study = planned?;
        if let Some(description) = description {
            self.writer.describe(study, description).await?;
        }
        // The progress must contain the study before the reply is sent.
        let progress = self.writer.progress.borrow();
        let counts = progress.study(&name).map(|study| study.counts).unwrap_or_default();
        Ok(Response::new(v1::SubmitReply {
            planned: counts.planned(),
            ended: counts.planned() - counts.of(Phase::Pending) - counts.of(Phase::Leased),
            unplanned: 0,
        }))
    }

    async fn set_state(&self, request: Request<v1::SetStateRequest>) -> Reply<v1::SetStateReply> {
        require_role(&request, Role::Submitter)?;
        let request = request.into_inner();
        let state = match request.state() {
            v1::StudyState::Active => StudyState::Active,
            v1::StudyState::Paused => StudyState::Paused,
            v1::StudyState::Cancelled => StudyState::Cancelled,
        };
        match self.writer.set_state(request.study.clone(), state).await? {
            true => Ok(Response::new(v1::SetStateReply {})),
            false => Err(self.unknown_study(&request.study)),
        }
    }

    async fn delete(&self, request: Request<v1::DeleteRequest>) -> Reply<v1::DeleteReply> {
        require_role(&request, Role::Submitter)?;
        let study = request.into_inner().study;
        match self.writer.delete(study.clone()).await? {
            true => Ok(Response::new(v1::DeleteReply {})),
            false => Err(self.unknown_study(&study)),
        }
    }
}

fn invalid_plan(error: InvalidPlan) -> Status {
    let message = format!("invalid plan: {error}; {}", error.problem.advice());
    match error.problem {
        PlanProblem::Format(_) | PlanProblem::Engine { .. } => Status::failed_precondition(message),
        _ => Status::invalid_argument(message),
    }
}

/// The JSON of a description of projects, if it is valid.
fn checked_description(document: v1::Document) -> Result<Vec<u8>, Status> {
    let read = document.read().map_err(|error| error.to_string());
    let checked = read.and_then(|description: CorpusDescription| {
        description.check().map_err(|error| error.to_string())
    });
    checked.map_err(|flaw| Status::invalid_argument(format!("description of projects: {flaw}")))?;
    Ok(document.json.into())
}

/// The reply to a submission whose study is still being planned; at least one run is not planned
/// yet.
fn planning_reply(progress: &Progress, name: &str) -> v1::SubmitReply {
    let planning = progress.planning.iter().find(|planning| planning.study == name);
    let unplanned = planning.map_or(1, |planning| (planning.total - planning.planned).max(1));
    let planned = planning.map_or(0, |planning| planning.planned);
    v1::SubmitReply { planned: planned as u64, ended: 0, unplanned: unplanned as u64 }
}

fn send_results(
    url: &StoreUrl,
    study: StudyNumber,
    sender: &mpsc::Sender<Result<v1::RunResult, Status>>,
) -> Result<(), StoreError> {
    let document = |json: Vec<u8>| v1::Document { version: DOCUMENT_VERSION, json: json.into() };
    for record in StoreReader::open(url)?.records(study) {
        let (spec, record) = record?;
        let (spec, record) = (serde_json::to_vec(&spec)?, serde_json::to_vec(&record)?);
        let end = Some(v1::run_result::End::Record(document(record)));
        if sender.blocking_send(Ok(v1::RunResult { spec: Some(document(spec)), end })).is_err() {
            return Ok(());
        }
    }
    let mut reader = StoreReader::open(url)?;
    let quarantined = reader.quarantined(study)?;
    if !reader.counts(study)? {
        return Err(StoreError::StudyChanged);
    }
    for run in quarantined {
        let QuarantinedRun { spec, attempts, kind, reason } = run;
        let quarantined = v1::Quarantined { attempts, kind: kind as u32, reason };
        let end = Some(v1::run_result::End::Quarantined(quarantined));
        let spec = Some(document(serde_json::to_vec(&spec)?));
        if sender.blocking_send(Ok(v1::RunResult { spec, end })).is_err() {
            return Ok(());
        }
    }
    Ok(())
}

fn encode_status(progress: &Progress) -> v1::Status {
    v1::Status {
        planned: progress.planned,
        pending: progress.pending,
        leased: progress.leased,
        done: progress.done,
        failed: progress.failed,
        quarantined: progress.quarantined,
        workers: progress.workers.len() as u32,
        runs_per_second: progress.runs_per_second,
        mean_coverage: progress.mean_coverage,
        last_error: progress.last_error.clone().unwrap_or_default(),
        eta_ms: progress.eta.map(|eta| eta.as_millis() as u64),
        studies: progress.studies.iter().map(encode_study).collect(),
        planning: progress.planning.iter().map(encode_planning).collect(),
        unserved: progress.unserved.iter().map(encode_unserved).collect(),
    }
}

fn encode_planning(planning: &PlanningProgress) -> v1::PlanningProgress {
    let PlanningProgress { study, planned, total } = planning;
    v1::PlanningProgress { study: study.clone(), planned: *planned as u64, total: *total as u64 }
}

fn encode_unserved(unserved: &UnservedRuns) -> v1::Unserved {
    let UnservedRuns { kind, engine, runs } = unserved;
    v1::Unserved { kind: kind.clone(), engine: engine.clone(), runs: *runs as u64 }
}

fn encode_study(study: &StudyProgress) -> v1::Study {
    let of = |phase| study.counts.of(phase);
    let state = match study.state {
        StudyState::Active => v1::StudyState::Active,
        StudyState::Paused => v1::StudyState::Paused,
        StudyState::Cancelled => v1::StudyState::Cancelled,
    };
    v1::Study {
        name: study.name.clone(),
        state: state.into(),
        planned: study.counts.planned(),
        pending: of(Phase::Pending),
        leased: of(Phase::Leased),
        done: of(Phase::Done),
        failed: of(Phase::Failed),
        quarantined: of(Phase::Quarantined),
        mean_coverage: study.mean_coverage,
    }
}
