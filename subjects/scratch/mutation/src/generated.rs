//! Generated suites for mutation analysis.

use std::ops::ControlFlow;
use std::sync::Arc;

use catherd_scratch_suite::{
    Bounds, CoveredBlocks, Failure, LinkedSuite, Runner, Suite, SuiteError, Verdict,
};
use catherd_scratch_vm::Program;

use crate::settings::MutationSettings;
use crate::suite::{BoundedTest, MutantVerdict, OriginalResult, OriginalTest, Tests};

/// The tests of a generated suite, linked with the program of the original.
pub struct GeneratedTests {
    pub(crate) suite: Suite,
    pub(crate) linked: LinkedSuite,
}

impl GeneratedTests {
    /// Links the tests of a suite with a program.
    ///
    /// # Errors
    /// If the suite does not fit the program.
    pub fn new(suite: Suite, program: &Program) -> Result<GeneratedTests, SuiteError> {
        let linked = LinkedSuite::new(&suite, program)?;
        Ok(GeneratedTests { suite, linked })
    }
}

pub(crate) fn bounds(settings: &MutationSettings, blocks: u64) -> Bounds {
    let (steps, flaky) = (settings.steps, !settings.stable_only);
    Bounds { steps, flaky, blocks, ..Bounds::default() }
}

impl Tests for GeneratedTests {
    type Failure = Failure;

    fn on_original(
        &self,
        program: &Arc<Program>,
        settings: &MutationSettings,
    ) -> Vec<OriginalTest> {
        let covered = CoveredBlocks::new(program.block_count());
        let mut runner = Runner::new(Arc::clone(program), self.suite.machine.clone(), covered);
        let tests = self.suite.tests.iter().enumerate().map(|(number, test)| {
            let execution = runner.run(&self.linked, number, bounds(settings, u64::MAX));
            let passes = execution.verdict.is_pass();
            OriginalTest {
                result: if passes { OriginalResult::Passed } else { OriginalResult::Failed },
                covered: runner.tracer().take(),
                presses_keys: test.presses_keys(),
                blocks: execution.blocks,
            }
        });
        tests.collect()
    }

    fn on_mutant(
        &self,
        program: Program,
        settings: &MutationSettings,
        tests: &[BoundedTest],
        seen: &mut dyn FnMut(usize, MutantVerdict<Failure>) -> ControlFlow<()>,
    ) {
        let relinked;
        let suite = if self.linked.fits(&program) {
            &self.linked
        } else {
            // Linking succeeds, as for the original, because mutants have the same sprites.
            let Ok(linked) = LinkedSuite::new(&self.suite, &program) else { return };
            relinked = linked;
            &relinked
        };
        let mut runner = Runner::new(Arc::new(program), self.suite.machine.clone(), ());
        for test in tests {
            let execution = runner.run(suite, test.number, bounds(settings, test.blocks));
            let verdict = match execution.verdict {
                Verdict::Passed => MutantVerdict::Passed,
                Verdict::Failed(failure) => MutantVerdict::Killed(failure),
                Verdict::StepLimit | Verdict::Fault(_) => MutantVerdict::Limit,
            };
            if seen(test.number, verdict).is_break() {
                return;
            }
        }
    }
}
