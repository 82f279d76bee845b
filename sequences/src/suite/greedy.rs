//! The greedy algorithm.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use catherd_search::Stream;

use crate::streams::TIES;

use super::{Found, Matrix, OnProgress, Session, Union};

/// Which of several tests with the same gain is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ties {
    /// The first of the pool.
    #[default]
    First,
    /// A random one.
    Random,
}

/// Adds the test with the largest gain until the suite has `size` tests. Gains only fall as the
/// suite grows, so that a test whose last known gain is not the largest need not be looked at.
pub fn greedy(
    matrix: &Matrix,
    size: usize,
    ties: Ties,
    seed: u64,
    limit: u64,
    on_progress: &mut OnProgress<'_>,
) -> Found {
    let mut session = Session::new(matrix, limit, on_progress);
    let mut suite = Vec::new();
    for (test, rank) in Greedy::new(matrix, ties, seed).take(size) {
        if session.ended {
            break;
        }
        suite.push(test);
        session.evaluated(&suite, rank);
        if rank == session.found.best.rank {
            // A test without gain belongs to the suite, too.
            session.found.best.suite.clone_from(&suite);
        }
    }
    session.found
}

/// Adds the tests with the largest gains to some tests until the suite has `size` tests; also tests
/// without gain.
pub fn greedy_from(matrix: &Matrix, size: usize, start: &[u32]) -> Vec<u32> {
    let mut suite = start.to_vec();
    let mut greedy = Greedy::new(matrix, Ties::First, 0);
    start.iter().for_each(|&test| greedy.union.add(test as usize));
    greedy.refresh();
    let others = greedy.filter(|(test, _)| !start.contains(test));
    suite.extend(others.map(|(test, _)| test).take(size.saturating_sub(start.len())));
    suite
}

/// Adds tests until the suite has this rank, or no test raises it.
pub fn greedy_until(matrix: &Matrix, rank: u64, start: &[u32]) -> Vec<u32> {
    let mut suite = start.to_vec();
    let mut reached = matrix.rank(start);
    let mut greedy = Greedy::new(matrix, Ties::First, 0);
    start.iter().for_each(|&test| greedy.union.add(test as usize));
    greedy.refresh();
    while reached < rank
        && let Some((test, next)) = greedy.next()
        && next > reached
    {
        suite.push(test);
        reached = next;
    }
    suite
}

/// The tests in the order of the greedy algorithm, each with the rank of all up to it.
struct Greedy<'m> {
    union: Union<'m>,
    /// Last known gains, the number that decides ties, and the test.
    queue: BinaryHeap<(u64, Reverse<u64>, Reverse<u32>)>,
    ranks: u64,
}

impl<'m> Greedy<'m> {
    fn new(matrix: &'m Matrix, ties: Ties, seed: u64) -> Greedy<'m> {
        let mut stream = Stream::new(seed, TIES);
        let union = Union::new(matrix);
        let entry = |test: u32| {
            let tie = match ties {
                Ties::First => 0,
                Ties::Random => stream.next_u64(),
            };
            (union.gain(test as usize), Reverse(tie), Reverse(test))
        };
        let queue: Vec<_> = (0..matrix.tests() as u32).map(entry).collect();
        Greedy { union, queue: queue.into(), ranks: 0 }
    }

    /// Computes all gains again, after tests were added from outside.
    fn refresh(&mut self) {
        self.ranks = self.union.rank();
        let entries = std::mem::take(&mut self.queue).into_iter();
        self.queue =
            entries.map(|(_, tie, test)| (self.union.gain(test.0 as usize), tie, test)).collect();
    }
}

impl Iterator for Greedy<'_> {
    type Item = (u32, u64);

    fn next(&mut self) -> Option<(u32, u64)> {
        loop {
            let mut top = self.queue.peek_mut()?;
            let (known, tie, test) = *top;
            let gain = self.union.gain(test.0 as usize);
            if gain == known {
                std::collections::binary_heap::PeekMut::pop(top);
                self.union.add(test.0 as usize);
                self.ranks += gain;
                return Some((test.0, self.ranks));
            }
            *top = (gain, tie, test);
        }
    }
}
