//! Tests exported suites with objects that replace the original Whisker.

use catherd_javascript_engine::{Engine, Host, Limits};
use catherd_scratch_suite::Suite;

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
