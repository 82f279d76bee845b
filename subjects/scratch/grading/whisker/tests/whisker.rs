//! Tests Whisker suites on a small project: values that tests read, order of calls, and results.

use std::sync::Arc;

use crate::support;

use catherd_scratch_grading_report::{Skips, Status};
use catherd_scratch_grading_whisker::whisker::{self, SuiteFile, SuiteOptions};
use catherd_scratch_sb3::Opcode;
use catherd_scratch_sb3::test_support::{self, TargetBuilder, number};
use catherd_scratch_vm::Program;
use support::{chosen, messages, run, run_with, statuses, suite_of, test_of};

#[test]
fn suites_of_both_shapes_are_loaded() {
    let items = "const a = async function (t) { t.assert.ok(true) };
        module.exports = [{test: a, name: 'first'}, async function second(t) { t.assert.ok(false) },
            {name: 'third', skip: true}, {}]";
    let outcome = run(items);
    let names: Vec<_> = outcome.tests.iter().map(|test| test.name.as_deref()).collect();
    assert_eq!(names, [Some("first"), Some("second"), Some("third"), None]);
    assert_eq!(statuses(&outcome), "pass fail skip pass");
    let exported = "export default [{test: async t => t.assert.equal('5', 5), name: 'a'}]";
    assert_eq!(statuses(&run(exported)), "pass");
}

#[test]
fn scripts_of_the_flag_run_with_the_first_step() {
    test_of(
        "
        const cat = t.getSprite('Cat');
        t.assert.equal(cat.x, 0);
        t.assert.equal(await t.runForSteps(0), 0);
        t.assert.equal(cat.sayText, null);
        t.assert.not(t.isProjectRunning());
        t.assert.equal(await t.runForSteps(1), 1);
        t.assert.equal(cat.sayText, 'hi');
        t.assert.equal(cat.x, 1);
        t.assert.equal(cat.old.x, 0);
        t.assert.ok(t.isProjectRunning());
        t.assert.equal(t.getGlobalVariable('score'), 1);",
    );
}

#[test]
fn variables_are_listed_from_their_creation() {
    let mut cat = TargetBuilder::new("Cat");
    let wait = cat.block(Opcode::ControlWait, &[("DURATION", number("1"))]);
    let set = cat.block(Opcode::DataSetVariableTo, &[("VALUE", number("1"))]);
    cat.target.blocks[set as usize].fields.push(chosen("undeclared"));
    cat.flag(&[wait, set]);
    let project = test_support::project(vec![TargetBuilder::new("Stage"), cat]);
    let program = Arc::new(Program::compile(&project).unwrap().with_colors());
    let suite = suite_of(
        "
        const names = () => t.getSprite('Cat').getVariables().map(variable => variable.name);
        t.assert.equal(names().join(), '');
        await t.runForTime(2000);
        t.assert.equal(names().join(), 'undeclared');",
    );
    let suite = SuiteFile::new("suite.js", &suite).unwrap();
    let outcome = whisker::run(&suite, &program, &SuiteOptions::default()).unwrap();
    assert_eq!(statuses(&outcome), "pass", "{outcome:#?}");
}

