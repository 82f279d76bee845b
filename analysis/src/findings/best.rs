//! The best algorithm of a study, and its differences from the other algorithms.

use crate::comparison::{Comparison, Samples, mean_intervals};
use crate::stats::{Interval, Unavailable, mean};

/// The algorithm with the highest mean coverage over the projects on which all algorithms have
/// runs. The intervals and p-values do not account for the choice of the best algorithm.
#[derive(Clone, Debug)]
pub struct Best {
    /// Index into [`Results::algorithms`](crate::tidy::Results::algorithms).
    pub algorithm: usize,
    /// The mean over [`Best::projects`] of the algorithm's mean coverage, in 0..=1.
    pub mean: f64,
    /// The projects with runs of every algorithm that has any runs, as indices into
    /// [`Results::projects`](crate::tidy::Results::projects).
    pub projects: Vec<usize>,
    /// The other algorithms, by descending mean coverage.
    pub others: Vec<Other>,
}

/// Another algorithm compared with the best.
#[derive(Clone, Debug)]
pub struct Other {
    /// Index into [`Results::algorithms`](crate::tidy::Results::algorithms).
    pub algorithm: usize,
    /// The mean over [`Best::projects`] of the algorithm's mean coverage, in 0..=1.
    pub mean: f64,
    /// Mean difference in mean coverage over these projects, in 0..=1: the best algorithm minus
    /// this algorithm.
    pub difference: f64,
    /// Confidence interval of the difference at level 1 - [`LEVEL`](crate::comparison::LEVEL),
    /// computed by a bootstrap over projects.
    pub interval: Result<Interval, Unavailable>,
    /// The comparison of the best algorithm, as the first, with this algorithm.
    pub comparison: Comparison,
}

impl Best {
    /// Finds the best algorithm, or the first of several equal algorithms.
    pub fn new(samples: &Samples) -> Option<Best> {
        let projects: Vec<usize> = (0..samples.projects())
            .filter(|&p| {
                samples.complete(p) && (0..samples.algorithms()).any(|a| has(samples, p, a))
            })
            .collect();
        let means = |algorithm: usize| -> Vec<f64> {
            let of = |&project: &usize| mean(samples.values(project, algorithm).iter().copied());
            projects.iter().filter_map(of).collect()
        };
        let mut ranked: Vec<(usize, f64)> = (0..samples.algorithms())
            .filter_map(|algorithm| Some((algorithm, mean(means(algorithm))?)))
            .collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let (&(best, highest), rest) = ranked.split_first()?;
        let own = means(best);
        let differences = |&(algorithm, _): &(usize, f64)| -> Vec<f64> {
            own.iter().zip(means(algorithm)).map(|(own, other)| own - other).collect()
        };
        let differences: Vec<Vec<f64>> = rest.iter().map(differences).collect();
        let other = |(&(algorithm, mean_coverage), interval): (&(usize, f64), _)| Other {
            algorithm,
            mean: mean_coverage,
            difference: highest - mean_coverage,
            interval,
            comparison: Comparison::new(samples, best, algorithm),
        };
        let others = rest.iter().zip(mean_intervals(&differences)).map(other).collect();
        Some(Best { algorithm: best, mean: highest, projects, others })
    }
}

fn has(samples: &Samples, project: usize, algorithm: usize) -> bool {
    !samples.values(project, algorithm).is_empty()
}
