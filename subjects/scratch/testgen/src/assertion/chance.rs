//! Detection of assertions and goals that depend on chance, the date or the computer.

use std::ops::ControlFlow;
use std::sync::Arc;

use catherd_scratch_sb3::BlockNo;
use catherd_scratch_suite::{
    Bounds, CoveredBlocks, LinkedSuite, Runner, Suite, SuiteError, SuiteTest,
};
use catherd_scratch_vm::{Program, VmSettings};
use catherd_search::Stream;

use super::siblings::Siblings;

/// Maximum number of successive re-executions in which the assertions of a test that draws no
/// random numbers must hold, maximum number of other days on which tests are executed, and number
/// of re-executions of a test that [`WORK`] does not limit.
const WITHOUT_DRAWS: u32 = 5;

/// Maximum number of re-executions of a test, as a multiple of the number of successive
/// re-executions in which its assertions must hold.
const PATIENCE: u32 = 4;

/// Work available for the re-executions of a suite, in blocks. Each step counts as [`STEP`] blocks.
/// Half of the work is divided equally among the tests; the tests use the rest in the order of the
/// suite.
const WORK: u64 = 200_000_000;

/// Divisor of the budget for code without screen refresh on another computer.
const SLOWDOWN: u32 = 64;

/// Work of a step, in blocks.
const STEP: u64 = 100;

/// Re-executes the tests of a suite under other seeds and on other days. Marks assertions that do
/// not hold as flaky, and goals that are not covered as covered by chance.
///
/// Unless `needed` is 0, each test is also executed once under its own seed as on another computer:
/// with costumes that have [different edges](Runner::with_fine_edges), and with a smaller budget
/// for code without screen refresh, because the original limits the real time of such code.
pub(crate) fn separate_chance(
    suite: &mut Suite,
    program: &Arc<Program>,
    goals: &[BlockNo],
    needed: u32,
) -> Result<(), SuiteError> {
    separate_within(WORK, suite, program, goals, needed)
}

pub(super) fn separate_within(
    work: u64,
    suite: &mut Suite,
    program: &Arc<Program>,
    goals: &[BlockNo],
    needed: u32,
) -> Result<(), SuiteError> {
    let linked = LinkedSuite::new(suite, program)?;
    let tracer = || CoveredBlocks::new(program.block_count());
    let machine = suite.machine.clone();
    let mut others = Stream::new(suite.seed, Stream::REEXECUTION);
    let mut runners: Vec<_> = (0..needed.min(WITHOUT_DRAWS))
        .map(|_| {
            let mut machine = machine.clone();
            machine.days_since_2000 += 1.0 + others.unit() * 1_000.0;
            Runner::new(Arc::clone(program), machine, tracer())
        })
        .collect();
    let slower = VmSettings { warp_budget: (machine.warp_budget / SLOWDOWN).max(1), ..machine };
    let mut other_computer = Runner::with_fine_edges(Arc::clone(program), slower, tracer());
    let mut work = Shares::new(work, suite.tests.len());
    for (number, test) in suite.tests.iter_mut().enumerate() {
        let mut lasting = Lasting::new(test, goals);
        if needed > 0 {
            let seed = linked.seed_of(number);
            let ran =
                other_computer.check(&linked, number, seed, Bounds::default(), |assertion, _| {
                    lasting.drop_assertion(assertion.position as usize, false);
                    ControlFlow::Continue(())
                });
            lasting.drop_goals(&other_computer.tracer().take());
            work.spend(ran.blocks + STEP * ran.steps);
        }
        let (mut draws, mut row, mut executions) = (false, 0, 0);
        let enough = |draws: bool| if draws { needed } else { needed.min(WITHOUT_DRAWS) };
        while row < enough(draws)
            && executions < enough(draws).saturating_mul(PATIENCE)
            && (executions < WITHOUT_DRAWS || work.is_left())
        {
            let seed = others.next_u64();
            let day = executions as usize % runners.len();
            let runner = &mut runners[day];
            let before = lasting.assertions;
            let ran = runner.check(&linked, number, seed, Bounds::default(), |assertion, got| {
                lasting.drop_assertion(assertion.position as usize, got.is_some());
                ControlFlow::Continue(())
            });
            lasting.drop_goals(&runner.tracer().take());
            draws |= !runner.drew_nothing();
            row = if lasting.assertions == before { row + 1 } else { 0 };
            executions += 1;
            work.spend(ran.blocks + STEP * ran.steps);
        }
        work.end_test();
        lasting.apply(test);
        test.reexecutions = (row < enough(draws)).then_some(executions);
    }
    Ok(())
}

struct Shares {
    /// Work that every test may use.
    common: u64,
    /// Work that only the current test may use.
    own: u64,
    share: u64,
}

impl Shares {
    fn new(work: u64, tests: usize) -> Self {
        let share = work / 2 / (tests as u64).max(1);
        Self { common: work / 2, own: share, share }
    }

    fn is_left(&self) -> bool {
        self.own > 0 || self.common > 0
    }

    fn spend(&mut self, work: u64) {
        let more = work.saturating_sub(self.own);
        self.own = self.own.saturating_sub(work);
        self.common = self.common.saturating_sub(more);
    }

    fn end_test(&mut self) {
        self.common += std::mem::replace(&mut self.own, self.share);
    }
}

struct Lasting<'a> {
    goals: &'a [BlockNo],
    holds: Vec<bool>,
    assertions: usize,
    siblings: Siblings,
    /// Whether each goal in `covers` was covered in all executions so far.
    covered: Vec<bool>,
    covers: Vec<u32>,
}

impl<'a> Lasting<'a> {
    fn new(test: &SuiteTest, goals: &'a [BlockNo]) -> Self {
        Self {
            goals,
            holds: vec![true; test.assertions.len()],
            assertions: test.assertions.len(),
            siblings: Siblings::new(&test.assertions),
            covered: vec![true; test.covers.len()],
            covers: test.covers.clone(),
        }
    }

    /// Drops a failed assertion and, if its attribute had a value, its siblings.
    fn drop_assertion(&mut self, position: usize, has_value: bool) {
        let siblings = has_value.then(|| self.siblings.of(position)).into_iter().flatten();
        for position in std::iter::once(position).chain(siblings) {
            if std::mem::replace(&mut self.holds[position], false) {
                self.assertions -= 1;
            }
        }
    }

    fn drop_goals(&mut self, executed: &CoveredBlocks) {
        for (covered, goal) in self.covered.iter_mut().zip(&self.covers) {
            let block = self.goals.get(*goal as usize);
            *covered &= block.is_some_and(|block| executed.contains(*block));
        }
    }

    fn apply(self, test: &mut SuiteTest) {
        let mut holds = self.holds.into_iter();
        let flaky = test.assertions.extract_if(.., |_| holds.next() == Some(false));
        test.flaky = flaky.collect();
        let goals = self.covers.into_iter().zip(self.covered);
        test.chance = goals.filter(|(_, covered)| !covered).map(|(goal, _)| goal).collect();
    }
}
