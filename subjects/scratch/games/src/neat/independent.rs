//! The search of `mio-neatest`, with a population of networks for each goal, as in MIO.

use std::rc::Rc;

use catherd_search::{Stop, Stream};

use super::change::Changes;
use super::genome::Genome;
use super::relatives::MioNeatest;
use super::species::Species;
use super::trials::Trials;
use crate::account::Account;
use crate::reflex::Arena;

#[derive(Clone, Debug)]
struct Member {
    genome: Rc<Genome>,
    score: f64,
    /// The values of the input nodes at the end of the last execution.
    seen: Rc<[f64]>,
}

pub(super) struct Independent<'a, 'b> {
    settings: &'a MioNeatest,
    changes: Changes<'a>,
    trials: &'b mut Trials<'a>,
    populations: Vec<Vec<Member>>,
    species: Vec<Species>,
    /// For each goal, how often it has been chosen since its population improved.
    chosen: Vec<u64>,
    /// The goals that have populations while they are open: the goals whose coverage implies the
    /// coverage of the other goals.
    goals: Vec<usize>,
    pub(super) turns: u64,
}

struct Schedule {
    random: f64,
    archive: usize,
    mutations: usize,
}

impl MioNeatest {
    fn schedule(&self, progress: f64) -> Schedule {
        let share = progress.clamp(0.0, 1.0);
        let between = |start: f64, end: f64| start + (end - start) * share;
        let rounded = |start: usize, end: usize| between(start as f64, end as f64).round() as usize;
        Schedule {
            random: between(self.random_start, self.random_end),
            archive: rounded(self.archive_start, self.archive_end).max(1),
            mutations: rounded(self.mutations_start, self.mutations_end),
        }
    }
}

impl<'a, 'b> Independent<'a, 'b> {
    pub(super) fn new(
        settings: &'a MioNeatest,
        changes: Changes<'a>,
        trials: &'b mut Trials<'a>,
        goals: Vec<usize>,
    ) -> Self {
        let all = trials.archive.len();
        Self {
            settings,
            changes,
            trials,
            populations: vec![Vec::new(); all],
            species: (0..all).map(|_| Species::new(settings.species)).collect(),
            chosen: vec![0; all],
            goals,
            turns: 0,
        }
    }

    pub(super) fn search(
        &mut self,
        arena: &mut Arena<'_>,
        rng: &mut Stream,
        account: &mut Account<'_>,
    ) -> Stop {
        loop {
            if self.trials.archive.iter().all(Option::is_some) {
                return Stop::Covered;
            }
            if let Some(stop) = account.stop(1.0) {
                return stop;
            }
            self.turns += 1;
            let now = self.settings.schedule(account.progress());
            let goals = self.goals.iter().copied();
            let open = goals.filter(|goal| !self.populations[*goal].is_empty());
            let goal = open.min_by_key(|goal| self.chosen[*goal]);
            match goal.filter(|_| now.mutations > 0 && !rng.chance(now.random)) {
                Some(goal) => {
                    self.chosen[goal] += 1;
                    self.mutate(goal, &now, arena, rng, account);
                }
                None => {
                    let genome = Rc::new(self.changes.random(rng));
                    self.execute(&genome, now.archive, arena, account);
                }
            }
        }
    }

    /// Mutates one network of each species in the population of a goal several times, and continues
    /// from each mutant that is not worse.
    fn mutate(
        &mut self,
        goal: usize,
        now: &Schedule,
        arena: &mut Arena<'_>,
        rng: &mut Stream,
        account: &mut Account<'_>,
    ) {
        let members = self.populations[goal].clone();
        let genomes: Vec<_> = members.iter().map(|member| Rc::clone(&member.genome)).collect();
        let numbers = self.species[goal].separate(&genomes, rng);
        let count = numbers.iter().max().map_or(0, |most| most + 1);
        for number in 0..count {
            let own: Vec<usize> = (0..numbers.len()).filter(|it| numbers[*it] == number).collect();
            let Member { mut genome, mut score, .. } = members[*rng.pick(&own)].clone();
            for _ in 0..now.mutations {
                if !self.trials.is_open(goal) || account.stop(1.0).is_some() {
                    return;
                }
                let child = Rc::new(self.changed(&genome, rng));
                self.execute(&child, now.archive, arena, account);
                if self.trials.scores[goal] >= score {
                    (genome, score) = (child, self.trials.scores[goal]);
                }
            }
        }
    }

    fn changed(&mut self, genome: &Genome, rng: &mut Stream) -> Genome {
        let mut child = genome.clone();
        if rng.chance(self.settings.structure) {
            if rng.chance(self.changes.operators.add_node) {
                self.changes.add_node(&mut child, rng);
            }
            if rng.chance(self.changes.operators.add_link) {
                self.changes.add_link(&mut child, rng);
            }
        }
        self.changes.change_links(&mut child, rng);
        if child.is_whole(self.changes.interface) { child } else { self.changes.random(rng) }
    }

