//! The interface between an algorithm and the registry.

use crate::parameters::Parameters;
use crate::problem::Problem;
use crate::session::{Ended, Session};

/// An algorithm with its parameters. The default value has the default parameters.
pub(crate) trait SearchAlgorithm: Parameters + Default {
    /// The name in study files.
    const NAME: &'static str;

    /// A description in one line, usually with its source.
    const SUMMARY: &'static str;

    /// Whether the algorithm derives tests from earlier tests. Caching of common beginnings is
    /// useful only in this case, because independent tests have common beginnings only by chance.
    const DERIVES_TESTS: bool = true;

    /// Whether the events of a test are drawn while the test is executed. Otherwise, tests are
    /// chromosomes.
    const DRAWS_EVENTS: bool = false;

    /// Searches until the session ends the search.
    fn run<P: Problem>(&self, session: &mut Session<'_, P>) -> Ended;
}
