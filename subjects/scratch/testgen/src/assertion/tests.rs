use std::sync::Arc;

use catherd_scratch_sb3::test_support::{TargetBuilder, number, project};
use catherd_scratch_sb3::{
    Asset, Costume, List, Mutation, Opcode, Project, Value as Stored, Variable,
};
use catherd_scratch_suite::attribute::Attribute;
use catherd_scratch_suite::{
    Assertion, Bounds, Expected, LinkedSuite, Runner, Suite, SuiteEvent, SuiteTest, goals,
    measure_coverage,
};
use catherd_scratch_vm::Program;

use super::chance::{separate_chance, separate_within};
use super::observer::Observer;
use super::regression::{Assertions, Deviations, assert_changes, assert_state};

/// A project with a cat that says `hi` at the green flag. The key `a` moves the cat, adds to its
/// list and clones it; `r` moves it to a random height; `d` sets a variable to the days since 2000.
fn cat() -> Project {
    let mut stage = TargetBuilder::new("Stage");
    let variable =
        |name: &str, value| Variable { id: name.into(), name: name.into(), value, cloud: false };
    stage.target.variables.push(variable("days", Stored::Number(1.0)));
    let mut cat = TargetBuilder::new("Cat");
    cat.target.variables.push(variable("unused", Stored::Number(0.0)));
    cat.target.lists.push(List { id: "l".into(), name: "l".into(), items: Vec::new() });
    let say = cat.block(Opcode::LooksSay, &[("MESSAGE", number("hi"))]);
    cat.flag(&[say]);
    let walk = cat.block(Opcode::MotionChangeXBy, &[("DX", number("10"))]);
    let add = cat.block(Opcode::DataAddToList, &[("ITEM", number("1"))]);
    cat.target.blocks[add as usize].fields.push(catherd_scratch_sb3::Field {
        name: "LIST".into(),
        value: Stored::Text("l".into()),
        id: Some("l".into()),
    });
    let menu = cat.menu(Opcode::ControlCreateCloneOfMenu, "CLONE_OPTION", "_myself_");
    let clone = cat.block(Opcode::ControlCreateCloneOf, &[("CLONE_OPTION", menu)]);
    cat.hat(Opcode::EventWhenKeyPressed, Some(("KEY_OPTION", "a")), &[walk, add, clone]);
    let random = [("FROM", number("1")), ("TO", number("100"))];
    let random = cat.value(Opcode::OperatorRandom, &random);
    let jump = cat.block(Opcode::MotionSetY, &[("Y", random)]);
    let divided = cat.value(Opcode::SensingDaysSince2000, &[]);
    cat.hat(Opcode::EventWhenKeyPressed, Some(("KEY_OPTION", "r")), &[jump]);
    let set = cat.block(Opcode::DataSetVariableTo, &[("VALUE", divided)]);
    cat.target.blocks[set as usize].fields.push(catherd_scratch_sb3::Field {
        name: "VARIABLE".into(),
        value: Stored::Text("days".into()),
        id: Some("days".into()),
    });
    cat.hat(Opcode::EventWhenKeyPressed, Some(("KEY_OPTION", "d")), &[set]);
    project(vec![stage, cat])
}

fn asserted(keys: &[&str], how: Assertions, deviations: Deviations) -> SuiteTest {
    let project = cat();
    let program = Arc::new(Program::compile(&project).unwrap());
    let press = |key: &&str| SuiteEvent::KeyPress { key: (*key).to_owned(), steps: 1 };
    let events = keys.iter().map(press).collect();
    let mut suite = Suite {
        seed: 3,
        tests: vec![SuiteTest { events, ..SuiteTest::default() }],
        ..Suite::default()
    };
    let observer = Observer::new(&project);
    assert_changes(&mut suite, &program, &observer, how, deviations).unwrap();
    separate_chance(&mut suite, &program, &[], how.reexecutions).unwrap();
    let linked = LinkedSuite::new(&suite, &program).unwrap();
    let mut runner = Runner::new(program, suite.machine.clone(), ());
    let again = runner.run(&linked, 0, Bounds::default());
    assert!(again.verdict.is_pass(), "{again:?}");
    suite.tests.remove(0)
}

