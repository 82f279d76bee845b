//! Coverage of suites: the goals that the tests of a suite cover.

use std::sync::Arc;

use catherd_scratch_sb3::BlockNo;
use catherd_scratch_vm::{Program, Traced, Tracer};

use crate::error::SuiteError;
use crate::event::Vocabulary;
use crate::format::Suite;
use crate::goals::Branch;
use crate::linked::LinkedTest;
use crate::runner::Runner;

/// Set of evaluated blocks, and the tracer that collects them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoveredBlocks {
    covered: Vec<u64>,
    /// The set before the current record; empty if there is none.
    before: Vec<u64>,
    /// The number of blocks of the project if taken branches are collected as well, under their
    /// [numbers](Branch::number).
    branches_of: Option<usize>,
}

impl CoveredBlocks {
    /// Creates an empty set for a project with this number of blocks (see
    /// [`Project::block_count`](catherd_scratch_sb3::Project::block_count)).
    pub fn new(block_count: usize) -> Self {
        let covered = vec![0; block_count.div_ceil(64)];
        Self { covered, before: Vec::new(), branches_of: None }
    }

    /// Creates an empty set of blocks and branches.
    fn with_branches(block_count: usize) -> Self {
        Self { branches_of: Some(block_count), ..Self::new(3 * block_count) }
    }

    /// Whether the block was evaluated.
    ///
    /// # Panics
    /// If the number of the block is too large for the set.
    pub fn contains(&self, block: BlockNo) -> bool {
        self.covered[block.0 as usize / 64] & 1 << (block.0 % 64) != 0
    }

    /// Adds the blocks of another set for the same project.
    pub fn extend(&mut self, other: &CoveredBlocks) {
        self.covered.iter_mut().zip(&other.covered).for_each(|(own, added)| *own |= added);
    }

    /// Returns the set so far, and empties it.
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
        let numbers = (0..64 * self.covered.len() as u32).map(BlockNo);
        let mut record = Traced::default();
        for number in numbers.filter(|number| self.contains(*number)) {
            match self.branches_of.and_then(|blocks| Branch::of(number, blocks)) {
                None => record.covered.push(number),
                Some(Branch { block, outcome: true }) => {
                    record.distances.push((block, 0.0, f64::INFINITY));
                }
                Some(Branch { block, outcome: false }) => {
                    record.distances.push((block, f64::INFINITY, 0.0));
                }
            }
        }
        self.covered = std::mem::take(&mut self.before);
        self.take_over(&record);
        record
    }

    fn take_over(&mut self, record: &Traced) {
        record.covered.iter().for_each(|block| self.covered(*block));
        for &(block, to_true, to_false) in &record.distances {
            self.distance(block, to_true, to_false);
        }
    }

    #[inline]
    fn covered(&mut self, block: BlockNo) {
        self.covered[block.0 as usize / 64] |= 1 << (block.0 % 64);
    }

    /// Returns distances of 0 if branches are not collected. No distance is smaller, so the VM
    /// computes no distances.
    #[inline]
    fn known_distances(&self, _: BlockNo) -> (f64, f64) {
        let known = if self.branches_of.is_some() { f64::INFINITY } else { 0.0 };
        (known, known)
    }

    fn distance(&mut self, block: BlockNo, to_true: f64, to_false: f64) {
        for (outcome, distance) in [(true, to_true), (false, to_false)] {
            if distance == 0.0 {
                self.take_branch(block, outcome);
            }
        }
    }

    fn hat(&mut self, block: BlockNo, starts: bool) {
        self.take_branch(block, starts);
    }
}

impl CoveredBlocks {
    fn take_branch(&mut self, block: BlockNo, outcome: bool) {
        if let Some(blocks) = self.branches_of {
            self.covered(Branch { block, outcome }.number(blocks));
        }
    }
}

