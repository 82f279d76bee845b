//! One thread owns the ledger and the store. It takes all requests that have arrived,
//! steps the ledger through them, makes their effects durable in one transaction, and
//! only then answers them. While it waits for the disk the next group gathers, so the
//! number of fsyncs a second bounds no throughput.

use std::collections::{BTreeSet, VecDeque};
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use catherd_experiments::{Outcome, Plan};
use tokio::sync::{oneshot, watch};

use crate::clock::Clock;
use crate::ledger::{Effect, End, Event, Ledger, Policy, RunNumber, Token};
use crate::progress::{Meter, Planned, Progress};
use crate::store::{
    Breakdown, Change, Place, Planning, RunId, Sealed, Store, StoreError, StudyNumber, Witness,
};

mod load;
mod request;
#[cfg(test)]
mod tests;

use load::load;
pub(crate) use request::{Completion, Outcomes, Request, Told};

/// Most requests in one transaction.
const GROUP: usize = 1024;

/// The ledger hears of passing time this often.
const TICK: Duration = Duration::from_millis(200);

/// Sends the answer of a request whose effects are durable.
type Answer = Box<dyn FnOnce() + Send>;

/// Which studies a desk serves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// All active ones.
    All,
    /// This one.
    Only(String),
}

/// What a desk serves, and by which rules.
pub(crate) struct Charge {
    pub(crate) place: Place,
    /// Where older versions kept projects.
    pub(crate) archives: PathBuf,
    pub(crate) scope: Scope,
    pub(crate) policy: Policy,
    pub(crate) witness: Option<Arc<dyn Witness>>,
}

/// See the module's page. [`crate::Coordinator::by_hand`] gives it to its caller.
pub struct Desk {
    requests: Receiver<Request>,
    charge: Charge,
    clock: Arc<dyn Clock>,
    last_tick: Duration,
    progress: watch::Sender<Progress>,
    /// None while another coordinator leads the store or it cannot be reached.
    seat: Option<Seat>,
    /// Why there is no seat, until there is one and the store accepts something.
    trouble: Option<String>,
    /// Held as long as anything may be written.
    _lock: Option<File>,
}

/// The store, and what is known of it.
struct Seat {
    store: Store,
    ledger: Ledger,
    meter: Meter,
    /// The algorithms of the queue's groups.
    labels: Vec<String>,
    /// Studies may be added.
    standing: bool,
    /// Studies that are being planned, the first one now, and who waits for them.
    plannings: VecDeque<(Planning, Vec<oneshot::Sender<StudyNumber>>)>,
    /// The store refused. It may have made the changes and failed to say so, and it is
    /// right: the ledger has to be loaded again. Nobody got an answer, so everybody asks
    /// again.
    stale: bool,
}

impl Seat {
    fn take(charge: &Charge, mut store: Store, now: Duration) -> Result<Seat, StoreError> {
        store.adopt(&charge.archives)?;
        let mut store = store.watched(charge.witness.clone());
        let (ledger, meter, labels) = load(&mut store, charge, now)?;
        let (standing, plannings) = (charge.scope == Scope::All, VecDeque::new());
        Ok(Seat { store, ledger, meter, labels, standing, plannings, stale: false })
    }
}

impl Desk {
    /// Opens a desk on a store, and the way to it. Where another coordinator leads the store,
    /// it stands by if it may.
    pub(crate) fn open(
        charge: Charge,
        store: Result<Store, StoreError>,
        clock: Arc<dyn Clock>,
        lock: Option<File>,
        stand_by: bool,
    ) -> Result<(Desk, Sender<Request>), StoreError> {
        let now = clock.now();
        let (sender, requests) = mpsc::channel();
        let mut desk = Desk {
            requests,
            charge,
            clock,
            last_tick: Duration::ZERO,
            progress: watch::Sender::default(),
            seat: None,
            trouble: None,
            _lock: lock,
        };
        match store.and_then(|store| Seat::take(&desk.charge, store, now)) {
            Ok(seat) => {
                desk.seat = Some(seat);
                desk.show(now);
            }
            Err(StoreError::Led) if stand_by => desk.note(&StoreError::Led),
            Err(error) => return Err(error),
        }
        Ok((desk, sender))
    }

