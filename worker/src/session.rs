//! The async side of a worker. Everything that happens (a run ended, an answer came, a
//! timer rang) arrives as a [`Notice`]; each is noted, and then [`Session::advance`]
//! starts whatever can be started. At most one request of each kind is under way.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use catherd_experiments::{Digest, Engines, Provenance, RunRecord, RunSpec};
use catherd_proto::transport::MAX_MESSAGE;
use catherd_proto::{PROTOCOL, v1};
use prost::Message;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::Instant;
use tonic::Status;
use v1::completion::End;

use crate::cache::Cache;
use crate::calls::{Calls, is_refusal};
use crate::disk_cache::DiskCache;
use crate::executor::{self, Ended, Executor, Job, Window};
use crate::limits::Limits;
use crate::spool::Spool;
use crate::stage::Stage;
use crate::subject::MakeSubject;
use crate::will::Will;
use crate::worker::{Ending, WorkerError};

/// Most completions, and about the most bytes, in one commit.
const COMMIT: (usize, usize) = (512, 4 << 20);

/// Records of tiny runs are gathered this long: a sync and a request for each would cost as
/// much as the run. What a worker loses with its life is so much more work, and no result.
const GATHER: Duration = Duration::from_millis(50);

/// Room for what surrounds a record in its message.
const ENVELOPE: usize = 64 << 10;

/// With more unacknowledged records than this no run is leased.
const MOST_UNACKNOWLEDGED: usize = 4096;

mod delivery;
mod timers;

use delivery::{commit, completion_of, fetch, offer};
use timers::{listen, ring};

/// What ends a session early.
#[derive(Debug)]
pub(crate) enum Trouble {
    Start(io::Error),
    Spool(io::Error),
    Coordinator(Status),
}

impl Trouble {
    pub(crate) fn into_error(self, address: String, folder: PathBuf) -> WorkerError {
        match self {
            Trouble::Start(cause) => WorkerError::Start(cause),
            Trouble::Spool(cause) => WorkerError::Spool { folder, cause },
            Trouble::Coordinator(cause) => {
                WorkerError::Coordinator { address, cause: Box::new(cause) }
            }
        }
    }
}

impl From<Status> for Trouble {
    fn from(status: Status) -> Trouble {
        Trouble::Coordinator(status)
    }
}

enum Notice {
    Executed(u64, Ended),
    /// These leases are acknowledged.
    Committed(Result<Vec<u64>, Trouble>),
    Leased(Result<v1::LeaseReply, Status>),
    Fetched(Digest, Result<Arc<[u8]>, Status>),
    Beaten(Option<v1::HeartbeatReply>),
    BeatDue,
    LeaseDue,
    CommitDue,
    Terminate,
}

/// A run that waits for its turn.
struct Waiting {
    run: u32,
    attempt: u32,
    token: u64,
    spec: RunSpec,
}

pub(crate) struct Session {
    name: String,
    calls: Calls,
    spool: Spool,
    will: Will,
    provenance: Provenance,
    jobs: UnboundedSender<Job>,
    window: Arc<Window>,
    notices: UnboundedReceiver<Notice>,
    notify: UnboundedSender<Notice>,
    cache: Cache,
    disk_cache: Option<DiskCache>,

    waiting: VecDeque<Waiting>,
    /// Lease and number of the run that the executor has.
    running: Option<(u64, u32)>,
    /// Ended leases that no commit under way has, in the order in which they ended.
    outbox: VecDeque<v1::Completion>,
    /// Ended leases not acknowledged, and their runs.
    unacknowledged: BTreeMap<u64, u32>,

    committing: bool,
    /// When the last commit was started, and whether the next has a time.
    committed: Instant,
    gathering: bool,
    leasing: bool,
    fetching: bool,
    beating: bool,
    /// The coordinator had nothing; wait before asking again.
    resting: bool,
    /// Lease again when no more runs than this are waiting.
    low_water: usize,
    /// How long to wait for a run, and since when.
    idle: Option<Duration>,
    since: Instant,
    finished: bool,
    draining: bool,
    stopped: bool,
}

