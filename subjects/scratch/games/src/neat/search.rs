//! The search of Neatest, which processes one goal after another, with a separate population of
//! networks for each goal.

use std::rc::Rc;

use catherd_search::{Stop, Stream};

use super::change::Changes;
use super::genome::Genome;
use super::population::{Member, Population};
use super::settings::Neatest;
use super::trials::Trials;
use crate::account::Account;
use crate::reflex::Arena;

pub(super) struct Breeder<'a, 'b> {
    settings: &'a Neatest,
    changes: Changes<'a>,
    trials: &'b mut Trials<'a>,
    flags: Vec<bool>,
    tried: Vec<bool>,
    pub(super) generations: u64,
    pub(super) targets: u64,
}

enum Left {
    Covered,
    Changed,
    Stopped(Stop),
}

impl<'a, 'b> Breeder<'a, 'b> {
    pub(super) fn new(
        settings: &'a Neatest,
        changes: Changes<'a>,
        trials: &'b mut Trials<'a>,
        flags: Vec<bool>,
    ) -> Self {
        let tried = vec![false; flags.len()];
        Self { settings, changes, trials, flags, tried, generations: 0, targets: 0 }
    }

    pub(super) fn search(
        &mut self,
        arena: &mut Arena<'_>,
        rng: &mut Stream,
        account: &mut Account<'_>,
    ) -> Stop {
        loop {
            let Some(target) = self.choose(rng) else { return Stop::Covered };
            self.targets += 1;
            self.tried[target] = true;
            if let Left::Stopped(stop) = self.pursue(target, arena, rng, account) {
                return stop;
            }
        }
    }

    /// The next of the [targets](Trials::targets). Goals that have never been chosen come first: of
    /// these, first goals of the green flag, then the goal that networks have covered most often by
    /// accident, then a random goal.
    fn choose(&self, rng: &mut Stream) -> Option<usize> {
        let all = self.trials.targets();
        if let Some(flag) = all.iter().find(|goal| self.flags[**goal] && !self.tried[**goal]) {
            return Some(*flag);
        }
        let worth = |goal: &usize| (!self.tried[*goal], self.trials.hits[*goal]);
        let met = all.iter().copied().filter(|goal| self.trials.hits[*goal] > 0);
        // The order is reversed, because `max_by_key` returns the last of several equal elements.
        if let Some(goal) = met.rev().max_by_key(worth).filter(|goal| !self.tried[*goal]) {
            return Some(goal);
        }
        let untried: Vec<usize> = all.iter().copied().filter(|goal| !self.tried[*goal]).collect();
        let from = if untried.is_empty() { &all } else { &untried };
        (!from.is_empty()).then(|| *rng.pick(from))
    }

    /// Breeds networks for a target until one of them covers it under every seed or the search
    /// leaves the target.
    fn pursue(
        &mut self,
        target: usize,
        arena: &mut Arena<'_>,
        rng: &mut Stream,
        account: &mut Account<'_>,
    ) -> Left {
        let settings = self.settings;
        let mut population = Population::new(settings.population, settings.species);
        let mut genomes = self.first(rng);
        let mut met = false;
        loop {
            self.generations += 1;
            let met_before: Vec<bool> = self.trials.hits.iter().map(|times| *times > 0).collect();
            let mut members = Vec::with_capacity(genomes.len());
            for genome in genomes {
                let before = self.trials.hits[target];
                self.trials.assess(&genome, |goal| goal == target, arena, account);
                met |= self.trials.hits[target] > before;
                members.push(Member { genome, fitness: self.trials.scores[target] });
                if !self.trials.is_open(target) {
                    return Left::Covered;
                }
                if let Some(stop) = account.stop(1.0) {
                    return Left::Stopped(stop);
                }
            }
            let new = |goal: usize| {
                self.trials.hits[goal] > 0
                    && !met_before[goal]
                    && !self.tried[goal]
                    && self.trials.is_open(goal)
            };
            if !met && (0..met_before.len()).any(new) {
                return Left::Changed;
            }
            genomes = population.breed(members, &mut self.changes, rng);
            if population.stalled as usize >= settings.switch && self.is_another_untried(target) {
                return Left::Changed;
            }
        }
    }

    fn is_another_untried(&self, target: usize) -> bool {
        let untried = |goal: usize| {
            goal != target
                && !self.tried[goal]
                && self.trials.is_open(goal)
                && self.trials.is_reachable(goal)
        };
        (0..self.tried.len()).any(untried)
    }

    /// The first population for a target: the networks of the archive, new networks, and changed
    /// networks of the archive.
    fn first(&mut self, rng: &mut Stream) -> Vec<Rc<Genome>> {
        let mut known: Vec<Rc<Genome>> = Vec::new();
        for archived in self.trials.archive.iter().flatten() {
            if !known.iter().any(|genome| Rc::ptr_eq(genome, &archived.genome)) {
                known.push(Rc::clone(&archived.genome));
            }
        }
        let size = self.settings.population;
        let mut genomes: Vec<Rc<Genome>> = known.iter().take(size).cloned().collect();
        let new = (self.settings.new_networks * size as f64) as usize;
        let new = if known.is_empty() { size } else { new.min(size - genomes.len()) };
        for _ in 0..new {
            let genome = self.changes.random(rng);
            genomes.push(Rc::new(genome));
        }
        for number in 0..size.saturating_sub(genomes.len()) {
            let mut genome = Genome::clone(&known[number % known.len()]);
            self.changes.mutate(&mut genome, rng);
            let whole = genome.is_whole(self.changes.interface);
            genomes.push(if whole { Rc::new(genome) } else { Rc::new(self.changes.random(rng)) });
        }
        genomes
    }
}
