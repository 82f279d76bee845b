//! Trying mutants: which tests of a suite tell them from the original.

use std::ops::ControlFlow;
use std::sync::Arc;

use catherd_sb3::{BlockNo, Opcode, Project};
use catherd_search::Stream;
use catherd_vm::{Program, Tracer};

use super::{Mutant, Operator, Tried, mutants};
use crate::compat::Compat;
use crate::runner::{Bounds, Execution, LinkedSuite, Runner, Verdict};
use crate::suite::{Suite, SuiteError, SuiteEvent};

/// What is tried, and for how long.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The operators.
    pub operators: Vec<Operator>,
    /// From which all choices come that mutants need: which key, which variable, which
    /// mutants a sample has. It is not the seed of the suite: suites of all seeds and
    /// algorithms should face the same mutants.
    pub seed: u64,
    /// Try so many mutants at most, each equally likely; none: all.
    pub sample: Option<u64>,
    /// Execute every test that may kill a mutant, not only until one has.
    pub all_killers: bool,
    /// Leave out assertions that other seeds of the machine refute. They hold on the original
    /// with the suite's seed, the one that is used here, and the published scores are with
    /// such assertions.
    pub stable_only: bool,
    /// On a mutant a test may execute this many times the blocks that it executed on the
    /// original ...
    pub block_factor: u64,
    /// ... and this many more. (Its steps are the same on every mutant.)
    pub block_allowance: u64,
    /// Steps of the longest test that is executed.
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

/// What came of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    /// A test that passes on the original fails an assertion.
    Killed,
    /// All tests that execute the changed block pass.
    Survived,
    /// A test executed more blocks than it may, or the mutant cannot be compiled within the
    /// machine's limits. No assertion failed before.
    Limit,
    /// No test executes the changed block, so none can fail.
    NotCovered,
    /// The mutant is the original: the changed block is not part of a script that can start,
    /// or means the same as before.
    Equivalent,
}

/// An analysis of one suite for one project, ready to try mutants: in any order, by any
/// number of [`Bench`]es side by side. What comes of a mutant depends on nothing else.
pub struct Analysis {
    project: Project,
    program: Arc<Program>,
    fingerprint: u64,
    /// Which blocks became commands, by number.
    compiled: Vec<bool>,
    suite: Suite,
    linked: LinkedSuite,
    /// The tests that pass on the original.
    tests: Vec<Test>,
    false_positives: Vec<u32>,
    mutants: Vec<Mutant>,
    settings: Settings,
}

/// What a test did on the original.
struct Test {
    number: usize,
    covered: Covered,
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
            draw(&mut mutants, size, settings.seed);
        }
        // Mutants have the costumes of the original's program.
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
        let covered = Covered::new(self.project.block_count());
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

    /// Tests of the suite that take part: those that pass on the original.
    pub fn tests(&self) -> usize {
        self.tests.len()
    }

    /// The numbers of the tests that do not pass on the original, ascending. They are left out.
    pub fn false_positives(&self) -> &[u32] {
        &self.false_positives
    }

    /// A place to try mutants at, one a thread.
    pub fn bench(&self) -> Bench<'_> {
        Bench { analysis: self, project: self.project.clone() }
    }

    /// Tries all mutants one after the other; `observer` is told after each how many have been
    /// tried, and may end the analysis, which then has no result.
    pub fn run(&self, mut observer: impl FnMut(usize) -> ControlFlow<()>) -> Option<Vec<Tried>> {
        let mut bench = self.bench();
        let mut tried = Vec::with_capacity(self.mutants.len());
        for number in 0..self.mutants.len() {
            tried.push(bench.try_mutant(number));
            if observer(tried.len()).is_break() {
                return None;
            }
        }
        Some(tried)
    }

    /// The tests that may tell the mutant from the original.
    fn able(&self, mutant: &Mutant) -> impl Iterator<Item = &Test> {
        // Whether a hat waits for a key shows when any key is pressed.
        let by_key = mutant.operator == Operator::Krm && {
            let (target, index) = self.project.locate(mutant.statement);
            let statement = &self.project.targets[target].blocks[index as usize];
            statement.opcode == Opcode::EventWhenKeyPressed
        };
        let (block, tests) = (mutant.statement, self.tests.iter());
        tests.filter(move |test| if by_key { test.presses_keys } else { test.covered.has(block) })
    }
}

