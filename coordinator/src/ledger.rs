//! The pure state machine of runs and leases: [`Ledger::step`] takes an event and the
//! time, and says what has to be written and answered. It has no clock and does no
//! I/O, so its laws can be checked by property tests:
//!
//! 1. at most one record of a run is ever accepted;
//! 2. planned = pending + leased + done + failed + quarantined, in every study;
//! 3. fencing tokens only grow, across restarts too;
//! 4. a run that has ended never changes again.
//!
//! A run is `pending -> leased -> done | failed | quarantined`. It is *failed* when the
//! tool gave a verdict that a repetition would not change, since a run is a pure
//! function. It is *quarantined* when attempts broke down too often: the tool crashed on
//! at least two workers ([`Policy::crashes`]), or workers died over it
//! ([`Policy::losses`]). A worker on which many different runs break down is *drained*:
//! the fault is likely its own.
//!
//! Runs belong to *sets* by the studies that want them. A run whose studies are all paused
//! or cancelled stays as it is: it is not given out, but a lease it has is honoured.
//!
//! A worker executes its leases in the order of their tokens, so when it dies only the
//! one with the lowest token was in its hands and is charged; the others go back to
//! the queue for free.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use catherd_experiments::Digest;

use crate::queue::{GroupNumber, Queue};
use crate::store::StudyNumber;

/// The number of a run in the store, from 0; it never changes.
pub type RunNumber = u32;

/// A fencing token.
pub type Token = u64;

/// The rules of a study's leases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// A lease ends this long after its last renewal.
    pub term: Duration,
    /// Attempts at a run that may crash, on at least two workers. Twice as many if there
    /// is only one.
    pub crashes: u32,
    /// Workers that may be lost while they execute a run. More than for crashes,
    /// because most losses are the fault of the machine.
    pub losses: u32,
    /// Different runs that may crash on a worker and nowhere else, without one that does not
    /// in between, before it is drained. The last worker is never drained.
    pub streak: usize,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy { term: Duration::from_secs(15), crashes: 3, losses: 10, streak: 10 }
    }
}

/// Where a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Phase {
    /// Waits for a worker.
    Pending = 1,
    /// In the hands of a worker.
    Leased = 2,
    /// Has an accepted record with a proper end.
    Done = 3,
    /// Has an accepted record with a verdict against it.
    Failed = 4,
    /// Given up.
    Quarantined = 5,
}

impl Phase {
    /// All phases, in the order of their numbers.
    pub const ALL: [Phase; 5] =
        [Phase::Pending, Phase::Leased, Phase::Done, Phase::Failed, Phase::Quarantined];

    /// In a word or two, for people.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Pending => "waiting",
            Phase::Leased => "running",
            Phase::Done => "done",
            Phase::Failed => "failed",
            Phase::Quarantined => "given up",
        }
    }

    /// Nothing follows this phase.
    pub fn is_final(self) -> bool {
        matches!(self, Phase::Done | Phase::Failed | Phase::Quarantined)
    }
}

/// What is known of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Where it stands.
    pub phase: Phase,
    /// Leases given so far.
    pub attempt: u32,
    /// Attempts that crashed.
    pub crashes: u32,
    /// Workers lost over it.
    pub losses: u32,
    /// Token of its latest lease, 0 if it never had one.
    pub token: Token,
    /// Its group in the queue.
    pub group: GroupNumber,
    /// Its set among those that the ledger was made with.
    pub set: SetNumber,
}

impl Run {
    /// A run nobody has tried, in the first set.
    pub fn new(phase: Phase, group: GroupNumber) -> Run {
        Run { phase, attempt: 0, crashes: 0, losses: 0, token: 0, group, set: 0 }
    }
}

/// The number of a set of runs.
pub type SetNumber = u32;

/// Runs that the same studies want.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Set {
    /// The numbers of the studies, ascending.
    pub studies: Vec<StudyNumber>,
    /// Some of them is active.
    pub active: bool,
    counts: Counts,
}

