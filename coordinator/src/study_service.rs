//! The coordinator's face towards people: studies are added, looked at, paused and fetched.

use std::collections::BTreeSet;
use std::pin::Pin;
use std::time::Duration;

use catherd_experiments::{Digest, Plan};
use catherd_proto::transport::MAX_PROJECT;
use catherd_proto::{DOCUMENT_VERSION, digest, v1};
use tokio::sync::mpsc;
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status, Streaming};

use crate::auth::{Role, require_role};
use crate::ledger::{Phase, PhaseCounts};
use crate::progress::{PlanningProgress, Progress, StudyProgress};
use crate::store::{QuarantinedRun, Reader, StoreError, StoreUrl, StudyNumber, StudyState};
use crate::worker_service::Service;

/// A study that is not planned within this time is asked for again: less than
/// [`REQUEST_TIMEOUT`](catherd_proto::transport::REQUEST_TIMEOUT).
const PLANNING: Duration = Duration::from_secs(5);

/// The face; cheap to clone.
#[derive(Clone)]
pub(crate) struct Studies {
    pub(crate) service: Service,
    pub(crate) url: StoreUrl,
}

type Reply<T> = Result<Response<T>, Status>;
type Streamed<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

impl Studies {
    fn number(&self, name: &str) -> Result<StudyNumber, Status> {
        let progress = self.service.progress.borrow();
        progress.study(name).map(|study| study.number).ok_or_else(|| {
            let names: Vec<_> = progress.studies.iter().map(|study| &*study.name).collect();
            Status::not_found(format!(
                "there is no study `{name}`; there are: {}",
                names.join(", ")
            ))
        })
    }

    /// Those of these projects that the store lacks.
    async fn missing_projects(&self, wanted: Vec<Digest>) -> Result<BTreeSet<Digest>, Status> {
        self.read(move |mut reader| reader.missing_projects(&wanted)).await
    }

    /// Reads the store on a thread that may wait.
    async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(Reader) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Status> {
        let url = self.url.clone();
        let read = tokio::task::spawn_blocking(move || read(Reader::open(&url)?)).await;
        match read {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(error)) => Err(Status::unavailable(error.to_string())),
            Err(defect) => Err(Status::internal(defect.to_string())),
        }
    }
}

#[tonic::async_trait]
impl v1::studies_server::Studies for Studies {
    async fn get_status(&self, request: Request<v1::StatusRequest>) -> Reply<v1::Status> {
        require_role(&request, Role::Viewer)?;
        Ok(Response::new(status(&self.service.progress.borrow())))
    }

    type WatchStream = Streamed<v1::Status>;

