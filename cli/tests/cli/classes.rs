//! JavaScript projects through the binary: generation, execution, coverage, mutants, code.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::support::{catherd, stderr};
use serde_json::Value;
use tempfile::TempDir;

fn demo() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../datasets/javascript")
}

/// A folder with files of the demo corpus.
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

/// The tests of all suites of the demo corpus, written as code, pass in Node.js.
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
    let node = Command::new("node")
        .args(["--test", "--test-reporter=tap"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&node.stdout);
    let count = |what: &str| -> usize {
        let line = text.lines().find_map(|line| line.strip_prefix(&format!("# {what} ")));
        line.unwrap().parse().unwrap()
    };
    let (tests, failed) = (count("tests"), count("fail"));
    assert!(tests > 40 && failed * 100 <= tests, "{failed} of {tests} failed\n{text}");
}