impl Session {
    /// Offers what an earlier process left in the spool, then registers: a registration
    /// takes back the leases of the earlier process. Without a stage it takes the signals
    /// of the process.
    #[expect(clippy::too_many_arguments, reason = "each is a part of its own")]
    pub(crate) async fn start(
        name: String,
        calls: Calls,
        spool: Spool,
        will: Will,
        disk_cache: Option<DiskCache>,
        provenance: Provenance,
        limits: Limits,
        idle: Option<Duration>,
        make: Box<MakeSubject>,
        engines: Engines,
        stage: Option<Stage>,
    ) -> Result<Session, Trouble> {
        for (path, request) in spool.left_behind().map_err(Trouble::Spool)? {
            commit(&calls, &request).await?;
            std::fs::remove_file(path).map_err(Trouble::Spool)?;
        }
        let registered = calls
            .ask(|mut client| {
                let request = v1::RegisterRequest {
                    worker: name.clone(),
                    protocol: PROTOCOL,
                    engines: engines.clone().into_iter().collect(),
                };
                async move { client.register(request).await }
            })
            .await?;

        let (notify, notices) = unbounded_channel();
        let beat = Duration::from_millis(registered.heartbeat_ms.max(50));
        ring(&notify, stage.as_ref().map_or(beat, |stage| stage.stretch(beat)));
        if stage.is_none() {
            listen(&notify).map_err(Trouble::Start)?;
        }
        let window = Arc::new(Window::default());
        let report = {
            let notify = notify.clone();
            move |token, ended| {
                // Nobody listens once the session has ended.
                let _ = notify.send(Notice::Executed(token, ended));
            }
        };
        let executor = Executor::new(make, engines, provenance.clone(), limits, window.clone());
        let jobs = executor::start(executor, stage, report).map_err(Trouble::Start)?;
        Ok(Session {
            name,
            calls,
            spool,
            will,
            provenance,
            jobs,
            window,
            notices,
            notify,
            cache: Cache::default(),
            disk_cache,
            waiting: VecDeque::new(),
            running: None,
            outbox: VecDeque::new(),
            unacknowledged: BTreeMap::new(),
            committing: false,
            committed: Instant::now(),
            gathering: false,
            leasing: false,
            fetching: false,
            beating: false,
            resting: false,
            low_water: 0,
            idle,
            since: Instant::now(),
            finished: false,
            draining: false,
            stopped: false,
        })
    }

    pub(crate) async fn run(mut self) -> Result<Ending, Trouble> {
        loop {
            if self.stopped {
                return Ok(Ending::Stopped);
            }
            self.advance();
            let idle = self.held().next().is_none() && !self.leasing;
            if idle && self.draining {
                return Ok(Ending::Drained);
            }
            if idle && self.finished {
                return Ok(Ending::Finished);
            }
            // The session holds a sender itself, so there is always a next notice.
            let Some(notice) = self.notices.recv().await else { return Ok(Ending::Stopped) };
            self.note(notice)?;
        }
    }

    /// Every lease this worker knows of.
    fn held(&self) -> impl Iterator<Item = u64> {
        let waiting = self.waiting.iter().map(|waiting| waiting.token);
        let running = self.running.iter().map(|(token, _)| *token);
        waiting.chain(running).chain(self.unacknowledged.keys().copied())
    }

