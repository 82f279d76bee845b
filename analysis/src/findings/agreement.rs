//! Agreement of coverage and mutation score on which algorithms are better.

use crate::comparison::{Samples, enough};
use crate::stats::{Interval, MeanPosterior, Unavailable, mean};

/// The agreement of two measures on which of two algorithms is better.
#[derive(Clone, Debug, PartialEq)]
pub struct Agreement {
    /// Index into [`Results::algorithms`](crate::tidy::Results::algorithms).
    pub first: usize,
    /// Index into [`Results::algorithms`](crate::tidy::Results::algorithms).
    pub second: usize,
    /// The projects on which both algorithms have both measures.
    pub projects: Vec<usize>,
    /// Mean difference in coverage over these projects, first minus second.
    pub coverage: f64,
    /// Mean difference in mutation scores over these projects, first minus second.
    pub score: f64,
    /// Number of projects on which both measures prefer the same algorithm, or neither prefers an
    /// algorithm.
    pub agreeing: usize,
    /// Probability that both means prefer the same algorithm on projects like these.
    pub probability: Result<f64, Unavailable>,
}

/// The agreement of the orders of all algorithms by coverage and by mutation score.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderAgreement {
    /// The algorithms that have both measures, as indices into
    /// [`Results::algorithms`](crate::tidy::Results::algorithms).
    pub algorithms: Vec<usize>,
    /// The projects on which all of these algorithms have both measures.
    pub projects: Vec<usize>,
    /// Kendall's correlation τ-b of the mean coverages and the mean scores, in -1..=1. NaN if all
    /// algorithms have the same mean according to one of the measures.
    pub tau: f64,
    /// The central 95 % of the posterior distribution of τ-b on projects like these.
    pub interval: Interval,
    /// Probability that the same algorithm has the highest mean according to both measures.
    pub same_best: f64,
    /// Probability that both orders are the same.
    pub same_order: f64,
}

impl OrderAgreement {
    /// The agreement over the projects on which all algorithms have both measures.
    ///
    /// # Errors
    /// [`Unavailable`] if the orders cannot be compared.
    pub fn new(coverage: &Samples, score: &Samples) -> Result<OrderAgreement, Unavailable> {
        let algorithms: Vec<usize> = (0..coverage.algorithms())
            .filter(|&algorithm| coverage.ran(algorithm) && score.ran(algorithm))
            .collect();
        let found = algorithms.len();
        if found < 2 {
            return Err(Unavailable::TooFew { needed: 2, found });
        }
        let centre = |samples: &Samples, project: usize, algorithm: usize| {
            mean(samples.values(project, algorithm).iter().copied())
        };
        // A block contains the coverages of all algorithms and then their scores, because the
        // measures vary over projects together.
        let block = |project: usize| -> Option<Vec<f64>> {
            let by = |samples| algorithms.iter().map(move |&one| centre(samples, project, one));
            by(coverage).chain(by(score)).collect()
        };
        let (projects, blocks): (Vec<usize>, Vec<Vec<f64>>) =
            (0..coverage.projects()).filter_map(|at| Some((at, block(at)?))).unzip();
        enough(blocks.len())?;
        let posterior = MeanPosterior::over_blocks(&blocks)?;
        let halves = |draw: &[f64]| {
            let (one, other) = draw.split_at(found);
            (one.to_vec(), other.to_vec())
        };
        let highest = |values: &[f64]| {
            (0..values.len()).fold(0, |best, at| if values[at] > values[best] { at } else { best })
        };
        let taus = posterior.each(|draw| {
            let (one, other) = halves(draw);
            kendall(&one, &other)
        });
        let same_best = posterior.each(|draw| {
            let (one, other) = halves(draw);
            f64::from(u8::from(highest(&one) == highest(&other)))
        });
        let same_order = taus.iter().filter(|tau| **tau >= 1.0).count() as f64;
        let (one, other) = halves(&posterior.means);
        let draws = taus.len() as f64;
        Ok(OrderAgreement {
            tau: kendall(&one, &other),
            same_best: same_best.iter().sum::<f64>() / draws,
            same_order: same_order / draws,
            interval: super::left::central(taus),
            algorithms,
            projects,
        })
    }
}

/// Kendall's τ-b of two samples of the same length; NaN if all values of a sample are equal.
fn kendall(x: &[f64], y: &[f64]) -> f64 {
    let (mut sum, mut of_x, mut of_y) = (0.0, 0.0, 0.0);
    for one in 1..x.len() {
        for other in 0..one {
            let sign = |values: &[f64]| match values[one] - values[other] {
                0.0 => 0.0,
                difference => difference.signum(),
            };
            let (by_x, by_y): (f64, f64) = (sign(x), sign(y));
            sum += by_x * by_y;
            of_x += by_x.abs();
            of_y += by_y.abs();
        }
    }
    sum / (of_x * of_y).sqrt()
}

impl Agreement {
    /// The agreement on each pair of algorithms for which [`Agreement::projects`] is not empty.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_have_kendalls_correlation() {
        assert_eq!(kendall(&[1.0, 2.0, 3.0], &[0.1, 0.5, 0.9]), 1.0);
        assert_eq!(kendall(&[1.0, 2.0, 3.0], &[9.0, 5.0, 1.0]), -1.0);
        // Two pairs agree, and one pair disagrees.
        assert!((kendall(&[1.0, 2.0, 3.0], &[1.0, 3.0, 2.0]) - 1.0 / 3.0).abs() < 1e-12);
        // With a tie, the result is (2 - 0) / sqrt(3 * 2).
        let tied = kendall(&[1.0, 2.0, 3.0], &[1.0, 1.0, 3.0]);
        assert!((tied - 2.0 / 6.0_f64.sqrt()).abs() < 1e-12);
        assert!(kendall(&[1.0, 1.0], &[1.0, 2.0]).is_nan());
    }
}
