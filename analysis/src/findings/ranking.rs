//! Ranking of the algorithms over all projects: mean ranks, Friedman's test, and Nemenyi's critical
//! difference.

use crate::comparison::{LEVEL, Samples, enough};
use crate::stats::{ChiSquare, Nemenyi, SignedRank, Unavailable, friedman, holm, mean};

/// The algorithms ranked by mean coverage on each project. Rank 1 is the best.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    /// The algorithms with runs, as indices into
    /// [`Results::algorithms`](crate::tidy::Results::algorithms). Ranks, pairs and cliques use
    /// indices into this list.
    pub algorithms: Vec<usize>,
    /// The projects on which all of these algorithms have runs.
    pub projects: Vec<usize>,
    /// Friedman's test of the hypothesis of no difference.
    pub friedman: Result<ChiSquare, Unavailable>,
    /// Mean ranks and their pairwise p-values.
    pub nemenyi: Nemenyi,
    /// Smallest difference between mean ranks that is significant at [`LEVEL`].
    pub critical_difference: f64,
    /// Groups of algorithms that do not differ significantly in Nemenyi's test, which are the bars
    /// of a critical-difference diagram.
    pub cliques: Vec<Vec<usize>>,
    /// Groups of algorithms that do not differ significantly in the Wilcoxon signed-rank test of
    /// each pair, with Holm's correction (Benavoli, Corani and Mangili, 2016).
    pub paired_cliques: Vec<Vec<usize>>,
    /// The runs of these algorithms on these projects.
    pub runs: Vec<u32>,
}

impl Ranking {
    /// Ranks the algorithms.
    ///
    /// # Errors
    /// [`Unavailable`] if the algorithms cannot be ranked.
    pub fn new(samples: &Samples) -> Result<Ranking, Unavailable> {
        let algorithms: Vec<usize> =
            (0..samples.algorithms()).filter(|&algorithm| samples.ran(algorithm)).collect();
        let projects: Vec<usize> =
            (0..samples.projects()).filter(|&project| samples.complete(project)).collect();
        let blocks: Vec<Vec<f64>> = projects
            .iter()
            .map(|&project| {
                // The highest coverage has rank 1.
                let of = |&algorithm: &usize| {
                    -mean(samples.values(project, algorithm).iter().copied()).unwrap_or(f64::NAN)
                };
                algorithms.iter().map(of).collect()
            })
            .collect();
        enough(projects.len())?;
        let nemenyi = Nemenyi::new(&blocks)?;
        let cells = projects.iter().flat_map(|&p| algorithms.iter().map(move |&a| (p, a)));
        let runs = cells.flat_map(|(p, a)| samples.runs(p, a).iter().copied()).collect();
        Ok(Ranking {
            friedman: friedman(&blocks),
            critical_difference: nemenyi.critical_difference(LEVEL),
            cliques: nemenyi.cliques(LEVEL),
            paired_cliques: paired_cliques(&blocks, &nemenyi.mean_ranks),
            nemenyi,
            algorithms,
            projects,
            runs,
        })
    }
}

/// The maximal sequences, in the order of the mean ranks, of treatments that do not differ
/// significantly in the Wilcoxon signed-rank test with Holm's correction.
fn paired_cliques(blocks: &[Vec<f64>], mean_ranks: &[f64]) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..mean_ranks.len()).collect();
    order.sort_by(|&a, &b| mean_ranks[a].total_cmp(&mean_ranks[b]));
    let pairs: Vec<(usize, usize)> =
        (0..order.len()).flat_map(|a| (a + 1..order.len()).map(move |b| (a, b))).collect();
    let p = |&(a, b): &(usize, usize)| {
        let column = |at: usize| blocks.iter().map(|block| block[order[at]]).collect::<Vec<_>>();
        SignedRank::new(&column(a), &column(b)).map_or(1.0, |test| test.p().value)
    };
    let p: Vec<f64> = pairs.iter().map(p).collect();
    let differ: std::collections::BTreeSet<(usize, usize)> = pairs
        .iter()
        .zip(holm(&p).unwrap_or_default())
        .filter(|(_, p)| *p < LEVEL)
        .map(|(pair, _)| *pair)
        .collect();
    let mut cliques: Vec<Vec<usize>> = Vec::new();
    let mut reached = 0;
    for start in 0..order.len() {
        let fits = |&end: &usize| (start..end).all(|other| !differ.contains(&(other, end)));
        let end = (start + 1..order.len()).take_while(fits).last();
        if let Some(end) = end.filter(|&end| end + 1 > reached) {
            reached = end + 1;
            cliques.push(order[start..=end].to_vec());
        }
    }
    cliques
}
