//! Tests of judging: phases, patterns, the schedule, the log and formats.

use crate::support;

use catherd_scratch_grading_itch::{JudgeOptions, JudgementEnd, Plan, ReportNames, Status, judge};
use catherd_scratch_sb3::Opcode;
use catherd_scratch_sb3::test_support::{TargetBuilder, number, project};
use support::{judged, judged_with, says, submission, template, verdicts};

/// The output of a plan that writes the value of an expression before the execution.
fn said(expression: &str) -> String {
    let plan = format!(
        "function beforeExecution(e) {{
            e.group.test('x').feedback({{correct: JSON.stringify({expression})}}).acceptIf(true);
        }}"
    );
    verdicts(&judged(&plan)).concat().replace("correct: ", "")
}

#[test]
fn nodes_have_inputs_fields_and_what_is_below() {
    let cat = "e.log.submission.sprite('Cat')";
    assert_eq!(said(&format!("{cat}.blockTreeList().length")), "3");
    let root = said(&format!("{cat}.findScript(B.whenSpriteClicked()).next"));
    let expected = r#"{"opcode":"control_repeat","next":{"opcode":"event_broadcast","next":null,"#;
    assert!(root.starts_with(expected), "{root}");
    assert!(root.contains(r#""inputs":{"TIMES":"3","SUBSTACK":{"opcode":"motion_movesteps""#));
    assert_eq!(said("e.log.submission.stage.variable('score').value"), "0");
    assert_eq!(said("e.log.template.findSprite('Bird') === undefined"), "true");
}

#[test]
fn patterns_match_prefixes_choices_and_absence() {
    let clicked = "e.log.submission.sprite('Cat').findScript(B.whenSpriteClicked())";
    let matches = |pattern: &str| said(&format!("B.subTreeMatchesScript({clicked}, {pattern})"));
    for pattern in [
        "B.whenSpriteClicked()",
        "B.script(B.whenSpriteClicked(), B.repeat(3, B.moveXSteps('10')))",
        "B.script(B.whenSpriteClicked(), [B.show(), B.repeat(B.anything(), B.anything())])",
        "B.script(B.anything(), B.anything(), B.broadcast('DONE'), B.nothing())",
        "B.script(B.whenSpriteClicked(), B.repeat(n => n > 2, B.script(B.moveXSteps(10), B.nothing())))",
    ] {
        assert_eq!(matches(pattern), "true", "{pattern}");
    }
    for pattern in [
        "B.script(B.whenSpriteClicked(), B.nothing())",
        "B.script(B.whenSpriteClicked(), B.repeat())",
        "B.script(B.whenSpriteClicked(), B.repeat('3.0', B.anything()))",
        "B.script(B.whenSpriteClicked(), B.forever(B.anything()))",
        "[B.show(), B.hide()]",
    ] {
        assert_eq!(matches(pattern), "false", "{pattern}");
    }
}

#[test]
fn changes_of_the_template_are_found() {
    let check = |config: &str| {
        let plan =
            format!("function beforeExecution(e) {{ Itch.checkPredefinedBlocks({config}, e); }}");
        judged_with(&plan, &JudgeOptions { language: "en".to_owned(), ..JudgeOptions::default() })
    };
    // Cat has more scripts than in the template; Dog has the same scripts.
    let verdict = check("{}");
    let lines = verdicts(&verdict);
    assert_eq!(lines.iter().filter(|line| line.starts_with("wrong")).count(), 1, "{lines:?}");
    assert!(lines.iter().any(|line| line.starts_with("wrong: There are unnecessary blocks")));
    assert_eq!(verdict.status(), Status::Wrong);
    let allowed =
        check("{spriteConfig: {Cat: {pattern: () => false, allowAdditionalScripts: true}}}");
    assert_eq!(allowed.status(), Status::Correct, "{:#?}", allowed.lines);
    // With the projects exchanged, scripts are missing.
    let plan = "function beforeExecution(e) { Itch.checkPredefinedBlocks({}, e); }";
    let plan = Plan::new("plan.js", plan).unwrap();
    let reversed = judge(&plan, &submission(), &template(), &JudgeOptions::default()).unwrap();
    assert!(verdicts(&reversed).iter().any(|line| line.contains("Oops")), "{reversed:#?}");
}

#[test]
fn blocks_are_checked_one_by_one_and_in_any_order() {
    let plan = "function beforeExecution(e) {
        const root = e.log.submission.sprite('Cat').findScript(B.whenSpriteClicked());
        B.checkBlocks(e, root.next, [
            {name: 'loop', pattern: B.repeat(3, B.anything()), substack: [
                {name: 'walk', pattern: B.moveXSteps(10)}, {name: 'end', pattern: B.nothing()}]},
            B.anyOrder([{name: 'hide', pattern: B.hide()}, {name: 'send', pattern: B.broadcast('done')}]),
        ]);
    }";
    let judgement = judged(plan);
    assert_eq!(verdicts(&judgement), ["correct", "correct", "correct", "correct", "wrong"]);
    assert!(judgement.partial().contains(r#""name":"Lus""#));
}

#[test]
fn a_schedule_is_executed_in_order() {
    let plan = "let order = [];
        function duringExecution(e) {
            const note = name => () => order.push(name);
            const root = e.scheduler.log(note('root'));
            root.wait(60).log(note('late'));
            root.wait(20).log(note('early')).wait(20).log(note('between'));
            root.log(note('a')).log(note('c'));
            root.log(note('b'));
            const first = root.wait(30);
            root.join([root.wait(500), first]).log(note('joined'));
            root.forEach([1, 2], (event, n) => event.log(note(n)));
            root.wait(100).end();
        }
        function afterExecution(e) {
            e.group.test('order').feedback({correct: order.join(' ')}).acceptIf(true);
        }";
    let order = "correct: root a b 1 c 2 early joined between late";
    assert_eq!(verdicts(&judged(plan)), [order]);
}

#[test]
fn actions_wait_for_the_threads_that_they_start() {
    let schedule = "e.scheduler.greenFlag().clickSprite('Cat').end();";
    let events =
        "e.log.events.map(x => [x.type, x.data.name ?? x.data.text ?? x.data.target, x.hasNext()])";
    let said = verdicts(&judged(&says(schedule, events))).concat();
    let expected = concat!(
        r#"correct: [["greenFlag",null,true],["renderer","createTextSkin",true],["say","hi",true],"#,
        r#"["renderer","destroySkin",true],["click","Cat",true]"#
    );
    assert!(said.starts_with(expected), "{said}");
    // A step takes 1/60 s, so the bubble is shown for 30 steps. The click moves the cat by 10 three
    // times.
    let x = judged(&says(schedule, "[e.log.last.sprite('Cat').x, e.log.events[1].next.timestamp]"));
    assert_eq!(verdicts(&x), ["correct: [30,16]"]);
    assert!((30..40).contains(&x.steps), "{}", x.steps);
}

#[test]
fn acceleration_shortens_the_schedule_and_not_the_program() {
    let plan = |factor: u32| {
        let schedule = format!("e.acceleration = {factor}; e.scheduler.greenFlag().end();");
        judged(&says(&schedule, "e.log.last.timestamp"))
    };
    let (slow, fast) = (plan(1), plan(10));
    assert_eq!(slow.steps, fast.steps);
    let time = |judgement| -> f64 {
        let said = verdicts(&judgement).concat();
        said.strip_prefix("correct: ").unwrap().parse().unwrap()
    };
    let (slow, fast) = (time(slow), time(fast));
    assert!(slow > 9.0 * fast, "{slow} {fast}");
}

#[test]
fn conditions_are_met_by_moves_and_messages() {
    let schedule = "
        e.scheduler.trackBroadcast('done').track('Cat');
        const start = e.scheduler.clickSprite('Cat', false);
        start.wait(Itch.sprite('Cat').toReach({x: 20, y: null})).log(() => met.push('20'));
        start.wait(Itch.sprite('Cat').toMove()).log(() => met.push('moved'));
        start.wait(Itch.broadcast('done')).log(() => met.push('done')).wait(100).end();";
    let plan = format!("const met = []; {}", says(schedule, "met"));
    assert_eq!(verdicts(&judged(&plan)), [r#"correct: ["moved","20","done"]"#]);
}

#[test]
fn questions_are_answered_at_once() {
    let schedule = "e.answers = ['Ada']; e.scheduler.pressKey('q').wait(50).end();";
    let responses = judged(&says(schedule, "e.log.renderer.responses"));
    assert_eq!(verdicts(&responses), [r#"correct: ["name?","hello Ada"]"#]);
    let plan = says("e.scheduler.pressKey('q').end();", "e.log.renderer.responses");
    let unanswered = judged(&plan);
    assert_eq!(verdicts(&unanswered), [r#"correct: ["name?","hello undefined"]"#]);
    assert_eq!(unanswered.status(), Status::Wrong);
}

#[test]
fn the_profiler_logs_reporters_with_the_block_that_they_are_in() {
    let schedule = "e.answers = ['Ada']; e.enableAdvancedProfiler(['Cat']);
        e.scheduler.pressKey('q').wait(50).end();";
    let executed = "e.log.events.filter(x => x.type === 'block_execution')
        .map(x => x.data.block().opcode)";
    let said = verdicts(&judged(&says(schedule, executed))).concat();
    let expected = r#"["sensing_askandwait","looks_think","looks_think","looks_think"]"#;
    assert_eq!(said, format!("correct: {expected}"));
}

#[test]
fn a_change_of_the_tempo_is_in_the_log() {
    let mut stage = TargetBuilder::new("Stage");
    let tempo = stage.block(Opcode::MusicSetTempo, &[("TEMPO", number("90"))]);
    stage.flag(&[tempo]);
    let changed = project(vec![stage]);
    let text = says("e.scheduler.greenFlag().wait(100).end();", "e.log.last.stage.tempo");
    let plan = Plan::new("plan.js", &text).unwrap();
    let judgement = judge(&plan, &changed, &changed, &JudgeOptions::default()).unwrap();
    assert_eq!(verdicts(&judgement), ["correct: 90"]);
}

/// Costumes of both projects come first, then the pen layer of the template.
#[test]
fn pictures_of_bubbles_are_numbered_after_costumes_and_pen() {
    let costumes = |project: catherd_scratch_sb3::Project| -> usize {
        project.targets.iter().map(|target| target.costumes.len()).sum()
    };
    let first = costumes(template()) + costumes(submission()) + 1;
    let schedule = "e.scheduler.greenFlag().greenFlag().end();";
    let numbers = "e.log.events.filter(x => x.data?.name === 'createTextSkin').map(x => x.data.id)";
    let said = verdicts(&judged(&says(schedule, numbers))).concat();
    assert_eq!(said, format!("correct: [{first},{}]", first + 1));
}

#[test]
fn pens_and_bounds_are_logged() {
    let schedule =
        "e.scheduler.sendBroadcast('done', false).wait(100).setVariableTo('score', 5).end();";
    let values = "[e.log.renderer.lines, e.log.renderer.points.length, \
        e.log.last.sprite('Dog').position, e.log.last.stage.variable('score').value >= 5]";
    let said = verdicts(&judged(&says(schedule, values))).concat();
    let line = r#"[{"start":{"x":0,"y":0},"end":{"x":50,"y":0}}]"#;
    assert_eq!(said, format!(r#"correct: [{line},1,{{"x":50,"y":0}},true]"#));
}

#[test]
fn ends_of_judgements_differ() {
    let timeout =
        "function duringExecution(e) { e.scheduler.wait(Itch.sprite('Dog').toMove(200)).end(); }";
    assert_eq!(judged(timeout).status(), Status::TimeLimit);
    let handled = timeout.replace("toMove(200))", "toMove(200)).timedOut(() => true)");
    assert_eq!(judged(&handled).status(), Status::Correct);
    let fatal = "function beforeExecution(e) { e.group.test('f').fatal().acceptIf(false); }
        function afterExecution(e) { e.group.test('never').acceptIf(true); }";
    assert_eq!(verdicts(&judged(fatal)), ["wrong"]);
    let thrown = "function beforeExecution(e) {\n  e.group.group('g', () => nothing()); }";
    let judgement = judged(thrown);
    assert_eq!(judgement.status(), Status::Testplan);
    assert!(judgement.partial().contains("on line 2"), "{judgement:#?}");
    assert!(judgement.partial().ends_with("{\"command\":\"close-judgement\"}\n"));
    let unknown = judged("function beforeExecution(e) { B.moveSteps(10); }");
    assert!(matches!(&unknown.end, JudgementEnd::Rejected(text) if text.contains("`B.moveSteps`")));
    let strict = judged_with(thrown, &JudgeOptions { strict: true, ..JudgeOptions::default() });
    assert!(!strict.partial().contains("close-judgement"), "{strict:#?}");
    let failed = judged("function duringExecution(e) { e.scheduler.pressKey('F13').end(); }");
    assert!(matches!(failed.end, JudgementEnd::Failed(_)), "{failed:#?}");
    assert_eq!(failed.status(), Status::Internal);
}

#[test]
fn groups_that_ignore_wrong_tests_are_nested() {
    let plan = "function beforeExecution(e) {
        e.group.group('outer', {ignoreWrong: true}, () => {
            e.group.test('kept').acceptIf(true);
            e.group.group('inner', {ignoreWrong: true}, () => e.group.test('dropped').acceptIf(false));
        });
    }";
    let judgement = judged(plan);
    let text = judgement.partial();
    assert!(text.contains("kept") && !text.contains("dropped"), "{text}");
    let groups = |word: &str| text.matches(word).count();
    assert_eq!(groups("start-group"), groups("close-group"));
}

#[test]
fn all_formats_say_the_same() {
    let plan = "function beforeExecution(e) {
        e.group.group('g', {sprite: 'Cat', visibility: 'summary', summary: 'fine'}, () => {
            e.group.test('a').feedback({correct: 'well done'}).acceptIf(true);
            e.group.test('b').diff().expect(1).toBe(2);
            e.output.appendMessage('hello');
        });
    }";
    let judgement = judged(plan);
    let full = judgement.full();
    assert_eq!(full["meta"], serde_json::json!({ "totalTests": 2, "correctTests": 1 }));
    let group = &full["children"][0];
    assert_eq!(group["messages"], serde_json::json!(["hello"]));
    assert_eq!(group["children"][1]["diff"], serde_json::json!({ "expected": "2", "actual": "1" }));
    let report =
        judgement.report(ReportNames { project: "p".to_owned(), ..ReportNames::default() });
    assert_eq!((report.tally().pass, report.tally().fail), (1, 1));
    assert_eq!(report.groups[0].sprite.as_deref(), Some("Cat"));
    assert_eq!(report.tests[0].feedback[0].text, "well done");
}

#[test]
fn a_test_with_half_an_emoji_is_kept() {
    let plan = "function beforeExecution(e) {
        e.group.group('g', () => {
            e.group.test('a').feedback({wrong: '\\u{1f600}'[0]}).acceptIf(false);
            e.group.test('\\u{1f600}'[1]).acceptIf(true);
        });
    }";
    let judgement = judged(plan);
    assert_eq!(verdicts(&judgement), ["wrong: \u{fffd}", "correct"]);
    let tally = judgement.report(ReportNames::default()).tally();
    assert_eq!((tally.pass, tally.fail), (1, 1));
}

#[test]
fn a_static_judgement_executes_nothing() {
    let plan = "function beforeExecution(e) { e.group.test('a').acceptIf(true); }
        function duringExecution(e) { e.group.test('never').acceptIf(false); }";
    let judgement =
        judged_with(plan, &JudgeOptions { only_static: true, ..JudgeOptions::default() });
    assert_eq!((verdicts(&judgement).len(), judgement.steps), (1, 0));
    assert!(judgement.partial().contains("append-message"));
}
