//! Checks the invariants of the ledger, and reports the first violation.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::{Arc, Mutex, MutexGuard};

use catherd_coordinator::Progress;
use catherd_coordinator::ids::{RunNumber, Token};
use catherd_coordinator::ledger::{Phase, RunStatus};
use catherd_coordinator::store::{StoreChange, StoredRecord};
use tracing::field::{Field, Visit};
use tracing::span;

/// Tests check that each kind of event happened.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EventCounts {
    pub(crate) transactions: u64,
    pub(crate) coordinator_crashes: u64,
    pub(crate) superseded: u64,
    pub(crate) repeated: u64,
    /// Spool files that were damaged.
    pub(crate) damaged: u64,
    /// Attempts that ended without a record.
    pub(crate) lost: u64,
    /// Workers that never came back.
    pub(crate) gone: u64,
    /// Leases that expired and were reinstated.
    pub(crate) reinstated: u64,
}

#[derive(Debug, Default)]
struct State {
    /// The runs and their workers, as they are in the store.
    runs: Vec<(RunStatus, Option<String>)>,
    records: BTreeMap<RunNumber, (Token, StoredRecord)>,
    tokens: BTreeSet<Token>,
    counts: EventCounts,
    log: Vec<String>,
    violation: Option<String>,
}

#[derive(Debug)]
pub(crate) struct InvariantChecker(Mutex<State>);

