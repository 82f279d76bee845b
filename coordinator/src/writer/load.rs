//! Rebuilds ledger, queue and progress counters from the store.

use std::collections::BTreeMap;
use std::time::Duration;

use catherd_experiments::Digest;

use super::{Scope, WriterConfig};
use crate::ids::{GroupNumber, RunNumber, StudyNumber, StudySetNumber};
use crate::ledger::{Ledger, LedgerSnapshot, Phase, RunStatus, StudySet};
use crate::progress::ProgressTracker;
use crate::store::{Store, StoreError, StoredStudy, StudyState};

/// The groups of runs by project and algorithm.
#[derive(Default)]
pub(super) struct Groups {
    numbers: BTreeMap<(Digest, String), GroupNumber>,
    /// The algorithm's label of each group.
    labels: Vec<String>,
}

impl Groups {
    /// The number of a group; `add` creates the number of a new one.
    pub(super) fn find_or_add(
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

/// The state that a store contains.
pub(super) struct LoadedState {
    pub(super) ledger: Ledger,
    pub(super) tracker: ProgressTracker,
    pub(super) groups: Groups,
}

/// The active studies within a scope.
pub(super) fn active_studies(studies: &[StoredStudy], scope: &Scope) -> Vec<StudyNumber> {
    let active = studies.iter().filter(|study| study.state == StudyState::Active);
    let served = active.filter(|study| match scope {
        Scope::All => true,
        Scope::Only(name) => *name == study.name,
    });
    served.map(|study| study.number).collect()
}

/// Loads ledger and progress counters from the store.
pub(super) fn load(
    store: &mut Store,
    WriterConfig { scope, policy, .. }: &WriterConfig,
    now: Duration,
) -> Result<LoadedState, StoreError> {
    let studies = store.studies()?;
    let active = active_studies(&studies, scope);
    let mut groups = Groups::default();
    let mut snapshot = load_runs(store, &mut groups)?;
    load_members(store, &active, &mut snapshot)?;
    store.crashed_on(|run, worker| {
        snapshot.crashed_on.entry(run).or_default().insert(worker);
    })?;
    let coverage = store.coverage(None)?;
    let tracker = ProgressTracker::new(now, studies, active, coverage);
    Ok(LoadedState { ledger: Ledger::restore(*policy, snapshot, now), tracker, groups })
}

/// Loads all runs. They are in set 0, which contains no study.
fn load_runs(store: &mut Store, groups: &mut Groups) -> Result<LedgerSnapshot, StoreError> {
    let sets = vec![StudySet::new(Vec::new(), false)];
    let mut snapshot = LedgerSnapshot { sets, ..LedgerSnapshot::default() };
    store.runs(|row| {
        let add = || snapshot.queue.add_group(row.project);
        let group = groups.find_or_add(row.project, &row.label, add);
        if let Some(wall) = row.wall {
            snapshot.queue.record_time(group, wall);
        }
        // Numbers without a run become placeholders that are never leased.
        let placeholder = RunStatus::new(Phase::Quarantined, group);
        snapshot.runs.resize(row.number as usize, placeholder);
        snapshot.runs.push(RunStatus { group, ..row.status });
        if let Some(worker) = row.worker {
            snapshot.holders.insert(row.number, worker);
        }
        Ok(())
    })?;
    Ok(snapshot)
}

/// Assigns each run to the set of the studies that contain it.
fn load_members(
    store: &mut Store,
    active: &[StudyNumber],
    snapshot: &mut LedgerSnapshot,
) -> Result<(), StoreError> {
    let mut numbers: BTreeMap<_, StudySetNumber> = BTreeMap::from([(Vec::new(), 0)]);
    let mut current: (RunNumber, Vec<StudyNumber>) = (0, Vec::new());
    let mut assign_set = |(run, studies): (RunNumber, Vec<StudyNumber>)| {
        let set = *numbers.entry(studies).or_insert_with_key(|studies| {
            let any_active = studies.iter().any(|study| active.contains(study));
            snapshot.sets.push(StudySet::new(studies.clone(), any_active));
            (snapshot.sets.len() - 1) as StudySetNumber
        });
        if let Some(run) = snapshot.runs.get_mut(run as usize) {
            run.set = set;
        }
    };
    store.members(|run, study| {
        if current.0 != run {
            assign_set(std::mem::replace(&mut current, (run, Vec::new())));
        }
        current.1.push(study);
    })?;
    assign_set(current);
    Ok(())
}
