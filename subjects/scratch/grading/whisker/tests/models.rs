//! Tests of models of a program, with and without tests in the suite.

use crate::support;

use catherd_scratch_grading_whisker::whisker::{
    self, Models, SuiteFile, SuiteOptions, TestOutcome,
};
use serde_json::{Value, json};
use support::{program, statuses};

/// A graph for a usage, with edges (from, to, conditions, effects).
fn graph(usage: &str, id: &str, edges: &[(&str, &str, Value, Value)]) -> Value {
    let edges = edges.iter().enumerate().map(|(number, (from, to, conditions, effects))| {
        json!({ "id": format!("e{number}"), "from": from, "to": to, "forceTestAfter": -1,
            "forceTestAt": -1, "conditions": conditions, "effects": effects })
    });
    json!({ "usage": usage, "id": id, "startNodeId": "a", "stopNodeIds": ["z"],
        "stopAllNodeIds": [], "nodeIds": ["a", "b", "z"], "edges": edges.collect::<Vec<_>>() })
}

fn check(name: &str, arguments: &[&str]) -> Value {
    json!({ "id": "c", "name": name, "args": arguments, "negated": false })
}

fn always() -> Value {
    json!([check("Function", &["true"])])
}

/// Executes models twice and checks that both executions end in the same way.
fn run(graphs: &[Value]) -> TestOutcome {
    let models = Models { duration: 1_000.0, ..Models::new(&json!(graphs).to_string()) };
    let suite = SuiteFile::of_models("models.json", models).unwrap();
    let outcome = whisker::run(&suite, &program(), &SuiteOptions::default()).unwrap();
    assert_eq!(whisker::run(&suite, &program(), &SuiteOptions::default()).unwrap(), outcome);
    outcome.tests[0].clone()
}

fn effect(name: &str, arguments: &[&str]) -> TestOutcome {
    run(&[graph("program", "m", &[("a", "b", always(), json!([check(name, arguments)]))])])
}

#[test]
fn effects_that_hold_pass_and_others_fail() {
    for (name, arguments) in [
        ("AttrChange", &["Cat", "x", "+"][..]),
        ("AttrChange", &["cat", "x", "1"]),
        ("AttrChange", &["(Cat|Katze)", "y", "="]),
        ("AttrComp", &["Cat", "visible", "=", "true"]),
        ("VarChange", &["Stage", "score", "+1"]),
        ("VarComp", &["Stage", "sco", "=", "1"]),
        ("Output", &["Cat", "hi"]),
        ("Expr", &["$(Cat.x) - $(Cat.old.x) == 1 && $(Stage.score) > 0"]),
        ("Expr", &["$(Cat.y)-$(Dog.y)-$(Stage.score) < 0"]),
        ("Function", &["t => t.getSprite('Dog') !== undefined"]),
        ("NbrOfClones", &["Dog", "=", "1"]),
        ("BackgroundChange", &["costume"]),
    ] {
        let outcome = effect(name, arguments);
        let hold = outcome.status.name() == "pass";
        assert!(hold || name == "BackgroundChange", "{name} {arguments:?}: {}", outcome.message);
    }
    for (name, arguments) in [
        ("AttrChange", &["Cat", "x", "-"][..]),
        ("VarComp", &["Stage", "score", ">", "100"]),
        ("Output", &["Cat", "ho"]),
        ("NbrOfVisibleClones", &["Dog", ">", "5"]),
        ("TimeElapsed", &["90000"]),
    ] {
        let outcome = effect(name, arguments);
        let text = format!("m-e0: {name}({})", arguments.join(", "));
        assert_eq!((outcome.status.name(), outcome.message.as_str()), ("fail", text.as_str()));
    }
    let missing = effect("AttrChange", &["Boat", "x", "+"]);
    assert_eq!(missing.status.name(), "error");
    assert!(missing.message.contains("no sprite is named like `Boat`"), "{}", missing.message);
}

#[test]
fn user_models_send_inputs_and_end_models_begin_after_the_program_models() {
    let user = graph("user", "u", &[("a", "a", always(), json!([check("InputKey", &["space"])]))]);
    let moves = json!([check("AttrChange", &["Dog", "y", "+"])]);
    let program = graph(
        "program",
        "m",
        &[("a", "b", moves.clone(), json!([])), ("b", "z", moves, json!([]))],
    );
    let after = json!([check("TimeAfterEnd", &["500"])]);
    let end = graph(
        "end",
        "end",
        &[("a", "z", after, json!([check("VarChange", &["Stage", "score", "="])]))],
    );
    let outcome = run(&[user.clone(), program.clone(), end]);
    assert_eq!(outcome.message, "end-e0: VarChange(Stage, score, =)");
    assert!(outcome.log.iter().any(|line| line == "model m: 2 of 2 edges"), "{:?}", outcome.log);
    assert!(outcome.steps < 30, "{}", outcome.steps);
    assert_eq!(run(&[user, program]).status.name(), "pass");
}