const PLAIN: Deviations = Deviations { skip_first_pair: false, assert_everything: false };

fn assertion(after: u32, clone: u32, expect: Expected) -> Assertion {
    Assertion { after, sprite: Some("Cat".into()), clone, expect }
}

#[test]
fn only_changes_are_asserted() {
    let test = asserted(&["x", "a"], Assertions::default(), PLAIN);
    let of_original: Vec<_> = test.assertions.iter().filter(|a| a.clone == 0).cloned().collect();
    assert_eq!(
        of_original,
        [
            assertion(0, 0, Expected::Bubble(Some("hi".into()))),
            assertion(1, 0, Expected::CloneCount(1)),
            assertion(1, 0, Expected::Layer(2)),
            assertion(1, 0, Expected::List { list: "l".into(), length: 1 }),
            assertion(1, 0, Expected::Position { x: 10.0, y: 0.0 }),
        ]
    );
    // All attributes of a new clone have changed.
    let of_clone = test.assertions.len() - of_original.len();
    assert_eq!(of_clone, 8 + 7, "{:#?}", test.assertions);
    assert!(test.assertions.contains(&assertion(1, 1, Expected::Visible(true))));
    assert!(test.flaky.is_empty());
}

#[test]
fn assertions_that_depend_on_chance_or_the_date_are_flaky() {
    let test = asserted(&["x", "r", "a", "d"], Assertions::default(), PLAIN);
    let flaky: Vec<_> = test.flaky.iter().map(|a| (a.after, a.expect.to_string())).collect();
    assert_eq!(flaky.len(), 4, "{flaky:?}");
    assert!(flaky[0].0 == 1 && flaky[0].1.starts_with("position (0, "), "{flaky:?}");
    assert!(flaky[1].0 == 2 && flaky[1].1.starts_with("position (10, "), "{flaky:?}");
    assert!(flaky[2].0 == 2 && flaky[2].1.starts_with("position (10, "), "{flaky:?}");
    assert!(flaky[3].0 == 3 && flaky[3].1.starts_with("variable `days` "), "{flaky:?}");
    let without = Assertions { reexecutions: 0, ..Assertions::default() };
    assert!(asserted(&["x", "r"], without, PLAIN).flaky.is_empty());
}

#[test]
fn deviations_of_the_published_code_are_reproduced() {
    let how = Assertions::default();
    let skip = Deviations { skip_first_pair: true, ..PLAIN };
    let test = asserted(&["a", "x"], how, skip);
    assert!(test.assertions.is_empty(), "{:?}", test.assertions);
    let everything = Deviations { assert_everything: true, ..PLAIN };
    let test = asserted(&["x", "x"], how, everything);
    assert!(test.assertions.iter().all(|a| a.after == 1));
    // The stage has a backdrop, a volume and a variable; the sprite has 15 attributes, a clone count
    // and a list.
    assert_eq!(test.assertions.len(), 3 + 15 + 2, "{:#?}", test.assertions);
}

#[test]
fn assertions_are_bounded() {
    let how = Assertions { limit: 3, ..Assertions::default() };
    assert_eq!(asserted(&["a", "a", "a"], how, PLAIN).assertions.len(), 3);
}

#[test]
fn observing_touching_objects_has_no_side_effects() {
    let how = Assertions { touching: true, ..Assertions::default() };
    let test = asserted(&["x", "a"], how, PLAIN);
    let edge = assertion(1, 1, Expected::TouchingEdge(false));
    assert!(test.assertions.contains(&edge), "{:#?}", test.assertions);
}

#[test]
fn used_variables_are_observed_once_for_each_name() {
    let mut project = cat();
    let days = project.targets[0].variables[0].clone();
    project.targets[0].variables.push(Variable { id: "other".into(), ..days });
    let program = Arc::new(Program::compile(&project).unwrap());
    let observer = Observer::new(&project);
    let mut runner = Runner::new(program, catherd_scratch_vm::VmSettings::default(), ());
    let observations = observer.observe(runner.at_start(1), false);
    let variables = observations.iter().filter(|f| matches!(f.attribute, Attribute::Variable(_)));
    assert_eq!(variables.count(), 1);
}

