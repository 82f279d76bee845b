//! Whether coverage and faults agree: the order of the algorithms by coverage and by mutation score.

use crate::comparison::{Samples, enough};
use crate::stats::{MeanPosterior, Unavailable, mean};

/// The agreement of two measures on which of two algorithms is better.
#[derive(Clone, Debug, PartialEq)]
pub struct Agreement {
    /// Index into [`Results::algorithms`](crate::tidy::Results::algorithms).
    pub first: usize,
    /// Index into [`Results::algorithms`](crate::tidy::Results::algorithms).
    pub second: usize,
    /// The projects on which both have both measures.
    pub projects: Vec<usize>,
    /// Mean over these projects of the difference of coverage, first minus second.
    pub coverage: f64,
    /// The same of the mutation score.
    pub score: f64,
    /// Projects on which both measures prefer the same algorithm, or neither prefers one.
    pub agreeing: usize,
    /// Probability that both means prefer the same algorithm on projects like these.
    pub probability: Result<f64, Unavailable>,
}

impl Agreement {
    /// The agreement of each pair of algorithms.
    pub fn all(coverage: &Samples, score: &Samples) -> Vec<Agreement> {
        let pairs = (1..coverage.algorithms())
            .flat_map(|first| (0..first).map(move |second| (first, second)));
        pairs.filter_map(|(first, second)| Agreement::new(coverage, score, first, second)).collect()
    }

    fn new(coverage: &Samples, score: &Samples, first: usize, second: usize) -> Option<Agreement> {
        let centre = |samples: &Samples, project: usize, algorithm: usize| {
            mean(samples.values(project, algorithm).iter().copied())
        };
        let difference = |samples: &Samples, project: usize| {
            Some(centre(samples, project, first)? - centre(samples, project, second)?)
        };
        let found: Vec<(usize, [f64; 2])> = (0..coverage.projects())
            .filter_map(|project| {
                Some((project, [difference(coverage, project)?, difference(score, project)?]))
            })
            .collect();
        let blocks: Vec<[f64; 2]> = found.iter().map(|one| one.1).collect();
        let sign = |value: f64| if value == 0.0 { 0.0 } else { value.signum() };
        let probability = enough(blocks.len())
            .and_then(|()| MeanPosterior::over_blocks(&blocks))
            .map(|posterior| posterior.same_sign());
        Some(Agreement {
            first,
            second,
            coverage: mean(blocks.iter().map(|block| block[0]))?,
            score: mean(blocks.iter().map(|block| block[1]))?,
            agreeing: blocks.iter().filter(|block| sign(block[0]) == sign(block[1])).count(),
            probability,
            projects: found.into_iter().map(|one| one.0).collect(),
        })
    }
}
