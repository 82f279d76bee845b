//! A template, a submission, and functions that judge the submission.

use catherd_scratch_grading_itch::{JudgeOptions, Judgement, Plan, judge};
use catherd_scratch_sb3::test_support::{TargetBuilder, number, project};
use catherd_scratch_sb3::{Field, Opcode, Project, Value, Variable};

/// The template from which pupils start: `Cat` says `hi` for half a second when the flag is
/// clicked.
pub(crate) fn template() -> Project {
    project(vec![stage(), cat(&mut TargetBuilder::new("Cat"), false), dog()])
}

/// The solution. In addition to the template, `Cat` walks three times by 10 and sends `done` when
/// it is clicked, and asks for a name when the key `q` is pressed.
pub(crate) fn submission() -> Project {
    project(vec![stage(), cat(&mut TargetBuilder::new("Cat"), true), dog()])
}

fn stage() -> TargetBuilder {
    let mut stage = TargetBuilder::new("Stage");
    let score = Variable {
        id: "score".into(),
        name: "score".into(),
        value: Value::Number(0.0),
        cloud: false,
    };
    stage.target.variables.push(score);
    stage.target.broadcasts.push(("id".into(), "done".into()));
    stage
}

fn cat(cat: &mut TargetBuilder, solved: bool) -> TargetBuilder {
    let hi = [("MESSAGE", number("hi")), ("SECS", number("0.5"))];
    let say = cat.block(Opcode::LooksSayForSecs, &hi);
    cat.flag(&[say]);
    if solved {
        let walk = cat.block(Opcode::MotionMoveSteps, &[("STEPS", number("10"))]);
        let repeat = cat.block(Opcode::ControlRepeat, &[("TIMES", number("3"))]);
        cat.hold(repeat, walk);
        let send = cat.block(Opcode::EventBroadcast, &[("BROADCAST_INPUT", number("done"))]);
        cat.hat(Opcode::EventWhenThisSpriteClicked, None, &[repeat, send]);
        let ask = cat.block(Opcode::SensingAskAndWait, &[("QUESTION", number("name?"))]);
        let answer = cat.value(Opcode::SensingAnswer, &[]);
        let joined = [("STRING1", number("hello ")), ("STRING2", answer)];
        let joined = cat.value(Opcode::OperatorJoin, &joined);
        let think = cat.block(Opcode::LooksThink, &[("MESSAGE", joined)]);
        cat.hat(Opcode::EventWhenKeyPressed, Some(("KEY_OPTION", "q")), &[ask, think]);
    }
    TargetBuilder { target: cat.target.clone() }
}

/// After `done` is sent, `Dog` increases `score` forever and draws a line with its pen.
fn dog() -> TargetBuilder {
    let mut dog = TargetBuilder::new("Dog");
    let pen = dog.block(Opcode::PenPenDown, &[]);
    let right = dog.block(Opcode::MotionGoToXY, &[("X", number("50")), ("Y", number("0"))]);
    let count = dog.block(Opcode::DataChangeVariableBy, &[("VALUE", number("1"))]);
    dog.target.blocks[count as usize].fields.push(Field {
        name: "VARIABLE".into(),
        value: Value::Text("score".into()),
        id: Some("score".into()),
    });
    let forever = dog.block(Opcode::ControlForever, &[]);
    dog.hold(forever, count);
    let message = Some(("BROADCAST_OPTION", "done"));
    dog.hat(Opcode::EventWhenBroadcastReceived, message, &[pen, right, forever]);
    dog
}

#[allow(dead_code, reason = "not all tests use it")]
pub(crate) fn judged(plan: &str) -> Judgement {
    judged_with(plan, &JudgeOptions::default())
}

/// Judges the submission twice by a plan with options; both judgements must be equal.
pub(crate) fn judged_with(plan: &str, options: &JudgeOptions) -> Judgement {
    let plan = Plan::new("plan.js", plan).unwrap();
    let judgement = judge(&plan, &template(), &submission(), options).unwrap();
    assert_eq!(judge(&plan, &template(), &submission(), options).unwrap(), judgement);
    judgement
}

/// The statuses and feedback of all tests: `correct: text`.
#[allow(dead_code, reason = "not all tests use it")]
pub(crate) fn verdicts(judgement: &Judgement) -> Vec<String> {
    let closed = judgement.lines.iter().filter(|line| line.contains("\"close-test\""));
    let value = |line: &String| -> serde_json::Value { serde_json::from_str(line).unwrap() };
    closed
        .map(|line| {
            let test = value(line);
            let feedback = test["feedback"].as_str().map_or(String::new(), |f| format!(": {f}"));
            format!("{}{feedback}", test["status"].as_str().unwrap())
        })
        .collect()
}

/// A plan that writes the value of an expression in the last phase, after a schedule.
#[allow(dead_code, reason = "not all tests use it")]
pub(crate) fn says(schedule: &str, expression: &str) -> String {
    format!(
        "function duringExecution(e) {{ {schedule} }}
        function afterExecution(e) {{
            e.group.test('x').feedback({{correct: JSON.stringify({expression})}}).acceptIf(true);
        }}"
    )
}
