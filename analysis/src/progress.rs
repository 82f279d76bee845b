//! Mean coverage as a function of time (Whisker paper, figure 20). The mean is taken over the runs
//! of each project and then over the projects on which all algorithms have runs.

use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;
use rayon::prelude::*;

use crate::comparison::MIN_SAMPLE;
use crate::tidy::{Clock, Error, Improvement, Results};

const REPLICATES: usize = 500;

/// Seed of the bootstrap, fixed for reproducible figures.
const SEED: u64 = 20;

/// Approximate number of intervals of the time axis. Improvements in the same interval are merged
/// into one point.
const RESOLUTION: u64 = 1_000;

/// A point of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The time on the clock.
    pub at: u64,
    /// Mean coverage in 0..=1.
    pub mean: f64,
    /// The central 95 % of the bootstrap replicates, if there are enough runs.
    pub band: Option<(f64, f64)>,
}

/// Coverage of an algorithm over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Index into [`Results::algorithms`].
    pub algorithm: usize,
    /// Points in ascending order of time.
    pub points: Vec<Point>,
}

/// Coverage of all algorithms over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// The clock of the points.
    pub clock: Clock,
    /// The longest time spent by a shown run.
    pub end: u64,
    /// Number of projects over which the means are taken.
    pub projects: usize,
    /// The minimum and maximum number of runs of an algorithm on one of these projects.
    pub runs: (usize, usize),
    /// A curve for each algorithm that has runs.
    pub curves: Vec<Curve>,
}

impl Progress {
    /// Returns the curves of a study on a clock. The bands come from a bootstrap over the runs of
    /// each project and algorithm.
    ///
    /// # Errors
    /// [`Error`] if the timeline cannot be read.
    pub fn new(results: &Results, clock: &Clock) -> Result<Option<Progress>, Error> {
        let improvements = results.improvements(clock)?;
        let counted = |run: usize| results.runs[run].coverage().is_some();
        Ok(Progress::of(results, clock, &shares(results, &improvements), &counted))
    }

    /// Returns curves by project, with the index of the project into [`Results::projects`].
    ///
    /// # Errors
    /// [`Error`] if the timeline cannot be read.
    pub fn by_project(results: &Results, clock: &Clock) -> Result<Vec<(usize, Progress)>, Error> {
        let improvements = results.improvements(clock)?;
        let shares = shares(results, &improvements);
        let one = |project| {
            let counted = |run: usize| {
                let run = &results.runs[run];
                run.project as usize == project && run.coverage().is_some()
            };
            Some((project, Progress::of(results, clock, &shares, &counted)?))
        };
        Ok((0..results.projects.len()).filter_map(one).collect())
    }

    /// Returns the name and the curves of each criterion that has a timeline, except the first
    /// criterion.
    ///
    /// # Errors
    /// [`Error`] if the tables cannot be read.
    pub fn by_criterion(
        results: &Results,
        clock: &Clock,
    ) -> Result<Vec<(String, Progress)>, Error> {
        let coverage = results.criteria()?;
        let mut found = Vec::new();
        for (name, points) in results.criteria_improvements(clock)? {
            let own = coverage.iter().find(|one| one.0 == name);
            let counted = |run: usize| own.is_some_and(|one| one.1[run].is_some());
            let share = |(point, goals): (Improvement, u32)| {
                (point, f64::from(point.covered) / f64::from(goals.max(1)))
            };
            let shares: Vec<(Improvement, f64)> = points.into_iter().map(share).collect();
            let progress = Progress::of(results, clock, &shares, &counted);
            found.extend(progress.map(|progress| (name, progress)));
        }
        Ok(found)
    }

    /// Each improvement is paired with the share of goals covered from then on.
    fn of(
        results: &Results,
        clock: &Clock,
        improvements: &[(Improvement, f64)],
        counted: &dyn Fn(usize) -> bool,
    ) -> Option<Progress> {
        let algorithms = results.algorithms.len();
        let mut cells = vec![Vec::new(); algorithms * results.projects.len()];
        for (number, run) in results.runs.iter().enumerate() {
            if counted(number) && results.spent(number, clock).is_some() {
                cells[run.project as usize * algorithms + run.algorithm as usize]
                    .push(number as u32);
            }
        }
        let ran: Vec<usize> = (0..algorithms)
            .filter(|a| cells.iter().skip(*a).step_by(algorithms).any(|c| !c.is_empty()))
            .collect();
        let complete: Vec<&[Vec<u32>]> = cells
            .chunks(algorithms.max(1))
            .filter(|project| ran.iter().all(|&a| !project[a].is_empty()))
            .collect();
        let sizes = complete.iter().flat_map(|project| ran.iter().map(|&a| project[a].len()));
        let runs = sizes.clone().min().zip(sizes.max())?;
        let shown = complete.iter().flat_map(|project| project.iter().flatten());
        let end = shown.filter_map(|&run| results.spent(run as usize, clock)).max().unwrap_or(0);

        let mut rises = vec![Vec::new(); algorithms];
        let mut before = (u32::MAX, 0.0);
        for &(point, covered) in improvements {
            let from = if before.0 == point.run { before.1 } else { 0.0 };
            before = (point.run, covered);
            let run = &results.runs[point.run as usize];
            let share = covered - from;
            rises[run.algorithm as usize].push(Rise { at: point.at, run: point.run, share });
        }
        let curves = ran.iter().map(|&algorithm| {
            let samples: Vec<&[u32]> = complete.iter().map(|p| &p[algorithm][..]).collect();
            let rises = std::mem::take(&mut rises[algorithm]);
            Curve { algorithm, points: curve(rises, &samples, results.runs.len(), end) }
        });
        let (clock, projects) = (clock.clone(), complete.len());
        Some(Progress { clock, end, projects, runs, curves: curves.collect() })
    }
}