    pub(crate) fn watch(&self) -> watch::Receiver<Progress> {
        self.progress.subscribe()
    }

    /// Serves requests until it is closed.
    pub(crate) fn serve(mut self) {
        loop {
            let mut group = Vec::new();
            // Planning goes on whenever nobody asks for anything else, and beside all that.
            match self.requests.recv_timeout(if self.plans() { Duration::ZERO } else { TICK }) {
                Ok(request) => group.push(request),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            group.extend(self.requests.try_iter().take(GROUP - group.len()));
            let closing = group.iter().any(|request| matches!(request, Request::Close));
            if !self.answer(group) {
                std::thread::sleep(TICK);
            }
            if closing {
                return;
            }
        }
    }

    /// Serves the requests that have arrived, without waiting for any. False if the store
    /// refused: nobody got an answer then.
    pub fn turn(&mut self) -> bool {
        let group = self.requests.try_iter().take(GROUP).collect();
        self.answer(group)
    }

    /// Whether a study is being planned.
    fn plans(&self) -> bool {
        self.seat.as_ref().is_some_and(|seat| !seat.plannings.is_empty())
    }

    fn answer(&mut self, group: Vec<Request>) -> bool {
        let now = self.clock.now();
        let tick = group.is_empty() && !self.plans() || now.saturating_sub(self.last_tick) >= TICK;
        if tick {
            self.last_tick = now;
        }
        match self.take(now, group, tick) {
            Ok(answers) => {
                answers.into_iter().for_each(|answer| answer());
                true
            }
            Err(error) => {
                self.note(&error);
                false
            }
        }
    }

    /// Notes that the store refused. The seat is kept as long as the connection lives: the
    /// session that led goes on leading.
    fn note(&mut self, error: &StoreError) {
        let trouble = error.to_string();
        if self.trouble.as_ref() != Some(&trouble) {
            tracing::error!("{trouble}");
        }
        self.seat.take_if(|seat| !seat.store.is_alive());
        if let Some(seat) = &mut self.seat {
            seat.stale = true;
        }
        self.trouble = Some(trouble);
        let trouble = self.trouble.clone();
        self.progress.send_modify(|progress| progress.trouble = trouble);
    }

    /// Takes a group of requests as far as the answers, which may leave.
    fn take(
        &mut self,
        now: Duration,
        group: Vec<Request>,
        tick: bool,
    ) -> Result<Vec<Answer>, StoreError> {
        let seat = match &mut self.seat {
            Some(seat) => seat,
            none => {
                let store = Store::succeed(&self.charge.place, self.charge.policy.term)?;
                let seat = Seat::take(&self.charge, store, now)?;
                tracing::info!("leading the store from now on");
                // Other troubles end when the store has accepted something.
                self.trouble.take_if(|trouble| *trouble == StoreError::Led.to_string());
                none.insert(seat)
            }
        };
        if seat.stale {
            seat.reload(&self.charge, now)?;
        }
        let mut changes = Changes::default();
        let mut answers = Vec::new();
        let mut replanned = false;
        for request in group {
            match request {
                Request::Plan { plan, answer } => answers.extend(seat.begin(*plan, answer)?),
                Request::SetState { name, state, answer } => {
                    replanned = true;
                    seat.keep(std::mem::take(&mut changes))?;
                    tracing::info!(study = name, state = state.name(), "a study was changed");
                    let known = match seat.store.set_state(&name, state) {
                        Ok(()) => true,
                        Err(StoreError::NoStudy(_)) => false,
                        Err(error) => return Err(error),
                    };
                    answers.push(say(answer, known));
                    seat.reload(&self.charge, now)?;
                }
                other => answers.extend(seat.handle(now, other, &mut changes)?),
            }
        }
        if tick {
            let effects = seat.ledger.step(now, Event::Tick);
            changes.note(&effects, None);
        }
        if seat.keep(changes)? {
            self.trouble = None;
        } else if tick {
            seat.store.renew()?;
        }
        if let Some(planned) = seat.plan_on()? {
            self.trouble = None;
            replanned = true;
            answers.extend(planned);
            seat.reload(&self.charge, now)?;
        }
        // Whoever is told of a change, or that a study has ended, must find it so.
        if tick || replanned || seat.ledger.is_finished() {
            self.show(now);
        }
        Ok(answers)
    }

    fn show(&mut self, now: Duration) {
        if let Some(seat) = &mut self.seat {
            let trouble = self.trouble.clone();
            let snapshot = seat.meter.snapshot(now, &seat.ledger);
            let planning = seat.plannings.iter().map(|(planning, _)| {
                let (runs, of) = planning.progress();
                Planned { study: planning.name().to_owned(), runs, of }
            });
            let planning = planning.collect();
            self.progress.send_replace(Progress { trouble, planning, ..snapshot });
        }
    }
}

impl Seat {
    /// Loads what the store says.
    fn reload(&mut self, charge: &Charge, now: Duration) -> Result<(), StoreError> {
        let (ledger, meter, labels) = load(&mut self.store, charge, now)?;
        (self.ledger, self.labels) = (ledger, labels);
        self.meter = meter.after(std::mem::take(&mut self.meter));
        self.stale = false;
        Ok(())
    }

