//! Invariants of policies: ranges of variables that hold after each step.

use std::sync::Arc;

use catherd_scratch_suite::attribute::{Attribute, AttributeValue, Object, Range};
use catherd_scratch_suite::event::Vocabulary;
use catherd_scratch_suite::{LinkedSuite, Runner, Suite, SuiteError};
use catherd_scratch_vm::{Program, TargetId};
use catherd_search::Stream;

use super::observer::{Observation, Observer};

/// Number of executions under different seeds in which the values of variables are observed, in
/// addition to the execution under the seed of the test.
const EPISODES: usize = 10;

/// Fraction of the width of a range by which the range is widened on both sides.
const WIDENED: f64 = 0.25;

/// Adds assertions to each test with a policy: the widened range of each variable that was a finite
/// number in all episodes and, for a variable with different values, whether it never decreased.
/// [`separate_chance`](super::separate_chance) finds the ranges that do not hold under other seeds.
pub(crate) fn assert_play(
    suite: &mut Suite,
    program: &Arc<Program>,
    observer: &Observer,
    limit: usize,
) -> Result<(), SuiteError> {
    if suite.tests.iter().all(|test| test.policy.is_none()) {
        return Ok(());
    }
    let words = Vocabulary::of(program);
    let linked = LinkedSuite::new(suite, program)?;
    let mut runner = Runner::new(Arc::clone(program), suite.machine.clone(), ());
    let seeds = Stream::seeds(suite.seed, Stream::TRAINING, EPISODES);
    for (number, test) in suite.tests.iter_mut().enumerate() {
        if test.policy.is_none() {
            continue;
        }
        let mut ranges: Vec<(u16, u32, Option<Range>)> =
            observer.variables().map(|(target, variable)| (target, variable, None)).collect();
        for seed in std::iter::once(linked.seed_of(number)).chain(seeds.iter().copied()) {
            let mut last = vec![None; ranges.len()];
            runner.watch(&linked, number, seed, |vm, _| {
                for ((target, variable, range), last) in ranges.iter_mut().zip(&mut last) {
                    let view = vm.target(TargetId(u32::from(*target)));
                    let value = view.as_ref().and_then(|view| view.variable(*variable as usize));
                    let value = value.map_or(f64::NAN, catherd_scratch_vm::Value::js_number);
                    let first = Range { least: value, most: value, rises: true };
                    range.get_or_insert(first).add(*last, value);
                    *last = Some(value);
                }
            });
        }
        let after = test.events.len() as u32;
        for (target, variable, range) in ranges {
            let Some(range) = range.filter(Range::is_finite) else { continue };
            let by = (range.most - range.least) * WIDENED;
            let value = AttributeValue::Range(Range {
                least: range.least - by,
                most: range.most + by,
                rises: range.rises && range.most > range.least,
            });
            let object = Object { target, clone: 0 };
            let observation = Observation { attribute: Attribute::Range(variable), object, value };
            let assertion = observation.assertion(after, &words, program);
            test.assertions.extend(assertion.filter(|_| test.assertions.len() < limit));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use catherd_scratch_sb3::test_support::{TargetBuilder, number, project};
    use catherd_scratch_sb3::{Field, Opcode, Project, Value, Variable};
    use catherd_scratch_suite::{Bounds, Expected, SuitePolicy, SuiteTest};

    use super::super::separate_chance;
    use super::*;

    /// A project in which a loop changes a variable by this number twenty times.
    fn counting(by: &str) -> Project {
        let mut stage = TargetBuilder::new("Stage");
        let (id, value) = ("n".into(), Value::Number(0.0));
        stage.target.variables.push(Variable { id, name: "n".into(), value, cloud: false });
        let change = stage.block(Opcode::DataChangeVariableBy, &[("VALUE", number(by))]);
        let (value, id) = (Value::Text("n".into()), Some("n".into()));
        let field = Field { name: "VARIABLE".into(), value, id };
        stage.target.blocks[change as usize].fields.push(field);
        let repeat = stage.block(Opcode::ControlRepeat, &[("TIMES", number("20"))]);
        stage.hold(repeat, change);
        stage.flag(&[repeat]);
        project(vec![stage])
    }

    #[test]
    fn ranges_of_variables_hold_in_play_and_find_faults() {
        let original = counting("2");
        let program = Arc::new(Program::compile(&original).unwrap());
        let policy = Some(SuitePolicy { most: 15, ..SuitePolicy::default() });
        let tests = vec![SuiteTest { policy, ..SuiteTest::default() }, SuiteTest::default()];
        let mut suite = Suite { tests, ..Suite::default() };
        assert_play(&mut suite, &program, &Observer::new(&original), 5).unwrap();
        separate_chance(&mut suite, &program, &[], 20).unwrap();
        let kept: Vec<_> = suite.tests[0].assertions.iter().map(|it| it.expect.clone()).collect();
        // The value is 2 to 30 after the steps, and the range is widened by a quarter on both
        // sides.
        let range = |variable: &str| Expected::Range {
            variable: variable.into(),
            least: -5.0,
            most: 37.0,
            rises: true,
        };
        assert_eq!(kept, [range("n")]);
        assert!(suite.tests[0].flaky.is_empty() && suite.tests[1].assertions.is_empty());
        let text = suite.to_json();
        assert!(text.contains("\"format\": 6,"), "{text}");
        assert_eq!(Suite::from_json(&text).unwrap(), suite);
        for (by, passes) in [("2", true), ("0", true), ("2.4", true), ("3", false), ("-0.1", false)]
        {
            let program = Arc::new(Program::compile(&counting(by)).unwrap());
            let linked = LinkedSuite::new(&suite, &program).unwrap();
            let mut runner = Runner::new(program, suite.machine.clone(), ());
            let verdict = runner.run(&linked, 0, Bounds::default()).verdict;
            assert_eq!(verdict.is_pass(), passes, "{by}: {verdict:?}");
        }
        // A range is about the values during a policy, so it must not be asserted after an event.
        suite.tests[1].assertions = suite.tests[0].assertions.clone();
        suite.tests[1].events = vec![catherd_scratch_suite::SuiteEvent::Wait { steps: 1 }; 2];
        assert!(LinkedSuite::new(&suite, &program).is_err());
    }
}
