//! Tests the guide to adding a tool: the files are written exactly as shown on the page, and the
//! commands of the page are executed.

#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::support::{catherd, stderr};
use tempfile::TempDir;

/// The files of the page, in the order of the page.
const FILES: [&str; 4] = ["tool/generate", "tool/adapter.toml", "tool/run", "study.toml"];

#[test]
#[ignore = "slow"]
fn the_guide_works_as_written() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/how-to/your-own-tool.md");
    let page = fs::read_to_string(page).unwrap();
    let blocks = page.split("```text\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let place = TempDir::new().unwrap();
    fs::create_dir_all(place.path().join("tool")).unwrap();
    fs::create_dir_all(place.path().join("modules")).unwrap();
    let blocks: Vec<&str> = blocks.collect();
    assert_eq!(blocks.len(), FILES.len());
    for (name, text) in FILES.iter().zip(blocks) {
        let file = place.path().join(name);
        fs::write(&file, text).unwrap();
        if text.starts_with("#!") {
            assert!(text.lines().count() <= 22, "{name} is an adapter of twenty lines");
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        }
    }
    for (name, functions) in [("one.py", 9), ("two.py", 4)] {
        let text: String = (0..functions).map(|n| format!("def f{n}():\n    pass\n")).collect();
        fs::write(place.path().join("modules").join(name), text).unwrap();
    }
    let tried = ["tool", "try", "tool", "modules/one.py"];
    let output = catherd().current_dir(place.path()).args(tried).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{}", stderr(&output));
    for part in
        ["request.json:", "result.json:", "understood: ", " of 9 goals covered, 10 executions"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    // The adapter does not know `doctor`, and has nothing to prepare.
    let output =
        catherd().current_dir(place.path()).args(["doctor", "study.toml"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && text.contains("generate 1.0: can be run"), "{text}");
    let (_, commands) = page.split_once("```\ncatherd run").unwrap();
    let commands = format!("catherd run{}", commands.split("```").next().unwrap());
    let mut said = String::new();
    for line in commands.lines() {
        let words: Vec<&str> = line.split_whitespace().skip(1).collect();
        let output = catherd().current_dir(place.path()).args(&words).output().unwrap();
        assert!(output.status.success(), "{line}: {}", stderr(&output));
        said += &String::from_utf8_lossy(&output.stdout);
    }
    assert!(said.contains("20 of 20 runs agree"), "{said}");
    let table = fs::read_to_string(place.path().join("report/tables/factors.csv")).unwrap();
    assert!(table.contains("random,random,random-more"), "{table}");
    let runs = fs::read_to_string(place.path().join("results/runs.csv")).unwrap();
    assert_eq!(runs.matches(",done,").count(), 20, "{runs}");
    assert!(place.path().join("results/suites/one.py/random-1.suite-tests.txt").exists());
}
