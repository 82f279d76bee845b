//! Execution of a suite on mutants: which tests distinguish them from the original.

use std::ops::ControlFlow;
use std::sync::Arc;

use catherd_sb3::{Opcode, Project};
use catherd_search::Stream;
use catherd_suite::{
    Bounds, CoveredBlocks, LinkedSuite, Runner, Suite, SuiteError, SuiteEvent, Verdict,
};
use catherd_vm::Program;

use crate::mutant::Mutant;
use crate::operator::Operator;
use crate::result::{MutantResult, Outcome};
use crate::sites::{Compat, mutants};

/// Settings of an analysis: which mutants are executed, and within which limits.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The operators.
    pub operators: Vec<Operator>,
    /// Seed of all choices that mutants need: keys, variables, the mutants of a sample. It is not
    /// the suite's seed, so that suites of all seeds and algorithms face the same mutants.
    pub seed: u64,
    /// Most mutants, drawn so that each is equally likely; `None` for all.
    pub sample: Option<u64>,
    /// Whether every test that may kill a mutant is executed, not only those up to the first that
    /// does.
    pub all_killers: bool,
    /// Whether flaky assertions are left out. They hold on the original under the suite's seed,
    /// which is the one used here, and the published scores include such assertions.
    pub stable_only: bool,
    /// Most blocks that a test may execute on a mutant, as a multiple of those that it executed on
    /// the original. Its steps are the same on every mutant.
    pub block_factor: u64,
    /// Blocks that a test may execute beyond that multiple.
    pub block_allowance: u64,
    /// Most steps of a test. Longer tests are not executed.
    pub steps: u64,
    /// Deviations of Whisker's published code.
    pub compat: Compat,
}

impl Default for Settings {
    /// All mutants, seed 0, the first killer; ten times the blocks and a million more.
    fn default() -> Self {
        Self {
            operators: Operator::ALL.to_vec(),
            seed: 0,
            sample: None,
            all_killers: false,
            stable_only: false,
            block_factor: 10,
            block_allowance: 1_000_000,
            steps: Bounds::default().steps,
            compat: Compat::default(),
        }
    }
}

/// Analysis of one suite for one project. Any number of [`MutantRunner`]s can execute its
/// mutants in any order and in parallel; the result of a mutant depends on neither.
pub struct Analysis {
    project: Project,
    program: Arc<Program>,
    fingerprint: u64,
    /// By block number: whether the block became a command.
    compiled: Vec<bool>,
    suite: Suite,
    linked: LinkedSuite,
    /// The tests that pass on the original.
    tests: Vec<Test>,
    false_positives: Vec<u32>,
    mutants: Vec<Mutant>,
    settings: Settings,
}

/// A test that passes on the original, and what it executed there.
struct Test {
    number: usize,
    covered: CoveredBlocks,
    presses_keys: bool,
    /// Blocks executed.
    blocks: u64,
}

impl Analysis {
    /// Executes the suite on the original and makes the mutants.
    ///
    /// # Errors
    /// If the suite does not belong to the project.
    pub fn new(
        project: &Project,
        program: Arc<Program>,
        suite: Suite,
        settings: Settings,
    ) -> Result<Self, SuiteError> {
        let linked = LinkedSuite::new(&suite, &program)?;
        let mut compiled = vec![false; project.block_count()];
        program.commands().for_each(|block| compiled[block.0 as usize] = true);
        let mut mutants = mutants(project, &settings.operators, settings.compat, settings.seed);
        if let Some(size) = settings.sample {
            sample(&mut mutants, size, settings.seed);
        }
        // Media are not needed: mutants share the costumes of the original's program.
        let project = Project { assets: Arc::new([]), ..project.clone() };
        let fingerprint = program.fingerprint();
        let (tests, false_positives) = (Vec::new(), Vec::new());
        let mut analysis = Self {
            project,
            program,
            fingerprint,
            compiled,
            suite,
            linked,
            tests,
            false_positives,
            mutants,
            settings,
        };
        analysis.execute_original();
        Ok(analysis)
    }

    fn execute_original(&mut self) {
        let covered = CoveredBlocks::new(self.project.block_count());
        let machine = self.suite.machine.clone();
        let mut runner = Runner::new(Arc::clone(&self.program), machine, covered);
        for (number, test) in self.suite.tests.iter().enumerate() {
            let execution = runner.run(&self.linked, number, self.bounds(u64::MAX));
            let covered = runner.tracer().take();
            if !execution.verdict.is_pass() {
                self.false_positives.push(number as u32);
                continue;
            }
            let is_press = |event: &SuiteEvent| matches!(event, SuiteEvent::KeyPress { .. });
            let presses_keys = test.events.iter().any(is_press);
            self.tests.push(Test { number, covered, presses_keys, blocks: execution.blocks });
        }
    }

