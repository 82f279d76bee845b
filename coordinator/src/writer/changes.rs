//! Collects the ledger's effects on the store for a transaction.

use std::collections::BTreeSet;

use crate::ids::{RunNumber, Token};
use crate::ledger::{Effect, Ledger};
use crate::store::{Breakdown, StoreChange, StoredRecord};

/// The content of a commit, except the run and the lease.
pub(super) enum Payload {
    Record(Box<StoredRecord>),
    Breakdown(Breakdown, String),
    Nothing,
}

pub(super) struct Commit<'a> {
    pub(super) worker: &'a str,
    pub(super) token: Token,
    pub(super) payload: Payload,
}

/// Each changed run is stored once, with its status at the end of the batch.
#[derive(Default)]
pub(super) struct Changes {
    changed_runs: BTreeSet<RunNumber>,
    others: Vec<StoreChange>,
}

impl Changes {
    pub(super) fn is_empty(&self) -> bool {
        self.changed_runs.is_empty() && self.others.is_empty()
    }

    pub(super) fn push(&mut self, change: StoreChange) {
        self.others.push(change);
    }

    pub(super) fn into_vec(self, ledger: &Ledger) -> Vec<StoreChange> {
        let mut all = self.others;
        all.extend(self.changed_runs.into_iter().filter_map(|number| {
            let run = *ledger.run(number)?;
            Some(StoreChange::Run(number, run, ledger.holder(number).map(str::to_owned)))
        }));
        all
    }

    pub(super) fn collect(&mut self, effects: &[Effect]) {
        self.collect_with(effects, None);
    }

    pub(super) fn collect_commit(&mut self, effects: &[Effect], commit: Commit<'_>) {
        self.collect_with(effects, Some(commit));
    }

    fn collect_with(&mut self, effects: &[Effect], mut commit: Option<Commit<'_>>) {
        for effect in effects {
            match effect {
                Effect::Save(run) => {
                    self.changed_runs.insert(*run);
                }
                Effect::Lost { run, attempt, worker } => {
                    tracing::info!(run, attempt, worker, "a worker was lost");
                    self.others.push(StoreChange::Breakdown {
                        run: *run,
                        attempt: *attempt,
                        kind: Breakdown::Lost,
                        worker: worker.clone(),
                        reason: format!("worker {worker} was lost"),
                    });
                }
                Effect::LossReverted { run, attempt } => {
                    tracing::info!(run, attempt, "a lost worker has reappeared");
                    self.others.push(StoreChange::LossReverted { run: *run, attempt: *attempt });
                }
                Effect::Accept(run) => {
                    if let Some(Commit { token, payload: Payload::Record(record), .. }) =
                        commit.take()
                    {
                        self.others.push(StoreChange::Record(*run, token, *record));
                    }
                }
                Effect::Supersede(run) => {
                    if let Some(Commit { token, payload: Payload::Record(record), .. }) =
                        commit.take()
                    {
                        self.others.push(StoreChange::Superseded(*run, token, *record));
                    }
                }
                Effect::Crashed { run, attempt } => {
                    if let Some(Commit {
                        worker, payload: Payload::Breakdown(kind, reason), ..
                    }) = commit.take()
                    {
                        tracing::info!(run, attempt, worker, ?kind, reason, "an attempt crashed");
                        let (run, attempt, worker) = (*run, *attempt, worker.to_owned());
                        self.others.push(StoreChange::Breakdown {
                            run,
                            attempt,
                            kind,
                            worker,
                            reason,
                        });
                    }
                }
                Effect::Grant(_) | Effect::DropLease(_) | Effect::Drain | Effect::Verdict(_) => {}
            }
        }
    }
}
