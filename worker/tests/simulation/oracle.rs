//! Looks on as the coordinator writes and workers hear of it, and knows the laws. It also
//! makes the store fail and the coordinator die.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::{Arc, Mutex, MutexGuard};

use catherd_coordinator::Progress;
use catherd_coordinator::ledger::{Phase, Run, RunNumber, Token};
use catherd_coordinator::store::{Change, StoreError, StoredRecord, TransactionObserver};
use tracing::field::{Field, Visit};
use tracing::span;

use crate::faults::Side;

/// What happens at the next transaction.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Mishap {
    Die(Side),
    Fail(Side),
}

/// What a simulation has met, so that tests can say that it met something.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Met {
    pub(crate) transactions: u64,
    pub(crate) crashes: u64,
    pub(crate) superseded: u64,
    pub(crate) repeated: u64,
    pub(crate) torn: u64,
    pub(crate) lost: u64,
    /// Workers that never came back.
    pub(crate) gone: u64,
    /// Leases that expired and were taken up again.
    pub(crate) revived: u64,
}

#[derive(Debug, Default)]
struct State {
    /// As the store has them.
    runs: Vec<(Run, Option<String>)>,
    records: BTreeMap<RunNumber, (Token, StoredRecord)>,
    tokens: BTreeSet<Token>,
    /// Each at a transaction, or at the next.
    mishaps: Vec<(Option<u64>, Mishap)>,
    dead: bool,
    met: Met,
    log: Vec<String>,
    /// The first law that was broken.
    broken: Option<String>,
}

#[derive(Debug)]
pub(crate) struct Oracle(Mutex<State>);

