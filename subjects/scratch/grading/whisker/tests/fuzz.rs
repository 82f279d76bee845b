//! Tests that randomly generated and damaged suites end without a panic, and that two executions
//! have the same result.

#![allow(clippy::print_stdout, reason = "the seed of a panic must be known")]

#[path = "support/dice.rs"]
mod dice;
use crate::support;

use catherd_javascript_engine::Limits;
use catherd_scratch_grading_whisker::whisker::{self, SuiteFile, SuiteOptions};
use dice::{Dice, fuzz};

/// Statements, in which `$v` stands for a value, `$n` for a number and `$f` for a function.
const STATEMENTS: &[&str] = &[
    "await t.runForSteps($n);",
    "await t.runForTime($n);",
    "await t.runUntil($f, $n);",
    "await t.runUntilChanges($f, $n);",
    "t.run($f, $n, $n);",
    "await t.wait($n);",
    "t.addCallback($f, $v, $v);",
    "t.reAddCallback(t.addCallback($f));",
    "t.removeCallback($v); t.clearCallbacks();",
    "t.addConstraint($f, $v); t.onConstraintFailure('nothing');",
    "t.onConstraintFailure($v);",
    "t.onSpriteMoved($f); t.onSayOrThink($f);",
    "t.onVariableChange($f); t.onSpriteVisualChange($f);",
    "t.getSprite($v).onMoved = $f;",
    "t.keyPress($v, $n); t.keyRelease($v, $n);",
    "t.mouseMove($n, $n, $n); t.mouseDown($v);",
    "t.clickSprite($v, $n); t.clickStage();",
    "t.clickClone($v, $n); t.clickCloneByCoords($n, $n, $n);",
    "t.dragSprite($v, $n, $n, $v);",
    "t.typeText($v); t.sendSound($n, $n);",
    "t.addInput($n, {device: 'mouse', x: $n, y: $n, isDown: $v, steps: $n});",
    "t.addInput($n, $v); t.inputImmediate($v);",
    "t.addInputs([{steps: $n, input: {device: 'drag', sprite: 'Dog', x: $n, y: $n}}, $v]);",
    "t.registerRandomInputs([{device: 'keyboard', key: $v, weight: $n}, {device: 'text', length: [$n, $n]}]);",
    "t.detectRandomInputs({duration: [$n, $n]}); t.setRandomInputInterval($n);",
    "t.removeInput($v); t.clearInputs(); t.resetMouse(); t.resetKeyboard();",
    "t.greenFlag(); t.cancelRun();",
    "t.end();",
    "t.seedScratch($v);",
    "t.log($v);",
    "t.assert.equal($v, $v, $v);",
    "t.assume.withinRange($v, $n, $n);",
    "t.assert.matches($v, $v); t.assert.isEmpty($v);",
    "t.getSprites($f, $v).map(s => [s.x, s.old, s.bounds, s.effects, s.getCostumes(), s.getLists($f)]);",
    "for (const s of t.getNewSprites($f)) { s.getNewClones(); s.getClone($n); s.updateOld(); }",
    "t.getSpriteAtPoint($n, $n); t.getSpritesAtPoint($v, $v);",
    "t.getSprite('Cat').isTouchingColor($v); t.getSprite('Dog').isColorTouchingColor([$n, $n, $n], $v);",
    "t.getSprite('Cat').isTouchingSprite($v); t.getSprite('Cat').isIntersectingBounds($v);",
    "t.getStage().getVariable($v).value = $v;",
    "t.setGlobalVariable('score', $v); t.setSpriteVariable('Dog', 'luck', $v);",
    "t.getSprite('Cat').getCostumeByName($v); t.getSprite('Cat').getCostumeByIndex($n);",
    "t.vm.runtime.targets[$n].setXY($n, $n, $v);",
    "t.getSprite('Dog').getScratchTarget().setSize($n); t.vm.runtime.getSpriteTargetByName($v);",
    "t.getSprite('Dog').getScratchTarget().setCostume($v); t.setVisibility($v, $v);",
    "t.vm.runtime.startHats($v, $v, $v); t.vm.postIOData($v, $v);",
    "setTimeout($f, $n); setInterval($f, $n);",
    "queueMicrotask($f); Promise.reject($v); new Promise($f);",
    "Object.prototype[$v] = $v; Array.prototype[$n] = $v;",
    "t[$v] = $v; delete t.getSprite; Object.freeze(t);",
    "globalThis.Promise = $v; globalThis.Map = $v; Math.random = $f;",
    "try { $f(); } finally { t.runForSteps($n); }",
    "throw $v;",
];
const VALUES: &[&str] = &[
    "undefined",
    "null",
    "true",
    "''",
    "'Cat'",
    "'Dog'",
    "'Stage'",
    "'score'",
    "'space'",
    "'_edge_'",
    "[]",
    "{}",
    "[1, 2]",
    "{device: 'keyboard', key: 'space', isDown: true, steps: 2}",
    "Symbol()",
    "{toString() { throw 1 }}",
    "{get device() { throw 2 }}",
    "new Proxy({}, {get() { return 1 }})",
    "/(a+)+$/",
    "'a'.repeat(40)",
    "'\\ud800'",
    "t",
    "t.getSprite('Dog')",
    "t.getStage()",
    "10n",
    "new Date()",
    "() => 1",
    "'['",
    "{length: -1}",
    "new Error('x')",
    "$n",
    "$n",
];
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "-1",
    "0.5",
    "7",
    "30",
    "240",
    "1e9",
    "-1e9",
    "1e308",
    "NaN",
    "Infinity",
    "-Infinity",
    "-0",
    "4294967296",
    "9007199254740993",
    "'3'",
];
const FUNCTIONS: &[&str] = &[
    "(() => {})",
    "(() => true)",
    "(async () => { await t.runForSteps(1) })",
    "(s => { throw s })",
    "(() => t.end())",
    "(() => t.cancelRun())",
    "(() => t.greenFlag())",
    "(s => s.x > 3)",
    "null",
    "(() => { for (;;) {} })",
    "(() => t.addCallback(() => t.clearCallbacks()))",
    "(function f() { f() })",
    "(() => t.runForSteps(3))",
    "(() => t.assert.ok(false))",
    "(() => t.assume.ok(0))",
    "(s => s.y = 1)",
    "(() => t.dragSprite('Cat', 1, 2))",
    "(() => t.clickSprite('Dog'))",
    "(() => t.seedScratch(1))",
];