    /// Begins to plan, unless all is as the plan says: whoever asks again while a large study
    /// is being loaded must not have it loaded again.
    fn begin(
        &mut self,
        plan: Plan,
        answer: oneshot::Sender<StudyNumber>,
    ) -> Result<Option<Answer>, StoreError> {
        if let Some(study) = self.store.active(&plan)? {
            return Ok(Some(say(answer, study)));
        }
        match self.plannings.iter_mut().find(|(planning, _)| planning.is_of(&plan)) {
            Some((_, waiting)) => waiting.push(answer),
            None => self.plannings.push_back((self.store.begin(plan)?, vec![answer])),
        }
        Ok(None)
    }

    /// Plans a page more; the answers to those who wait for a study that is whole.
    fn plan_on(&mut self) -> Result<Option<Vec<Answer>>, StoreError> {
        let Some((planning, _)) = self.plannings.front_mut() else { return Ok(None) };
        let Some(study) = self.store.plan_on(planning)? else { return Ok(None) };
        let planned = self.plannings.pop_front();
        Ok(planned.map(|(planning, waiting)| {
            let (runs, study_name) = (planning.progress().1, planning.name());
            tracing::info!(study = study_name, runs, "a study was planned");
            waiting.into_iter().map(|answer| say(answer, study)).collect()
        }))
    }

