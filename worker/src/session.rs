//! The network side of a worker. Everything that happens (a run ended, a reply arrived, a timer
//! expired) arrives as an [`Event`]. After each event [`Session::advance`] starts what can be
//! started. At most one request of each kind is under way.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use catherd_experiments::{Digest, Engines, Provenance, RunRecord, RunSpec};
use catherd_proto::transport::MAX_MESSAGE;
use catherd_proto::{PROTOCOL, v1};
use catherd_subject::Limits;
use prost::Message;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::Instant;
use tonic::Status;
use v1::completion::End;

use crate::MakeRunner;
use crate::client::{FailoverClient, is_refusal};
use crate::crash_report::CrashReport;
use crate::disk_cache::DiskCache;
use crate::executor::{self, Executor, Job, JobControl, JobOutcome};
use crate::project_cache::ProjectCache;
use crate::simulated_host::SimulatedHost;
use crate::spool::Spool;
use crate::worker::{ExitReason, WorkerError};

/// Most completions in one commit.
const COMMIT_COMPLETIONS: usize = 512;

/// Most bytes in one commit, exceeded by the last completion at most.
const COMMIT_BYTES: usize = 4 << 20;

/// Completions are gathered for this long, because a sync and a request for each tiny run would
/// cost as much as the run. If the worker dies, at most 50 ms of finished runs are executed again;
/// no accepted result is lost.
const GATHER_TIME: Duration = Duration::from_millis(50);

/// Bytes of a message beside the record in it.
const ENVELOPE: usize = 64 << 10;

/// With more unacknowledged records than this no run is leased.
const MOST_UNACKNOWLEDGED: usize = 4096;

mod delivery;
mod timers;

use delivery::{commit, completion_of, deliver, fetch};
use timers::{install_signal_handlers, spawn_heartbeat_timer};

/// Why a session ended early.
#[derive(Debug)]
pub(crate) enum SessionError {
    Start(io::Error),
    Spool(io::Error),
    Coordinator(Status),
}

impl SessionError {
    pub(crate) fn into_worker_error(self, address: String, folder: PathBuf) -> WorkerError {
        match self {
            SessionError::Start(cause) => WorkerError::Start(cause),
            SessionError::Spool(cause) => WorkerError::Spool { folder, cause },
            SessionError::Coordinator(cause) => {
                WorkerError::Coordinator { address, cause: Box::new(cause) }
            }
        }
    }
}

impl From<Status> for SessionError {
    fn from(status: Status) -> SessionError {
        SessionError::Coordinator(status)
    }
}

enum Event {
    Executed(u64, JobOutcome),
    /// These leases are acknowledged.
    Committed(Result<Vec<u64>, SessionError>),
    Leased(Result<v1::LeaseReply, Status>),
    Fetched(Digest, Result<Arc<[u8]>, Status>),
    /// `None` if the coordinator did not answer.
    HeartbeatReply(Option<v1::HeartbeatReply>),
    HeartbeatDue,
    LeaseDue,
    CommitDue,
    Terminate,
}

/// The settings of a session.
pub(crate) struct SessionConfig {
    /// The worker's name.
    pub(crate) name: String,
    /// Engine ids of the subject kinds that it executes.
    pub(crate) engines: Engines,
    /// The provenance of its records.
    pub(crate) provenance: Provenance,
    pub(crate) limits: Limits,
    /// Exit after this long without a run; `None` to wait for runs.
    pub(crate) idle: Option<Duration>,
    pub(crate) disk_cache: Option<DiskCache>,
}

/// A leased run that was not started yet.
struct Waiting {
    run: u32,
    attempt: u32,
    token: u64,
    spec: RunSpec,
}

/// The phases of a session. Each is final but for those below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Leases runs.
    Working,
    /// Leases none, because the coordinator or the idle time has ended the work.
    Finished,
    /// Leases none, because a signal or the coordinator asked for the end.
    Draining,
    /// Exits without waiting for the run in execution.
    Stopped,
}

/// The state of leasing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leasing {
    Idle,
    Requested,
    /// The coordinator had no run; the session waits before it asks again.
    BackingOff,
}

/// The state of commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Committing {
    Idle,
    /// Completions are gathered for the next commit.
    Gathering,
    Requested,
}

pub(crate) struct Session {
    config: SessionConfig,
    client: FailoverClient,
    spool: Spool,
    crash_report: CrashReport,
    jobs: UnboundedSender<Job>,
    control: Arc<JobControl>,
    events: UnboundedReceiver<Event>,
    sender: UnboundedSender<Event>,
    cache: ProjectCache,

