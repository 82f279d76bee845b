//! Tests that hostile suites end with the expected message, in the same way every time, and do not
//! influence the next test.

use crate::support;

use catherd_javascript_engine::Limits;
use catherd_scratch_grading_whisker::whisker::SuiteOptions;
use support::{run_with, statuses};

const COMPUTES: &str = "the script does not stop computing";
const MEMORY: &str = "the script uses more memory than allowed";

/// Bodies of tests, and the message with which they end; empty if the test passes.
const BODIES: &[(&str, &str)] = &[
    ("for (;;) {}", COMPUTES),
    ("t.addCallback(() => { for (;;) {} }); await t.runForSteps(2)", COMPUTES),
    ("t.addCallback(() => { for (;;) {} }, true); await t.runForSteps(2)", COMPUTES),
    ("t.addConstraint(() => { for (;;) {} }); await t.runForSteps(2)", COMPUTES),
    ("t.getStage(); t.onSpriteMoved(() => { for (;;) {} }); await t.runForSteps(2)", COMPUTES),
    ("t.onSayOrThink(() => { for (;;) {} }); await t.runForSteps(2)", COMPUTES),
    ("t.onVariableChange(() => { for (;;) {} }); await t.runForSteps(2)", COMPUTES),
    ("await t.runUntil(() => { for (;;) {} })", COMPUTES),
    ("let n = 0; await t.runUntil(() => { if (n++) for (;;) {} })", COMPUTES),
    ("await t.runUntilChanges(() => { for (;;) {} })", COMPUTES),
    ("t.getSprites(() => { for (;;) {} })", COMPUTES),
    ("t.getSprite({toString() { for (;;) {} }})", COMPUTES),
    ("t.addInput(1, {get device() { for (;;) {} }})", COMPUTES),
    ("t.log({toString() { for (;;) {} }})", COMPUTES),
    ("t.assert.ok(false, {toString() { for (;;) {} }})", COMPUTES),
    ("throw {get message() { for (;;) {} }}", COMPUTES),
    ("throw Object.assign(new Error('x'), {actual: 1, get name() { for (;;) {} }})", COMPUTES),
    ("try { for (;;) {} } finally { for (;;) {} }", COMPUTES),
    ("setTimeout(() => { for (;;) {} }, 10); await t.runForSteps(9)", COMPUTES),
    ("setInterval(() => 1, 0); await new Promise(() => 1)", COMPUTES),
    ("const f = () => queueMicrotask(f); f(); await t.runForSteps(2)", COMPUTES),
    ("Promise.prototype.then = () => { for (;;) {} }; await t.runForSteps(2)", ""),
    ("Array.prototype.push = Map.prototype.get = null; await t.runForSteps(2); t.getSprites()", ""),
    ("const a = []; t.addCallback(() => { for (;;) a.push([a]) }); await t.runForSteps(2)", MEMORY),
    ("await t.run()", "step limit: the test is longer than allowed"),
    ("for (;;) try { await t.run() } catch {}", COMPUTES),
    ("for (;;) await t.runForSteps(1)", "step limit: the test is longer than allowed"),
    ("for (;;) await t.runForSteps(0)", COMPUTES),
    (
        "t.getSprite('Cat'); const f = () => f(); t.onSpriteMoved(f); await t.runForSteps(2)",
        "Maximum call stack size exceeded",
    ),
    (
        "const c = t.getSprite('Cat'); t.onSpriteMoved(() => c.getScratchTarget().setXY(1, 1)); await t.runForSteps(2)",
        "Maximum call stack size exceeded",
    ),
    (
        "t.getSprite('Cat'); t.onSpriteMoved(() => { t.runForSteps(5); t.run() }); await t.runForSteps(2)",
        "",
    ),
    (
        "t.getSprite('Cat'); t.onSpriteMoved(() => t.vm.stopAll()); await t.runForSteps(2)",
        "`vm.stopAll()` inside a watcher: the step has not ended",
    ),
    (
        "t.getSprite('Cat'); t.onSpriteMoved(s => { t.keyPress('space'); t.clickSprite(s.name); t.clickStage(); t.mouseDown(true); t.typeText('a') }); await t.runForSteps(20)",
        "",
    ),
    (
        "t.getSprite('Dog'); t.onSpriteVisualChange(() => t.clickSprite('Dog')); t.clickSprite('Dog'); await t.runForSteps(30)",
        "",
    ),
    ("for (;;) t.log('x'.repeat(1000))", COMPUTES),
    ("t.end(); t.end(); await t.runForSteps(2); t.end()", ""),
    (
        "for (let i = 0; i < 1e3; i++) t.addInput(i, {device: 'keyboard', key: 'a'}); await t.runForSteps(2)",
        "",
    ),
    (
        "const s = t.getSprite('Dog'); for (let i = 0; i < 9; i++) t.clickSprite('Dog'); await t.runForSteps(2); s.getClones().map(c => c.old.x)",
        "",
    ),
    (
        "t.getStage().getVariable('score').getScratchVariable().value = {toString() { throw 7 }}",
        "7",
    ),
    ("t.dragSprite('Dog', NaN, Infinity); t.mouseMove(Infinity, NaN); await t.runForSteps(2)", ""),
    ("t.runForSteps(5); t.runForSteps(6); throw Symbol('x')", "[symbol]"),
    ("new Proxy(t, {get() { throw new RangeError('r') }}).x", "r"),
    ("Object.setPrototypeOf(t.getSprite('Cat'), null); t.getSprite('Cat').x", ""),
    ("delete t.getSprite; delete t.assert; t.runForSteps = null; globalThis.Promise = null", ""),
    (
        "t.seedScratch('9'.repeat(400)); t.seedScratch(NaN); t.seedScratch(); await t.runForSteps(1)",
        "",
    ),
    ("t.keyPress('\\ud800'); t.typeText('\\ud800'); t.log('\\ud800'); t.getSprite('\\ud800')", ""),
];

