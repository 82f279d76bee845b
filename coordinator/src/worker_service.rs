//! The coordinator's face towards workers: reads what the wire brings, asks the writer, writes
//! the answer.

use std::collections::BTreeSet;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::time::Duration;

use catherd_experiments::{Digest, Engines, Plan, RunRecord};
use catherd_proto::{DOCUMENT_VERSION, PROTOCOL, digest, v1};
use tokio::sync::{mpsc, oneshot, watch};
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status};

use crate::auth::{Role, require_role};
use crate::ledger::{Policy, Verdict};
use crate::progress::{Progress, RunProgress};
use crate::projects::Projects;
use crate::store::{StoreError, StoredRecord, StudyNumber, StudyState};
use crate::writer::{self, AttemptResult, Completion};

/// Longest worker name in bytes.
const LONGEST_NAME: usize = 200;

/// A worker without work asks again after this time.
const IDLE: Duration = Duration::from_millis(250);

/// The service; cheap to clone.
#[derive(Clone)]
pub(crate) struct Service {
    pub(crate) writer: Sender<writer::Request>,
    pub(crate) progress: watch::Receiver<Progress>,
    pub(crate) projects: Projects,
    pub(crate) policy: Policy,
    /// Engine ids of the subject kinds of this program; kinds that it does not know are accepted
    /// with any engine.
    pub(crate) engines: Arc<Engines>,
    pub(crate) draining: Arc<AtomicBool>,
    /// There are no threads that could wait for the store.
    pub(crate) in_place: bool,
}

impl Service {
    async fn ask<T>(
        &self,
        request: impl FnOnce(oneshot::Sender<T>) -> writer::Request,
    ) -> Result<T, Status> {
        let (answer, answered) = oneshot::channel();
        let unavailable = |_| Status::unavailable("the coordinator cannot reach its store");
        self.writer
            .send(request(answer))
            .map_err(|_| Status::unavailable("the coordinator is closing"))?;
        answered.await.map_err(unavailable)
    }

    pub(crate) async fn submit(&self, plan: Plan) -> Result<StudyNumber, Status> {
        let plan = Box::new(plan);
        self.ask(|answer| writer::Request::Plan { plan, answer }).await
    }

    pub(crate) async fn set_state(&self, name: String, state: StudyState) -> Result<bool, Status> {
        self.ask(|answer| writer::Request::SetState { name, state, answer }).await
    }
}

type Reply<T> = Result<Response<T>, Status>;
type Streamed<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

#[tonic::async_trait]
impl v1::coordinator_server::Coordinator for Service {
    async fn register(&self, request: Request<v1::RegisterRequest>) -> Reply<v1::RegisterReply> {
        require_role(&request, Role::Worker)?;
        let request = request.into_inner();
        let worker = named(request.worker)?;
        if request.protocol != PROTOCOL {
            return Err(Status::failed_precondition(format!(
                "worker {worker} has protocol {}, this coordinator has {PROTOCOL}; use the same \
                 catherd for both",
                request.protocol,
            )));
        }
        for (kind, engine) in &request.engines {
            if let Some(own) = self.engines.get(kind).filter(|own| *own != engine) {
                return Err(Status::failed_precondition(format!(
                    "worker {worker} has engine {engine} for subject kind `{kind}`, this \
                     coordinator has {own}; use the same catherd for both"
                )));
            }
        }
        self.ask(|answer| writer::Request::Register { worker, answer }).await?;
        Ok(Response::new(v1::RegisterReply {
            term_ms: self.policy.term.as_millis() as u64,
            // Four heartbeats may be lost in a row.
            heartbeat_ms: (self.policy.term / 5).as_millis() as u64,
        }))
    }

    async fn lease(&self, request: Request<v1::LeaseRequest>) -> Reply<v1::LeaseReply> {
        require_role(&request, Role::Worker)?;
        let request = request.into_inner();
        let worker = named(request.worker)?;
        if self.draining.load(Ordering::Relaxed) {
            let wait_ms = IDLE.as_millis() as u64;
            return Ok(Response::new(v1::LeaseReply { wait_ms, ..Default::default() }));
        }
        let loaded = request.loaded.iter().map(|bytes| digest(bytes)).collect::<Result<_, _>>();
        let loaded = loaded.map_err(|error| Status::invalid_argument(error.to_string()))?;
        let held = request.held.into_iter().collect();
        let (granted, finished) =
            self.ask(|answer| writer::Request::Lease { worker, loaded, held, answer }).await?;
        let leases = granted.into_iter().map(|(grant, spec)| v1::Lease {
            run: grant.run,
            attempt: grant.attempt,
            token: grant.token,
            spec: Some(v1::Document { version: DOCUMENT_VERSION, json: spec.into() }),
        });
        Ok(Response::new(v1::LeaseReply {
            leases: leases.collect(),
            wait_ms: IDLE.as_millis() as u64,
            finished,
        }))
    }

