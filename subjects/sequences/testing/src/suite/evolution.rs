//! The genetic algorithm.

use catherd_search::Stream;

use crate::streams::SEARCH;

use super::random::draw;
use super::{Matrix, OnProgress, SearchResult, Session};

/// Maximum number of generations after the first generation.
const GENERATIONS: u64 = 300;

/// Lengths of the windows of generations whose mean best ranks are compared to detect convergence.
const SHORT: usize = 10;
const LONG: usize = 30;

/// A named combination of settings of the algorithm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// The settings of Elyasaf et al. (2023): 100 individuals, all of which are replaced in each
    /// generation.
    #[default]
    Paper,
    /// The settings of the released program: 50 individuals. Of each generation, 40 % are
    /// survivors, which tournaments select from the previous generation; survivors that are more
    /// than five generations old are replaced with random suites.
    Released,
    /// The settings of the released program, with mutation as in its library, Jenetics 6: the cube
    /// root of the probability applies to the individual, to its chromosome, and to each test.
    ReleasedGrouped,
}

/// All settings of the algorithm, each of which can be changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evolution {
    /// How the next generation is made, and when the best rank counts as constant.
    pub profile: Profile,
    /// Number of individuals in a generation, at least 1.
    pub population: usize,
    /// Number of individuals in a tournament, at least 1.
    pub tournament: usize,
    /// Probability that two parents exchange tests, from 0 to 1.
    pub crossover: f64,
    /// Probability that a test of a child is replaced by a random test that the child does not
    /// contain, from 0 to 1.
    pub mutation: f64,
}

impl From<Profile> for Evolution {
    fn from(profile: Profile) -> Evolution {
        let population = match profile {
            Profile::Paper => 100,
            Profile::Released | Profile::ReleasedGrouped => 50,
        };
        Evolution { profile, population, tournament: 3, crossover: 0.7, mutation: 0.05 }
    }
}

#[derive(Clone, Debug)]
struct Individual {
    suite: Vec<u32>,
    rank: u64,
    born: u64,
}

/// Searches for suites by crossover and mutation, until the best rank has almost stopped changing,
/// or for 300 generations, unless the search ends earlier.
pub fn evolve(
    matrix: &Matrix,
    size: usize,
    settings: impl Into<Evolution>,
    seed: u64,
    limit: u64,
    on_progress: &mut OnProgress<'_>,
) -> SearchResult {
    let settings = settings.into();
    let mut evolution = Run {
        settings,
        stream: Stream::new(seed, SEARCH),
        session: Session::new(matrix, limit, on_progress),
        pool: matrix.tests(),
        size: size.min(matrix.tests()),
    };
    let epsilon = match settings.profile {
        Profile::Paper => 0.001,
        Profile::Released | Profile::ReleasedGrouped => 0.0004,
    };
    let mut population: Vec<Individual> = Vec::new();
    while population.len() < settings.population.max(1) && !evolution.session.ended {
        population.push(evolution.random(0));
    }
    let mut history = vec![best_rank(&population)];
    for generation in 1..=GENERATIONS {
        if evolution.session.ended {
            break;
        }
        if converged(&history, SHORT, LONG, epsilon) {
            evolution.session.found.converged = true;
            break;
        }
        population = match settings.profile {
            Profile::Paper => evolution.replaced(&population, generation),
            Profile::Released => evolution.mixed(&population, generation, false),
            Profile::ReleasedGrouped => evolution.mixed(&population, generation, true),
        };
        if evolution.session.ended {
            break;
        }
        history.push(best_rank(&population));
        evolution.session.found.generations = generation;
    }
    evolution.session.found
}

fn best_rank(population: &[Individual]) -> u64 {
    population.iter().map(|individual| individual.rank).max().unwrap_or(0)
}

struct Run<'s, 'o> {
    settings: Evolution,
    stream: Stream,
    session: Session<'s, 'o>,
    pool: usize,
    size: usize,
}

impl Run<'_, '_> {
    fn individual(&mut self, suite: Vec<u32>, born: u64) -> Individual {
        let rank = self.session.evaluate(&suite);
        Individual { suite, rank, born }
    }

    fn random(&mut self, born: u64) -> Individual {
        let suite = draw(&mut self.stream, self.pool, self.size);
        self.individual(suite, born)
    }

