//! One thread owns the ledger and the store. It takes all requests that have arrived,
//! steps the ledger through them, makes their effects durable in one transaction, and
//! only then answers them. While it waits for the disk the next group gathers, so the
//! number of fsyncs a second bounds no throughput.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use catherd_experiments::{Digest, Outcome};
use tokio::sync::{oneshot, watch};

use crate::clock::Clock;
use crate::ledger::{Effect, End, Event, Grant, Ledger, Policy, RunNumber, Token, Verdict};
use crate::progress::{Live, Meter, Progress};
use crate::queue::Queue;
use crate::store::{Change, Reader, Sealed, Store, StoreError};

/// Most requests in one transaction.
const GROUP: usize = 1024;

/// The ledger hears of passing time this often.
const TICK: Duration = Duration::from_millis(200);

/// A request to the desk, with the way back. A dropped sender means that the effects
/// could not be made durable: the request should be repeated.
pub(crate) enum Request {
    Register {
        worker: String,
        answer: oneshot::Sender<()>,
    },
    Lease {
        worker: String,
        loaded: BTreeSet<Digest>,
        held: BTreeSet<Token>,
        answer: LeaseAnswer,
    },
    Heartbeat {
        worker: String,
        held: BTreeSet<Token>,
        live: Vec<(Token, Live)>,
        answer: oneshot::Sender<Vec<Token>>,
    },
    Commit {
        worker: String,
        completions: Vec<Completion>,
        answer: oneshot::Sender<Vec<Outcomes>>,
    },
    /// The desk closes after the group that this request is in.
    Close,
}

type LeaseAnswer = oneshot::Sender<(Vec<(Grant, Vec<u8>)>, bool)>;

/// What becomes of a completion, or why it is none.
pub(crate) type Outcomes = Result<Verdict, String>;

/// The end of a lease as a worker tells it.
pub(crate) struct Completion {
    pub(crate) run: RunNumber,
    pub(crate) token: Token,
    pub(crate) end: Told,
}

/// How a worker says an attempt ended.
pub(crate) enum Told {
    Record(Box<Sealed>),
    Crash(String),
    Returned,
}

/// Sends the answer of a request whose effects are durable.
type Answer = Box<dyn FnOnce() + Send>;

pub(crate) struct Desk {
    store: Store,
    ledger: Ledger,
    meter: Meter,
    policy: Policy,
    clock: Arc<dyn Clock>,
    progress: watch::Sender<Progress>,
    database: PathBuf,
    /// The ledger is ahead of the store.
    stale: bool,
    /// Why the store refused, until it accepts something again.
    trouble: Option<String>,
    /// Held as long as anything may be written.
    _lock: File,
}

impl Desk {
    pub(crate) fn open(
        database: &Path,
        store: Store,
        policy: Policy,
        clock: Arc<dyn Clock>,
        lock: File,
    ) -> Result<Desk, StoreError> {
        let now = clock.now();
        let ledger = load(&store, policy, now)?;
        let (sum, count) = Reader::open(database)?.coverage()?;
        let mut meter = Meter::new(now, sum, count);
        let progress = watch::Sender::new(meter.snapshot(now, &ledger));
        let database = database.to_owned();
        Ok(Desk {
            store,
            ledger,
            meter,
            policy,
            clock,
            progress,
            database,
            stale: false,
            trouble: None,
            _lock: lock,
        })
    }

    pub(crate) fn watch(&self) -> watch::Receiver<Progress> {
        self.progress.subscribe()
    }