    waiting: VecDeque<Waiting>,
    /// Lease and number of the run in execution.
    running: Option<(u64, u32)>,
    /// Completions that no commit under way contains, in the order in which the runs ended.
    outbox: VecDeque<v1::Completion>,
    /// Ended leases that are not acknowledged, with their runs.
    unacknowledged: BTreeMap<u64, u32>,

    phase: Phase,
    leasing: Leasing,
    committing: Committing,
    /// The start of the last commit.
    last_commit: Instant,
    fetching: bool,
    heartbeat_under_way: bool,
    /// Runs are leased when no more than this are waiting.
    low_water: usize,
    /// The last time at which the worker had a run.
    last_busy: Instant,
}

impl Session {
    /// Commits what an earlier process left in the spool, then registers; the coordinator thereupon
    /// ends the leases of the earlier process. Installs signal handlers unless the host is
    /// simulated.
    pub(crate) async fn start(
        config: SessionConfig,
        client: FailoverClient,
        spool: Spool,
        crash_report: CrashReport,
        make: Box<MakeRunner>,
        simulated: Option<SimulatedHost>,
    ) -> Result<Session, SessionError> {
        for (path, request) in spool.unsent().map_err(SessionError::Spool)? {
            commit(&client, &request).await?;
            std::fs::remove_file(path).map_err(SessionError::Spool)?;
        }
        let registered = client
            .call(|mut client| {
                let request = v1::RegisterRequest {
                    worker: config.name.clone(),
                    protocol: PROTOCOL,
                    engines: config.engines.clone().into_iter().collect(),
                };
                async move { client.register(request).await }
            })
            .await?;

        let (sender, events) = unbounded_channel();
        let interval = Duration::from_millis(registered.heartbeat_ms.max(50));
        let interval = simulated.as_ref().map_or(interval, |host| host.true_time(interval));
        spawn_heartbeat_timer(&sender, interval);
        if simulated.is_none() {
            install_signal_handlers(&sender).map_err(SessionError::Start)?;
        }
        let control = Arc::new(JobControl::default());
        let on_outcome = {
            let sender = sender.clone();
            move |token, outcome| {
                // Sending fails only after the session has ended; then the event is not needed.
                let _ = sender.send(Event::Executed(token, outcome));
            }
        };
        let (engines, provenance) = (config.engines.clone(), config.provenance.clone());
        let executor = Executor::new(make, engines, provenance, config.limits, control.clone());
        let jobs = executor::start(executor, simulated, on_outcome).map_err(SessionError::Start)?;
        Ok(Session {
            config,
            client,
            spool,
            crash_report,
            jobs,
            control,
            events,
            sender,
            cache: ProjectCache::default(),
            waiting: VecDeque::new(),
            running: None,
            outbox: VecDeque::new(),
            unacknowledged: BTreeMap::new(),
            phase: Phase::Working,
            leasing: Leasing::Idle,
            committing: Committing::Idle,
            last_commit: Instant::now(),
            fetching: false,
            heartbeat_under_way: false,
            low_water: 0,
            last_busy: Instant::now(),
        })
    }

    pub(crate) async fn run(mut self) -> Result<ExitReason, SessionError> {
        loop {
            if self.phase == Phase::Stopped {
                return Ok(ExitReason::Stopped);
            }
            self.advance();
            if self.held().next().is_none() && self.leasing != Leasing::Requested {
                match self.phase {
                    Phase::Draining => return Ok(ExitReason::Drained),
                    Phase::Finished => return Ok(ExitReason::Finished),
                    Phase::Working | Phase::Stopped => {}
                }
            }
            // The session holds a sender itself, so that the channel is never closed.
            let Some(event) = self.events.recv().await else { return Ok(ExitReason::Stopped) };
            self.handle(event)?;
        }
    }

    /// Tokens of all leases of this worker.
    fn held(&self) -> impl Iterator<Item = u64> {
        let waiting = self.waiting.iter().map(|waiting| waiting.token);
        let running = self.running.iter().map(|(token, _)| *token);
        waiting.chain(running).chain(self.unacknowledged.keys().copied())
    }

