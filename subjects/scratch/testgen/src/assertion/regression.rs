//! Regression assertions about the attributes of objects.

use std::ops::ControlFlow;
use std::sync::Arc;

use catherd_scratch_sb3::BlockNo;
use catherd_scratch_suite::event::Vocabulary;
use catherd_scratch_suite::{LinkedSuite, Runner, Suite, SuiteError, SuiteTest};
use catherd_scratch_vm::Program;

use super::chance::separate_chance;
use super::observer::{Observation, Observer, changes};

/// Settings of the generation of assertions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assertions {
    /// Whether assertions about touching other sprites and the edge are added. In the published
    /// code of Whisker, these two of the fifteen kinds are switched off.
    pub touching: bool,
    /// Number of successive re-executions, under other seeds and on other days, in which all stable
    /// assertions of a test must hold. Fewer suffice for a test that draws no random numbers or is
    /// expensive.
    pub reexecutions: u32,
    /// Maximum number of assertions in a test; further assertions are dropped.
    pub limit: usize,
}

impl Default for Assertions {
    /// No assertions about touching, 300 re-executions, and at most 2,000 assertions for each test.
    /// If the assertions of a test hold in 300 successive executions, the test passes with a
    /// probability of at least 0.99 (confidence 95 %).
    fn default() -> Self {
        Self { touching: false, reexecutions: 300, limit: 2_000 }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Deviations {
    pub(crate) skip_first_pair: bool,
    pub(crate) assert_everything: bool,
}

/// Replaces the assertions of each test of a suite with assertions about the attributes that the
/// test changes under its seed.
pub(crate) fn assert_changes(
    suite: &mut Suite,
    program: &Arc<Program>,
    observer: &Observer,
    settings: Assertions,
    deviations: Deviations,
) -> Result<(), SuiteError> {
    let words = Vocabulary::of(program);
    let linked = LinkedSuite::new(suite, program)?;
    let mut runner = Runner::new(Arc::clone(program), suite.machine.clone(), ());
    for (number, test) in suite.tests.iter_mut().enumerate() {
        let seed = linked.seed_of(number);
        let mut before = observer.observe(runner.at_start(seed), settings.touching);
        let mut assertions = Vec::new();
        // The result is not needed: the execution ends early only when there are enough assertions.
        let _: ControlFlow<()> = runner.drive(&linked, number, seed, |after, vm| {
            let now = observer.observe(vm, settings.touching);
            let skip = after == 0 && (deviations.skip_first_pair || deviations.assert_everything);
            let old: &[Observation] = if deviations.assert_everything { &[] } else { &before };
            if !skip {
                let new = changes(old, &now);
                assertions.extend(
                    new.filter_map(|observation| observation.assertion(after, &words, program)),
                );
            }
            before = now;
            if assertions.len() < settings.limit {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        assertions.truncate(settings.limit);
        test.assertions = assertions;
        test.flaky = Vec::new();
    }
    Ok(())
}

/// Adds assertions about the state at the end to each test that has flaky assertions, but no stable
/// assertions.
pub(crate) fn assert_state(
    suite: &mut Suite,
    program: &Arc<Program>,
    observer: &Observer,
    settings: Assertions,
    goals: &[BlockNo],
) -> Result<(), SuiteError> {
    let empty = |test: &SuiteTest| test.assertions.is_empty() && !test.flaky.is_empty();
    let numbers: Vec<usize> =
        (0..suite.tests.len()).filter(|&number| empty(&suite.tests[number])).collect();
    if numbers.is_empty() {
        return Ok(());
    }
    let words = Vocabulary::of(program);
    let tests = numbers.iter().map(|&number| suite.tests[number].clone()).collect();
    let mut rest = Suite { tests, ..suite.clone() };
    let linked = LinkedSuite::new(&rest, program)?;
    let mut runner = Runner::new(Arc::clone(program), suite.machine.clone(), ());
    for (number, test) in rest.tests.iter_mut().enumerate() {
        let last = test.events.len() + usize::from(test.policy.is_some());
        let _: ControlFlow<()> =
            runner.drive(&linked, number, linked.seed_of(number), |after, vm| {
                if after as usize + 1 == last {
                    let state = observer.observe(vm, settings.touching).into_iter();
                    let originals = state.filter(|observation| observation.object.clone == 0);
                    let asserted = originals.filter_map(|it| it.assertion(after, &words, program));
                    test.assertions = asserted.take(settings.limit).collect();
                }
                ControlFlow::Continue(())
            });
        test.flaky = Vec::new();
    }
    separate_chance(&mut rest, program, goals, settings.reexecutions)?;
    for (number, found) in numbers.into_iter().zip(rest.tests) {
        let test = &mut suite.tests[number];
        test.assertions = found.assertions;
        test.reexecutions = test.reexecutions.or(found.reexecutions);
    }
    Ok(())
}
