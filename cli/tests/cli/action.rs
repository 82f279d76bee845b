//! Tests the script of the GitHub action for users' repositories.

#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::{program, stderr, two_projects};
use tempfile::TempDir;

fn action() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../.github/actions/coverage")
}

/// Inputs that are not given have their defaults.
fn study(folder: &Path, inputs: &[(&str, &str)]) -> Output {
    let mut command = Command::new("bash");
    command
        .arg(action().join("study"))
        .current_dir(folder)
        .env("CATHERD", program())
        .env("RESULTS", folder.join("results"))
        .env("GITHUB_OUTPUT", folder.join("output"));
    let definition = fs::read_to_string(action().join("action.yml")).unwrap();
    for input in ["study", "projects", "algorithms", "seeds", "executions", "check"] {
        command.env(input.to_uppercase(), default(&definition, input));
    }
    command.envs(inputs.iter().copied()).output().unwrap()
}

fn default<'a>(definition: &'a str, input: &str) -> &'a str {
    let lines = definition.lines().skip_while(|line| line.trim() != format!("{input}:"));
    let found = lines.take(3).find_map(|line| line.trim().strip_prefix("default: "));
    found.unwrap_or_else(|| panic!("{input} has no default")).trim_matches('"')
}

#[test]
fn checks_decide_whether_the_job_passes() {
    let folder = TempDir::new().unwrap();
    two_projects(&folder.path().join("my projects"));
    let inputs = [("PROJECTS", "my projects\n"), ("SEEDS", "2"), ("EXECUTIONS", "20")];

    let output = study(folder.path(), &inputs);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let said = fs::read_to_string(folder.path().join("output")).unwrap();
    assert_eq!(said, format!("results={}\n", folder.path().join("results").display()));
    assert!(folder.path().join("results/report/report.html").is_file());

    // One block of each project cannot be covered.
    let unmet = [("CHECK", "algorithms/mio/mean >= 10 %\nalgorithms/mio/mean >= 99 %\n")];
    let output = study(folder.path(), &[&inputs[..], &unmet].concat());
    assert_eq!(output.status.code(), Some(4), "{}", stderr(&output));
}

#[test]
fn a_study_file_decides_instead_of_the_inputs() {
    let folder = TempDir::new().unwrap();
    two_projects(&folder.path().join("projects"));
    let file = "name = \"own\"\nprojects = [\"projects\"]\nalgorithms = [\"random\"]\nseeds = 1\n\
                budget = { executions = 5 }\n";
    fs::write(folder.path().join("own.toml"), file).unwrap();
    let check = "algorithms/random/mean >= 10 %";
    let output = study(folder.path(), &[("STUDY", "own.toml"), ("CHECK", check)]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(crate::support::digests(&folder.path().join("results")).len(), 2);
}