    async fn watch(&self, request: Request<v1::WatchRequest>) -> Reply<Self::WatchStream> {
        require_role(&request, Role::Viewer)?;
        let interval = Duration::from_millis(request.into_inner().interval_ms.max(100));
        let mut progress = self.service.progress.clone();
        let (sender, receiver) = mpsc::channel(1);
        tokio::spawn(async move {
            loop {
                let (now, finished) = {
                    let progress = progress.borrow_and_update();
                    (status(&progress), progress.is_finished())
                };
                if sender.send(Ok(now)).await.is_err() || finished {
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
        let (sender, receiver) = mpsc::channel(64);
        let url = self.url.clone();
        tokio::task::spawn_blocking(move || {
            if let Err(error) = send_results(&url, study, &sender) {
                let _ = sender.blocking_send(Err(Status::unavailable(error.to_string())));
            }
        });
        Ok(Response::new(Box::pin(ReceiverStream::new(receiver))))
    }

    async fn missing_projects(
        &self,
        request: Request<v1::ProjectDigests>,
    ) -> Reply<v1::ProjectDigests> {
        require_role(&request, Role::Submitter)?;
        let wanted = request.into_inner().digests;
        let wanted = wanted.iter().map(|bytes| digest(bytes)).collect::<Result<Vec<_>, _>>();
        let wanted = wanted.map_err(|error| Status::invalid_argument(error.to_string()))?;
        let missing_projects = self.missing_projects(wanted).await?.into_iter();
        let digests = missing_projects.map(|digest| digest.0.to_vec().into()).collect();
        Ok(Response::new(v1::ProjectDigests { digests }))
    }

    async fn put_project(
        &self,
        request: Request<Streaming<v1::ProjectChunk>>,
    ) -> Reply<v1::ProjectDigests> {
        require_role(&request, Role::Submitter)?;
        let mut chunks = request.into_inner();
        let mut bytes = Vec::new();
        while let Some(chunk) = chunks.message().await? {
            if chunk.size > MAX_PROJECT || (bytes.len() + chunk.data.len()) as u64 > chunk.size {
                return Err(Status::out_of_range("a project is larger than it may be"));
            }
            bytes.extend_from_slice(&chunk.data);
        }
        let projects = self.service.projects.clone();
        let kept = tokio::task::spawn_blocking(move || projects.insert(&bytes)).await;
        let kept = kept.map_err(|defect| Status::internal(defect.to_string()))?;
        let digest: Digest =
            kept.map_err(|error| Status::unavailable(format!("cannot keep a project: {error}")))?;
        Ok(Response::new(v1::ProjectDigests { digests: vec![digest.0.to_vec().into()] }))
    }

    async fn submit(&self, request: Request<v1::SubmitRequest>) -> Reply<v1::SubmitReply> {
        require_role(&request, Role::Submitter)?;
        let document = request.into_inner().plan.unwrap_or_default();
        let plan: Plan =
            document.read().map_err(|error| Status::invalid_argument(error.to_string()))?;
        plan.check(&self.service.engines)
            .map_err(|flaw| Status::failed_precondition(format!("a plan with {flaw}")))?;
        let missing_projects =
            self.missing_projects(plan.projects.iter().map(|one| one.digest).collect()).await?;
        if let Some(project) =
            plan.projects.iter().find(|one| missing_projects.contains(&one.digest))
        {
            let name = &project.name;
            return Err(Status::failed_precondition(format!("the coordinator lacks {name}")));
        }
        let name = plan.name.clone();
        // A large study takes longer than a request may; it goes on being planned.
        if let Ok(planned) = tokio::time::timeout(PLANNING, self.service.submit(plan)).await {
            planned?;
        } else {
            let progress = self.service.progress.borrow();
            let planning = progress.planning.iter().find(|planning| planning.study == name);
            let left = planning.map_or(1, |planning| (planning.of - planning.runs).max(1));
            let planned = planning.map_or(0, |planning| planning.runs) as u64;
            return Ok(Response::new(v1::SubmitReply { planned, ended: 0, left: left as u64 }));
        }
        let mut progress = self.service.progress.clone();
        let found = progress.wait_for(|progress| progress.study(&name).is_some()).await;
        let progress = found.map_err(|_| Status::unavailable("the coordinator is closing"))?;
        let counts = progress.study(&name).map(|study| study.counts).unwrap_or_default();
        Ok(Response::new(v1::SubmitReply {
            planned: counts.planned(),
            ended: counts.planned() - counts.of(Phase::Pending) - counts.of(Phase::Leased),
            left: 0,
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
        self.number(&request.study)?;
        self.service.set_state(request.study, state).await?;
        Ok(Response::new(v1::SetStateReply {}))
    }
}

fn send_results(
    url: &StoreUrl,
    study: StudyNumber,
    sender: &mpsc::Sender<Result<v1::RunResult, Status>>,
) -> Result<(), StoreError> {
    let document = |json: Vec<u8>| v1::Document { version: DOCUMENT_VERSION, json: json.into() };
    for record in Reader::open(url)?.records(study) {
        let (spec, record) = record?;
        let (spec, record) = (serde_json::to_vec(&spec)?, serde_json::to_vec(&record)?);
        let end = Some(v1::run_result::End::Record(document(record)));
        if sender.blocking_send(Ok(v1::RunResult { spec: Some(document(spec)), end })).is_err() {
            return Ok(());
        }
    }
    for QuarantinedRun { spec, attempts, kind, reason } in Reader::open(url)?.quarantined(study)? {
        let quarantined = v1::Quarantined { attempts, kind: kind as u32, reason };
        let end = Some(v1::run_result::End::Quarantined(quarantined));
        let spec = Some(document(serde_json::to_vec(&spec)?));
        if sender.blocking_send(Ok(v1::RunResult { spec, end })).is_err() {
            return Ok(());
        }
    }
    Ok(())
}

fn status(progress: &Progress) -> v1::Status {
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
        studies: progress.studies.iter().map(study).collect(),
        planning: progress.planning.iter().map(planned).collect(),
    }
}

fn planned(planned: &PlanningProgress) -> v1::PlanningProgress {
    let PlanningProgress { study, runs, of } = planned;
    v1::PlanningProgress { study: study.clone(), runs: *runs as u64, of: *of as u64 }
}

fn study(study: &StudyProgress) -> v1::Study {
    let of = |phase| PhaseCounts::of(&study.counts, phase);
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
