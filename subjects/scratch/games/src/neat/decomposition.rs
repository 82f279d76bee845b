//! The search of `newsd-neatest`: NEWS/D (Salih and Moshaiov, CEC 2021), in which every open goal
//! is a subproblem. Structures and weights are bred separately, and new structures are protected.

use std::rc::Rc;

use catherd_search::{Stop, Stream};
use rustc_hash::FxHashMap;

use super::change::{Changes, cross};
use super::genome::Genome;
use super::relatives::NewsdNeatest;
use super::trials::Trials;
use crate::account::Account;
use crate::reflex::Arena;

/// Maximum number of attempts to create a child whose topology has not died out.
const ATTEMPTS: usize = 10;

/// A topology: the numbers of the links of a network, ascending.
type Links = Vec<u32>;

#[derive(Clone, Debug)]
struct Judged {
    genome: Rc<Genome>,
    topology: usize,
    scores: Rc<[f64]>,
}

impl Judged {
    /// The mean of the scores for the targets. There must be at least one target.
    fn mean(&self, targets: &[usize]) -> f64 {
        targets.iter().map(|goal| self.scores[*goal]).sum::<f64>() / targets.len() as f64
    }
}

/// The topologies of a run, numbered in the order of their first networks.
#[derive(Default)]
struct Topologies {
    numbers: FxHashMap<Links, usize>,
    /// For each topology, the generation of its first network.
    born: Vec<u64>,
    /// For each topology, whether the population or a new child has it.
    alive: Vec<bool>,
}

impl Topologies {
    fn links(genome: &Genome) -> Links {
        genome.genes.iter().map(|gene| gene.innovation).collect()
    }

    fn has_died_out(&self, genome: &Genome) -> bool {
        self.numbers.get(&Self::links(genome)).is_some_and(|number| !self.alive[*number])
    }

    fn number(&mut self, genome: &Genome, generation: u64) -> usize {
        let next = self.born.len();
        let number = *self.numbers.entry(Self::links(genome)).or_insert(next);
        if number == next {
            self.born.push(generation);
            self.alive.push(false);
        }
        self.alive[number] = true;
        number
    }

    /// Whether a topology is younger than this number of generations. Topologies of the first
    /// networks are not protected, because older topologies do not exist.
    fn is_young(&self, number: usize, generation: u64, protected: usize) -> bool {
        self.born[number] > 0 && generation - self.born[number] < protected as u64
    }

    fn count(&self) -> usize {
        self.alive.iter().filter(|alive| **alive).count()
    }

    fn retain(&mut self, population: &[Judged]) {
        self.alive.fill(false);
        population.iter().for_each(|member| self.alive[member.topology] = true);
    }
}

pub(super) struct Decomposition<'a, 'b> {
    settings: &'a NewsdNeatest,
    changes: Changes<'a>,
    trials: &'b mut Trials<'a>,
    topologies: Topologies,
    pub(super) generations: u64,
}

impl<'a, 'b> Decomposition<'a, 'b> {
    pub(super) fn new(
        settings: &'a NewsdNeatest,
        changes: Changes<'a>,
        trials: &'b mut Trials<'a>,
    ) -> Self {
        Self { settings, changes, trials, topologies: Topologies::default(), generations: 0 }
    }

    pub(super) fn topologies(&self) -> u64 {
        self.topologies.born.len() as u64
    }

    pub(super) fn search(
        &mut self,
        arena: &mut Arena<'_>,
        rng: &mut Stream,
        account: &mut Account<'_>,
    ) -> Stop {
        let size = self.settings.population;
        let mut children: Vec<Rc<Genome>> =
            (0..size).map(|_| Rc::new(self.changes.random(rng))).collect();
        let mut population: Vec<Judged> = Vec::new();
        loop {
            for genome in children {
                let targets = self.trials.targets();
                if targets.is_empty() {
                    return Stop::Covered;
                }
                let is_target = |goal| targets.binary_search(&goal).is_ok();
                self.trials.assess(&genome, is_target, arena, account);
                let topology = self.topologies.number(&genome, self.generations);
                let scores = self.trials.scores.as_slice().into();
                population.push(Judged { genome, topology, scores });
                if let Some(stop) = account.stop(1.0) {
                    return stop;
                }
            }
            let targets = self.trials.targets();
            if targets.is_empty() {
                return Stop::Covered;
            }
            let kept = self.kept(&population, &targets);
            population = next_population(population, &kept, size);
            self.topologies.retain(&population);
            self.generations += 1;
            children = self.offspring(&population, &targets, rng);
        }
    }

