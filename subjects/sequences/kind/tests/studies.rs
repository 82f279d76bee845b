//! Tests the shipped study files of the kind, and its page in the reference.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use catherd_experiments::{Digest, Parameter, Plan, PlannedProject, Study};
use catherd_interface::SubjectKind;
use catherd_sequences_kind::{KIND, Sequences};

#[test]
fn every_shipped_study_can_be_planned_and_has_a_page() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let index = fs::read_to_string(root.join("docs/studies/README.md")).unwrap();
    let mut names = Vec::new();
    for entry in fs::read_dir(root.join("experiments")).unwrap() {
        let file = entry.unwrap().path();
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        if !name.starts_with(KIND) || name.ends_with(".claims") {
            continue;
        }
        let study = Study::read(&file).unwrap();
        assert_eq!((&study.name, study.subject.as_deref()), (&name, Some(KIND)));
        let project = PlannedProject { name: "abp".to_owned(), digest: Digest::of(b"abp") };
        let check = |algorithm: &_| Ok(Sequences.check_algorithm(algorithm)?);
        let plan = Plan::new(&study, &Sequences.info(), vec![project], check).unwrap();
        // No two runs have the same id, because all configurations differ.
        let runs: BTreeSet<_> = plan.into_runs().map(|run| run.id()).collect();
        assert_eq!(runs.len(), study.runs(1), "{name}");
        let found = Sequences.find(&study.projects, &()).unwrap();
        assert!(found.skipped.is_empty(), "{name}: {:?}", found.skipped);

        let page = fs::read_to_string(root.join(format!("docs/studies/{name}.md"))).unwrap();
        for part in [format!("# {name}\n"), "**Costs**".to_owned(), "**Reading it.**".to_owned()] {
            assert!(page.contains(&part), "{name} lacks {part}");
        }
        assert!(index.contains(&format!("[{name}]({name}.md)")), "{name}");
        names.push(name);
    }
    assert!(!names.is_empty());
}

#[test]
fn algorithms_and_parameters_are_documented() {
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/reference/sequences-studies.md");
    let text = fs::read_to_string(file).unwrap();
    let mut documented = BTreeSet::new();
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    for row in rows {
        let cells: Vec<&str> =
            row.trim_matches('|').split('|').map(|cell| cell.trim().trim_matches('`')).collect();
        match cells[..] {
            [parameter, of, default, meaning] => {
                documented.insert(format!("{of}: {parameter} = {default}: {meaning}"));
            }
            [algorithm, summary] if !algorithm.contains(['.', '`']) => {
                documented.insert(format!("{algorithm}: {summary}"));
            }
            _ => {}
        }
    }
    let algorithms = Sequences.algorithms();
    let mut known = BTreeSet::new();
    for info in &algorithms {
        known.insert(format!("{}: {}", info.name, info.summary));
        for parameter in &info.parameters {
            let default = match parameter.default.as_ref() {
                Some(Parameter::Text(text)) => text.clone(),
                Some(other) => serde_json::to_string(other).unwrap(),
                None => String::new(),
            };
            let shared = |other: &catherd_interface::AlgorithmInfo| {
                other.parameters.iter().any(|known| known.name == parameter.name)
            };
            let of = if algorithms.iter().all(shared) { "all" } else { &info.name };
            known.insert(format!("{of}: {} = {default}: {}", parameter.name, parameter.meaning));
        }
    }
    let difference: Vec<_> = documented.symmetric_difference(&known).collect();
    assert!(difference.is_empty(), "{difference:#?}");
}
