//! Coverage of suites: which blocks an execution evaluates.

use std::sync::Arc;

use catherd_scratch_sb3::BlockNo;
use catherd_scratch_vm::{Program, Traced, Tracer};

use crate::error::SuiteError;
use crate::event::Vocabulary;
use crate::format::Suite;
use crate::goals::Branch;
use crate::linked::LinkedTest;
use crate::runner::Runner;

/// Set of blocks that were evaluated. As a tracer it collects them; it computes no branch
/// distances.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoveredBlocks {
    covered: Vec<u64>,
    /// The set before the present record; empty if there is none.
    before: Vec<u64>,
}

impl CoveredBlocks {
    /// The empty set for a project of that many blocks, see
    /// [`Project::block_count`](catherd_scratch_sb3::Project::block_count).
    pub fn new(block_count: usize) -> Self {
        Self { covered: vec![0; block_count.div_ceil(64)], before: Vec::new() }
    }

    /// Whether the block was evaluated.
    ///
    /// # Panics
    /// If the project has no such block.
    pub fn contains(&self, block: BlockNo) -> bool {
        self.covered[block.0 as usize / 64] & 1 << (block.0 % 64) != 0
    }

    /// Adds the blocks of another set for the same project.
    pub fn extend(&mut self, other: &CoveredBlocks) {
        self.covered.iter_mut().zip(&other.covered).for_each(|(own, added)| *own |= added);
    }

    /// The set so far; afterwards it is empty.
    pub fn take(&mut self) -> Self {
        let covered = self.clone();
        self.covered.fill(0);
        covered
    }
}

impl Tracer for CoveredBlocks {
    const ACTIVE: bool = true;
    const MERGES: bool = true;
    const REMEMBERS: bool = true;

    catherd_scratch_vm::compile_interpreter!();

    fn record(&mut self) {
        let empty = vec![0; self.covered.len()];
        self.before = std::mem::replace(&mut self.covered, empty);
    }

    fn recorded(&mut self) -> Traced {
        let blocks = (0..64 * self.covered.len() as u32).map(BlockNo);
        let covered = blocks.filter(|block| self.contains(*block)).collect();
        self.covered = std::mem::take(&mut self.before);
        let record = Traced { covered, distances: Vec::new() };
        self.take_over(&record);
        record
    }

    fn take_over(&mut self, record: &Traced) {
        record.covered.iter().for_each(|block| self.covered(*block));
    }

    #[inline]
    fn covered(&mut self, block: BlockNo) {
        self.covered[block.0 as usize / 64] |= 1 << (block.0 % 64);
    }

    /// Distances of 0, so that the machine computes none: no distance is smaller.
    #[inline]
    fn known_distances(&self, _: BlockNo) -> (f64, f64) {
        (0.0, 0.0)
    }
}

/// Set of blocks that were evaluated and of branches that were taken, by their numbers
/// ([`Branch`]).
#[derive(Clone, Debug)]
struct CoveredBranches {
    blocks: usize,
    covered: CoveredBlocks,
}

impl CoveredBranches {
    fn take_branch(&mut self, block: BlockNo, outcome: bool) {
        self.covered.covered(Branch { block, outcome }.number(self.blocks));
    }
}

impl Tracer for CoveredBranches {
    const ACTIVE: bool = true;
    const MERGES: bool = true;

    fn covered(&mut self, block: BlockNo) {
        self.covered.covered(block);
    }

    fn distance(&mut self, block: BlockNo, to_true: f64, to_false: f64) {
        if to_true == 0.0 {
            self.take_branch(block, true);
        }
        if to_false == 0.0 {
            self.take_branch(block, false);
        }
    }

    fn hat(&mut self, block: BlockNo, starts: bool) {
        self.take_branch(block, starts);
    }
}