    fn note(&mut self, notice: Notice) -> Result<(), Trouble> {
        match notice {
            Notice::Executed(token, ended) => {
                if let Some((running, run)) = self.running.take_if(|(running, _)| *running == token)
                {
                    if let Err(cause) = self.will.clear() {
                        tracing::warn!("cannot clear the will: {cause}");
                    }
                    self.end(run, running, completion_of(ended));
                }
            }
            Notice::Committed(acknowledged) => {
                self.committing = false;
                for token in acknowledged? {
                    self.unacknowledged.remove(&token);
                }
            }
            Notice::Leased(reply) => {
                self.leasing = false;
                self.take(reply?);
            }
            Notice::Fetched(digest, fetched) => {
                self.fetching = false;
                match fetched {
                    Ok(bytes) => self.cache.insert(digest, bytes),
                    // Only the runs on this project suffer, visibly.
                    Err(status) if is_refusal(&status) => self.abandon(digest, status.message()),
                    // No fault of theirs.
                    Err(status) => return Err(status.into()),
                }
            }
            Notice::Beaten(reply) => {
                self.beating = false;
                if let Some(reply) = reply {
                    self.drop_leases(&reply.drop);
                    if reply.drain {
                        self.drain();
                    }
                }
            }
            Notice::BeatDue => self.beat(),
            Notice::LeaseDue => self.resting = false,
            Notice::CommitDue => self.gathering = false,
            Notice::Terminate if self.draining => self.stopped = true,
            Notice::Terminate => self.drain(),
        }
        Ok(())
    }

    fn advance(&mut self) {
        self.execute();
        self.commit();
        self.lease();
    }

    /// Gives the next run to the executor, or fetches its project.
    fn execute(&mut self) {
        if self.running.is_some() || self.fetching {
            return;
        }
        let Some(next) = self.waiting.front() else { return };
        let digest = next.spec.project;
        let Some(project) = self.cache.get(digest) else {
            self.fetching = true;
            let calls = self.calls.clone();
            let cache = self.disk_cache.clone();
            self.start_call(
                async move { Notice::Fetched(digest, fetch(calls, cache, digest).await) },
            );
            return;
        };
        if let Some(Waiting { run, attempt, token, spec }) = self.waiting.pop_front() {
            self.running = Some((token, run));
            self.foresee(run, attempt, token, &spec);
            if self.jobs.send(Job { token, attempt, spec, project }).is_err() {
                self.running = None;
                self.end(run, token, End::Crash("the executor has ended".to_owned()));
            }
        }
    }

    /// Writes what is to be said of a run if its memory ends.
    fn foresee(&self, run: u32, attempt: u32, token: u64, spec: &RunSpec) {
        let reason = "it took more memory than its worker may have".to_owned();
        let provenance = Provenance { attempt, ..self.provenance.clone() };
        let record = RunRecord { provenance, ..executor::out_of_memory(spec, reason) };
        let end = Some(completion_of(Ended::Record(Box::new(record))));
        let completions = vec![v1::Completion { run, token, end }];
        let request = v1::CommitRequest { worker: self.name.clone(), completions };
        if let Err(cause) = self.will.write(&request) {
            // The run is then lost like any other.
            tracing::warn!("cannot write the will: {cause}");
        }
    }

    /// Spools and offers what has ended since the last commit.
    fn commit(&mut self) {
        if self.committing || self.gathering || self.outbox.is_empty() {
            return;
        }
        // With nothing to execute there is nothing to wait for.
        let early = GATHER.saturating_sub(self.committed.elapsed());
        if self.running.is_some() && !early.is_zero() && self.outbox.len() < COMMIT.0 {
            self.gathering = true;
            self.start_call(async move {
                tokio::time::sleep(early).await;
                Notice::CommitDue
            });
            return;
        }
        self.committed = Instant::now();
        let mut completions = Vec::new();
        let mut bytes = 0;
        while let Some(completion) = self.outbox.front() {
            bytes += completion.encoded_len();
            if completions.len() == COMMIT.0 || (bytes > COMMIT.1 && !completions.is_empty()) {
                break;
            }
            completions.extend(self.outbox.pop_front());
        }
        let request = v1::CommitRequest { worker: self.name.clone(), completions };
        self.committing = true;
        let (calls, spool) = (self.calls.clone(), self.spool.clone());
        self.start_call(async move { Notice::Committed(offer(calls, spool, request).await) });
    }