    fn bounds(&self, blocks: u64) -> Bounds {
        let (steps, flaky) = (self.settings.steps, !self.settings.stable_only);
        Bounds { steps, flaky, blocks, ..Bounds::default() }
    }

    /// The mutants, in the order of [`mutants`].
    pub fn mutants(&self) -> &[Mutant] {
        &self.mutants
    }

    /// The project, without its media.
    pub fn project(&self) -> &Project {
        &self.project
    }

    /// Number of tests that are executed on mutants: those that pass on the original.
    pub fn tests(&self) -> usize {
        self.tests.len()
    }

    /// Numbers of the tests that do not pass on the original, ascending. They are not executed on
    /// mutants.
    pub fn false_positives(&self) -> &[u32] {
        &self.false_positives
    }

    /// An executor of mutants. Each thread needs its own.
    pub fn runner(&self) -> MutantRunner<'_> {
        MutantRunner { analysis: self, project: self.project.clone() }
    }

    /// Executes all mutants one after the other. `on_progress` is called after each with the
    /// number of mutants executed so far; if it breaks, there is no result.
    pub fn run(
        &self,
        mut on_progress: impl FnMut(usize) -> ControlFlow<()>,
    ) -> Option<Vec<MutantResult>> {
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

    /// The tests that may distinguish the mutant from the original.
    fn relevant_tests(&self, mutant: &Mutant) -> impl Iterator<Item = &Test> {
        // A hat that waits for another key can start at any key press, so coverage does not tell.
        let by_key = mutant.operator == Operator::Krm && {
            let (target, index) = self.project.locate(mutant.statement);
            let statement = &self.project.targets[target].blocks[index as usize];
            statement.opcode == Opcode::EventWhenKeyPressed
        };
        let (block, tests) = (mutant.statement, self.tests.iter());
        tests.filter(
            move |test| if by_key { test.presses_keys } else { test.covered.contains(block) },
        )
    }
}

/// Executor of mutants, with its own copy of the project, which becomes one mutant after the
/// other.
pub struct MutantRunner<'a> {
    analysis: &'a Analysis,
    project: Project,
}

impl MutantRunner<'_> {
    /// Executes the suite on the mutant with this number.
    ///
    /// # Panics
    /// If there is no such mutant.
    pub fn run(&mut self, number: usize) -> MutantResult {
        let analysis = self.analysis;
        let mutant = &analysis.mutants[number];
        if !analysis.compiled[mutant.statement.0 as usize] {
            return MutantResult::unexecuted(Outcome::Equivalent);
        }
        if analysis.relevant_tests(mutant).next().is_none() {
            return MutantResult::unexecuted(Outcome::NotCovered);
        }
        let undo = mutant.apply(&mut self.project);
        let program = analysis.program.recompile(&self.project);
        undo.undo(&mut self.project);
        let Ok(program) = program else { return MutantResult::unexecuted(Outcome::Limit) };
        let fingerprint = program.fingerprint();
        if fingerprint == analysis.fingerprint {
            return MutantResult::unexecuted(Outcome::Equivalent);
        }
        MutantResult {
            fingerprint: Some(fingerprint),
            ..analysis.execute(mutant, Arc::new(program))
        }
    }
}

impl Analysis {
    fn execute(&self, mutant: &Mutant, program: Arc<Program>) -> MutantResult {
        let mut result = MutantResult::unexecuted(Outcome::Survived);
        let relinked;
        let suite = if self.linked.fits(&program) {
            &self.linked
        } else {
            // Linking succeeds as for the original, because mutants have the same sprites.
            let Ok(linked) = LinkedSuite::new(&self.suite, &program) else { return result };
            relinked = linked;
            &relinked
        };
        let mut runner = Runner::new(program, self.suite.machine.clone(), ());
        for test in self.relevant_tests(mutant) {
            let Settings { block_factor, block_allowance, .. } = self.settings;
            let blocks = test.blocks.saturating_mul(block_factor).saturating_add(block_allowance);
            let execution = runner.run(suite, test.number, self.bounds(blocks));
            result.executions += 1;
            match execution.verdict {
                Verdict::Passed => {}
                Verdict::Failed(failure) => {
                    result.kill(test.number as u32, failure);
                    if !self.settings.all_killers {
                        break;
                    }
                }
                Verdict::StepLimit | Verdict::Fault(_) => {
                    if result.outcome == Outcome::Survived {
                        result.outcome = Outcome::Limit;
                    }
                    break;
                }
            }
        }
        result
    }
}

/// Reduces a list to a sample of it in the same order, each sample being equally likely.
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