    fn handle(&mut self, event: Event) -> Result<(), SessionError> {
        match event {
            Event::Executed(token, outcome) => {
                if let Some((running, run)) = self.running.take_if(|(running, _)| *running == token)
                {
                    if let Err(cause) = self.crash_report.clear() {
                        tracing::warn!("cannot clear the crash report: {cause}");
                    }
                    self.end(run, running, completion_of(outcome));
                }
            }
            Event::Committed(acknowledged) => {
                self.committing = Committing::Idle;
                for token in acknowledged? {
                    self.unacknowledged.remove(&token);
                }
            }
            Event::Leased(reply) => {
                self.leasing = Leasing::Idle;
                self.accept_leases(reply?);
            }
            Event::Fetched(digest, fetched) => {
                self.fetching = false;
                match fetched {
                    Ok(bytes) => self.cache.insert(digest, bytes),
                    // The coordinator refuses this project: its runs crash, and others go on.
                    Err(status) if is_refusal(&status) => self.abandon(digest, status.message()),
                    // The coordinator could not be reached: end the session with an error. The
                    // runs are not to blame, so they are not reported as crashed.
                    Err(status) => return Err(status.into()),
                }
            }
            Event::HeartbeatReply(reply) => {
                self.heartbeat_under_way = false;
                if let Some(reply) = reply {
                    self.drop_leases(&reply.drop);
                    if reply.drain {
                        self.drain();
                    }
                }
            }
            Event::HeartbeatDue => self.send_heartbeat(),
            Event::LeaseDue => self.leasing = Leasing::Idle,
            Event::CommitDue => self.committing = Committing::Idle,
            Event::Terminate if self.phase == Phase::Draining => self.phase = Phase::Stopped,
            Event::Terminate => self.drain(),
        }
        Ok(())
    }

    fn advance(&mut self) {
        self.execute();
        self.commit();
        self.lease();
    }

    /// Passes the next run to the executor, or fetches its project.
    fn execute(&mut self) {
        if self.running.is_some() || self.fetching {
            return;
        }
        let Some(next) = self.waiting.front() else { return };
        let digest = next.spec.project;
        let Some(project) = self.cache.get(digest) else {
            self.fetching = true;
            let client = self.client.clone();
            let cache = self.config.disk_cache.clone();
            self.spawn(async move { Event::Fetched(digest, fetch(client, cache, digest).await) });
            return;
        };
        if let Some(Waiting { run, attempt, token, spec }) = self.waiting.pop_front() {
            self.running = Some((token, run));
            self.prepare_crash_report(run, attempt, token, &spec);
            if self.jobs.send(Job { token, attempt, spec, project }).is_err() {
                self.running = None;
                self.end(run, token, End::Crash("the executor has ended".to_owned()));
            }
        }
    }

    /// Writes the report for the case that the run exceeds the memory limit.
    fn prepare_crash_report(&self, run: u32, attempt: u32, token: u64, spec: &RunSpec) {
        let reason = "it took more memory than its worker may have".to_owned();
        let provenance = Provenance { attempt, ..self.config.provenance.clone() };
        let record = RunRecord { provenance, ..executor::out_of_memory(spec, reason) };
        let end = Some(completion_of(JobOutcome::Record(Box::new(record))));
        let completions = vec![v1::Completion { run, token, end }];
        let request = v1::CommitRequest { worker: self.config.name.clone(), completions };
        if let Err(cause) = self.crash_report.write(&request) {
            // Without a report an out-of-memory counts as the loss of the worker.
            tracing::warn!("cannot write the crash report: {cause}");
        }
    }

    /// Spools and commits the runs that have ended since the last commit.
    fn commit(&mut self) {
        if self.committing != Committing::Idle || self.outbox.is_empty() {
            return;
        }
        // Without a run in execution no further completion can be gathered.
        let left = GATHER_TIME.saturating_sub(self.last_commit.elapsed());
        if self.running.is_some() && !left.is_zero() && self.outbox.len() < COMMIT_COMPLETIONS {
            self.committing = Committing::Gathering;
            self.spawn(async move {
                tokio::time::sleep(left).await;
                Event::CommitDue
            });
            return;
        }
        self.last_commit = Instant::now();
        let mut completions = Vec::new();
        let mut bytes = 0;
        while let Some(completion) = self.outbox.front() {
            bytes += completion.encoded_len();
            let full = completions.len() == COMMIT_COMPLETIONS || bytes > COMMIT_BYTES;
            if full && !completions.is_empty() {
                break;
            }
            completions.extend(self.outbox.pop_front());
        }
        let request = v1::CommitRequest { worker: self.config.name.clone(), completions };
        self.committing = Committing::Requested;
        let (client, spool) = (self.client.clone(), self.spool.clone());
        self.spawn(async move { Event::Committed(deliver(client, spool, request).await) });
    }

