//! Runs the execution tests of Scratch, which are projects that check the VM that executes them.
#![allow(clippy::print_stdout)]

use std::path::PathBuf;

use catherd_scratch_sb3::Project;
use catherd_scratch_vm::{Compat, run_self_test};

#[test]
#[ignore = "needs CATHERD_CORPUS"]
fn self_testing_projects_pass() {
    let corpus = std::env::var_os("CATHERD_CORPUS").expect("CATHERD_CORPUS is a folder");
    let corpus = PathBuf::from(corpus);
    // Execute the files that Scratch 2 saved, and their conversions by Scratch 3.
    let mut files: Vec<_> = ["vm-execute", "vm-execute-sb2"]
        .iter()
        .flat_map(|folder| std::fs::read_dir(corpus.join(folder)).unwrap())
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let mut failures = Vec::new();
    let mut assumed = 0;
    for file in &files {
        let project = Project::read(file).unwrap();
        for compat in Compat::ALL {
            let report = run_self_test(&project, 3000, compat).unwrap();
            assumed += usize::from(report.layers.is_some());
            if !report.is_ok() {
                let name = file.file_name().unwrap().display();
                failures.push(format!("{name} ({compat}): {report:?}"));
            }
        }
    }
    let all = files.len() * Compat::ALL.len();
    println!("{} of {all} executions pass", all - failures.len());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(assumed <= 6, "the layers had to be assumed in {assumed} executions");
}
