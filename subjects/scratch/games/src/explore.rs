//! State-space search, which returns to states close to a goal and explores from them. The search
//! accesses programs only through [`StateSpace`].
//!
//! The search combines Go-Explore (Ecoffet et al. 2021: return, then explore), MIO (Arcuri 2018: an
//! archive for each goal, feedback-directed choice) and MAP-Elites (Mouret and Clune 2015: one
//! elite for each cell). Two ideas are new: cells that consist of branch distances and positions of
//! scripts, and viability, which estimates whether a state can still lead to new coverage.

mod archive;
mod settings;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use catherd_search::{Stop, Stream};

use crate::account::{Account, Work};
use archive::{Archive, Offer};
pub use settings::{Cells, Explore, Guidance};

/// A deterministic transition system with goals.
pub(crate) trait StateSpace {
    /// A state with the path that led to it, cheap to clone.
    type State: Clone;
    type Action: Copy;

    fn goals(&self) -> usize;
    fn is_aimed_at(&self, _goal: usize) -> bool {
        true
    }
    fn independent(&self) -> &[usize];
    /// For each goal, other goals, at least one of which must be covered first.
    fn dependencies(&self) -> &[Vec<usize>];
    /// Puts the system into the first state under a seed, and returns this state.
    fn root(&mut self, seed: u64) -> Self::State;
    fn enter(&mut self, state: &Self::State);
    /// Returns an action to which the system can react in the current state, with random
    /// parameters.
    fn propose(&mut self, rng: &mut Stream, last: Option<Self::Action>) -> Option<Self::Action>;
    /// Executes an action. Returns its number of steps and whether the program has ended or hung.
    fn act(&mut self, action: Self::Action) -> (u64, bool);
    /// Waits for some steps, which are not part of the path; the caller must enter a state
    /// afterwards. Returns whether the program has ended or hung.
    fn idle(&mut self, steps: u64) -> bool;
    /// Number of steps of the path to the current state.
    fn length(&self) -> u64;
    fn length_of(&self, state: &Self::State) -> u64;
    /// Writes the distance of the current state from each goal; 0 if the path to the state has
    /// covered the goal.
    fn fitness(&mut self, to: &mut Vec<f64>);
    /// The key of the current state's cell for a goal, without the bucket.
    fn place(&mut self, goal: usize) -> u64;
    /// The key of the current state's cell in the archive of novelty.
    fn novelty(&mut self) -> u64;
    /// A digest of the current state, equal for states that differ at most in time.
    fn digest(&self) -> u128;
    fn features(&mut self, to: &mut Vec<u32>);
    /// The current state.
    fn leave(&mut self) -> Self::State;
    /// Finds the sprites that actions control, by experiments in a state. Returns the number of
    /// executed steps.
    fn probe(&mut self, state: &Self::State, rng: &mut Stream) -> u64;
}

/// The result of a search: for each goal, a state whose path covers it, if such a state was found.
pub(crate) struct Found<S> {
    pub(crate) states: Vec<Option<S>>,
    pub(crate) counts: Counts,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) rollouts: u64,
    pub(crate) cells: u64,
    pub(crate) evictions: u64,
    pub(crate) probes: u64,
    pub(crate) reseeds: u64,
    /// How often a state was not kept because it was doomed, or because the program ended or hung
    /// during the wait.
    pub(crate) doomed: u64,
}

const PROBED_ROOTS: u64 = 24;
/// Number of cells that are drawn from a bucket, of which the best is chosen.
const DRAWN: usize = 8;
/// Maximum number of cells in the bucket of the archive of novelty, as a multiple of the maximum
/// for other buckets.
const NOVELTY_CELLS: usize = 8;

enum Origin {
    Root,
    /// A cell of the archive of a goal.
    Cell {
        goal: usize,
        cell: usize,
        bucket: i32,
    },
    Novelty {
        cell: usize,
    },
}

struct Root<S> {
    state: S,
    used: u64,
    /// Whether the path is empty. If so, a rollout may start under a different seed.
    first: bool,
}

struct Search<'a, S: StateSpace> {
    space: &'a mut S,
    settings: &'a Explore,
    rng: &'a mut Stream,
    roots: Vec<Root<S::State>>,
    keeps_roots: bool,
    probed: usize,
    archives: Vec<Archive<S::State>>,
    novelty: Archive<S::State>,
    frontier: Vec<usize>,
    found: Found<S::State>,
    covered: usize,
    fitness: Vec<f64>,
    features: Vec<u32>,
}

