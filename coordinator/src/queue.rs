//! The pending runs and the choice of a batch for a worker.
//!
//! Runs of the same project and algorithm form a *group*: they differ in the seed
//! alone, so the measured time of some predicts the time of the others.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, btree_map};
use std::time::Duration;

use catherd_experiments::Digest;

use crate::ledger::RunNumber;

/// The number of a group.
pub type GroupNumber = u32;

/// A batch is about this much work: many tiny runs, or one long one.
const BATCH_TIME: Duration = Duration::from_secs(1);

/// No batch is larger.
const BATCH_RUNS: usize = 256;

/// Runs of a group that nobody has measured are leased in small batches, since the
/// guess from other groups may be far off.
const UNMEASURED_RUNS: usize = 4;

#[derive(Clone, Debug, Default)]
struct Mean {
    count: u32,
    total: Duration,
}

impl Mean {
    fn add(&mut self, time: Duration) {
        self.count += 1;
        self.total += time;
    }

    fn get(&self) -> Option<Duration> {
        (self.count > 0).then(|| self.total / self.count)
    }
}

#[derive(Clone, Debug)]
struct Group {
    project: usize,
    pending: BTreeSet<RunNumber>,
    leased: u32,
    measured: Mean,
}

#[derive(Clone, Debug, Default)]
struct Project {
    groups: Vec<GroupNumber>,
    leased: u32,
    measured: Mean,
}

/// Runs for a worker.
struct Batch {
    runs: Vec<RunNumber>,
    time: Duration,
    /// Most runs of it.
    share: usize,
}

impl Batch {
    fn is_full(&self) -> bool {
        self.runs.len() >= self.share || self.time >= BATCH_TIME
    }

    fn add(&mut self, run: RunNumber, time: Duration) {
        self.runs.push(run);
        self.time += time;
    }
}

/// The pending runs of a study, by group.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    groups: Vec<Group>,
    projects: Vec<Project>,
    by_digest: BTreeMap<Digest, usize>,
    /// Groups with pending runs.
    open: BTreeSet<GroupNumber>,
    pending: usize,
    measured: Mean,
}