/// Executes all tests of a suite, each under its seed, without checking assertions. Returns for
/// each test the numbers of the goals that it covers, ascending; the number of a goal is its
/// position in `goals`, which are blocks and [branches](crate::goals::branches).
///
/// # Errors
/// If the suite was made for another number of goals, an event or policy names a sprite that the
/// program lacks, or a test has more than `max_steps` steps.
///
/// # Panics
/// If a goal is not a block of the program.
pub fn measure_coverage(
    suite: &Suite,
    program: &Arc<Program>,
    goals: &[BlockNo],
    max_steps: u64,
) -> Result<Vec<Vec<u32>>, SuiteError> {
    let mut executions = Executions::new(suite, program, goals, max_steps)?;
    let tests = suite.tests.iter().enumerate();
    Ok(tests.map(|(number, test)| executions.covered(number, suite.seed_of(test))).collect())
}

/// Executions of the tests of a suite that say which goals they cover.
pub(crate) struct Executions<'a> {
    goals: &'a [BlockNo],
    words: Vocabulary,
    tests: Vec<LinkedTest>,
    runner: AnyRunner,
}

/// A runner that records what the goals need. Branches take longer, because the machine computes
/// distances.
enum AnyRunner {
    Blocks(Runner<CoveredBlocks>),
    Branches(Runner<CoveredBranches>),
}

impl AnyRunner {
    fn new(suite: &Suite, program: &Arc<Program>, goals: &[BlockNo]) -> Self {
        let (blocks, machine) = (program.block_count(), suite.machine.clone());
        if goals.iter().all(|goal| (goal.0 as usize) < blocks) {
            let covered = CoveredBlocks::new(blocks);
            return Self::Blocks(Runner::new(Arc::clone(program), machine, covered));
        }
        let covered = CoveredBranches { blocks, covered: CoveredBlocks::new(3 * blocks) };
        Self::Branches(Runner::new(Arc::clone(program), machine, covered))
    }

    fn covered(&mut self, test: &LinkedTest, words: &Vocabulary, seed: u64) -> CoveredBlocks {
        match self {
            Self::Blocks(runner) => {
                runner.execute(test, words, seed);
                runner.tracer().take()
            }
            Self::Branches(runner) => {
                runner.execute(test, words, seed);
                runner.tracer().covered.take()
            }
        }
    }
}

impl<'a> Executions<'a> {
    /// The tests of a suite for a program.
    ///
    /// # Errors
    /// As [`measure_coverage`].
    pub(crate) fn new(
        suite: &Suite,
        program: &Arc<Program>,
        goals: &'a [BlockNo],
        max_steps: u64,
    ) -> Result<Self, SuiteError> {
        let project = goals.len() as u32;
        if suite.goals != project {
            return Err(SuiteError::Goals { suite: suite.goals, project });
        }
        let mut words = Vocabulary::of(program);
        let tests = suite.tests.iter().enumerate().map(|(number, test)| {
            let test = LinkedTest::unchecked(number, test, &mut words, program)?;
            let steps = test.steps();
            if steps > max_steps {
                return Err(SuiteError::Steps { test: number, steps, most: max_steps });
            }
            Ok(test)
        });
        let tests = tests.collect::<Result<_, _>>()?;
        let runner = AnyRunner::new(suite, program, goals);
        Ok(Self { goals, words, tests, runner })
    }

    /// The goals, ascending, that a test covers under a seed.
    pub(crate) fn covered(&mut self, test: usize, seed: u64) -> Vec<u32> {
        let covered = self.runner.covered(&self.tests[test], &self.words, seed);
        let numbered = self.goals.iter().zip(0..).filter(|(goal, _)| covered.contains(**goal));
        numbered.map(|(_, number)| number).collect()
    }
}

#[cfg(test)]
mod tests {
    use catherd_scratch_sb3::Opcode;
    use catherd_scratch_sb3::test_support::{TargetBuilder, number, project};

    use super::*;
    use crate::goals::{self, GoalSettings};
    use crate::{SuiteEvent, SuiteTest};

