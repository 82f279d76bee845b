//! Estimates of how many goals more runs would cover, and how many are reachable.

use rayon::prelude::*;

use crate::comparison::{LEVEL, MIN_SAMPLE};
use crate::stats::{Estimate, Estimator, Incidence, Interval};
use crate::tidy::{GoalSet, Results};

/// The multiples of the number of runs for which the number of covered goals is extrapolated.
pub const MULTIPLES: [f64; 5] = [1.0, 2.0, 4.0, 7.0, 10.0];

/// The estimator of reachable goals in tables. `docs/measurements/statistics.md` compares all
/// estimators.
pub const ESTIMATOR: Estimator = Estimator::Chao2;

/// Estimates of the number of goals that an algorithm would cover with more runs.
#[derive(Clone, Debug)]
pub struct Left {
    /// Index into [`Results::algorithms`].
    pub algorithm: usize,
    /// The sets of goals for which the algorithm has enough runs.
    pub projects: Vec<LeftOnProject>,
    /// The curve of covered goals on all projects together: the multiple of the number of executed
    /// runs, the estimate and its interval.
    pub curve: Vec<(f64, f64, Option<Interval>)>,
    /// The number of reachable goals on all projects together.
    pub reachable: Estimate,
}

/// Estimates of the number of goals of a project that an algorithm would cover with more runs.
#[derive(Clone, Debug)]
pub struct LeftOnProject {
    /// Index into the sets of goals that were passed to [`Left::all`].
    pub set: usize,
    /// Number of runs.
    pub runs: u64,
    /// Number of goals, reachable or not.
    pub goals: usize,
    /// Mean number of goals that a run covers.
    pub mean: f64,
    /// Number of goals that at least one run covers.
    pub observed: u64,
    /// Estimate of the number of goals that ten times as many runs cover.
    pub tenfold: Estimate,
    /// Estimate of the number of reachable goals.
    pub reachable: Estimate,
    /// Bootstrap draws, each with the number of goals at each multiple in [`MULTIPLES`].
    draws: Vec<Vec<f64>>,
    values: Vec<f64>,
    incidence: Incidence,
}

impl Left {
    /// The estimates for each algorithm with enough runs on at least one project, computed from the
    /// sets of goals of the results.
    pub fn all(results: &Results, sets: &[GoalSet]) -> Vec<Left> {
        let one = |algorithm: usize| Left::new(algorithm, &results.algorithms[algorithm], sets);
        (0..results.algorithms.len()).filter_map(one).collect()
    }

    fn new(algorithm: usize, label: &str, sets: &[GoalSet]) -> Option<Left> {
        let on = |(set, goals): (usize, &GoalSet)| {
            let (runs, covering) = goals.covering_of(label)?;
            if runs < MIN_SAMPLE as u64 {
                return None;
            }
            let mean = covering.iter().sum::<u64>() as f64 / runs as f64;
            let all = covering.len();
            let incidence = Incidence::new(runs, all as u64, covering).ok()?;
            let values: Vec<f64> =
                MULTIPLES.iter().map(|&multiple| incidence.expected(multiple)).collect();
            let draws = incidence.draws(&MULTIPLES, set as u64);
            let tenfold: Vec<f64> = draws.iter().filter_map(|draw| draw.last().copied()).collect();
            Some(LeftOnProject {
                set,
                runs,
                goals: all,
                mean,
                observed: incidence.observed(),
                tenfold: Estimate { value: *values.last()?, interval: central(tenfold) },
                reachable: incidence.reachable(ESTIMATOR, 1.0 - LEVEL),
                draws,
                values,
                incidence,
            })
        };
        let projects: Vec<LeftOnProject> = sets.par_iter().enumerate().filter_map(on).collect();
        let count = projects.first()?.draws.len();
        let sum = |value: &dyn Fn(&LeftOnProject) -> f64| projects.iter().map(value).sum::<f64>();
        let shares = [0.1, 0.25, 0.5];
        let below = shares.map(|share| {
            let at = |one: &LeftOnProject| {
                one.incidence.interpolated(((one.runs as f64 * share).round() as u64).max(1))
            };
            (share, sum(&at), None)
        });
        let above = MULTIPLES.iter().enumerate().map(|(at, &multiple)| {
            let totals: Vec<f64> = (0..count).map(|draw| sum(&|one| one.draws[draw][at])).collect();
            let interval = (multiple > 1.0).then(|| central(totals));
            (multiple, sum(&|one| one.values[at]), interval)
        });
        let curve = below.into_iter().chain(above).collect();
        // The variances of projects add up, because projects are independent. The width of each
        // interval is about four standard deviations.
        let variance = |one: &LeftOnProject| {
            let Interval { low, high } = one.reachable.interval;
            ((high - low) / 3.92).powi(2)
        };
        let (value, spread) = (sum(&|one| one.reachable.value), 1.96 * sum(&variance).sqrt());
        let (seen, goals) = (sum(&|one| one.observed as f64), sum(&|one| one.goals as f64));
        let interval =
            Interval { low: (value - spread).max(seen), high: (value + spread).min(goals) };
        let reachable = Estimate { value, interval };
        Some(Left { algorithm, projects, curve, reachable })
    }

    /// The estimate of the number of goals that ten times as many runs cover on all projects
    /// together.
    pub fn tenfold(&self) -> Option<(f64, Interval)> {
        let &(_, value, interval) = self.curve.last()?;
        Some((value, interval?))
    }
}

/// The interval with the central share 1 - [`LEVEL`] of the draws; NaN if there are no draws.
pub(super) fn central(mut draws: Vec<f64>) -> Interval {
    draws.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| match draws.len() {
        0 => f64::NAN,
        n => draws[((n - 1) as f64 * share).round() as usize],
    };
    Interval { low: at(LEVEL / 2.0), high: at(1.0 - LEVEL / 2.0) }
}