    async fn heartbeat(&self, request: Request<v1::HeartbeatRequest>) -> Reply<v1::HeartbeatReply> {
        require_role(&request, Role::Worker)?;
        let request = request.into_inner();
        let worker = named(request.worker)?;
        let held: BTreeSet<_> = request.held.iter().map(|held| held.token).collect();
        let run_progress = request.held.into_iter().filter_map(|held| {
            let v1::RunProgress { work, covered, goals } = held.progress?;
            let work = work.into_iter().collect();
            Some((held.token, RunProgress { work, covered, goals }))
        });
        let run_progress = run_progress.collect();
        let (drop, drained) = self
            .ask(|answer| writer::Request::Heartbeat { worker, held, run_progress, answer })
            .await?;
        let drain = drained || self.draining.load(Ordering::Relaxed);
        Ok(Response::new(v1::HeartbeatReply { drop, drain }))
    }

    async fn commit(&self, request: Request<v1::CommitRequest>) -> Reply<v1::CommitReply> {
        require_role(&request, Role::Worker)?;
        let request = request.into_inner();
        let worker = named(request.worker)?;
        // Reading records takes longer than anything else here: not on the writer.
        let read: Vec<_> = request.completions.into_iter().map(completion).collect();
        let (sound, flaws): (Vec<_>, Vec<_>) = read
            .into_iter()
            .map(|read| match read {
                Ok(completion) => (Some(completion), None),
                Err(flaw) => (None, Some(flaw)),
            })
            .unzip();
        let completions = sound.into_iter().flatten().collect();
        let mut outcomes = self
            .ask(|answer| writer::Request::Commit { worker, completions, answer })
            .await?
            .into_iter();
        let verdicts = flaws.into_iter().filter_map(|flaw| match flaw {
            Some(flaw) => Some(verdict(Err(flaw))),
            None => outcomes.next().map(verdict),
        });
        Ok(Response::new(v1::CommitReply { verdicts: verdicts.collect() }))
    }

    type FetchProjectStream = Streamed<v1::ProjectChunk>;

    async fn fetch_project(
        &self,
        request: Request<v1::FetchProjectRequest>,
    ) -> Reply<Self::FetchProjectStream> {
        require_role(&request, Role::Worker)?;
        let wanted = digest(&request.into_inner().digest)
            .map_err(|error| Status::invalid_argument(error.to_string()))?;
        let projects = self.projects.clone();
        if self.in_place {
            let mut chunks = Vec::new();
            send_project(&projects, wanted, |chunk| {
                chunks.push(chunk);
                true
            });
            return Ok(Response::new(Box::pin(tokio_stream::iter(chunks))));
        }
        let (sender, receiver) = mpsc::channel(4);
        tokio::task::spawn_blocking(move || {
            send_project(&projects, wanted, |chunk| sender.blocking_send(chunk).is_ok());
        });
        Ok(Response::new(Box::pin(ReceiverStream::new(receiver))))
    }
}

fn named(worker: String) -> Result<String, Status> {
    if worker.is_empty() || worker.len() > LONGEST_NAME || worker.contains(char::is_control) {
        let rule = format!("a worker needs a printable name of 1 to {LONGEST_NAME} bytes");
        return Err(Status::invalid_argument(rule));
    }
    Ok(worker)
}

fn completion(completion: v1::Completion) -> Result<Completion, String> {
    use v1::completion::End;
    let end = match completion.end {
        Some(End::Record(document)) => {
            let record: RunRecord = document.read().map_err(|error| error.to_string())?;
            AttemptResult::Record(Box::new(StoredRecord::new(&record, document.json.into())))
        }
        Some(End::Crash(reason)) => AttemptResult::Crash(reason),
        Some(End::Returned(_)) => AttemptResult::Returned,
        None => return Err("a completion without an end".to_owned()),
    };
    Ok(Completion { run: completion.run, token: completion.token, end })
}

fn verdict(outcome: Result<Verdict, String>) -> v1::Verdict {
    use v1::verdict::Kind;
    let (kind, reason) = match outcome {
        Ok(Verdict::Accepted) => (Kind::Accepted, String::new()),
        Ok(Verdict::Repeated) => (Kind::Repeated, String::new()),
        Ok(Verdict::Superseded) => (Kind::Superseded, "the lease had ended".to_owned()),
        Err(reason) => (Kind::Refused, reason),
    };
    v1::Verdict { kind: kind.into(), reason }
}

/// Sends a project, or at last why not, until nobody listens.
fn send_project(
    projects: &Projects,
    wanted: Digest,
    mut send: impl FnMut(Result<v1::ProjectChunk, Status>) -> bool,
) {
    let streamed = projects
        .stream(wanted, |size, data| send(Ok(v1::ProjectChunk { size, data: data.into() })));
    if let Err(error) = streamed {
        send(Err(match error {
            StoreError::NoProject(_) => Status::not_found(error.to_string()),
            _ => Status::unavailable(error.to_string()),
        }));
    }
}