fn shares(results: &Results, improvements: &[Improvement]) -> Vec<(Improvement, f64)> {
    let share = |&point: &Improvement| {
        let goals = results.runs[point.run as usize].goals.max(1);
        (point, f64::from(point.covered) / f64::from(goals))
    };
    improvements.iter().map(share).collect()
}

#[derive(Clone, Copy)]
struct Rise {
    at: u64,
    run: u32,
    share: f64,
}

fn curve(mut rises: Vec<Rise>, samples: &[&[u32]], runs: usize, end: u64) -> Vec<Point> {
    let mut weights = vec![0.0; runs];
    weigh(samples, &mut weights, |_, place| place);
    rises.retain(|rise| weights[rise.run as usize] > 0.0);
    rises.par_sort_unstable_by_key(|rise| (rise.at, rise.run));
    let width = (end / RESOLUTION).max(1);
    let ends: Vec<usize> = (1..=rises.len())
        .filter(|&i| rises.get(i).is_none_or(|next| next.at / width != rises[i - 1].at / width))
        .collect();
    let values = |weights: &[f64]| -> Vec<f64> {
        let mut sum = 0.0;
        let mut start = 0;
        let until = |&end: &usize| {
            for rise in &rises[start..end] {
                sum += rise.share * weights[rise.run as usize];
            }
            start = end;
            sum
        };
        ends.iter().map(until).collect()
    };

    let means = values(&weights);
    let banded = samples.iter().all(|sample| sample.len() >= MIN_SAMPLE);
    let replicates: Vec<Vec<f64>> = (0..if banded { REPLICATES as u64 } else { 0 })
        .into_par_iter()
        .map_init(
            || vec![0.0; runs],
            |weights, replicate| {
                let mut rng = ChaCha8Rng::seed_from_u64(SEED);
                rng.set_stream(replicate);
                weights.fill(0.0);
                weigh(samples, weights, |size, _| rng.random_range(0..size));
                values(weights)
            },
        )
        .collect();
    let band = |place: usize| {
        let mut column: Vec<f64> = replicates.iter().map(|values| values[place]).collect();
        column.sort_unstable_by(f64::total_cmp);
        let outside = column.len() / 40;
        banded.then(|| (column[outside], column[column.len() - 1 - outside]))
    };
    ends.iter()
        .zip(means)
        .enumerate()
        .map(|(place, (&end, mean))| Point { at: rises[end - 1].at, mean, band: band(place) })
        .collect()
}

/// `pick` chooses a run of a sample, given the size of the sample and a position.
fn weigh(samples: &[&[u32]], weights: &mut [f64], mut pick: impl FnMut(usize, usize) -> usize) {
    for sample in samples {
        let weight = 1.0 / (samples.len() * sample.len()) as f64;
        for place in 0..sample.len() {
            weights[sample[pick(sample.len(), place)] as usize] += weight;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rise(at: u64, run: u32, share: f64) -> Rise {
        Rise { at, run, share }
    }

    #[test]
    fn a_curve_is_exact_at_every_improvement() {
        let rises = vec![
            rise(1, 0, 0.5),
            rise(4, 0, 0.5),
            rise(2, 1, 0.5),
            rise(1, 2, 1.0),
            rise(3, 3, 1.0),
        ];
        let points = curve(rises, &[&[0, 1], &[2]], 4, 300);
        let means: Vec<_> = points.iter().map(|p| (p.at, p.mean)).collect();
        assert_eq!(means, [(1, 0.625), (2, 0.75), (4, 0.875)]);
        // The projects have too few runs for a band.
        assert!(points.iter().all(|p| p.band.is_none()));
    }

    #[test]
    fn the_band_shows_the_spread_of_runs() {
        let early = [0, 1, 2].map(|run| rise(1, run, 1.0));
        let late = [3, 4, 5].map(|run| rise(9, run, 1.0));
        let rises: Vec<_> = early.into_iter().chain(late).collect();
        let points = curve(rises.clone(), &[&[0, 1, 2, 3, 4, 5]], 6, 300);
        let bands: Vec<_> = points.iter().map(|p| p.band.unwrap()).collect();
        // The coverage of half of the runs rises at time 1; the coverage of the others rises at
        // time 9.
        assert!((0.1..0.3).contains(&bands[0].0) && (0.7..0.9).contains(&bands[0].1), "{bands:?}");
        assert!((bands[1].0 - 1.0).abs() < 1e-12 && (bands[1].1 - 1.0).abs() < 1e-12);
        assert_eq!(curve(rises, &[&[0, 1, 2, 3, 4, 5]], 6, 300), points);
    }

    #[test]
    fn points_closer_than_the_resolution_are_merged_and_still_exact() {
        let rises = (0..1_000_000).map(|at| rise(at, 0, 1e-6)).collect();
        let points = curve(rises, &[&[0]], 1, 1_000_000);
        assert_eq!(points.len(), 1_000);
        assert!(points.iter().all(|p| (p.mean - (p.at + 1) as f64 * 1e-6).abs() < 1e-9));
    }
}