impl Set {
    /// A set without runs as yet.
    pub fn new(studies: Vec<StudyNumber>, active: bool) -> Set {
        Set { studies, active, counts: Counts::default() }
    }
}

/// Runs by phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts([u64; Phase::Quarantined as usize + 1]);

impl Counts {
    /// Runs in a phase.
    pub fn of(&self, phase: Phase) -> u64 {
        self.0[phase as usize]
    }

    /// Runs in any phase.
    pub fn planned(&self) -> u64 {
        self.0.iter().sum()
    }

    /// No run is pending or leased.
    pub fn is_finished(&self) -> bool {
        self.of(Phase::Pending) == 0 && self.of(Phase::Leased) == 0
    }

    fn add(&mut self, other: &Counts) {
        self.0.iter_mut().zip(other.0).for_each(|(count, more)| *count += more);
    }
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With a record and a proper end; it took this long.
    Done(Duration),
    /// With a record and a verdict against the run.
    Failed(Duration),
    /// Without a result that can be trusted.
    Crashed,
    /// Not begun, or broken off for no fault of its own.
    Returned,
}

/// What happens to the ledger.
#[derive(Clone, Debug)]
pub enum Event<'a> {
    /// A worker process has started.
    Register {
        /// Its name.
        worker: &'a str,
    },
    /// A worker wants runs.
    Lease {
        /// Its name.
        worker: &'a str,
        /// Projects it has at hand.
        loaded: &'a BTreeSet<Digest>,
        /// The leases it knows of.
        held: &'a BTreeSet<Token>,
    },
    /// A worker is alive.
    Heartbeat {
        /// Its name.
        worker: &'a str,
        /// The leases it works on.
        held: &'a BTreeSet<Token>,
    },
    /// An attempt has ended.
    Commit {
        /// The run.
        run: RunNumber,
        /// The lease.
        token: Token,
        /// How.
        end: End,
    },
    /// Time has passed.
    Tick,
}

/// A lease given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The run.
    pub run: RunNumber,
    /// Which attempt this is, from 1.
    pub attempt: u32,
    /// The fencing token.
    pub token: Token,
}

/// What becomes of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It counts.
    Accepted,
    /// It counted already.
    Repeated,
    /// The lease had ended.
    Superseded,
}

/// What a step asks for. Everything but the answers must be durable before any answer
/// of the step leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Write what [`Ledger::run`] and [`Ledger::holder`] say of this run.
    Save(RunNumber),
    /// Keep the record of the commit as the run's result.
    Accept(RunNumber),
    /// Keep the record of the commit for the curious.
    Supersede(RunNumber),
    /// Note that an attempt broke down because its worker was lost.
    Lost {
        /// The run.
        run: RunNumber,
        /// Which attempt.
        attempt: u32,
        /// The worker's name.
        worker: String,
    },
    /// Note that an attempt crashed.
    Crashed {
        /// The run.
        run: RunNumber,
        /// Which attempt.
        attempt: u32,
    },
    /// Answer: a lease.
    Grant(Grant),
    /// Answer: this lease has ended, drop it.
    Drop(Token),
    /// Answer: take no more leases.
    Drain,
    /// Answer to a commit.
    Verdict(Verdict),
}

#[derive(Clone, Debug)]
struct Lease {
    run: RunNumber,
    worker: String,
    expires: Duration,
}

#[derive(Clone, Debug, Default)]
struct Worker {
    leases: BTreeSet<Token>,
    seen: Duration,
    /// Runs that crashed on it alone since the last that did not.
    streak: BTreeSet<RunNumber>,
    drained: bool,
}

/// Runs and leases of the studies of a store.
#[derive(Clone, Debug)]
pub struct Ledger {
    policy: Policy,
    runs: Vec<Run>,
    sets: Vec<Set>,
    queue: Queue,
    leases: BTreeMap<Token, Lease>,
    workers: BTreeMap<String, Worker>,
    /// The workers on which runs crashed that have not ended.
    culprits: BTreeMap<RunNumber, BTreeSet<String>>,
    next_token: Token,
}