#[test]
#[ignore = "slow"]
fn hostile_tests_end_alike_and_do_not_reach_the_next() {
    let limits = Limits { turn: 20, test: 200, memory: 16 << 20, stack: 128 << 10, timers: 100 };
    let options = SuiteOptions { limits, steps: 500, ..SuiteOptions::default() };
    let mut flaws = Vec::new();
    for (body, message) in BODIES {
        let mut options = options.clone();
        if *message == MEMORY {
            (options.limits.turn, options.limits.test) = (2_000, 2_000);
        }
        // After a limit, the next test gets a new context, so that it does not share a damaged
        // context.
        let suite = format!(
            "module.exports = [{{test: async t => {{ {body} }}}}, {{test: () => undefined}}]"
        );
        let outcome = run_with(&suite, &options);
        let first = &outcome.tests[0];
        let passes = first.status.name() == "pass";
        if first.message != *message
            || passes != message.is_empty()
            || outcome.tests.len() != 2
            || !statuses(&outcome).ends_with("pass")
        {
            flaws.push(format!("{body}\n    {}: {}", statuses(&outcome), first.message));
        }
    }
    assert!(flaws.is_empty(), "{}", flaws.join("\n"));
    assert!(BODIES.len() >= 40);
}

#[test]
fn inputs_that_have_not_ended_hold_little_text() {
    let body = "
        const long = 'x'.repeat(400000);
        const add = () => t.addInput(3, {device: 'text', answer: long});
        const refused = f => {
            try { f(); } catch (error) { return error.message.includes('too long'); }
            return false;
        };
        const first = add();
        t.keyPress(long, 3);
        t.assert.ok(refused(add) && refused(() => t.keyPress(long, 3)));
        t.removeInput(first);
        t.assert.not(refused(add));
        await t.runForSteps(10);
        t.assert.not(refused(add) || refused(add));";
    let outcome = run_with(&support::suite_of(body), &SuiteOptions::default());
    assert_eq!(statuses(&outcome), "pass", "{outcome:#?}");
}

#[test]
fn half_of_an_emoji_is_a_replacement_character_in_reports() {
    let suite = r"module.exports = [
        {name: '\ud83d', test: t => t.assert.equal('\ud83d', 'b')}, {test: () => undefined}]";
    let outcome = run_with(suite, &SuiteOptions::default());
    assert_eq!(statuses(&outcome), "fail pass");
    assert_eq!(outcome.tests[0].name.as_deref(), Some("\u{fffd}"));
    assert_eq!(outcome.tests[0].details["actual"], "\u{fffd}");
}
