//! The choice of a batch of runs for a worker.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::time::Duration;

use catherd_experiments::{Digest, Engines};

use super::{Queue, Rank};
use crate::ids::{GroupNumber, RunNumber, StudySetNumber};

/// A batch of this expected duration is full.
pub(super) const TIME: Duration = Duration::from_secs(1);

pub(super) const MAX_RUNS: usize = 256;

/// Times that are estimated from other groups may be wrong by a large factor, so few runs are taken
/// at once.
pub(super) const MAX_UNMEASURED_RUNS: usize = 4;

/// Runs that a worker gets together.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// The runs in the order of execution.
    pub runs: Vec<RunNumber>,
    time: Duration,
    /// Maximum number of runs after the current study has added its share.
    max_runs: usize,
}

impl Batch {
    /// Whether the batch is full.
    pub fn is_full(&self) -> bool {
        self.runs.len() >= MAX_RUNS || self.time >= TIME
    }

    fn has_enough(&self) -> bool {
        self.is_full() || self.runs.len() >= self.max_runs
    }
}

/// A worker's request for runs.
#[derive(Clone, Copy, Debug)]
pub struct BatchRequest<'a> {
    /// The engines that the worker executes.
    pub engines: &'a Engines,
    /// Projects that the worker has loaded.
    pub loaded: &'a BTreeSet<Digest>,
    /// Number of workers, which share the runs.
    pub workers: usize,
    /// Time until the worker's allocation ends.
    pub remaining: Option<Duration>,
    /// Projects that cannot be fetched now, whose runs no worker gets.
    pub withheld: &'a BTreeSet<Digest>,
}

struct Filter {
    /// Whether the worker executes each engine, by the number of the engine.
    served: Vec<bool>,
    remaining: Option<Duration>,
    withheld: BTreeSet<usize>,
}

impl Filter {
    fn admits(&self, queue: &Queue, number: GroupNumber) -> bool {
        let group = &queue.groups[number as usize];
        self.served[group.engine as usize]
            && !self.withheld.contains(&group.project)
            && self.remaining.is_none_or(|remaining| {
                // A run of unknown length is taken to last as long as a whole batch.
                queue.expected(group).unwrap_or(TIME) <= remaining
            })
    }
}

type Place = (StudySetNumber, GroupNumber);

impl Queue {
    /// Moves runs from lanes of one study to a batch, in this order:
    ///
    /// 1. one run on each of a few projects without measured runs, to recognise slow projects early;
    /// 2. the longest runs, because they could delay the end of the study;
    /// 3. short runs of loaded projects;
    /// 4. short runs of projects without leased runs, so that few workers load each project;
    /// 5. other short runs.
    ///
    /// The batch gets no run for which `excluded` returns true, and only a share of the study's
    /// runs.
    pub fn fill(
        &mut self,
        batch: &mut Batch,
        lanes: &[StudySetNumber],
        request: &BatchRequest<'_>,
        excluded: impl Fn(RunNumber) -> bool,
    ) {
        let BatchRequest { engines, loaded, workers, remaining, withheld } = *request;
        let numbers = |digests: &BTreeSet<Digest>| -> BTreeSet<usize> {
            digests.iter().filter_map(|digest| self.by_digest.get(digest).copied()).collect()
        };
        let (loaded, withheld) = (numbers(loaded), numbers(withheld));
        let served: Vec<bool> =
            self.engines.iter().map(|runs| runs.engine.is_in(engines)).collect();
        let pending = lanes.iter().filter_map(|lane| self.lanes.get(lane));
        let pending = pending.flat_map(|lane| &lane.pending);
        let pending = pending.filter(|(engine, _)| served[**engine as usize]);
        let pending: usize = pending.map(|(_, runs)| runs).sum();
        if pending == 0 {
            return;
        }
        let share = pending.div_ceil(2 * workers.max(1));
        batch.max_runs = (batch.runs.len() + share).min(MAX_RUNS);
        let filter = Filter { served, remaining, withheld };
        for place in self.probes(lanes, &filter) {
            self.take_from(place, 1, batch, &filter, &excluded);
        }
        let long = self.long_groups(lanes, &filter);
        self.fill_from(long, batch, &filter, &excluded);
        if batch.has_enough() {
            return;
        }
        // Loaded projects usually fill the batch, so the other groups need not be searched.
        let groups = loaded.iter().flat_map(|&project| &self.projects[project].groups);
        let groups: Vec<_> = groups.copied().collect();
        let places = lanes.iter().flat_map(|&lane| groups.iter().map(move |&group| (lane, group)));
        let places = places.filter(|(lane, group)| {
            let lane = self.lanes.get(lane);
            lane.is_some_and(|lane| lane.groups.contains_key(group)) && filter.admits(self, *group)
        });
        let places = places.collect();
        self.fill_from(places, batch, &filter, &excluded);
        if !batch.has_enough() {
            let others = self.groups_outside(&loaded, lanes, &filter);
            self.fill_from(others, batch, &filter, &excluded);
        }
    }