    fn lease(&mut self) {
        let enough = self.waiting.len() > self.low_water
            || (self.low_water == 0 && self.running.is_some())
            || self.unacknowledged.len() > MOST_UNACKNOWLEDGED;
        if self.leasing || self.resting || self.draining || self.finished || enough {
            return;
        }
        self.leasing = true;
        let request = v1::LeaseRequest {
            worker: self.name.clone(),
            loaded: self.cache.digests().map(|digest| digest.0.to_vec().into()).collect(),
            held: self.held().collect(),
        };
        let calls = self.calls.clone();
        self.start_call(async move {
            let ask = calls.ask(|mut client| {
                let request = request.clone();
                async move { client.lease(request).await }
            });
            Notice::Leased(ask.await)
        });
    }

    fn take(&mut self, reply: v1::LeaseReply) {
        self.finished = reply.finished;
        if !reply.leases.is_empty() || self.held().next().is_some() {
            self.since = Instant::now();
        } else if self.idle.is_some_and(|idle| self.since.elapsed() >= idle) {
            self.finished = true;
        }
        if reply.leases.is_empty() && !self.finished {
            self.resting = true;
            let pause = Duration::from_millis(reply.wait_ms.max(10));
            self.start_call(async move {
                tokio::time::sleep(pause).await;
                Notice::LeaseDue
            });
        }
        // Tiny runs: ask before the last one has ended. Long ones: never hoard.
        self.low_water = reply.leases.len() / 2;
        for v1::Lease { run, attempt, token, spec } in reply.leases {
            match spec.unwrap_or_default().read() {
                Ok(spec) => self.waiting.push_back(Waiting { run, attempt, token, spec }),
                Err(error) => self.end(run, token, End::Crash(error.to_string())),
            }
        }
        if self.draining {
            self.drain();
        }
    }

    fn beat(&mut self) {
        if self.beating {
            return;
        }
        self.beating = true;
        let running = self.running.map(|(token, _)| token);
        let live = self.window.live();
        let live = v1::RunProgress {
            executions: live.executions,
            steps: live.steps,
            covered: live.covered,
            goals: live.goals,
        };
        let held = self.held().map(|token| v1::HeldLease {
            token,
            progress: (running == Some(token)).then_some(live),
        });
        let request = v1::HeartbeatRequest { worker: self.name.clone(), held: held.collect() };
        let mut client = self.calls.client();
        self.start_call(async move {
            // Not repeated: the next one is due soon.
            let reply = client.heartbeat(request).await;
            Notice::Beaten(reply.map(tonic::Response::into_inner).ok())
        });
    }

    /// These leases have ended elsewhere. Ended runs are offered all the same: the
    /// answer may be that they were accepted.
    fn drop_leases(&mut self, dropped: &[u64]) {
        self.waiting.retain(|waiting| !dropped.contains(&waiting.token));
        if let Some((token, _)) = self.running
            && dropped.contains(&token)
        {
            self.window.stop(token);
        }
    }

    /// Hands back what has not begun, and takes no more.
    fn drain(&mut self) {
        self.draining = true;
        for Waiting { run, token, .. } in std::mem::take(&mut self.waiting) {
            self.end(run, token, End::Returned(v1::Returned {}));
        }
    }

    fn abandon(&mut self, project: Digest, reason: &str) {
        let (lost, others) = std::mem::take(&mut self.waiting)
            .into_iter()
            .partition(|waiting| waiting.spec.project == project);
        self.waiting = others;
        let lost: VecDeque<Waiting> = lost;
        for Waiting { run, token, .. } in lost {
            self.end(run, token, End::Crash(format!("cannot fetch the project: {reason}")));
        }
    }

    fn end(&mut self, run: u32, token: u64, end: End) {
        let mut completion = v1::Completion { run, token, end: Some(end) };
        let size = completion.encoded_len();
        if size > MAX_MESSAGE - ENVELOPE {
            let reason = format!("a record of {size} bytes, more than a message may have");
            completion.end = Some(End::Crash(reason));
        }
        self.unacknowledged.insert(token, run);
        self.outbox.push_back(completion);
    }

    fn start_call(&self, call: impl Future<Output = Notice> + Send + 'static) {
        let notify = self.notify.clone();
        tokio::spawn(async move {
            // Nobody listens once the session has ended.
            let _ = notify.send(call.await);
        });
    }
}