    /// Serves requests until it is closed.
    pub(crate) fn serve(mut self, requests: &Receiver<Request>) {
        let mut last_tick = Duration::ZERO;
        loop {
            let mut group = Vec::new();
            match requests.recv_timeout(TICK) {
                Ok(request) => group.push(request),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            group.extend(requests.try_iter().take(GROUP - group.len()));
            let closing = group.iter().any(|request| matches!(request, Request::Close));

            let now = self.clock.now();
            let tick = group.is_empty() || now.saturating_sub(last_tick) >= TICK;
            if tick {
                last_tick = now;
            }
            match self.take(now, group, tick) {
                Ok(answers) => answers.into_iter().for_each(|answer| answer()),
                Err(error) => {
                    tracing::error!("{error}");
                    self.stale = true;
                    self.trouble = Some(error.to_string());
                    let trouble = self.trouble.clone();
                    self.progress.send_modify(|progress| progress.trouble = trouble);
                    std::thread::sleep(TICK);
                }
            }
            if closing {
                return;
            }
        }
    }

    /// Takes a group of requests as far as the answers, which may leave.
    fn take(
        &mut self,
        now: Duration,
        group: Vec<Request>,
        tick: bool,
    ) -> Result<Vec<Answer>, StoreError> {
        if self.stale {
            self.reload(now)?;
        }
        let mut changes = Changes::default();
        let answers: Vec<_> = group
            .into_iter()
            .filter_map(|request| self.handle(now, request, &mut changes).transpose())
            .collect::<Result<_, _>>()?;
        if tick {
            let effects = self.ledger.step(now, Event::Tick);
            changes.note(&effects, None);
        }
        self.keep(changes)?;
        // Whoever is told that the study has ended must find it so.
        if tick || self.ledger.is_finished() {
            let trouble = self.trouble.clone();
            let snapshot = self.meter.snapshot(now, &self.ledger);
            self.progress.send_replace(Progress { trouble, ..snapshot });
        }
        Ok(answers)
    }

    /// The ledger is ahead of a store that refused, or that made the changes and failed
    /// to say so: the store is right. Nobody got an answer, so everybody asks again.
    fn reload(&mut self, now: Duration) -> Result<(), StoreError> {
        let ledger = load(&self.store, self.policy, now)?;
        let (sum, count) = Reader::open(&self.database)?.coverage()?;
        self.ledger = ledger;
        self.meter = Meter::new(now, sum, count);
        self.stale = false;
        Ok(())
    }

    fn handle(
        &mut self,
        now: Duration,
        request: Request,
        changes: &mut Changes,
    ) -> Result<Option<Answer>, StoreError> {
        let answer: Answer = match request {
            Request::Close => return Ok(None),
            Request::Register { worker, answer } => {
                let effects = self.ledger.step(now, Event::Register { worker: &worker });
                changes.note(&effects, None);
                say(answer, ())
            }
            Request::Heartbeat { worker, held, live, answer } => {
                self.meter.watched(live);
                let event = Event::Heartbeat { worker: &worker, held: &held };
                let effects = self.ledger.step(now, event);
                changes.note(&effects, None);
                let dropped = effects.iter().filter_map(|effect| match effect {
                    Effect::Drop(token) => Some(*token),
                    _ => None,
                });
                let dropped = dropped.collect();
                say(answer, dropped)
            }
            Request::Lease { worker, loaded, held, answer } => {
                let event = Event::Lease { worker: &worker, loaded: &loaded, held: &held };
                let effects = self.ledger.step(now, event);
                changes.note(&effects, None);
                let mut leases = Vec::new();
                for effect in effects {
                    if let Effect::Grant(grant) = effect {
                        leases.push((grant, self.store.spec(grant.run)?));
                    }
                }
                let finished = self.ledger.is_finished();
                say(answer, (leases, finished))
            }
            Request::Commit { worker, completions, answer } => {
                let outcomes: Result<Vec<_>, _> = completions
                    .into_iter()
                    .map(|completion| self.commit(now, &worker, completion, changes))
                    .collect();
                let outcomes = outcomes?;
                say(answer, outcomes)
            }
        };
        Ok(Some(answer))
    }

    fn commit(
        &mut self,
        now: Duration,
        worker: &str,
        Completion { run, token, end }: Completion,
        changes: &mut Changes,
    ) -> Result<Outcomes, StoreError> {
        let Some(id) = self.store.id(run)? else {
            return Ok(Err(format!("the study has no run {run}")));
        };
        let (end, payload) = match end {
            Told::Record(record) if record.run != id => {
                return Ok(Err(format!("run {run} is {id}, the record is of {}", record.run)));
            }
            Told::Record(record) => match record.outcome {
                Outcome::Done | Outcome::NoGoals => {
                    (End::Done(record.wall), Payload::Record(record))
                }
                Outcome::Failed => (End::Failed(record.wall), Payload::Record(record)),
                // Limits of the runner: another machine may be faster or larger.
                Outcome::TimedOut | Outcome::OutOfMemory => {
                    (End::Crashed, Payload::Reason(record.reason))
                }
            },
            Told::Crash(reason) => (End::Crashed, Payload::Reason(reason)),
            Told::Returned => (End::Returned, Payload::Reason(String::new())),
        };
        let effects = self.ledger.step(now, Event::Commit { run, token, end });
        if let (Payload::Record(record), true) = (&payload, effects.contains(&Effect::Accept(run)))
        {
            self.meter.accepted(now, record.coverage());
        }
        let verdict = effects.iter().find_map(|effect| match effect {
            Effect::Verdict(verdict) => Some(*verdict),
            _ => None,
        });
        changes.note(&effects, Some((worker, token, payload)));
        Ok(verdict.ok_or_else(|| format!("no verdict on run {run}")))
    }

    fn keep(&mut self, changes: Changes) -> Result<(), StoreError> {
        if changes.dirty.is_empty() && changes.others.is_empty() {
            return Ok(());
        }
        let mut all = changes.others;
        all.extend(changes.dirty.into_iter().filter_map(|number| {
            let run = *self.ledger.run(number)?;
            Some(Change::Run(number, run, self.ledger.holder(number).map(str::to_owned)))
        }));
        self.store.apply(&all)?;
        self.trouble = None;
        Ok(())
    }
}

/// An answer to be sent later; whoever asked may be gone by then.
fn say<T: Send + 'static>(to: oneshot::Sender<T>, value: T) -> Answer {
    Box::new(move || {
        let _ = to.send(value);
    })
}