    /// Says something at the flag, and moves when `a` is pressed.
    fn suite_and_program(events: Vec<Vec<SuiteEvent>>) -> (Suite, Arc<Program>, Vec<BlockNo>) {
        let mut cat = TargetBuilder::new("Cat");
        let say = cat.block(Opcode::LooksSay, &[("MESSAGE", number("hi"))]);
        cat.flag(&[say]);
        let walk = cat.block(Opcode::MotionChangeXBy, &[("DX", number("10"))]);
        cat.hat(Opcode::EventWhenKeyPressed, Some(("KEY_OPTION", "a")), &[walk]);
        let project = project(vec![TargetBuilder::new("Stage"), cat]);
        let goals = goals::find(&project, GoalSettings::default());
        let tests = events.into_iter().map(|events| SuiteTest { events, ..SuiteTest::default() });
        let suite = Suite { goals: goals.len() as u32, tests: tests.collect(), ..Suite::default() };
        (suite, Arc::new(Program::compile(&project).unwrap()), goals)
    }

    fn press(key: &str) -> SuiteEvent {
        SuiteEvent::KeyPress { key: key.into(), steps: 1 }
    }

    #[test]
    fn each_test_covers_the_blocks_that_it_executes() {
        let tests = vec![vec![SuiteEvent::Wait { steps: 1 }], vec![press("a")], vec![press("b")]];
        let (suite, program, goals) = suite_and_program(tests);
        let covered = measure_coverage(&suite, &program, &goals, 100).unwrap();
        let flag = vec![0, 1];
        // In file order: say, flag, move, key hat.
        assert_eq!(covered, [flag.clone(), vec![0, 1, 2, 3], flag]);
    }

    #[test]
    fn suites_for_other_goals_or_with_long_tests_are_refused() {
        let wait = SuiteEvent::Wait { steps: 100 };
        let (suite, program, goals) = suite_and_program(vec![vec![wait]]);
        let error = measure_coverage(&suite, &program, &goals, 100).unwrap_err();
        assert_eq!(error.to_string(), "test 0 has 101 steps; the maximum is 100");
        let error = measure_coverage(&suite, &program, &goals[1..], 1_000).unwrap_err();
        assert!(matches!(error, SuiteError::Goals { suite: 4, project: 3 }));
        let unknown = SuiteEvent::ClickSprite { sprite: "Dog".into() };
        let (suite, program, goals) = suite_and_program(vec![Vec::new(), vec![unknown]]);
        let error = measure_coverage(&suite, &program, &goals, 100).unwrap_err();
        assert_eq!(error.to_string(), "test 1: the project has no sprite `Dog`");
    }

    #[test]
    fn branches_are_covered_by_their_outcomes() {
        let mut cat = TargetBuilder::new("Cat");
        let pressed = cat.key_pressed("a");
        let when = cat.when(pressed);
        let moves = cat.block(Opcode::MotionMoveSteps, &[("STEPS", number("10"))]);
        cat.hold(when, moves);
        let forever = cat.block(Opcode::ControlForever, &[]);
        cat.hold(forever, when);
        cat.flag(&[forever]);
        let project = project(vec![TargetBuilder::new("Stage"), cat]);
        let program = Arc::new(Program::compile(&project).unwrap());
        let blocks = goals::find(&project, GoalSettings::default());
        let branches = goals::branches(&project, &blocks);
        let of = |number: &BlockNo| goals::Branch::of(*number, project.block_count()).unwrap();
        let outcomes: Vec<bool> = branches.iter().map(|number| of(number).outcome).collect();
        assert_eq!(outcomes, [false, true, true], "two of the condition, one of `forever`");
        let mut suite = Suite { goals: branches.len() as u32, ..Suite::default() };
        for event in
            [SuiteEvent::Wait { steps: 2 }, SuiteEvent::KeyPress { key: "a".into(), steps: 2 }]
        {
            suite.tests.push(SuiteTest { events: vec![event], ..SuiteTest::default() });
        }
        let covers = measure_coverage(&suite, &program, &branches, 100).unwrap();
        let condition = branches.iter().position(|number| of(number).outcome).unwrap() as u32;
        assert!(!covers[0].contains(&condition) && covers[1].contains(&condition), "{covers:?}");
        assert_eq!((covers[0].len(), covers[1].len()), (2, 3), "{covers:?}");
    }
}
