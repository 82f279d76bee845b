//! The queue: pending runs, and the choice of a batch for a worker.
//!
//! Runs of the same algorithm on the same project with the same engine form a *group*. They usually
//! differ only in the seed, so the measured times of some predict the times of the others. Runs
//! that exactly the same studies contain wait in the same *lane*.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, btree_map};
use std::time::Duration;

use catherd_experiments::Digest;

use crate::ids::{EngineNumber, GroupNumber, RunNumber, StudySetNumber};

pub use batch::{Batch, BatchRequest};
pub use engine::SubjectEngine;
pub use interleaving::place;
pub(crate) use interleaving::place_of;

mod batch;
mod engine;
mod interleaving;

/// Maximum of [`Queue::longest_time`].
const LONGEST: Duration = Duration::from_secs(3600);

#[derive(Clone, Copy, Debug, Default)]
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
    pending: u32,
    leased: u32,
    measured: MeanTime,
}

#[derive(Clone, Debug, Default)]
struct Project {
    groups: Vec<GroupNumber>,
    leased: u32,
    measured: MeanTime,
}

/// The pending runs of a study set. Each run is stored with its place in the order of the group, or
/// with 0.
#[derive(Clone, Debug, Default)]
struct Lane {
    groups: BTreeMap<GroupNumber, BTreeSet<(u32, RunNumber)>>,
    /// The groups whose projects have no measured run.
    untried: BTreeSet<GroupNumber>,
    pending: BTreeMap<EngineNumber, usize>,
}

/// The expected time that a set of runs takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExpectedWork {
    /// Sum of the expected times of all runs.
    pub total: Duration,
    /// Expected time of the longest run.
    pub longest: Duration,
}

impl ExpectedWork {
    fn add(&mut self, time: Duration, runs: u64) {
        if runs > 0 {
            self.total += time.mul_f64(runs as f64);
            self.longest = self.longest.max(time);
        }
    }

    /// Expected time until this number of workers have executed all runs.
    pub fn on(&self, workers: usize) -> Duration {
        let share = self.total / u32::try_from(workers.max(1)).unwrap_or(u32::MAX);
        share.max(self.longest)
    }
}

/// The runs from which the expected time of a run is estimated, the best source first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TimeSource {
    /// Runs of the same group.
    Group,
    /// Runs on the same project.
    Project,
    /// All runs.
    Any,
    /// Nothing was measured.
    None,
}

/// The pending runs of the active studies, by lane and group.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    groups: Vec<Group>,
    projects: Vec<Project>,
    by_digest: BTreeMap<Digest, usize>,
    lanes: BTreeMap<StudySetNumber, Lane>,
    /// See [`Queue::set_place`].
    order: BTreeMap<RunNumber, u32>,
    engines: Vec<EngineRuns>,
    measured: MeanTime,
    longest: Duration,
    /// Groups whose runs take at least [`batch::TIME`] on average, as measured on their project.
    long: BTreeSet<GroupNumber>,
}

impl Queue {
    /// The number of an engine, from 0. Unknown engines get the next number.
    pub fn engine_number(&mut self, engine: &SubjectEngine) -> EngineNumber {
        let known = self.engines.iter().position(|runs| runs.engine == *engine);
        let number = known.unwrap_or_else(|| {
            self.engines.push(EngineRuns { engine: engine.clone(), pending: 0, leased: 0 });
            self.engines.len() - 1
        });
        number as EngineNumber
    }

    /// The number of the project of a group.
    pub fn project_number(&self, group: GroupNumber) -> usize {
        self.groups.get(group as usize).map_or(usize::MAX, |group| group.project)
    }

    /// Whether runs of a group are pending or leased.
    pub fn is_open(&self, group: GroupNumber) -> bool {
        let open = |group: &Group| group.pending > 0 || group.leased > 0;
        self.groups.get(group as usize).is_some_and(open)
    }

    /// The number of an engine, if the engine is known.
    pub fn known_engine(&self, engine: &SubjectEngine) -> Option<EngineNumber> {
        let known = self.engines.iter().position(|runs| runs.engine == *engine);
        known.map(|number| number as EngineNumber)
    }

