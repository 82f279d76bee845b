//! Differences between algorithms as a function of properties of projects.

use crate::comparison::{LEVEL, MAX_ALL_COMPARED, MIN_SAMPLE, Samples};
use crate::stats::{Interval, LinearFit, Unavailable, mean, student_quantile};

/// The regression of the difference in mean coverage between two algorithms on a number that
/// describes projects.
#[derive(Clone, Debug, PartialEq)]
pub struct DifferenceRelation {
    /// Index into [`Results::algorithms`](crate::tidy::Results::algorithms).
    pub first: usize,
    /// Index into [`Results::algorithms`](crate::tidy::Results::algorithms).
    pub second: usize,
    /// The projects on which both algorithms have runs, and whose number is known and not negative.
    pub projects: Vec<usize>,
    /// Change in the difference, first minus second, if the number plus one doubles.
    pub slope: f64,
    /// Interval of the slope at level 1 - [`LEVEL`], from Student's t distribution.
    pub interval: Interval,
    /// Share of the variance of the differences that the number explains, in 0..=1.
    pub explained: f64,
}

impl DifferenceRelation {
    /// Returns values for pairs of algorithms. `measure` contains, for each run, the number that
    /// describes its project, as returned by [`Results::measure`](crate::tidy::Results::measure).
    pub fn all(samples: &Samples, measure: &[Option<f64>]) -> Vec<DifferenceRelation> {
        let all = samples.algorithms() <= MAX_ALL_COMPARED;
        (1..samples.algorithms())
            .flat_map(|first| (0..if all { first } else { 1 }).map(move |second| (first, second)))
            .filter_map(|(first, second)| {
                DifferenceRelation::new(samples, measure, first, second).ok()
            })
            .collect()
    }

    fn new(
        samples: &Samples,
        measure: &[Option<f64>],
        first: usize,
        second: usize,
    ) -> Result<DifferenceRelation, Unavailable> {
        let of = |project: usize, algorithm: usize| {
            mean(samples.values(project, algorithm).iter().copied())
        };
        let (mut projects, mut x, mut y) = (Vec::new(), Vec::new(), Vec::new());
        for project in 0..samples.projects() {
            let runs = [first, second].into_iter().flat_map(|a| samples.runs(project, a));
            let measured = mean(runs.filter_map(|&run| measure[run as usize]));
            if let (Some(measured), Some(one), Some(other)) =
                (measured.filter(|m| *m >= 0.0), of(project, first), of(project, second))
            {
                projects.push(project);
                x.push(libm::log2(1.0 + measured));
                y.push(one - other);
            }
        }
        let found = projects.len();
        if found < MIN_SAMPLE {
            return Err(Unavailable::TooFew { needed: MIN_SAMPLE, found });
        }
        let line = LinearFit::new(&x, &y)?;
        let half = student_quantile(LEVEL, found - 2) * line.slope_error;
        Ok(DifferenceRelation {
            first,
            second,
            projects,
            slope: line.slope,
            interval: Interval { low: line.slope - half, high: line.slope + half },
            explained: line.r * line.r,
        })
    }
}
