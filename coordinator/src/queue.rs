//! The queue: pending runs, and the choice of a batch for a worker.
//!
//! Runs of the same project and algorithm form a *group*. They differ only in the seed, so the
//! measured times of some predict the times of the others.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, btree_map};
use std::time::Duration;

use catherd_experiments::{Digest, Engines};
use serde::Deserialize;

use crate::ids::{EngineNumber, GroupNumber, RunNumber};

/// Expected duration of a batch: many tiny runs, or one long run.
const BATCH_TIME: Duration = Duration::from_secs(1);

/// Largest number of runs in a batch.
const MAX_BATCH_RUNS: usize = 256;

/// Largest number of runs in a batch from a group without measured times. It is small, because the
/// estimate from other groups may be far off.
const MAX_UNMEASURED_RUNS: usize = 4;

/// The mean of measured run times.
#[derive(Clone, Debug, Default)]
struct MeanTime {
    count: u32,
    total: Duration,
}

impl MeanTime {
    fn add(&mut self, time: Duration) {
        self.count += 1;
        self.total += time;
    }

    fn get(&self) -> Option<Duration> {
        (self.count > 0).then(|| self.total / self.count)
    }
}

/// A subject kind with the engine id that runs need. A worker only executes runs of its own
/// engines, because the records of another engine would differ.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct SubjectEngine {
    /// Name of the subject kind.
    #[serde(rename = "subject")]
    pub kind: String,
    /// Its engine id.
    pub engine: String,
}

impl SubjectEngine {
    /// Whether a worker with these engines executes its runs.
    pub fn is_in(&self, engines: &Engines) -> bool {
        engines.get(&self.kind) == Some(&self.engine)
    }
}

/// The runs of an engine.
#[derive(Clone, Debug)]
struct EngineRuns {
    engine: SubjectEngine,
    pending: usize,
    leased: u32,
}

#[derive(Clone, Debug)]
struct Group {
    project: usize,
    engine: EngineNumber,
    pending: BTreeSet<RunNumber>,
    leased: u32,
    measured: MeanTime,
}

#[derive(Clone, Debug, Default)]
struct Project {
    groups: Vec<GroupNumber>,
    leased: u32,
    measured: MeanTime,
}

/// Runs that one worker is given together.
struct Batch {
    runs: Vec<RunNumber>,
    time: Duration,
    /// Largest number of runs.
    max_runs: usize,
}

impl Batch {
    fn is_full(&self) -> bool {
        self.runs.len() >= self.max_runs || self.time >= BATCH_TIME
    }

    fn add(&mut self, run: RunNumber, time: Duration) {
        self.runs.push(run);
        self.time += time;
    }
}

/// Expected time of a set of runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExpectedWork {
    /// The sum over all of them.
    pub total: Duration,
    /// The time of the longest.
    pub longest: Duration,
}

impl ExpectedWork {
    fn add(&mut self, time: Duration, runs: u64) {
        if runs > 0 {
            self.total += time.mul_f64(runs as f64);
            self.longest = self.longest.max(time);
        }
    }

    /// Expected time until the last run ends on some number of workers, at least one.
    pub fn on(&self, workers: usize) -> Duration {
        let share = self.total / u32::try_from(workers.max(1)).unwrap_or(u32::MAX);
        share.max(self.longest)
    }
}

/// The pending runs of the active studies, by group.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    groups: Vec<Group>,
    projects: Vec<Project>,
    by_digest: BTreeMap<Digest, usize>,
    /// Groups with pending runs.
    nonempty: BTreeSet<GroupNumber>,
    engines: Vec<EngineRuns>,
    measured: MeanTime,
    /// Groups with pending runs, of projects without a measured run.
    untried: BTreeSet<GroupNumber>,
    /// Groups whose runs are expected to take at least [`BATCH_TIME`].
    long: BTreeSet<GroupNumber>,
}

impl Queue {
    /// The number of an engine, from 0. There are few engines, so that a search is fast.
    pub fn engine_number(&mut self, engine: &SubjectEngine) -> EngineNumber {
        let known = self.engines.iter().position(|runs| runs.engine == *engine);
        let number = known.unwrap_or_else(|| {
            self.engines.push(EngineRuns { engine: engine.clone(), pending: 0, leased: 0 });
            self.engines.len() - 1
        });
        number as EngineNumber
    }

    /// The engine of the runs of a group.
    pub fn engine_of(&self, group: GroupNumber) -> &SubjectEngine {
        &self.engines[self.groups[group as usize].engine as usize].engine
    }

    /// The engines that pending runs need, of which no run is leased and for which `serves` returns
    /// false, each with its number of pending runs.
    pub fn unserved(
        &self,
        serves: impl Fn(&SubjectEngine) -> bool,
    ) -> impl Iterator<Item = (&SubjectEngine, usize)> {
        let waiting = self.engines.iter().filter(|runs| runs.pending > 0 && runs.leased == 0);
        waiting.filter(move |runs| !serves(&runs.engine)).map(|runs| (&runs.engine, runs.pending))
    }

