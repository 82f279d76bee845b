//! Studies of version 0.3.0 through the binary: `tests/format-1` is the folder of one.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use support::{catherd, stderr};
use tempfile::TempDir;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A copy of the folder, as `catherd run` of version 0.3.0 left it.
fn copy() -> TempDir {
    let directory = TempDir::new().unwrap();
    for entry in fs::read_dir(root().join("tests/format-1")).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), directory.path().join(entry.file_name())).unwrap();
    }
    directory
}

/// A column of runs.csv by run.
fn column(folder: &Path, name: &str) -> BTreeMap<String, String> {
    let mut runs = csv::Reader::from_path(folder.join("runs.csv")).unwrap();
    let rows = runs.deserialize().map(Result::unwrap);
    rows.map(|row: BTreeMap<String, String>| (row["run"].clone(), row[name].clone())).collect()
}

#[test]
fn old_records_are_reproduced() {
    let old = copy();
    let output = catherd().arg("verify").arg(old.path()).args(["--sample", "100%"]).output();
    let output = output.unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(text, "12 of 12 runs agree\n", "{}", stderr(&output));
}

#[test]
fn an_old_folder_has_a_status() {
    let output = catherd().arg("status").arg(root().join("tests/format-1")).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let row: Vec<&str> = text.lines().last().unwrap().split_whitespace().collect();
    assert_eq!(row[1..8], ["complete", "12", "0", "0", "12", "0", "0"], "{text}");
}

#[test]
fn an_old_study_is_continued() {
    let old = copy();
    let out = TempDir::new().unwrap();
    for file in ["study.db", "study.json"] {
        fs::copy(old.path().join(file), out.path().join(file)).unwrap();
    }
    let demo = root().join("datasets/demo");
    let study = out.path().join("format-1.toml");
    let projects = ["fireworks", "sorting"].map(|name| demo.join(name));
    let text = format!(
        "name = \"format-1\"\nprojects = {projects:?}\nseeds = 2\nassertions = true\n\
         algorithms = [\"random\", \"mio\", {{ label = \"small\", name = \"mosa\", \
         parameters = {{ population = 8 }} }}]\nbudget.executions = 15\nmutation.sample = 6\n"
    );
    fs::write(&study, text).unwrap();
    let run = |more: &[&str]| {
        let mut command = catherd();
        command.arg("run").arg(&study).arg("--out").arg(out.path()).args(more);
        command.output().unwrap()
    };
    let output = run(&["--quiet"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    // No run was executed again: attempts, workers and results are the same.
    for (new, before) in [
        ("worker", "worker"),
        ("host", "host"),
        ("search_ms", "search_ms"),
        ("steps", "steps"),
        ("record_format_1", "record"),
        ("suite_size", "suite_events"),
        ("metrics", "counts"),
    ] {
        assert_eq!(column(out.path(), new), column(old.path(), before), "{new}");
    }
    assert_eq!(column(out.path(), "suite_unit").into_values().next().unwrap(), "events");
    for table in ["table6.csv", "comparisons.csv", "coverage.csv", "algorithms.csv", "mutants.csv"]
    {
        let read = |folder: &Path| fs::read_to_string(folder.join(table)).unwrap();
        assert_eq!(read(out.path()), read(old.path()), "{table}");
    }
    assert!(out.path().join("subject.json").exists());
    let suites = fs::read_dir(out.path().join("suites/sorting")).unwrap().count();
    assert_eq!(suites, 6);

    // A further seed adds runs in the new format beside the old ones.
    let output = run(&["--quiet", "--seeds", "3"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let hosts = column(out.path(), "host");
    assert_eq!(hosts.len(), 18);
    assert_eq!(hosts.values().filter(|host| *host == "lab").count(), 12);
}
