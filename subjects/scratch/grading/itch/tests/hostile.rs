//! Tests that judging a hostile plan ends, with the same result every time.

use crate::support;

use catherd_javascript_engine::Limits;
use catherd_scratch_grading_itch::{JudgeOptions, Plan, PlanError, Status, judge};
use support::{judged_with, submission, template};

/// Small limits, so that the tests are quick.
fn options() -> JudgeOptions {
    let limits = Limits { turn: 50, test: 200, memory: 24 << 20, ..Limits::default() };
    JudgeOptions { limits, steps: 2_000, ..JudgeOptions::default() }
}

#[test]
#[ignore = "slow"]
fn plans_that_do_not_stop_meet_a_limit() {
    for body in [
        "for (;;);",
        "const f = () => { try { f(); } finally { f(); } }; f();",
        "const a = []; for (;;) a.push(new Array(1000).fill(a));",
        "let a = [1]; for (;;) a = a.concat(a);",
        "Promise.resolve().then(function f() { return Promise.resolve().then(f); });",
        "/(a+)+b/.test('a'.repeat(40));",
        "for (;;) e.group.test('x').acceptIf(true);",
    ] {
        let judgement =
            judged_with(&format!("function beforeExecution(e) {{ {body} }}"), &options());
        assert_eq!(judgement.status(), Status::TimeLimit, "{body}: {:?}", judgement.end);
        assert!(judgement.lines.last().unwrap().contains("close-judgement"), "{body}");
    }
    for schedule in [
        "e.scheduler.greenFlag();",
        "setInterval(() => 0, 0);",
        "e.scheduler.log(() => { for (;;); }).end();",
        "e.scheduler.wait({action: () => 0, timeout: Infinity});",
        "(function again() { setTimeout(again, 0); })();",
        "e.scheduler.track('Cat').clickSprite('Cat', false).wait(Itch.sprite('Cat').toReach(() => { for (;;); })).end();",
    ] {
        let plan = format!("function duringExecution(e) {{ {schedule} }}");
        let judgement = judged_with(&plan, &options());
        assert_eq!(judgement.status(), Status::TimeLimit, "{schedule}: {:?}", judgement.end);
    }
}

#[test]
fn damaged_built_in_objects_do_not_stop_the_judge() {
    for body in [
        "Array.prototype.push = null; Object.keys = null;",
        "Promise.prototype.then = () => { throw 1; };",
        "Object.prototype.toJSON = () => { throw 2; };",
        "String.prototype.replace = 5; t('predefined.no_changes');",
        "JSON.stringify = null; Math.random = null;",
        "Object.defineProperty(Object.prototype, 'command', {get() { throw 3; }});",
        "delete globalThis.B; delete globalThis.Itch; e.output.startGroup({}, [], null, e);",
        "e.group.test({toString() { throw 4; }}).acceptIf(true);",
        "e.group.test('x').diff().expect(Object.create(null)).toBe(1);",
        "e.output.closeTest(e); e.output.closeGroup(); e.output.closeJudgement(); e.output.startGroup('x');",
        "throw null;",
        "let s = 'x'; for (;;) s += s;",
        "throw new Proxy({}, {get() { throw 5; }});",
        "e.answers = 7; e.acceleration = -1; e.actionTimeout = NaN;",
        "e.log.snapshots.length = 0; e.log.events.push(1);",
        "e.log.submission.targets[0].blocks.length = 0;",
        "B.subTreeMatchesScript(undefined, B.script(B.script(B.anything())));",
    ] {
        let plan = format!(
            "function beforeExecution(e) {{ {body} }}
            function duringExecution(e) {{ e.scheduler.clickSprite('Cat').end(); }}"
        );
        let judgement = judged_with(&plan, &options());
        assert!(!judgement.lines.is_empty(), "{body}");
    }
}

#[test]
fn plans_that_cannot_be_loaded_are_refused_with_their_place() {
    let refused = |text: &str| {
        let plan = Plan::new("plan.js", text).unwrap();
        judge(&plan, &template(), &submission(), &options()).unwrap_err()
    };
    for text in ["function (", "throw new Error('x')", "\n\nnothing();"] {
        let error = refused(text);
        assert!(matches!(error, PlanError::Thrown(_)), "{text}: {error}");
        assert!(error.to_string().contains("on line"), "{error}");
    }
    assert!(matches!(refused("for (;;);"), PlanError::Stopped(_)));
}
