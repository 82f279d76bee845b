//! Rebuilds the ledger, the queue and the progress counters from the store.

use std::collections::BTreeMap;
use std::time::Duration;

use catherd_experiments::{Digest, RunSpec};

use super::{Scope, WriterConfig};
use crate::ids::{EngineNumber, GroupNumber, RunNumber, StudyNumber, StudySetNumber};
use crate::ledger::{Ledger, LedgerSnapshot, Phase, RunStatus, StudyClaim, StudySet};
use crate::progress::ProgressTracker;
use crate::queue::{Queue, SubjectEngine, place};
use crate::store::{Claim, Store, StoreError, StoredStudy, StudyState};

const PAGE: usize = 1 << 12;

/// The groups of runs, by project, engine and algorithm.
#[derive(Default)]
pub(super) struct Groups {
    numbers: BTreeMap<(Digest, EngineNumber, String), GroupNumber>,
    /// The labels of the algorithms, by the number of the group.
    labels: Vec<String>,
}

impl Groups {
    /// `add` returns the number of a new group.
    pub(super) fn find_or_add(
        &mut self,
        project: Digest,
        engine: EngineNumber,
        label: &str,
        add: impl FnOnce() -> GroupNumber,
    ) -> GroupNumber {
        *self.numbers.entry((project, engine, label.to_owned())).or_insert_with(|| {
            self.labels.push(label.to_owned());
            add()
        })
    }

    pub(super) fn find(
        &self,
        project: Digest,
        engine: EngineNumber,
        label: &str,
    ) -> Option<GroupNumber> {
        self.numbers.get(&(project, engine, label.to_owned())).copied()
    }

    pub(super) fn mean_times(
        &self,
        queue: &Queue,
        engine: Option<EngineNumber>,
    ) -> BTreeMap<&str, Duration> {
        let mut sums: BTreeMap<&str, (u32, Duration)> = BTreeMap::new();
        for ((_, of, label), &group) in &self.numbers {
            if Some(*of) == engine {
                let (count, total) = queue.measured(group);
                let sum = sums.entry(label).or_default();
                *sum = (sum.0 + count, sum.1 + total);
            }
        }
        let measured = sums.into_iter().filter(|(_, (count, _))| *count > 0);
        measured.map(|(label, (count, total))| (label, total / count)).collect()
    }

    pub(super) fn label(&self, group: GroupNumber) -> &str {
        self.labels.get(group as usize).map_or("", String::as_str)
    }
}

pub(super) struct LoadedState {
    pub(super) ledger: Ledger,
    pub(super) tracker: ProgressTracker,
    pub(super) groups: Groups,
}

pub(super) fn active_studies(studies: &[StoredStudy], scope: &Scope) -> Vec<StudyNumber> {
    let active = studies.iter().filter(|study| study.state == StudyState::Active);
    let served = active.filter(|study| match scope {
        Scope::All => true,
        Scope::Only(name) => *name == study.name,
    });
    served.map(|study| study.number).collect()
}

pub(super) fn claims(studies: &[StoredStudy], active: &[StudyNumber]) -> Vec<StudyClaim> {
    let active = studies.iter().filter(|study| active.contains(&study.number));
    let claims = active.map(|study| {
        let Claim { priority, share, quota } = study.claim;
        StudyClaim { study: study.number, owner: study.owner.clone(), priority, share, quota }
    });
    claims.collect()
}

pub(super) fn load(
    store: &mut Store,
    WriterConfig { scope, policy, .. }: &WriterConfig,
    now: Duration,
) -> Result<LoadedState, StoreError> {
    let studies = store.studies()?;
    let active = active_studies(&studies, scope);
    let mut groups = Groups::default();
    let members = load_members(store, &active)?;
    let mut snapshot = load_runs(store, &mut groups, members)?;
    store.crashed_on(|run, worker| {
        snapshot.crashed_on.entry(run).or_default().insert(worker);
    })?;
    let coverage = store.coverage(None)?;
    let mut ledger = Ledger::restore(*policy, snapshot, now);
    ledger.activate_claims(claims(&studies, &active));
    ledger.set_rules(store.worker_rules()?);
    let tracker = ProgressTracker::new(now, studies, active, coverage);
    Ok(LoadedState { ledger, tracker, groups })
}