    /// Adds a group of runs on a project. Groups are numbered from 0.
    pub fn add_group(&mut self, project: Digest, engine: EngineNumber) -> GroupNumber {
        let project = match self.by_digest.entry(project) {
            btree_map::Entry::Occupied(entry) => *entry.get(),
            btree_map::Entry::Vacant(entry) => {
                let number = self.projects.len();
                self.projects.push(Project::default());
                *entry.insert(number)
            }
        };
        self.groups.push(Group {
            project,
            engine,
            pending: BTreeSet::new(),
            leased: 0,
            measured: MeanTime::default(),
        });
        let number = (self.groups.len() - 1) as GroupNumber;
        self.projects[project].groups.push(number);
        self.sort_by_length(number);
        number
    }

    /// Adds a pending run; no effect if it is already queued.
    pub fn push(&mut self, group: GroupNumber, run: RunNumber) {
        let Group { pending, engine, project, .. } = &mut self.groups[group as usize];
        if pending.insert(run) {
            self.engines[*engine as usize].pending += 1;
            self.nonempty.insert(group);
            if self.projects[*project].measured.count == 0 {
                self.untried.insert(group);
            }
        }
    }

    /// Removes a run; no effect if it is not queued.
    pub fn remove(&mut self, group: GroupNumber, run: RunNumber) {
        let Group { pending, engine, .. } = &mut self.groups[group as usize];
        if pending.remove(&run) {
            self.engines[*engine as usize].pending -= 1;
            if pending.is_empty() {
                self.nonempty.remove(&group);
                self.untried.remove(&group);
            }
        }
    }

    /// Increments the group's number of leased runs.
    pub fn note_leased(&mut self, group: GroupNumber) {
        let group = &mut self.groups[group as usize];
        group.leased += 1;
        self.projects[group.project].leased += 1;
        self.engines[group.engine as usize].leased += 1;
    }

    /// Decrements the group's number of leased runs.
    pub fn note_released(&mut self, group: GroupNumber) {
        let group = &mut self.groups[group as usize];
        group.leased -= 1;
        self.projects[group.project].leased -= 1;
        self.engines[group.engine as usize].leased -= 1;
    }

    /// Records the measured time of a run of the group.
    pub fn record_time(&mut self, group: GroupNumber, time: Duration) {
        let group = &mut self.groups[group as usize];
        group.measured.add(time);
        let number = group.project;
        let project = &mut self.projects[number];
        project.measured.add(time);
        self.measured.add(time);
        for group in self.projects[number].groups.clone() {
            self.untried.remove(&group);
            self.sort_by_length(group);
        }
    }

    /// Updates the set of long groups. Times of other projects do not make a group long.
    fn sort_by_length(&mut self, number: GroupNumber) {
        let group = &self.groups[number as usize];
        let measured = group.measured.get().or(self.projects[group.project].measured.get());
        if measured.is_some_and(|time| time >= BATCH_TIME) {
            self.long.insert(number);
        } else {
            self.long.remove(&number);
        }
    }

    /// Expected time of all pending and leased runs; `None` if nothing was measured. `executing`
    /// contains the group of each run that is being executed, and the time since it began.
    pub fn expected_work(&self, executing: &[(GroupNumber, Duration)]) -> Option<ExpectedWork> {
        let mut work = ExpectedWork::default();
        let mut begun: BTreeMap<GroupNumber, u64> = BTreeMap::new();
        for (number, elapsed) in executing {
            *begun.entry(*number).or_default() += 1;
            let expected = self.expected(&self.groups[*number as usize])?;
            // A run that has exceeded its expected time is expected to need the excess once more.
            work.add(expected.abs_diff(*elapsed), 1);
        }
        for (group, number) in self.groups.iter().zip(0..) {
            let runs = group.pending.len() as u64 + u64::from(group.leased);
            if runs > 0 {
                let begun = begun.get(&number).copied().unwrap_or_default();
                work.add(self.expected(group)?, runs.saturating_sub(begun));
            }
        }
        Some(work)
    }

