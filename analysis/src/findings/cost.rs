//! What a study cost.

use crate::tidy::Results;

/// What the runs of an algorithm cost, failed ones included.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    /// Index into [`Results::algorithms`].
    pub algorithm: usize,
    /// Hours of one core: real time of whole runs, each of which has a core to itself.
    /// None if no run knows its time.
    pub core_hours: Option<f64>,
    /// The part of it that was search.
    pub search_hours: Option<f64>,
    /// Work of all searches in the first unit.
    pub executions: Option<u64>,
    /// Work of all searches in the second unit.
    pub steps: Option<u64>,
    /// Mean milliseconds of search per execution (Whisker paper, figure 22).
    pub execution_ms: Option<f64>,
    /// Runs whose time is not known, and not in these sums.
    pub unknown: usize,
    /// The runs behind it.
    pub runs: Vec<u32>,
}

impl Cost {
    /// One for each algorithm.
    pub fn all(results: &Results) -> Vec<Cost> {
        let one = |algorithm| {
            let of = || {
                (0_u32..).zip(&results.runs).filter(move |(_, r)| r.algorithm as usize == algorithm)
            };
            let hours = |ms: Option<u64>| ms.map(|ms| ms as f64 / 3_600_000.0);
            let work = |unit: usize, run: u32| results.work.get(unit)?[run as usize];
            let timed =
                || of().filter(|&(number, run)| work(0, number).and(run.search_ms).is_some());
            let executed = sum(timed().map(|(number, _)| work(0, number))).filter(|&n| n > 0);
            let searched = sum(timed().map(|(_, run)| run.search_ms));
            Cost {
                algorithm,
                core_hours: hours(sum(of().map(|(_, run)| run.wall_ms.or(run.search_ms)))),
                search_hours: hours(sum(of().map(|(_, run)| run.search_ms))),
                executions: sum(of().map(|(number, _)| work(0, number))),
                steps: sum(of().map(|(number, _)| work(1, number))),
                execution_ms: searched.zip(executed).map(|(ms, n)| ms as f64 / n as f64),
                unknown: of().filter(|(_, r)| r.wall_ms.or(r.search_ms).is_none()).count(),
                runs: of().map(|(number, _)| number).collect(),
            }
        };
        (0..results.algorithms.len()).map(one).collect()
    }
}

/// The sum of what is known; none if nothing is.
fn sum(values: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    values.flatten().fold(None, |sum: Option<u64>, value| Some(sum.unwrap_or(0) + value))
}
