use catherd_scratch_sb3::test_support::{TargetBuilder, number, project};
use catherd_scratch_sb3::{Opcode, Project};

use super::*;
use crate::{Assertion, Expected, Suite, SuiteTest};

/// A program with a sprite with two scripts that say `hi` at the green flag. When the key `a` is
/// pressed, the sprite moves by 10 and creates a clone of itself.
fn program() -> Arc<Program> {
    Arc::new(Program::compile(&moving()).unwrap())
}

fn moving() -> Project {
    let mut cat = TargetBuilder::new("Cat");
    let say = cat.block(Opcode::LooksSay, &[("MESSAGE", number("hi"))]);
    cat.flag(&[say]);
    let again = cat.block(Opcode::LooksSay, &[("MESSAGE", number("hi"))]);
    cat.flag(&[again]);
    let walk = cat.block(Opcode::MotionChangeXBy, &[("DX", number("10"))]);
    let menu = cat.menu(Opcode::ControlCreateCloneOfMenu, "CLONE_OPTION", "_myself_");
    let clone = cat.block(Opcode::ControlCreateCloneOf, &[("CLONE_OPTION", menu)]);
    cat.hat(Opcode::EventWhenKeyPressed, Some(("KEY_OPTION", "a")), &[walk, clone]);
    project(vec![TargetBuilder::new("Stage"), cat])
}

fn of_cat(after: u32, clone: u32, expect: Expected) -> Assertion {
    Assertion { after, sprite: Some("Cat".into()), clone, expect }
}

fn suite(assertions: Vec<Assertion>, flaky: Vec<Assertion>) -> Suite {
    let events = vec![
        crate::SuiteEvent::Wait { steps: 2 },
        crate::SuiteEvent::KeyPress { key: "a".into(), steps: 1 },
    ];
    Suite {
        seed: 1,
        goals: 5,
        tests: vec![SuiteTest { events, assertions, flaky, ..SuiteTest::default() }],
        ..Suite::default()
    }
}

fn run(suite: &Suite, bounds: Bounds) -> Execution {
    let program = program();
    let linked = LinkedSuite::new(suite, &program).unwrap();
    let mut runner = Runner::new(program, suite.machine.clone(), ());
    let first = runner.run(&linked, 0, bounds);
    assert_eq!(runner.run(&linked, 0, bounds), first, "an execution leaves no trace");
    first
}

fn verdict(assertion: Assertion) -> Verdict {
    run(&suite(vec![assertion], Vec::new()), Bounds::default()).verdict
}

fn got(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[test]
fn assertions_hold_after_the_event_that_they_name() {
    let hello = |after| of_cat(after, 0, Expected::Bubble(Some("hi".into())));
    let at = |after, x| of_cat(after, 0, Expected::Position { x, y: 0.0 });
    let passing = vec![
        hello(0),
        at(0, 0.0),
        of_cat(0, 0, Expected::CloneCount(0)),
        at(1, 10.0),
        of_cat(1, 0, Expected::CloneCount(1)),
        of_cat(1, 1, Expected::Position { x: 10.0, y: 0.0 }),
        of_cat(1, 1, Expected::Layer(1)),
        of_cat(1, 0, Expected::Layer(2)),
        Assertion { after: 1, sprite: None, clone: 0, expect: Expected::Backdrop(0) },
    ];
    let execution = run(&suite(passing, Vec::new()), Bounds::default());
    assert_eq!(
        execution,
        Execution { verdict: Verdict::Passed, steps: 5, blocks: 1_004, fault: None }
    );

    let failing = |position| AssertionNo { flaky: false, position };
    let late = run(&suite(vec![at(1, 10.0), at(0, 10.0)], Vec::new()), Bounds::default());
    let failure = Failure { assertion: failing(1), after: 0, got: got("(0, 0)") };
    assert_eq!(
        late,
        Execution { verdict: Verdict::Failed(failure), steps: 3, blocks: 2, fault: None }
    );
}

#[test]
fn values_may_differ_by_their_tolerance() {
    let at = |x, y| verdict(of_cat(1, 0, Expected::Position { x, y })).is_pass();
    assert!(at(15.0, -5.0) && at(5.0, 5.0));
    assert!(!at(15.5, 0.0) && !at(10.0, 5.5) && !at(f64::NAN, 0.0));
    let heading = |degrees| verdict(of_cat(1, 0, Expected::Direction(degrees))).is_pass();
    assert!(heading(91.0) && !heading(91.5));
    let size = |percent| verdict(of_cat(1, 0, Expected::Size(percent))).is_pass();
    assert!(size(99.0) && !size(98.0));
    let volume = |percent| verdict(of_cat(1, 0, Expected::Volume(percent))).is_pass();
    assert!(volume(100.0) && !volume(99.9));
}

#[test]
fn assertions_about_missing_objects_fail() {
    for missing in [
        of_cat(1, 2, Expected::Visible(true)),
        of_cat(1, 0, Expected::Variable { variable: "v".into(), value: "0".into() }),
        of_cat(1, 0, Expected::List { list: "v".into(), length: 0 }),
        of_cat(1, 0, Expected::Touching { sprite: "Dog".into(), touching: false }),
        Assertion { sprite: Some("Dog".into()), ..of_cat(1, 0, Expected::Visible(true)) },
    ] {
        let Verdict::Failed(failure) = verdict(missing.clone()) else { panic!("{missing}") };
        assert_eq!(failure.got, None, "{missing}");
    }
}

#[test]
fn flaky_assertions_are_checked_on_request() {
    let wrong = of_cat(0, 0, Expected::Costume(7));
    let suite = suite(Vec::new(), vec![wrong]);
    assert!(run(&suite, Bounds { flaky: false, ..Bounds::default() }).verdict.is_pass());
    let Verdict::Failed(failure) = run(&suite, Bounds::default()).verdict else { panic!() };
    assert_eq!(failure.assertion, AssertionNo { flaky: true, position: 0 });
    assert_eq!(failure.got, got("0"));
}

#[test]
fn tests_that_are_too_long_are_not_begun() {
    let suite = suite(Vec::new(), Vec::new());
    let bounds = |steps| Bounds { steps, ..Bounds::default() };
    assert_eq!(run(&suite, bounds(4)).verdict, Verdict::StepLimit);
    assert_eq!(run(&suite, bounds(5)).verdict, Verdict::Passed);
}

#[test]
fn limits_of_the_machine_end_a_test_on_request() {
    let mut suite = suite(Vec::new(), Vec::new());
    suite.machine.step_budget = 1;
    let ends = run(&suite, Bounds { faults_end: true, ..Bounds::default() });
    let Verdict::Fault(fault) = ends.verdict else { panic!("{ends:?}") };
    assert_eq!(ends.fault, Some(fault));
    let goes_on = run(&suite, Bounds::default());
    assert_eq!((goes_on.verdict, goes_on.fault), (Verdict::Passed, Some(fault)));
}

#[test]
fn suites_with_unknown_sprites_or_events_are_not_linked() {
    let late = suite(vec![of_cat(2, 0, Expected::Costume(0))], Vec::new());
    let error = LinkedSuite::new(&late, &program()).err().unwrap();
    assert_eq!(error.to_string(), "test 0: an assertion refers to event 2, which does not exist");
    let mut foreign = suite(Vec::new(), Vec::new());
    foreign.tests[0].events.push(crate::SuiteEvent::ClickSprite { sprite: "Dog".into() });
    let error = LinkedSuite::new(&foreign, &program()).err().unwrap();
    assert_eq!(error.to_string(), "test 0: the project has no sprite `Dog`");
}