/// Executes all tests of a suite, each under its seed, without checking assertions. Returns for
/// each test the numbers of the goals that it covers, ascending; the number of a goal is its
/// position in `goals`, which contains blocks and [branches](crate::goals::branches).
///
/// # Errors
/// If the suite does not fit the program or the goals, or if a test has more than `max_steps`
/// steps.
///
/// # Panics
/// If the number of a goal is too large for the program.
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

pub(crate) struct Executions<'a> {
    goals: &'a [BlockNo],
    words: Vocabulary,
    tests: Vec<LinkedTest>,
    runner: Runner<CoveredBlocks>,
}

impl<'a> Executions<'a> {
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
        let (blocks, machine) = (program.block_count(), suite.machine.clone());
        // Collecting branches takes longer, because the VM computes distances.
        let has_branches = goals.iter().any(|goal| goal.0 as usize >= blocks);
        let covered = if has_branches {
            CoveredBlocks::with_branches(blocks)
        } else {
            CoveredBlocks::new(blocks)
        };
        let runner = Runner::new(Arc::clone(program), machine, covered);
        Ok(Self { goals, words, tests, runner })
    }

    /// The goals, ascending, that a test covers under a seed.
    pub(crate) fn covered(&mut self, test: usize, seed: u64) -> Vec<u32> {
        self.runner.execute(&self.tests[test], &self.words, seed);
        let covered = self.runner.tracer().take();
        let numbered = self.goals.iter().zip(0..).filter(|(goal, _)| covered.contains(**goal));
        numbered.map(|(_, number)| number).collect()
    }
}

#[cfg(test)]
mod tests {
    use catherd_scratch_sb3::test_support::{TargetBuilder, number, project};
    use catherd_scratch_sb3::{Mutation, Opcode};
    use catherd_scratch_vm::LONG_SLICE;

    use super::*;
    use crate::goals::{self, GoalSettings};
    use crate::{SuiteEvent, SuiteTest};

    /// A suite with these events, and a program that says something at the green flag and moves
    /// when `a` is pressed, with its goals.
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
        // The blocks in file order: say, flag, move, key hat.
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

    #[test]
    fn branches_are_also_covered_by_outcomes_that_the_vm_remembers() {
        let mut cat = TargetBuilder::new("Cat");
        let [less, more] = [("1", "2"), ("2", "1")].map(|(a, b)| {
            let operands = [("OPERAND1", number(a)), ("OPERAND2", number(b))];
            let condition = cat.value(Opcode::OperatorLt, &operands);
            cat.when(condition)
        });
        let repeat = cat.block(Opcode::ControlRepeat, &[("TIMES", number("20000"))]);
        let body = cat.chain(&[less, more]);
        cat.hold(repeat, body);
        cat.define("work", &[repeat]);
        for block in &mut cat.target.blocks {
            if let Some(Mutation::Prototype { warp, .. }) = &mut block.mutation {
                *warp = true;
            }
        }
        let call = cat.call("work");
        let forever = cat.block(Opcode::ControlForever, &[]);
        cat.hold(forever, call);
        cat.flag(&[forever]);
        let project = project(vec![TargetBuilder::new("Stage"), cat]);
        let program = Arc::new(Program::compile(&project).unwrap());
        let branches = goals::branches(&project, &goals::find(&project, GoalSettings::default()));
        let events = vec![SuiteEvent::Wait { steps: 4 }];
        let tests = vec![SuiteTest { events, ..SuiteTest::default() }];
        let suite = Suite { goals: branches.len() as u32, tests, ..Suite::default() };
        let executions = || Executions::new(&suite, &program, &branches, 100).unwrap();
        let (mut remembering, mut plain) = (executions(), executions());
        plain.runner.at_start(1).remember(LONG_SLICE, 0);
        for _ in 0..2 {
            let covered = plain.covered(0, 1);
            assert_eq!(covered.len(), 5, "{covered:?}");
            assert_eq!(remembering.covered(0, 1), covered);
        }
        let applied =
            |executions: &mut Executions<'_>| executions.runner.at_start(1).remembered().1;
        assert!(applied(&mut remembering) > 0 && applied(&mut plain) == 0);
    }
}
