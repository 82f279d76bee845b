//! Studies that end when their comparisons need no more seeds.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// Settings of a study that executes its seeds in rounds and ends early if each pair of algorithms
/// is decided: one covers more, their mean coverages are equivalent, or the planned seeds are
/// unlikely to decide the pair.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stop {
    /// Maximum difference between mean coverages that count as equivalent, between 0 and 1.
    pub margin: f64,
    /// Number of seeds before the first decision, at least 5.
    pub first: u64,
    /// Number of seeds between two decisions, at least 1.
    pub every: u64,
}

impl Stop {
    /// Minimum of [`Stop::first`]. With fewer seeds, no decision is possible.
    pub const MIN_FIRST: u64 = 5;
}

impl Default for Stop {
    fn default() -> Stop {
        Stop { margin: 0.01, first: Stop::MIN_FIRST, every: 1 }
    }
}

impl Stop {
    /// The ranges of seeds of the rounds, for a study of `seeds` seeds.
    pub fn rounds(self, seeds: usize) -> impl Iterator<Item = Range<usize>> {
        let step = |n: u64| usize::try_from(n).unwrap_or(usize::MAX).max(1);
        let mut end = 0_usize;
        std::iter::from_fn(move || {
            let start = end;
            let size = step(if start == 0 { self.first } else { self.every });
            end = start.saturating_add(size).min(seeds);
            (start < end).then_some(start..end)
        })
    }
}
