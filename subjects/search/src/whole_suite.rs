//! Whole suite generation.

use crate::parameters::{Field, Parameters};
use crate::populations::heuristic;
use crate::problem::{Problem, Test};
use crate::search_algorithm::SearchAlgorithm;
use crate::session::{Ended, Session};
use crate::stop::Stop;
use crate::stream::Stream;

/// Whole suite generation by a monotonic genetic algorithm (Fraser and Arcuri, "Whole test suite
/// generation", 2013; Pynguin paper, Algorithm 2). The defaults for population, crossover and
/// tournament are from Pynguin's evaluation; the defaults for suite sizes are from EvoSuite.
#[derive(Clone, Debug, PartialEq)]
pub struct WholeSuite {
    /// The number of suites in the population. Default: 50.
    pub population: usize,
    /// The number of best suites that are copied to the next generation. Default: 1.
    pub elite: usize,
    /// The probability that two parents are crossed. Default: 0.75.
    pub crossover: f64,
    /// The number of suites in a tournament. Default: 5.
    pub tournament: usize,
    /// The maximum number of tests in a random suite; the minimum is 1. Default: 10.
    pub initial_tests: usize,
    /// The maximum number of tests in a suite. Default: 100.
    pub maximum_tests: usize,
    /// The probability `p` that mutation adds a random test. After `i` added tests, another test is
    /// added with probability `p^(i+1)`. Default: 0.1.
    pub insertion: f64,
}

impl Default for WholeSuite {
    fn default() -> Self {
        Self {
            population: 50,
            elite: 1,
            crossover: 0.75,
            tournament: 5,
            initial_tests: 10,
            maximum_tests: 100,
            insertion: 0.1,
        }
    }
}

impl Parameters for WholeSuite {
    fn fields(&mut self) -> Vec<Field<'_>> {
        vec![
            Field::count("population", &mut self.population, 1, 10_000)
                .meaning("suites in the population"),
            Field::count("elite", &mut self.elite, 0, 10_000)
                .meaning("best suites that survive unchanged"),
            Field::share("crossover", &mut self.crossover)
                .meaning("probability that two parents are crossed"),
            Field::count("tournament", &mut self.tournament, 1, 10_000)
                .meaning("suites in a tournament"),
            Field::count("initial_tests", &mut self.initial_tests, 1, 10_000)
                .meaning("maximum number of tests in a random suite"),
            Field::count("maximum_tests", &mut self.maximum_tests, 1, 10_000)
                .meaning("maximum number of tests in a suite"),
            Field::share("insertion", &mut self.insertion)
                .meaning("probability of adding a random test"),
        ]
    }
}

/// A suite of at least one test.
#[derive(Clone)]
struct Suite<T> {
    tests: Vec<T>,
    fitness: f64,
    length: usize,
}

impl<T: Test> Suite<T> {
    fn new(tests: Vec<T>) -> Self {
        let mut closest = tests[0].fitness().to_vec();
        for test in &tests[1..] {
            for (lowest, fitness) in closest.iter_mut().zip(test.fitness()) {
                *lowest = lowest.min(*fitness);
            }
        }
        Self {
            fitness: closest.into_iter().map(|lowest| 1.0 - heuristic(lowest)).sum(),
            length: tests.iter().map(Test::length).sum(),
            tests,
        }
    }

    fn better_than(&self, other: &Self) -> bool {
        (self.fitness, self.length) < (other.fitness, other.length)
    }
}

fn better<T: Test>([a, b]: [&Suite<T>; 2]) -> &Suite<T> {
    if b.better_than(a) { b } else { a }
}

impl SearchAlgorithm for WholeSuite {
    const NAME: &'static str = "whole-suite";
    const SUMMARY: &'static str =
        "monotonic genetic algorithm on whole suites (Pynguin paper, Algorithm 2)";

    fn run<P: Problem>(&self, session: &mut Session<'_, P>) -> Ended {
        let most = self.initial_tests.min(self.maximum_tests) as u64;
        let mut population = Vec::with_capacity(self.population);
        while population.len() < self.population {
            let mut tests = Vec::new();
            for _ in 0..session.rng.between(1, most) {
                let genes = session.sample();
                tests.push(session.execute(genes)?);
            }
            population.push(Suite::new(tests));
        }
        loop {
            population = self.generation(session, population)?;
            session.iterations += 1;
        }
    }
}

