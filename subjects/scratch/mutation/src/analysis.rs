//! Execution of a suite on mutants to find the tests that distinguish the mutants from the
//! original.

use std::ops::ControlFlow;
use std::sync::Arc;

use catherd_scratch_sb3::{Opcode, Project};
use catherd_scratch_suite::{Suite, SuiteError};
use catherd_scratch_vm::Program;
use catherd_search::Stream;

use crate::generated::GeneratedTests;
use crate::mutant::Mutant;
use crate::operator::Operator;
use crate::result::{MutantOutcome, MutantResult};
use crate::settings::MutationSettings;
use crate::sites::mutants;
use crate::suite::{BoundedTest, MutantVerdict, OriginalResult, OriginalTest, Tests};

/// Mutation analysis of a suite. Several [`MutantRunner`]s can execute mutants in parallel.
pub struct Analysis<T: Tests = GeneratedTests> {
    project: Project,
    program: Arc<Program>,
    fingerprint: u64,
    /// For each block number, whether the block was compiled to a command.
    compiled: Vec<bool>,
    suite: T,
    tests: Vec<OriginalTest>,
    mutants: Vec<Mutant>,
    settings: MutationSettings,
}

impl Analysis {
    /// Executes a generated suite on the original and creates the mutants.
    ///
    /// # Errors
    /// If the suite does not fit the project.
    pub fn new(
        project: &Project,
        program: Arc<Program>,
        suite: Suite,
        settings: MutationSettings,
    ) -> Result<Self, SuiteError> {
        let tests = GeneratedTests::new(suite, &program)?;
        Ok(Analysis::of(project, program, tests, settings))
    }
}

impl<T: Tests> Analysis<T> {
    /// Executes a suite on the original and creates the mutants.
    pub fn of(
        project: &Project,
        program: Arc<Program>,
        suite: T,
        settings: MutationSettings,
    ) -> Self {
        let mut compiled = vec![false; project.block_count()];
        program.commands().for_each(|block| compiled[block.0 as usize] = true);
        let mut mutants = mutants(project, &settings.operators, settings.compat, settings.seed);
        if let Some(size) = settings.sample {
            sample(&mut mutants, size, settings.seed);
        }
        // Assets are not needed, because mutants share the costumes of the original program.
        let project = Project { assets: Arc::new([]), ..project.clone() };
        let fingerprint = program.fingerprint();
        let tests = suite.on_original(&program, &settings);
        Self { project, program, fingerprint, compiled, suite, tests, mutants, settings }
    }

    /// The mutants, in the order of [`mutants`].
    pub fn mutants(&self) -> &[Mutant] {
        &self.mutants
    }

    /// The project, without its media.
    pub fn project(&self) -> &Project {
        &self.project
    }

    /// Number of tests that pass on the original. Only these tests are executed on mutants.
    pub fn tests(&self) -> usize {
        self.tests.iter().filter(|test| test.result == OriginalResult::Passed).count()
    }

    /// The numbers of the tests that fail on the original, in ascending order.
    pub fn false_positives(&self) -> Vec<u32> {
        let failed = OriginalResult::Failed;
        let failing = (0..).zip(&self.tests).filter(|(_, test)| test.result == failed);
        failing.map(|(number, _)| number).collect()
    }

    /// Results of the tests on the original, in the order of the suite.
    pub fn originals(&self) -> &[OriginalTest] {
        &self.tests
    }

