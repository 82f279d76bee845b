//! The greedy algorithm.

use catherd_search::Stream;

use crate::streams::TIES;

use super::{Matrix, OnProgress, SearchResult, Session, Union};

/// The rule that selects among tests with the same gain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ties {
    /// The first test of the pool.
    #[default]
    First,
    /// A random test.
    Random,
}

/// Repeatedly adds the test with the largest gain, until the suite has `size` tests or the search
/// is ended. Gains never increase as the suite grows, so the last known gain of a test is an upper
/// bound on its gain.
pub fn greedy(
    matrix: &Matrix,
    size: usize,
    ties: Ties,
    seed: u64,
    limit: u64,
    on_progress: &mut OnProgress<'_>,
) -> SearchResult {
    let mut session = Session::new(matrix, limit, on_progress);
    let mut suite = Vec::new();
    for (test, rank) in Greedy::new(matrix, ties, seed).take(size) {
        if session.ended {
            break;
        }
        suite.push(test);
        session.evaluated(&suite, rank);
        if rank == session.found.best.rank {
            // Keep tests without gain, too, so that the suite reaches its size.
            session.found.best.suite.clone_from(&suite);
        }
    }
    session.found
}

/// Adds the tests with the largest gains to given tests until the suite has `size` tests, even if
/// the gain is 0.
pub fn greedy_from(matrix: &Matrix, size: usize, start: &[u32]) -> Vec<u32> {
    let mut suite = start.to_vec();
    let mut greedy = Greedy::new(matrix, Ties::First, 0);
    greedy.start(start);
    suite.extend(greedy.map(|(test, _)| test).take(size.saturating_sub(start.len())));
    suite
}

/// Adds tests with the largest gains to given tests until the suite has at least this rank, or no
/// test raises the rank.
pub fn greedy_until(matrix: &Matrix, rank: u64, start: &[u32]) -> Vec<u32> {
    let mut suite = start.to_vec();
    let mut reached = matrix.rank(start);
    let mut greedy = Greedy::new(matrix, Ties::First, 0);
    greedy.start(start);
    while reached < rank
        && let Some((test, next)) = greedy.next()
        && next > reached
    {
        suite.push(test);
        reached = next;
    }
    suite
}

/// An iterator over tests in the order of the greedy algorithm, each with the rank of the suite so
/// far.
struct Greedy<'m> {
    union: Union<'m>,
    /// One more than the last known gain of each test, which is an upper bound on its gain; the
    /// maximum before the gain is known, and 0 for a test that was added.
    bounds: Vec<u64>,
    /// A number for each test by which ties are broken, lowest first; empty if ties go to the first
    /// test.
    ties: Vec<u64>,
    ranks: u64,
}

impl<'m> Greedy<'m> {
    fn new(matrix: &'m Matrix, ties: Ties, seed: u64) -> Greedy<'m> {
        let ties = match ties {
            Ties::First => Vec::new(),
            Ties::Random => {
                let mut stream = Stream::new(seed, TIES);
                (0..matrix.tests()).map(|_| stream.next_u64()).collect()
            }
        };
        let bounds = vec![u64::MAX; matrix.tests()];
        Greedy { union: Union::new(matrix), bounds, ties, ranks: 0 }
    }

    fn start(&mut self, tests: &[u32]) {
        for &test in tests {
            self.union.add(test as usize);
            self.bounds[test as usize] = 0;
        }
        self.ranks = self.union.rank();
    }

    fn precedes(&self, test: usize, other: usize) -> bool {
        match (self.ties.get(test), self.ties.get(other)) {
            (Some(own), Some(others)) => (own, test) < (others, other),
            _ => test < other,
        }
    }
}

impl Iterator for Greedy<'_> {
    type Item = (u32, u64);

    /// Visits the tests in order, because sequential memory access is fast, but computes only gains
    /// whose bounds reach the largest gain so far. The gain of the test with the largest bound is
    /// computed first, which makes most other gains unnecessary.
    fn next(&mut self) -> Option<(u32, u64)> {
        let mut largest = 0;
        let mut best = None;
        for (test, &bound) in self.bounds.iter().enumerate() {
            if bound > largest {
                (largest, best) = (bound, Some(test));
            }
        }
        let mut best = best?;
        let mut most = self.union.gain(best) + 1;
        self.bounds[best] = most;
        for test in 0..self.bounds.len() {
            if self.bounds[test] < most || self.bounds[test] == most && !self.precedes(test, best) {
                continue;
            }
            let gain = self.union.gain(test) + 1;
            self.bounds[test] = gain;
            if gain > most || gain == most && self.precedes(test, best) {
                (most, best) = (gain, test);
            }
        }
        self.bounds[best] = 0;
        self.union.add(best);
        self.ranks += most - 1;
        Some((best as u32, self.ranks))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::criterion::Criterion;
    use crate::{Alphabet, Events, Pool, Tests};

    /// The algorithm as it is defined: all gains are computed for each test that is added.
    fn defined(matrix: &Matrix, size: usize, ties: &[u64]) -> Vec<u32> {
        let mut union = Union::new(matrix);
        let mut suite: Vec<u32> = Vec::new();
        while suite.len() < size.min(matrix.tests()) {
            let left = (0..matrix.tests() as u32).filter(|test| !suite.contains(test));
            let key = |&test: &u32| {
                let tie = ties.get(test as usize).copied().unwrap_or(0);
                (union.gain(test as usize), std::cmp::Reverse((tie, test)))
            };
            let Some(best) = left.max_by_key(key) else { break };
            union.add(best as usize);
            suite.push(best);
        }
        suite
    }

    #[test]
    fn bounds_do_not_change_what_is_chosen() {
        let events = Events::plain(["a", "b", "c", "d", "e"]);
        let alphabet = Alphabet::names(&events);
        let mut stream = Stream::new(1, 0);
        let mut tests = Tests::default();
        for _ in 0..300 {
            let length = 2 + stream.index(9);
            let test: Vec<u32> = (0..length).map(|_| stream.index(5) as u32).collect();
            tests.push(&test);
        }
        let pool = Pool::new(&tests, &alphabet);
        let none = |_: &str| Err(String::new());
        for text in ["consecutive:2", "subsequence:3", "unordered-cube:2"] {
            let criterion = Criterion::parse(text, &alphabet, None, None, &none).unwrap();
            let matrix = Matrix::new(&criterion, &pool, None);
            for (ties, seed) in [(Ties::First, 0), (Ties::Random, 7), (Ties::Random, 8)] {
                let greedy = Greedy::new(&matrix, ties, seed);
                let numbers = greedy.ties.clone();
                let chosen: Vec<(u32, u64)> = greedy.take(60).collect();
                let suite: Vec<u32> = chosen.iter().map(|(test, _)| *test).collect();
                assert_eq!(suite, defined(&matrix, 60, &numbers), "{text} {ties:?}");
                assert!((0..60).all(|end| chosen[end].1 == matrix.rank(&suite[..=end])));
            }
        }
    }
}