impl WholeSuite {
    /// The best suites, followed by pairs of suites: children that improve on their parents, or the
    /// parents.
    fn generation<P: Problem>(
        &self,
        session: &mut Session<'_, P>,
        mut old: Vec<Suite<P::Test>>,
    ) -> Result<Vec<Suite<P::Test>>, Stop> {
        old.sort_by(|a, b| a.fitness.total_cmp(&b.fitness).then(a.length.cmp(&b.length)));
        // With all suites in the elite, no tests would be executed.
        let elite = self.elite.min(self.population - 1);
        let mut new = old[..elite].to_vec();
        while new.len() < self.population {
            let parents = [(); 2].map(|()| self.winner(session.rng, &old));
            let crossed = if session.rng.chance(self.crossover) {
                cross(session.rng, &parents[0].tests, &parents[1].tests)
            } else {
                parents.map(|parent| parent.tests.clone())
            };
            let [a, b] = crossed;
            let children = [self.mutate(session, a)?, self.mutate(session, b)?];
            let improved = better(children.each_ref()).better_than(better(parents));
            new.extend(if improved { children } else { parents.map(Suite::clone) });
        }
        new.truncate(self.population);
        Ok(new)
    }

    /// `suites` must be ordered best first.
    fn winner<'a, T: Test>(&self, rng: &mut Stream, suites: &'a [Suite<T>]) -> &'a Suite<T> {
        let first = rng.index(suites.len());
        &suites[(1..self.tournament).fold(first, |best, _| best.min(rng.index(suites.len())))]
    }

    fn mutate<P: Problem>(
        &self,
        session: &mut Session<'_, P>,
        mut tests: Vec<P::Test>,
    ) -> Result<Suite<P::Test>, Stop> {
        let probability = 1.0 / tests.len() as f64;
        for test in &mut tests {
            if session.rng.chance(probability) {
                let genes = session.problem.genes(test);
                let genes = session.mutate(&genes);
                *test = session.execute(genes)?;
            }
        }
        let mut probability = self.insertion;
        while tests.len() < self.maximum_tests && session.rng.chance(probability) {
            let genes = session.sample();
            tests.push(session.execute(genes)?);
            probability *= self.insertion;
        }
        Ok(Suite::new(tests))
    }
}

/// Relative one-point crossover. Neither child is empty.
fn cross<T: Clone>(rng: &mut Stream, a: &[T], b: &[T]) -> [Vec<T>; 2] {
    let share = rng.unit();
    let cut = |suite: &[T]| (share * (suite.len() - 1) as f64) as usize;
    let (i, j) = (cut(a), cut(b));
    [[&a[..i], &b[j..]].concat(), [&b[..j], &a[i..]].concat()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toy::Point;

    #[test]
    fn the_fitness_of_a_suite_is_the_sum_over_its_closest_tests() {
        let inf = f64::INFINITY;
        let suite =
            Suite::new(vec![Point::new(&[0.0, 3.0, inf], 4), Point::new(&[7.0, 1.0, inf], 2)]);
        assert_eq!((suite.fitness, suite.length), (0.0 + 0.5 + 1.0, 6));
        let shorter = Suite { length: 5, ..suite.clone() };
        assert!(shorter.better_than(&suite) && !suite.better_than(&suite));
        let closer = Suite { fitness: 1.0, length: 9, ..suite.clone() };
        assert!(closer.better_than(&shorter));
        assert_eq!(better([&shorter, &closer]).length, 9);
    }

    #[test]
    fn crossover_keeps_the_tests_and_the_sizes() {
        let mut rng = Stream::new(4, 0);
        for (n, m) in [(1, 1), (1, 7), (5, 3), (20, 20)] {
            let a: Vec<usize> = (0..n).collect();
            let b: Vec<usize> = (100..100 + m).collect();
            for _ in 0..50 {
                let [c, d] = cross(&mut rng, &a, &b);
                assert!([&c, &d].iter().all(|child| (1..=n.max(m)).contains(&child.len())));
                let mut all = [c, d].concat();
                all.sort_unstable();
                assert_eq!(all, [a.clone(), b.clone()].concat());
            }
        }
    }
}