/// A project in which the green flag creates clones. The key `n` hides each instance if a random
/// number from 1 to 50 is not 1, and always sets its size.
fn rarely(clones: usize) -> Project {
    let mut cat = TargetBuilder::new("Cat");
    let menu = cat.menu(Opcode::ControlCreateCloneOfMenu, "CLONE_OPTION", "_myself_");
    let clone = |_| cat.block(Opcode::ControlCreateCloneOf, &[("CLONE_OPTION", menu.clone())]);
    let made: Vec<_> = (0..clones).map(clone).collect();
    if !made.is_empty() {
        cat.flag(&made);
    }
    let random = cat.value(Opcode::OperatorRandom, &[("FROM", number("1")), ("TO", number("50"))]);
    let one = cat.value(Opcode::OperatorEquals, &[("OPERAND1", random), ("OPERAND2", number("1"))]);
    let other = cat.value(Opcode::OperatorNot, &[("OPERAND", one)]);
    let usually = cat.when(other);
    let hide = cat.block(Opcode::LooksHide, &[]);
    cat.hold(usually, hide);
    let size = cat.block(Opcode::LooksSetSizeTo, &[("SIZE", number("50"))]);
    cat.hat(Opcode::EventWhenKeyPressed, Some(("KEY_OPTION", "n")), &[usually, size]);
    project(vec![TargetBuilder::new("Stage"), cat])
}

fn wait_and_press() -> SuiteTest {
    let press = SuiteEvent::KeyPress { key: "n".into(), steps: 1 };
    let events = vec![SuiteEvent::Wait { steps: 1 }, press];
    SuiteTest { events, ..SuiteTest::default() }
}

fn executed_again(reexecutions: u32) -> SuiteTest {
    let project = rarely(0);
    let program = Arc::new(Program::compile(&project).unwrap());
    let goals = goals::find(&project, goals::GoalSettings::default());
    let mut suite = Suite { seed: 3, goals: goals.len() as u32, ..Suite::default() };
    suite.tests.push(wait_and_press());
    suite.tests[0].covers = measure_coverage(&suite, &program, &goals, 1_000).unwrap().remove(0);
    assert_eq!(suite.tests[0].covers.len(), 4, "all under its own seed");
    let observer = Observer::new(&project);
    assert_changes(&mut suite, &program, &observer, Assertions::default(), PLAIN).unwrap();
    separate_chance(&mut suite, &program, &goals, reexecutions).unwrap();
    suite.tests.remove(0)
}

#[test]
fn holding_with_a_probability_of_98_percent_is_chance() {
    let hidden = assertion(1, 0, Expected::Visible(false));
    let own = executed_again(0);
    assert!(own.assertions.contains(&hidden), "{:#?}", own.assertions);
    assert!(own.chance.is_empty() && own.flaky.is_empty());
    let many = executed_again(300);
    assert_eq!(many.flaky, [hidden]);
    assert_eq!(many.chance.len(), 1, "the block that hides: {:?}", many.chance);
}

/// A project in which the key `n` hides the sprite if it does not touch a wall, and always sets its
/// size. A corner of the sprite's costume covers a small part of a pixel of the wall.
fn at_the_wall() -> Project {
    let costume = |asset, center| Costume {
        name: "a".into(),
        asset: Some(asset),
        vector: true,
        bitmap_resolution: None,
        rotation_center: Some(center),
    };
    let mut wall = TargetBuilder::new("Wall");
    wall.target.costumes = vec![costume(0, (0.0, 10.0))];
    let mut cat = TargetBuilder::new("Cat");
    cat.target.costumes = vec![costume(1, (10.0, 10.0))];
    let touching = cat.touching("Wall");
    let apart = cat.value(Opcode::OperatorNot, &[("OPERAND", touching)]);
    let apart = cat.when(apart);
    let hide = cat.block(Opcode::LooksHide, &[]);
    cat.hold(apart, hide);
    let size = cat.block(Opcode::LooksSetSizeTo, &[("SIZE", number("50"))]);
    cat.hat(Opcode::EventWhenKeyPressed, Some(("KEY_OPTION", "n")), &[apart, size]);
    let mut project = project(vec![TargetBuilder::new("Stage"), wall, cat]);
    let svg = |path: &str| {
        Asset {
        name: "a.svg".into(),
        bytes: format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><path d="{path}"/></svg>"#
        )
        .into_bytes()
        .into(),
    }
    };
    project.assets = [svg("M1 17 H9 V18 H1 Z"), svg("M0 0 L5 0 L10.15 20 L3 20 Z")].into();
    project
}

