//! The search of Neatest: one goal after the other, a population of networks for each.

use std::rc::Rc;

use catherd_search::{Stop, Stream};
use catherd_suite::policy::Policy;

use super::change::Changes;
use super::genome::{Genome, Innovations};
use super::interface::Interface;
use super::population::{Member, Population};
use super::settings::Neatest;
use crate::account::{Account, Work};
use crate::reflex::Arena;

/// Attempts to make a new network some of whose outputs have links.
const TRIES: usize = 20;

/// A network with the goals that it covers under every seed.
#[derive(Clone, Debug)]
pub(crate) struct Archived {
    pub(super) genome: Rc<Genome>,
    pub(crate) goals: Vec<u32>,
}

impl Archived {
    /// The policy that lets the network play.
    pub(crate) fn policy(&self, interface: &Interface, settings: &Neatest) -> Policy {
        policy(&self.genome, interface, settings)
    }
}

fn policy(genome: &Genome, interface: &Interface, settings: &Neatest) -> Policy {
    let network = Some(genome.network(interface));
    Policy { most: settings.network_steps as u64, network, ..Policy::default() }
}

/// The state of a search.
pub(crate) struct Breeder<'a> {
    settings: &'a Neatest,
    changes: Changes<'a>,
    /// The seed of the run and others: one for each repetition.
    seeds: Vec<u64>,
    dependencies: Vec<Vec<usize>>,
    /// By goal: whether the green flag starts with it.
    flags: Vec<bool>,
    /// By goal: the network that covers it under every seed.
    pub(crate) archive: Vec<Option<Rc<Archived>>>,
    /// By goal: how often a network covered it while it was not the target, whether it was ever
    /// the target, and whether a network has covered it.
    accidents: Vec<u64>,
    tried: Vec<bool>,
    fitness: Vec<f64>,
    pub(crate) generations: u64,
    pub(crate) targets: u64,
}

/// Why the population of a goal is left.
enum Left {
    Covered,
    Changed,
    Stopped(Stop),
}

impl<'a> Breeder<'a> {
    pub(crate) fn new(
        settings: &'a Neatest,
        interface: &'a Interface,
        seeds: Vec<u64>,
        dependencies: Vec<Vec<usize>>,
        flags: Vec<bool>,
    ) -> Self {
        let goals = dependencies.len();
        let innovations = Innovations::new(interface);
        Self {
            settings,
            changes: Changes { settings, interface, innovations },
            seeds,
            dependencies,
            flags,
            archive: vec![None; goals],
            accidents: vec![0; goals],
            tried: vec![false; goals],
            fitness: Vec::new(),
            generations: 0,
            targets: 0,
        }
    }

    /// Searches until every goal has a network, or the budget is spent.
    pub(crate) fn search(
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

    /// The next target: an open goal whose dependency has a network. Goals of the green flag come
    /// first, then what networks have covered by accident, untried before tried, then any.
    fn choose(&self, rng: &mut Stream) -> Option<usize> {
        let open = |goal: &usize| self.archive[*goal].is_none();
        let mut all: Vec<usize> = (0..self.archive.len()).filter(open).collect();
        let reachable = |goal: &usize| {
            let dependencies = &self.dependencies[*goal];
            dependencies.is_empty() || dependencies.iter().any(|it| self.archive[*it].is_some())
        };
        if all.iter().any(reachable) {
            all.retain(reachable);
        }
        if let Some(flag) = all.iter().find(|goal| self.flags[**goal] && !self.tried[**goal]) {
            return Some(*flag);
        }
        let worth = |goal: &usize| (!self.tried[*goal], self.accidents[*goal]);
        let met = all.iter().copied().filter(|goal| self.accidents[*goal] > 0);
        // The first of the best.
        if let Some(goal) = met.rev().max_by_key(worth).filter(|goal| !self.tried[*goal]) {
            return Some(goal);
        }
        let untried: Vec<usize> = all.iter().copied().filter(|goal| !self.tried[*goal]).collect();
        let from = if untried.is_empty() { &all } else { &untried };
        (!from.is_empty()).then(|| *rng.pick(from))
    }

    /// Breeds networks for a target until one covers it under every seed or the target is left.
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
            let met_before: Vec<bool> = self.accidents.iter().map(|times| *times > 0).collect();
            let mut members = Vec::with_capacity(genomes.len());
            for genome in genomes {
                let (fitness, covered) = self.evaluate(&genome, target, arena, account);
                met |= covered;
                members.push(Member { genome, fitness });
                if self.archive[target].is_some() {
                    return Left::Covered;
                }
                if let Some(stop) = account.stop(1.0) {
                    return Left::Stopped(stop);
                }
            }
            let new = |goal: usize| {
                self.accidents[goal] > 0
                    && !met_before[goal]
                    && !self.tried[goal]
                    && self.archive[goal].is_none()
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
            let dependencies = &self.dependencies[goal];
            goal != target
                && !self.tried[goal]
                && self.archive[goal].is_none()
                && (dependencies.is_empty()
                    || dependencies.iter().any(|it| self.archive[*it].is_some()))
        };
        (0..self.tried.len()).any(untried)
    }

