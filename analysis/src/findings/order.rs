//! The order of the algorithms by mean coverage, and the probability that it is correct.

use crate::comparison::{LEVEL, Samples, enough};
use crate::stats::{
    BradleyTerry, Interval, MeanPosterior, Ranks, TwoLevel, Unavailable, mean, t_interval,
};

use super::decision::MARGIN;

/// The algorithms ordered by mean coverage, with the uncertainty due to the variation over runs and
/// projects.
#[derive(Clone, Debug)]
pub struct Order {
    /// The algorithms with runs, by descending mean coverage.
    pub algorithms: Vec<PlacedAlgorithm>,
    /// The projects on which all of these algorithms have runs.
    pub projects: Vec<usize>,
    /// Probability that the algorithms have this order on projects like these.
    pub probability: f64,
}

/// An algorithm in the order.
#[derive(Clone, Copy, Debug)]
pub struct PlacedAlgorithm {
    /// Index into [`Results::algorithms`](crate::tidy::Results::algorithms).
    pub algorithm: usize,
    /// Mean over projects of the algorithm's mean coverage, in 0..=1.
    pub mean: f64,
    /// Mean over projects of the algorithm's rank by mean coverage. Rank 1 is the highest coverage.
    pub rank: f64,
    /// Interval of the mean rank at level 1 - [`LEVEL`], over projects like these.
    pub rank_interval: Interval,
    /// Interval of the mean rank on exactly these projects, for which only runs vary.
    pub rank_here: Option<Interval>,
    /// The interval, at level 1 - [`LEVEL`] and including both ends, of the algorithm's position in
    /// the order on projects like these.
    pub places: (usize, usize),
    /// The interval of this position on exactly these projects.
    pub places_here: Option<(usize, usize)>,
    /// Probability that the algorithm has the highest mean coverage on projects like these, from
    /// the posterior.
    pub best: f64,
    /// The share of replicates of the bootstrap over projects and runs in which the algorithm has
    /// the highest mean coverage.
    pub best_drawn: Option<f64>,
    /// Probability that the algorithm has the highest mean coverage on exactly these projects, from
    /// the posterior in which only runs vary.
    pub best_here: Option<f64>,
    /// Probability that the algorithm's mean coverage is at most [`MARGIN`] below the highest.
    pub near_best: f64,
    /// Probability that the algorithm has the highest strength in the model of Bradley and Terry,
    /// which uses only the order of the algorithms on each project.
    pub strongest: f64,
}

impl Order {
    /// Orders the algorithms.
    ///
    /// # Errors
    /// [`Unavailable`] if the algorithms cannot be ordered.
    pub fn new(samples: &Samples) -> Result<Order, Unavailable> {
        let algorithms: Vec<usize> =
            (0..samples.algorithms()).filter(|&algorithm| samples.ran(algorithm)).collect();
        let found = algorithms.len();
        if found < 2 {
            return Err(Unavailable::TooFew { needed: 2, found });
        }
        let projects: Vec<usize> =
            (0..samples.projects()).filter(|&project| samples.complete(project)).collect();
        enough(projects.len())?;
        let block = |&project: &usize| -> Vec<f64> {
            let of = |&a: &usize| mean(samples.values(project, a).iter().copied());
            algorithms.iter().filter_map(of).collect()
        };
        let blocks: Vec<Vec<f64>> = projects.iter().map(block).collect();
        let ranks: Vec<Vec<f64>> = blocks
            .iter()
            .map(|block| {
                // The highest coverage has rank 1.
                let values: Vec<f64> = block.iter().map(|value| -value).collect();
                Ranks::of(&values).map(|ranks| ranks.ranks)
            })
            .collect::<Result<_, _>>()?;
        let posterior = MeanPosterior::exchangeable(&blocks)?;
        let cell = |&project: &usize| -> Vec<&[f64]> {
            algorithms.iter().map(|&algorithm| samples.values(project, algorithm)).collect()
        };
        let cells: Vec<Vec<&[f64]>> = projects.iter().map(cell).collect();
        let here = MeanPosterior::within_blocks(&cells).ok().map(|posterior| posterior.best());
        let (best, near) = (posterior.best(), posterior.near_best(MARGIN));
        let strongest = BradleyTerry::new(&blocks)?.best();
        let level = 1.0 - LEVEL;
        let drawn = TwoLevel::new(&cells).ok();
        let places = drawn
            .as_ref()
            .map_or_else(|| posterior.positions(level), |drawn| drawn.positions(level));
        let places_here = drawn.as_ref().and_then(|drawn| drawn.positions_here(level));
        let best_drawn = drawn.as_ref().map(TwoLevel::best);
        let mean_rank = |at: usize| mean(ranks.iter().map(|own| own[at])).unwrap_or(f64::NAN);
        let mean_ranks: Vec<f64> = (0..found).map(mean_rank).collect();
        let ranks_here = drawn.as_ref().and_then(|drawn| drawn.ranks_here(&mean_ranks, level));
        let mut order: Vec<usize> = (0..found).collect();
        order.sort_by(|&a, &b| posterior.means[b].total_cmp(&posterior.means[a]).then(a.cmp(&b)));
        let place = |&at: &usize| -> Result<PlacedAlgorithm, Unavailable> {
            let own: Vec<f64> = ranks.iter().map(|ranks| ranks[at]).collect();
            let (rank, interval) = t_interval(&own, level)?;
            let within = |value: f64| value.clamp(1.0, found as f64);
            Ok(PlacedAlgorithm {
                algorithm: algorithms[at],
                mean: posterior.means[at],
                rank,
                rank_interval: Interval { low: within(interval.low), high: within(interval.high) },
                rank_here: ranks_here.as_ref().map(|ranks| ranks[at]),
                places: places[at],
                places_here: places_here.as_ref().map(|places| places[at]),
                best: best[at],
                best_drawn: best_drawn.as_ref().map(|best| best[at]),
                best_here: here.as_ref().map(|here| here[at]),
                near_best: near[at],
                strongest: strongest[at],
            })
        };
        Ok(Order {
            algorithms: order.iter().map(place).collect::<Result<_, _>>()?,
            projects,
            probability: posterior.order(&order),
        })
    }
}