    fn long_groups(&self, lanes: &[StudySetNumber], filter: &Filter) -> Vec<Place> {
        let mut places = Vec::new();
        for &number in lanes {
            let Some(lane) = self.lanes.get(&number) else { continue };
            let has = |group: &GroupNumber| lane.groups.contains_key(group);
            // The smaller of the two sets is searched, to save time.
            let groups: Vec<GroupNumber> = match self.long.len() < lane.groups.len() {
                true => self.long.iter().copied().filter(has).collect(),
                false => lane.groups.keys().copied().filter(|g| self.long.contains(g)).collect(),
            };
            let groups = groups.into_iter().filter(|&group| filter.admits(self, group));
            places.extend(groups.map(|group| (number, group)));
        }
        places
    }

    fn groups_outside(
        &self,
        loaded: &BTreeSet<usize>,
        lanes: &[StudySetNumber],
        filter: &Filter,
    ) -> Vec<Place> {
        let mut places = Vec::new();
        for &number in lanes {
            let Some(lane) = self.lanes.get(&number) else { continue };
            let groups = lane.groups.keys().copied();
            let groups = groups.filter(|&group| {
                !loaded.contains(&self.groups[group as usize].project) && filter.admits(self, group)
            });
            places.extend(groups.map(|group| (number, group)));
        }
        places
    }

    /// One group for each of a few projects without measured or leased runs.
    fn probes(&self, lanes: &[StudySetNumber], filter: &Filter) -> Vec<Place> {
        let mut projects = BTreeSet::new();
        let untried = lanes.iter().flat_map(|&number| {
            let lane = self.lanes.get(&number);
            lane.into_iter().flat_map(move |lane| lane.untried.iter().map(move |&g| (number, g)))
        });
        let probes = untried.filter(|&(lane, number)| {
            // Runs with places have a budget in real time, so their length is roughly known.
            if self.first_place((lane, number)) > 0 {
                return false;
            }
            let project = self.groups[number as usize].project;
            let idle = self.projects[project].leased == 0;
            idle && filter.admits(self, number) && projects.insert(project)
        });
        probes.take(MAX_UNMEASURED_RUNS).collect()
    }

    fn fill_from(
        &mut self,
        mut places: Vec<Place>,
        batch: &mut Batch,
        filter: &Filter,
        excluded: &impl Fn(RunNumber) -> bool,
    ) {
        if batch.has_enough() {
            return;
        }
        places.retain(|&place| self.first_free(place, excluded).is_some());
        let key = |&(lane, number): &Place| -> Rank {
            let group = &self.groups[number as usize];
            let project = &self.projects[group.project];
            let place = self.first_place((lane, number));
            if place > 0 {
                let length = project.measured.get().unwrap_or(Duration::MAX);
                return (false, Reverse(length), group.project, place, number, lane);
            }
            let busy = project.leased > 0 && !self.long.contains(&number);
            let length = self.expected(group).unwrap_or(Duration::MAX);
            (busy, Reverse(length), 0, 0, number, lane)
        };
        // Nearly every group contributes a run, so `needed` groups usually suffice.
        let needed = batch.max_runs - batch.runs.len();
        if places.len() > needed {
            places.select_nth_unstable_by_key(needed, key);
            places.truncate(needed);
        }
        places.sort_unstable_by_key(key);
        for place in places {
            let measured = self.groups[place.1 as usize].measured.count > 0;
            let most = match measured {
                // The next run of the group belongs to a block with a different seed.
                _ if self.first_place(place) > 0 => 1,
                true => MAX_RUNS,
                false => MAX_UNMEASURED_RUNS,
            };
            self.take_from(place, most, batch, filter, excluded);
        }
    }

    fn first_place(&self, (lane, group): Place) -> u32 {
        let runs = self.lanes.get(&lane).and_then(|lane| lane.groups.get(&group));
        runs.and_then(|runs| runs.first()).map_or(0, |(place, _)| *place)
    }

    fn first_free(
        &self,
        (lane, group): Place,
        excluded: &impl Fn(RunNumber) -> bool,
    ) -> Option<RunNumber> {
        let runs = self.lanes.get(&lane)?.groups.get(&group)?;
        runs.iter().map(|(_, run)| *run).find(|&run| !excluded(run))
    }

    /// The next run must not outlast the worker's allocation.
    fn take_from(
        &mut self,
        place: Place,
        most: usize,
        batch: &mut Batch,
        filter: &Filter,
        excluded: &impl Fn(RunNumber) -> bool,
    ) {
        // Without measured runs, each run counts as a whole batch.
        let expected = self.expected_time(place.1).unwrap_or(TIME);
        for _ in 0..most {
            let fits = |remaining| batch.time + expected <= remaining;
            if batch.has_enough() || !filter.remaining.is_none_or(fits) {
                break;
            }
            let Some(run) = self.first_free(place, excluded) else { break };
            self.remove(place.0, place.1, run);
            batch.runs.push(run);
            batch.time += expected;
        }
    }
}
