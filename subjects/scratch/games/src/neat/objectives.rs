//! The search of `mosa-neatest`, with one population for all goals. The population is sorted as in
//! MOSA.

use std::rc::Rc;

use catherd_search::{Stop, Stream, Test, preference_sorting};

use super::change::{Changes, cross};
use super::genome::Genome;
use super::relatives::MosaNeatest;
use super::species::Species;
use super::trials::Trials;
use crate::account::Account;
use crate::reflex::Arena;

/// A network with its fitness for each goal: the number of seeds minus its score, at least 0.
#[derive(Clone, Debug)]
struct Judged {
    genome: Rc<Genome>,
    fitness: Rc<[f64]>,
}

impl Test for Judged {
    fn fitness(&self) -> &[f64] {
        &self.fitness
    }

    fn length(&self) -> usize {
        self.genome.genes.len()
    }

    fn same_genes(&self, other: &Self) -> bool {
        self.genome == other.genome
    }
}

pub(super) struct Objectives<'a, 'b> {
    settings: &'a MosaNeatest,
    changes: Changes<'a>,
    trials: &'b mut Trials<'a>,
    species: Species,
    pub(super) generations: u64,
}

impl<'a, 'b> Objectives<'a, 'b> {
    pub(super) fn new(
        settings: &'a MosaNeatest,
        changes: Changes<'a>,
        trials: &'b mut Trials<'a>,
    ) -> Self {
        let species = Species::new(settings.species);
        Self { settings, changes, trials, species, generations: 0 }
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
        // After sorting, the best member comes first.
        let mut population: Vec<Judged> = Vec::new();
        loop {
            for genome in children {
                let targets = self.trials.targets();
                if targets.is_empty() {
                    return Stop::Covered;
                }
                let is_target = |goal| targets.binary_search(&goal).is_ok();
                self.trials.assess(&genome, is_target, arena, account);
                let most = self.trials.seeds.len() as f64;
                let fitness = self.trials.scores.iter().map(|score| most - score).collect();
                population.push(Judged { genome, fitness });
                if let Some(stop) = account.stop(1.0) {
                    return stop;
                }
            }
            let targets = self.trials.targets();
            if targets.is_empty() {
                return Stop::Covered;
            }
            self.generations += 1;
            let genomes: Vec<_> = population.iter().map(|it| Rc::clone(&it.genome)).collect();
            let species = self.species.separate(&genomes, rng);
            let chosen = survivors(&population, &species, &targets, size);
            let species: Vec<usize> = chosen.iter().map(|index| species[*index]).collect();
            population = chosen.into_iter().map(|index| population[index].clone()).collect();
            children = self.offspring(&population, &species, rng);
        }
    }

    /// The parents of a child are of the same species.
    fn offspring(
        &mut self,
        population: &[Judged],
        species: &[usize],
        rng: &mut Stream,
    ) -> Vec<Rc<Genome>> {
        let mut children = Vec::with_capacity(population.len() + 1);
        while children.len() < population.len() {
            let parent = rng.index(population.len());
            let mates: Vec<usize> =
                (0..species.len()).filter(|other| species[*other] == species[parent]).collect();
            let mate = *rng.pick(&mates);
            let first = if rng.chance(self.settings.crossover) {
                let (better, other) = (parent.min(mate), parent.max(mate));
                cross(&population[better].genome, &population[other].genome, rng)
            } else {
                Genome::clone(&population[parent].genome)
            };
            for mut child in [first, Genome::clone(&population[mate].genome)] {
                if rng.chance(self.settings.mutation) {
                    self.changes.mutate(&mut child, rng);
                }
                let whole = child.is_whole(self.changes.interface);
                children.push(Rc::new(if whole { child } else { self.changes.random(rng) }));
            }
        }
        children.truncate(population.len());
        children
    }
}

/// The next population, the best first. From the front that does not fit as a whole, members of
/// small species are taken first.
fn survivors(all: &[Judged], species: &[usize], targets: &[usize], size: usize) -> Vec<usize> {
    let count = |index: &usize| species.iter().filter(|it| **it == species[*index]).count();
    let mut chosen = Vec::with_capacity(size);
    for mut front in preference_sorting(all, targets, size) {
        if front.len() > size - chosen.len() {
            front.sort_by_key(count);
            front.truncate(size - chosen.len());
        }
        chosen.extend(front);
        if chosen.len() == size {
            break;
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_species_survive_in_the_last_front() {
        let judged =
            |fitness: &[f64]| Judged { genome: Rc::default(), fitness: fitness.to_vec().into() };
        // The first member is best for both goals; the others do not dominate each other.
        let all = [[0.0, 0.0], [1.0, 4.0], [2.0, 3.0], [3.0, 2.0]].map(|fitness| judged(&fitness));
        assert_eq!(survivors(&all, &[0, 0, 0, 1], &[0, 1], 2), [0, 3]);
        assert_eq!(survivors(&all, &[0, 0, 0, 1], &[0, 1], 9), [0, 1, 2, 3]);
    }
}
