//! Convergence: the work or time until a search reaches given shares of its final coverage.

use crate::stats::{Description, Unavailable};
use crate::tidy::{Clock, Error, Results};

/// The shares of the final coverage.
pub const SHARES: [f64; 5] = [0.5, 0.9, 0.95, 0.99, 1.0];

/// The work or time until the runs of an algorithm reach a share of their final coverage.
#[derive(Clone, Debug, PartialEq)]
pub struct Convergence {
    /// Index into [`Results::algorithms`].
    pub algorithm: usize,
    /// The share of the final coverage, in 0..=1.
    pub share: f64,
    /// The work or time after which the runs reached the share, on the requested clock.
    pub spent: Result<Description, Unavailable>,
    /// The runs that reached the share.
    pub runs: Vec<u32>,
}

impl Convergence {
    /// Returns a value for each algorithm and each share in [`SHARES`].
    ///
    /// # Errors
    /// [`Error`] if the timeline cannot be read.
    pub fn all(results: &Results, clock: &Clock) -> Result<Vec<Convergence>, Error> {
        let improvements = results.improvements(clock)?;
        let mut reached = vec![(Vec::new(), Vec::new()); results.algorithms.len() * SHARES.len()];
        for timeline in improvements.chunk_by(|a, b| a.run == b.run) {
            let number = timeline[0].run;
            let run = &results.runs[number as usize];
            let last = f64::from(timeline[timeline.len() - 1].covered);
            if run.coverage().is_none() || last == 0.0 {
                continue;
            }
            for (index, share) in SHARES.iter().enumerate() {
                let first = timeline.iter().find(|i| f64::from(i.covered) >= share * last);
                if let Some(first) = first {
                    let cell = &mut reached[run.algorithm as usize * SHARES.len() + index];
                    cell.0.push(first.at as f64);
                    cell.1.push(number);
                }
            }
        }
        let cells = reached.into_iter().enumerate().map(|(cell, (spent, runs))| Convergence {
            algorithm: cell / SHARES.len(),
            share: SHARES[cell % SHARES.len()],
            spent: Description::of(&spent),
            runs,
        });
        Ok(cells.collect())
    }
}
