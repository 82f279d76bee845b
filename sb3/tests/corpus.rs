//! Real projects, from the folder that `CATHERD_CORPUS` names.

#![allow(clippy::print_stdout)] // The figures are what the reader of a test's log wants.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use catherd_sb3::Project;

fn corpus() -> Option<PathBuf> {
    let corpus = std::env::var_os("CATHERD_CORPUS").map(PathBuf::from);
    if corpus.is_none() {
        println!("CATHERD_CORPUS is not set: nothing read");
    }
    corpus
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .flat_map(|path| if path.is_dir() { files(&path, extension) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|e| e == extension))
        .collect();
    files.sort();
    files
}

#[test]
fn every_project_loads() {
    let Some(corpus) = corpus() else { return };
    let mut groups: BTreeMap<String, (usize, usize, usize, Duration)> = BTreeMap::new();
    let mut slowest = (Duration::ZERO, PathBuf::new());
    for path in files(&corpus, "sb3") {
        let started = Instant::now();
        let project = Project::read(&path).unwrap_or_else(|error| panic!("{error}"));
        let took = started.elapsed();
        let group = path.parent().unwrap().file_name().unwrap().to_str().unwrap().to_owned();
        let sums = groups.entry(group).or_default();
        sums.0 += 1;
        sums.1 += project.block_count();
        sums.2 += project.warnings.len();
        sums.3 += took;
        slowest = slowest.max((took, path));
    }
    assert!(!groups.is_empty());
    for (group, (projects, blocks, warnings, took)) in groups {
        println!("{group}: {projects} projects, {blocks} blocks, {warnings} warnings, {took:.1?}");
    }
    println!("slowest: {:.1?} {}", slowest.0, slowest.1.display());
}

#[test]
fn counts_agree_with_the_manifest() {
    let Some(corpus) = corpus() else { return };
    let manifest = std::fs::read_to_string(corpus.join("manifest.csv")).unwrap();
    let mut rows = manifest.lines();
    let header: Vec<_> = rows.next().unwrap().split(',').collect();
    let column = |name: &str| header.iter().position(|h| *h == name).unwrap();
    let mut compared = 0;
    for row in rows {
        let cells: Vec<_> = row.split(',').collect();
        let path = corpus.join(cells[column("file")]);
        if path.extension().is_none_or(|e| e != "sb3") {
            continue;
        }
        let project = Project::read(&path).unwrap_or_else(|error| panic!("{error}"));
        // The manifest leaves menus and other shadows out.
        let shown = || project.targets.iter().flat_map(|t| &t.blocks).filter(|b| !b.shadow);
        let counts = [
            ("blocks", shown().count()),
            ("scripts", shown().filter(|b| b.top_level).count()),
            ("targets", project.targets.len()),
        ];
        for (name, ours) in counts {
            assert_eq!(cells[column(name)], ours.to_string(), "{name} of {}", path.display());
        }
        compared += 1;
    }
    assert!(compared > 0);
    println!("{compared} projects agree");
}