    /// The number of measured runs of a group, and the sum of their times.
    pub fn measured(&self, group: GroupNumber) -> (u32, Duration) {
        let MeanTime { count, total } = self.groups[group as usize].measured;
        (count, total)
    }

    /// The engine of the runs of a group.
    pub fn engine_of(&self, group: GroupNumber) -> &SubjectEngine {
        &self.engines[self.groups[group as usize].engine as usize].engine
    }

    /// The engines that pending runs need, that have no leased runs and for which `serves` returns
    /// false, each with the number of its pending runs.
    pub fn unserved(
        &self,
        serves: impl Fn(&SubjectEngine) -> bool,
    ) -> impl Iterator<Item = (&SubjectEngine, usize)> {
        let waiting = self.engines.iter().filter(|runs| runs.pending > 0 && runs.leased == 0);
        waiting.filter(move |runs| !serves(&runs.engine)).map(|runs| (&runs.engine, runs.pending))
    }

    /// The groups with pending runs that are expected to take longer than a time, each with the
    /// number of pending runs and the expected time of a run.
    pub fn longer_than(
        &self,
        time: Duration,
    ) -> impl Iterator<Item = (GroupNumber, u32, Duration)> {
        let waiting = (0..).zip(&self.groups).filter(|(_, group)| group.pending > 0);
        waiting.filter_map(move |(number, group)| {
            let expected = self.expected(group).filter(|expected| *expected > time)?;
            Some((number, group.pending, expected))
        })
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
        let measured = MeanTime::default();
        self.groups.push(Group { project, engine, pending: 0, leased: 0, measured });
        let number = (self.groups.len() - 1) as GroupNumber;
        self.projects[project].groups.push(number);
        self.sort_by_length(number);
        number
    }

    /// Sets the place of a run in the order of its group. Must be called before the run is queued.
    pub fn set_place(&mut self, run: RunNumber, place: u32) {
        self.order.insert(run, place);
    }

    /// Whether the place of a run was set.
    pub fn has_place(&self, run: RunNumber) -> bool {
        self.order.contains_key(&run)
    }

    fn entry(&self, run: RunNumber) -> (u32, RunNumber) {
        (self.order.get(&run).copied().unwrap_or_default(), run)
    }

    /// Adds a pending run to a lane.
    pub fn push(&mut self, lane: StudySetNumber, group: GroupNumber, run: RunNumber) {
        let entry = self.entry(run);
        let Group { pending, engine, project, .. } = &mut self.groups[group as usize];
        let lane = self.lanes.entry(lane).or_default();
        if lane.groups.entry(group).or_default().insert(entry) {
            *pending += 1;
            self.engines[*engine as usize].pending += 1;
            *lane.pending.entry(*engine).or_default() += 1;
            if self.projects[*project].measured.count == 0 {
                lane.untried.insert(group);
            }
        }
    }

    /// Removes a run from a lane.
    pub fn remove(&mut self, lane: StudySetNumber, group: GroupNumber, run: RunNumber) {
        let entry = self.entry(run);
        let Group { pending, engine, .. } = &mut self.groups[group as usize];
        let Some(lane) = self.lanes.get_mut(&lane) else { return };
        let Some(runs) = lane.groups.get_mut(&group) else { return };
        if runs.remove(&entry) {
            *pending -= 1;
            self.engines[*engine as usize].pending -= 1;
            *lane.pending.entry(*engine).or_default() -= 1;
        }
        if runs.is_empty() {
            lane.groups.remove(&group);
            lane.untried.remove(&group);
        }
    }

    /// All pending runs.
    pub fn pending(&self) -> BTreeSet<RunNumber> {
        let lanes = self.lanes.values().flat_map(|lane| lane.groups.values());
        lanes.flatten().map(|(_, run)| *run).collect()
    }

    /// Whether a lane has pending runs.
    pub fn has_pending(&self, lane: StudySetNumber) -> bool {
        self.lanes.get(&lane).is_some_and(|lane| !lane.groups.is_empty())
    }

