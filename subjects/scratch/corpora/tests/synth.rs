//! Tests of synthetic projects.

use std::collections::BTreeMap;

use catherd_scratch_corpora::corpus::{Corpus, Sha, verify};
use catherd_scratch_corpora::{Description, describe, find, synth};

/// All computers and versions must generate the same projects until [`synth::GENERATOR`] changes.
#[test]
fn a_seed_determines_a_corpus() {
    assert_eq!(synth::GENERATOR, 1);
    let place = tempfile::tempdir().unwrap();
    let corpus = synth::write(place.path(), 20, 1, || {}).unwrap();
    assert_eq!(
        corpus.metadata.digest.to_string(),
        "28494fe8dd1dcc3e6bb2e61be8e5ead0636d6384150846217603309a18d7412b"
    );
    assert_eq!(verify(&corpus, || {}).unwrap(), []);
    let again = synth::write(place.path(), 20, 1, || {}).unwrap();
    assert_eq!(again.members, corpus.members);
    assert!(synth::write(place.path(), 20, 2, || {}).is_err());
    assert_eq!(Corpus::read(place.path()).unwrap().members, corpus.members);

    let found = find([place.path()]).unwrap();
    assert_eq!(found.projects.len(), 20);
    assert_eq!(found.projects[6].name, "synthetic-0007");
    let path = corpus.project(corpus.members[6].sha256);
    std::fs::copy(corpus.project(corpus.members[7].sha256), &path).unwrap();
    let found = find([place.path()]).unwrap();
    assert_eq!((found.projects.len(), found.skipped.len()), (19, 1));
    assert!(found.skipped[0].reason.contains("manifest"), "{}", found.skipped[0]);
    let flaws = verify(&corpus, || {}).unwrap();
    assert_eq!(flaws.len(), 1);
    assert!(flaws[0].to_string().starts_with("synthetic-0007: "), "{}", flaws[0]);
}

#[test]
#[ignore = "slow"]
fn sizes_and_blocks_are_distributed_as_in_real_projects() {
    let mut sizes = Vec::new();
    let mut sum = Description::default();
    let mut wide = 0;
    let mut opcodes: BTreeMap<String, usize> = BTreeMap::new();
    for number in 1..=300 {
        let loaded = synth::project(9, number);
        assert_eq!(Sha::of(&loaded.archive).0, loaded.digest);
        assert!(loaded.project.warnings.is_empty(), "{:?}", loaded.project.warnings);
        let description = describe(&loaded.project);
        assert!(description.statements >= 2, "{number}");
        sizes.push(description.statements);
        sum.statements += description.statements;
        sum.scripts += description.scripts;
        sum.sprites += description.sprites;
        sum.blocks += description.blocks;
        sum.custom_blocks += description.custom_blocks;
        for block in loaded.project.targets.iter().flat_map(|target| &target.blocks) {
            *opcodes.entry(block.opcode_name().to_owned()).or_default() += 1;
        }
        wide += usize::from(description.sprites > 10);
    }
    sizes.sort_unstable();
    // The bounds are more than four standard errors from the expected median of 30.
    assert!((20..42).contains(&sizes[150]), "{}", sizes[150]);
    assert!(sizes[299] > 300 && sizes[299] <= 1_300, "{}", sizes[299]);
    let ratio = |a: usize, b: usize| a as f64 / b as f64;
    assert!((3.5..7.5).contains(&ratio(sum.statements, sum.scripts)), "{sum:?}");
    assert!((1.3..2.2).contains(&ratio(sum.blocks, sum.statements)), "{sum:?}");
    // Occurrences of some blocks per 1000 statements of real projects, with a tolerance of a factor
    // of 1.5.
    for (opcode, real) in [
        ("data_setvariableto", 134.0),
        ("control_if", 94.0),
        ("motion_gotoxy", 33.0),
        ("control_wait", 37.0),
        ("control_forever", 37.0),
        ("event_whenbroadcastreceived", 40.0),
    ] {
        let generated = 1000.0 * ratio(opcodes[opcode], sum.statements);
        assert!((real * 0.67..real * 1.5).contains(&generated), "{opcode}: {generated} for {real}");
    }
    assert!(sum.custom_blocks > 50 && wide > 5, "{sum:?} {wide}");
}