/// What was saved of a ledger.
#[derive(Clone, Debug, Default)]
pub struct Saved {
    /// By number; in every run, group and set are numbers of what is below.
    pub runs: Vec<Run>,
    /// Their sets; at least one.
    pub sets: Vec<Set>,
    /// Their groups; nothing pending.
    pub queue: Queue,
    /// The workers that hold some of them.
    pub holders: BTreeMap<RunNumber, String>,
    /// The workers on which some of them crashed.
    pub culprits: BTreeMap<RunNumber, BTreeSet<String>>,
}

impl Ledger {
    /// A ledger as it was saved. Every lease gets one fresh term: how long nobody looked
    /// at the clock is not known.
    pub fn restore(policy: Policy, saved: Saved, now: Duration) -> Ledger {
        let Saved { mut runs, mut sets, mut queue, mut holders, culprits } = saved;
        let mut leases = BTreeMap::new();
        let mut workers: BTreeMap<String, Worker> = BTreeMap::new();
        let mut next_token = 1;
        for (number, run) in (0..).zip(&mut runs) {
            let set = &mut sets[run.set as usize];
            match (run.phase, holders.remove(&number)) {
                (Phase::Leased, Some(name)) => {
                    let worker = workers.entry(name.clone()).or_default();
                    worker.leases.insert(run.token);
                    worker.seen = now;
                    let expires = now + policy.term;
                    leases.insert(run.token, Lease { run: number, worker: name, expires });
                    queue.note_leased(run.group);
                }
                (Phase::Leased, None) | (Phase::Pending, _) => {
                    run.phase = Phase::Pending;
                    if set.active {
                        queue.push(run.group, number);
                    }
                }
                _ => {}
            }
            set.counts.0[run.phase as usize] += 1;
            next_token = next_token.max(run.token + 1);
        }
        Ledger { policy, runs, sets, queue, leases, workers, culprits, next_token }
    }

    /// What is known of a run.
    pub fn run(&self, run: RunNumber) -> Option<&Run> {
        self.runs.get(run as usize)
    }

    /// The worker that holds a run.
    pub fn holder(&self, run: RunNumber) -> Option<&str> {
        let lease = self.leases.get(&self.run(run)?.token)?;
        Some(&lease.worker)
    }

    /// The run and the worker of a lease that holds.
    pub fn lease(&self, token: Token) -> Option<(RunNumber, &str)> {
        self.leases.get(&token).map(|lease| (lease.run, lease.worker.as_str()))
    }

    /// The runs of active studies by phase.
    pub fn counts(&self) -> Counts {
        self.sum(|set| set.active)
    }

    /// The runs of a study by phase, whatever its state.
    pub fn counts_of(&self, study: StudyNumber) -> Counts {
        self.sum(|set| set.studies.contains(&study))
    }

    /// The studies that want a run.
    pub fn studies_of(&self, run: RunNumber) -> &[StudyNumber] {
        self.run(run).map_or(&[], |run| &self.sets[run.set as usize].studies)
    }

    fn sum(&self, wanted: impl Fn(&Set) -> bool) -> Counts {
        let mut sum = Counts::default();
        self.sets.iter().filter(|set| wanted(set)).for_each(|set| sum.add(&set.counts));
        sum
    }

    /// No run of an active study is pending or leased.
    pub fn is_finished(&self) -> bool {
        self.counts().is_finished()
    }

    /// Workers heard of within the last term.
    pub fn live_workers(&self) -> usize {
        self.workers.len()
    }

    /// Every live worker: its name, its leases, when it was last heard of, whether it is
    /// drained.
    pub fn crew(&self) -> impl Iterator<Item = (&str, usize, Duration, bool)> {
        self.workers
            .iter()
            .map(|(name, worker)| (&**name, worker.leases.len(), worker.seen, worker.drained))
    }

