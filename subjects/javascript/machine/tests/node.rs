//! The functions of Node.js in addition to the language, compared with recorded results of Node.js 20.

use std::collections::BTreeMap;

use catherd_javascript_machine::{
    ExecuteOptions, Machine, MachineSettings, Package, Program, Statement, TestOutcome,
};
use serde_json::json;

#[test]
fn results_equal_those_of_node() {
    let expected: BTreeMap<String, String> =
        serde_json::from_str(include_str!("node/node-20.json")).unwrap();
    let package = Package::of_source("subject.js", include_str!("node/subject.js")).unwrap();
    let program = Program::new(package).unwrap();
    let mut machine = Machine::new(&program, MachineSettings::default(), 1);
    let mut different = Vec::new();
    for ((name, expected), infer) in expected.iter().flat_map(|each| [(each, false), (each, true)])
    {
        let options = ExecuteOptions { observe: true, infer, ..ExecuteOptions::default() };
        let call = json!({"op": "call", "path": [name], "arguments": [], "await": true});
        let execution = machine.execute(&[Statement::from_json(&call).unwrap()], options).unwrap();
        let found = execution.observed.first().and_then(|value| value["string"].as_str());
        if found != Some(expected) {
            let found = found.map_or_else(|| format!("{:?}", execution.outcome), str::to_owned);
            different.push(format!("{name}\n  Node.js: {expected}\n  here:    {found}"));
        }
    }
    assert!(expected.len() > 50);
    assert!(different.is_empty(), "{}", different.join("\n"));
}

#[test]
fn a_program_that_exits_ends_the_test() {
    let source = "const process = require('node:process');
        exports.f = () => { try { process.stdout.write('x'); process.exit(1); } catch { return 1; } };";
    let program = Program::new(Package::of_source("exit.js", source).unwrap()).unwrap();
    let mut machine = Machine::new(&program, MachineSettings::default(), 1);
    let call = json!({"op": "call", "path": ["f"], "arguments": []});
    let test = [Statement::from_json(&call).unwrap()];
    for _ in 0..2 {
        let execution = machine.execute(&test, ExecuteOptions::default()).unwrap();
        assert_eq!(execution.outcome, TestOutcome::Limit("exit"));
    }
}
