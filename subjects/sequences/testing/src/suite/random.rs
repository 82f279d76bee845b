//! Random suites.

use catherd_search::Stream;

use crate::streams::SEARCH;

use super::{Matrix, OnProgress, SearchResult, Session};

/// Draws the indices of distinct tests. Each set is equally likely (Floyd's method), but not each
/// order.
pub(super) fn draw(stream: &mut Stream, pool: usize, size: usize) -> Vec<u32> {
    let size = size.min(pool);
    let mut suite: Vec<u32> = Vec::with_capacity(size);
    for last in pool - size..pool {
        let test = stream.index(last + 1) as u32;
        let test = if suite.contains(&test) { last as u32 } else { test };
        suite.push(test);
    }
    suite
}

/// A random suite without duplicate tests.
pub fn unranked(
    matrix: &Matrix,
    size: usize,
    seed: u64,
    limit: u64,
    on_progress: &mut OnProgress<'_>,
) -> SearchResult {
    best_of(matrix, size, 1, seed, limit, on_progress)
}

/// The best of `tries` random suites; the first of equally good suites.
pub fn best_of(
    matrix: &Matrix,
    size: usize,
    tries: u64,
    seed: u64,
    limit: u64,
    on_progress: &mut OnProgress<'_>,
) -> SearchResult {
    let mut stream = Stream::new(seed, SEARCH);
    let mut session = Session::new(matrix, limit, on_progress);
    for _ in 0..tries {
        if session.ended {
            break;
        }
        let suite = draw(&mut stream, matrix.tests(), size);
        session.evaluate(&suite);
    }
    session.found
}