    /// The queue behind the pending runs.
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// Takes one event at a time that never goes back.
    pub fn step(&mut self, now: Duration, event: Event<'_>) -> Vec<Effect> {
        let mut effects = Vec::new();
        match event {
            Event::Register { worker } => self.register(now, worker, &mut effects),
            Event::Lease { worker, loaded, held } => {
                self.grant(now, worker, loaded, held, &mut effects);
            }
            Event::Heartbeat { worker, held } => self.heartbeat(now, worker, held, &mut effects),
            Event::Commit { run, token, end } => self.commit(run, token, end, &mut effects),
            Event::Tick => self.expire(now, &mut effects),
        }
        effects
    }

    fn register(&mut self, now: Duration, name: &str, effects: &mut Vec<Effect>) {
        let orphans = self.workers.get(name).map(|worker| worker.leases.clone());
        for (rank, token) in orphans.into_iter().flatten().enumerate() {
            self.lose(token, rank == 0, effects);
        }
        self.see(now, name);
    }

    fn grant(
        &mut self,
        now: Duration,
        name: &str,
        loaded: &BTreeSet<Digest>,
        held: &BTreeSet<Token>,
        effects: &mut Vec<Effect>,
    ) {
        self.see(now, name);
        let unheard: Vec<_> = self.workers[name].leases.difference(held).copied().collect();
        for token in unheard {
            self.lose(token, false, effects);
        }
        if self.workers[name].drained {
            return;
        }
        // A run that crashed here is for somebody on whom it has not, if there is somebody.
        let (workers, culprits) = (&self.workers, &self.culprits);
        let shunned = |run| {
            culprits.get(&run).is_some_and(|names| {
                let mut fresh = workers.iter().filter(|(_, worker)| !worker.drained);
                names.contains(name) && fresh.any(|(other, _)| !names.contains(other))
            })
        };
        for number in self.queue.take(loaded, self.workers.len(), shunned) {
            let token = self.next_token;
            self.next_token += 1;
            let run = &mut self.runs[number as usize];
            run.token = token;
            run.attempt += 1;
            let attempt = run.attempt;
            self.queue.note_leased(run.group);
            self.enter(number, Phase::Leased);
            let expires = now + self.policy.term;
            self.leases.insert(token, Lease { run: number, worker: name.to_owned(), expires });
            self.see(now, name).leases.insert(token);
            effects.push(Effect::Save(number));
            effects.push(Effect::Grant(Grant { run: number, attempt, token }));
        }
    }

    fn heartbeat(
        &mut self,
        now: Duration,
        name: &str,
        held: &BTreeSet<Token>,
        effects: &mut Vec<Effect>,
    ) {
        self.see(now, name);
        for &token in held {
            match self.leases.get_mut(&token) {
                Some(lease) if lease.worker == name => lease.expires = now + self.policy.term,
                _ => effects.push(Effect::Drop(token)),
            }
        }
        if self.workers[name].drained {
            effects.push(Effect::Drain);
        }
    }

