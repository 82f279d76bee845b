//! Cost: core-hours and work of all runs.

use crate::tidy::Results;

/// The cost of the runs of an algorithm, including failed runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    /// Index into [`Results::algorithms`].
    pub algorithm: usize,
    /// Core-hours of the runs, from the real time of each run or, if it is not known, of its
    /// search.
    pub core_hours: Option<f64>,
    /// Core-hours of searches.
    pub search_hours: Option<f64>,
    /// Work of all searches, in each unit of the subject kind.
    pub work: Vec<Option<u64>>,
    /// Mean milliseconds of search per unit of work, in the first unit of the subject kind (Whisker
    /// paper, figure 22).
    pub ms_per_unit: Option<f64>,
    /// Number of runs with an unknown time.
    pub unknown: usize,
    /// The runs of the algorithm.
    pub runs: Vec<u32>,
}

impl Cost {
    /// Returns a value for each algorithm.
    pub fn all(results: &Results) -> Vec<Cost> {
        let first = |run: u32| results.work.first()?[run as usize];
        let one = |algorithm| {
            let of = || {
                (0_u32..).zip(&results.runs).filter(move |(_, r)| r.algorithm as usize == algorithm)
            };
            let hours = |ms: Option<u64>| ms.map(|ms| ms as f64 / 3_600_000.0);
            let timed = || of().filter(|&(number, run)| first(number).and(run.search_ms).is_some());
            let units = sum(timed().map(|(number, _)| first(number))).filter(|&n| n > 0);
            let searched = sum(timed().map(|(_, run)| run.search_ms));
            let total = |work: &Vec<Option<u64>>| sum(of().map(|(run, _)| work[run as usize]));
            Cost {
                algorithm,
                core_hours: hours(sum(of().map(|(_, run)| run.wall_ms.or(run.search_ms)))),
                search_hours: hours(sum(of().map(|(_, run)| run.search_ms))),
                work: results.work.iter().map(total).collect(),
                ms_per_unit: searched.zip(units).map(|(ms, n)| ms as f64 / n as f64),
                unknown: of().filter(|(_, r)| r.wall_ms.or(r.search_ms).is_none()).count(),
                runs: of().map(|(number, _)| number).collect(),
            }
        };
        (0..results.algorithms.len()).map(one).collect()
    }
}

fn sum(values: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    values.flatten().fold(None, |sum: Option<u64>, value| Some(sum.unwrap_or(0) + value))
}
