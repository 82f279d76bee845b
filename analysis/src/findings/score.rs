//! Relative scores and first places, by which reports of FuzzBench rank fuzzers (Metzman et al.,
//! 2021).

use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;
use rayon::prelude::*;

use crate::comparison::{LEVEL, MIN_SAMPLE, Samples};
use crate::stats::{Interval, Unavailable, mean, t_interval};

const REPLICATES: u64 = 2_000;

/// The seed is fixed, because the same results must give the same table.
const SEED: u64 = 46;

/// The score of an algorithm: its median on each project, divided by the highest median of any
/// algorithm on the project.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// Index into [`Results::algorithms`](crate::tidy::Results::algorithms).
    pub algorithm: usize,
    /// The projects on which all algorithms have runs.
    pub projects: Vec<usize>,
    /// Median on each of these projects, and this median divided by the highest median (1 if all
    /// medians are 0), in 0..=1.
    pub by_project: Vec<(f64, f64)>,
    /// Mean of the scores of the projects, in 0..=1.
    pub mean: f64,
    /// Interval of the mean over projects like these (Student's t distribution).
    pub interval: Result<Interval, Unavailable>,
    /// Interval of the mean on exactly these projects, for which only runs vary (bootstrap).
    pub here: Option<Interval>,
    /// Number of projects on which no algorithm has a higher median. Several algorithms may share
    /// the first place.
    pub firsts: usize,
    /// The interval of the number of first places on exactly these projects.
    pub firsts_here: Option<Interval>,
}

impl Score {
    /// The score of each algorithm with runs, by descending mean.
    pub fn all(samples: &Samples) -> Vec<Score> {
        let algorithms: Vec<usize> =
            (0..samples.algorithms()).filter(|&algorithm| samples.ran(algorithm)).collect();
        let projects: Vec<usize> =
            (0..samples.projects()).filter(|&project| samples.complete(project)).collect();
        if projects.is_empty() || algorithms.is_empty() {
            return Vec::new();
        }
        let values = |project: usize, algorithm: usize| samples.values(project, algorithm);
        let observed: Vec<Vec<f64>> = projects
            .iter()
            .map(|&project| {
                algorithms
                    .iter()
                    .map(|&algorithm| median(values(project, algorithm).to_vec()))
                    .collect()
            })
            .collect();
        let scores: Vec<Vec<f64>> = observed.iter().map(|medians| relative(medians)).collect();
        let enough = projects.iter().all(|&project| {
            algorithms.iter().all(|&algorithm| values(project, algorithm).len() >= MIN_SAMPLE)
        });
        let drawn: Vec<Vec<Vec<f64>>> = (0..if enough { REPLICATES } else { 0 })
            .into_par_iter()
            .map(|replicate| {
                let mut rng = ChaCha8Rng::seed_from_u64(SEED);
                rng.set_stream(replicate);
                let mut draw = |sample: &[f64]| {
                    let one = |_| sample[rng.random_range(0..sample.len() as u64) as usize];
                    median((0..sample.len()).map(one).collect())
                };
                let of = |&project: &usize| {
                    let medians: Vec<f64> = algorithms
                        .iter()
                        .map(|&algorithm| draw(values(project, algorithm)))
                        .collect();
                    relative(&medians)
                };
                projects.iter().map(of).collect()
            })
            .collect();
        let central = |mut values: Vec<f64>| {
            values.sort_unstable_by(f64::total_cmp);
            let outside = values.len() / 40;
            enough.then(|| Interval {
                low: values[outside],
                high: values[values.len() - 1 - outside],
            })
        };
        let firsts =
            |scores: &[Vec<f64>], at: usize| scores.iter().filter(|one| one[at] >= 1.0).count();
        let mean_of = |scores: &[Vec<f64>], at: usize| {
            mean(scores.iter().map(|one| one[at])).unwrap_or(f64::NAN)
        };
        let mut all: Vec<Score> = algorithms
            .iter()
            .enumerate()
            .map(|(at, &algorithm)| {
                let own: Vec<f64> = scores.iter().map(|one| one[at]).collect();
                Score {
                    algorithm,
                    projects: projects.clone(),
                    by_project: observed
                        .iter()
                        .map(|one| one[at])
                        .zip(own.iter().copied())
                        .collect(),
                    mean: mean_of(&scores, at),
                    interval: crate::comparison::enough(own.len())
                        .and_then(|()| t_interval(&own, 1.0 - LEVEL))
                        .map(|found| found.1),
                    here: central(drawn.iter().map(|scores| mean_of(scores, at)).collect()),
                    firsts: firsts(&scores, at),
                    firsts_here: central(
                        drawn.iter().map(|scores| firsts(scores, at) as f64).collect(),
                    ),
                }
            })
            .collect();
        all.sort_by(|a, b| b.mean.total_cmp(&a.mean).then(a.algorithm.cmp(&b.algorithm)));
        all
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let half = values.len() / 2;
    if values.len() % 2 == 1 { values[half] } else { (values[half - 1] + values[half]) / 2.0 }
}

/// All shares are 1 if the highest value is 0.
fn relative(medians: &[f64]) -> Vec<f64> {
    let highest = medians.iter().copied().fold(0.0, f64::max);
    medians.iter().map(|&median| if highest > 0.0 { median / highest } else { 1.0 }).collect()
}
