//! Tests exported suites with objects that replace the original Whisker.

use std::sync::Arc;

use catherd_javascript_engine::{Engine, Host, Limits};
use catherd_scratch_grading_whisker::whisker::{self, SuiteFile, SuiteOptions};
use catherd_scratch_sb3::Opcode;
use catherd_scratch_sb3::test_support::{TargetBuilder, number, project};
use catherd_scratch_suite::{
    Assertion, Bounds, Expected, LinkedSuite, Runner, Suite, SuitePolicy, SuiteTest,
};
use catherd_scratch_vm::Program;

use crate::support::statuses;

#[test]
fn a_test_begins_with_as_many_possible_clones_as_in_a_project_that_was_loaded_first() {
    let original = "const stage = { updateAllDrawableProperties() {} };
        const clone = { isOriginal: false };
        // A project with a stage and three sprites was open before.
        const runtime = { renderer: {}, targets: [clone], executableTargets: [], _cloneCounter: -3,
            getTargetForStage: () => stage };
        start({ vm: { runtime }, typeText() {}, greenFlag() {} });
        runtime._cloneCounter";
    let script = ["var module = {};", &Suite::default().to_javascript(), original].join("\n");
    let limits =
        Limits { turn: 9_000_000, test: 9_000_000, memory: 16 << 20, stack: 256 << 10, timers: 9 };
    let engine = Engine::new(limits, Host::default()).unwrap();
    let clones = engine.enter(|session| session.evaluate::<i32>("suite.js", &script).unwrap());
    assert_eq!(clones.unwrap(), 1);
}

#[test]
fn a_policy_stops_when_the_project_has_ended() {
    let mut cat = TargetBuilder::new("Cat");
    let wait = cat.block(Opcode::ControlWait, &[("DURATION", number("1"))]);
    cat.flag(&[wait]);
    let turn = cat.block(Opcode::MotionTurnRight, &[("DEGREES", number("1"))]);
    cat.hat(Opcode::EventWhenKeyPressed, Some(("KEY_OPTION", "right arrow")), &[turn]);
    let project = project(vec![TargetBuilder::new("Stage"), cat]);
    let program = Arc::new(Program::compile(&project).unwrap().with_colors());
    let press = r#"[{"press":{"event":"KeyPress","key":"right arrow","steps":1},"every":5}]"#;
    let rules = serde_json::from_str(press).unwrap();
    let policy = SuitePolicy { rules, most: 100, ..SuitePolicy::default() };
    let ended_at = |direction: f64| {
        let assertion = Assertion {
            after: 0,
            sprite: Some("Cat".into()),
            clone: 0,
            expect: Expected::Direction(direction),
        };
        let policy = Some(policy.clone());
        let test = SuiteTest { policy, assertions: vec![assertion], ..SuiteTest::default() };
        let mut suite = Suite { tests: vec![test], ..Suite::default() };
        (suite.tolerances.direction, suite.goals) = (0.0, 3);
        let linked = LinkedSuite::new(&suite, &program).unwrap();
        let mut runner = Runner::new(Arc::clone(&program), suite.machine.clone(), ());
        runner.run(&linked, 0, Bounds::default()).verdict.is_pass().then_some(suite)
    };
    let turns = (1..=20).find(|turns| ended_at(90.0 + f64::from(*turns)).is_some()).unwrap();
    assert!(turns < 10, "{turns}");
    let text = ended_at(90.0 + f64::from(turns)).unwrap().to_javascript();
    let suite = SuiteFile::new("suite.js", &text).unwrap();
    let outcome = whisker::run(&suite, &program, &SuiteOptions::default()).unwrap();
    assert_eq!(statuses(&outcome), "pass", "{outcome:#?}");
}
