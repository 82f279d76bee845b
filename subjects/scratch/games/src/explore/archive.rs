//! Archives of states: one state for each cell, with an estimate of its viability.

use std::collections::BTreeMap;
use std::rc::Rc;

use catherd_search::Stream;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Counts;

/// Number of trials that the estimate of viability assumes in advance.
const PRIOR: f64 = 20.0;
/// Minimum viability, with which every state can still be chosen.
const FLOOR: f64 = 0.001;
/// Viability after waiting, relative to the viability before, below which a state counts as doomed.
const DOOMED: f64 = 0.5;
/// Number of fruitless visits to a cell after which any new state with the same fitness replaces
/// the state of the cell.
const TIRED: u32 = 4;

pub(super) struct Archive<S> {
    /// For each key, the number of the cell. Only looked up, never iterated.
    index: FxHashMap<(i32, u64), usize>,
    /// Buckets and digests of the states that are kept with a digest.
    digests: FxHashSet<(i32, u128)>,
    cells: Vec<Cell<S>>,
    /// The numbers of the cells of each bucket, the best bucket first.
    buckets: BTreeMap<i32, Vec<usize>>,
    best: f64,
    /// How often the goal has been chosen since its best fitness last improved.
    pub(super) chosen: u64,
    /// Counts of trials and of fruitful trials from all origins. `odds` contains the same counts
    /// for the origins with each feature.
    total: (f64, f64),
    odds: FxHashMap<u32, (f64, f64)>,
}

struct Cell<S> {
    key: (i32, u64),
    state: S,
    digest: Option<u128>,
    features: Rc<[u32]>,
    fitness: f64,
    steps: u64,
    visits: u32,
    fruits: u32,
}

#[derive(Clone, Copy)]
pub(super) struct Offer {
    pub(super) bucket: i32,
    pub(super) place: u64,
    pub(super) fitness: f64,
    pub(super) steps: u64,
}

impl<S> Default for Archive<S> {
    fn default() -> Self {
        Self {
            index: FxHashMap::default(),
            digests: FxHashSet::default(),
            cells: Vec::new(),
            buckets: BTreeMap::new(),
            best: f64::INFINITY,
            chosen: 0,
            total: (0.0, 0.0),
            odds: FxHashMap::default(),
        }
    }
}

impl<S> Cell<S> {
    fn waste(&self) -> f64 {
        f64::from(self.visits) / (1.0 + f64::from(self.fruits))
    }
}

impl<S: Clone> Archive<S> {
    pub(super) fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    pub(super) fn bucket_of(&self, cell: usize) -> i32 {
        self.cells[cell].key.0
    }

    /// Whether all states have worse buckets.
    pub(super) fn is_best(&self, bucket: i32) -> bool {
        self.buckets.first_key_value().is_none_or(|(best, _)| bucket < *best)
    }

    /// Draws a random cell. Starts with the best bucket, and moves on to the next worse bucket with
    /// probability `decay` each time. Of some cells that are drawn from the bucket, the cell with
    /// the best combination of few visits, many fruitful trials and high viability is chosen.
    pub(super) fn draw(
        &self,
        decay: f64,
        drawn: usize,
        viability: bool,
        rng: &mut Stream,
    ) -> usize {
        let mut skipped = 0;
        while skipped + 1 < self.buckets.len() && rng.chance(decay) {
            skipped += 1;
        }
        let Some(bucket) = self.buckets.values().nth(skipped) else { return 0 };
        let mut best = (f64::INFINITY, 0);
        for _ in 0..drawn {
            let number = *rng.pick(bucket);
            let cell = &self.cells[number];
            let prospects = if viability { self.viability(&cell.features) } else { 1.0 };
            let score = libm::log(1.0 + f64::from(cell.visits))
                - 0.5 * libm::log(1.0 + f64::from(cell.fruits))
                - 3.0 * libm::log(prospects.max(FLOOR));
            if score < best.0 {
                best = (score, number);
            }
        }
        best.1
    }

    pub(super) fn visit(&mut self, cell: usize) -> S {
        let cell = &mut self.cells[cell];
        cell.visits += 1;
        cell.state.clone()
    }

    /// The minimum over the features of the smoothed share of fruitful trials with the feature,
    /// relative to the share among all trials; at most 1.
    fn viability(&self, features: &[u32]) -> f64 {
        let overall = (self.total.1 + 1.0) / (self.total.0 + PRIOR);
        features.iter().fold(1.0, |least: f64, feature| {
            let (trials, fruits) = self.odds.get(feature).copied().unwrap_or_default();
            least.min((fruits + PRIOR * overall) / (trials + PRIOR) / overall)
        })
    }

    pub(super) fn is_doomed(&self, before: &[u32], after: &[u32]) -> bool {
        self.viability(after) < DOOMED * self.viability(before)
    }

    pub(super) fn note(&mut self, cell: usize, fruitful: bool) {
        // The cells of a goal are dropped once the goal is covered.
        let Some(cell) = self.cells.get_mut(cell) else { return };
        let fruits = f64::from(u8::from(fruitful));
        cell.fruits += u32::from(fruitful);
        self.total = (self.total.0 + 1.0, self.total.1 + fruits);
        for feature in cell.features.iter() {
            let odds = self.odds.entry(*feature).or_default();
            *odds = (odds.0 + 1.0, odds.1 + fruits);
        }
    }

    pub(super) fn accepts(&self, offer: &Offer) -> bool {
        let Some(&number) = self.index.get(&(offer.bucket, offer.place)) else { return true };
        let old = &self.cells[number];
        let tired = old.visits >= TIRED && old.fruits == 0;
        offer.fitness < old.fitness
            || offer.fitness == old.fitness && (offer.steps < old.steps || tired)
    }

    pub(super) fn has(&self, bucket: i32, digest: u128) -> bool {
        self.digests.contains(&(bucket, digest))
    }

    /// Keeps a state that is [accepted](Archive::accepts). A full bucket drops the cell whose
    /// visits were the least fruitful.
    pub(super) fn insert(
        &mut self,
        offer: Offer,
        (state, digest): (S, Option<u128>),
        features: Rc<[u32]>,
        limit: usize,
        counts: &mut Counts,
    ) {
        let Offer { bucket, place, fitness, steps } = offer;
        let key = (bucket, place);
        let cell = Cell { key, state, digest, features, fitness, steps, visits: 0, fruits: 0 };
        let cells = &mut self.cells;
        let digests = &mut self.digests;
        digests.extend(digest.map(|digest| (bucket, digest)));
        let mut replace = |old: &mut Cell<S>, cell| {
            let old = std::mem::replace(old, cell);
            if let Some(digest) = old.digest {
                digests.remove(&(bucket, digest));
            }
        };
        if let Some(&number) = self.index.get(&key) {
            replace(&mut cells[number], cell);
        } else {
            let numbers = self.buckets.entry(bucket).or_default();
            let wasted = numbers.iter().copied();
            let wasted = wasted.max_by(|a, b| cells[*a].waste().total_cmp(&cells[*b].waste()));
            if let Some(number) = wasted.filter(|_| numbers.len() >= limit) {
                self.index.remove(&cells[number].key);
                self.index.insert(key, number);
                replace(&mut cells[number], cell);
                counts.evictions += 1;
            } else {
                self.index.insert(key, cells.len());
                numbers.push(cells.len());
                cells.push(cell);
                counts.cells += 1;
            }
        }
        if fitness < self.best {
            (self.best, self.chosen) = (fitness, 0);
        }
    }
}
