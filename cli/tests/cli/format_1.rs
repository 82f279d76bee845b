//! Tests studies of version 0.3.0 through the binary: `tests/format-1` is the folder of such a
//! study.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{catherd, stderr};
use tempfile::TempDir;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn copy() -> TempDir {
    let directory = TempDir::new().unwrap();
    for entry in fs::read_dir(root().join("tests/format-1")).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), directory.path().join(entry.file_name())).unwrap();
    }
    directory
}

fn column(folder: &Path, name: &str) -> BTreeMap<String, String> {
    let mut runs = csv::Reader::from_path(folder.join("runs.csv")).unwrap();
    let rows = runs.deserialize().map(Result::unwrap);
    rows.map(|row: BTreeMap<String, String>| (row["run"].clone(), row[name].clone())).collect()
}

/// The error states that a different engine would execute the runs now, instead of reporting
/// different digests.
#[test]
fn old_records_are_of_another_engine() {
    let old = copy();
    let output = catherd().arg("verify").arg(old.path()).args(["--sample", "100%"]).output();
    let output = output.unwrap();
    let engines = "of engine catherd/0.3.0; this catherd has scratch/5, whose digests differ";
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains(engines), "{}", stderr(&output));

    let run = column(old.path(), "run").into_keys().next().unwrap();
    let output = catherd().arg("replay").arg(old.path()).arg(&run).output().unwrap();
    assert!(stderr(&output).contains(engines), "{}", stderr(&output));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.starts_with(&run) && text.contains("before") && text.contains("now"), "{text}");
}

#[test]
fn an_old_folder_has_a_status() {
    let output = catherd().arg("status").arg(root().join("tests/format-1")).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let row: Vec<&str> = text.lines().last().unwrap().split_whitespace().collect();
    assert_eq!(row[1..8], ["complete", "12", "0", "0", "12", "0", "0"], "{text}");
}

/// Runs of different engines never mix, so an old folder is refused and is not changed.
#[test]
fn an_old_study_is_not_continued() {
    let old = copy();
    let demo = root().join("datasets/demo");
    let study = old.path().join("format-1.toml");
    let projects = ["fireworks", "sorting"].map(|name| demo.join(name));
    let text = format!(
        "name = \"format-1\"\nprojects = {projects:?}\nseeds = 2\nassertions = true\n\
         algorithms = [\"random\", \"mio\", {{ label = \"small\", name = \"mosa\", \
         parameters = {{ population = 8 }} }}]\nbudget.executions = 15\nmutation.sample = 6\n"
    );
    fs::write(&study, text).unwrap();
    let mut command = catherd();
    let output = command.arg("run").arg(&study).arg("--out").arg(old.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("holds a study with another engine"), "{}", stderr(&output));
    for file in ["study.db", "study.json", "runs.csv", "table6.csv"] {
        let read = |folder: &Path| fs::read(folder.join(file)).unwrap();
        assert!(read(old.path()) == read(&root().join("tests/format-1")), "{file}");
    }
}