impl Oracle {
    pub(crate) fn new(runs: usize) -> Arc<Oracle> {
        let runs = vec![(Run::new(Phase::Pending, 0), None); runs];
        Arc::new(Oracle(Mutex::new(State { runs, ..State::default() })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    pub(crate) fn prepare(&self, transaction: Option<u64>, mishap: Mishap) {
        self.state().mishaps.push((transaction, mishap));
    }

    /// Dead until it is restarted.
    pub(crate) fn is_dead(&self) -> bool {
        self.state().dead
    }

    pub(crate) fn crashed(&self) {
        let mut state = self.state();
        state.met.crashes += 1;
        state.dead = true;
        state.mishaps.clear();
    }

    pub(crate) fn bereaved(&self) {
        self.state().met.gone += 1;
    }

    pub(crate) fn restarted(&self) {
        self.state().dead = false;
    }

    pub(crate) fn forgive(&self) {
        self.state().mishaps.clear();
    }

    pub(crate) fn note(&self, line: String) {
        let now = turmoil::sim_elapsed().unwrap_or_default().as_millis();
        self.state().log.push(format!("{now} {line}"));
    }

    pub(crate) fn log(&self) -> Vec<String> {
        self.state().log.clone()
    }

    pub(crate) fn met(&self) -> Met {
        self.state().met
    }

    pub(crate) fn broken(&self) -> Option<String> {
        self.state().broken.clone()
    }

    /// The accepted records as they came.
    pub(crate) fn records(&self) -> Vec<Vec<u8>> {
        self.state().records.values().map(|(_, sealed)| sealed.json.clone()).collect()
    }

    /// What the coordinator shows must be what the store has.
    pub(crate) fn compare(&self, shown: &Progress) {
        let mut state = self.state();
        let mut counts = BTreeMap::new();
        for (run, _) in &state.runs {
            *counts.entry(run.phase).or_insert(0) += 1;
        }
        let of = |phase| counts.get(&phase).copied().unwrap_or(0);
        let stored = Phase::ALL.map(of);
        let told = [shown.pending, shown.leased, shown.done, shown.failed, shown.quarantined];
        let planned = state.runs.len() as u64;
        state.law(stored == told && shown.planned == planned, || {
            format!("the store has {stored:?}, the coordinator shows {told:?} of {planned}")
        });
    }

    /// A worker has heard this and will forget the record.
    fn acknowledged(&self, run: RunNumber, token: Token, kind: &str) {
        let mut state = self.state();
        let (row, _) = &state.runs[run as usize];
        let open = row.phase == Phase::Leased && row.token == token;
        let counts = state.records.get(&run).is_some_and(|&(accepted, _)| accepted == token);
        let sound = match kind {
            "KIND_ACCEPTED" => !open,
            "KIND_REPEATED" => counts,
            "KIND_SUPERSEDED" => !open && !counts,
            _ => false,
        };
        state.law(sound, || {
            format!("a worker was told {kind} of run {run}, token {token}; the store knows better")
        });
        match kind {
            "KIND_REPEATED" => state.met.repeated += 1,
            "KIND_SUPERSEDED" => state.met.superseded += 1,
            _ => {}
        }
    }

    fn mishap(&self, side: Side) -> Result<(), StoreError> {
        let mut state = self.state();
        let transaction = state.met.transactions + u64::from(side == Side::Before);
        let fits = |&(when, mishap): &(Option<u64>, Mishap)| {
            let (Mishap::Die(at) | Mishap::Fail(at)) = mishap;
            at == side && when.is_none_or(|when| when == transaction)
        };
        let Some(at) = state.mishaps.iter().position(fits) else { return Ok(()) };
        let (_, mishap) = state.mishaps.remove(at);
        drop(state);
        self.note(format!("{mishap:?}"));
        if matches!(mishap, Mishap::Die(_)) {
            self.crashed();
        }
        Err(StoreError::Runtime(std::io::Error::other("rehearsing a failure")))
    }
}

impl State {
    fn law(&mut self, holds: bool, broken: impl FnOnce() -> String) {
        if !holds && self.broken.is_none() {
            self.broken = Some(broken());
        }
    }

    fn record(&mut self, number: RunNumber, token: Token, record: &StoredRecord) {
        let (before, _) = self.runs[number as usize];
        let open = matches!(before.phase, Phase::Leased | Phase::Pending);
        self.law(open && before.token == token, || {
            format!("a record of run {number} with token {token} is accepted over {before:?}")
        });
        let earlier = self.records.insert(number, (token, record.clone()));
        self.law(earlier.is_none(), || format!("a second record of run {number} is accepted"));
    }

    fn run(&mut self, number: RunNumber, run: Run, holder: Option<&str>, newest: Token) {
        let (before, _) = self.runs[number as usize];
        // Where it is in the queue is the process's own affair.
        let run = Run { group: before.group, set: before.set, ..run };
        self.law(!before.phase.is_final() || run == before, || {
            format!("run {number} changes after its end: {before:?}, {run:?}")
        });
        let new = run.token > newest && self.tokens.insert(run.token);
        self.law(new || run.token == before.token, || {
            format!("token {} of run {number} is not new after {newest}", run.token)
        });
        let recorded = matches!(run.phase, Phase::Done | Phase::Failed);
        let accepted = self.records.get(&number).map(|&(token, _)| token);
        self.law(accepted == recorded.then_some(run.token), || {
            format!("run {number} is {run:?}, its accepted record has token {accepted:?}")
        });
        if (before.phase, run.phase) == (Phase::Pending, Phase::Leased) && run.token == before.token
        {
            self.met.revived += 1;
        }
        self.law(holder.is_some() == (run.phase == Phase::Leased), || {
            format!("run {number} is {run:?} in the hands of {holder:?}")
        });
        self.runs[number as usize] = (run, holder.map(str::to_owned));
    }
}

impl TransactionObserver for Oracle {
    fn before(&self, _: &[Change]) -> Result<(), StoreError> {
        self.mishap(Side::Before)
    }

    fn after(&self, changes: &[Change]) -> Result<(), StoreError> {
        let mut state = self.state();
        state.met.transactions += 1;
        let mut line = format!("transaction {}:", state.met.transactions);
        for change in changes {
            match change {
                Change::Record(run, token, record) => {
                    write!(line, " accepted({run} {token} {})", record.digest).unwrap();
                    state.record(*run, *token, record);
                }
                Change::Superseded(run, token, _) => {
                    write!(line, " superseded({run} {token})").unwrap();
                    let accepted = state.records.get(run).map(|&(token, _)| token);
                    state.law(accepted != Some(*token), || {
                        format!("the accepted record of run {run} is superseded")
                    });
                }
                Change::Breakdown { run, attempt, kind, worker, .. } => {
                    write!(line, " broken({run} {attempt} {kind:?} {worker})").unwrap();
                    state.met.lost += 1;
                }
                Change::LossReverted { run, attempt } => {
                    write!(line, " found({run} {attempt})").unwrap()
                }
                Change::Run(..) | Change::ProjectChunk(_) => {}
            }
        }
        let newest = state.tokens.last().copied().unwrap_or(0);
        for change in changes {
            if let Change::Run(number, run, holder) = change {
                write!(line, " run({number} {:?} {} {})", run.phase, run.attempt, run.token)
                    .unwrap();
                state.run(*number, *run, holder.as_deref(), newest);
            }
        }
        drop(state);
        self.note(line);
        self.mishap(Side::After)
    }
}

/// Passes on what both ends log, and what workers are told.
pub(crate) struct Ear(pub(crate) Arc<Oracle>);

#[derive(Default)]
struct Heard {
    line: String,
    run: RunNumber,
    token: Token,
    kind: Option<String>,
}

impl Visit for Heard {
    fn record_u64(&mut self, field: &Field, value: u64) {
        match field.name() {
            "run" => self.run = value as RunNumber,
            "token" => self.token = value,
            _ => {}
        }
        self.record_debug(field, &value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "kind" {
            self.kind = Some(value.to_owned());
        }
        self.record_debug(field, &value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        write!(self.line, "{}={value:?} ", field.name()).unwrap();
    }
}

impl tracing::Subscriber for Ear {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.target().starts_with("catherd")
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        let mut heard = Heard::default();
        event.record(&mut heard);
        if heard.line.contains("a torn spool file") {
            self.0.state().met.torn += 1;
            // The path differs from one simulation to the next.
            heard.line = "a torn spool file".to_owned();
        }
        self.0.note(heard.line);
        if let Some(kind) = heard.kind {
            self.0.acknowledged(heard.run, heard.token, &kind);
        }
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}
