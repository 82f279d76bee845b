//! Tests of strict mode, of `require` and of the log.

use std::path::Path;
use std::sync::Arc;

use crate::support;

use catherd_scratch_grading_whisker::whisker::{self, SuiteFile, SuiteOptions, SuiteOutcome};
use catherd_scratch_sb3::Project;
use catherd_scratch_vm::Program;
use support::{messages, run, run_with, statuses};

fn strict(compat_p: bool) -> SuiteOptions {
    SuiteOptions { strict: true, compat_p, ..SuiteOptions::default() }
}

fn pair(first: &str, second: &str) -> String {
    format!(
        "module.exports = [{{name: 'first', test: async t => {{{first}\n}}}},
            {{name: 'second', test: async t => {{{second}\n}}}}]"
    )
}

#[test]
fn layers_stay_between_tests_of_strict_mode() {
    let suite = pair(
        "const order = t.getSprite('Cat').layerOrder;
        t.clickSprite('Cat');
        await t.runForSteps(1);
        t.assert.greater(t.getSprite('Cat').layerOrder, order);
        t.assert.greater(t.getSprite('Cat').layerOrder, t.getSprite('Dog').layerOrder);",
        "t.assert.greater(t.getSprite('Cat').layerOrder, t.getSprite('Dog').layerOrder);
        t.assert.equal(t.getSprite('Cat').x, 0);
        t.assert.equal(t.getSprites().length, 2);",
    );
    let of = |outcome: SuiteOutcome| (statuses(&outcome), messages(&outcome));
    assert_eq!(of(run_with(&suite, &strict(false))).0, "pass pass");
    assert_eq!(of(run(&suite)).0, "pass fail");
}

#[test]
fn watchers_stay_between_tests_of_strict_mode_of_2022() {
    let suite = pair(
        "t.onSpriteMoved(sprite => { if (sprite.x === 3) { t.cancelRun() } });
        t.assume.fail();",
        "t.getSprites(); await t.runForSteps(10); t.assert.equal(t.getRunStepsExecuted(), 10);",
    );
    assert_eq!(statuses(&run(&suite)), "skip pass");
    assert_eq!(statuses(&run_with(&suite, &strict(false))), "skip pass");
    assert_eq!(statuses(&run_with(&suite, &strict(true))), "skip fail");
}

#[test]
fn suites_may_require_whisker_and_nothing_else() {
    let body = "const {assert, assume} = require('whisker');
        module.exports = [async t => { t.assert.ok(assert === t.assert && assume === t.assume) }];";
    assert_eq!(statuses(&run(body)), "pass");
    for name in ["fs", "./other", "whisker/x", ""] {
        let error = support::load_error(&format!("require('{name}'); module.exports = []"));
        assert!(error.contains("suites can only use `whisker`"), "{error}");
    }
}

#[test]
fn lines_beyond_the_limit_of_the_log_are_left_out() {
    let options = SuiteOptions { log_bytes: 100, ..SuiteOptions::default() };
    let suite = support::suite_of("for (let i = 0; i < 100; i++) { t.log('0123456789') }");
    let outcome = run_with(&suite, &options);
    let log = &outcome.tests[0].log;
    assert!(log.len() == 10 && log.last().unwrap().contains("left out"), "{log:?}");
    assert_eq!(statuses(&outcome), "pass");
}

#[test]
fn what_is_drawn_stays_between_tests_of_strict_mode() {
    // The basket keeps its size from the first test until a block changes it, although the property
    // is restored.
    let suite = pair(
        "t.getSprite('Basket').getScratchTarget().setSize(300);",
        "const basket = t.getSprite('Basket'), raw = basket.getScratchTarget();
        t.assert.less(basket.size, 200);
        raw.setXY(0, 0);
        const {left, right} = raw.getBounds();
        t.log(right - left);",
    );
    let demo = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../datasets/demo/apple-catch");
    let program = Program::compile(&Project::read(Path::new(demo)).unwrap()).unwrap();
    let program = Arc::new(program.with_colors());
    let suite = SuiteFile::new("suite.js", &suite).unwrap();
    let width = |options: &SuiteOptions| {
        let outcome = whisker::run(&suite, &program, options).unwrap();
        assert_eq!(statuses(&outcome), "pass pass");
        outcome.tests[1].log[0].parse::<f64>().unwrap()
    };
    let (fresh, kept) = (width(&SuiteOptions::default()), width(&strict(false)));
    assert!(kept > 1.4 * fresh, "{kept} {fresh}");
}
