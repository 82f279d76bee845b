//! Tests commands for JavaScript projects.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::support::{catherd, stderr};
use serde_json::Value;
use tempfile::TempDir;

fn demo() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../datasets/javascript")
}

fn folder(names: &[&str]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for name in names {
        fs::copy(demo().join(name), folder.path().join(name)).unwrap();
    }
    folder
}

fn run(folder: &TempDir, code: i32, arguments: &[&str]) -> String {
    let output: Output = catherd().current_dir(folder.path()).args(arguments).output().unwrap();
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{text}{}", stderr(&output));
    text
}

#[test]
fn a_suite_is_generated_executed_and_measured() {
    let folder = folder(&["linked-list.js", "triangle.js"]);
    let made = ["--algorithm", "dynamosa", "--executions", "600", "--quiet", "-o"];
    run(&folder, 0, &[&["generate", "linked-list.js"][..], &made, &["suite.json"]].concat());
    let tap = run(&folder, 0, &["test", "linked-list.js", "suite.json"]);
    assert!(tap.starts_with("TAP version 13\n1..") && tap.contains("# fail 0"), "{tap}");
    let coverage = run(&folder, 0, &["coverage", "linked-list.js", "suite.json"]);
    assert!(coverage.contains("statements") && coverage.contains("goals uncovered"), "{coverage}");
    let json = run(&folder, 0, &["coverage", "linked-list.js", "suite.json", "--json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    let file = &json["linked-list.js"];
    assert_eq!(
        file["statementMap"].as_object().unwrap().len(),
        file["s"].as_object().unwrap().len()
    );
    let mutants = run(&folder, 0, &["mutate", "linked-list.js", "suite.json", "--quiet", "--json"]);
    let mutants: Vec<Value> = mutants.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let killed = mutants.iter().filter(|mutant| mutant["outcome"] == "killed").count();
    assert!(killed * 2 > mutants.len(), "{killed} of {}", mutants.len());

    // A suite detects a change, and belongs to one project.
    let source = fs::read_to_string(folder.path().join("linked-list.js")).unwrap();
    let changed =
        source.replacen("length += 1", "length += 2", 1).replacen("length++", "length--", 1);
    assert_ne!(source, changed);
    fs::write(folder.path().join("linked-list.js"), changed).unwrap();
    let refusal = ["test", "linked-list.js", "suite.json"];
    let output = catherd().current_dir(folder.path()).args(refusal).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("another project"), "{}", stderr(&output));
    let tap = run(&folder, 2, &["test", "linked-list.js", "suite.json", "--any-project"]);
    assert!(tap.contains("not ok"), "{tap}");

    let shown = run(&folder, 0, &["inspect", "triangle.js", "--executions", "5"]);
    assert!(shown.contains("class Triangle"), "{shown}");
}

#[test]
fn projects_and_suites_that_cannot_be_used_are_named() {
    let folder = folder(&["triangle.js"]);
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("bad.js", "let = ;");
    write(
        "suite.json",
        r#"{"format": 1, "subject": "javascript", "tests": [{"statements": [
        {"op": "method", "receiver": 7, "name": "x", "arguments": []}]}]}"#,
    );
    write("other.json", r#"{"format": 9, "subject": "javascript", "tests": []}"#);
    for (arguments, expected) in [
        (&["generate", "bad.js"][..], "bad.js"),
        (&["generate", "triangle.js", "--algorithm", "luck"], "luck"),
        (&["test", "triangle.js", "suite.json"], "test 0 cannot be read"),
        (&["coverage", "triangle.js", "other.json"], "format 1"),
        (&["mutate", "suite.json", "other.json"], "format 1"),
        (&["inspect", "nowhere.js"], "nowhere.js"),
    ] {
        let output = catherd().current_dir(folder.path()).args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(stderr(&output).contains(expected), "{arguments:?}: {}", stderr(&output));
    }
}

#[test]
#[ignore = "needs node"]
fn suites_as_code_pass_in_node() {
    let names: Vec<String> = fs::read_dir(demo())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.ends_with(".md"))
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let folder = folder(&names);
    for name in &names {
        let out = format!("{name}.test.js");
        let budget = ["--executions", "150", "--seed", "5", "--quiet", "-o", &out];
        run(&folder, 0, &[&["generate", *name, "--algorithm", "mosa"][..], &budget].concat());
    }
    for name in &names {
        let code = fs::read_to_string(folder.path().join(format!("{name}.test.js"))).unwrap();
        assert!(code.contains("// Confirmed in Node.js "), "{code}");
        // A line that consists of one long string is not divided.
        let is_long =
            |line: &&str| line.chars().count() > 100 && !line.trim_start().starts_with('\'');
        let long: Vec<&str> = code.lines().filter(is_long).collect();
        assert!(long.is_empty(), "{name}: {long:?}");
        assert!(!code.contains("data("), "{code}");
    }
    for _ in 0..3 {
        let (tests, failed, text) = tested(&folder);
        assert!(tests > 40 && failed == 0, "{failed} of {tests} failed\n{text}");
    }
}

