//! Results of tests, and limits on their execution.

#[cfg(doc)]
use crate::format::SuiteTest;

/// The number of an assertion in its test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AssertionNo {
    /// Whether the assertion is in [`SuiteTest::flaky`], not in [`SuiteTest::assertions`].
    pub flaky: bool,
    /// Position of the assertion in that list.
    pub position: u32,
}

/// Limits on the execution of a test, and the choice of the assertions to check.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Maximum number of steps of a test. A longer test is not executed.
    pub steps: u64,
    /// Maximum number of blocks that the test executes. If it is reached, the test ends with
    /// [`Verdict::Fault`].
    pub blocks: u64,
    /// Whether the test ends with [`Verdict::Fault`] when the program reaches a limit of its VM.
    pub faults_end: bool,
    /// Whether [`SuiteTest::flaky`] is checked as well. These assertions hold on the project under
    /// the seed of the test, but a failure under another seed does not show a defect.
    pub flaky: bool,
}

impl Default for Bounds {
    /// 100,000 steps (nearly an hour of Scratch time) and any number of blocks. Faults do not end a
    /// test, and all assertions are checked.
    fn default() -> Self {
        Self { steps: 100_000, blocks: u64::MAX, faults_end: false, flaky: true }
    }
}

/// The result of a test on a program.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// All events were sent, and no assertion ended the execution.
    Passed,
    /// An assertion did not hold, which ended the execution.
    Failed(Failure),
    /// The test has more steps than [`Bounds::steps`] and was not executed.
    StepLimit,
    /// The program reached a limit of the VM, described here, and [`Bounds::faults_end`] is set; or
    /// the test reached [`Bounds::blocks`].
    Fault(&'static str),
}

impl Verdict {
    /// Whether the test passed.
    pub fn is_pass(&self) -> bool {
        *self == Verdict::Passed
    }
}

/// An assertion that did not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The assertion.
    pub assertion: AssertionNo,
    /// The position of the event after which the assertion was checked.
    pub after: u32,
    /// The actual value as text; `None` if the object or the attribute does not exist.
    pub got: Option<String>,
}

/// An execution of a test.
#[derive(Clone, Debug, PartialEq)]
pub struct Execution {
    /// The result.
    pub verdict: Verdict,
    /// Number of executed steps.
    pub steps: u64,
    /// Number of executed blocks, counted as for the budgets of [`catherd_scratch_vm::VmSettings`].
    pub blocks: u64,
    /// Description of the first limit of the VM that the program reached, if any.
    pub fault: Option<&'static str>,
}