fn separated(project: &Project, reexecutions: u32) -> SuiteTest {
    let program = Arc::new(Program::compile(project).unwrap());
    let goals = goals::find(project, goals::GoalSettings::default());
    let mut suite = Suite { seed: 3, goals: goals.len() as u32, ..Suite::default() };
    suite.tests.push(wait_and_press());
    suite.tests[0].covers = measure_coverage(&suite, &program, &goals, 1_000).unwrap().remove(0);
    let observer = Observer::new(project);
    assert_changes(&mut suite, &program, &observer, Assertions::default(), PLAIN).unwrap();
    separate_chance(&mut suite, &program, &goals, reexecutions).unwrap();
    suite.tests.remove(0)
}

#[test]
fn what_depends_on_the_edges_of_costumes_is_flaky() {
    let executed = |reexecutions| separated(&at_the_wall(), reexecutions);
    let hidden = assertion(1, 0, Expected::Visible(false));
    let own = executed(0);
    assert!(own.assertions.contains(&hidden), "{:#?}", own.assertions);
    let many = executed(20);
    assert_eq!(many.flaky, [hidden]);
    assert_eq!(many.chance.len(), 1, "the block that hides: {:?}", many.chance);
    assert!(!many.assertions.is_empty());
}

/// A project in which the key `n` turns the sprite by this number of degrees, one degree at a time
/// and without screen refresh, and hides it.
fn turning(degrees: &str) -> Project {
    let mut cat = TargetBuilder::new("Cat");
    let all = cat.block(Opcode::ControlRepeat, &[("TIMES", number(degrees))]);
    let turn = cat.block(Opcode::MotionTurnRight, &[("DEGREES", number("1"))]);
    cat.hold(all, turn);
    cat.define("turn", &[all]);
    for block in &mut cat.target.blocks {
        if let Some(Mutation::Prototype { warp, .. }) = &mut block.mutation {
            *warp = true;
        }
    }
    let call = cat.call("turn");
    let hide = cat.block(Opcode::LooksHide, &[]);
    cat.hat(Opcode::EventWhenKeyPressed, Some(("KEY_OPTION", "n")), &[call, hide]);
    project(vec![TargetBuilder::new("Stage"), cat])
}

#[test]
fn what_depends_on_the_speed_of_the_computer_is_flaky() {
    let executed = |degrees| separated(&turning(degrees), 20);
    let turned = |direction| assertion(1, 0, Expected::Direction(direction));
    let hidden = assertion(1, 0, Expected::Visible(false));
    // Each iteration executes two blocks, the loop and the turn. A slower computer cannot execute
    // 100,001 iterations in one step.
    let short = executed("1001");
    assert!(short.assertions.contains(&turned(11.0)), "{short:#?}");
    assert!(short.flaky.is_empty() && short.chance.is_empty(), "{short:#?}");
    let long = executed("100001");
    assert!(long.flaky.contains(&turned(11.0)) && long.flaky.contains(&hidden), "{long:#?}");
    assert_eq!(long.chance.len(), 1, "the block that hides: {long:#?}");
}

