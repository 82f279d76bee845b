//! Suites in JavaScript for mutation analysis.

use std::ops::ControlFlow;
use std::sync::Arc;

use catherd_scratch_grading_report::{Limit, Status};
use catherd_scratch_grading_whisker::whisker::{
    self, Chosen, Executed, LoadError, SuiteFile, SuiteOptions, TestOutcome,
};
use catherd_scratch_mutation::{
    BoundedTest, MutantVerdict, MutationSettings, OriginalResult, OriginalTest, Tests,
};
use catherd_scratch_vm::Program;

/// A suite in JavaScript that has been executed on the original, for mutation analysis.
///
/// A test kills a mutant if it passes on the original, and fails or ends with an error on the
/// mutant. Reaching the limit of time or memory does not kill a mutant.
pub struct JavaScriptTests {
    suite: SuiteFile,
    options: SuiteOptions,
    executed: Vec<Executed>,
}

impl JavaScriptTests {
    /// Executes a suite on the original, which must have been compiled [with
    /// colours](Program::with_colors). Returns `None` if `seen`, which is called after each test,
    /// breaks.
    ///
    /// # Errors
    /// If the suite cannot be loaded.
    pub fn new(
        suite: SuiteFile,
        program: &Arc<Program>,
        options: SuiteOptions,
        mut seen: impl FnMut(&Executed) -> ControlFlow<()>,
    ) -> Result<Option<JavaScriptTests>, LoadError> {
        let options = SuiteOptions { coverage: true, ..options };
        let (mut executed, mut stopped) = (Vec::new(), false);
        whisker::run_chosen(&suite, program, &options, None, &mut |test| {
            let flow = seen(&test);
            stopped |= flow.is_break();
            executed.push(test);
            flow
        })?;
        // Do not measure coverage on mutants, because the coverage on the original shows which
        // tests reach a mutant.
        let options = SuiteOptions { coverage: false, ..options };
        Ok((!stopped).then_some(JavaScriptTests { suite, options, executed }))
    }

    /// The results of the tests on the original, in the order of the suite.
    pub fn executed(&self) -> &[Executed] {
        &self.executed
    }
}

/// Whether a test reached the limit of time or memory. The status of the test is then not
/// meaningful.
fn met_limit(outcome: &TestOutcome) -> bool {
    outcome.limits.iter().any(|limit| matches!(limit, Limit::Time | Limit::Memory))
}

impl Tests for JavaScriptTests {
    type Failure = String;

    fn on_original(&self, _: &Arc<Program>, _: &MutationSettings) -> Vec<OriginalTest> {
        let original = |test: &Executed| OriginalTest {
            result: match test.outcome.status {
                Status::Pass => OriginalResult::Passed,
                Status::Skip => OriginalResult::Skipped,
                Status::Fail | Status::Error => OriginalResult::Failed,
            },
            covered: test.covered.clone(),
            presses_keys: test.presses_keys,
            blocks: test.outcome.blocks,
        };
        self.executed.iter().map(original).collect()
    }

    fn on_mutant(
        &self,
        program: Program,
        settings: &MutationSettings,
        tests: &[BoundedTest],
        seen: &mut dyn FnMut(usize, MutantVerdict<String>) -> ControlFlow<()>,
    ) {
        let options = SuiteOptions { steps: settings.steps, ..self.options.clone() };
        // A position in `executed` is not a position in the suite if the options choose tests.
        let chosen = tests.iter().map(|test| {
            let number = self.executed[test.number].number;
            Chosen { number, blocks: test.blocks }
        });
        let chosen: Vec<Chosen> = chosen.collect();
        let mut position = 0;
        let executed = |test: Executed| {
            let number = tests[position].number;
            position += 1;
            let verdict = match test.outcome.status {
                Status::Pass | Status::Skip => MutantVerdict::Passed,
                _ if met_limit(&test.outcome) => MutantVerdict::Limit,
                Status::Fail | Status::Error => MutantVerdict::Killed(test.outcome.message),
            };
            seen(number, verdict)
        };
        let program = Arc::new(program.with_colors());
        let run =
            whisker::run_chosen(&self.suite, &program, &options, Some(&chosen), &mut { executed });
        // The suite was loaded on the original, and loading is not expected to depend on the
        // program.
        debug_assert!(run.is_ok());
    }
}
