//! The gRPC service for workers.

use std::collections::{BTreeSet, HashMap};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use catherd_experiments::text::{is_printable, truncated};
use catherd_experiments::{Digest, Engines, RunRecord};
use catherd_proto::{DOCUMENT_VERSION, OLDEST_PROTOCOL, PROTOCOL, digest, v1};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status};

use crate::auth::{Role, require_role};
use crate::clock::Clock;
use crate::ids::{RunNumber, Token};
use crate::lease_expiry::heartbeat_interval;
use crate::ledger::{Policy, Verdict};
use crate::metrics::{Latencies, Timed};
use crate::progress::RunProgress;
use crate::projects::Projects;
use crate::rate_limit::{Rate, RateLimit};
use crate::store::{StoreError, StoredRecord};
use crate::traces::{Ending, Traces};
use crate::writer::{
    self, AttemptResult, CommitResult, Completion, HeartbeatReply, LeaseRequest, WriterHandle,
};

const MAX_NAME_BYTES: usize = 200;

/// Time after which a worker without runs requests leases again.
const IDLE_WAIT: Duration = Duration::from_millis(250);

/// Maximum length of the reason for a crash, in bytes.
const MAX_REASON_BYTES: usize = 4 << 10;

/// Maximum number of leases in a request. A worker requests no runs while more than 4096 of its
/// results are not acknowledged.
const MAX_LEASES: usize = 1 << 13;

const MAX_LOADED: usize = 1 << 16;

/// Workers send at most 512 completions in a commit.
const MAX_COMPLETIONS: usize = 1024;

/// Maximum number of subject kinds of a worker, and of units of work of a run.
const MAX_NAMES: usize = 64;

/// At the minimum term of one second, a worker sends five heartbeats per second.
pub(crate) const HEARTBEATS: Rate = Rate { burst: 200, per_second: 20 };

/// Workers send at most 512 completions in a commit.
pub(crate) const CRASHES: Rate = Rate { burst: 1024, per_second: 50 };

const CHUNKS_READ_AHEAD: usize = 4;

