//! What a search of this crate returns, and how it reports progress.

use std::time::Duration;

use catherd_search::{Improvement, Meter, Progress, Stop, Stopwatch};

use crate::genes::Genes;

/// A found test for each covered goal, and the work so far.
pub(crate) struct Searched {
    /// Tests with the goals that each covers.
    pub(crate) tests: Vec<(Genes, Vec<usize>)>,
    /// Increases of coverage.
    pub(crate) timeline: Vec<Improvement>,
    /// Work.
    pub(crate) meter: (u64, u64),
    /// Why it ended.
    pub(crate) stop: Stop,
}

/// A meter's numbers as a progress of a search that keeps its own.
pub(crate) fn progress(meter: &Meter, covered: usize, goals: usize) -> Progress {
    Progress { meter: *meter, iterations: meter.executions(), covered, goals }
}

/// Real time since a run began.
pub(crate) fn elapsed(clock: &Stopwatch) -> Duration {
    catherd_search::Clock::now(clock)
}