/// A copy of a project that becomes one mutant after the other.
pub struct Bench<'a> {
    analysis: &'a Analysis,
    project: Project,
}

impl Bench<'_> {
    /// Tries a mutant by its number.
    ///
    /// # Panics
    /// If there are not so many mutants.
    pub fn try_mutant(&mut self, number: usize) -> Tried {
        let analysis = self.analysis;
        let mutant = &analysis.mutants[number];
        if !analysis.compiled[mutant.statement.0 as usize] {
            return Tried::unexecuted(Outcome::Equivalent);
        }
        if analysis.able(mutant).next().is_none() {
            return Tried::unexecuted(Outcome::NotCovered);
        }
        let undo = mutant.apply(&mut self.project);
        let program = analysis.program.recompile(&self.project);
        undo.undo(&mut self.project);
        let Ok(program) = program else { return Tried::unexecuted(Outcome::Limit) };
        let fingerprint = program.fingerprint();
        if fingerprint == analysis.fingerprint {
            return Tried::unexecuted(Outcome::Equivalent);
        }
        Tried { fingerprint: Some(fingerprint), ..analysis.execute(mutant, Arc::new(program)) }
    }
}

impl Analysis {
    fn execute(&self, mutant: &Mutant, program: Arc<Program>) -> Tried {
        let mut tried = Tried::unexecuted(Outcome::Survived);
        let relinked;
        let suite = if self.linked.fits(&program) {
            &self.linked
        } else {
            // Its names were those of the original, and mutants have the same sprites.
            let Ok(linked) = LinkedSuite::new(&self.suite, &program) else { return tried };
            relinked = linked;
            &relinked
        };
        let mut runner = Runner::new(program, self.suite.machine.clone(), ());
        for test in self.able(mutant) {
            let Settings { block_factor, block_allowance, .. } = self.settings;
            let blocks = test.blocks.saturating_mul(block_factor).saturating_add(block_allowance);
            let execution = runner.run(suite, test.number, self.bounds(blocks));
            tried.executions += 1;
            let Execution { verdict, .. } = execution;
            match verdict {
                Verdict::Passed => {}
                Verdict::Failed(failure) => {
                    tried.kill(test.number as u32, failure);
                    if !self.settings.all_killers {
                        break;
                    }
                }
                Verdict::StepLimit | Verdict::Fault(_) => {
                    if tried.outcome == Outcome::Survived {
                        tried.outcome = Outcome::Limit;
                    }
                    break;
                }
            }
        }
        tried
    }
}

/// A sample in the order of the whole.
fn draw(mutants: &mut Vec<Mutant>, size: u64, seed: u64) {
    let mut stream = Stream::new(seed, Stream::MUTATION + Operator::ALL.len() as u64);
    let mut wanted = usize::try_from(size).unwrap_or(usize::MAX).min(mutants.len());
    let mut left = mutants.len();
    // Each is taken with the probability that leaves all samples equally likely.
    mutants.retain(|_| {
        let taken = stream.index(left) < wanted;
        left -= 1;
        wanted -= usize::from(taken);
        taken
    });
}

/// Which blocks were executed.
#[derive(Clone)]
struct Covered(Vec<u64>);

impl Covered {
    fn new(blocks: usize) -> Self {
        Self(vec![0; blocks.div_ceil(64)])
    }

    fn has(&self, block: BlockNo) -> bool {
        self.0[block.0 as usize / 64] & 1 << (block.0 % 64) != 0
    }

    /// What was covered; nothing is, afterwards.
    fn take(&mut self) -> Self {
        let covered = self.clone();
        self.0.fill(0);
        covered
    }
}

impl Tracer for Covered {
    const ACTIVE: bool = true;

    fn covered(&mut self, block: BlockNo) {
        self.0[block.0 as usize / 64] |= 1 << (block.0 % 64);
    }

    /// Nobody asks for distances.
    fn known(&self, _: BlockNo) -> (f64, f64) {
        (0.0, 0.0)
    }
}
