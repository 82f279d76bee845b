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

/// A subject kind with the engine id that runs need: a worker executes runs of its own engines
/// alone, because the records of another engine would be other records.
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

    /// The engines of which runs are pending and none is leased, each with the number of its runs,
    /// unless `serves` returns true.
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
        number
    }

    /// Adds a pending run; no effect if it is queued already.
    pub fn push(&mut self, group: GroupNumber, run: RunNumber) {
        let Group { pending, engine, .. } = &mut self.groups[group as usize];
        if pending.insert(run) {
            self.engines[*engine as usize].pending += 1;
            self.nonempty.insert(group);
        }
    }

    /// Removes a run; no effect if it is not queued.
    pub fn remove(&mut self, group: GroupNumber, run: RunNumber) {
        let Group { pending, engine, .. } = &mut self.groups[group as usize];
        if pending.remove(&run) {
            self.engines[*engine as usize].pending -= 1;
            if pending.is_empty() {
                self.nonempty.remove(&group);
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
        self.projects[group.project].measured.add(time);
        self.measured.add(time);
    }

    /// Expected time of all pending and leased runs on one worker; `None` if nothing was measured.
    pub fn expected_work(&self) -> Option<Duration> {
        self.groups
            .iter()
            .filter(|group| group.leased > 0 || !group.pending.is_empty())
            .map(|group| {
                // On average, half of a leased run is still to be executed.
                let runs = group.pending.len() as f64 + f64::from(group.leased) / 2.0;
                Some(self.expected(group)?.mul_f64(runs))
            })
            .sum()
    }

    /// Removes a batch of runs of these `engines` from the queue and returns it in the order of
    /// execution. Projects in `loaded` come first; then projects without leased runs, so that each is loaded by few workers; then
    /// the longest runs, which would otherwise delay the end of the study. The batch is at most half
    /// of an equal share of the pending runs among `workers` workers, and contains no run for which
    /// `excluded` returns true.
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

    /// Fills a batch from these groups: projects without leased runs first, then the longest runs.
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
            let busy = self.projects[group.project].leased > 0;
            (busy, Reverse(self.expected(group).unwrap_or(Duration::MAX)), number)
        };
        // Every selected group contributes at least one run, so `needed` groups suffice.
        let needed = batch.max_runs - batch.runs.len();
        if groups.len() > needed {
            groups.select_nth_unstable_by_key(needed, key);
            groups.truncate(needed);
        }
        groups.sort_unstable_by_key(key);
        for number in groups {
            let expected = self.expected(&self.groups[number as usize]);
            let group = &mut self.groups[number as usize];
            let most = if group.measured.count == 0 { MAX_UNMEASURED_RUNS } else { MAX_BATCH_RUNS };
            for _ in 0..most {
                let mut free = group.pending.iter().copied().filter(|&run| !excluded(run));
                let Some(run) = (!batch.is_full()).then(|| free.next()).flatten() else { break };
                group.pending.remove(&run);
                self.engines[group.engine as usize].pending -= 1;
                // Without any measurement a run counts as a whole batch, so only one is taken.
                batch.add(run, expected.unwrap_or(BATCH_TIME));
            }
            if group.pending.is_empty() {
                self.nonempty.remove(&number);
            }
        }
    }

    /// The expected time of a run: of its group, else of its project, else of all runs.
    fn expected(&self, group: &Group) -> Option<Duration> {
        let project = &self.projects[group.project];
        group.measured.get().or_else(|| project.measured.get()).or_else(|| self.measured.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engine(id: &str) -> SubjectEngine {
        SubjectEngine { kind: "kind".into(), engine: id.into() }
    }

    fn engines(id: &str) -> Engines {
        [("kind".to_owned(), id.to_owned())].into()
    }

    fn queue(groups: &[(u8, u32)]) -> Queue {
        let mut queue = Queue::default();
        let engine = queue.engine_number(&engine("e"));
        let mut run = 0;
        for &(project, runs) in groups {
            let group = queue.add_group(Digest([project; 32]), engine);
            for _ in 0..runs {
                queue.push(group, run);
                run += 1;
            }
        }
        queue
    }

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn the_first_batch_is_one_run() {
        assert_eq!(
            queue(&[(1, 100)]).take_batch(&engines("e"), &BTreeSet::new(), 1, |_| false),
            [0]
        );
    }

    #[test]
    fn batches_follow_measured_time() {
        let mut queue = queue(&[(1, 1000)]);
        queue.record_time(0, ms(100));
        assert_eq!(queue.take_batch(&engines("e"), &BTreeSet::new(), 2, |_| false).len(), 10);
        let mut tiny = self::queue(&[(1, 10_000)]);
        tiny.record_time(0, ms(0));
        assert_eq!(
            tiny.take_batch(&engines("e"), &BTreeSet::new(), 2, |_| false).len(),
            MAX_BATCH_RUNS
        );
        let mut long = self::queue(&[(1, 10)]);
        long.record_time(0, ms(60_000));
        assert_eq!(long.take_batch(&engines("e"), &BTreeSet::new(), 2, |_| false).len(), 1);
    }

    #[test]
    fn the_last_runs_are_shared() {
        let mut queue = queue(&[(1, 8)]);
        queue.record_time(0, ms(0));
        assert_eq!(queue.take_batch(&engines("e"), &BTreeSet::new(), 2, |_| false).len(), 2);
        assert_eq!(queue.take_batch(&engines("e"), &BTreeSet::new(), 2, |_| false).len(), 2);
        assert_eq!(queue.take_batch(&engines("e"), &BTreeSet::new(), 2, |_| false).len(), 1);
    }

    #[test]
    fn loaded_projects_first_then_idle_ones_then_long_ones() {
        let mut queue = queue(&[(1, 2), (2, 2), (3, 2)]);
        for (group, time) in [(0, 2000), (1, 3000), (2, 4000)] {
            queue.record_time(group, ms(time));
        }
        assert_eq!(queue.take_batch(&engines("e"), &[Digest([1; 32])].into(), 2, |_| false), [0]);
        assert_eq!(queue.take_batch(&engines("e"), &BTreeSet::new(), 2, |_| false), [4]);
        queue.note_leased(2);
        assert_eq!(queue.take_batch(&engines("e"), &BTreeSet::new(), 2, |_| false), [2]);
        queue.push(2, 4);
        queue.note_leased(1);
        queue.note_leased(0);
        assert_eq!(queue.take_batch(&engines("e"), &BTreeSet::new(), 2, |_| false), [4]);
    }

    #[test]
    fn an_unmeasured_group_is_tried_in_small_batches() {
        let mut queue = queue(&[(1, 100), (2, 100)]);
        queue.record_time(0, ms(0));
        let batch = queue.take_batch(&engines("e"), &[Digest([2; 32])].into(), 1, |_| false);
        assert_eq!(batch[..4], [100, 101, 102, 103]);
        assert_eq!(batch[4], 0);
    }

    #[test]
    fn an_excluded_run_does_not_block_others() {
        let mut queue = queue(&[(1, 1), (2, 1)]);
        let loaded = [Digest([1; 32])].into();
        assert_eq!(queue.take_batch(&engines("e"), &loaded, 2, |run| run == 0), [1]);
        assert!(queue.take_batch(&engines("e"), &loaded, 2, |run| run == 0).is_empty());
        assert_eq!(queue.take_batch(&engines("e"), &loaded, 2, |_| false), [0]);
    }

    #[test]
    fn a_run_waits_for_a_worker_with_its_engine() {
        let mut queue = queue(&[(1, 1)]);
        let other = queue.engine_number(&engine("f"));
        let group = queue.add_group(Digest([2; 32]), other);
        queue.push(group, 7);
        let nothing = BTreeSet::new();
        let unserved = |queue: &Queue, by: &str| -> Vec<(String, usize)> {
            let found = queue.unserved(|engine| engine.is_in(&engines(by)));
            found.map(|(engine, runs)| (engine.engine.clone(), runs)).collect()
        };
        assert_eq!(unserved(&queue, "e"), [("f".to_owned(), 1)]);
        assert_eq!(unserved(&queue, "g").len(), 2);
        assert!(queue.take_batch(&engines("g"), &nothing, 1, |_| false).is_empty());
        assert!(queue.take_batch(&Engines::new(), &nothing, 1, |_| false).is_empty());
        assert_eq!(queue.take_batch(&engines("e"), &nothing, 1, |_| false), [0]);
        assert!(queue.take_batch(&engines("e"), &nothing, 1, |_| false).is_empty());
        assert_eq!(queue.take_batch(&engines("f"), &[Digest([2; 32])].into(), 1, |_| false), [7]);
        assert!(unserved(&queue, "g").is_empty());
    }

    #[test]
    fn expected_work_is_known_after_the_first_measurement() {
        let mut queue = queue(&[(1, 3), (2, 1)]);
        assert_eq!(queue.expected_work(), None);
        queue.record_time(0, ms(100));
        assert_eq!(queue.expected_work(), Some(ms(400)));
        queue.record_time(1, ms(300));
        assert_eq!(queue.expected_work(), Some(ms(600)));
    }
}
