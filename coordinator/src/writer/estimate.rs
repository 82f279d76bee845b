//! Estimates of the work of a study, from runs that were measured.

use std::collections::BTreeMap;
use std::time::Duration;

use catherd_experiments::Digest;

use super::leader::Leader;
use crate::queue::{SubjectEngine, TimeSource};

/// Runs of an algorithm on a project that have not ended.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) project: Digest,
    pub(crate) label: String,
    pub(crate) runs: u64,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Estimate {
    /// Number of runs and the sum of their expected times, by the source of these times.
    pub(crate) by_source: BTreeMap<&'static str, (u64, Duration)>,
    pub(crate) workers: usize,
    /// Expected work that is left in the active studies; zero if it is unknown.
    pub(crate) others: Duration,
}

impl Leader {
    pub(super) fn estimate(&self, cells: &[Cell], engine: &SubjectEngine) -> Estimate {
        let queue = self.ledger.queue();
        let number = queue.known_engine(engine);
        let by_label = self.groups.mean_times(queue, number);
        let mut estimate = Estimate {
            workers: self.ledger.workers().len(),
            others: queue.expected_work(&[]).map_or(Duration::ZERO, |work| work.total),
            ..Estimate::default()
        };
        for cell in cells {
            let group = number.and_then(|n| self.groups.find(cell.project, n, &cell.label));
            let (source, time) = queue.estimate(cell.project, group);
            let (source, time) = match (source, by_label.get(&*cell.label)) {
                (TimeSource::Group, _) => ("group", time),
                (TimeSource::Project, _) => ("project", time),
                (_, Some(mean)) => ("algorithm", *mean),
                // Runs of other algorithms on other projects are not used for an estimate.
                _ => ("none", Duration::ZERO),
            };
            let (runs, total) = estimate.by_source.entry(source).or_default();
            *runs += cell.runs;
            *total += time.mul_f64(cell.runs as f64);
        }
        estimate
    }
}
