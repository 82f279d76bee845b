//! Tests that randomly generated and damaged plans end without a panic, and that two executions
//! have the same result.

#![allow(clippy::print_stdout, reason = "the seed of a panic must be known")]

#[path = "../../whisker/tests/support/dice.rs"]
mod dice;
use crate::support;

use catherd_scratch_grading_itch::{JudgeOptions, Plan, judge};
use dice::{Dice, fuzz};
use support::{submission, template};

/// Statements of any phase, in which `$v` stands for a value, `$n` for a number and `$b` for a
/// pattern.
const CHECKS: &[&str] = &[
    "Itch.checkPredefinedBlocks($v, e);",
    "Itch.checkPredefinedBlocks({spriteConfig: {Cat: $b, Dog: {pattern: $b, allowedBlocks: [$b], allowAdditionalScripts: $v}}, ignoredSprites: $v}, e);",
    "B.checkBlocks(e, $v, [{pattern: $b, feedback: $v, substack: [{pattern: $b}]}, B.anyOrder([{pattern: $b}, $v])]);",
    "e.group.group($v, $v, () => e.group.test($v).feedback($v).expect($v).toBe($v));",
    "e.group.group({sprite: 'Cat', visibility: $v, ignoreWrong: true}, () => { e.group.test().acceptIf($v); });",
    "e.group.test($v).diff().fatal().expect($v).toMatchSubtree($b);",
    "e.output.startGroup($v, $v, $v); e.output.startTest($v); e.output.closeTest($v, $v);",
    "e.output.appendMessage($v); e.output.escalateStatus($v); e.output.closeGroup($v);",
    "e.log.submission.sprite($v).findScript($b);",
    "e.log.submission.targets.map(x => x.blockTreeList().map(n => B.subTreeMatchesScript(n, $b)));",
    "e.log.snapshots.filter(s => s.sprite('Cat').x > $n).map(s => s.areTouching($v, $v));",
    "e.log.events.map(x => [x.data, x.hasNext() && x.next, x.timestamp]); e.log.eventsDuring($v);",
    "e.log.last.hasChangedTarget($v, $v); e.log.savedRange($v);",
    "Itch.mergeLines([{start: {x: $n, y: $n}, end: {x: $n, y: $n}}, $v]); Itch.findSquares($v);",
    "Itch.findTriangles(e.log.renderer.lines); Itch.distSq($v, $v); Itch.asRange($v);",
    "t($v, $v); format($v, $v); _.range($n); _.isEqual($v, $v); _.sortBy($v, $v);",
    "e.answers = $v; e.acceleration = $n; e.actionTimeout = $n; e.turboMode = $v;",
    "e.timeAcceleration = $n; e.eventAcceleration = $n; e.enableAdvancedProfiler($v);",
    "ignoreWaitInProcedureFor(e.vm, $v); e.vm.runtime.targets[$n].setXY($n, $n);",
    "Object.prototype[$v] = $v; Array.prototype.map = $v;",
    "globalThis.Promise = $v; globalThis.setTimeout = $v;",
    "throw $v;",
];
/// Method calls that build the schedule.
const ACTIONS: &[&str] = &[
    ".greenFlag($v, $n)",
    ".clickSprite($v, $v, $n)",
    ".pressKey($v, $v, $n)",
    ".useKey($v, $n, $v, $n)",
    ".useMouse({x: $n, y: $n, isDown: $v})",
    ".sendBroadcast($v, $v, $n)",
    ".setVariableTo($v, $v, $v)",
    ".wait($n)",
    ".wait(Itch.sprite($v).toMove($n))",
    ".wait(Itch.sprite('Cat').toReach($v, $n))",
    ".wait(Itch.sprite('Cat').toTouch($v, $n))",
    ".wait(Itch.broadcast($v, $n))",
    ".log(() => { $c })",
    ".startRange($v)",
    ".endRange($v)",
    ".track($v)",
    ".trackBroadcast($v)",
    ".timedOut(() => $v)",
    ".resolved(() => { $c })",
    ".asTest({correct: $v, wrong: $v})",
    ".end()",
    ".forEach($v, (x, i) => x.wait(i))",
    ".pipe(x => x.wait($n))",
    ".join([e.scheduler.wait($n)], $n)",
];
const VALUES: &[&str] = &[
    "undefined",
    "null",
    "true",
    "false",
    "''",
    "'Cat'",
    "'Dog'",
    "'Stage'",
    "'done'",
    "'q'",
    "' '",
    "'score'",
    "[]",
    "{}",
    "['Ada', '5']",
    "{x: 10, y: null}",
    "{toString() { throw 1 }}",
    "{get spriteConfig() { throw 2 }}",
    "new Proxy({}, {get() { return 1 }})",
    "Symbol()",
    "() => 1",
    "(x, y) => x > 5",
    "'{0} {1}'",
    "10n",
    "{name: 'done', restrict: () => e.vm.runtime.targets[1]}",
    "e",
    "e.log",
    "e.log.submission",
    "NaN",
    "$n",
    "$b",
];
const NUMBERS: &[&str] =
    &["0", "1", "10", "100", "500", "-1", "0.5", "1e9", "NaN", "Infinity", "1e-9", "'3'"];
