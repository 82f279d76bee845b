//! Ranking of the algorithms over all projects: mean ranks, Friedman's test, and Nemenyi's critical
//! difference.

use crate::comparison::{LEVEL, Samples};
use crate::stats::{ChiSquare, Nemenyi, Unavailable, friedman, mean};

/// The algorithms ranked by mean coverage on each project, 1 for the best.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    /// The algorithms that have runs: indices into
    /// [`Results::algorithms`](crate::tidy::Results::algorithms). Ranks, pairs and cliques refer
    /// to indices of this list.
    pub algorithms: Vec<usize>,
    /// The projects on which all of them have runs.
    pub projects: Vec<usize>,
    /// Friedman's test of no difference.
    pub friedman: Result<ChiSquare, Unavailable>,
    /// Mean ranks and their pairwise p-values.
    pub nemenyi: Nemenyi,
    /// Smallest difference of mean ranks that is significant, at [`LEVEL`].
    pub critical_difference: f64,
    /// Groups of algorithms that do not differ significantly: the bars of a critical-difference
    /// diagram.
    pub cliques: Vec<Vec<usize>>,
    /// The runs of these algorithms on these projects.
    pub runs: Vec<u32>,
}

impl Ranking {
    /// Ranks the algorithms.
    ///
    /// # Errors
    /// [`Unavailable`] if fewer than two algorithms have runs, or no project has runs of all of
    /// them.
    pub fn new(samples: &Samples) -> Result<Ranking, Unavailable> {
        let algorithms: Vec<usize> =
            (0..samples.algorithms()).filter(|&algorithm| samples.ran(algorithm)).collect();
        let projects: Vec<usize> =
            (0..samples.projects()).filter(|&project| samples.complete(project)).collect();
        let blocks: Vec<Vec<f64>> = projects
            .iter()
            .map(|&project| {
                // Negative, so that the highest coverage has rank 1. No sample is empty.
                let of = |&algorithm: &usize| {
                    -mean(samples.values(project, algorithm).iter().copied()).unwrap_or(f64::NAN)
                };
                algorithms.iter().map(of).collect()
            })
            .collect();
        let nemenyi = Nemenyi::new(&blocks)?;
        let cells = projects.iter().flat_map(|&p| algorithms.iter().map(move |&a| (p, a)));
        let runs = cells.flat_map(|(p, a)| samples.runs(p, a).iter().copied()).collect();
        Ok(Ranking {
            friedman: friedman(&blocks),
            critical_difference: nemenyi.critical_difference(LEVEL),
            cliques: nemenyi.cliques(LEVEL),
            nemenyi,
            algorithms,
            projects,
            runs,
        })
    }
}
