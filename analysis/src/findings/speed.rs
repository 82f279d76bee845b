//! Acceleration of programs and flakiness of tests (Whisker paper, RQ1 and figure 12).

use crate::stats::{Description, Unavailable};
use crate::tidy::{Error, Results};

/// `per_second` is the number of units of work in a second of program time.
pub(super) fn acceleration(work: Option<u64>, per_second: f64, ms: Option<u64>) -> Option<f64> {
    let ms = ms.filter(|&ms| ms > 0)?;
    Some(work? as f64 / per_second / (ms as f64 / 1_000.0))
}

/// Acceleration and flaky assertions of the runs of an algorithm.
#[derive(Clone, Debug, PartialEq)]
pub struct Speed {
    /// Index into [`Results::algorithms`].
    pub algorithm: usize,
    /// Program time divided by real time of each search of at least a millisecond for which both
    /// are known; 1 means that the program ran at its normal speed.
    pub factors: Vec<f64>,
    /// Statistics of [`Speed::factors`].
    pub factor: Result<Description, Unavailable>,
    /// Number of stable assertions in all suites.
    pub assertions: Option<u64>,
    /// Number of flaky assertions, which the suites list separately.
    pub flaky: Option<u64>,
    /// The runs with the factors, in the same order.
    pub runs: Vec<u32>,
}

impl Speed {
    /// Returns a value for each algorithm.
    ///
    /// # Errors
    /// [`Error`] if the tables cannot be read.
    pub fn all(results: &Results) -> Result<Vec<Speed>, Error> {
        let time = results.program_time();
        let stable = results.measure("suiteAssertions")?;
        let flaky = results.measure("suiteFlakyAssertions")?;
        let one = |algorithm| {
            let own = || {
                let all = (0_u32..).zip(&results.runs);
                all.filter(move |(_, run)| run.algorithm as usize == algorithm)
            };
            let (mut factors, mut runs) = (Vec::new(), Vec::new());
            for (number, run) in own() {
                let factor = time.and_then(|(unit, per_second)| {
                    let work = results.work[unit][number as usize];
                    acceleration(work, per_second, run.search_ms)
                });
                if let Some(factor) = factor {
                    factors.push(factor);
                    runs.push(number);
                }
            }
            let sum = |counts: &[Option<f64>]| {
                let known = own().filter_map(|(number, _)| counts[number as usize]);
                known.fold(None, |sum: Option<u64>, n| Some(sum.unwrap_or(0) + n as u64))
            };
            let factor = Description::of(&factors);
            let sums = (sum(&stable), sum(&flaky));
            let sums = if sums == (Some(0), Some(0)) { (None, None) } else { sums };
            let (assertions, flaky) = sums;
            Speed { algorithm, factors, factor, assertions, flaky, runs }
        };
        Ok((0..results.algorithms.len()).map(one).collect())
    }
}
