//! Tests that the shipped studies of Scratch can be planned, and that each has a page in
//! docs/studies.

use std::fs;
use std::path::Path;

use catherd_experiments::{Digest, Plan, PlannedProject, Study};
use catherd_interface::SubjectKind;
use catherd_scratch_kind::{KIND, Scratch};

#[test]
fn every_shipped_study_of_scratch_can_be_planned_and_has_a_page() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let index = fs::read_to_string(root.join("docs/studies/README.md")).unwrap();
    let mut names = Vec::new();
    for entry in fs::read_dir(root.join("experiments")).unwrap() {
        let file = entry.unwrap().path();
        let is_of_claims = file.to_str().unwrap().ends_with(".claims.toml");
        if file.extension().is_none_or(|kind| kind != "toml")
            || is_of_claims
            || file.ends_with("Cargo.toml")
        {
            continue;
        }
        let study = Study::read(&file).unwrap();
        if study.subject.as_deref().is_some_and(|kind| kind != KIND) {
            continue;
        }
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        assert_eq!(study.name, name);
        if let Some(mutation) = &study.mutation {
            Scratch.check_mutation(mutation).unwrap();
        }
        let project = PlannedProject { name: "cat".to_owned(), digest: Digest::of(b"cat") };
        let check = |algorithm: &_| Ok(Scratch.check_algorithm(algorithm)?);
        let plan = Plan::new(&study, &Scratch.info(), vec![project], check).unwrap();
        let mut runs: Vec<_> = plan.into_runs().map(|run| run.id()).collect();
        runs.sort_unstable();
        runs.dedup();
        assert_eq!(runs.len(), study.runs(1), "{name}");

        let page = fs::read_to_string(root.join(format!("docs/studies/{name}.md"))).unwrap();
        for part in [format!("# {name}\n"), "**Costs**".to_owned(), "**Reading it.**".to_owned()] {
            assert!(page.contains(&part), "{name} lacks {part}");
        }
        assert!(index.contains(&format!("[{name}]({name}.md)")), "{name}");
        names.push(name);
    }
    assert!(names.len() >= 10, "{names:?}");
}