impl Queue {
    /// Adds a group of runs on a project; groups are numbered from 0.
    pub fn add_group(&mut self, project: Digest) -> GroupNumber {
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
            pending: BTreeSet::new(),
            leased: 0,
            measured: Mean::default(),
        });
        let number = (self.groups.len() - 1) as GroupNumber;
        self.projects[project].groups.push(number);
        number
    }

    /// Puts a run at its place in the queue.
    pub fn push(&mut self, group: GroupNumber, run: RunNumber) {
        if self.groups[group as usize].pending.insert(run) {
            self.pending += 1;
            self.open.insert(group);
        }
    }

    /// Takes a run out of the queue, if it is there.
    pub fn remove(&mut self, group: GroupNumber, run: RunNumber) {
        let pending = &mut self.groups[group as usize].pending;
        if pending.remove(&run) {
            self.pending -= 1;
            if pending.is_empty() {
                self.open.remove(&group);
            }
        }
    }

    /// Notes that a run of the group is in the hands of a worker.
    pub fn note_leased(&mut self, group: GroupNumber) {
        let group = &mut self.groups[group as usize];
        group.leased += 1;
        self.projects[group.project].leased += 1;
    }

    /// Notes that a leased run of the group is so no more.
    pub fn note_ended(&mut self, group: GroupNumber) {
        let group = &mut self.groups[group as usize];
        group.leased -= 1;
        self.projects[group.project].leased -= 1;
    }

    /// Learns how long a run of the group took.
    pub fn measure(&mut self, group: GroupNumber, time: Duration) {
        let group = &mut self.groups[group as usize];
        group.measured.add(time);
        self.projects[group.project].measured.add(time);
        self.measured.add(time);
    }

    /// Work that is pending or leased, as far as it can be told.
    pub fn expected_work(&self) -> Option<Duration> {
        self.groups
            .iter()
            .filter(|group| group.leased > 0 || !group.pending.is_empty())
            .map(|group| {
                // A leased run is half done on average.
                let runs = group.pending.len() as f64 + f64::from(group.leased) / 2.0;
                Some(self.expected(group)?.mul_f64(runs))
            })
            .sum()
    }

    /// Takes a batch out of the queue, in the order in which it should be executed.
    /// Projects in `loaded` come first; then those nobody works on, so that each is
    /// loaded by few workers; then the longest runs, which would otherwise delay the
    /// end of the study. No worker of `workers` gets more than half its share of
    /// what is left, and none gets a run that `excluded` names.
    pub fn take(
        &mut self,
        loaded: &BTreeSet<Digest>,
        workers: usize,
        excluded: impl Fn(RunNumber) -> bool,
    ) -> Vec<RunNumber> {
        let mut batch = Batch { runs: Vec::new(), time: Duration::ZERO, share: 0 };
        batch.share = self.pending.div_ceil(2 * workers.max(1)).min(BATCH_RUNS);
        // What is loaded comes first and is mostly enough: then nobody looks through all groups.
        let loaded: BTreeSet<_> =
            loaded.iter().filter_map(|digest| self.by_digest.get(digest).copied()).collect();
        let groups = loaded.iter().flat_map(|&project| &self.projects[project].groups);
        let groups: Vec<_> = groups.copied().filter(|number| self.open.contains(number)).collect();
        self.take_from(groups, &mut batch, &excluded);
        if !batch.is_full() {
            let project = |number: GroupNumber| self.groups[number as usize].project;
            let others = self.open.iter().copied();
            let others = others.filter(|&number| !loaded.contains(&project(number))).collect();
            self.take_from(others, &mut batch, &excluded);
        }
        self.pending -= batch.runs.len();
        batch.runs
    }

    /// Goes on with a batch: idle projects first, and the longest runs.
    fn take_from(
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
        // Each gives a run at least.
        let needed = batch.share - batch.runs.len();
        if groups.len() > needed {
            groups.select_nth_unstable_by_key(needed, key);
            groups.truncate(needed);
        }
        groups.sort_unstable_by_key(key);
        for number in groups {
            let expected = self.expected(&self.groups[number as usize]);
            let group = &mut self.groups[number as usize];
            let most = if group.measured.count == 0 { UNMEASURED_RUNS } else { BATCH_RUNS };
            for _ in 0..most {
                let mut free = group.pending.iter().copied().filter(|&run| !excluded(run));
                let Some(run) = (!batch.is_full()).then(|| free.next()).flatten() else { break };
                group.pending.remove(&run);
                // Nothing measured at all: one run is enough of a risk.
                batch.add(run, expected.unwrap_or(BATCH_TIME));
            }
            if group.pending.is_empty() {
                self.open.remove(&number);
            }
        }
    }

    fn expected(&self, group: &Group) -> Option<Duration> {
        let project = &self.projects[group.project];
        group.measured.get().or_else(|| project.measured.get()).or_else(|| self.measured.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(groups: &[(u8, u32)]) -> Queue {
        let mut queue = Queue::default();
        let mut run = 0;
        for &(project, runs) in groups {
            let group = queue.add_group(Digest([project; 32]));
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
        assert_eq!(queue(&[(1, 100)]).take(&BTreeSet::new(), 1, |_| false), [0]);
    }

    #[test]
    fn batches_follow_measured_time() {
        let mut queue = queue(&[(1, 1000)]);
        queue.measure(0, ms(100));
        assert_eq!(queue.take(&BTreeSet::new(), 2, |_| false).len(), 10);
        let mut tiny = self::queue(&[(1, 10_000)]);
        tiny.measure(0, ms(0));
        assert_eq!(tiny.take(&BTreeSet::new(), 2, |_| false).len(), BATCH_RUNS);
        let mut long = self::queue(&[(1, 10)]);
        long.measure(0, ms(60_000));
        assert_eq!(long.take(&BTreeSet::new(), 2, |_| false).len(), 1);
    }

    #[test]
    fn the_last_runs_are_shared() {
        let mut queue = queue(&[(1, 8)]);
        queue.measure(0, ms(0));
        assert_eq!(queue.take(&BTreeSet::new(), 2, |_| false).len(), 2);
        assert_eq!(queue.take(&BTreeSet::new(), 2, |_| false).len(), 2);
        assert_eq!(queue.take(&BTreeSet::new(), 2, |_| false).len(), 1);
    }

    #[test]
    fn loaded_projects_first_then_idle_ones_then_long_ones() {
        let mut queue = queue(&[(1, 2), (2, 2), (3, 2)]);
        for (group, time) in [(0, 2000), (1, 3000), (2, 4000)] {
            queue.measure(group, ms(time));
        }
        assert_eq!(queue.take(&[Digest([1; 32])].into(), 2, |_| false), [0]);
        assert_eq!(queue.take(&BTreeSet::new(), 2, |_| false), [4]);
        queue.note_leased(2);
        assert_eq!(queue.take(&BTreeSet::new(), 2, |_| false), [2]);
        queue.push(2, 4);
        queue.note_leased(1);
        queue.note_leased(0);
        assert_eq!(queue.take(&BTreeSet::new(), 2, |_| false), [4]);
    }

    #[test]
    fn an_unmeasured_group_is_tried_in_small_batches() {
        let mut queue = queue(&[(1, 100), (2, 100)]);
        queue.measure(0, ms(0));
        let batch = queue.take(&[Digest([2; 32])].into(), 1, |_| false);
        assert_eq!(batch[..4], [100, 101, 102, 103]);
        assert_eq!(batch[4], 0);
    }

    #[test]
    fn what_is_shunned_hides_nothing_else() {
        let mut queue = queue(&[(1, 1), (2, 1)]);
        let loaded = [Digest([1; 32])].into();
        assert_eq!(queue.take(&loaded, 2, |run| run == 0), [1]);
        assert!(queue.take(&loaded, 2, |run| run == 0).is_empty());
        assert_eq!(queue.take(&loaded, 2, |_| false), [0]);
    }

    #[test]
    fn work_left_is_told_once_something_is_measured() {
        let mut queue = queue(&[(1, 3), (2, 1)]);
        assert_eq!(queue.expected_work(), None);
        queue.measure(0, ms(100));
        assert_eq!(queue.expected_work(), Some(ms(400)));
        queue.measure(1, ms(300));
        assert_eq!(queue.expected_work(), Some(ms(600)));
    }
}