struct Members {
    sets: Vec<StudySet>,
    /// A run of each set; `None` for set 0, which contains no study.
    samples: Vec<Option<RunNumber>>,
    /// Runs beyond the end are in set 0.
    set_of: Vec<StudySetNumber>,
}

fn load_members(store: &mut Store, active: &[StudyNumber]) -> Result<Members, StoreError> {
    let sets = vec![StudySet::new(Vec::new(), false)];
    let mut members = Members { sets, samples: vec![None], set_of: Vec::new() };
    let mut numbers: BTreeMap<_, StudySetNumber> = BTreeMap::from([(Vec::new(), 0)]);
    let mut current: (RunNumber, Vec<StudyNumber>) = (0, Vec::new());
    let mut assign_set = |(run, studies): (RunNumber, Vec<StudyNumber>)| {
        let set = *numbers.entry(studies).or_insert_with_key(|studies| {
            let any_active = studies.iter().any(|study| active.contains(study));
            members.sets.push(StudySet::new(studies.clone(), any_active));
            members.samples.push(Some(run));
            (members.sets.len() - 1) as StudySetNumber
        });
        if set != 0 {
            members.set_of.resize(run as usize, 0);
            members.set_of.push(set);
        }
    };
    store.members(|run, study| {
        if current.0 != run {
            assign_set(std::mem::replace(&mut current, (run, Vec::new())));
        }
        current.1.push(study);
    })?;
    assign_set(current);
    Ok(members)
}

fn load_runs(
    store: &mut Store,
    groups: &mut Groups,
    Members { sets, samples, set_of }: Members,
) -> Result<LedgerSnapshot, StoreError> {
    let mut snapshot = LedgerSnapshot { sets, ..LedgerSnapshot::default() };
    // All runs of a study have the same engine, and all runs of a set belong to the same studies.
    // There may be millions of runs, so the engine is read from one specification per set.
    let mut engines = Vec::with_capacity(samples.len());
    let mut in_real_time = vec![false; samples.len()];
    for (sample, in_real_time) in samples.into_iter().zip(&mut in_real_time) {
        let engine = match sample {
            Some(run) => {
                let spec: RunSpec = serde_json::from_slice(&store.specs(&[run])?.concat())?;
                *in_real_time = spec.budget.wall_ms.is_some();
                SubjectEngine { kind: spec.subject, engine: spec.engine }
            }
            // Runs that belong to no study are not leased.
            None => SubjectEngine::default(),
        };
        engines.push(snapshot.queue.engine_number(&engine));
    }
    let mut placed: Vec<RunNumber> = Vec::new();
    store.runs(|row| {
        let set = set_of.get(row.number as usize).copied().unwrap_or(0);
        let engine = engines[set as usize];
        let add = || snapshot.queue.add_group(row.project, engine);
        let group = groups.find_or_add(row.project, engine, &row.label, add);
        if let Some(wall) = row.wall {
            snapshot.queue.record_time(group, wall);
        }
        if in_real_time[set as usize] && !row.status.phase.is_final() {
            placed.push(row.number);
        }
        // Numbers without a run become placeholders that are never leased.
        let placeholder = RunStatus::new(Phase::Quarantined, group);
        snapshot.runs.resize(row.number as usize, placeholder);
        snapshot.runs.push(RunStatus { group, set, ..row.status });
        if let Some(worker) = row.worker {
            snapshot.holders.insert(row.number, worker);
        }
        Ok(())
    })?;
    for page in placed.chunks(PAGE) {
        for (&run, spec) in page.iter().zip(store.specs(page)?) {
            if let Some(place) = place(&serde_json::from_slice(&spec)?) {
                snapshot.queue.set_place(run, place);
            }
        }
    }
    Ok(snapshot)
}