/// Executes the tests in a folder in Node.js. Returns the number of tests, the number of failed
/// tests, and the output.
fn tested(folder: &TempDir) -> (usize, usize, String) {
    let node = Command::new("node")
        .args(["--test", "--test-reporter=tap"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&node.stdout).into_owned();
    let count = |what: &str| -> usize {
        let line = text.lines().find_map(|line| line.strip_prefix(&format!("# {what} ")));
        line.unwrap().parse().unwrap()
    };
    (count("tests"), count("fail"), text)
}

/// A program with behaviour that a suite must not assert, and with the function `steady`, whose
/// results a suite must assert.
const UNSTEADY: &str = "let calls = 0;
    exports.zone = () => new Date(2020, 0, 1).getTime();
    exports.roll = n => Math.floor(Math.random() * n) + 1;
    exports.stray = x => { Promise.reject(new Error('forgotten')); return x; };
    exports.late = x => { setTimeout(() => { throw new Error('late'); }, 1); return x; };
    exports.leave = c => process.exit(c);
    exports.pollute = k => { Array.prototype.push = () => 'broken'; return [1].push(k); };
    exports.never = () => new Promise(() => {});
    exports.count = a => (a > ++calls ? 'first' : 'other');
    exports.hash = s => require('crypto').createHash('sha256').update(String(s)).digest('hex');
    exports.servers = s => s + require('dns').getServers().length;
    exports.socket = s => fetch('http://localhost/' + s);
    exports.isBytes = b => Buffer.isBuffer(b);
    exports.steady = a => (a > 1 ? 'many' : 'few');";

#[test]
fn what_the_host_lacks_is_not_asserted() {
    let folder = folder(&[]);
    fs::write(folder.path().join("unsteady.js"), UNSTEADY).unwrap();
    let made = ["generate", "unsteady.js", "--executions", "300", "--quiet", "-o", "suite.json"];
    run(&folder, 0, &made);
    let suite = fs::read_to_string(folder.path().join("suite.json")).unwrap();
    assert!(suite.contains("\"many\"") && suite.contains("isBytes"), "{suite}");
    for absent in ["\"servers\"", "\"socket\"", "available", "is not defined"] {
        assert!(!suite.contains(absent), "{absent}: {suite}");
    }
    let coverage = run(&folder, 0, &["coverage", "unsteady.js", "suite.json"]);
    assert!(coverage.contains("goals uncovered"), "{coverage}");
}

#[test]
#[ignore = "needs node"]
fn code_asserts_only_what_node_shows_each_time() {
    let folder = folder(&[]);
    fs::create_dir(folder.path().join("lib")).unwrap();
    fs::write(folder.path().join("unsteady.js"), UNSTEADY).unwrap();
    fs::write(folder.path().join("package.json"), "{\"main\": \"lib/state.mjs\"}").unwrap();
    fs::write(folder.path().join("state.mjs"), "let n = 0; export const next = () => ++n;")
        .unwrap();
    let entry = "import { next } from '../state.mjs'; export const big = () => (next() > 2 ? 'many' : next());";
    fs::write(folder.path().join("lib/state.mjs"), entry).unwrap();
    let budget = ["--executions", "300", "--quiet", "--all-errors", "-o"];
    run(&folder, 0, &[&["generate", "."][..], &budget, &["state.test.mjs"]].concat());
    // A function may be called in the same test as a function with lasting side effects, so
    // which assertions are left out depends on the seed.
    let mut counted = 0;
    for seed in ["1", "2", "3"] {
        let out = format!("unsteady-{seed}.test.js");
        let made = ["generate", "unsteady.js", "--seed", seed];
        run(&folder, 0, &[&made[..], &budget, &[&*out]].concat());
        let code = fs::read_to_string(folder.path().join(out)).unwrap();
        assert!(code.contains("describe('steady'"), "{code}");
        counted += usize::from(code.contains("describe('count'"));
        for absent in ["zone", "stray", "late", "leave", "pollute"] {
            assert!(!code.contains(&format!("describe('{absent}'")), "{absent}: {code}");
        }
    }
    assert!(counted > 0);
    for _ in 0..3 {
        let (tests, failed, text) = tested(&folder);
        assert!(tests > 3 && failed == 0, "{failed} of {tests} failed\n{text}");
    }
}