/// Explores a system from its roots under `seeds`, the first of which is the seed of the run, until
/// every goal at which the search aims is covered or the account stops the search. `known` goals
/// count as covered from the beginning.
pub(crate) fn explore<S: StateSpace>(
    space: &mut S,
    settings: &Explore,
    (seeds, keeps_roots): (&[u64], bool),
    rng: &mut Stream,
    account: &mut Account<'_>,
    share: f64,
    known: &[bool],
) -> (Found<S::State>, Stop) {
    let goals = space.goals();
    let mut search = Search {
        found: Found { states: vec![None; goals], counts: Counts::default() },
        archives: (0..goals).map(|_| Archive::default()).collect(),
        novelty: Archive::default(),
        roots: Vec::new(),
        keeps_roots,
        probed: 0,
        frontier: Vec::new(),
        covered: 0,
        fitness: Vec::new(),
        features: Vec::new(),
        space,
        settings,
        rng,
    };
    search.begin(seeds, account, known);
    let stop = loop {
        if search.done(known) {
            break Stop::Covered;
        }
        if let Some(stop) = account.stop(share) {
            break stop;
        }
        search.rollout(account, known);
    };
    (search.found, stop)
}

impl<S: StateSpace> Search<'_, S> {
    fn done(&self, known: &[bool]) -> bool {
        let mut goals = self.found.states.iter().zip(known).enumerate();
        goals.all(|(goal, (state, known))| {
            state.is_some() || *known || !self.space.is_aimed_at(goal)
        })
    }

    fn is_open(&self, goal: usize, known: &[bool]) -> bool {
        self.found.states[goal].is_none() && !known[goal]
    }

    fn begin(&mut self, seeds: &[u64], account: &mut Account<'_>, known: &[bool]) {
        self.covered = known.iter().filter(|known| **known).count();
        for (number, &seed) in seeds.iter().enumerate() {
            let state = self.space.root(seed);
            let root = Root { state, used: 0, first: true };
            let before = self.covered;
            let mut work = Work { events: 1, ..Work::default() };
            if number > 0 {
                let mut last = None;
                for _ in 0..2 {
                    let Some(action) = self.space.propose(self.rng, last) else { break };
                    last = Some(action);
                    let (steps, over) = self.space.act(action);
                    work.executed += steps;
                    if over {
                        break;
                    }
                }
                work.logical = work.executed;
                self.found.counts.reseeds += 1;
                account.spend(work);
            }
            let mut fitness = std::mem::take(&mut self.fitness);
            self.space.fitness(&mut fitness);
            self.cover(&fitness, account, known);
            self.fitness = fitness;
            if number == 0 || self.keeps_roots || self.covered > before {
                self.roots.push(root);
            }
        }
        self.refresh(known);
    }

    /// Keeps the current state for the goals that no earlier state covered. Returns whether there
    /// are such goals.
    fn cover(&mut self, fitness: &[f64], account: &mut Account<'_>, known: &[bool]) -> bool {
        let new: Vec<usize> = (0..fitness.len())
            .filter(|&goal| fitness[goal] == 0.0 && self.found.states[goal].is_none())
            .collect();
        if new.is_empty() {
            return false;
        }
        let state = self.space.leave();
        for &goal in &new {
            self.found.states[goal] = Some(state.clone());
            self.archives[goal] = Archive::default();
        }
        let fresh = new.iter().filter(|goal| !known[**goal]).count();
        self.covered += fresh;
        if fresh > 0 {
            let states = self.found.states.iter().zip(known);
            account.covered_goals(states.map(|(state, known)| state.is_some() || *known));
        }
        self.roots.push(Root { state, used: 0, first: false });
        true
    }

    /// Updates the goals that the search pursues: preferably independent goals that depend on no
    /// other goal or on a covered goal.
    fn refresh(&mut self, known: &[bool]) {
        let covered = |goal: &usize| self.found.states[*goal].is_some() || known[*goal];
        let ready = |goal: usize| {
            let dependencies = &self.space.dependencies()[goal];
            dependencies.is_empty() || dependencies.iter().any(covered)
        };
        let open = |goal: &usize| self.is_open(*goal, known);
        let independent = self.space.independent().iter().copied();
        let mut frontier: Vec<usize> =
            independent.filter(open).filter(|goal| ready(*goal)).collect();
        if frontier.is_empty() {
            let aimed = |goal: &usize| self.space.is_aimed_at(*goal);
            frontier = (0..self.space.goals()).filter(aimed).filter(open).collect();
        }
        if !self.settings.goals {
            frontier.clear();
        }
        self.frontier = frontier;
    }

    fn choose(&mut self) -> (Origin, S::State) {
        let with: Vec<usize> =
            self.frontier.iter().copied().filter(|g| !self.archives[*g].is_empty()).collect();
        let novelty = if with.is_empty() { 0.9 } else { self.settings.novelty_share };
        let lost = with.len() < self.frontier.len();
        let restart = self.settings.cells == Cells::None;
        if restart
            || with.is_empty() && self.novelty.is_empty()
            || self.rng.chance(self.settings.root_share)
        {
            return self.choose_root();
        }
        if !self.novelty.is_empty() && self.rng.chance(novelty) {
            // Try roots under other seeds, which may lead to the goals without a kept state.
            if lost && self.keeps_roots && self.rng.chance(0.5) {
                return self.choose_root();
            }
            let cell = self.novelty.draw(0.0, DRAWN, false, self.rng);
            let state = self.novelty.visit(cell);
            return (Origin::Novelty { cell }, state);
        }
        let least = with.iter().copied().min_by_key(|goal| self.archives[*goal].chosen);
        let Some(goal) = least else { return self.choose_root() };
        let archive = &mut self.archives[goal];
        archive.chosen += 1;
        let cell = archive.draw(self.settings.decay, DRAWN, self.settings.viability, self.rng);
        let bucket = archive.bucket_of(cell);
        let state = archive.visit(cell);
        (Origin::Cell { goal, cell, bucket }, state)
    }

    fn choose_root(&mut self) -> (Origin, S::State) {
        // `roots` is not empty, because the root under the seed of the run is kept.
        let least = (0..self.roots.len()).min_by_key(|root| self.roots[*root].used).unwrap_or(0);
        let root = &mut self.roots[least];
        root.used += 1;
        let mut state = root.state.clone();
        if root.first && self.settings.reseed > 0.0 && self.rng.chance(self.settings.reseed) {
            let seed = self.rng.next_u64();
            state = self.space.root(seed);
            self.found.counts.reseeds += 1;
        }
        (Origin::Root, state)
    }

    fn probe(&mut self, work: &mut Work) {
        while self.probed > 0 && self.probed < self.roots.len() && self.roots[self.probed].first {
            // Skip further roots directly after the green flag, because their states are similar
            // under all seeds.
            self.probed += 1;
        }
        if self.probed < self.roots.len() && self.found.counts.probes < PROBED_ROOTS {
            let state = self.roots[self.probed].state.clone();
            self.probed += 1;
            let steps = self.space.probe(&state, self.rng);
            self.found.counts.probes += 1;
            work.executed += steps;
            work.logical += steps;
        }
    }

    fn rollout(&mut self, account: &mut Account<'_>, known: &[bool]) {
        let mut work = Work::default();
        self.probe(&mut work);
        let (origin, state) = self.choose();
        self.space.enter(&state);
        work.logical += self.space.length_of(&state);
        self.found.counts.rollouts += 1;
        let mut actions = 1;
        while actions < self.settings.rollout && self.rng.chance(self.settings.going_on) {
            actions += 1;
        }
        let mut fitness = std::mem::take(&mut self.fitness);
        let (mut last, mut fruitful) = (None, false);
        for _ in 0..actions {
            if self.space.length() >= self.settings.most_steps as u64 {
                break;
            }
            let Some(action) = self.space.propose(self.rng, last) else { break };
            last = Some(action);
            let (steps, over) = self.space.act(action);
            work.executed += steps;
            work.logical += steps;
            work.events += 1;
            self.space.fitness(&mut fitness);
            if self.cover(&fitness, account, known) {
                fruitful = true;
                self.refresh(known);
                if self.done(known) {
                    break;
                }
            }
            if !over {
                fruitful |= self.offer(&fitness, &origin, &mut work);
            }
        }
        self.fitness = fitness;
        match origin {
            Origin::Cell { goal, cell, .. } => self.archives[goal].note(cell, fruitful),
            Origin::Novelty { cell } => self.novelty.note(cell, fruitful),
            Origin::Root => {}
        }
        account.spend(work);
    }

    /// Offers the current state to the archives. Returns whether the archive from which the rollout
    /// started kept the state in a better bucket than the bucket of the origin.
    fn offer(&mut self, fitness: &[f64], origin: &Origin, work: &mut Work) -> bool {
        if self.settings.cells == Cells::None {
            return false;
        }
        let mut features = std::mem::take(&mut self.features);
        self.space.features(&mut features);
        let shared: Rc<[u32]> = features.as_slice().into();
        self.features = features;
        let (length, mut state, mut fruitful) = (self.space.length(), None, false);
        let mut digest = None;
        // The features after waiting; the inner `None` means that the program ends or hangs.
        let mut after: Option<Option<Vec<u32>>> = None;
        for position in 0..self.frontier.len() {
            let goal = self.frontier[position];
            if self.found.states[goal].is_some() || !fitness[goal].is_finite() {
                continue;
            }
            let bucket = match self.settings.cells {
                Cells::Place => 0,
                _ => bucket(fitness[goal]),
            };
            let place = match self.settings.cells {
                Cells::Bucket => 0,
                _ => self.space.place(goal),
            };
            let offer = Offer { bucket, place, fitness: fitness[goal], steps: length };
            let archive = &self.archives[goal];
            if !archive.accepts(&offer) || self.is_duplicate(archive, bucket, &mut digest) {
                continue;
            }
            if self.settings.look_ahead > 0 && self.archives[goal].is_best(bucket) {
                if after.is_none() {
                    let here = state.get_or_insert_with(|| self.space.leave());
                    after = Some(self.look_ahead(here, work));
                }
                let ahead = after.as_ref().and_then(Option::as_deref);
                if ahead.is_none_or(|ahead| self.archives[goal].is_doomed(&shared, ahead)) {
                    self.found.counts.doomed += 1;
                    continue;
                }
            }
            let state = state.get_or_insert_with(|| self.space.leave());
            let limit = self.settings.cells_per_bucket;
            let counts = &mut self.found.counts;
            let state = (state.clone(), digest);
            self.archives[goal].insert(offer, state, Rc::clone(&shared), limit, counts);
            if let Origin::Cell { goal: chosen, bucket: from, .. } = *origin {
                fruitful |= chosen == goal && bucket < from;
            }
        }
        let offer = Offer { bucket: 0, place: self.space.novelty(), fitness: 0.0, steps: length };
        if self.settings.novelty_share > 0.0
            && self.novelty.accepts(&offer)
            && !self.is_duplicate(&self.novelty, offer.bucket, &mut digest)
        {
            let state = state.get_or_insert_with(|| self.space.leave());
            let limit = self.settings.cells_per_bucket * NOVELTY_CELLS;
            let state = (state.clone(), digest);
            self.novelty.insert(offer, state, shared, limit, &mut self.found.counts);
        }
        fruitful
    }

    fn is_duplicate(
        &self,
        archive: &Archive<S::State>,
        bucket: i32,
        digest: &mut Option<u128>,
    ) -> bool {
        !self.settings.duplicates
            && archive.has(bucket, *digest.get_or_insert_with(|| self.space.digest()))
    }

    /// The features after waiting in the current state, to which the system returns afterwards.
    fn look_ahead(&mut self, here: &S::State, work: &mut Work) -> Option<Vec<u32>> {
        let steps = self.settings.look_ahead as u64;
        work.executed += steps;
        work.logical += steps;
        let over = self.space.idle(steps);
        let mut features = Vec::new();
        self.space.features(&mut features);
        self.space.enter(here);
        (!over).then_some(features)
    }
}

/// The bucket of a fitness `2 a + alpha(b) + c` (see `Model::evaluate` of
/// `catherd-scratch-testgen`): ordered by approach level, then by branch distance, rounded to a
/// whole number if below 32, and otherwise down to a quarter of an octave.
pub(crate) fn bucket(fitness: f64) -> i32 {
    if !fitness.is_finite() {
        return i32::MAX;
    }
    let level = (fitness / 2.0).floor().min(1_000_000.0);
    let rest = fitness - 2.0 * level;
    let branch = if rest < 1.0 {
        0.0
    } else {
        let share = rest - 1.0;
        let distance = if share >= 1.0 { 1e6 } else { (share / (1.0 - share)).min(1e6) };
        1.0 + if distance < 32.0 {
            distance.round()
        } else {
            32.0 + (4.0 * libm::log2(distance / 32.0)).floor()
        }
    };
    level as i32 * 1_000 + branch as i32
}
