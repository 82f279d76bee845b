//! Tests of the machine as a host of programs, with results recorded with Node.js 20.

use std::collections::BTreeMap;

use catherd_javascript_machine::{
    ExecuteOptions, Machine, MachineSettings, Package, Program, Statement, TestOutcome,
};
use serde_json::json;

fn compare(source: &str, recorded: &str) -> (usize, Vec<String>) {
    let expected: BTreeMap<String, String> = serde_json::from_str(recorded).unwrap();
    let package = Package::of_source("subject.js", source).unwrap();
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
    (expected.len(), different)
}

#[test]
fn results_equal_those_of_node() {
    let (count, different) =
        compare(include_str!("node/subject.js"), include_str!("node/node-20.json"));
    assert!(count > 50);
    assert!(different.is_empty(), "{}", different.join("\n"));
}

#[test]
fn modules_of_node_give_what_they_give_in_node() {
    let (count, different) =
        compare(include_str!("node/modules.js"), include_str!("node/modules-20.json"));
    assert!(count > 15);
    assert!(different.is_empty(), "{}", different.join("\n"));
}

#[test]
fn streams_do_what_they_do_in_node() {
    let (count, different) =
        compare(include_str!("node/streams.js"), include_str!("node/streams-20.json"));
    assert!(count > 30);
    assert!(different.is_empty(), "{}", different.join("\n"));
}

#[test]
fn other_modules_give_what_they_give_in_node() {
    let (count, different) =
        compare(include_str!("node/tools.js"), include_str!("node/tools-20.json"));
    assert!(count >= 20);
    assert!(different.is_empty(), "{}", different.join("\n"));
}

#[test]
fn events_are_awaited_and_iterated_as_in_node() {
    let (count, different) =
        compare(include_str!("node/events.js"), include_str!("node/events-20.json"));
    assert!(count >= 10);
    assert!(different.is_empty(), "{}", different.join("\n"));
}

#[test]
fn streams_of_the_web_do_what_they_do_in_node() {
    let (count, different) =
        compare(include_str!("node/webstreams.js"), include_str!("node/webstreams-20.json"));
    assert!(count > 15);
    assert!(different.is_empty(), "{}", different.join("\n"));
}

#[test]
fn paths_of_windows_are_read_as_in_node() {
    let (count, different) =
        compare(include_str!("node/windows.js"), include_str!("node/windows-20.json"));
    assert!(count >= 6);
    assert!(different.is_empty(), "{}", different.join("\n"));
}

#[test]
fn mime_types_are_read_as_in_node() {
    let (count, different) =
        compare(include_str!("node/mime.js"), include_str!("node/mime-20.json"));
    assert!(count >= 4);
    assert!(different.is_empty(), "{}", different.join("\n"));
}

#[test]
fn compression_gives_the_bytes_that_it_gives_in_node() {
    let (count, different) =
        compare(include_str!("node/zlib.js"), include_str!("node/zlib-20.json"));
    assert!(count > 10);
    assert!(different.is_empty(), "{}", different.join("\n"));
}

/// Compares the recorded results with the results of Node.js on this computer, if its version is
/// 20.
#[test]
#[ignore = "slow"]
fn recorded_results_are_those_of_node() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/node");
    let version = std::process::Command::new("node").arg("--version").output();
    if !version.is_ok_and(|found| found.stdout.starts_with(b"v20.")) {
        return;
    }
    for (name, recorded) in [
        ("subject", include_str!("node/node-20.json")),
        ("modules", include_str!("node/modules-20.json")),
        ("streams", include_str!("node/streams-20.json")),
        ("tools", include_str!("node/tools-20.json")),
        ("zlib", include_str!("node/zlib-20.json")),
        ("webstreams", include_str!("node/webstreams-20.json")),
        ("events", include_str!("node/events-20.json")),
        ("windows", include_str!("node/windows-20.json")),
        ("mime", include_str!("node/mime-20.json")),
    ] {
        let mut node = std::process::Command::new("node");
        let printed = node.args(["print.js", name]).env("TZ", "UTC").current_dir(&folder).output();
        let read = |text: &str| serde_json::from_str::<BTreeMap<String, String>>(text).unwrap();
        let printed = String::from_utf8(printed.unwrap().stdout).unwrap();
        assert_eq!(read(&printed), read(recorded), "{name}");
    }
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

#[test]
fn modules_may_declare_names_that_scripts_have() {
    let source = "import { createRequire } from 'node:module';
        const require = createRequire(import.meta.url);
        const module = require('node:path'), __dirname = 'here';
        export const f = () => [__dirname, module.basename('a/b'), typeof exports].join();";
    let program = Program::new(Package::of_source("names.mjs", source).unwrap()).unwrap();
    let mut machine = Machine::new(&program, MachineSettings::default(), 1);
    let call = json!({"op": "call", "path": ["f"], "arguments": []});
    let test = [Statement::from_json(&call).unwrap()];
    let options = ExecuteOptions { observe: true, ..ExecuteOptions::default() };
    let execution = machine.execute(&test, options).unwrap();
    assert_eq!(execution.observed, [json!({"string": "here,b,undefined"})]);
}

#[test]
fn calls_in_stack_traces_have_the_methods_of_node() {
    let source = "exports.f = () => {
            const before = Error.prepareStackTrace;
            Error.prepareStackTrace = (_, calls) => calls;
            const call = new Error().stack[0];
            Error.prepareStackTrace = before;
            if (typeof new Error().stack !== 'string') return [];
            return [call.isEval(), call.getThis(), call.getEvalOrigin(), call.getTypeName(), call.getMethodName()];
        };";
    let program = Program::new(Package::of_source("calls.js", source).unwrap()).unwrap();
    let mut machine = Machine::new(&program, MachineSettings::default(), 1);
    let call = json!({"op": "call", "path": ["f"], "arguments": []});
    let test = [Statement::from_json(&call).unwrap()];
    let options = ExecuteOptions { observe: true, ..ExecuteOptions::default() };
    let execution = machine.execute(&test, options).unwrap();
    let nothing = json!({"undefined": true});
    let expected = [
        json!({"boolean": false}),
        nothing.clone(),
        nothing,
        json!({"null": true}),
        json!({"null": true}),
    ];
    assert_eq!(execution.observed, [json!({"array": expected})]);
}

#[test]
fn constructors_that_never_end_with_unknown_values_are_described() {
    let source = "exports.Reader = class { constructor(text) { while (text.next()) this.last = text.read(); } };";
    let program = Program::new(Package::of_source("reader.js", source).unwrap()).unwrap();
    let mut machine = Machine::new(&program, MachineSettings::default(), 1);
    let found = machine.analyse().unwrap();
    assert_eq!(found[0]["name"], "Reader", "{found}");
}

#[test]
fn namespaces_of_a_default_export_are_described() {
    let source = "export default { rgb: { hex: n => n } };";
    let program = Program::new(Package::of_source("colors.mjs", source).unwrap()).unwrap();
    let mut machine = Machine::new(&program, MachineSettings::default(), 1);
    let found = machine.analyse().unwrap();
    assert!(found.to_string().contains("[\"default\",\"rgb\",\"hex\"]"), "{found}");
}
