//! From what was saved to what is known.

use std::collections::BTreeMap;
use std::time::Duration;

use catherd_experiments::Digest;

use super::{Scope, WriterConfig};
use crate::ledger::{Ledger, LedgerSnapshot, Phase, Run, RunNumber, StudySet};
use crate::progress::ProgressTracker;
use crate::queue::GroupNumber;
use crate::store::{Store, StoreError, StoredStudy, StudyNumber, StudyState};

/// The groups of runs by project and algorithm.
#[derive(Default)]
pub(super) struct Groups {
    numbers: BTreeMap<(Digest, String), GroupNumber>,
    /// Of their algorithms.
    labels: Vec<String>,
}

impl Groups {
    /// The number of a group; `add` gives a new one its own.
    pub(super) fn number(
        &mut self,
        project: Digest,
        label: &str,
        add: impl FnOnce() -> GroupNumber,
    ) -> GroupNumber {
        *self.numbers.entry((project, label.to_owned())).or_insert_with(|| {
            self.labels.push(label.to_owned());
            add()
        })
    }

    /// The label of a group's algorithm.
    pub(super) fn label(&self, group: GroupNumber) -> &str {
        self.labels.get(group as usize).map_or("", String::as_str)
    }
}

/// What a store says.
pub(super) struct Loaded {
    pub(super) ledger: Ledger,
    pub(super) tracker: ProgressTracker,
    pub(super) groups: Groups,
}

/// The studies of a scope whose runs are given out.
pub(super) fn active(studies: &[StoredStudy], scope: &Scope) -> Vec<StudyNumber> {
    let active = studies.iter().filter(|study| study.state == StudyState::Active);
    let served = active.filter(|study| match scope {
        Scope::All => true,
        Scope::Only(name) => *name == study.name,
    });
    served.map(|study| study.number).collect()
}

/// Loads the ledger and the tracker from the store.
pub(super) fn load(
    store: &mut Store,
    WriterConfig { scope, policy, .. }: &WriterConfig,
    now: Duration,
) -> Result<Loaded, StoreError> {
    let studies = store.studies()?;
    let active = active(&studies, scope);

    // Runs that nobody wants, and numbers without a run, are in the first set.
    let mut saved = LedgerSnapshot {
        sets: vec![StudySet::new(Vec::new(), false)],
        ..LedgerSnapshot::default()
    };
    let mut groups = Groups::default();
    store.runs(|row| {
        let add = || saved.queue.add_group(row.project);
        let group = groups.number(row.project, &row.label, add);
        if let Some(wall) = row.wall {
            saved.queue.measure(group, wall);
        }
        let nobody = Run::new(Phase::Quarantined, group);
        saved.runs.resize(row.number as usize, nobody);
        saved.runs.push(Run { group, ..row.run });
        if let Some(worker) = row.worker {
            saved.holders.insert(row.number, worker);
        }
        Ok(())
    })?;

    let mut numbers = BTreeMap::from([(Vec::new(), 0)]);
    let mut wanted: (RunNumber, Vec<StudyNumber>) = (0, Vec::new());
    let mut place_run = |(run, studies): (RunNumber, Vec<StudyNumber>)| {
        let set = *numbers.entry(studies).or_insert_with_key(|studies| {
            let given_out = studies.iter().any(|study| active.contains(study));
            saved.sets.push(StudySet::new(studies.clone(), given_out));
            (saved.sets.len() - 1) as u32
        });
        if let Some(run) = saved.runs.get_mut(run as usize) {
            run.set = set;
        }
    };
    store.members(|run, study| {
        if wanted.0 != run {
            place_run(std::mem::replace(&mut wanted, (run, Vec::new())));
        }
        wanted.1.push(study);
    })?;
    place_run(wanted);

    store.crashed_on(|run, worker| {
        saved.crashed_on.entry(run).or_default().insert(worker);
    })?;
    let coverage = store.coverage(None)?;
    let tracker = ProgressTracker::new(now, studies, active, coverage);
    Ok(Loaded { ledger: Ledger::restore(*policy, saved, now), tracker, groups })
}
