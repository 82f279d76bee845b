//! Detects dependence on chance, the date or the computer: assertions that do not hold, and goals
//! that are not covered, under other seeds, with other edges of costumes, or on a slower computer.

use std::ops::ControlFlow;
use std::sync::Arc;

use catherd_scratch_sb3::BlockNo;
use catherd_scratch_suite::{
    Bounds, CoveredBlocks, LinkedSuite, Runner, Suite, SuiteError, SuiteTest,
};
use catherd_scratch_vm::{Program, VmSettings};
use catherd_search::Stream;

use super::siblings::Siblings;

/// Maximum number of successive re-executions in which the assertions of a test must hold if it
/// draws no random numbers. This is also the maximum number of other days on which tests are
/// executed.
const WITHOUT_DRAWS: u32 = 5;

/// Maximum number of re-executions of a test, as a multiple of the number of successive executions
/// in which the assertions must hold. Each assertion that fails restarts the count.
const PATIENCE: u32 = 4;

/// Maximum work of all re-executions of a suite: blocks, and [`STEP`] for each step. Half of it is
/// divided equally among the tests. The other half, and the unused parts of the shares, can be used
/// by the tests in the order of the suite.
const WORK: u64 = 200_000_000;

/// Factor by which another computer is slower than the VM: in the 500 ms of the original, it
/// executes the budget without screen refresh divided by this factor. With tracing, a browser
/// executes some hundred blocks in a millisecond, and a tenth of that on a busy computer.
const SLOWDOWN: u32 = 64;

/// Work of a step, in blocks.
const STEP: u64 = 100;

/// Executes the tests of a suite under other seeds and on other days. Marks assertions that do not
/// hold as flaky, and goals that are not covered as covered by chance.
///
/// If an attribute of a clone has a different value in some execution, all assertions of the test
/// about this attribute of any clone of the sprite, after the same event or a later event, are
/// flaky as well. If a clone does not exist in an execution, only the assertions about this clone
/// are flaky.
///
/// Each test is also executed once under its own seed as on another computer: with costumes that
/// have [different edges](Runner::with_fine_edges), and with a smaller
/// [budget](catherd_scratch_vm::VmSettings::warp_budget) of code without screen refresh, because
/// the original interrupts such code by real time.
///
/// The executions of a test end when all remaining assertions have held in `needed` successive
/// executions. A test that draws no random numbers needs fewer executions. A test whose share of
/// the work is used up earlier, after at least [`WITHOUT_DRAWS`] executions, or that reaches the
/// maximum number of executions (see [`PATIENCE`]), keeps the assertions that have always held, and
/// states the number of executions.
///
/// # Errors
/// If the suite does not fit the program.
pub(crate) fn separate_chance(
    suite: &mut Suite,
    program: &Arc<Program>,
    goals: &[BlockNo],
    needed: u32,
) -> Result<(), SuiteError> {
    separate_within(WORK, suite, program, goals, needed)
}

/// Like [`separate_chance`], with a maximum amount of work.
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

/// The work that the re-executions of a suite may still take.
struct Shares {
    /// Work that every test may use.
    common: u64,
    /// Work that only the current test may use.
    own: u64,
    /// The share of a test.
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

    /// Begins the next test.
    fn end_test(&mut self) {
        self.common += std::mem::replace(&mut self.own, self.share);
    }
}

/// The assertions and goals of a test that have not depended on chance so far.
struct Lasting<'a> {
    goals: &'a [BlockNo],
    /// For each assertion, whether it has held so far.
    holds: Vec<bool>,
    /// Number of assertions that have held so far.
    assertions: usize,
    siblings: Siblings,
    /// For each goal that the test covers, whether it was covered.
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

    /// Drops a failed assertion and, if the attribute had a different value, the assertions about
    /// other clones of the same sprite.
    fn drop_assertion(&mut self, position: usize, has_value: bool) {
        let siblings = has_value.then(|| self.siblings.of(position)).into_iter().flatten();
        for position in std::iter::once(position).chain(siblings) {
            if std::mem::replace(&mut self.holds[position], false) {
                self.assertions -= 1;
            }
        }
    }

    /// Drops the goals that an execution did not cover.
    fn drop_goals(&mut self, executed: &CoveredBlocks) {
        for (covered, goal) in self.covered.iter_mut().zip(&self.covers) {
            let block = self.goals.get(*goal as usize);
            *covered &= block.is_some_and(|block| executed.contains(*block));
        }
    }

    /// Marks the dropped assertions and goals in the test.
    fn apply(self, test: &mut SuiteTest) {
        let mut holds = self.holds.into_iter();
        // There is one flag for each assertion.
        let flaky = test.assertions.extract_if(.., |_| holds.next() == Some(false));
        test.flaky = flaky.collect();
        let goals = self.covers.into_iter().zip(self.covered);
        test.chance = goals.filter(|(_, covered)| !covered).map(|(goal, _)| goal).collect();
    }
}
