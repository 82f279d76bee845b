//! Tests the shipped adapters of fuzzers: their shared files, and studies of a real target, which
//! need Debian's packages of the fuzzers.

#![cfg(target_os = "linux")]

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{catherd, stderr};
use tempfile::TempDir;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

type Row = HashMap<String, String>;

fn command(folder: &Path, words: &[&str]) {
    let output = catherd().current_dir(folder).args(words).output().unwrap();
    assert!(output.status.success(), "{words:?}: {}", stderr(&output));
}

/// Executes two trials of 6 s of each adapter on the target `picture`. Returns the folder with the
/// results in `out`, and the rows of `runs.csv`.
fn studied(adapters: &[&str]) -> (TempDir, Vec<Row>) {
    let place = TempDir::new().unwrap();
    for folder in ["adapters", "datasets"] {
        let copied =
            Command::new("cp").arg("-r").arg(root().join(folder)).arg(place.path()).status();
        assert!(copied.unwrap().success());
    }
    let algorithm = |name: &&str| {
        format!("{{ name = '{name}', parameters = {{ adapter = 'adapters/{name}' }} }}")
    };
    let algorithms: Vec<String> = adapters.iter().map(algorithm).collect();
    let study = format!(
        "subject = 'command'\nprojects = ['datasets/fuzzing/picture.project.toml']\nseeds = 2\n\
         algorithms = [{}]\nbudget = {{ wall = '6s' }}\n\
         [command]\nmeasurer = 'adapters/llvm-coverage'\nrun_limit = '5min'\n",
        algorithms.join(", ")
    );
    fs::write(place.path().join("study.toml"), study).unwrap();
    command(place.path(), &["tool", "prepare", "study.toml"]);
    command(place.path(), &["run", "study.toml", "--out", "out", "--workers", "1"]);
    let mut runs = csv::Reader::from_path(place.path().join("out/runs.csv")).unwrap();
    let rows: Vec<Row> = runs.deserialize().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 2 * adapters.len());
    for row in &rows {
        assert_eq!((&*row["outcome"], &*row["goals"]), ("done", "92"), "{row:?}");
    }
    (place, rows)
}

/// Each adapter has copies of the shared files, because the digest of the adapter's folder is part
/// of the run ids.
#[test]
fn shared_files_of_the_adapters_are_the_same() {
    let text = |name: &str| fs::read_to_string(root().join("adapters").join(name)).unwrap();
    for file in ["trial.py", "throttle.py"] {
        for adapter in ["libafl", "libfuzzer"] {
            assert_eq!(text(&format!("aflplusplus/{file}")), text(&format!("{adapter}/{file}")));
        }
    }
    for adapter in ["libafl", "libfuzzer", "llvm-coverage"] {
        assert_eq!(text("aflplusplus/targets.py"), text(&format!("{adapter}/targets.py")));
    }
}

#[test]
#[ignore = "needs afl-fuzz and clang-14"]
fn two_fuzzers_are_measured_by_the_same_means() {
    let (place, rows) = studied(&["aflplusplus", "libfuzzer"]);
    command(place.path(), &["report", "out", "-o", "report"]);
    let text = |name: &str| fs::read_to_string(place.path().join(name)).unwrap();
    for row in &rows {
        // The seeds cover 66 regions.
        assert!(row["covered"].parse::<u32>().unwrap() > 70, "{row:?}");
        assert!(row["metrics"].contains("exposed_ms.heap-buffer-overflow in fill_run"), "{row:?}");
        assert!(row["cpu_ms"].parse::<u64>().unwrap() > 500, "{row:?}");
    }
    let index = text("out/artifacts/index.csv");
    assert!(index.contains(",corpus.tar.gz,"), "{index}");
    assert!(index.contains(",faults-heap-buffer-overflow_in_fill_run,"), "{index}");
    let exposure = text("report/tables/exposure.csv");
    assert!(
        exposure.contains("picture,heap-buffer-overflow in fill_run,libfuzzer,2,2,1,"),
        "{exposure}"
    );
    let unique = text("report/tables/unique-goals.csv");
    assert!(unique.starts_with("project,criterion,algorithm,runs,covered,unique,"), "{unique}");
    assert!(unique.contains("picture,regions,aflplusplus,2,"), "{unique}");
    assert!(place.path().join("report/figures/exposure.svg").exists());
    let goals = text("out/goals.csv");
    assert!(goals.contains("picture.c:"), "{goals}");
}

/// The adapter is built from crates, which takes minutes.
#[test]
#[ignore = "needs afl-fuzz and clang-14"]
fn a_fuzzer_made_of_crates_finds_faults() {
    let (_place, rows) = studied(&["libafl"]);
    for row in &rows {
        // The seeds cover 66 regions.
        assert!(row["covered"].parse::<u32>().unwrap() > 70, "{row:?}");
        assert!(row["metrics"].contains("exposed_ms.heap-buffer-overflow in"), "{row:?}");
        assert!(!row["metrics"].contains("\"executions\":0,"), "{row:?}");
    }
}