#[test]
fn what_depends_on_chance_in_one_clone_is_flaky_in_all() {
    let project = rarely(8);
    let program = Arc::new(Program::compile(&project).unwrap());
    let mut suite = Suite { seed: 3, tests: vec![wait_and_press()], ..Suite::default() };
    let observer = Observer::new(&project);
    assert_changes(&mut suite, &program, &observer, Assertions::default(), PLAIN).unwrap();
    // Execute so few times that most clones are hidden in all executions.
    separate_chance(&mut suite, &program, &[], 20).unwrap();
    let is_later = |it: &&Assertion| it.after == 1 && it.clone > 0;
    let kinds = |list: &[Assertion]| -> Vec<String> {
        list.iter().filter(is_later).map(|it| it.expect.to_string()).collect()
    };
    assert_eq!(kinds(&suite.tests[0].flaky), vec![Expected::Visible(false).to_string(); 8]);
    assert!(kinds(&suite.tests[0].assertions).is_empty(), "{:#?}", suite.tests[0]);
    // The clones are visible after the wait in every execution.
    let before = assertion(0, 8, Expected::Visible(true));
    assert!(suite.tests[0].assertions.contains(&before), "{:#?}", suite.tests[0]);
}

fn of_tests(tests: &[&[&str]]) -> (Suite, Arc<Program>, Observer) {
    let project = cat();
    let program = Arc::new(Program::compile(&project).unwrap());
    let press = |key: &&str| SuiteEvent::KeyPress { key: (*key).to_owned(), steps: 1 };
    let test = |keys: &&[&str]| SuiteTest {
        events: keys.iter().map(press).collect(),
        ..SuiteTest::default()
    };
    let mut suite = Suite { seed: 3, tests: tests.iter().map(test).collect(), ..Suite::default() };
    let observer = Observer::new(&project);
    assert_changes(&mut suite, &program, &observer, Assertions::default(), PLAIN).unwrap();
    (suite, program, observer)
}

#[test]
fn tests_share_the_work_of_re_executions() {
    let random: &[&str] = &["r", "a"];
    let (mut suite, program, _) = of_tests(&[random; 4]);
    // The work is enough for a few executions of each test, but not for 300 executions of the first
    // test.
    separate_within(20_000, &mut suite, &program, &[], 300).unwrap();
    let times: Vec<_> = suite.tests.iter().map(|test| test.reexecutions.unwrap()).collect();
    assert!(times.iter().all(|times| *times >= 5) && times[3] < 300, "{times:?}");
    let kept: Vec<_> = suite.tests.iter().map(|test| test.assertions.len()).collect();
    assert!(kept[0] > 0 && kept.iter().all(|assertions| *assertions == kept[0]), "{kept:?}");
    let text = suite.to_json();
    assert!(text.contains("\"format\": 7,") && text.contains("\"reexecutions\": 5"), "{text}");
    assert_eq!(Suite::from_json(&text).unwrap(), suite);
    // With enough work, the number of executions is not stated.
    let (mut suite, program, _) = of_tests(&[random; 4]);
    separate_chance(&mut suite, &program, &[], 300).unwrap();
    assert!(suite.tests.iter().all(|test| test.reexecutions.is_none()));
}

#[test]
fn a_test_in_which_only_chance_changes_something_asserts_the_rest() {
    let (mut suite, program, observer) = of_tests(&[&["r"], &[], &["x"]]);
    // Keep only assertions about positions; `only_changes_are_asserted` checks the speech after the
    // green flag.
    suite.tests[0].assertions.retain(|it| it.expect.to_string().starts_with("position"));
    suite.tests[1].assertions.clear();
    suite.tests[2].assertions.clear();
    separate_chance(&mut suite, &program, &[], 20).unwrap();
    assert!(suite.tests[0].assertions.is_empty() && suite.tests[0].flaky.len() == 1);
    let how = Assertions { reexecutions: 20, ..Assertions::default() };
    assert_state(&mut suite, &program, &observer, how, &[]).unwrap();
    let found = &suite.tests[0];
    assert!(found.assertions.contains(&assertion(0, 0, Expected::Visible(true))), "{found:?}");
    let position = |it: &&Assertion| it.expect.to_string().starts_with("position");
    assert_eq!(found.assertions.iter().find(position), None);
    assert_eq!(found.flaky.len(), 1);
    assert!(suite.tests[1..].iter().all(|test| test.assertions.is_empty()));
}