impl InvariantChecker {
    pub(crate) fn new(runs: usize) -> Arc<InvariantChecker> {
        let runs = vec![(RunStatus::new(Phase::Pending, 0), None); runs];
        Arc::new(InvariantChecker(Mutex::new(State { runs, ..State::default() })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    pub(crate) fn coordinator_crashed(&self) {
        self.state().counts.coordinator_crashes += 1;
    }

    pub(crate) fn worker_gone(&self) {
        self.state().counts.gone += 1;
    }

    pub(crate) fn transactions(&self) -> u64 {
        self.state().counts.transactions
    }

    pub(crate) fn log_line(&self, line: String) {
        let now = turmoil::sim_elapsed().unwrap_or_default().as_millis();
        self.state().log.push(format!("{now} {line}"));
    }

    pub(crate) fn log(&self) -> Vec<String> {
        self.state().log.clone()
    }

    pub(crate) fn counts(&self) -> EventCounts {
        self.state().counts
    }

    pub(crate) fn violation(&self) -> Option<String> {
        self.state().violation.clone()
    }

    pub(crate) fn records(&self) -> Vec<Vec<u8>> {
        self.state().records.values().map(|(_, sealed)| sealed.json.clone()).collect()
    }

    pub(crate) fn compare(&self, shown: &Progress) {
        let mut state = self.state();
        let mut counts = BTreeMap::new();
        for (run, _) in &state.runs {
            *counts.entry(run.phase).or_insert(0) += 1;
        }
        let of = |phase| counts.get(&phase).copied().unwrap_or(0);
        let stored = Phase::ALL.map(of);
        let displayed = [shown.pending, shown.leased, shown.done, shown.failed, shown.quarantined];
        let planned = state.runs.len() as u64;
        state.require(stored == displayed && shown.planned == planned, || {
            format!("the store has {stored:?}, the coordinator shows {displayed:?} of {planned}")
        });
    }

    /// The worker deletes the record after the acknowledgement.
    fn check_acknowledgement(&self, run: RunNumber, token: Token, kind: &str) {
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
        state.require(sound, || {
            format!(
                "a worker was told {kind} of run {run}, token {token}; the store has another state"
            )
        });
        match kind {
            "KIND_REPEATED" => state.counts.repeated += 1,
            "KIND_SUPERSEDED" => state.counts.superseded += 1,
            _ => {}
        }
    }
}

impl State {
    fn require(&mut self, holds: bool, violation: impl FnOnce() -> String) {
        if !holds && self.violation.is_none() {
            self.violation = Some(violation());
        }
    }

    fn accept_record(&mut self, number: RunNumber, token: Token, record: &StoredRecord) {
        let (before, _) = self.runs[number as usize];
        let open = matches!(before.phase, Phase::Leased | Phase::Pending);
        self.require(open && before.token == token, || {
            format!("a record of run {number} with token {token} is accepted over {before:?}")
        });
        let earlier = self.records.insert(number, (token, record.clone()));
        self.require(earlier.is_none(), || format!("a second record of run {number} is accepted"));
    }

    fn change_run(
        &mut self,
        number: RunNumber,
        run: RunStatus,
        holder: Option<&str>,
        newest: Token,
    ) {
        let (before, _) = self.runs[number as usize];
        // The group and the study set are not stored.
        let run = RunStatus { group: before.group, set: before.set, ..run };
        self.require(!before.phase.is_final() || run == before, || {
            format!("run {number} changes after its end: {before:?}, {run:?}")
        });
        let new = run.token > newest && self.tokens.insert(run.token);
        self.require(new || run.token == before.token, || {
            format!("token {} of run {number} is not new after {newest}", run.token)
        });
        let recorded = matches!(run.phase, Phase::Done | Phase::Failed);
        let accepted = self.records.get(&number).map(|&(token, _)| token);
        self.require(accepted == recorded.then_some(run.token), || {
            format!("run {number} is {run:?}, its accepted record has token {accepted:?}")
        });
        if (before.phase, run.phase) == (Phase::Pending, Phase::Leased) && run.token == before.token
        {
            self.counts.reinstated += 1;
        }
        self.require(holder.is_some() == (run.phase == Phase::Leased), || {
            format!("run {number} is {run:?}, and is held by {holder:?}")
        });
        self.runs[number as usize] = (run, holder.map(str::to_owned));
    }
}

impl InvariantChecker {
    pub(crate) fn check_transaction(&self, changes: &[StoreChange]) {
        let mut state = self.state();
        state.counts.transactions += 1;
        let mut line = format!("transaction {}:", state.counts.transactions);
        for change in changes {
            match change {
                StoreChange::Record(run, token, record) => {
                    write!(line, " accepted({run} {token} {})", record.digest).unwrap();
                    state.accept_record(*run, *token, record);
                }
                StoreChange::Superseded(run, token, _) => {
                    write!(line, " superseded({run} {token})").unwrap();
                    let accepted = state.records.get(run).map(|&(token, _)| token);
                    state.require(accepted != Some(*token), || {
                        format!("the accepted record of run {run} is superseded")
                    });
                }
                StoreChange::Breakdown { run, attempt, kind, worker, .. } => {
                    write!(line, " broken({run} {attempt} {kind:?} {worker})").unwrap();
                    state.counts.lost += 1;
                }
                StoreChange::LossReverted { run, attempt } => {
                    write!(line, " found({run} {attempt})").unwrap()
                }
                StoreChange::Run(..) | StoreChange::ProjectChunk(_) => {}
            }
        }
        let newest = state.tokens.last().copied().unwrap_or(0);
        for change in changes {
            if let StoreChange::Run(number, run, holder) = change {
                write!(line, " run({number} {:?} {} {})", run.phase, run.attempt, run.token)
                    .unwrap();
                state.change_run(*number, *run, holder.as_deref(), newest);
            }
        }
        drop(state);
        self.log_line(line);
    }
}

/// Logs events, and checks the acknowledgements that workers log.
pub(crate) struct LogSubscriber(pub(crate) Arc<InvariantChecker>);

#[derive(Default)]
struct LoggedEvent {
    line: String,
    run: RunNumber,
    token: Token,
    kind: Option<String>,
}

impl Visit for LoggedEvent {
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

impl tracing::Subscriber for LogSubscriber {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.target().starts_with("catherd")
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        let mut logged = LoggedEvent::default();
        event.record(&mut logged);
        if logged.line.contains("a damaged spool file") {
            self.0.state().counts.damaged += 1;
            // The path of the file is different in each simulation.
            logged.line = "a damaged spool file".to_owned();
        }
        self.0.log_line(logged.line);
        if let Some(kind) = logged.kind {
            self.0.check_acknowledgement(logged.run, logged.token, &kind);
        }
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}
