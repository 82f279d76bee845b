//! What a group of requests changes.

use std::collections::BTreeSet;

use crate::ledger::{Effect, RunNumber, Token};
use crate::store::{Breakdown, Change, StoredRecord};

/// What comes with a commit.
pub(super) enum Payload {
    Record(Box<StoredRecord>),
    Reason(Breakdown, String),
    Nothing,
}

/// The changes of a group. Runs are saved once, as they stand at its end.
#[derive(Default)]
pub(super) struct Changes {
    pub(super) dirty: BTreeSet<RunNumber>,
    pub(super) others: Vec<Change>,
}

impl Changes {
    pub(super) fn note(&mut self, effects: &[Effect], commit: Option<(&str, Token, Payload)>) {
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
                Effect::LossReverted { run, attempt } => {
                    tracing::info!(run, attempt, "a worker is back");
                    self.others.push(Change::LossReverted { run: *run, attempt: *attempt });
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