    fn execute(
        &mut self,
        genome: &Rc<Genome>,
        capacity: usize,
        arena: &mut Arena<'_>,
        account: &mut Account<'_>,
    ) {
        let targets = self.trials.targets();
        let is_target = |goal| targets.binary_search(&goal).is_ok();
        self.trials.assess(genome, is_target, arena, account);
        let seen: Rc<[f64]> = arena.seen(&genome.network(self.changes.interface)).into();
        for position in 0..self.goals.len() {
            let goal = self.goals[position];
            let population = &mut self.populations[goal];
            if !self.trials.is_open(goal) {
                *population = Vec::new();
                continue;
            }
            let score = self.trials.scores[goal];
            if score > 0.0 {
                let member = Member { genome: Rc::clone(genome), score, seen: Rc::clone(&seen) };
                if offer(population, member, capacity, self.settings.neighbours) {
                    self.chosen[goal] = 0;
                }
            }
        }
    }
}

/// Offers a network to a population, which is ordered from best to worst. The population is reduced
/// to the capacity: usually, members with the lowest score, and of these the least novel, are
/// removed. Returns whether the network replaced another member.
fn offer(population: &mut Vec<Member>, member: Member, capacity: usize, neighbours: usize) -> bool {
    let worst = population.last().map_or(0.0, |worst| worst.score);
    if population.len() >= capacity && member.score < worst {
        population.truncate(capacity);
        return false;
    }
    let genome = Rc::clone(&member.genome);
    let before = population.len();
    let at = population.partition_point(|other| other.score > member.score);
    population.insert(at, member);
    while population.len() > capacity {
        let lowest = population[population.len() - 1].score;
        let tied = population.partition_point(|other| other.score > lowest);
        let novelty = |position: &usize| novelty(population, *position, neighbours);
        // Of equally novel members, the last is removed.
        let leaves = (tied..population.len())
            .rev()
            .min_by(|a, b| novelty(a).total_cmp(&novelty(b)))
            .unwrap_or(population.len() - 1);
        population.remove(leaves);
    }
    let stays = population.iter().any(|other| Rc::ptr_eq(&other.genome, &genome));
    stays && before >= capacity
}

/// The mean distance between the observations of a member and the observations of its nearest
/// neighbours.
fn novelty(population: &[Member], position: usize, neighbours: usize) -> f64 {
    let others = population.iter().enumerate().filter(|(other, _)| *other != position);
    let mut distances: Vec<f64> =
        others.map(|(_, other)| cosine_distance(&population[position].seen, &other.seen)).collect();
    distances.sort_by(f64::total_cmp);
    distances.truncate(neighbours);
    distances.iter().sum::<f64>() / distances.len().max(1) as f64
}

/// 1 minus the cosine of the angle between two vectors; if one of them is zero, 0 if they are equal
/// and 1 otherwise.
fn cosine_distance(a: &[f64], b: &[f64]) -> f64 {
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let lengths = libm::sqrt(product(a, a)) * libm::sqrt(product(b, b));
    if lengths > 0.0 { 1.0 - product(a, b) / lengths } else { f64::from(u8::from(a != b)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(score: f64, seen: [f64; 2]) -> Member {
        Member { genome: Rc::default(), score, seen: seen.into() }
    }

    #[test]
    fn among_equal_scores_the_least_novel_is_removed() {
        let mut population = Vec::new();
        for (score, seen) in [(1.0, [1.0, 0.0]), (2.0, [1.0, 0.1]), (1.0, [0.0, 1.0])] {
            assert!(!offer(&mut population, member(score, seen), 3, 15), "there is room");
        }
        assert!(!offer(&mut population, member(0.5, [-1.0, 0.0]), 3, 15), "worse than the worst");
        assert!(offer(&mut population, member(1.0, [0.0, -1.0]), 3, 15));
        let seen: Vec<_> = population.iter().map(|it| (it.score, it.seen[1])).collect();
        assert_eq!(seen, [(2.0, 0.1), (1.0, -1.0), (1.0, 1.0)]);
    }

    #[test]
    fn distances_depend_only_on_directions() {
        assert_eq!(cosine_distance(&[2.0, 0.0], &[5.0, 0.0]), 0.0);
        assert_eq!(cosine_distance(&[2.0, 0.0], &[0.0, 1.0]), 1.0);
        assert_eq!(cosine_distance(&[2.0, 0.0], &[-1.0, 0.0]), 2.0);
        assert_eq!(cosine_distance(&[0.0, 0.0], &[0.0, 1.0]), 1.0);
        assert_eq!(cosine_distance(&[0.0, 0.0], &[0.0, 0.0]), 0.0);
    }

    #[test]
    fn settings_change_with_the_budget() {
        let at = |progress| {
            let Schedule { random, archive, mutations } = MioNeatest::default().schedule(progress);
            (random, archive, mutations)
        };
        assert_eq!(at(0.0), (0.9, 20, 0));
        assert_eq!(at(0.5), (0.7, 13, 2));
        assert_eq!(at(1.0), (0.5, 5, 3));
    }
}