const PATTERNS: &[&str] = &[
    "B.anything()",
    "B.nothing()",
    "B.greenFlag()",
    "B.script(B.whenSpriteClicked(), B.repeat(3, $b))",
    "[$b, $b]",
    "B.forever($b)",
    "B.ifThen($v, $b)",
    "B.moveXSteps($v)",
    "B.procedureCall($v, $v)",
    "() => true",
    "null",
    "B.say($b)",
    "B.customBlock($v, $v, $v)",
    "B.switchCostumeTo($v)",
];

/// Fills in the placeholders of a template. Once the result has 2,000 bytes, values are not nested
/// further.
fn filled(dice: &mut Dice, text: &str) -> String {
    let mut text = text.to_owned();
    while let Some(at) = text.find('$') {
        let small = text.len() < 2_000;
        let part = match text.as_bytes()[at + 1] {
            b'v' => dice.pick(if small { VALUES } else { &VALUES[..8] }),
            b'b' => dice.pick(if small { PATTERNS } else { &PATTERNS[..3] }),
            b'c' => dice.pick(if small { CHECKS } else { &["e.group.test().acceptIf(true);"] }),
            _ => dice.pick(NUMBERS),
        };
        text.replace_range(at..at + 2, part);
    }
    text
}

fn checks(dice: &mut Dice) -> String {
    (0..dice.below(5))
        .map(|_| {
            let chosen = dice.pick(CHECKS);
            let check = filled(dice, chosen);
            if dice.below(2) == 0 {
                format!("try {{ {check} }} catch {{}}\n")
            } else {
                check + "\n"
            }
        })
        .collect()
}

fn plan(dice: &mut Dice) -> String {
    let before = checks(dice);
    let mut during = checks(dice);
    for _ in 0..1 + dice.below(3) {
        let actions: String = (0..1 + dice.below(5)).map(|_| dice.pick(ACTIONS)).collect();
        during += &format!("try {{ e.scheduler{} }} catch {{}}\n", filled(dice, &actions));
    }
    let after = checks(dice);
    format!(
        "function beforeExecution(e) {{ {before} }}
        function duringExecution(e) {{ {during} e.scheduler.wait(300).end(); }}
        function afterExecution(e) {{ {after} }}"
    )
}

#[test]
#[ignore = "needs CATHERD_FUZZ_SECONDS"]
fn plans_made_at_random_end_alike() {
    let mut options = JudgeOptions { steps: 300, blocks: 1_000_000, ..JudgeOptions::default() };
    (options.limits.turn, options.limits.test, options.limits.memory) = (50, 200, 32 << 20);
    fuzz(plan, |seed, text| {
        options.strict = seed % 3 == 0;
        let plan = Plan::new("plan.js", text).unwrap();
        let judgement = judge(&plan, &template(), &submission(), &options);
        judgement.map(|judgement| format!("{judgement:?}")).map_err(|error| error.to_string())
    });
}
