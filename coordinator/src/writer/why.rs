//! Explains why a run is in its state.

use std::time::Duration;

use super::leader::Leader;
use crate::ids::RunNumber;
use crate::ledger::{Phase, RunStatus};
use crate::store::StudyState;

#[derive(Clone, Debug)]
pub(crate) struct Explanation {
    pub(crate) studies: Vec<String>,
    pub(crate) phase: Phase,
    pub(crate) attempts: u32,
    /// The most important reason is first.
    pub(crate) reasons: Vec<String>,
}

impl Leader {
    pub(super) fn explain(&self, number: RunNumber) -> Explanation {
        let Some(run) = self.ledger.run(number).copied() else {
            let (studies, phase) = (Vec::new(), Phase::Pending);
            let reasons = vec!["the coordinator has not loaded it yet".to_owned()];
            return Explanation { studies, phase, attempts: 0, reasons };
        };
        let studies = self.studies_of(number).map(|(name, _)| name.to_owned()).collect();
        let reasons = match run.phase {
            Phase::Pending => self.why_pending(number, run),
            Phase::Leased => vec![self.why_leased(number, run)],
            Phase::Done => vec!["it has a record".to_owned()],
            Phase::Failed => vec!["it has a record of a failure".to_owned()],
            Phase::Quarantined => {
                vec![
                    "it is not attempted again: too many attempts ended without a record"
                        .to_owned(),
                ]
            }
        };
        Explanation { studies, phase: run.phase, attempts: run.attempt, reasons }
    }

    fn studies_of(&self, run: RunNumber) -> impl Iterator<Item = (&str, StudyState)> {
        let numbers = self.ledger.studies_of(run);
        let studies = numbers.iter().filter_map(|number| self.tracker.study_at(*number));
        studies.map(|study| (&*study.name, study.state))
    }

    fn why_leased(&self, number: RunNumber, run: RunStatus) -> String {
        let Some(worker) = self.ledger.holder(number) else { return "it is leased".to_owned() };
        match self.ledger.is_first_lease(run.token) {
            true => format!("worker {worker} executes it"),
            false => format!("worker {worker} holds its lease, and executes another run before it"),
        }
    }

    fn why_pending(&self, number: RunNumber, run: RunStatus) -> Vec<String> {
        let mut reasons = Vec::new();
        let studies: Vec<_> = self.studies_of(number).collect();
        if studies.is_empty() {
            reasons.push("no study contains it: the study was deleted, or changed".to_owned());
            return reasons;
        }
        if studies.iter().all(|(_, state)| *state != StudyState::Active) {
            let states = studies.iter().map(|(name, state)| {
                format!("study `{name}` is {}; `catherd resume {name}` continues it", state.name())
            });
            reasons.extend(states);
            return reasons;
        }
        if self.ledger.queue().project_of(run.group).is_some_and(|p| self.withheld.contains(&p)) {
            reasons.push(
                "its project is damaged in the store; submit the study again, which stores the \
                 project again"
                    .to_owned(),
            );
        }
        reasons.extend(self.why_no_worker(number, run));
        for &study in self.ledger.studies_of(number) {
            let Some(stored) = self.tracker.study_at(study) else { continue };
            let usage = self.ledger.usage(study);
            let name = &stored.name;
            if let Some(quota) = stored.claim.quota.filter(|quota| usage.workers >= *quota) {
                reasons.push(format!(
                    "study `{name}` has as many workers as its quota allows ({quota}); `catherd share \
                     {name} --quota N` changes it"
                ));
            }
        }
        if reasons.is_empty() {
            reasons.extend(self.ledger.studies_of(number).iter().filter_map(|&study| {
                let stored = self.tracker.study_at(study)?;
                let waiting = self.ledger.counts_of(study).of(Phase::Pending);
                let (mine, all) = (self.ledger.usage(study).workers, self.ledger.workers().len());
                let left = self.ledger.expected_left(study).map(|left| {
                    format!(", which need about {} of a worker's time", in_words(left))
                });
                Some(format!(
                    "it waits for its turn: study `{}` has {mine} of {all} workers (share {}, priority \
                     {}), and {waiting} of its runs wait{}",
                    stored.name,
                    stored.claim.share,
                    stored.claim.priority,
                    left.unwrap_or_default()
                ))
            }));
        }
        reasons
    }

    /// Reasons why no worker executes the run. Empty if no reason is known.
    fn why_no_worker(&self, number: RunNumber, run: RunStatus) -> Vec<String> {
        let engine = self.ledger.queue().engine_of(run.group);
        if self.ledger.workers().len() == 0 {
            return vec!["there is no worker".to_owned()];
        }
        let serving = self.ledger.serving(engine);
        if serving.is_empty() {
            return vec![format!(
                "no worker executes `{}` with engine {}; `catherd worker` of the same version does \
                 (for external tools, with --programs)",
                engine.kind, engine.engine
            )];
        }
        if serving.iter().all(|worker| !worker.usable) {
            return vec![
                "every worker that could execute it is drained or blocked; `catherd undrain NAME` admits \
                 workers again"
                    .to_owned(),
            ];
        }
        let mut reasons = Vec::new();
        let expected = self.ledger.queue().expected_time(run.group);
        if let (Some(expected), Some(longest)) = (expected, self.ledger.longest_allocation())
            && expected > longest
        {
            reasons.push(format!(
                "it is expected to take {}, longer than the allocation of any worker ({}); start workers \
                 with a longer one, or lower the budget",
                in_words(expected),
                in_words(longest)
            ));
        }
        let crashed: Vec<&str> = self.ledger.crashed_on(number).collect();
        let untried = serving.iter().any(|worker| worker.usable && !crashed.contains(&worker.name));
        if !crashed.is_empty() && untried {
            let on = crashed.join(", ");
            reasons.push(format!("it crashed on {on}, and waits for another worker"));
        }
        reasons
    }
}

/// Describes a time in at most two units.
pub(crate) fn in_words(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0 => format!("{} ms", time.as_millis()),
        1..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}