#[test]
fn times_become_steps_by_comparison() {
    test_of("
        for (const [ms, steps] of [[5, 1], [33, 1], [34, 2], [66, 2], [67, 3], [100, 3], [250, 8],
                                   [1000, 30], [2000, 60], [0, 0], [-5, 0], [NaN, 0], [() => 1, 0]]) {
            t.assert.equal(await t.runForTime(ms), steps * (1000 / 30), ms);
            t.assert.equal(t.getRunStepsExecuted(), steps);
        }
        t.assert.equal(await t.runUntil(() => true), 0);
        t.assert.equal(t.getTotalStepsExecuted(), 110);");
}

#[test]
fn conditions_changes_and_cancelling_end_runs() {
    test_of(
        "
        const cat = t.getSprite('Cat');
        await t.runUntil(() => cat.x >= 5, 10000);
        t.assert.equal(t.getRunStepsExecuted(), 5);
        await t.runUntilChanges(() => cat.x);
        t.assert.equal(cat.x, 6);
        let steps = 0;
        t.addCallback(() => { if (++steps === 3) t.cancelRun() }, true);
        await t.runForSteps(100);
        t.assert.equal(t.getRunStepsExecuted(), 3);",
    );
}

#[test]
fn a_second_run_is_refused_while_one_is_active() {
    let outcome = test_of_any(
        "
        const first = t.runForSteps(5);
        let message = '';
        try { await t.runForSteps(5) } catch (e) { message = e.message }
        t.assert.ok(message.includes('already active'), message);
        await first;
        t.assert.equal(t.getTotalStepsExecuted(), 5);",
    );
    assert_eq!(statuses(&outcome), "pass");
    let forgotten = test_of_any("t.runForSteps(5); t.assert.ok(true)");
    assert_eq!(statuses(&forgotten), "pass");
    assert!(forgotten.tests[0].hints[0].contains("a run was not awaited"), "{forgotten:?}");
}

fn test_of_any(body: &str) -> catherd_scratch_grading_whisker::whisker::SuiteOutcome {
    run(&support::suite_of(body))
}

#[test]
fn phases_of_a_step_have_their_order_and_jobs_run_between_them() {
    test_of("
        const cat = t.getSprite('Cat'), log = [];
        const later = name => Promise.resolve().then(() => log.push(name + ' job'));
        t.addCallback(() => { log.push('before ' + cat.x); later('before') });
        t.addCallback(() => { log.push('after ' + cat.x + ' ' + t.getRunStepsExecuted()); later('after') }, true);
        t.addConstraint(() => { log.push('constraint'); later('constraint') });
        t.onSpriteMoved(s => { log.push('moved ' + s.name + s.x + ' from ' + s.old.x); later('moved') });
        await t.runForSteps(1);
        t.assert.equal(log.join(), ['before 0', 'before job', 'moved Cat1 from 0', 'moved job',
            'after 1 0', 'after job', 'constraint', 'constraint job'].join());");
}

#[test]
fn callbacks_are_removed_by_a_truthy_result() {
    test_of("
        let calls = 0, others = 0;
        const callback = t.addCallback(() => ++calls === 2, false, 'counter');
        const other = t.addCallback(() => { others++ });
        await t.runForSteps(3);
        other.disable();
        await t.runForSteps(2);
        other.enable();
        await t.runForSteps(1);
        t.assert.equal([calls, others, callback.name, t.removeCallback(callback)].join(), '2,4,counter,false');
        let count = 0;
        t.addCallback(async () => { count++ });
        await t.runForSteps(5);
        t.assert.equal(count, 1, 'a promise is truthy');");
}

#[test]
fn watchers_see_the_state_in_the_middle_of_a_step() {
    test_of(
        "
        const seen = [];
        t.getSprites();
        t.onSpriteMoved(s => seen.push('x' + s.x + '/' + t.getGlobalVariable('score')));
        t.onVariableChange(name => seen.push(name + '=' + t.getGlobalVariable(name)));
        t.onSayOrThink(s => seen.push('says ' + s.sayText));
        t.onSpriteVisualChange(s => seen.push('costume ' + s.size));
        await t.runForSteps(1);
        t.assert.equal(seen.join(), 'luck=undefined,says hi,score=1,x1/1');
        t.onSpriteMoved(null);
        t.onVariableChange(null);
        seen.length = 0;
        await t.runForSteps(1);
        t.assert.equal(seen.join(), '');",
    );
}

#[test]
fn inputs_of_watchers_act_at_once() {
    test_of(
        "
        t.getSprite('Cat');
        t.onSpriteMoved(() => { t.mouseMove(10, 20); t.keyPress('space', 2) });
        await t.runForSteps(1);
        const {x, y} = t.getMousePos();
        t.assert.equal([x, y, t.isKeyDown('space')].join(), '10,20,true');",
    );
}

#[test]
fn values_are_read_anew_after_each_change() {
    test_of(
        "
        const cat = t.getSprite('Cat'), raw = cat.getScratchTarget();
        const seen = [cat.x];
        raw.setXY(5, 6);
        seen.push(cat.x, cat.old.x, cat.pos.y);
        t.dragSprite('Cat', 7, 8);
        seen.push(cat.x, cat.old.x);
        raw.setDirection(0); raw.setVisible(false);
        seen.push(cat.direction, cat.visible);
        await t.runForSteps(1);
        seen.push(cat.x, cat.old.x, cat.old.visible);
        t.assert.equal(seen.join(), '0,5,0,6,7,5,0,false,8,7,false');",
    );
    test_of(
        "
        const dog = t.getSprite('Dog');
        const seen = [dog.getCloneCount(), t.getSprites().length];
        t.clickSprite('Dog');
        await t.runForSteps(2);
        const [clone] = dog.getClones();
        seen.push(dog.getCloneCount(), t.getSprites().length, dog.getNewClones().length, dog.getNewClones().length);
        seen.push(clone.getOriginal() === dog, clone.exists, clone.name, clone.isOriginal);
        t.end();
        seen.push(clone.exists, dog.getCloneCount());
        t.assert.equal(seen.join(), '0,2,1,3,1,0,true,true,Dog,false,false,0');",
    );
}

#[test]
fn a_watcher_that_throws_ends_the_step_and_the_run() {
    test_of(
        "
        t.getSprite('Cat');
        t.onSpriteMoved(() => t.assert.fail('moved'));
        let error;
        try { await t.runForSteps(5) } catch (e) { error = e }
        t.assert.equal(error.message, 'moved');
        t.assert.equal(error.name, 'AssertionError');
        t.assert.ok(t.isRunning(), 'a rejected run stays active');",
    );
    let outcome = test_of_any(
        "t.getSprite('Cat'); t.onSpriteMoved(() => t.greenFlag()); await t.runForSteps(1)",
    );
    assert_eq!(messages(&outcome), "`t.greenFlag()` inside a watcher: the step has not ended");
    test_of(
        "t.getSprite('Cat'); t.onSpriteMoved(() => t.end()); await t.runForSteps(9);
        t.assert.equal(t.getRunStepsExecuted(), 1)",
    );
}

#[test]
fn constraints_fail_stop_or_are_recorded() {
    let fails = test_of_any(
        "
        t.addConstraint(() => t.assert.less(t.getSprite('Cat').x, 3, 'too far'), 'near');
        await t.runForSteps(9)",
    );
    assert_eq!((statuses(&fails), messages(&fails)), ("fail".into(), "too far".into()));
    assert_eq!(fails.tests[0].details["constraint"], "near");
    test_of(
        "
        t.onConstraintFailure('nothing');
        const c = t.addConstraint(() => t.assert.less(t.getSprite('Cat').x, 3));
        await t.runForSteps(9);
        t.assert.equal(t.getRunStepsExecuted(), 9);
        t.assert.equal(c.error.operator, '<');
        t.onConstraintFailure('stop');
        t.addConstraint(() => t.assert.less(t.getSprite('Cat').x, 12));
        await t.runForSteps(9);
        t.assert.equal(t.getRunStepsExecuted(), 3);
        t.assert.equal(t.onConstraintFailure(), 'stop');",
    );
}

#[test]
fn keys_are_pressed_for_exactly_their_steps() {
    test_of("
        const dog = t.getSprite('Dog');
        t.keyPress('space', 2);
        t.assert.ok(t.isKeyDown('space') && t.isKeyDown(' '));
        await t.runForSteps(4);
        t.assert.equal(dog.y, 2, 'two steps with the key');
        t.addInput(1, {device: 'keyboard', key: 'space', isDown: true, steps: 3});
        await t.runForSteps(8);
        t.assert.equal(dog.y, 5);
        t.keyPress('space', 30);
        await t.runForSteps(30);
        t.assert.ok(t.isKeyDown('space'));
        t.resetKeyboard();
        t.assert.not(t.isKeyDown('space'));
        const input = t.addInput(5, {device: 'keyboard', key: 'space', isDown: true});
        t.assert.ok(t.removeInput(input) && !t.removeInput(input));
        t.inputImmediate({device: 'mouse', x: 10, y: 20, isDown: true, steps: 1});
        t.assert.equal(JSON.stringify(t.getMousePos()) + t.isMouseDown(), '{\"x\":10,\"y\":20}true');
        await t.runForSteps(2);
        t.assert.not(t.isMouseDown());
        try { t.addInput(1, {device: 'nose'}) } catch (e) { t.assert.ok(e.message.includes('nose')) }");
}

#[test]
fn clicks_drags_and_messages_reach_the_program() {
    test_of("
        const dog = t.getSprite('Dog'), moved = [];
        t.clickSprite('Dog');
        await t.runForSteps(1);
        t.assert.equal(dog.direction, 105);
        t.onSpriteMoved(s => moved.push(s.name));
        t.dragSprite('Dog', 30, 40);
        t.assert.equal([dog.x, dog.y, moved.join()].join(), '30,40,Dog');
        t.assert.equal(dog.getCloneCount(), 1, 'the click made a clone');
        const clone = dog.getClones()[0];
        t.assert.ok(clone.exists && !clone.isOriginal && clone.name === 'Dog' && clone.getOriginal() === dog);
        t.assert.equal(t.getSprites(s => s.name === 'Dog').length, 2);
        t.assert.ok(t.getSprite('Dog') === dog, 'one wrapper per target');
        t.greenFlag();
        t.assert.not(clone.exists, 'the flag deletes clones');");
}

#[test]
fn variables_are_strings_or_raw_values() {
    let body = "
        const score = t.getStage().getVariable('score');
        await t.runForSteps(2);
        t.assert.strictEqual(score.value, EXPECTED);
        t.assert.equal(score.old.value, 1);
        t.assert.ok(t.setGlobalVariable('score', 40) && !t.setGlobalVariable('nothing', 1));
        score.getScratchVariable().value = 41;
        await t.runForSteps(1);
        t.assert.equal(score.value, 42);
        t.assert.strictEqual(t.getStage().getVariable('nothing'), undefined);";
    test_of(&body.replace("EXPECTED", "'2'"));
    let options = SuiteOptions { compat_p: true, ..SuiteOptions::default() };
    let outcome = run_with(&support::suite_of(&body.replace("EXPECTED", "2")), &options);
    assert_eq!(messages(&outcome), "");
}

#[test]
fn suites_start_only_the_scripts_of_a_hat() {
    test_of(
        "
        const {runtime} = t.vm;
        const cat = runtime.getSpriteTargetByName('Cat');
        t.assert.equal(runtime.startHats('event_whenflagclicked', {}, cat).length, 1);
        t.assert.equal(runtime.startHats('event_whenflagclicked', null, runtime.getTargetForStage()).length, 0);
        t.assert.equal(runtime.startHats('event_whenkeypressed', {KEY_OPTION: 'F9'}).length, 0);
        t.assert.equal(runtime.startHats('motion_movesteps').length, 0);",
    );
    for (call, error) in [
        (
            "startHats('event_whenkeypressed')",
            "startHats: `event_whenkeypressed` needs the field KEY_OPTION",
        ),
        (
            "startHats('event_whenflagclicked', {}, {id: 1})",
            "startHats: the target is not part of the machine",
        ),
    ] {
        let outcome = test_of_any(&format!("t.vm.runtime.{call}"));
        assert!(messages(&outcome).starts_with(error), "{}", messages(&outcome));
    }
}

#[test]
fn raw_objects_are_a_facade_that_names_what_is_missing() {
    test_of(
        "
        const raw = t.vm.runtime.targets.find(target => target.sprite.name === 'Cat');
        raw.setXY(50, 60, true);
        t.assert.equal([raw.x, raw.y, raw.getName(), raw.isOriginal].join(), '50,60,Cat,true');
        t.assert.equal(t.getSprite('Cat').getScratchTarget().x, 50);",
    );
    let outcome = test_of_any("t.vm.runtime.renderer.draw()");
    assert!(messages(&outcome).starts_with("`vm.runtime.renderer` is not part of the machine"));
}

#[test]
fn statuses_follow_from_what_was_thrown() {
    for (body, status) in [
        ("t.assert.ok(false)", "fail"),
        ("t.assume.ok(false)", "skip"),
        ("throw new Error('Timeout')", "fail"),
        ("throw new Error('x')", "error"),
        ("throw 5", "error"),
        ("throw null", "error"),
        ("throw {name: 'MyAssert', actual: 1}", "fail"),
        (
            "class AssumeError extends Error { get expected() { return 1 } } throw new AssumeError()",
            "skip",
        ),
        ("throw {get message() { throw 1 }}", "error"),
        ("await new Promise(() => 1)", "error"),
        (
            "await new Promise(r => setTimeout(r, 1e6)); t.assert.equal(t.getTotalStepsExecuted(), 0)",
            "pass",
        ),
    ] {
        assert_eq!(statuses(&test_of_any(body)), status, "{body}");
    }
    let waits = test_of_any("await new Promise(() => 1)");
    assert_eq!(messages(&waits), "the test waits for something that never happens");
    let timeout = run("module.exports = [{test: t => t.runForTime(5000), timeout: 1010}]");
    assert_eq!((statuses(&timeout), messages(&timeout)), ("fail".into(), "Timeout".into()));
    assert_eq!(timeout.tests[0].steps, 31);
}

#[test]
fn messages_have_values_operator_and_place() {
    let outcome = test_of_any("\nt.assert.equal(1, 'two')");
    let test = &outcome.tests[0];
    assert_eq!((test.message.as_str(), test.line), ("1 == \"two\"", Some(2)));
    assert_eq!(test.details["operator"], "==");
    assert_eq!(messages(&test_of_any("t.assert.ok(0, 'a', 'b')")), "a b");
    assert_eq!(
        messages(&test_of_any("t.assert.greater('x', 1)")),
        "greater needs numbers, got \"x\""
    );
    let equal = "t.assert.equal('x', undefined)";
    let options = SuiteOptions { compat_p: true, ..SuiteOptions::default() };
    assert_eq!(statuses(&run_with(&support::suite_of(equal), &options)), "pass");
    assert_eq!(statuses(&test_of_any(equal)), "fail");
}

#[test]
fn hints_name_what_does_not_exist() {
    let hint = |body: &str| test_of_any(body).tests[0].hints.join("; ");
    assert_eq!(
        hint("t.assert.notEqual(1, 2)"),
        "`t.assert.notEqual` does not exist; write `t.assert.not(a == b)`"
    );
    assert_eq!(hint("t.getSprit('Cat')"), "`t.getSprit` does not exist; did you mean `getSprite`?");
    assert_eq!(hint("t.getSprite('Boat').x"), "no sprite is named `Boat`; sprites: Cat, Dog");
    let variable = "no variable of `Stage` is named `Score`; variables: score";
    assert_eq!(hint("t.getStage().getVariable('Score').value"), variable);
    assert_eq!(hint("t.assert.greater(t.getGlobalVariable('Score'), 1)"), variable);
    assert_eq!(
        hint("t.getStage().getList('a').value"),
        "no list of `Stage` is named `a`; there is none"
    );
    assert_eq!(
        hint("t.pressKey('a')"),
        "`t.pressKey` does not exist; write `t.keyPress(key, steps)`"
    );
    assert!(
        messages(&test_of_any("await t.run(5)"))
            .starts_with("the condition of the run is not a function")
    );
    test_of("await t.run(true, 0); t.assert.equal(t.getTotalStepsExecuted(), 0);");
    test_of("t.assert.not(t.doesNotExist); t.assert.not('other' in t)");
    assert!(hint("t.assert.strictEqual(5, '5')").contains("a number is compared with a string"));
    assert_eq!(hint("t.assert.strictEqual(5, '6')"), "");
    let value = hint("t.assert.equal(t.getGlobalVariable('score').value, 1)");
    assert_eq!(value, "`t.getGlobalVariable(...)` returns the value itself; leave `.value` out");
    assert!(hint("t.wait(5000)").starts_with("`wait` counts steps"), "{}", hint("t.wait(5000)"));
    let strict = SuiteOptions { strict: true, ..SuiteOptions::default() };
    let outcome = run_with(&support::suite_of("t.getSprit('Cat')"), &strict);
    assert!(outcome.tests[0].hints.is_empty());
}

#[test]
fn inputs_to_which_a_project_reacts_are_found_in_its_blocks() {
    let found = catherd_scratch_grading_whisker::whisker::detected_inputs(&support::project());
    let found: Vec<_> = found.iter().map(|(kind, text)| (*kind, text.as_str())).collect();
    assert_eq!(found, [("click sprite", "Cat"), ("key", "space"), ("click sprite", "Dog")]);
    let options = SuiteOptions {
        detected_inputs: catherd_scratch_grading_whisker::whisker::detected_inputs(
            &support::project(),
        ),
        ..SuiteOptions::default()
    };
    let body = "t.detectRandomInputs({duration: [50, 100]}); let down = 0;
        t.addCallback(() => { down += t.isMouseDown() + t.isKeyDown('space') }, true);
        await t.runForSteps(60); t.assert.greater(down, 0)";
    let outcome = run_with(&support::suite_of(body), &options);
    assert_eq!(statuses(&outcome), "pass", "{outcome:?}");
}

#[test]
fn a_suite_that_cannot_be_loaded_names_the_place() {
    let error = support::load_error("const x = 1;\nmodule.exports = [;");
    assert!(error.contains("SyntaxError") && error.contains("line 2"), "{error}");
    assert!(error.ends_with(": `module.exports = [;`"), "{error}");
    assert!(support::load_error("module.exports = 5").contains("not an array of tests"));
    let error = support::load_error("const fs = require('fs'); module.exports = []");
    assert!(error.contains("Cannot find module `fs`"), "{error}");
    assert!(support::load_error("for (;;) {} module.exports = []").contains("does not stop"));
}

#[test]
fn tests_begin_in_the_same_state_after_any_test() {
    let suite = "
        const dirty = async t => { t.getSprite('Cat'); t.setVisibility('Cat', false); t.keyPress('space');
            t.setGlobalVariable('score', 99); t.clickSprite('Dog'); t.addCallback(() => t.assert.fail());
            t.onSpriteMoved(() => 1); try { await t.runForSteps(3) } catch {} };
        const clean = async t => { const cat = t.getSprite('Cat');
            t.assert.ok(cat.visible && !t.isKeyDown('space') && t.getSprites().length === 2);
            t.assert.equal(t.getGlobalVariable('score'), 0); await t.runForSteps(1); t.assert.equal(cat.x, 1);
            t.log(Math.random() + ' ' + t.getSpriteVariable('Dog', 'luck')) };
        module.exports = [{test: clean}, {test: dirty}, {test: clean}]";
    let outcome = run(suite);
    assert_eq!(statuses(&outcome), "pass pass pass");
    assert_eq!(outcome.tests[0].log, outcome.tests[2].log);
}

#[test]
fn seeds_decide_random_blocks() {
    let suite = |seed: &str| {
        support::suite_of(&format!(
            "t.seedScratch({seed}); await t.runForSteps(2); t.log(t.getSpriteVariable('Dog', 'luck'))"
        ))
    };
    let log = |seed: &str| run(&suite(seed)).tests[0].log.clone();
    assert_eq!(log("1"), log("'1'"));
    assert_ne!(log("1"), log("2"));
}

#[test]
fn random_inputs_are_chosen_from_a_stream_of_the_seed() {
    let body = "
        t.seedScratch(5);
        t.registerRandomInputs([{device: 'keyboard', key: 'space', isDown: true, duration: [30, 200]}]);
        t.setRandomInputInterval(50);
        await t.runForSteps(60);
        t.log(t.getSprite('Dog').y);";
    let outcome = test_of_any(body);
    let height: f64 = outcome.tests[0].log[0].parse().unwrap();
    assert!(height > 5.0 && height < 60.0, "{height}");
    assert_eq!(outcome, test_of_any(body));
}

#[test]
fn coverage_counts_blocks_of_all_tests() {
    let options = SuiteOptions { coverage: true, ..SuiteOptions::default() };
    let suite = "module.exports = [async t => { await t.runForSteps(1) },
        async t => { const {covered, total} = t.getCoverage(); t.log(covered < total);
            t.clickSprite('Dog'); await t.runForSteps(1) }]";
    let outcome = run_with(suite, &options);
    let (covered, total) = outcome.coverage.unwrap();
    // Only the block that needs the key and the script for clicks on the cat are not covered.
    assert_eq!((covered + 3, outcome.tests[1].log[0].as_str()), (total, "true"));
    assert_eq!(run(suite).coverage, None);
    // The flag covers the hats of `Cat` and `Dog`, although no step is executed.
    let outcome = run_with("module.exports = [{test: () => { throw 'at once' }}]", &options);
    assert_eq!(outcome.coverage.map(|(covered, _)| covered), Some(2));
}

#[test]
fn only_the_chosen_test_is_executed() {
    let suite = "module.exports = [{name: 'a', test: t => t.assert.fail(), categories: ['slow']}, {name: 'b'}]";
    let options = SuiteOptions { tests: vec!["b".into()], ..SuiteOptions::default() };
    assert_eq!(statuses(&run_with(suite, &options)), "pass");
    let options = SuiteOptions { categories: vec!["slow".into()], ..SuiteOptions::default() };
    assert_eq!(statuses(&run_with(suite, &options)), "fail");
}

#[test]
fn outcomes_do_not_depend_on_acceleration() {
    let suite = support::suite_of(
        "await t.runForTime(1234); t.log(t.getTotalStepsExecuted(), t.getSprite('Cat').x)",
    );
    let of =
        |acceleration| run_with(&suite, &SuiteOptions { acceleration, ..SuiteOptions::default() });
    assert_eq!(of(1.0), of(10.0));
    assert_eq!(of(1.0), of(100.0));
}

/// With seed 0, the generator of the original Whisker returns the two numbers after 21 and 42 draws:
/// 20 for the text of the bubble and one for the variable of `Dog`, then the first number and 20
/// for the clone.
#[test]
fn new_bubbles_and_clones_consume_draws_of_the_machine() {
    let body = "
        await t.runForSteps(1);
        t.assert.equal(Math.random(), 0.14890519369418287);
        t.clickSprite('Dog');
        await t.runForSteps(1);
        t.assert.equal(Math.random(), 0.10782289834547885);";
    let strict = SuiteOptions { strict: true, ..SuiteOptions::default() };
    let outcome = run_with(&support::suite_of(body), &strict);
    assert_eq!(statuses(&outcome), "pass", "{outcome:#?}");
}

#[test]
fn strict_mode_has_no_wait() {
    let suite = support::suite_of("await t.wait(5); t.assert.equal(t.getRunStepsExecuted(), 5)");
    assert_eq!(statuses(&run(&suite)), "pass");
    let strict = SuiteOptions { strict: true, ..SuiteOptions::default() };
    assert_eq!(run_with(&suite, &strict).tests[0].status, Status::Error);
}

#[test]
fn reports_are_in_tap() {
    let suite = "module.exports = [{name: 'a', test: t => t.assert.ok(1)},
        {name: 'b', test: t => t.assert.equal(1, 2, 'not two')}, {name: 'c', skip: true},
        {name: 'd', test: t => { t.log('line'); t.assume.ok(false, 'no reason') }}]";
    let outcome = run(suite);
    let report = outcome.report("p", "", "suite.js", "");
    let tap = catherd_scratch_grading_report::tap(&report, Skips::Directive);
    let expected = "TAP version 13\n1..4\nok 1 - a\nnot ok 2 - b\n  ---\n  severity: \"fail\"\n  \
        error: \"AssertionError\"\n  message: \"not two\"\n  actual: 1\n  expected: 2\n  \
        operator: \"==\"\n  generatedMessage: false\n  at: {\"column\":41,\"line\":2}\n  steps: 0\n  \
        ...\nok 3 - c # SKIP the suite says so\nok 4 - d # SKIP no reason\n  ---\n  \
        severity: \"skip\"\n";
    assert!(tap.starts_with(expected), "{tap}");
    assert!(tap.ends_with("# tests 4\n# pass 1\n# fail 1\n# error 0\n# skip 2\n"), "{tap}");
    let strict = catherd_scratch_grading_report::tap(&report, Skips::NotOk);
    assert!(strict.contains("\nnot ok 3 - c\nnot ok 4 - d\n"), "{strict}");
}

#[test]
fn clones_are_dragged_by_the_number_of_clones_when_they_were_made() {
    test_of(
        "
        const dog = t.getSprite('Dog');
        t.clickSprite('Dog');
        await t.runForSteps(2);
        t.clickSprite('Dog');
        await t.runForSteps(2);
        t.dragSprite('Dog', 30, 40, 2);
        t.dragSprite('Dog', 50, 60, 7);
        t.dragSprite('Dog', -30, -40, 0);
        const places = dog.getClones().map(it => it.x + ' ' + it.y).sort();
        t.assert.equal(dog.x + ' ' + dog.y, '-30 -40');
        t.assert.equal(places.join(), '0 0,30 40');",
    );
}
