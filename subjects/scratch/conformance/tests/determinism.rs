//! Tests that runs do not depend on the build or the number of threads.

use std::path::{Path, PathBuf};

use catherd_scratch_conformance::{RandomInputDriver, RunDigest, digests};
use catherd_scratch_vm::Compat;

const DRIVER: RandomInputDriver =
    RandomInputDriver { steps: 300, seed: 1, interpret: false, compat: Compat::Of2022 };

const FROM_CORPUS: usize = 20;

fn projects(folder: &Path) -> Vec<(String, PathBuf)> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<_> = entries
        .filter(|path| {
            path.join("project.json").is_file()
                || path.extension().is_some_and(|e| e == "sb3" || e == "sb2")
        })
        .map(|path| (path.file_stem().unwrap().to_string_lossy().into_owned(), path))
        .collect();
    found.sort();
    found
}

fn run(projects: &[(String, PathBuf)], threads: usize) -> Vec<RunDigest> {
    digests(projects, DRIVER, threads, |_| ()).into_iter().map(Result::unwrap).collect()
}

#[test]
fn the_demo_projects_keep_their_digests() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let runs = run(&projects(&here.join("../../../datasets/demo")), 2);
    let found: String =
        runs.iter().map(|run| format!("{}  {}\n", run.digest, run.project)).collect();
    let file = here.join("tests/demo.digests");
    if std::env::var_os("CATHERD_REFRESH").is_some() {
        std::fs::write(&file, &found).unwrap();
    }
    let expected = std::fs::read_to_string(&file).unwrap();
    let pairs = expected.lines().zip(found.lines());
    let changed: Vec<_> = pairs.filter(|(a, b)| a != b).map(|(_, found)| &found[66..]).collect();
    assert!(
        expected == found,
        "runs differ from the recorded ones: {}.\n\
         If the machine, the renderer or the demo projects were changed on purpose, run\n\
         CATHERD_REFRESH=1 cargo test -p catherd-scratch-conformance determinism::\n\
         and commit tests/demo.digests. Otherwise this build behaves differently from others.",
        changed.join(", ")
    );
}

#[test]
#[ignore = "needs CATHERD_CORPUS"]
fn the_number_of_threads_does_not_matter() {
    let corpus = std::env::var_os("CATHERD_CORPUS").map(PathBuf::from);
    let corpus = corpus.expect("CATHERD_CORPUS names the folder of the corpus");
    let groups: Vec<_> = ["neatest-games", "random", "top", "whisker-examples"]
        .map(|group| projects(&corpus.join(group)))
        .into_iter()
        .collect();
    let mut chosen: Vec<(String, PathBuf)> = Vec::new();
    for i in 0.. {
        let row: Vec<_> = groups.iter().filter_map(|group| group.get(i)).cloned().collect();
        if row.is_empty() || chosen.len() >= FROM_CORPUS {
            break;
        }
        chosen.extend(row);
    }
    chosen.truncate(FROM_CORPUS);
    let many = run(&chosen, 8);
    assert_eq!(many, run(&chosen, 1));
    // Write the digests to a file, for comparison with another build.
    if let Some(file) = std::env::var_os("CATHERD_DIGESTS") {
        let lines: String =
            many.iter().map(|run| format!("{}  {}\n", run.digest, run.project)).collect();
        std::fs::write(file, lines).unwrap();
    }
}
