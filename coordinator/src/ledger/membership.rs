//! Which studies contain a run, and which studies are active.

use std::collections::BTreeMap;

use catherd_experiments::Digest;

use super::{Ledger, Phase, RunStatus, StudyClaim, StudySet, Usage};
use crate::ids::{EngineNumber, GroupNumber, RunNumber, StudyNumber, StudySetNumber};
use crate::queue::SubjectEngine;

impl Ledger {
    /// The number of an engine in the queue.
    pub fn engine_number(&mut self, engine: &SubjectEngine) -> EngineNumber {
        self.queue.engine_number(engine)
    }

    /// Adds a group of runs on a project to the queue.
    pub fn add_group(&mut self, project: Digest, engine: EngineNumber) -> GroupNumber {
        self.queue.add_group(project, engine)
    }

    /// Adds a run that no study contains yet, unless the number is known. Skipped numbers become
    /// placeholders without a run. A known run whose engine was unknown may move to the group.
    pub fn add_run(&mut self, number: RunNumber, group: GroupNumber) {
        if let Some(RunStatus { phase, group: former, set, .. }) = self.run(number).copied() {
            let unknown = *self.queue.engine_of(former) == SubjectEngine::default();
            if unknown && phase != Phase::Leased && self.sets[set as usize].studies.is_empty() {
                self.runs[number as usize].group = group;
            }
            return;
        }
        let set = self.find_or_add_set(&[]);
        let counts = &mut self.sets[set as usize].counts;
        while self.runs.len() <= number as usize {
            let last = self.runs.len() == number as usize;
            let phase = if last { Phase::Pending } else { Phase::Quarantined };
            self.runs.push(RunStatus { set, ..RunStatus::new(phase, group) });
            counts.add_run(phase);
        }
    }

    /// Makes a study contain exactly these runs.
    pub fn assign(&mut self, study: StudyNumber, runs: &[RunNumber]) {
        let mut wanted = vec![false; self.runs.len()];
        for &run in runs {
            wanted[run as usize] = true;
        }
        let contains: Vec<_> = self.sets.iter().map(|set| set.studies.contains(&study)).collect();
        let mut target_sets = BTreeMap::new();
        for (number, wanted) in wanted.into_iter().enumerate() {
            let RunStatus { set, phase, group, .. } = self.runs[number];
            if wanted == contains[set as usize] {
                continue;
            }
            let target = *target_sets.entry(set).or_insert_with(|| {
                let mut studies = self.sets[set as usize].studies.clone();
                if wanted {
                    studies.push(study);
                    studies.sort_unstable();
                } else {
                    studies.retain(|&other| other != study);
                }
                self.find_or_add_set(&studies)
            });
            self.runs[number].set = target;
            self.sets[set as usize].counts.remove_run(phase);
            self.sets[target as usize].counts.add_run(phase);
            self.queue.remove(set, group, number as RunNumber);
            self.requeue(number as RunNumber, phase, group, target);
        }
        self.update_lanes();
    }

    /// Sets the place of a run in the order of its group unless the run already has a place
    /// ([`Queue::set_place`](crate::queue::Queue)).
    pub fn set_place(&mut self, run: RunNumber, place: u32) {
        if !self.queue.has_place(run) {
            self.queue.set_place(run, place);
        }
    }

    /// Activates the studies of these claims and deactivates all others.
    pub fn activate_claims(&mut self, claims: Vec<StudyClaim>) {
        let studies: Vec<StudyNumber> = claims.iter().map(|claim| claim.study).collect();
        self.shares.set_claims(claims);
        self.activate_sets(&studies);
        self.update_lanes();
    }

    /// The use of workers by a study.
    pub fn usage(&self, study: StudyNumber) -> Usage {
        self.shares.usage(study)
    }

    /// The expected time of the pending runs of a study, if it is known.
    pub fn expected_left(&self, study: StudyNumber) -> Option<std::time::Duration> {
        self.queue.expected_in(self.shares.lanes(study))
    }

    fn update_lanes(&mut self) {
        let sets = (0..).zip(&self.sets);
        self.shares.set_lanes(sets.map(|(number, set)| (number, &*set.studies)));
    }

    /// Activates these studies with equal shares and deactivates all others.
    pub fn activate(&mut self, studies: &[StudyNumber]) {
        self.activate_claims(studies.iter().copied().map(StudyClaim::usual).collect());
    }

    fn activate_sets(&mut self, studies: &[StudyNumber]) {
        let changed = self.sets.iter_mut().map(|set| {
            let active = set.studies.iter().any(|study| studies.contains(study));
            std::mem::replace(&mut set.active, active) != active
        });
        let changed: Vec<_> = changed.collect();
        if !changed.contains(&true) {
            return;
        }
        for number in 0..self.runs.len() {
            let RunStatus { set, phase, group, .. } = self.runs[number];
            if changed[set as usize] {
                self.requeue(number as RunNumber, phase, group, set);
            }
        }
    }

    fn requeue(&mut self, run: RunNumber, phase: Phase, group: GroupNumber, set: StudySetNumber) {
        if phase == Phase::Pending {
            if self.sets[set as usize].active {
                self.queue.push(set, group, run);
            } else {
                self.queue.remove(set, group, run);
            }
        }
    }

    fn find_or_add_set(&mut self, studies: &[StudyNumber]) -> StudySetNumber {
        let known = self.sets.iter().position(|set| set.studies == studies);
        let number = known.unwrap_or_else(|| {
            self.sets.push(StudySet::new(studies.to_vec(), false));
            self.sets.len() - 1
        });
        number as StudySetNumber
    }
}