#[derive(Clone)]
pub(crate) struct WorkerService {
    pub(crate) writer: WriterHandle,
    pub(crate) projects: Projects,
    pub(crate) policy: Policy,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) heartbeats: Arc<RateLimit>,
    pub(crate) crashes: Arc<RateLimit>,
    pub(crate) draining: Arc<AtomicBool>,
    pub(crate) latencies: Arc<Latencies>,
    pub(crate) traces: Option<Arc<Traces>>,
    /// Whether to work only on the calling thread. Simulations have no other threads.
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
        let oldest = match request.oldest_protocol {
            0 => request.protocol,
            oldest => oldest,
        };
        if request.protocol < OLDEST_PROTOCOL || oldest > PROTOCOL {
            return Err(Status::failed_precondition(format!(
                "worker {worker} has protocol {}, but this coordinator supports \
                 {OLDEST_PROTOCOL} to {PROTOCOL}; use the same catherd for both",
                request.protocol,
            )));
        }
        checked_engines(&worker, request.engines)?;
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
        let engines = checked_engines(&worker, request.engines)?;
        checked_length("loaded projects", request.loaded.len(), MAX_LOADED)?;
        checked_length("leases", request.held.len(), MAX_LEASES)?;
        let loaded = request.loaded.iter().map(|bytes| digest(bytes)).collect::<Result<_, _>>();
        let loaded = loaded.map_err(|error| Status::invalid_argument(error.to_string()))?;
        let held = request.held.into_iter().collect();
        let host = request.host;
        if host.len() > MAX_NAME_BYTES || !host.chars().all(is_printable) {
            let rule = format!("a host has a printable name of at most {MAX_NAME_BYTES} bytes");
            return Err(Status::invalid_argument(rule));
        }
        let remaining = request.remaining_ms.map(Duration::from_millis);
        let lease = LeaseRequest { engines, loaded, held, host, remaining };
        let name = worker.clone();
        let granted = self.writer.call(|reply| writer::Request::Lease { worker, lease, reply });
        let start = Instant::now();
        let writer::LeaseReply { leases, finished } = granted.await?;
        self.latencies.add(Timed::Lease, start.elapsed());
        if let Some(traces) = &self.traces {
            let now = SystemTime::now();
            for (grant, spec) in &leases {
                traces.note_lease(&name, *grant, spec, now);
            }
        }
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
        self.limit_rate(&self.heartbeats, &worker, 1)?;
        checked_length("leases", request.held.len(), MAX_LEASES)?;
        let held: BTreeSet<_> = request.held.iter().map(|held| held.token).collect();
        let progress = request
            .held
            .into_iter()
            .filter_map(|held| Some((held.token, checked_progress(held.progress?)?)));
        let progress = progress.collect();
        let renewed =
            self.writer.call(|reply| writer::Request::Heartbeat { worker, held, progress, reply });
        let start = Instant::now();
        let HeartbeatReply { dropped, drained } = renewed.await?;
        self.latencies.add(Timed::Heartbeat, start.elapsed());
        let drain = drained || self.draining.load(Ordering::Relaxed);
        Ok(Response::new(v1::HeartbeatReply { drop: dropped, drain }))
    }

    async fn commit(&self, request: Request<v1::CommitRequest>) -> Reply<v1::CommitReply> {
        require_role(&request, Role::Worker)?;
        let request = request.into_inner();
        let worker = checked_name(request.worker)?;
        checked_length("completions", request.completions.len(), MAX_COMPLETIONS)?;
        let crashed = request.completions.iter().filter(|completion| is_crash(completion)).count();
        self.limit_rate(&self.crashes, &worker, crashed)?;
        // Decoding records takes longer than everything else in this file, so it is done neither on
        // the writer's thread nor on one that serves heartbeats.
        let completions = request.completions;
        let decode = || completions.into_iter().map(decode_completion).collect();
        let decoded: Vec<_> = match self.synchronous {
            true => decode(),
            false => tokio::task::spawn_blocking(decode)
                .await
                .map_err(|panic| Status::internal(panic.to_string()))?,
        };
        let (valid, errors): (Vec<_>, Vec<_>) = decoded
            .into_iter()
            .map(|decoded| match decoded {
                Ok(completion) => (Some(completion), None),
                Err(error) => (None, Some(error)),
            })
            .unzip();
        let completions: Vec<Completion> = valid.into_iter().flatten().collect();
        let ended = self.traces.as_ref().map(|_| (SystemTime::now(), endings(&completions)));
        let committed =
            self.writer.call(|reply| writer::Request::Commit { worker, completions, reply });
        let start = Instant::now();
        let results = committed.await?;
        if let (Some(traces), Some((arrived, endings))) = (&self.traces, ended) {
            let durable = SystemTime::now();
            for ((run, token, ending), result) in endings.into_iter().zip(&results) {
                if matches!(result, Ok(Verdict::Accepted)) {
                    traces.note_end(run, token, ending, arrived, durable);
                }
            }
        }
        let mut results = results.into_iter();
        self.latencies.add(Timed::Commit, start.elapsed());
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

impl WorkerService {
    fn limit_rate(&self, limit: &RateLimit, worker: &str, requests: usize) -> Result<(), Status> {
        if requests == 0 || limit.permits(self.clock.now(), worker, requests) {
            return Ok(());
        }
        let rule = format!("worker {worker} sends too many heartbeats or crashes; retry later");
        Err(Status::resource_exhausted(rule))
    }
}

fn endings(completions: &[Completion]) -> Vec<(RunNumber, Token, Ending)> {
    let ending = |result: &AttemptResult| match result {
        AttemptResult::Record(_) => Ending::Record,
        AttemptResult::Crash(reason) | AttemptResult::Unacceptable(reason) => {
            Ending::Without(reason.clone())
        }
        AttemptResult::Returned => Ending::Without("handed back".to_owned()),
    };
    completions.iter().map(|end| (end.run, end.token, ending(&end.result))).collect()
}

/// A worker that names no engines would wait for runs forever.
fn checked_engines(worker: &str, engines: HashMap<String, String>) -> Result<Engines, Status> {
    if engines.is_empty() {
        return Err(Status::failed_precondition(format!(
            "worker {worker} names no subject kind that it executes, like workers of catherd up to \
             0.3.0; use the same catherd for both"
        )));
    }
    let is_valid_name = |name: &str| name.len() <= MAX_NAME_BYTES && name.chars().all(is_printable);
    if engines.len() > MAX_NAMES
        || !engines.iter().all(|(kind, engine)| is_valid_name(kind) && is_valid_name(engine))
    {
        let rule = format!(
            "a worker has at most {MAX_NAMES} subject kinds, with printable names of at most \
             {MAX_NAME_BYTES} bytes"
        );
        return Err(Status::invalid_argument(rule));
    }
    Ok(engines.into_iter().collect())
}

fn checked_length(list: &str, entries: usize, most: usize) -> Result<(), Status> {
    if entries <= most {
        return Ok(());
    }
    Err(Status::invalid_argument(format!("{entries} {list}; a request has at most {most}")))
}

/// A request with implausible progress is not refused, because progress is only displayed.
fn checked_progress(
    v1::RunProgress { work, covered, goals }: v1::RunProgress,
) -> Option<RunProgress> {
    let is_valid_name =
        |unit: &String| unit.len() <= MAX_NAME_BYTES && unit.chars().all(is_printable);
    let is_valid = covered <= goals && work.len() <= MAX_NAMES && work.keys().all(is_valid_name);
    is_valid.then(|| RunProgress { work: work.into_iter().collect(), covered, goals })
}

fn is_crash(completion: &v1::Completion) -> bool {
    matches!(completion.end, Some(v1::completion::End::Crash(_)))
}

pub(crate) fn checked_name(worker: String) -> Result<String, Status> {
    if worker.is_empty() || worker.len() > MAX_NAME_BYTES || !worker.chars().all(is_printable) {
        let rule = format!(
            "the name of a worker or host must be printable and have 1 to {MAX_NAME_BYTES} bytes"
        );
        return Err(Status::invalid_argument(rule));
    }
    Ok(worker)
}

fn decode_completion(completion: v1::Completion) -> Result<Completion, String> {
    use v1::completion::End;
    let result = match completion.end {
        Some(End::Record(document)) => decode_record(document),
        Some(End::Crash(reason)) => {
            AttemptResult::Crash(truncated(&reason, MAX_REASON_BYTES).into_owned())
        }
        Some(End::Returned(_)) => AttemptResult::Returned,
        None => return Err("the completion has no end".to_owned()),
    };
    Ok(Completion { run: completion.run, token: completion.token, result })
}

fn decode_record(document: v1::Document) -> AttemptResult {
    let record: RunRecord = match document.read() {
        Ok(record) => record,
        Err(error) => return unacceptable(&error),
    };
    match record.check_bounds() {
        Ok(()) => AttemptResult::Record(Box::new(StoredRecord::new(&record, document.json.into()))),
        Err(error) => unacceptable(&error),
    }
}

fn unacceptable(error: &dyn std::error::Error) -> AttemptResult {
    AttemptResult::Unacceptable(truncated(&error.to_string(), MAX_REASON_BYTES).into_owned())
}

fn encode_verdict(result: CommitResult) -> v1::Verdict {
    use v1::verdict::Kind;
    let (kind, reason) = match result {
        Ok(Verdict::Accepted) => (Kind::Accepted, String::new()),
        Ok(Verdict::Repeated) => (Kind::Repeated, String::new()),
        Ok(Verdict::OtherHolder) => (Kind::Refused, "another worker holds the lease".to_owned()),
        Ok(Verdict::Superseded) => (Kind::Superseded, "the lease had ended".to_owned()),
        Err(reason) => (Kind::Refused, reason),
    };
    v1::Verdict { kind: kind.into(), reason }
}

/// An error is sent as the last item.
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
            // The worker returns the run, which then waits until the project is stored again.
            _ if error.is_damage() => Status::data_loss(error.to_string()),
            _ => Status::unavailable(error.to_string()),
        }));
    }
}