    /// The members that always survive and breed: the best for each target, and the best of each
    /// young topology.
    fn kept(&self, population: &[Judged], targets: &[usize]) -> Vec<usize> {
        let mut kept = elites(population, targets);
        let (generation, protected) = (self.generations, self.settings.protected);
        let is_young = |number: &usize| self.topologies.is_young(*number, generation, protected);
        for topology in (0..self.topologies.born.len()).filter(is_young) {
            let own = (0..population.len()).filter(|it| population[*it].topology == topology);
            let mean = |it: &usize| population[*it].mean(targets);
            // The order is reversed, because `max_by` returns the last of several equal elements.
            let best = own.rev().max_by(|a, b| mean(a).total_cmp(&mean(b)));
            kept.extend(best.filter(|best| !kept.contains(best)));
        }
        kept
    }

    fn offspring(
        &mut self,
        population: &[Judged],
        targets: &[usize],
        rng: &mut Stream,
    ) -> Vec<Rc<Genome>> {
        let size = self.settings.population;
        let mut pool = self.kept(population, targets);
        while pool.len() < size {
            pool.push(winner(population, targets, rng));
        }
        let mut waiting: Vec<usize> = Vec::new();
        let mut children = Vec::with_capacity(size + 1);
        while children.len() < size {
            if waiting.len() < 2 {
                waiting = shuffled(&pool, rng);
            }
            let [one, other] = [waiting.pop(), waiting.pop()].map(|it| it.unwrap_or(pool[0]));
            let pair = [&population[one], &population[other]];
            if self.topologies.count() < self.settings.topologies {
                children.push(self.restructured(pair, targets, rng));
            } else {
                children.extend(self.reweighted(pair, rng));
            }
        }
        children.truncate(size);
        children.into_iter().map(Rc::new).collect()
    }

    /// Breeds a child with a different structure or different weights.
    fn restructured(
        &mut self,
        [one, other]: [&Judged; 2],
        targets: &[usize],
        rng: &mut Stream,
    ) -> Genome {
        let (fitter, weaker) =
            if one.mean(targets) >= other.mean(targets) { (one, other) } else { (other, one) };
        let mut child = Genome::default();
        for _ in 0..ATTEMPTS {
            child = if rng.chance(self.settings.crossover) {
                cross(&fitter.genome, &weaker.genome, rng)
            } else {
                Genome::clone(&one.genome)
            };
            self.changes.mutate(&mut child, rng);
            if !child.is_whole(self.changes.interface) {
                child = self.changes.random(rng);
            }
            if !self.topologies.has_died_out(&child) {
                break;
            }
        }
        self.topologies.number(&child, self.generations);
        child
    }

    /// Breeds two children with the structures of their parents and different weights.
    fn reweighted(&mut self, [one, other]: [&Judged; 2], rng: &mut Stream) -> [Genome; 2] {
        let same = one.topology == other.topology;
        [(one, other), (other, one)].map(|(first, second)| {
            let mut child = if same && rng.chance(self.settings.crossover) {
                cross(&first.genome, &second.genome, rng)
            } else {
                Genome::clone(&first.genome)
            };
            self.changes.change_weights(&mut child, rng);
            if child.is_whole(self.changes.interface) { child } else { self.changes.random(rng) }
        })
    }
}

/// The best member for each target. Members that are best for the most targets come first. Of
/// members with the same score, the member with the fewest links is best.
fn elites(population: &[Judged], targets: &[usize]) -> Vec<usize> {
    let mut wins = vec![0_usize; population.len()];
    for &goal in targets {
        let better = |a: &usize, b: &usize| {
            let [a, b] = [&population[*a], &population[*b]];
            let fewer = b.genome.genes.len().cmp(&a.genome.genes.len());
            a.scores[goal].total_cmp(&b.scores[goal]).then(fewer)
        };
        if let Some(best) = (0..population.len()).rev().max_by(better) {
            wins[best] += 1;
        }
    }
    let mut elites: Vec<usize> = (0..population.len()).filter(|it| wins[*it] > 0).collect();
    elites.sort_by_key(|it| std::cmp::Reverse(wins[*it]));
    elites
}

