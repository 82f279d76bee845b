//! Local search, which swaps single tests.

use catherd_search::Stream;

use crate::streams::SEARCH;

use super::random::draw;
use super::{Matrix, OnProgress, SearchResult, Session, Ties, Union, greedy};

/// Improves the greedy suite, then `restarts` random suites. Each step replaces the one test whose
/// replacement raises the rank most, until no replacement raises the rank.
pub fn local(
    matrix: &Matrix,
    size: usize,
    restarts: u64,
    seed: u64,
    limit: u64,
    on_progress: &mut OnProgress<'_>,
) -> SearchResult {
    let mut stream = Stream::new(seed, SEARCH);
    let start = greedy(matrix, size, Ties::First, seed, u64::MAX, &mut |_| {
        std::ops::ControlFlow::Continue(())
    });
    let mut session = Session::new(matrix, limit, on_progress);
    let mut suite = start.best.suite;
    for round in 0..=restarts {
        if round > 0 {
            suite = draw(&mut stream, matrix.tests(), size);
        }
        if session.ended {
            break;
        }
        let mut rank = session.evaluate(&suite);
        while !session.ended
            && let Some((better, better_rank)) = best_swap(matrix, &suite, &mut session)
        {
            if better_rank <= rank {
                break;
            }
            rank = better_rank;
            suite = better;
            session.evaluated(&suite, rank);
        }
    }
    session.found
}

/// The suite with the highest rank among all suites that differ in one test.
fn best_swap(
    matrix: &Matrix,
    suite: &[u32],
    session: &mut Session<'_, '_>,
) -> Option<(Vec<u32>, u64)> {
    let mut best: Option<(usize, u32, u64)> = None;
    for place in 0..suite.len() {
        session.worked(matrix.tests() as u64);
        if session.ended {
            return None;
        }
        let mut rest = Union::new(matrix);
        suite.iter().enumerate().filter(|(at, _)| *at != place).for_each(|(_, &test)| {
            rest.add(test as usize);
        });
        let rank = rest.rank();
        for test in (0..matrix.tests() as u32).filter(|test| !suite.contains(test)) {
            let with = rank + rest.gain(test as usize);
            if best.is_none_or(|(_, _, best)| with > best) {
                best = Some((place, test, with));
            }
        }
    }
    best.map(|(place, test, rank)| {
        let mut swapped = suite.to_vec();
        swapped[place] = test;
        (swapped, rank)
    })
}