    /// The first population for a target: the networks of the archive, new ones, and changed ones of
    /// the archive.
    fn first(&mut self, rng: &mut Stream) -> Vec<Rc<Genome>> {
        let mut known: Vec<Rc<Genome>> = Vec::new();
        for archived in self.archive.iter().flatten() {
            if !known.iter().any(|genome| Rc::ptr_eq(genome, &archived.genome)) {
                known.push(Rc::clone(&archived.genome));
            }
        }
        let size = self.settings.population;
        let mut genomes: Vec<Rc<Genome>> = known.iter().take(size).cloned().collect();
        let new = (self.settings.new_networks * size as f64) as usize;
        let new = if known.is_empty() { size } else { new.min(size - genomes.len()) };
        for _ in 0..new {
            let genome = self.random(rng);
            genomes.push(Rc::new(genome));
        }
        for number in 0..size.saturating_sub(genomes.len()) {
            let mut genome = Genome::clone(&known[number % known.len()]);
            self.changes.mutate(&mut genome, rng);
            let whole = genome.is_whole(self.changes.interface);
            genomes.push(if whole { Rc::new(genome) } else { Rc::new(self.random(rng)) });
        }
        genomes
    }

    fn random(&mut self, rng: &mut Stream) -> Genome {
        let changes = &mut self.changes;
        let mut genome = Genome::new(changes.interface, &mut changes.innovations, rng);
        for _ in 0..TRIES {
            if genome.is_whole(changes.interface) {
                break;
            }
            genome = Genome::new(changes.interface, &mut changes.innovations, rng);
        }
        genome
    }

    /// Executes a network under the seed of the run, and under all if it covers the target then.
    /// Returns its fitness and whether it covers the target under the seed of the run: the number of
    /// seeds under which it does, and for each other seed how near it comes, below 1.
    fn evaluate(
        &mut self,
        genome: &Rc<Genome>,
        target: usize,
        arena: &mut Arena<'_>,
        account: &mut Account<'_>,
    ) -> (f64, bool) {
        let policy = policy(genome, self.changes.interface, self.settings);
        self.episode(&policy, self.seeds[0], arena, account);
        let near = |fitness: f64| if fitness == 0.0 { 1.0 } else { 1.0 / (1.0 + fitness) };
        let mut sum = near(self.fitness[target]);
        let covered = self.fitness[target] == 0.0;
        for goal in 0..self.archive.len() {
            let hit = goal != target && self.fitness[goal] == 0.0;
            self.accidents[goal] += u64::from(hit && self.archive[goal].is_none());
        }
        if !covered {
            return (sum, false);
        }
        let mut always: Vec<bool> = self.fitness.iter().map(|fitness| *fitness == 0.0).collect();
        for number in 1..self.seeds.len() {
            if account.stop(1.0).is_some() {
                return (sum, true);
            }
            self.episode(&policy, self.seeds[number], arena, account);
            sum += near(self.fitness[target]);
            for (always, fitness) in always.iter_mut().zip(&self.fitness) {
                *always &= *fitness == 0.0;
            }
        }
        self.keep(genome, &always, account);
        (sum, true)
    }

    /// Archives a network for the open goals that it covers under every seed.
    fn keep(&mut self, genome: &Rc<Genome>, always: &[bool], account: &mut Account<'_>) {
        let goals: Vec<u32> =
            always.iter().zip(0..).filter(|(always, _)| **always).map(|(_, goal)| goal).collect();
        let archived = Rc::new(Archived { genome: Rc::clone(genome), goals });
        for &goal in &archived.goals {
            let place = &mut self.archive[goal as usize];
            if place.is_none() {
                *place = Some(Rc::clone(&archived));
            }
        }
        account.covered(self.archive.iter().flatten().count());
    }

    fn episode(
        &mut self,
        policy: &Policy,
        seed: u64,
        arena: &mut Arena<'_>,
        account: &mut Account<'_>,
    ) {
        let steps = arena.play(policy, seed, &[]);
        arena.fitness(&mut self.fitness);
        account.spend(Work { executed: steps, logical: steps, events: 1 });
    }
}

/// The networks of an archive that a suite needs: the goals in this order, deepest first, each with the
/// first network that covers it.
pub(crate) fn networks_of(archive: &[Option<Rc<Archived>>], order: &[u32]) -> Vec<Rc<Archived>> {
    let mut done = vec![false; archive.len()];
    let mut kept = Vec::new();
    for &goal in order {
        let Some(archived) = archive[goal as usize].as_ref().filter(|_| !done[goal as usize])
        else {
            continue;
        };
        archived.goals.iter().for_each(|goal| done[*goal as usize] = true);
        kept.push(Rc::clone(archived));
    }
    kept
}
