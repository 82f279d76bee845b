use std::sync::Arc;

use catherd_scratch_sb3::Opcode;
use catherd_scratch_sb3::test_support::{TargetBuilder, number, project};
use catherd_scratch_vm::Program;

use crate::goals::{self, GoalSettings};
use crate::{
    Assertion, Bounds, Expected, LinkedSuite, Reacting, Runner, Suite, SuiteEvent, SuiteNetwork,
    SuitePolicy, SuiteRule, SuiteTest, Verdict, measure_coverage, measure_reliability,
};

/// A program with a bowl that the arrow keys move by 10, and an apple at a random place that hides
/// when the bowl is near.
fn program() -> (Arc<Program>, Vec<catherd_scratch_sb3::BlockNo>) {
    let mut bowl = TargetBuilder::new("Bowl");
    for (key, by) in [("right arrow", "10"), ("left arrow", "-10")] {
        let walk = bowl.block(Opcode::MotionChangeXBy, &[("DX", number(by))]);
        bowl.hat(Opcode::EventWhenKeyPressed, Some(("KEY_OPTION", key)), &[walk]);
    }
    let mut apple = TargetBuilder::new("Apple");
    let place =
        apple.value(Opcode::OperatorRandom, &[("FROM", number("-200")), ("TO", number("200"))]);
    let set = apple.block(Opcode::MotionSetX, &[("X", place)]);
    let menu = apple.menu(Opcode::SensingDistanceToMenu, "DISTANCETOMENU", "Bowl");
    let distance = apple.value(Opcode::SensingDistanceTo, &[("DISTANCETOMENU", menu)]);
    let near =
        apple.value(Opcode::OperatorLt, &[("OPERAND1", distance), ("OPERAND2", number("12"))]);
    let wait = apple.block(Opcode::ControlWaitUntil, &[("CONDITION", near)]);
    let hide = apple.block(Opcode::LooksHide, &[]);
    apple.flag(&[set, wait, hide]);
    let project = project(vec![TargetBuilder::new("Stage"), bowl, apple]);
    let goals = goals::find(&project, GoalSettings::default());
    (Arc::new(Program::compile(&project).unwrap()), goals)
}

fn rules(text: &str) -> Vec<SuiteRule> {
    serde_json::from_str(text).unwrap()
}

fn suite(policy: SuitePolicy) -> Suite {
    let test = SuiteTest { policy: Some(policy), ..SuiteTest::default() };
    Suite { seed: 3, goals: 8, tests: vec![test], ..Suite::default() }
}

const FOLLOW: &str = r#"[{"follow":"Bowl","to":"Apple","axis":"x","dead":8.0,
    "keys":["right arrow","left arrow"],"steps":1}]"#;

/// The goal of the block that hides the apple.
const HIDE: u32 = 6;

#[test]
fn a_policy_holds_under_every_seed_and_a_static_test_does_not() {
    let (program, goals) = program();
    assert_eq!(goals.len(), 8);
    let follow =
        suite(SuitePolicy { rules: rules(FOLLOW), answers: Vec::new(), most: 300, network: None });
    let seeds: Vec<u64> = (100..120).collect();
    let mut seen = 0;
    let reliability =
        measure_reliability(&follow, &program, &goals, &seeds, 1_000, || seen += 1).unwrap();
    // The required key depends on chance, so the goals of both key scripts are chance goals.
    assert_eq!((reliability.robust(), reliability.chance(), seen), (4, 4, 20));

    let press = SuiteEvent::KeyPress { key: "right arrow".into(), steps: 1 };
    let mut fixed = suite(SuitePolicy::default());
    fixed.tests[0] = SuiteTest { events: vec![press; 10], ..SuiteTest::default() };
    let reliability = measure_reliability(&fixed, &program, &goals, &seeds, 1_000, || ()).unwrap();
    assert_eq!(reliability.chance(), 1, "{reliability:?}");
    assert!(reliability.expected() < 6.0 && reliability.robust() == 5, "{reliability:?}");
}

