//! Comparisons of algorithms after shares of the longest search.

use crate::comparison::{Comparison, Samples};
use crate::tidy::{Clock, Error, Results};

/// The comparison of pairs of algorithms as it would have been with a smaller budget.
#[derive(Clone, Debug)]
pub struct Milestone {
    /// The budget, on the requested clock.
    pub at: u64,
    /// Coverage at this budget. Runs that had ended earlier keep their final coverage.
    pub samples: Samples,
    /// The pairs, as in [`Comparison::pairs`].
    pub comparisons: Vec<Comparison>,
}

impl Milestone {
    /// The default shares of the longest search.
    pub const SHARES: [f64; 9] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0];

    /// The comparisons at these shares (0..=1) of the longest search. Runs without a coverage or
    /// without a time on this clock are left out.
    ///
    /// # Errors
    /// [`Error`] if the timeline cannot be read.
    pub fn all(results: &Results, clock: &Clock, shares: &[f64]) -> Result<Vec<Milestone>, Error> {
        let measured = |number: usize| {
            let run = &results.runs[number];
            run.coverage().and(results.spent(number, clock))
        };
        let Some(end) = (0..results.runs.len()).filter_map(measured).max() else {
            return Ok(Vec::new());
        };
        let mut moments: Vec<u64> =
            shares.iter().map(|share| ((end as f64 * share).round() as u64).max(1)).collect();
        moments.sort_unstable();
        moments.dedup();

        let improvements = results.improvements(clock)?;
        let mut covered = vec![0; results.runs.len()];
        let mut order: Vec<usize> = (0..improvements.len()).collect();
        order.sort_by_key(|&i| improvements[i].at);
        let mut order = order.into_iter().peekable();
        let milestones = moments.into_iter().map(|at| {
            while let Some(i) = order.next_if(|&i| improvements[i].at <= at) {
                let improvement = improvements[i];
                covered[improvement.run as usize] = improvement.covered;
            }
            let samples = Samples::of_measure(results, |number, run| {
                measured(number).map(|_| f64::from(covered[number]) / f64::from(run.goals))
            });
            Milestone { at, comparisons: Comparison::pairs(&samples), samples }
        });
        Ok(milestones.collect())
    }
}