    /// Creates an executor of mutants. Each thread needs a separate executor.
    pub fn runner(&self) -> MutantRunner<'_, T> {
        MutantRunner { analysis: self, project: self.project.clone() }
    }

    /// Executes all mutants one after the other. Calls `on_progress` after each mutant with the
    /// number of mutants executed so far. Returns `None` if `on_progress` breaks.
    pub fn run(
        &self,
        mut on_progress: impl FnMut(usize) -> ControlFlow<()>,
    ) -> Option<Vec<MutantResult<T::Failure>>> {
        let mut runner = self.runner();
        let mut results = Vec::with_capacity(self.mutants.len());
        for number in 0..self.mutants.len() {
            results.push(runner.run(number));
            if on_progress(results.len()).is_break() {
                return None;
            }
        }
        Some(results)
    }

    fn relevant_tests(&self, mutant: &Mutant) -> Vec<BoundedTest> {
        // A hat that waits for a different key may start at any key press, so coverage on the
        // original does not show which tests are relevant.
        let by_key = mutant.operator == Operator::Krm && {
            let (target, index) = self.project.locate(mutant.statement);
            let statement = &self.project.targets[target].blocks[index as usize];
            statement.opcode == Opcode::EventWhenKeyPressed
        };
        let reaches = |test: &OriginalTest| {
            if by_key { test.presses_keys } else { test.covered.contains(mutant.statement) }
        };
        let relevant = |test: &OriginalTest| test.result == OriginalResult::Passed && reaches(test);
        let MutationSettings { block_factor, block_allowance, .. } = self.settings;
        let bounded = |(number, test): (usize, &OriginalTest)| BoundedTest {
            number,
            blocks: test.blocks.saturating_mul(block_factor).saturating_add(block_allowance),
        };
        self.tests.iter().enumerate().filter(|(_, test)| relevant(test)).map(bounded).collect()
    }

    fn execute(&self, tests: &[BoundedTest], program: Program) -> MutantResult<T::Failure> {
        let mut result = MutantResult::unexecuted(MutantOutcome::Survived);
        self.suite.on_mutant(program, &self.settings, tests, &mut |number, verdict| {
            result.executions += 1;
            match verdict {
                MutantVerdict::Passed => ControlFlow::Continue(()),
                MutantVerdict::Killed(failure) => {
                    result.kill(number as u32, failure);
                    if self.settings.all_killers {
                        ControlFlow::Continue(())
                    } else {
                        ControlFlow::Break(())
                    }
                }
                MutantVerdict::Limit => {
                    if result.outcome == MutantOutcome::Survived {
                        result.outcome = MutantOutcome::Limit;
                    }
                    ControlFlow::Break(())
                }
            }
        });
        result
    }
}

/// Executor of mutants with a separate copy of the project.
pub struct MutantRunner<'a, T: Tests = GeneratedTests> {
    analysis: &'a Analysis<T>,
    project: Project,
}

impl<T: Tests> MutantRunner<'_, T> {
    /// Executes the tests that may notice the mutant with this number.
    ///
    /// # Panics
    /// If there is no mutant with this number.
    pub fn run(&mut self, number: usize) -> MutantResult<T::Failure> {
        let analysis = self.analysis;
        let mutant = &analysis.mutants[number];
        if !analysis.compiled[mutant.statement.0 as usize] {
            return MutantResult::unexecuted(MutantOutcome::Equivalent);
        }
        let tests = analysis.relevant_tests(mutant);
        if tests.is_empty() {
            return MutantResult::unexecuted(MutantOutcome::NotCovered);
        }
        let undo = mutant.apply(&mut self.project);
        let program = analysis.program.recompile(&self.project);
        undo.undo(&mut self.project);
        let Ok(program) = program else { return MutantResult::unexecuted(MutantOutcome::Limit) };
        let fingerprint = program.fingerprint();
        if fingerprint == analysis.fingerprint {
            return MutantResult::unexecuted(MutantOutcome::Equivalent);
        }
        MutantResult { fingerprint: Some(fingerprint), ..analysis.execute(&tests, program) }
    }
}

fn sample(mutants: &mut Vec<Mutant>, size: u64, seed: u64) {
    let mut stream = Stream::new(seed, Stream::MUTATION + Operator::ALL.len() as u64);
    let mut wanted = usize::try_from(size).unwrap_or(usize::MAX).min(mutants.len());
    let mut left = mutants.len();
    mutants.retain(|_| {
        let taken = stream.index(left) < wanted;
        left -= 1;
        wanted -= usize::from(taken);
        taken
    });
}
