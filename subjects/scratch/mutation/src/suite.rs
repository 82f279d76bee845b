//! The interface of suites for mutation analysis.

use std::ops::ControlFlow;
use std::sync::Arc;

use catherd_scratch_suite::CoveredBlocks;
use catherd_scratch_vm::Program;

use crate::settings::MutationSettings;

/// A suite whose tests are executed on a project and on its mutants.
pub trait Tests: Sync {
    /// The reason why a test failed.
    type Failure: Send;

    /// Executes the tests on the original. Returns one result for each test, in order.
    fn on_original(&self, program: &Arc<Program>, settings: &MutationSettings)
    -> Vec<OriginalTest>;

    /// Executes tests on a mutant, each within its maximum number of blocks. Calls `seen` with the
    /// number and verdict of each test. If `seen` breaks, no further test is executed.
    fn on_mutant(
        &self,
        program: Program,
        settings: &MutationSettings,
        tests: &[BoundedTest],
        seen: &mut dyn FnMut(usize, MutantVerdict<Self::Failure>) -> ControlFlow<()>,
    );
}

/// The result of a test on the original.
#[derive(Clone, Debug)]
pub struct OriginalTest {
    /// How the test ended.
    pub result: OriginalResult,
    /// The blocks that the test executed.
    pub covered: CoveredBlocks,
    /// Whether the test presses keys.
    pub presses_keys: bool,
    /// Number of blocks that the test executed.
    pub blocks: u64,
}

/// How a test ended on the original.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OriginalResult {
    /// The test passes.
    Passed,
    /// The test does not pass.
    Failed,
    /// The suite marks the test as skipped.
    Skipped,
}

/// A test to execute on a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundedTest {
    /// Position of the test in the suite.
    pub number: usize,
    /// Maximum number of blocks that the test may execute.
    pub blocks: u64,
}

/// How a test ended on a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MutantVerdict<F> {
    /// The test passes on the mutant as well.
    Passed,
    /// The test fails, although it passes on the original.
    Killed(F),
    /// The test reached a limit before it failed or passed.
    Limit,
}
