//! The interface between an algorithm and the registry.

use crate::parameters::Parameters;
use crate::problem::Problem;
use crate::session::{Ended, Session};

pub(crate) trait SearchAlgorithm: Parameters + Default {
    /// The name in study files.
    const NAME: &'static str;

    /// A description in one line.
    const SUMMARY: &'static str;

    /// Caching of common beginnings is useful only for derived tests.
    const DERIVES_TESTS: bool = true;

    /// Whether the events of a test are drawn while the test is executed.
    const DRAWS_EVENTS: bool = false;

    fn run<P: Problem>(&self, session: &mut Session<'_, P>) -> Ended;
}
