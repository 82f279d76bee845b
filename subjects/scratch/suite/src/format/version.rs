//! Versions of the format of suite files.

use catherd_scratch_vm::Compat;

use super::{Expected, Suite, SuiteEvent, SuitePolicy, SuiteTest};

/// Newest version of the format that this release reads. The release also reads all earlier
/// versions, and it writes the earliest version, but at least 2, that can represent a suite:
///
/// 1. Events and goals.
/// 2. Assertions, and the settings on which they depend: `machine`, `tolerances`, `nan_equal`;
///    missing settings have their defaults.
/// 3. Tests with a separate seed, and tests with a policy.
/// 4. Goals that a test covers by chance, and clicks on a specific clone.
/// 5. Tests in which a network chooses the events.
/// 6. Rules of policies with a swaying aim, conditions on positions, and ranges of variables during
///    policies.
/// 7. Tests with fewer re-executions than requested; suites for today's Scratch.
pub const FORMAT: u32 = 7;

impl Suite {
    pub(super) fn written_format(&self) -> u32 {
        let of_machine = if self.machine.compat == Compat::default() { 2 } else { 7 };
        self.tests.iter().map(SuiteTest::format).max().unwrap_or(0).max(of_machine)
    }
}

impl SuiteTest {
    /// The earliest version, but at least 2, that can represent the test.
    fn format(&self) -> u32 {
        let click = |event: &SuiteEvent| matches!(event, SuiteEvent::ClickClone { clone: 1.., .. });
        if self.reexecutions.is_some() {
            return 7;
        }
        let mut all = self.assertions.iter().chain(&self.flaky);
        if all.any(|assertion| matches!(assertion.expect, Expected::Range { .. }))
            || self.policy.as_ref().is_some_and(SuitePolicy::sways_or_asks_for_places)
        {
            6
        } else if self.is_played_by_network() {
            5
        } else if !self.chance.is_empty() || self.events.iter().any(click) {
            4
        } else if self.seed.is_some() || self.policy.is_some() {
            3
        } else {
            2
        }
    }
}
