//! Regression assertions about attributes that the events of a test changed.

use std::ops::ControlFlow;
use std::sync::Arc;

use catherd_search::Stream;
use catherd_suite::event::Vocabulary;
use catherd_suite::{Bounds, LinkedSuite, Runner};
use catherd_suite::{Suite, SuiteError};
use catherd_vm::Program;

use super::observer::{Observation, Observer, changes};

/// Settings of the generation of assertions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assertions {
    /// Whether it is also asserted which objects touch. Whisker's published code has these two of
    /// the fifteen kinds switched off.
    pub touching: bool,
    /// Number of re-executions of each test under other seeds and on other days. An assertion that
    /// does not hold in all of them is flaky.
    pub reexecutions: u32,
    /// Most assertions of a test; the last ones are left out.
    pub limit: usize,
}

impl Default for Assertions {
    /// Without touching, 5 re-executions, at most 2,000 assertions a test.
    fn default() -> Self {
        Self { touching: false, reexecutions: 5, limit: 2_000 }
    }
}

/// Deviations of Whisker's published code in the generation of assertions, see [`crate::Compat`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deviations {
    pub(crate) skip_first_pair: bool,
    pub(crate) assert_everything: bool,
}

/// Gives each test of a suite assertions about all attributes that its events change.
///
/// # Errors
/// If the suite does not fit the program.
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
        // The execution ends early only when there are enough assertions.
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
    separate_flaky(suite, program, settings.reexecutions)
}

/// Executes the tests under other seeds and on other days, and moves the assertions that do not
/// hold there to the flaky ones.
fn separate_flaky(
    suite: &mut Suite,
    program: &Arc<Program>,
    reexecutions: u32,
) -> Result<(), SuiteError> {
    let linked = LinkedSuite::new(suite, program)?;
    let mut holds: Vec<_> =
        suite.tests.iter().map(|test| vec![true; test.assertions.len()]).collect();
    let mut others = Stream::new(suite.seed, Stream::REEXECUTION);
    for _ in 0..reexecutions {
        let seed = others.next_u64();
        let mut machine = suite.machine.clone();
        machine.days_since_2000 += 1.0 + others.unit() * 1_000.0;
        let mut runner = Runner::new(Arc::clone(program), machine, ());
        for (number, holds) in holds.iter_mut().enumerate() {
            runner.check(&linked, number, seed, Bounds::default(), |assertion| {
                holds[assertion.position as usize] = false;
                ControlFlow::Continue(())
            });
        }
    }
    for (test, holds) in suite.tests.iter_mut().zip(holds) {
        let mut holds = holds.into_iter();
        // There is one flag for each assertion.
        let flaky = test.assertions.extract_if(.., |_| holds.next() == Some(false));
        test.flaky = flaky.collect();
    }
    Ok(())
}
