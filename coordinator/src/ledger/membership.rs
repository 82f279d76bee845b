//! Studies that are added, changed, paused and resumed while others are run.

use std::collections::BTreeMap;

use catherd_experiments::Digest;

use super::{Ledger, Phase, Run, RunNumber, StudySet, StudySetNumber};
use crate::queue::GroupNumber;
use crate::store::StudyNumber;

impl Ledger {
    /// Adds a group of runs on a project.
    pub fn add_group(&mut self, project: Digest) -> GroupNumber {
        self.queue.add_group(project)
    }

    /// Adds a run that no study wants as yet, unless it is there; numbers may be left out.
    pub fn add_run(&mut self, number: RunNumber, group: GroupNumber) {
        let set = self.set_of(&[]);
        let counts = &mut self.sets[set as usize].counts;
        while self.runs.len() <= number as usize {
            let last = self.runs.len() == number as usize;
            let phase = if last { Phase::Pending } else { Phase::Quarantined };
            self.runs.push(Run { set, ..Run::new(phase, group) });
            counts.count(phase);
        }
    }

    /// Makes these the runs of a study.
    pub fn assign(&mut self, study: StudyNumber, runs: &[RunNumber]) {
        let mut wanted = vec![false; self.runs.len()];
        for &run in runs {
            wanted[run as usize] = true;
        }
        let has: Vec<_> = self.sets.iter().map(|set| set.studies.contains(&study)).collect();
        let mut others = BTreeMap::new();
        for (number, wanted) in wanted.into_iter().enumerate() {
            let Run { set, phase, group, .. } = self.runs[number];
            if wanted == has[set as usize] {
                continue;
            }
            let other = *others.entry(set).or_insert_with(|| {
                let mut studies = self.sets[set as usize].studies.clone();
                if wanted {
                    studies.push(study);
                    studies.sort_unstable();
                } else {
                    studies.retain(|&other| other != study);
                }
                self.set_of(&studies)
            });
            self.runs[number].set = other;
            self.sets[set as usize].counts.uncount(phase);
            self.sets[other as usize].counts.count(phase);
            self.requeue(number as RunNumber, phase, group, other);
        }
    }

    /// Has the runs of these studies given out, and of no others.
    pub fn activate(&mut self, studies: &[StudyNumber]) {
        let changed = self.sets.iter_mut().map(|set| {
            let active = set.studies.iter().any(|study| studies.contains(study));
            std::mem::replace(&mut set.active, active) != active
        });
        let changed: Vec<_> = changed.collect();
        if !changed.contains(&true) {
            return;
        }
        for number in 0..self.runs.len() {
            let Run { set, phase, group, .. } = self.runs[number];
            if changed[set as usize] {
                self.requeue(number as RunNumber, phase, group, set);
            }
        }
    }

    /// Puts a run into the queue, or takes it out, as its set has it.
    fn requeue(&mut self, run: RunNumber, phase: Phase, group: GroupNumber, set: StudySetNumber) {
        if phase == Phase::Pending {
            if self.sets[set as usize].active {
                self.queue.push(group, run);
            } else {
                self.queue.remove(group, run);
            }
        }
    }

    /// The set of the runs that these studies want.
    fn set_of(&mut self, studies: &[StudyNumber]) -> StudySetNumber {
        let known = self.sets.iter().position(|set| set.studies == studies);
        let number = known.unwrap_or_else(|| {
            // Which of them are active is known to whoever gave them.
            self.sets.push(StudySet::new(studies.to_vec(), false));
            self.sets.len() - 1
        });
        number as StudySetNumber
    }
}