    fn lease(&mut self) {
        let enough = self.waiting.len() > self.low_water
            || (self.low_water == 0 && self.running.is_some())
            || self.unacknowledged.len() > MOST_UNACKNOWLEDGED;
        if self.leasing != Leasing::Idle || self.phase != Phase::Working || enough {
            return;
        }
        self.leasing = Leasing::Requested;
        let request = v1::LeaseRequest {
            worker: self.config.name.clone(),
            loaded: self.cache.digests().map(|digest| digest.0.to_vec().into()).collect(),
            held: self.held().collect(),
        };
        let client = self.client.clone();
        self.spawn(async move {
            let reply = client.call(|mut client| {
                let request = request.clone();
                async move { client.lease(request).await }
            });
            Event::Leased(reply.await)
        });
    }

    fn accept_leases(&mut self, reply: v1::LeaseReply) {
        let mut finished = reply.finished;
        if !reply.leases.is_empty() || self.held().next().is_some() {
            self.last_busy = Instant::now();
        } else if self.config.idle.is_some_and(|idle| self.last_busy.elapsed() >= idle) {
            finished = true;
        }
        if finished && self.phase == Phase::Working {
            self.phase = Phase::Finished;
        }
        if reply.leases.is_empty() && !finished {
            self.leasing = Leasing::BackingOff;
            let pause = Duration::from_millis(reply.wait_ms.max(10));
            self.spawn(async move {
                tokio::time::sleep(pause).await;
                Event::LeaseDue
            });
        }
        // Batches of tiny runs are refilled at half, before the worker is idle. A single long run
        // gives 0, so that no run waits here while another worker is idle.
        self.low_water = reply.leases.len() / 2;
        for v1::Lease { run, attempt, token, spec } in reply.leases {
            match spec.unwrap_or_default().read() {
                Ok(spec) => self.waiting.push_back(Waiting { run, attempt, token, spec }),
                Err(error) => self.end(run, token, End::Crash(error.to_string())),
            }
        }
        if self.phase == Phase::Draining {
            self.drain();
        }
    }

    fn send_heartbeat(&mut self) {
        if self.heartbeat_under_way {
            return;
        }
        self.heartbeat_under_way = true;
        let running = self.running.map(|(token, _)| token);
        let progress = self.control.progress();
        let progress = v1::RunProgress {
            work: progress.work.into_iter().collect(),
            covered: progress.covered,
            goals: progress.goals,
        };
        let held = self.held().map(|token| v1::HeldLease {
            token,
            progress: (running == Some(token)).then(|| progress.clone()),
        });
        let request =
            v1::HeartbeatRequest { worker: self.config.name.clone(), held: held.collect() };
        let mut client = self.client.leader();
        self.spawn(async move {
            // Not repeated, because the next heartbeat is due soon.
            let reply = client.heartbeat(request).await;
            Event::HeartbeatReply(reply.map(tonic::Response::into_inner).ok())
        });
    }

    /// Drops leases that the coordinator has ended. Runs that are executed already are committed
    /// all the same, because the coordinator may have accepted them.
    fn drop_leases(&mut self, dropped: &[u64]) {
        self.waiting.retain(|waiting| !dropped.contains(&waiting.token));
        if let Some((token, _)) = self.running
            && dropped.contains(&token)
        {
            self.control.cancel(token);
        }
    }

    /// Returns the leases of runs that were not started, and leases no more.
    fn drain(&mut self) {
        self.phase = Phase::Draining;
        for Waiting { run, token, .. } in std::mem::take(&mut self.waiting) {
            self.end(run, token, End::Returned(v1::Returned {}));
        }
    }

    /// Ends the runs on a project that the coordinator does not give out.
    fn abandon(&mut self, project: Digest, reason: &str) {
        let waiting = std::mem::take(&mut self.waiting).into_iter();
        let (affected, others): (Vec<_>, _) =
            waiting.partition(|waiting| waiting.spec.project == project);
        self.waiting = others.into();
        for Waiting { run, token, .. } in affected {
            self.end(run, token, End::Crash(format!("cannot fetch the project: {reason}")));
        }
    }

    /// Ends a lease: puts its completion into the outbox.
    fn end(&mut self, run: u32, token: u64, end: End) {
        let mut completion = v1::Completion { run, token, end: Some(end) };
        let size = completion.encoded_len();
        if size > MAX_MESSAGE - ENVELOPE {
            let reason =
                format!("the record has {size} bytes; a message has at most {MAX_MESSAGE}");
            completion.end = Some(End::Crash(reason));
        }
        self.unacknowledged.insert(token, run);
        self.outbox.push_back(completion);
    }

    /// Starts a task whose result is an event.
    fn spawn(&self, task: impl Future<Output = Event> + Send + 'static) {
        let sender = self.sender.clone();
        tokio::spawn(async move {
            // Sending fails only after the session has ended; then the event is not needed.
            let _ = sender.send(task.await);
        });
    }
}
