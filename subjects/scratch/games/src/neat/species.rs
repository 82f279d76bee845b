//! Species of the genomes of many-objective searches.

use std::rc::Rc;

use catherd_search::Stream;

use super::genome::Genome;

/// Exclusive upper bound of the distance of a genome from the representative of its species: the
/// initial value, the change after a separation into too few or too many species, and the minimum.
const THRESHOLD: (f64, f64, f64) = (1.0, 0.1, 0.1);
/// Coefficient of differences of weights in the distance.
const WEIGHTS: f64 = 0.4;

pub(super) struct Species {
    wanted: usize,
    threshold: f64,
    representatives: Vec<Rc<Genome>>,
}

impl Species {
    pub(super) fn new(wanted: usize) -> Self {
        Self { wanted, threshold: THRESHOLD.0, representatives: Vec::new() }
    }

    /// Returns the number of the species of each genome. Species without genomes are dropped.
    pub(super) fn separate(&mut self, genomes: &[Rc<Genome>], rng: &mut Stream) -> Vec<usize> {
        let mut all = std::mem::take(&mut self.representatives);
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); all.len()];
        for (position, genome) in genomes.iter().enumerate() {
            let near = |it: &Rc<Genome>| it.distance(genome, WEIGHTS) < self.threshold;
            let number = all.iter().position(near).unwrap_or_else(|| {
                all.push(Rc::clone(genome));
                members.push(Vec::new());
                all.len() - 1
            });
            members[number].push(position);
        }
        members.retain(|members| !members.is_empty());
        let mut numbers = vec![0; genomes.len()];
        for (number, members) in members.iter().enumerate() {
            members.iter().for_each(|position| numbers[*position] = number);
            self.representatives.push(Rc::clone(&genomes[*rng.pick(members)]));
        }
        self.threshold = match members.len().cmp(&self.wanted) {
            std::cmp::Ordering::Less => (self.threshold - THRESHOLD.1).max(THRESHOLD.2),
            std::cmp::Ordering::Equal => self.threshold,
            std::cmp::Ordering::Greater => self.threshold + THRESHOLD.1,
        };
        numbers
    }
}
