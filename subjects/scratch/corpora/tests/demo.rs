//! Tests of the demo corpus.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use catherd_scratch_corpora::{FoundProjects, find};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../datasets/demo")
}

fn demo() -> FoundProjects {
    find([folder()]).expect("the demo corpus exists")
}

#[test]
fn every_project_loads_without_a_warning() {
    let found = demo();
    assert_eq!(found.skipped, []);
    assert_eq!(found.projects.len(), 14);
    for entry in &found.projects {
        let loaded = entry.load().expect("it was loaded before");
        assert_eq!(loaded.digest, entry.digest, "{}", entry.name);
        assert!(entry.warnings.is_empty(), "{:?}", entry.warnings);
        let statements = entry.description.statements;
        assert!((15..=70).contains(&statements), "{}: {statements} statements", entry.name);
    }
}

#[test]
fn every_project_starts_with_the_green_flag() {
    for entry in demo().projects {
        let project = entry.load().expect("it was loaded before").project;
        let mut blocks = project.targets.iter().flat_map(|target| &target.blocks);
        assert!(
            blocks.any(|b| b.opcode_name() == "event_whenflagclicked" && b.next.is_some()),
            "{}",
            entry.name
        );
    }
}

#[test]
fn the_table_states_the_number_of_statements() {
    let table = fs::read_to_string(folder().join("README.md")).expect("the table exists");
    let stated: BTreeMap<String, usize> = table
        .lines()
        .filter_map(|line| {
            let mut cells = line.strip_prefix("| `")?.split('|').map(str::trim);
            let name = cells.next()?.trim_end_matches('`').to_owned();
            Some((name, cells.nth(1)?.parse().ok()?))
        })
        .collect();
    let counted: BTreeMap<String, usize> =
        demo().projects.into_iter().map(|e| (e.name, e.description.statements)).collect();
    assert_eq!(stated, counted);
}

#[test]
fn decisions_make_scripts_complex() {
    let found = demo();
    let of = |name: &str| {
        &found.projects.iter().find(|e| e.name == name).expect("it is in the corpus").description
    };
    assert_eq!((of("quiz").scripts, of("quiz").decisions), (4, 14));
    assert_eq!(of("quiz").mccabe(), Some(4.5));
    // `forever` is not a decision, and the decisions of loose scripts are not counted.
    assert_eq!((of("fireworks").scripts, of("fireworks").decisions), (9, 9));
    assert_eq!(catherd_scratch_corpora::Description::default().mccabe(), None);
}

/// Stored results refer to these digests.
#[test]
fn digests_are_stable() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/demo.digests");
    let mut digests = String::new();
    for entry in demo().projects {
        writeln!(digests, "{} {}", hex::encode(entry.digest), entry.name).expect("a string grows");
    }
    let pinned = fs::read_to_string(&path).unwrap_or_default();
    assert!(pinned == digests, "{} should read:\n{digests}", path.display());
}

#[test]
fn every_file_is_used() {
    for entry in demo().projects {
        let project = entry.load().expect("it was loaded before").project;
        for file in fs::read_dir(&entry.path).expect("a folder") {
            let name = file.expect("a file").file_name().into_string().expect("an ASCII name");
            let used = project.assets.iter().any(|asset| *asset.name == *name);
            assert!(used || name == "project.json", "{}: {name} is not used", entry.name);
        }
    }
}