    fn commit(&mut self, number: RunNumber, token: Token, end: End, effects: &mut Vec<Effect>) {
        if self.leases.get(&token).is_none_or(|lease| lease.run != number) {
            let run = &self.runs[number as usize];
            // No lease follows an accepted record, so the latest token is the accepted one.
            let accepted = matches!(run.phase, Phase::Done | Phase::Failed);
            let verdict = if accepted && run.token == token {
                Verdict::Repeated
            } else {
                if matches!(end, End::Done(_) | End::Failed(_)) {
                    effects.push(Effect::Supersede(number));
                }
                Verdict::Superseded
            };
            effects.push(Effect::Verdict(verdict));
            return;
        }
        let worker = self.release(token).map(|lease| lease.worker).unwrap_or_default();
        let run = &mut self.runs[number as usize];
        match end {
            End::Done(time) | End::Failed(time) => {
                if let Some(worker) = self.workers.get_mut(&worker) {
                    worker.streak.clear();
                }
                self.culprits.remove(&number);
                self.queue.measure(run.group, time);
                let done = matches!(end, End::Done(_));
                self.enter(number, if done { Phase::Done } else { Phase::Failed });
                effects.push(Effect::Accept(number));
            }
            End::Crashed => {
                run.crashes += 1;
                effects.push(Effect::Crashed { run: number, attempt: run.attempt });
                let crashes = run.crashes;
                let culprits = self.culprits.entry(number).or_default();
                culprits.insert(worker.clone());
                let shared = culprits.len() > 1;
                let most = self.policy.crashes * if shared { 1 } else { 2 };
                if shared {
                    // The fault is the run's.
                    for worker in self.workers.values_mut() {
                        worker.streak.remove(&number);
                    }
                } else {
                    self.blame(&worker, number);
                }
                self.retry(number, crashes >= most);
            }
            End::Returned => self.retry(number, false),
        }
        effects.push(Effect::Save(number));
        effects.push(Effect::Verdict(Verdict::Accepted));
    }

    fn expire(&mut self, now: Duration, effects: &mut Vec<Effect>) {
        let expired: Vec<_> = self
            .leases
            .iter()
            .filter(|(_, lease)| lease.expires <= now)
            .map(|(&token, lease)| {
                let in_hand = self.workers[&lease.worker].leases.first() == Some(&token);
                (token, in_hand)
            })
            .collect();
        for (token, in_hand) in expired {
            self.lose(token, in_hand, effects);
        }
        let term = self.policy.term;
        self.workers.retain(|_, worker| !worker.leases.is_empty() || worker.seen + term > now);
    }

    /// Ends a lease without a word from its worker; `in_hand` if the run was being
    /// executed.
    fn lose(&mut self, token: Token, in_hand: bool, effects: &mut Vec<Effect>) {
        let Some(Lease { run: number, worker, .. }) = self.release(token) else { return };
        let run = &mut self.runs[number as usize];
        if in_hand {
            run.losses += 1;
            effects.push(Effect::Lost { run: number, attempt: run.attempt, worker });
        }
        let exhausted = run.losses >= self.policy.losses;
        self.retry(number, exhausted);
        effects.push(Effect::Save(number));
    }

    fn release(&mut self, token: Token) -> Option<Lease> {
        let lease = self.leases.remove(&token)?;
        if let Some(worker) = self.workers.get_mut(&lease.worker) {
            worker.leases.remove(&token);
        }
        self.queue.note_ended(self.runs[lease.run as usize].group);
        Some(lease)
    }

    /// Drains a worker on which one run after another crashes, unless it is the last.
    fn blame(&mut self, name: &str, number: RunNumber) {
        let others = self.workers.iter().any(|(other, worker)| other != name && !worker.drained);
        let Some(worker) = self.workers.get_mut(name) else { return };
        worker.streak.insert(number);
        worker.drained |= others && worker.streak.len() >= self.policy.streak;
    }

    fn retry(&mut self, number: RunNumber, exhausted: bool) {
        if exhausted {
            self.culprits.remove(&number);
            self.enter(number, Phase::Quarantined);
        } else {
            self.enter(number, Phase::Pending);
            let run = &self.runs[number as usize];
            if self.sets[run.set as usize].active {
                self.queue.push(run.group, number);
            }
        }
    }

    fn enter(&mut self, number: RunNumber, phase: Phase) {
        let run = &mut self.runs[number as usize];
        let counts = &mut self.sets[run.set as usize].counts.0;
        counts[run.phase as usize] -= 1;
        counts[phase as usize] += 1;
        run.phase = phase;
    }

    fn see(&mut self, now: Duration, name: &str) -> &mut Worker {
        let worker = self.workers.entry(name.to_owned()).or_default();
        worker.seen = now;
        worker
    }
}
