//! Populations of genomes in species.

use std::rc::Rc;

use catherd_search::Stream;

use super::change::{Changes, cross};
use super::genome::Genome;

/// Exclusive upper bound of the distance of a genome from the representative of its species: the
/// initial value, the change in a generation, and the minimum.
const THRESHOLD: (f64, f64, f64) = (3.0, 0.3, 0.1);
/// Coefficient of weight differences in the distance.
const WEIGHTS: f64 = 0.5;
/// Number of generations without improvement after which a species is penalised, and the factor of
/// the penalty.
const PENALISED: (u32, f64) = (15, 0.01);
/// Share of a species that breeds, in addition to its best member.
const PARENTS: f64 = 0.2;
/// Number of generations without improvement of the population after which only two species breed.
const STAGNANT: u32 = 20;
/// Probability of mutation without crossover.
const MUTATED: f64 = 0.25;
/// Probability that no mutation follows a crossover.
const CROSSED: f64 = 0.25;
/// Probability that the mate in a crossover is the best member of a random species.
const STRANGER: f64 = 0.001;
/// Number of children of the best member of all, including an unchanged copy, and probability that
/// each of the others gets a new link instead of new weights.
const CHAMPION: (usize, f64) = (3, 0.3);
/// Maximum number of attempts to breed a child with an enabled link to an output.
const TRIES: usize = 20;

/// A genome with its fitness, which is not negative.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) genome: Rc<Genome>,
    pub(super) fitness: f64,
}

struct Species {
    representative: Rc<Genome>,
    /// In descending order of fitness.
    members: Vec<Member>,
    best: f64,
    /// Number of generations since the best member last improved.
    stalled: u32,
}

pub(super) struct Population {
    size: usize,
    wanted: usize,
    threshold: f64,
    species: Vec<Species>,
    best: f64,
    /// Number of generations since the best fitness last improved.
    pub(super) stalled: u32,
}

impl Population {
    pub(super) fn new(size: usize, wanted: usize) -> Self {
        let threshold = THRESHOLD.0;
        Self { size, wanted, threshold, species: Vec::new(), best: -1.0, stalled: 0 }
    }

    pub(super) fn breed(
        &mut self,
        members: Vec<Member>,
        changes: &mut Changes<'_>,
        rng: &mut Stream,
    ) -> Vec<Rc<Genome>> {
        let best = members.iter().map(|member| member.fitness).fold(0.0, f64::max);
        self.stalled = if best > self.best { 0 } else { self.stalled + 1 };
        self.best = self.best.max(best);
        self.separate(members, rng);
        let counts = self.offspring();
        let mut children = Vec::with_capacity(self.size);
        for (number, count) in counts.into_iter().enumerate() {
            self.breed_species(number, count, changes, rng, &mut children);
        }
        children
    }

    /// Puts each member into the first species whose representative is near enough, or else into a
    /// new species.
    fn separate(&mut self, members: Vec<Member>, rng: &mut Stream) {
        self.species.iter_mut().for_each(|species| species.members.clear());
        for member in members {
            let near = |species: &&mut Species| {
                species.representative.distance(&member.genome, WEIGHTS) < self.threshold
            };
            match self.species.iter_mut().find(near) {
                Some(species) => species.members.push(member),
                None => self.species.push(Species {
                    representative: Rc::clone(&member.genome),
                    members: vec![member],
                    best: -1.0,
                    stalled: 0,
                }),
            }
        }
        self.species.retain(|species| !species.members.is_empty());
        for species in &mut self.species {
            // The sort is stable, so equal members keep their order.
            species.members.sort_by(|a, b| b.fitness.total_cmp(&a.fitness));
            let best = species.members[0].fitness;
            species.stalled = if best > species.best { 0 } else { species.stalled + 1 };
            species.best = species.best.max(best);
            species.representative = Rc::clone(&rng.pick(&species.members).genome);
        }
        self.species.sort_by(|a, b| b.members[0].fitness.total_cmp(&a.members[0].fitness));
        self.threshold = match self.species.len().cmp(&self.wanted) {
            std::cmp::Ordering::Less => (self.threshold - THRESHOLD.1).max(THRESHOLD.2),
            std::cmp::Ordering::Equal => self.threshold,
            std::cmp::Ordering::Greater => self.threshold + THRESHOLD.1,
        };
    }

    /// The number of children of each species, in proportion to the mean fitness of its members
    /// after the penalty; 0 for all but the first two species if the population stagnates. The
    /// first species, which has the best member of all, also gets the remainder of the rounding.
    fn offspring(&self) -> Vec<usize> {
        let stagnant = self.stalled > STAGNANT;
        let shares: Vec<f64> = (0..self.species.len())
            .map(|number| {
                let species = &self.species[number];
                if stagnant && number >= 2 {
                    return 0.0;
                }
                let sum: f64 = species.members.iter().map(|member| member.fitness).sum();
                let factor = if species.stalled > PENALISED.0 { PENALISED.1 } else { 1.0 };
                factor * sum / species.members.len() as f64
            })
            .collect();
        let all: f64 = shares.iter().sum();
        let count = |share: &f64| {
            if all > 0.0 { (share / all * self.size as f64) as usize } else { 0 }
        };
        let mut counts: Vec<usize> = shares.iter().map(count).collect();
        let given: usize = counts.iter().sum();
        if let Some(first) = counts.first_mut() {
            *first += self.size.saturating_sub(given);
        }
        counts
    }

    fn breed_species(
        &self,
        number: usize,
        count: usize,
        changes: &mut Changes<'_>,
        rng: &mut Stream,
        children: &mut Vec<Rc<Genome>>,
    ) {
        let species = &self.species[number];
        let parents = (PARENTS * species.members.len() as f64) as usize + 1;
        let parents = &species.members[..parents.min(species.members.len())];
        let extra = if number == 0 { CHAMPION.0 } else { 1 };
        for child in 0..count {
            let champion = &parents[0].genome;
            if child == 0 {
                children.push(Rc::clone(champion));
                continue;
            }
            let mut made = None;
            for _ in 0..TRIES {
                let genome = if child < extra {
                    let mut genome = Genome::clone(champion);
                    if rng.chance(CHAMPION.1) {
                        changes.add_link(&mut genome, rng);
                    } else {
                        changes.change_weights(&mut genome, rng);
                    }
                    genome
                } else {
                    self.child(parents, changes, rng)
                };
                if genome.is_whole(changes.interface) {
                    made = Some(Rc::new(genome));
                    break;
                }
            }
            children.push(made.unwrap_or_else(|| Rc::clone(champion)));
        }
    }

    fn child(&self, parents: &[Member], changes: &mut Changes<'_>, rng: &mut Stream) -> Genome {
        let parent = rng.pick(parents);
        if rng.chance(MUTATED) {
            let mut genome = Genome::clone(&parent.genome);
            changes.mutate(&mut genome, rng);
            return genome;
        }
        let mate = if rng.chance(STRANGER) {
            &rng.pick(&self.species).members[0]
        } else {
            rng.pick(parents)
        };
        // Of members with equal fitness, the member with fewer links is better.
        let size = |member: &Member| std::cmp::Reverse(member.genome.genes.len());
        let order = parent.fitness.total_cmp(&mate.fitness).then(size(parent).cmp(&size(mate)));
        let (fitter, other) = if order.is_lt() { (mate, parent) } else { (parent, mate) };
        let mut genome = cross(&fitter.genome, &other.genome, rng);
        if !rng.chance(CROSSED) {
            changes.mutate(&mut genome, rng);
        }
        genome
    }
}
