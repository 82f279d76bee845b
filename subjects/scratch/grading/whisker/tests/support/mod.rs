//! A project with two sprites, and functions that execute suites on it.

use std::sync::Arc;

use catherd_scratch_grading_whisker::whisker::{self, SuiteFile, SuiteOptions, SuiteOutcome};
use catherd_scratch_sb3::test_support::{self, TargetBuilder, number};
use catherd_scratch_sb3::{Field, Opcode, Project, Value, Variable};
use catherd_scratch_vm::Program;

/// When the flag is clicked, `Cat` says `hi`, and then increases `score` and moves by 1 in each
/// step; when `Cat` is clicked, it goes to the front. `Dog` sets its variable `luck` at random and
/// moves up while the space key is pressed; when `Dog` is clicked, it turns and creates a clone.
pub(crate) fn program() -> Arc<Program> {
    Arc::new(Program::compile(&project()).unwrap().with_colors())
}

pub(crate) fn project() -> Project {
    let mut stage = TargetBuilder::new("Stage");
    stage.target.variables.push(variable("score"));
    let mut cat = TargetBuilder::new("Cat");
    let say = cat.block(Opcode::LooksSay, &[("MESSAGE", number("hi"))]);
    let count = cat.block(Opcode::DataChangeVariableBy, &[("VALUE", number("1"))]);
    cat.target.blocks[count as usize].fields.push(chosen("score"));
    let walk = cat.block(Opcode::MotionChangeXBy, &[("DX", number("1"))]);
    let forever = cat.block(Opcode::ControlForever, &[]);
    let both = cat.chain(&[count, walk]);
    cat.hold(forever, both);
    cat.flag(&[say, forever]);
    let front = cat.block(Opcode::LooksGoToFrontBack, &[]);
    cat.target.blocks[front as usize].fields.push(Field {
        name: "FRONT_BACK".into(),
        value: Value::Text("front".into()),
        id: None,
    });
    cat.hat(Opcode::EventWhenThisSpriteClicked, None, &[front]);
    let mut dog = TargetBuilder::new("Dog");
    dog.target.variables.push(variable("luck"));
    let random =
        dog.value(Opcode::OperatorRandom, &[("FROM", number("1")), ("TO", number("1000000"))]);
    let luck = dog.block(Opcode::DataSetVariableTo, &[("VALUE", random)]);
    dog.target.blocks[luck as usize].fields.push(chosen("luck"));
    let pressed = dog.key_pressed("space");
    let check = dog.when(pressed);
    let up = dog.block(Opcode::MotionChangeYBy, &[("DY", number("1"))]);
    dog.hold(check, up);
    let forever = dog.block(Opcode::ControlForever, &[]);
    dog.hold(forever, check);
    dog.flag(&[luck, forever]);
    let turn = dog.block(Opcode::MotionTurnRight, &[("DEGREES", number("15"))]);
    let menu = dog.menu(Opcode::ControlCreateCloneOfMenu, "CLONE_OPTION", "_myself_");
    let clone = dog.block(Opcode::ControlCreateCloneOf, &[("CLONE_OPTION", menu)]);
    dog.hat(Opcode::EventWhenThisSpriteClicked, None, &[turn, clone]);
    test_support::project(vec![stage, cat, dog])
}

fn variable(name: &str) -> Variable {
    Variable { id: name.into(), name: name.into(), value: Value::Text("0".into()), cloud: false }
}

pub(crate) fn chosen(variable: &str) -> Field {
    Field {
        name: "VARIABLE".into(),
        value: Value::Text(variable.into()),
        id: Some(variable.into()),
    }
}

pub(crate) fn suite_of(body: &str) -> String {
    format!("module.exports = [{{name: 'test', test: async function (t) {{{body}\n}}}}]")
}

pub(crate) fn run(suite: &str) -> SuiteOutcome {
    run_with(suite, &SuiteOptions::default())
}

/// Executes a suite with options twice; both results must be equal.
pub(crate) fn run_with(suite: &str, options: &SuiteOptions) -> SuiteOutcome {
    let suite = SuiteFile::new("suite.js", suite).unwrap();
    let outcome = whisker::run(&suite, &program(), options).unwrap();
    assert_eq!(whisker::run(&suite, &program(), options).unwrap(), outcome);
    outcome
}

pub(crate) fn test_of(body: &str) {
    let outcome = run(&suite_of(body));
    assert_eq!(statuses(&outcome), "pass", "{outcome:#?}");
}

pub(crate) fn statuses(outcome: &SuiteOutcome) -> String {
    outcome.tests.iter().map(|test| test.status.name()).collect::<Vec<_>>().join(" ")
}

pub(crate) fn messages(outcome: &SuiteOutcome) -> String {
    outcome.tests.iter().map(|test| test.message.as_str()).collect::<Vec<_>>().join("; ")
}

pub(crate) fn load_error(suite: &str) -> String {
    let suite = SuiteFile::new("suite.js", suite).unwrap();
    whisker::run(&suite, &program(), &SuiteOptions::default()).unwrap_err().to_string()
}