    fn tournament<'p>(&mut self, population: &'p [Individual]) -> &'p Individual {
        let mut best = self.stream.pick(population);
        for _ in 1..self.settings.tournament {
            let other = self.stream.pick(population);
            if other.rank > best.rank {
                best = other;
            }
        }
        best
    }

    fn replaced(&mut self, population: &[Individual], generation: u64) -> Vec<Individual> {
        let mut next = Vec::with_capacity(population.len());
        while next.len() < population.len() && !self.session.ended {
            let mut a = self.tournament(population).suite.clone();
            let mut b = self.tournament(population).suite.clone();
            if self.stream.chance(self.settings.crossover) {
                self.cross(&mut a, &mut b);
            }
            for mut child in [a, b] {
                self.mutate(&mut child, self.settings.mutation);
                self.repair(&mut child);
                if next.len() < population.len() && !self.session.ended {
                    next.push(self.individual(child, generation));
                }
            }
        }
        next
    }

    fn mixed(
        &mut self,
        population: &[Individual],
        generation: u64,
        grouped: bool,
    ) -> Vec<Individual> {
        const OLDEST: u64 = 5;
        let count = population.len();
        let offspring = count * 3 / 5;
        let survivors: Vec<Individual> =
            (offspring..count).map(|_| self.tournament(population).clone()).collect();
        let mut children: Vec<Vec<u32>> =
            (0..offspring).map(|_| self.tournament(population).suite.clone()).collect();
        for at in 0..children.len() {
            if children.len() > 1 && self.stream.chance(self.settings.crossover) {
                // The partner is any other individual.
                let other = (at + 1 + self.stream.index(children.len() - 1)) % children.len();
                let (mut a, mut b) =
                    (std::mem::take(&mut children[at]), std::mem::take(&mut children[other]));
                self.cross(&mut a, &mut b);
                (children[at], children[other]) = (a, b);
            }
        }
        let mut next = Vec::with_capacity(count);
        let part = cube_root(self.settings.mutation);
        for mut child in children {
            if !grouped {
                self.mutate(&mut child, self.settings.mutation);
            } else if self.stream.chance(part) && self.stream.chance(part) {
                self.mutate(&mut child, part);
            }
            self.repair(&mut child);
            if self.session.ended {
                return next;
            }
            next.push(self.individual(child, generation));
        }
        for survivor in survivors {
            if self.session.ended {
                return next;
            }
            let old = generation - survivor.born > OLDEST;
            next.push(if old { self.random(generation) } else { survivor });
        }
        next
    }

    fn cross(&mut self, a: &mut [u32], b: &mut [u32]) {
        let size = self.size as u64;
        if size == 0 {
            return;
        }
        // Draw two different cut points; each pair is equally likely.
        let first = self.stream.below(size + 1);
        let second = (first + 1 + self.stream.below(size)) % (size + 1);
        let (begin, end) = (first.min(second) as usize, first.max(second) as usize);
        partially_matched(a, b, begin, end);
    }

    fn mutate(&mut self, suite: &mut [u32], probability: f64) {
        if self.pool <= suite.len() {
            return;
        }
        for at in 0..suite.len() {
            if self.stream.chance(probability) {
                suite[at] = self.absent(suite);
            }
        }
    }

    fn absent(&mut self, suite: &[u32]) -> u32 {
        loop {
            let test = self.stream.index(self.pool) as u32;
            if !suite.contains(&test) {
                return test;
            }
        }
    }

    fn repair(&mut self, suite: &mut [u32]) {
        for at in 1..suite.len() {
            if suite[..at].contains(&suite[at]) {
                suite[at] = self.absent(suite);
            }
        }
    }
}

/// The cube root of a probability, by Newton's method, so that results are the same on every
/// computer.
fn cube_root(x: f64) -> f64 {
    if x == 0.0 {
        return 0.0;
    }
    (0..64).fold(1.0, |root: f64, _| (2.0 * root + x / (root * root)) / 3.0)
}

/// Partially matched crossover: exchanges the segment `begin..end`. Then each value outside the
/// segment that also occurs inside is replaced with the value at the same place in the other
/// parent's segment, as often as needed.
pub fn partially_matched(a: &mut [u32], b: &mut [u32], begin: usize, end: usize) {
    a[begin..end].swap_with_slice(&mut b[begin..end]);
    for at in (0..a.len()).filter(|at| !(begin..end).contains(at)) {
        let (mut x, mut y) = (a[at], b[at]);
        // A chain of replacements is at most as long as the segment.
        for _ in begin..end {
            match a[begin..end].iter().position(|&inside| inside == x) {
                Some(place) => x = b[begin + place],
                None => break,
            }
        }
        for _ in begin..end {
            match b[begin..end].iter().position(|&inside| inside == y) {
                Some(place) => y = a[begin + place],
                None => break,
            }
        }
        (a[at], b[at]) = (x, y);
    }
}

/// Whether the mean of the last `short` best ranks differs from the mean of the last `long` best
/// ranks by less than `epsilon`, relative to the larger mean. False if there are fewer than `long`
/// ranks.
pub fn converged(best: &[u64], short: usize, long: usize, epsilon: f64) -> bool {
    if best.len() < long {
        return false;
    }
    let mean = |window: usize| {
        let sum: u64 = best[best.len() - window..].iter().sum();
        sum as f64 / window as f64
    };
    let (short, long) = (mean(short), mean(long));
    let largest = short.abs().max(long.abs());
    let scale = if largest == 0.0 { 1.0 } else { largest };
    (short - long).abs() / scale < epsilon
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crossover_keeps_values_distinct() {
        let (mut a, mut b) = (vec![1, 2, 3, 4, 5], vec![3, 4, 5, 1, 2]);
        partially_matched(&mut a, &mut b, 0, 2);
        assert_eq!((a, b), (vec![3, 4, 1, 2, 5], vec![1, 2, 5, 3, 4]));
    }

    #[test]
    fn a_constant_best_converges_with_the_long_window() {
        assert!(!converged(&[50; 29], 10, 30, 0.001));
        assert!(converged(&[50; 30], 10, 30, 0.001));
        assert!(converged(&[0; 30], 10, 30, 0.001));
        assert!((cube_root(0.05).powi(3) - 0.05).abs() < 1e-15);
    }
}
