//! The network side of a worker. Everything that happens arrives as an [`Event`]. After each event,
//! [`Session::advance`] starts everything that can be started.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use catherd_experiments::{Digest, Engines, Provenance};
use catherd_interface::Limits;
use catherd_proto::{OLDEST_PROTOCOL, PROTOCOL, v1};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::Instant;
use tonic::{Code, Status};
use v1::completion::End;

use crate::MakeRunner;
use crate::client::{FailoverClient, is_refusal};
use crate::crash_report::CrashReport;
use crate::disk_cache::DiskCache;
use crate::executor::{Executor, Job, JobControl, JobOutcome};
use crate::exit::{ExitReason, WorkerError};
use crate::project_cache::ProjectCache;
use crate::simulated_host::SimulatedHost;
use crate::spool::Spool;

mod committing;
mod delivery;
mod execution;
mod full_disk;
mod leasing;
mod timers;

use committing::Committing;
use delivery::{commit, completion_of};
use full_disk::FullDisk;
use leasing::{Leasing, Waiting};
use timers::{install_signal_handlers, spawn_heartbeat_timer};

#[derive(Debug)]
pub(crate) enum SessionError {
    Start(io::Error),
    Spool(io::Error),
    DiskFull(String),
    Coordinator(Status),
}

impl SessionError {
    pub(crate) fn into_worker_error(self, address: String, folder: PathBuf) -> WorkerError {
        match self {
            SessionError::Start(cause) => WorkerError::Start(cause),
            SessionError::Spool(cause) => WorkerError::Spool { folder, cause },
            SessionError::DiskFull(reason) => WorkerError::DiskFull(reason),
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
    /// The acknowledged leases.
    Committed(Result<Vec<u64>, SessionError>),
    Leased(Result<v1::LeaseReply, Status>),
    Fetched(Digest, Result<Arc<[u8]>, Status>),
    /// `None` if the request failed.
    HeartbeatReply(Option<v1::HeartbeatReply>),
    HeartbeatDue,
    LeaseDue,
    CommitDue,
    Terminate,
    /// The run that is being executed is returned.
    TimeIsUp,
    /// The run of this lease was cancelled, and should have ended by now.
    HandBack(u64),
}

pub(crate) struct SessionConfig {
    pub(crate) name: String,
    pub(crate) engines: Engines,
    pub(crate) provenance: Provenance,
    pub(crate) limits: Limits,
    /// Time without a run after which the worker exits.
    pub(crate) idle: Option<Duration>,
    pub(crate) disk_cache: Option<DiskCache>,
    /// Time after which the session fails if the disk for its runs remains full.
    pub(crate) space_timeout: Duration,
    /// The end of the worker's allocation.
    pub(crate) until: Option<Instant>,
    /// Time after the signal to end in which the current run may still end.
    pub(crate) grace: Option<Duration>,
}

/// A session never returns to an earlier phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    /// Leases runs.
    Working,
    /// Leases no more runs, because there are none.
    Finished,
    /// Leases no more runs, because the worker must end.
    Draining,
    /// Exits without waiting for the run that is being executed.
    Stopped,
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
    /// Lease and number of the run that is being executed.
    running: Option<(u64, u32)>,
    /// Completions that are not in a commit yet, in the order in which the leases ended.
    outbox: VecDeque<v1::Completion>,
    /// The leases that ended but are not acknowledged, with their runs.
    unacknowledged: BTreeMap<u64, u32>,

    phase: Phase,
    leasing: Leasing,
    committing: Committing,
    last_commit: Instant,
    fetching: bool,
    heartbeat_under_way: bool,
    /// Runs are requested only when at most this number of runs is waiting and, if the number is 0,
    /// no run is being executed.
    low_water: usize,
    /// The time of the last reply to a lease request at which the worker held or received a run.
    last_busy: Instant,
    full_disk: FullDisk,
}

impl Session {
    /// Before registering, commits the requests that an earlier process left in the spool, because
    /// registering ends the leases of that process.
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
                    oldest_protocol: OLDEST_PROTOCOL,
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
                // Sending fails only after the session has ended, when the event is not needed.
                let _ = sender.send(Event::Executed(token, outcome));
            }
        };
        let (engines, provenance) = (config.engines.clone(), config.provenance.clone());
        let executor = Executor::new(make, engines, provenance, config.limits, control.clone());
        let jobs = execution::start_executor(executor, simulated, on_outcome)
            .map_err(SessionError::Start)?;
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
            full_disk: FullDisk::default(),
        })
    }

    pub(crate) async fn run(mut self) -> Result<ExitReason, SessionError> {
        let until = self.config.until.map(|until| until - leasing::HAND_BACK_TIME);
        self.limit(until.map(|until| until.saturating_duration_since(Instant::now())));
        loop {
            if self.phase == Phase::Stopped {
                return Ok(ExitReason::Stopped);
            }
            self.advance();
            if self.held().next().is_none() && self.leasing != Leasing::Requested {
                if let Some(reason) = self.full_disk.given_up.take() {
                    return Err(SessionError::DiskFull(reason));
                }
                match self.phase {
                    Phase::Draining => return Ok(ExitReason::Drained),
                    Phase::Finished => return Ok(ExitReason::Finished),
                    Phase::Working | Phase::Stopped => {}
                }
            }
            // The session itself has a sender, so the channel is never closed.
            let Some(event) = self.events.recv().await else { return Ok(ExitReason::Stopped) };
            self.handle(event)?;
        }
    }

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
                    self.note_disk(&outcome);
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
                    // The coordinator cannot read this project, and leases no run on it until the
                    // project is stored again.
                    Err(status) if status.code() == Code::DataLoss => {
                        tracing::warn!("runs on a project are handed back: {}", status.message());
                        self.abandon(digest, &End::Returned(v1::Returned {}));
                    }
                    // The coordinator refuses this project. Runs on other projects continue.
                    Err(status) if is_refusal(&status) => {
                        let reason = format!("cannot fetch the project: {}", status.message());
                        self.abandon(digest, &End::Crash(reason));
                    }
                    // The coordinator could not be reached. The runs are not the cause, so they are
                    // not reported as crashed.
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
            Event::Terminate => {
                self.drain();
                self.limit(self.config.grace);
            }
            Event::TimeIsUp => self.hand_back(),
            Event::HandBack(token) => self.return_running(token),
        }
        Ok(())
    }

    /// Hands the current run back to the coordinator after this time.
    fn limit(&self, time: Option<Duration>) {
        if let Some(time) = time {
            self.spawn(async move {
                tokio::time::sleep(time).await;
                Event::TimeIsUp
            });
        }
    }

    fn advance(&mut self) {
        self.execute();
        self.commit();
        self.lease();
    }

    fn spawn(&self, task: impl Future<Output = Event> + Send + 'static) {
        let sender = self.sender.clone();
        tokio::spawn(async move {
            // Sending fails only after the session has ended, when the event is not needed.
            let _ = sender.send(task.await);
        });
    }
}