#[test]
fn a_bowl_that_flees_or_has_a_wide_dead_zone_misses_the_apple() {
    let (program, goals) = program();
    let follow =
        suite(SuitePolicy { rules: rules(FOLLOW), answers: Vec::new(), most: 300, network: None });
    assert!(measure_coverage(&follow, &program, &goals, 1_000).unwrap()[0].contains(&HIDE));
    for change in [("\"steps\"", "\"flee\":true,\"steps\""), ("\"dead\":8.0", "\"dead\":480.0")] {
        let text = FOLLOW.replace(change.0, change.1);
        let flee = suite(SuitePolicy {
            rules: rules(&text),
            answers: Vec::new(),
            most: 300,
            network: None,
        });
        let covered = measure_coverage(&flee, &program, &goals, 1_000).unwrap();
        assert!(!covered[0].contains(&HIDE), "{change:?}");
    }
}

#[test]
fn conditions_on_places_and_aims_that_sway_decide() {
    let (program, goals) = program();
    let covers = |text: &str| {
        let policy = SuitePolicy { rules: rules(text), most: 400, ..SuitePolicy::default() };
        let suite = suite(policy);
        let again = Suite::from_json(&suite.to_json()).unwrap();
        assert_eq!(again, suite);
        let covered = measure_coverage(&suite, &program, &goals, 1_000).unwrap();
        (covered[0].contains(&HIDE), suite.to_json().contains("\"format\": 6,"))
    };
    assert_eq!(covers(FOLLOW), (true, false));
    let when = |is: &str, than: &str| {
        let guard = format!(
            r#""steps":1,"when":{{"place":{{"sprite":"Bowl","axis":"x","is":"{is}","than":{than}}}}}"#
        );
        FOLLOW.replace(r#""steps":1"#, &guard)
    };
    assert_eq!(covers(&when("below", "300.0")), (true, true));
    assert_eq!(covers(&when("above", "300.0")), (false, true));
    assert_eq!(covers(&when("equal", "0.0")), (false, true), "it leaves the place after a press");
    // An aim that is off by 100 misses the apple unless the aim sways by 120.
    let off = FOLLOW.replace(r#""axis""#, r#""aim":-100.0,"axis""#);
    assert_eq!(covers(&off), (false, false));
    let sway = off.replace(r#""aim":-100.0"#, r#""aim":-100.0,"sway":120.0"#);
    assert_eq!(covers(&sway), (true, true));
}

#[test]
fn assertions_after_the_policy_are_checked() {
    let (program, _) = program();
    let mut suite =
        suite(SuitePolicy { rules: rules(FOLLOW), answers: Vec::new(), most: 300, network: None });
    let hidden = |after, visible| Assertion {
        after,
        sprite: Some("Apple".into()),
        clone: 0,
        expect: Expected::Visible(visible),
    };
    let verdict = |suite: &Suite| {
        let linked = LinkedSuite::new(suite, &program).unwrap();
        let mut runner = Runner::new(Arc::clone(&program), suite.machine.clone(), ());
        runner.run(&linked, 0, Bounds::default()).verdict
    };
    suite.tests[0].assertions = vec![hidden(0, false)];
    assert_eq!(verdict(&suite), Verdict::Passed);
    suite.tests[0].assertions = vec![hidden(0, true)];
    assert!(matches!(verdict(&suite), Verdict::Failed(_)));
    suite.tests[0].assertions = vec![hidden(1, true)];
    assert!(LinkedSuite::new(&suite, &program).is_err(), "there is no such event");
}

#[test]
fn policies_that_cannot_be_played_are_refused() {
    let (program, goals) = program();
    let refused = |text: &str| {
        let suite =
            suite(SuitePolicy { rules: rules(text), answers: Vec::new(), most: 9, network: None });
        measure_coverage(&suite, &program, &goals, 10).unwrap_err().to_string()
    };
    assert_eq!(refused(r#"[{"mouse":"Dog"}]"#), "test 0: the project has no sprite `Dog`");
    let press = r#"[{"press":{"event":"ClickStage"},"every":0}]"#;
    assert_eq!(refused(press), "test 0: `every` is 0, but must be 1 to 108000");
    let long = suite(SuitePolicy { most: 11, ..SuitePolicy::default() });
    let error = measure_coverage(&long, &program, &goals, 10).unwrap_err();
    assert_eq!(error.to_string(), "test 0 has 11 steps; the maximum is 10");
}

#[test]
fn policies_are_exported_as_loops_with_conditions() {
    let (program, _) = program();
    let text = r#"[
        {"follow":"Bowl","to":"Apple","axis":"x","dead":8.0,"keys":["right arrow","any"],"steps":2,
         "when":{"variable":{"variable":"a\"b","is":"below","than":"3"}}},
        {"follow":"Bowl","to":"Apple","axis":"heading","dead":4.0,"aim":5.0,"sway":-20.0,"keys":["a","b"],"steps":1,
         "when":{"place":{"sprite":"Apple","axis":"heading","is":"equal","than":-90.0}}},
        {"press":{"event":"ClickStage"},"every":5,
         "near":{"sprite":"Bowl","to":"Apple","within":30.0}}]"#;
    let mut suite = suite(SuitePolicy {
        rules: rules(text),
        answers: vec!["x".into()],
        most: 70,
        network: None,
    });
    suite.tests[0].assertions = vec![Assertion {
        after: 0,
        sprite: Some("Apple".into()),
        clone: 0,
        expect: Expected::Visible(false),
    }];
    assert!(LinkedSuite::new(&suite, &program).is_ok());
    let js = suite.to_javascript();
    for line in [
        r#"    const value0 = distanceTo(policy, "Bowl", "Apple", 'x', 0, 0);"#,
        r#"    } else if (compared(t.getStage().getVariable("a\"b", false).value, "3") < 0 && Math.abs(value0) > 8) {"#,
        r#"      await pressKey(t, value0 > 0 ? "right arrow" : "space", 2);"#,
        r#"    const value1 = distanceTo(policy, "Bowl", "Apple", 'heading', 5 + -20 * wave(now - end + 70), 0);"#,
        r#"    } else if (Math.abs(t.getSprite("Apple").direction - -90) < 0.5 && Math.abs(value1) > 4) {"#,
        r#"    } else if (now >= (policy.ready[2] || 0) && isNear(policy, "Bowl", "Apple", 30)) {"#,
        "      t.clickStage();",
    ] {
        assert!(js.lines().any(|l| l == line), "{line}\n{js}");
    }
    let end = js.find("policy.elapsed = t.get").unwrap();
    assert!(js[end..].contains("t.assert.not(see(t, \"Apple\").visible"), "{js}");
}

/// A network without hidden nodes that prefers the key for moving towards the apple.
fn network() -> SuiteNetwork {
    let text = r#"{ "press": 2, "wait": 20, "hidden": 0,
        "inputs": [{"see": "right", "sprite": "Bowl", "to": "Apple"}],
        "outputs": [{"send": {"key": "right arrow"}}, {"send": {"key": "left arrow"}}],
        "links": [[1, 2, 1.0], [1, 4, -1.0], [0, 3, -9.0], [0, 5, -9.0]] }"#;
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_network_reacts_under_every_seed() {
    let (program, goals) = program();
    let played = |network| suite(SuitePolicy { most: 300, network, ..SuitePolicy::default() });
    let seeds: Vec<u64> = (100..120).collect();
    let measure = |suite: &Suite| {
        let all = measure_reliability(suite, &program, &goals, &seeds, 1_000, || ()).unwrap();
        all.best()[HIDE as usize]
    };
    assert_eq!(measure(&played(Some(network()))), 20);
    let mut away = network();
    away.links[0].2 = -1.0;
    away.links[1].2 = 1.0;
    assert!(measure(&played(Some(away))) < 20, "it flees from the apple");
    assert!(measure(&played(None)) < 20, "nothing is sent");
}

#[test]
fn networks_that_cannot_be_used_are_refused_with_the_reason() {
    let (program, _) = program();
    let refused = |network: SuiteNetwork| {
        let suite = suite(SuitePolicy { network: Some(network), ..SuitePolicy::default() });
        LinkedSuite::new(&suite, &program).err().map(|error| error.to_string()).unwrap()
    };
    let mut far = network();
    far.links[0].1 = 6;
    assert_eq!(
        refused(far),
        "test 0: a link leads from node 1 to node 6, but the network has 6 nodes, and the first 2 \
         nodes cannot be targets"
    );
    let mut into = network();
    into.links[0].1 = 1;
    assert!(refused(into).contains("to node 1"));
    let idle = SuiteNetwork { press: 0, ..network() };
    assert_eq!(refused(idle), "test 0: `press` is 0, but must be 1 to 108000");
    let huge = SuiteNetwork { hidden: u32::MAX, ..network() };
    assert!(refused(huge).contains("at most 20000 nodes"));
    let mut unknown = network();
    unknown.outputs[0].scripts = vec![Reacting { script: 1_000, runs: true }];
    assert!(refused(unknown).contains("script 1000 of an output is not one of the"));
}