fn filled(dice: &mut Dice, text: &str) -> String {
    let mut text = text.to_owned();
    while let Some(at) = text.find('$').filter(|at| b"vnf".contains(&text.as_bytes()[at + 1])) {
        let part = match text.as_bytes()[at + 1] {
            b'v' => dice.pick(VALUES),
            b'n' => dice.pick(NUMBERS),
            _ => dice.pick(FUNCTIONS),
        };
        // A dollar at the end of a regular expression is not a placeholder.
        text.replace_range(at..at + 2, &part.replace("$/", "/"));
    }
    text
}

fn suite(dice: &mut Dice) -> String {
    let mut suite = "module.exports = [".to_owned();
    for _ in 0..1 + dice.below(3) {
        suite += "{test: async t => {";
        for _ in 0..1 + dice.below(8) {
            let chosen = dice.pick(STATEMENTS);
            let statement = filled(dice, chosen);
            suite += &match dice.below(3) {
                0 => format!("try {{ {statement} }} catch {{}}\n"),
                _ => statement + "\n",
            };
        }
        suite += "}},";
    }
    suite + "]"
}

#[test]
#[ignore = "needs CATHERD_FUZZ_SECONDS"]
fn suites_made_at_random_end_alike() {
    let limits = Limits { turn: 20, test: 200, memory: 16 << 20, stack: 128 << 10, timers: 100 };
    let program = support::program();
    fuzz(suite, |seed, text| {
        let options = SuiteOptions {
            limits,
            steps: 200,
            blocks: 1_000_000,
            strict: seed % 3 == 0,
            compat_p: seed % 2 == 0,
            coverage: seed % 5 == 0,
            detected_inputs: whisker::detected_inputs(&support::project()),
            ..SuiteOptions::default()
        };
        let suite = SuiteFile::new("suite.js", text).unwrap();
        let outcome = whisker::run(&suite, &program, &options);
        outcome.map(|outcome| format!("{outcome:?}")).map_err(|error| error.to_string())
    });
}