/// What comes with a commit.
enum Payload {
    Record(Box<Sealed>),
    Reason(String),
}

/// The changes of a group. Runs are saved once, as they stand at its end.
#[derive(Default)]
struct Changes {
    dirty: BTreeSet<RunNumber>,
    others: Vec<Change>,
}

impl Changes {
    fn note(&mut self, effects: &[Effect], commit: Option<(&str, Token, Payload)>) {
        let mut commit = commit;
        for effect in effects {
            match effect {
                Effect::Save(run) => {
                    self.dirty.insert(*run);
                }
                Effect::Lost { run, attempt, worker } => self.others.push(Change::Breakdown {
                    run: *run,
                    attempt: *attempt,
                    worker: worker.clone(),
                    reason: format!("worker {worker} was lost"),
                }),
                Effect::Accept(run) => {
                    if let Some((_, token, Payload::Record(record))) = commit.take() {
                        self.others.push(Change::Record(*run, token, *record));
                    }
                }
                Effect::Supersede(run) => {
                    if let Some((_, token, Payload::Record(record))) = commit.take() {
                        self.others.push(Change::Superseded(*run, token, *record));
                    }
                }
                Effect::Crashed { run, attempt } => {
                    if let Some((worker, _, Payload::Reason(reason))) = commit.take() {
                        let (run, attempt, worker) = (*run, *attempt, worker.to_owned());
                        self.others.push(Change::Breakdown { run, attempt, worker, reason });
                    }
                }
                Effect::Grant(_) | Effect::Drop(_) | Effect::Verdict(_) => {}
            }
        }
    }
}

/// Loads the ledger from the store.
fn load(store: &Store, policy: Policy, now: Duration) -> Result<Ledger, StoreError> {
    let mut queue = Queue::default();
    let mut groups = BTreeMap::new();
    let mut runs = Vec::new();
    let mut holders = BTreeMap::new();
    store.runs(|saved| {
        let group = *groups
            .entry((saved.project, saved.label))
            .or_insert_with_key(|(project, _)| queue.add_group(*project));
        if let Some(wall) = saved.wall {
            queue.measure(group, wall);
        }
        let mut run = saved.run;
        run.group = group;
        if let Some(worker) = saved.worker {
            holders.insert(runs.len() as RunNumber, worker);
        }
        runs.push(run);
        Ok(())
    })?;
    Ok(Ledger::restore(policy, queue, runs, holders, now))
}
