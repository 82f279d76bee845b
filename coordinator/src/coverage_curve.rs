//! Mean coverage over test executions while a study is running.

use catherd_experiments::RunRecord;

/// Number of points of a curve: after 1, 2, 4, ..., 2^20 executions.
pub(crate) const POINTS: usize = 21;

const UNIT: &str = "executions";

/// The coverage of a run at each point, in 0..=1.
pub(crate) fn of_record(record: &RunRecord) -> Option<[f32; POINTS]> {
    record.coverage()?;
    let unit = record.unit_position(UNIT)?;
    let mut curve = [0.0; POINTS];
    for (power, value) in curve.iter_mut().enumerate() {
        let until = |amount: Option<&u64>| amount.is_some_and(|amount| *amount <= 1 << power);
        let reached = record.timeline.iter().take_while(|point| until(point.work.get(unit)));
        let covered = reached.last().map_or(0, |point| point.covered);
        *value = covered as f32 / record.goals() as f32;
    }
    Some(curve)
}

/// The mean of the coverage curves of several runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CoverageCurve {
    /// Number of runs.
    pub runs: u64,
    sums: [f64; POINTS],
}

impl CoverageCurve {
    pub(crate) fn add(&mut self, curve: &[f32; POINTS]) {
        self.runs += 1;
        self.sums.iter_mut().zip(curve).for_each(|(sum, value)| *sum += f64::from(*value));
    }

    pub(crate) fn merge(&mut self, other: &CoverageCurve) {
        self.runs += other.runs;
        self.sums.iter_mut().zip(&other.sums).for_each(|(sum, other)| *sum += other);
    }

    /// Mean coverage in 0..=1 after 1, 2, 4, ... executions.
    pub fn means(&self) -> impl Iterator<Item = f64> {
        self.sums.iter().map(|sum| sum / self.runs.max(1) as f64)
    }
}
