//! Tests `catherd dev vm digest` and `catherd dev vm fuzz` through the binary.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::support::{archive, catherd, packed, small, stderr, two_blocks};
use serde_json::{Value, json};

fn vm(folder: &Path, arguments: &[&str]) -> Output {
    catherd().current_dir(folder).args(["dev", "vm"]).args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", stderr(output));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Creates a folder with projects that differ only in the key for which they wait.
fn games() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, key) in [("a", "space"), ("b", "a"), ("c", "d")] {
        fs::write(folder.path().join(format!("{name}.sb3")), packed(&small(key))).unwrap();
    }
    folder
}

#[test]
fn a_digest_depends_on_project_and_seed_and_not_on_threads() {
    let folder = games();
    let digest = |rest: &[&str]| {
        stdout(&vm(folder.path(), &[&["digest", ".", "--steps", "40"], rest].concat()))
    };
    let one = digest(&["--jobs", "1"]);
    assert_eq!(one, digest(&["--jobs", "3"]));
    assert_eq!(one, digest(&["--interpret"]));
    let lines: Vec<_> = one.lines().map(|line| line.split_once("  ").unwrap()).collect();
    assert_eq!(lines.iter().map(|line| line.1).collect::<Vec<_>>(), ["a", "b", "c"]);
    assert!(lines.iter().all(|line| line.0.chars().all(|c| c.is_ascii_hexdigit())), "{one}");
    assert!(lines[0].0 != lines[1].0 && lines[1].0 != lines[2].0, "{one}");
    for (other, line) in digest(&["--seed", "2"]).lines().zip(one.lines()) {
        assert_ne!(other, line);
    }
    assert_eq!(digest(&["--limit", "1"]), one.split_inclusive('\n').next().unwrap());

    let json: Value = serde_json::from_str(&digest(&["--limit", "1", "--json"])).unwrap();
    assert_eq!(json["digest"], lines[0].0);
}

/// The archive is smaller than 3 KB, but measuring the text would take more than a minute. The text
/// must be measured because the document states no size.
#[test]
fn a_costume_with_a_million_letters_is_a_limit() {
    let folder = tempfile::tempdir().unwrap();
    let costume = json!([{
        "name": "cat", "assetId": "00ff", "md5ext": "00ff.svg", "dataFormat": "svg",
    }]);
    let text = format!("<svg><text>{}</text></svg>", "a".repeat(1_000_000));
    let project = two_blocks(None, &costume);
    let files = [("project.json", project.as_bytes()), ("00ff.svg", text.as_bytes())];
    fs::write(folder.path().join("long.sb3"), archive(&files)).unwrap();
    let digest = stdout(&vm(folder.path(), &["digest", ".", "--steps", "3", "--json"]));
    let json: Value = serde_json::from_str(&digest).unwrap();
    assert!(json["limits"].to_string().contains("costume"), "{digest}");
}

#[test]
fn projects_that_cannot_run_have_no_digest() {
    let folder = games();
    fs::write(folder.path().join("b.sb3"), packed("{}")).unwrap();
    let output = vm(folder.path(), &["digest", ".", "--steps", "1"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 2);
    assert!(stderr(&output).contains("b.sb3"), "{}", stderr(&output));
}

#[test]
fn a_campaign_counts_outcomes() {
    let folder = games();
    let campaign = ["fuzz", ".", "--seed", "3", "--executions", "9", "--jobs", "2", "--json"];
    let report = stdout(&vm(folder.path(), &campaign));
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["executions"], 9, "{report}");
    let outcomes = report["outcomes"].as_object().unwrap();
    assert_eq!(outcomes.values().filter_map(Value::as_u64).sum::<u64>(), 9, "{report}");
    assert_eq!(report["failures"].as_array().unwrap().len(), 0, "{report}");
    assert!(!folder.path().join("fuzz-failures").exists());

    // A single execution always has the same outcome.
    let only = || stdout(&vm(folder.path(), &["fuzz", ".", "--seed", "3", "--only", "4"]));
    let text = only();
    assert!(outcomes.contains_key(text.lines().nth(1).unwrap()), "{text}");
    assert_eq!(text, only());
}
