//! Executes networks under several seeds, and keeps, for each goal, the first network that covers
//! the goal under all these seeds.

use std::rc::Rc;

use catherd_scratch_suite::policy::Policy;

use super::genome::Genome;
use super::interface::Interface;
use crate::account::{Account, Work};
use crate::reflex::Arena;

/// A network with the goals that it covers under every seed.
#[derive(Clone, Debug)]
pub(crate) struct Archived {
    pub(super) genome: Rc<Genome>,
    pub(crate) goals: Vec<u32>,
}

impl Archived {
    pub(crate) fn policy(&self, interface: &Interface, steps: usize) -> Policy {
        policy(&self.genome, interface, steps)
    }
}

fn policy(genome: &Genome, interface: &Interface, steps: usize) -> Policy {
    let network = Some(genome.network(interface));
    Policy { most: steps as u64, network, ..Policy::default() }
}

pub(crate) struct Trials<'a> {
    interface: &'a Interface,
    steps: usize,
    /// The seeds of the repetitions, the first of which is the seed of the run.
    pub(super) seeds: Vec<u64>,
    /// For each goal, other goals, at least one of which must be covered first.
    dependencies: Vec<Vec<usize>>,
    aimed: Vec<bool>,
    /// For each goal, the network that covers the goal under every seed.
    pub(crate) archive: Vec<Option<Rc<Archived>>>,
    /// For each goal, how often a network covered the goal under the seed of the run while the goal
    /// was open.
    pub(super) hits: Vec<u64>,
    /// For each goal, the score of the last network. Each seed adds 1 if the network covers the
    /// goal, and otherwise a number below 1 that is larger if the network comes nearer. Seeds other
    /// than the seed of the run count only for goals that the network covers under the seed of the
    /// run.
    pub(super) scores: Vec<f64>,
    fitness: Vec<f64>,
}

impl<'a> Trials<'a> {
    pub(crate) fn new(
        interface: &'a Interface,
        steps: usize,
        seeds: Vec<u64>,
        dependencies: Vec<Vec<usize>>,
        aimed: Vec<bool>,
    ) -> Self {
        let goals = dependencies.len();
        Self {
            interface,
            steps,
            seeds,
            dependencies,
            aimed,
            archive: vec![None; goals],
            hits: vec![0; goals],
            scores: vec![0.0; goals],
            fitness: Vec::new(),
        }
    }

    pub(super) fn is_open(&self, goal: usize) -> bool {
        self.archive[goal].is_none()
    }

    pub(super) fn is_reachable(&self, goal: usize) -> bool {
        let dependencies = &self.dependencies[goal];
        dependencies.is_empty() || dependencies.iter().any(|it| self.archive[*it].is_some())
    }

    /// The open and reachable goals at which the search aims, or all open goals at which the search
    /// aims if none of them is reachable; ascending.
    pub(super) fn targets(&self) -> Vec<usize> {
        let mut all: Vec<usize> = (0..self.archive.len())
            .filter(|goal| self.aimed[*goal] && self.is_open(*goal))
            .collect();
        if all.iter().any(|goal| self.is_reachable(*goal)) {
            all.retain(|goal| self.is_reachable(*goal));
        }
        all
    }

    /// Executes a network under the seed of the run and, if it covers one of the wanted goals,
    /// under the other seeds.
    pub(super) fn assess(
        &mut self,
        genome: &Rc<Genome>,
        is_wanted: impl Fn(usize) -> bool,
        arena: &mut Arena<'_>,
        account: &mut Account<'_>,
    ) {
        let policy = policy(genome, self.interface, self.steps);
        self.episode(&policy, 0, arena, account);
        let near = |fitness: f64| if fitness == 0.0 { 1.0 } else { 1.0 / (1.0 + fitness) };
        let mut always: Vec<bool> = self.fitness.iter().map(|fitness| *fitness == 0.0).collect();
        let first = always.clone();
        for (goal, &hit) in first.iter().enumerate() {
            self.scores[goal] = near(self.fitness[goal]);
            self.hits[goal] += u64::from(hit && self.archive[goal].is_none());
        }
        if !(0..first.len()).any(|goal| first[goal] && is_wanted(goal)) {
            return;
        }
        for number in 1..self.seeds.len() {
            if account.stop(1.0).is_some() {
                return;
            }
            self.episode(&policy, number, arena, account);
            for goal in (0..first.len()).filter(|goal| first[*goal]) {
                self.scores[goal] += near(self.fitness[goal]);
                always[goal] &= self.fitness[goal] == 0.0;
            }
        }
        self.keep(genome, &always, account);
    }

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
        account.covered_goals(self.archive.iter().map(Option::is_some));
    }

    fn episode(
        &mut self,
        policy: &Policy,
        number: usize,
        arena: &mut Arena<'_>,
        account: &mut Account<'_>,
    ) {
        let steps = arena.play(policy, self.seeds[number], &[]);
        arena.fitness(&mut self.fitness);
        account.spend(Work { executed: steps, logical: steps, events: 1 });
    }
}

/// The networks of an archive that a suite needs. For each goal in `order`, deepest goals first,
/// the archived network of the goal is kept unless a network that was kept before covers the goal.
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
