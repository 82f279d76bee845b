//! The gRPC service for workers: decodes requests, passes them to the writer, encodes the replies.

use std::collections::BTreeSet;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use catherd_experiments::{Digest, Engines, RunRecord};
use catherd_proto::{DOCUMENT_VERSION, PROTOCOL, digest, v1};
use tokio::sync::mpsc;
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status};

use crate::auth::{Role, require_role};
use crate::lease_expiry::heartbeat_interval;
use crate::ledger::{Policy, Verdict};
use crate::progress::RunProgress;
use crate::projects::Projects;
use crate::store::{StoreError, StoredRecord};
use crate::writer::{self, AttemptResult, CommitResult, Completion, HeartbeatReply, WriterHandle};

/// Longest worker name in bytes.
const MAX_NAME_BYTES: usize = 200;

/// Time after which a worker without work requests leases again.
const IDLE_WAIT: Duration = Duration::from_millis(250);

/// Chunks of a project that are read ahead of a slow receiver.
const CHUNKS_READ_AHEAD: usize = 4;

/// The service; cheap to clone.
#[derive(Clone)]
pub(crate) struct WorkerService {
    pub(crate) writer: WriterHandle,
    pub(crate) projects: Projects,
    pub(crate) policy: Policy,
    /// Engine ids of the subject kinds of this program. A kind that is not listed is accepted with
    /// any engine.
    pub(crate) engines: Arc<Engines>,
    pub(crate) draining: Arc<AtomicBool>,
    /// Read projects on the calling thread, because there are no others (simulations).
    pub(crate) synchronous: bool,
}

type Reply<T> = Result<Response<T>, Status>;
type Streamed<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

#[tonic::async_trait]
impl v1::coordinator_server::Coordinator for WorkerService {
    async fn register(&self, request: Request<v1::RegisterRequest>) -> Reply<v1::RegisterReply> {
        require_role(&request, Role::Worker)?;
        let request = request.into_inner();
        let worker = checked_name(request.worker)?;
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
        let registered = self.writer.call(|reply| writer::Request::Register { worker, reply });
        registered.await?;
        Ok(Response::new(v1::RegisterReply {
            term_ms: self.policy.term.as_millis() as u64,
            heartbeat_ms: heartbeat_interval(self.policy.term).as_millis() as u64,
        }))
    }

    async fn lease(&self, request: Request<v1::LeaseRequest>) -> Reply<v1::LeaseReply> {
        require_role(&request, Role::Worker)?;
        let request = request.into_inner();
        let worker = checked_name(request.worker)?;
        let wait_ms = IDLE_WAIT.as_millis() as u64;
        if self.draining.load(Ordering::Relaxed) {
            return Ok(Response::new(v1::LeaseReply { wait_ms, ..Default::default() }));
        }
        let loaded = request.loaded.iter().map(|bytes| digest(bytes)).collect::<Result<_, _>>();
        let loaded = loaded.map_err(|error| Status::invalid_argument(error.to_string()))?;
        let held = request.held.into_iter().collect();
        let granted =
            self.writer.call(|reply| writer::Request::Lease { worker, loaded, held, reply });
        let writer::LeaseReply { leases, finished } = granted.await?;
        let leases = leases.into_iter().map(|(grant, spec)| v1::Lease {
            run: grant.run,
            attempt: grant.attempt,
            token: grant.token,
            spec: Some(v1::Document { version: DOCUMENT_VERSION, json: spec.into() }),
        });
        Ok(Response::new(v1::LeaseReply { leases: leases.collect(), wait_ms, finished }))
    }

    async fn heartbeat(&self, request: Request<v1::HeartbeatRequest>) -> Reply<v1::HeartbeatReply> {
        require_role(&request, Role::Worker)?;
        let request = request.into_inner();
        let worker = checked_name(request.worker)?;
        let held: BTreeSet<_> = request.held.iter().map(|held| held.token).collect();
        let progress = request.held.into_iter().filter_map(|held| {
            let v1::RunProgress { work, covered, goals } = held.progress?;
            let work = work.into_iter().collect();
            Some((held.token, RunProgress { work, covered, goals }))
        });
        let progress = progress.collect();
        let renewed =
            self.writer.call(|reply| writer::Request::Heartbeat { worker, held, progress, reply });
        let HeartbeatReply { dropped, drained } = renewed.await?;
        let drain = drained || self.draining.load(Ordering::Relaxed);
        Ok(Response::new(v1::HeartbeatReply { drop: dropped, drain }))
    }

    async fn commit(&self, request: Request<v1::CommitRequest>) -> Reply<v1::CommitReply> {
        require_role(&request, Role::Worker)?;
        let request = request.into_inner();
        let worker = checked_name(request.worker)?;
        // Decoding records takes longer than everything else in this file, so it is done here and
        // not on the writer's thread.
        let decoded: Vec<_> = request.completions.into_iter().map(decode_completion).collect();
        let (valid, errors): (Vec<_>, Vec<_>) = decoded
            .into_iter()
            .map(|decoded| match decoded {
                Ok(completion) => (Some(completion), None),
                Err(error) => (None, Some(error)),
            })
            .unzip();
        let completions = valid.into_iter().flatten().collect();
        let committed =
            self.writer.call(|reply| writer::Request::Commit { worker, completions, reply });
        let mut results = committed.await?.into_iter();
        let verdicts = errors.into_iter().filter_map(|error| match error {
            Some(error) => Some(encode_verdict(Err(error))),
            None => results.next().map(encode_verdict),
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
        if self.synchronous {
            let mut chunks = Vec::new();
            send_project(&projects, wanted, |chunk| {
                chunks.push(chunk);
                true
            });
            return Ok(Response::new(Box::pin(tokio_stream::iter(chunks))));
        }
        let (sender, receiver) = mpsc::channel(CHUNKS_READ_AHEAD);
        tokio::task::spawn_blocking(move || {
            send_project(&projects, wanted, |chunk| sender.blocking_send(chunk).is_ok());
        });
        Ok(Response::new(Box::pin(ReceiverStream::new(receiver))))
    }
}

fn checked_name(worker: String) -> Result<String, Status> {
    if worker.is_empty() || worker.len() > MAX_NAME_BYTES || worker.contains(char::is_control) {
        let rule = format!("a worker needs a printable name of 1 to {MAX_NAME_BYTES} bytes");
        return Err(Status::invalid_argument(rule));
    }
    Ok(worker)
}

fn decode_completion(completion: v1::Completion) -> Result<Completion, String> {
    use v1::completion::End;
    let result = match completion.end {
        Some(End::Record(document)) => {
            let record: RunRecord = document.read().map_err(|error| error.to_string())?;
            AttemptResult::Record(Box::new(StoredRecord::new(&record, document.json.into())))
        }
        Some(End::Crash(reason)) => AttemptResult::Crash(reason),
        Some(End::Returned(_)) => AttemptResult::Returned,
        None => return Err("the completion has no end".to_owned()),
    };
    Ok(Completion { run: completion.run, token: completion.token, result })
}

fn encode_verdict(result: CommitResult) -> v1::Verdict {
    use v1::verdict::Kind;
    let (kind, reason) = match result {
        Ok(Verdict::Accepted) => (Kind::Accepted, String::new()),
        Ok(Verdict::Repeated) => (Kind::Repeated, String::new()),
        Ok(Verdict::Superseded) => (Kind::Superseded, "the lease had ended".to_owned()),
        Err(reason) => (Kind::Refused, reason),
    };
    v1::Verdict { kind: kind.into(), reason }
}

/// Sends the chunks of a project until `send` returns false. An error is sent as the last item.
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