    /// Removes a batch of runs of these `engines` from the queue and returns it in the order of
    /// execution. It is filled in this order: one run each of a few projects of which no run was
    /// measured or is leased, so that slow projects are recognised early; the longest runs, because
    /// they could delay the end of the study, and because loading a project takes little time
    /// compared to them; short runs of projects in `loaded`; short runs of projects without leased
    /// runs, so that few workers load each project; other short runs, the longest first. The batch
    /// is at most half of an equal share of the pending runs among `workers` workers, and contains
    /// no run for which `excluded` returns true.
    pub fn take_batch(
        &mut self,
        engines: &Engines,
        loaded: &BTreeSet<Digest>,
        workers: usize,
        excluded: impl Fn(RunNumber) -> bool,
    ) -> Vec<RunNumber> {
        let mut batch = Batch { runs: Vec::new(), time: Duration::ZERO, max_runs: 0 };
        let served: Vec<bool> =
            self.engines.iter().map(|runs| runs.engine.is_in(engines)).collect();
        let pending = self.engines.iter().zip(&served).filter(|(_, served)| **served);
        let pending: usize = pending.map(|(runs, _)| runs.pending).sum();
        batch.max_runs = pending.div_ceil(2 * workers.max(1)).min(MAX_BATCH_RUNS);
        if pending == 0 {
            return Vec::new();
        }
        let is_served = |queue: &Queue, group: GroupNumber| {
            served[queue.groups[group as usize].engine as usize]
        };
        for group in self.probes(&served) {
            self.take_from(group, 1, &mut batch, &excluded);
        }
        let long = self.long.intersection(&self.nonempty).copied();
        let long = long.filter(|&number| is_served(self, number)).collect();
        self.fill_from(long, &mut batch, &excluded);
        // Loaded projects usually fill the batch, so that the other groups need not be searched.
        let loaded: BTreeSet<_> =
            loaded.iter().filter_map(|digest| self.by_digest.get(digest).copied()).collect();
        let groups = loaded.iter().flat_map(|&project| &self.projects[project].groups);
        let groups: Vec<_> =
            groups.copied().filter(|number| self.nonempty.contains(number)).collect();
        let groups = groups.into_iter().filter(|&number| is_served(self, number)).collect();
        self.fill_from(groups, &mut batch, &excluded);
        if !batch.is_full() {
            let project = |number: GroupNumber| self.groups[number as usize].project;
            let others = self.nonempty.iter().copied();
            let others = others.filter(|&number| is_served(self, number));
            let others = others.filter(|&number| !loaded.contains(&project(number))).collect();
            self.fill_from(others, &mut batch, &excluded);
        }
        batch.runs
    }

    /// One group with pending runs for each of the first projects without measured or leased runs;
    /// only groups whose engine is `served`.
    fn probes(&self, served: &[bool]) -> Vec<GroupNumber> {
        let mut projects = BTreeSet::new();
        let mut is_probe = |number: &GroupNumber| {
            let group = &self.groups[*number as usize];
            let idle = self.projects[group.project].leased == 0;
            idle && served[group.engine as usize] && projects.insert(group.project)
        };
        let groups = self.untried.iter().copied().filter(|number| is_probe(number));
        groups.take(MAX_UNMEASURED_RUNS).collect()
    }

    /// Fills a batch from these groups: first the long runs, the longest first; then short runs of
    /// projects without leased runs; then other short runs.
    fn fill_from(
        &mut self,
        mut groups: Vec<GroupNumber>,
        batch: &mut Batch,
        excluded: &impl Fn(RunNumber) -> bool,
    ) {
        if batch.is_full() {
            return;
        }
        groups.retain(|&number| {
            self.groups[number as usize].pending.iter().any(|&run| !excluded(run))
        });
        let key = |&number: &GroupNumber| {
            let group = &self.groups[number as usize];
            let busy = self.projects[group.project].leased > 0 && !self.long.contains(&number);
            (busy, Reverse(self.expected(group).unwrap_or(Duration::MAX)), number)
        };
        // Every group in the list contributes at least one run, so `needed` groups suffice.
        let needed = batch.max_runs - batch.runs.len();
        if groups.len() > needed {
            groups.select_nth_unstable_by_key(needed, key);
            groups.truncate(needed);
        }
        groups.sort_unstable_by_key(key);
        for number in groups {
            let measured = self.groups[number as usize].measured.count > 0;
            let most = if measured { MAX_BATCH_RUNS } else { MAX_UNMEASURED_RUNS };
            self.take_from(number, most, batch, excluded);
        }
    }

    /// Moves at most `most` runs of a group to a batch, until it is full.
    fn take_from(
        &mut self,
        number: GroupNumber,
        most: usize,
        batch: &mut Batch,
        excluded: &impl Fn(RunNumber) -> bool,
    ) {
        let expected = self.expected(&self.groups[number as usize]);
        let group = &mut self.groups[number as usize];
        for _ in 0..most {
            let mut free = group.pending.iter().copied().filter(|&run| !excluded(run));
            let Some(run) = (!batch.is_full()).then(|| free.next()).flatten() else { break };
            group.pending.remove(&run);
            self.engines[group.engine as usize].pending -= 1;
            // A run without any measured time counts as a whole batch, so only one is taken.
            batch.add(run, expected.unwrap_or(BATCH_TIME));
        }
        if group.pending.is_empty() {
            self.nonempty.remove(&number);
            self.untried.remove(&number);
        }
    }

    /// The expected time of a run: the mean of its group, or else of its project, or else of all
    /// runs.
    fn expected(&self, group: &Group) -> Option<Duration> {
        let project = &self.projects[group.project];
        group.measured.get().or_else(|| project.measured.get()).or_else(|| self.measured.get())
    }
}

#[cfg(test)]
mod tests;