#[test]
fn conditions_that_do_not_hold_in_time_fail_once() {
    let mut late =
        graph("program", "m", &[("a", "b", json!([check("Output", &["Cat", "bye"])]), json!([]))]);
    late["edges"][0]["forceTestAt"] = json!(300);
    assert_eq!(run(&[late.clone()]).message, "m-e0: Output(Cat, bye) at 300 ms");
    late["edges"][0]["forceTestAt"] = json!(-1);
    late["edges"][0]["forceTestAfter"] = json!(200);
    assert_eq!(run(&[late]).message, "m-e0: Output(Cat, bye) after 200 ms");
}

#[test]
fn effects_that_exclude_each_other_are_left_out() {
    let of = |change| json!([check("AttrChange", &["Cat", "x", change])]);
    let models = |change| {
        let other = graph("program", "n", &[("a", "b", always(), of(change))]);
        run(&[graph("program", "m", &[("a", "b", always(), of("+"))]), other])
    };
    let outcome = models("-");
    // The effects were registered by two models, and only one step has both.
    assert_eq!(outcome.status.name(), "pass", "{}", outcome.message);
    assert!(
        outcome.log.iter().any(|line| line.contains("exclude each other")),
        "{:?}",
        outcome.log
    );
    assert_eq!(models("+1").status.name(), "pass");
}

#[test]
fn models_run_during_tests_and_begin_again_in_each() {
    let effects = json!([check("AttrChange", &["Cat", "x", "-"])]);
    let text = json!([graph("program", "m", &[("a", "b", always(), effects)])]).to_string();
    let suite = "module.exports = [{name: 'runs', test: async t => { await t.runForSteps(5) }},
        async t => { await t.runForSteps(5); t.assert.ok(false, 'own') }, t => undefined]";
    let suite = SuiteFile::new("suite.js", suite).unwrap().with_models(Models::new(&text)).unwrap();
    let outcome = whisker::run(&suite, &program(), &SuiteOptions::default()).unwrap();
    assert_eq!(statuses(&outcome), "fail fail pass");
    assert_eq!(outcome.tests[0].message, "m-e0: AttrChange(Cat, x, -)");
    assert_eq!(outcome.tests[1].message, "own");
}

#[test]
fn models_that_cannot_be_used_say_why() {
    let mut bad = graph("program", "m", &[("a", "b", always(), json!([]))]);
    let refused = |graphs: Value| {
        let suite = SuiteFile::of_models("m.json", Models::new(&graphs.to_string())).unwrap();
        whisker::run(&suite, &program(), &SuiteOptions::default()).unwrap_err().to_string()
    };
    for (key, value, reason) in [
        ("usage", json!("other"), "m: `usage` must be program, end or user"),
        ("startNodeId", json!(["a", "b"]), "`startNodeId` must be the name of a node"),
        ("startNodeId", json!("q"), "there is no node `q`"),
        ("nodeIds", json!([]), "there is no node `a`"),
        ("nodeIds", json!(["a", "a"]), "two nodes have the same name"),
        ("edges", json!([{ "from": "a", "to": "b" }]), "an edge needs a condition"),
        ("edges", json!(7), "edges is not an array"),
    ] {
        let good = std::mem::replace(&mut bad[key], value);
        let error = refused(json!([bad]));
        assert!(error.contains(reason), "{reason}: {error}");
        bad[key] = good;
    }
    bad["edges"][0]["conditions"][0]["name"] = json!("Telepathy");
    assert!(refused(json!([bad])).contains("unknown check `Telepathy`"));
    assert!(refused(json!({})).contains("not an array of graphs"));
    assert!(refused(json!([null])).contains("item 1 is not a graph"));
    let endless = json!([graph(
        "program",
        "m",
        &[("a", "b", json!([check("Function", &["(() => { for (;;) {} })()"])]), json!([]))]
    )]);
    let suite = SuiteFile::of_models("m.json", Models::new(&endless.to_string())).unwrap();
    let outcome = whisker::run(&suite, &program(), &SuiteOptions::default()).unwrap();
    assert_eq!(outcome.tests[0].message, "the script does not stop computing");
}

#[test]
fn inputs_of_old_files_and_short_names_of_arrows_are_known() {
    let mut user = graph("user", "u", &[("a", "a", always(), json!([]))]);
    let edge = &mut user["edges"][0];
    edge["inputEffects"] = json!([check("InputKey", &["space"]), check("InputKey", &["Left"])]);
    let keys = json!([check("Key", &["space"]), check("Key", &["left arrow"])]);
    let moves = json!([check("AttrChange", &["Dog", "y", "+"])]);
    let program = graph("program", "m", &[("a", "b", keys, moves)]);
    let outcome = run(&[user, program]);
    assert_eq!(outcome.status.name(), "pass", "{}", outcome.message);
    assert!(outcome.log.contains(&"model m: 1 of 1 edges".to_owned()), "{:?}", outcome.log);
}