    /// The expected time of the pending runs in these lanes, if it is known.
    pub fn expected_in(&self, lanes: &[StudySetNumber]) -> Option<Duration> {
        let mut total = Duration::ZERO;
        for lane in lanes.iter().filter_map(|lane| self.lanes.get(lane)) {
            for (&group, runs) in &lane.groups {
                let time = self.expected(&self.groups[group as usize])?;
                total += time.mul_f64(runs.len() as f64);
            }
        }
        Some(total)
    }

    /// Records that a run of the group was leased.
    pub fn note_leased(&mut self, group: GroupNumber) {
        let group = &mut self.groups[group as usize];
        group.leased += 1;
        self.projects[group.project].leased += 1;
        self.engines[group.engine as usize].leased += 1;
    }

    /// Records that a lease of a run of the group has ended.
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
        let first = project.measured.count == 0;
        project.measured.add(time);
        self.measured.add(time);
        self.longest = self.longest.max(time.min(LONGEST));
        for group in self.projects[number].groups.clone() {
            if first {
                self.lanes.values_mut().for_each(|lane| _ = lane.untried.remove(&group));
            }
            self.sort_by_length(group);
        }
    }

    /// Times that were measured on other projects do not make a group long.
    fn sort_by_length(&mut self, number: GroupNumber) {
        let group = &self.groups[number as usize];
        let measured = group.measured.get().or(self.projects[group.project].measured.get());
        if measured.is_some_and(|time| time >= batch::TIME) {
            self.long.insert(number);
        } else {
            self.long.remove(&number);
        }
    }

    /// The expected time of all pending and leased runs, if it is known. `executing` contains the
    /// group of each run that is being executed, and the time since the run began.
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
            let runs = u64::from(group.pending) + u64::from(group.leased);
            if runs > 0 {
                let begun = begun.get(&number).copied().unwrap_or_default();
                work.add(self.expected(group)?, runs.saturating_sub(begun));
            }
        }
        Some(work)
    }

    /// The expected time of a run of a group, if it is known.
    pub fn expected_time(&self, group: GroupNumber) -> Option<Duration> {
        self.expected(&self.groups[group as usize])
    }

    /// The expected time of a run on a project, and its source.
    pub fn estimate(&self, project: Digest, group: Option<GroupNumber>) -> (TimeSource, Duration) {
        let group = group.and_then(|group| self.groups.get(group as usize)?.measured.get());
        let project = self.by_digest.get(&project);
        let project = project.and_then(|&project| self.projects[project].measured.get());
        let found = group.map(|time| (TimeSource::Group, time));
        let found = found.or_else(|| project.map(|time| (TimeSource::Project, time)));
        let found = found.or_else(|| self.measured.get().map(|time| (TimeSource::Any, time)));
        found.unwrap_or((TimeSource::None, Duration::ZERO))
    }

    /// The expected time of a run of a group, as measured on its project.
    pub fn known_time(&self, group: GroupNumber) -> Option<Duration> {
        let group = &self.groups[group as usize];
        group.measured.get().or_else(|| self.projects[group.project].measured.get())
    }

    /// The longest time of a measured run, at most one hour.
    pub fn longest_time(&self) -> Duration {
        self.longest
    }

    /// The digest of the project of a group.
    pub fn project_of(&self, group: GroupNumber) -> Option<Digest> {
        let number = self.groups.get(group as usize)?.project;
        self.by_digest.iter().find(|(_, project)| **project == number).map(|(digest, _)| *digest)
    }

    fn expected(&self, group: &Group) -> Option<Duration> {
        let project = &self.projects[group.project];
        group.measured.get().or_else(|| project.measured.get()).or_else(|| self.measured.get())
    }
}

/// The key by which groups are sorted for a batch: groups of short runs whose project has leased
/// runs come last; otherwise, groups with longer runs come first.
type Rank = (bool, Reverse<Duration>, usize, u32, GroupNumber, StudySetNumber);

#[cfg(test)]
mod tests;