/// The members that are always kept, and then the newest of the remaining members, `size` in all.
/// Children come after their parents in `all`.
fn next_population(all: Vec<Judged>, kept: &[usize], size: usize) -> Vec<Judged> {
    let others = (0..all.len()).rev().filter(|it| !kept.contains(it));
    let chosen = kept.iter().copied().chain(others).take(size);
    chosen.map(|index| all[index].clone()).collect()
}

/// The better of two random members for a random target.
fn winner(population: &[Judged], targets: &[usize], rng: &mut Stream) -> usize {
    let goal = *rng.pick(targets);
    let [one, other] = [(); 2].map(|()| rng.index(population.len()));
    let is_worse = population[one].scores[goal] < population[other].scores[goal];
    if is_worse { other } else { one }
}

fn shuffled(numbers: &[usize], rng: &mut Stream) -> Vec<usize> {
    let mut numbers = numbers.to_vec();
    for last in (1..numbers.len()).rev() {
        numbers.swap(last, rng.index(last + 1));
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(topology: usize, scores: &[f64]) -> Judged {
        Judged { genome: Rc::default(), topology, scores: scores.into() }
    }

    #[test]
    fn the_best_for_each_target_are_kept_and_then_the_newest() {
        let all = [[3.0, 0.0], [1.0, 2.0], [2.0, 2.0], [0.0, 0.0]].map(|it| judged(0, &it));
        assert_eq!(elites(&all, &[0, 1]), [0, 1], "the first of equal members");
        assert_eq!(elites(&all, &[1]), [1]);
        let winners = [[3.0, 1.0, 1.0], [1.0, 2.0, 2.0]].map(|it| judged(0, &it));
        assert_eq!(elites(&winners, &[0, 1, 2]), [1, 0], "best for most targets first");
        let next = next_population(all.to_vec(), &[0, 1], 3);
        assert_eq!(next.iter().map(|it| it.scores[0]).collect::<Vec<_>>(), [3.0, 1.0, 0.0]);
        assert_eq!(next_population(all.to_vec(), &[0, 1], 1).len(), 1);
    }

    #[test]
    fn topologies_are_young_for_some_generations_and_may_die_out() {
        let with = |links: &[u32]| {
            let gene = |innovation: &u32| super::super::genome::Gene {
                innovation: *innovation,
                from: 0,
                to: 1,
                weight: 1.0,
                enabled: true,
            };
            Genome { genes: links.iter().map(gene).collect(), hidden: Vec::new() }
        };
        let mut topologies = Topologies::default();
        assert_eq!(topologies.number(&with(&[0, 1]), 0), 0);
        assert_eq!(topologies.number(&with(&[0, 1, 2]), 4), 1);
        assert_eq!(topologies.number(&with(&[0, 1]), 5), 0, "the same links");
        let young = |generation| [0, 1].map(|number| topologies.is_young(number, generation, 3));
        assert_eq!([4, 6, 7].map(young), [[false, true], [false, true], [false, false]]);
        assert_eq!(topologies.count(), 2);
        topologies.retain(&[judged(0, &[1.0])]);
        assert!(topologies.has_died_out(&with(&[0, 1, 2])));
        assert!(!topologies.has_died_out(&with(&[0, 1])) && !topologies.has_died_out(&with(&[7])));
        assert_eq!(topologies.count(), 1);
    }

    #[test]
    fn random_orders_keep_all_numbers() {
        let mut rng = Stream::new(1, 0);
        let mut order = shuffled(&[5, 6, 7, 8, 9], &mut rng);
        assert_ne!(order, [5, 6, 7, 8, 9]);
        order.sort_unstable();
        assert_eq!(order, [5, 6, 7, 8, 9]);
    }
}
