//! The optimal suite by branch and bound.

use super::{Matrix, OnProgress, SearchResult, Session, Ties, Union, greedy};

/// Maximum sizes of the suite and of the pool of [`optimal`].
const LARGEST: (usize, usize) = (4, 300);

/// A problem that is too large for the exact algorithm.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("optimal: only for suites of at most {} tests from a pool of at most {} tests, not {size} from {pool}", LARGEST.0, LARGEST.1)]
pub struct TooLarge {
    size: usize,
    pool: usize,
}

/// The best of all suites of this size, or the best suite that is found before the search is ended.
///
/// # Errors
///
/// If the suite or the pool is too large.
pub fn optimal(
    matrix: &Matrix,
    size: usize,
    limit: u64,
    on_progress: &mut OnProgress<'_>,
) -> Result<SearchResult, TooLarge> {
    let pool = matrix.tests();
    if size > LARGEST.0 || pool > LARGEST.1 {
        return Err(TooLarge { size, pool });
    }
    let start =
        greedy(
            matrix,
            size,
            Ties::First,
            0,
            u64::MAX,
            &mut |_| std::ops::ControlFlow::Continue(()),
        );
    let mut session = Session::new(matrix, limit, on_progress);
    if !session.ended {
        session.evaluate(&start.best.suite);
    }
    let union = Union::new(matrix);
    branch(matrix, size.min(pool), &union, &mut Vec::new(), &mut session);
    Ok(session.found)
}

/// A branch is pruned if the largest gains of `left` tests cannot raise the rank above the best
/// rank, because tests raise the rank by at most the sum of their gains.
fn branch(
    matrix: &Matrix,
    left: usize,
    union: &Union<'_>,
    suite: &mut Vec<u32>,
    session: &mut Session<'_, '_>,
) {
    if session.ended {
        return;
    }
    if left == 0 {
        let rank = union.rank();
        session.evaluated(suite, rank);
        return;
    }
    let from = suite.last().map_or(0, |last| last + 1);
    session.worked(matrix.tests() as u64);
    let mut gains: Vec<(u64, u32)> =
        (from..matrix.tests() as u32).map(|test| (union.gain(test as usize), test)).collect();
    let rank = union.rank();
    for at in 0..gains.len() {
        if gains.len() - at < left {
            return;
        }
        let mut rest: Vec<u64> = gains[at..].iter().map(|(gain, _)| *gain).collect();
        rest.sort_unstable_by(|a, b| b.cmp(a));
        if rank + rest[..left].iter().sum::<u64>() <= session.found.best.rank {
            return;
        }
        let (gain, test) = gains[at];
        let others = if left > 1 { rest[..left - 1].iter().sum::<u64>() } else { 0 };
        if rank + gain + others > session.found.best.rank {
            let mut with = union.clone();
            with.add(test as usize);
            suite.push(test);
            branch(matrix, left - 1, &with, suite, session);
            suite.pop();
        }
    }
    gains.clear();
}
