//! Results and progress of searches.

use std::time::Duration;

use catherd_search::{Improvement, Meter, Progress, Stop, Stopwatch};

use crate::genes::Genes;

/// The result of a search, before minimisation.
pub(crate) struct Searched {
    /// Tests with the goals that each covers.
    pub(crate) tests: Vec<(Genes, Vec<usize>)>,
    /// Increases of coverage.
    pub(crate) timeline: Vec<Improvement>,
    /// Counts of executions and steps.
    pub(crate) meter: (u64, u64),
    pub(crate) stop: Stop,
}

/// A progress report of an algorithm that counts its own work, in the type of `catherd-search`.
pub(crate) fn progress(meter: &Meter, covered: usize, goals: usize) -> Progress {
    Progress { meter: *meter, iterations: meter.executions(), covered, goals }
}

/// Real time since a run began.
pub(crate) fn elapsed(clock: &Stopwatch) -> Duration {
    catherd_search::Clock::now(clock)
}
