//! Exported suites on the original Scratch machine. The tests need `node` and a folder with
//! `scratch-vm` and `scratch-storage` that `CATHERD_NODE_MODULES` names.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;

use catherd_sb3::Project;
use catherd_search::Budget;
use catherd_testgen::{Assertions, Prepared, Request, Settings};

fn generate(project: &Project, seed: u64) -> catherd_suite::Suite {
    let prepared = Prepared::new(project, Settings::default()).unwrap();
    let budget = Budget { executions: Some(60), ..Budget::default() };
    let mut request = Request::new("mio", &[], seed, budget).unwrap();
    request.assertions = Some(Assertions::default());
    prepared.generate(&request, |_| ControlFlow::Continue(())).suite
}

/// Demo projects that sense nothing of the renderer, which the driver lacks.
const BLIND: [&str; 7] =
    ["apple-catch", "combination-lock", "kiosk", "seedling", "sketchpad", "spirograph", "story"];

fn demo() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets/demo")
}

#[test]
#[ignore = "needs node"]
fn exported_suites_parse() {
    let folder = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(demo()).unwrap() {
        let project = entry.unwrap().path();
        if !project.is_dir() {
            continue;
        }
        let suite = generate(&Project::read(&project).unwrap(), 1);
        let file = folder.path().join("suite.js");
        std::fs::write(&file, suite.to_javascript()).unwrap();
        let check = Command::new("node").arg("--check").arg(&file).output().unwrap();
        assert!(check.status.success(), "{}", String::from_utf8_lossy(&check.stderr));
    }
}

#[test]
#[ignore = "needs node and CATHERD_NODE_MODULES"]
fn exported_suites_pass_on_the_original_machine() {
    let modules = std::env::var_os("CATHERD_NODE_MODULES")
        .expect("CATHERD_NODE_MODULES names a folder with scratch-vm");
    let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/whisker/driver.js");
    let folder = tempfile::tempdir().unwrap();
    for project in BLIND.map(|name| demo().join(name)) {
        let suite = generate(&Project::read(&project).unwrap(), 1);
        let file = folder.path().join("suite.js");
        std::fs::write(&file, suite.to_javascript()).unwrap();
        let archive = folder.path().join("project.sb3");
        std::fs::write(&archive, catherd_sb3::pack(&project).unwrap()).unwrap();
        let output = Command::new("node")
            .arg(&driver)
            .args([Path::new(&modules), &archive, &file])
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["tests"], suite.tests.len(), "{}", project.display());
        assert_eq!(report["unmet"], serde_json::json!([]), "{}", project.display());
        assert_eq!(report["passed"], report["tests"], "{}", project.display());
    }
}
