//! Fuzzers on real targets, with the adapters that ship and Debian's packages.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{catherd, stderr};
use tempfile::TempDir;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Each adapter is a folder of its own, because its digest names the runs.
#[test]
fn shared_files_of_the_adapters_are_the_same() {
    let text = |name: &str| fs::read_to_string(root().join("adapters").join(name)).unwrap();
    for file in ["trial.py", "throttle.py"] {
        assert_eq!(text(&format!("aflplusplus/{file}")), text(&format!("libfuzzer/{file}")));
    }
    for adapter in ["libfuzzer", "llvm-coverage"] {
        assert_eq!(text("aflplusplus/targets.py"), text(&format!("{adapter}/targets.py")));
    }
}

#[test]
#[ignore = "needs afl-fuzz and clang-14"]
fn two_fuzzers_are_measured_by_the_same_means() {
    let place = TempDir::new().unwrap();
    for folder in ["adapters", "datasets"] {
        let copied =
            Command::new("cp").arg("-r").arg(root().join(folder)).arg(place.path()).status();
        assert!(copied.unwrap().success());
    }
    let study = "\
        subject = 'command'\nprojects = ['datasets/fuzzing/picture.project.toml']\nseeds = 2\n\
        algorithms = [\n\
          { name = 'aflplusplus', parameters = { adapter = 'adapters/aflplusplus' } },\n\
          { name = 'libfuzzer', parameters = { adapter = 'adapters/libfuzzer' } },\n]\n\
        budget = { wall = '6s' }\n\
        [command]\nmeasurer = 'adapters/llvm-coverage'\nrun_limit = '5min'\n";
    fs::write(place.path().join("study.toml"), study).unwrap();
    let command = |words: &[&str]| {
        let output = catherd().current_dir(place.path()).args(words).output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", stderr(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    command(&["tool", "prepare", "study.toml"]);
    command(&["run", "study.toml", "--out", "out", "--workers", "1"]);
    command(&["report", "out", "-o", "report"]);
    let text = |name: &str| fs::read_to_string(place.path().join(name)).unwrap();
    let mut runs = csv::Reader::from_path(place.path().join("out/runs.csv")).unwrap();
    let rows: Vec<std::collections::HashMap<String, String>> =
        runs.deserialize().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 4);
    for row in &rows {
        assert_eq!((&*row["outcome"], &*row["goals"]), ("done", "92"), "{row:?}");
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