    fn handle(
        &mut self,
        now: Duration,
        request: Request,
        changes: &mut Changes,
    ) -> Result<Option<Answer>, StoreError> {
        let answer: Answer = match request {
            // Handled with the group.
            Request::Close | Request::Plan { .. } | Request::SetState { .. } => return Ok(None),
            Request::Keep { part, answer } => {
                changes.others.push(Change::Part(part));
                Box::new(move || {
                    // Whoever asked may be gone by then.
                    let _ = answer.send(());
                })
            }
            Request::Register { worker, answer } => {
                tracing::info!(worker, "a worker came");
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
                say(answer, (dropped, effects.contains(&Effect::Drain)))
            }
            Request::Lease { worker, loaded, held, answer } => {
                let event = Event::Lease { worker: &worker, loaded: &loaded, held: &held };
                let effects = self.ledger.step(now, event);
                changes.note(&effects, None);
                let grants = effects.into_iter().filter_map(|effect| match effect {
                    Effect::Grant(grant) => Some(grant),
                    _ => None,
                });
                let grants: Vec<_> = grants.collect();
                let runs: Vec<_> = grants.iter().map(|grant| grant.run).collect();
                let leases = grants.into_iter().zip(self.store.specs(&runs)?).collect();
                // More may come to a coordinator that serves all studies.
                let finished = !self.standing && self.ledger.is_finished();
                say(answer, (leases, finished))
            }
            Request::Commit { worker, completions, answer } => {
                let runs: Vec<_> = completions.iter().map(|completion| completion.run).collect();
                let ids = self.store.ids(&runs)?;
                let outcomes = completions.into_iter().zip(ids);
                let outcomes = outcomes
                    .map(|(completion, id)| self.commit(now, &worker, completion, id, changes));
                let outcomes = outcomes.collect();
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
        id: Option<RunId>,
        changes: &mut Changes,
    ) -> Outcomes {
        let id = id.ok_or_else(|| format!("the store has no run {run}"))?;
        let (end, payload) = match end {
            Told::Record(record) if record.run != id => {
                return Err(format!("run {run} is {id}, the record is of {}", record.run));
            }
            Told::Record(record) => match record.outcome {
                Outcome::Done | Outcome::NoGoals => {
                    (End::Done(record.wall), Payload::Record(record))
                }
                Outcome::Failed => (End::Failed(record.wall), Payload::Record(record)),
                // Limits of the runner: another machine may be faster or larger.
                Outcome::TimedOut => {
                    (End::Crashed, Payload::Reason(Breakdown::TimedOut, record.reason))
                }
                Outcome::OutOfMemory => {
                    (End::Crashed, Payload::Reason(Breakdown::OutOfMemory, record.reason))
                }
            },
            Told::Crash(reason) => (End::Crashed, Payload::Reason(Breakdown::Crashed, reason)),
            Told::Returned => (End::Returned, Payload::Nothing),
        };
        let effects = self.ledger.step(now, Event::Commit { run, token, end });
        if let (Payload::Record(record), true) = (&payload, effects.contains(&Effect::Accept(run)))
        {
            let group = self.ledger.run(run).map_or(0, |run| run.group as usize);
            let label = self.labels.get(group).map_or("", String::as_str);
            self.meter.accepted(now, record, worker, label, self.ledger.studies_of(run));
        }
        let verdict = effects.iter().find_map(|effect| match effect {
            Effect::Verdict(verdict) => Some(*verdict),
            _ => None,
        });
        changes.note(&effects, Some((worker, token, payload)));
        verdict.ok_or_else(|| format!("no verdict on run {run}"))
    }

    /// Makes changes durable; false if there are none.
    fn keep(&mut self, changes: Changes) -> Result<bool, StoreError> {
        if changes.dirty.is_empty() && changes.others.is_empty() {
            return Ok(false);
        }
        let mut all = changes.others;
        all.extend(changes.dirty.into_iter().filter_map(|number| {
            let run = *self.ledger.run(number)?;
            Some(Change::Run(number, run, self.ledger.holder(number).map(str::to_owned)))
        }));
        self.store.apply(&all)?;
        Ok(true)
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
    Reason(Breakdown, String),
    Nothing,
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
                Effect::Lost { run, attempt, worker } => {
                    tracing::info!(run, attempt, worker, "a worker was lost");
                    self.others.push(Change::Breakdown {
                        run: *run,
                        attempt: *attempt,
                        kind: Breakdown::Lost,
                        worker: worker.clone(),
                        reason: format!("worker {worker} was lost"),
                    });
                }
                Effect::Found { run, attempt } => {
                    tracing::info!(run, attempt, "a worker is back");
                    self.others.push(Change::Found { run: *run, attempt: *attempt });
                }
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
                    if let Some((worker, _, Payload::Reason(kind, reason))) = commit.take() {
                        tracing::info!(
                            run,
                            attempt,
                            worker,
                            ?kind,
                            reason,
                            "an attempt broke down"
                        );
                        let (run, attempt, worker) = (*run, *attempt, worker.to_owned());
                        self.others.push(Change::Breakdown { run, attempt, kind, worker, reason });
                    }
                }
                Effect::Grant(_) | Effect::Drop(_) | Effect::Drain | Effect::Verdict(_) => {}
            }
        }
    }
}
