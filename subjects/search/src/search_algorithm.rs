//! The interface of an algorithm to the registry.

use crate::parameters::Parameters;
use crate::problem::Problem;
use crate::session::{Ended, Session};

/// An algorithm as its file defines it. The default value has the default parameters.
pub(crate) trait SearchAlgorithm: Parameters + Default {
    /// The name in study files.
    const NAME: &'static str;

    /// Description in one line, with the source.
    const SUMMARY: &'static str;

    /// Whether the algorithm derives tests from earlier ones. Only then is caching of common
    /// beginnings useful, because independently drawn tests share beginnings only by chance.
    const DERIVES_TESTS: bool = true;

    /// Whether the algorithm searches a problem whose tests are drawn event by event while they
    /// run, instead of one whose tests are chromosomes.
    const DRAWS_EVENTS: bool = false;

    /// Searches until the session stops it.
    fn run<P: Problem>(&self, session: &mut Session<'_, P>) -> Ended;
}
