//! Tests of corpora on disk.

use std::fs;
use std::path::{Path, PathBuf};

use catherd_scratch_corpora::corpus::{
    AddError, Corpus, CorpusError, Member, Origin, Recipe, add, compare, export_frozen, split,
    verify,
};
use catherd_scratch_corpora::{find, structure, synth};
use tempfile::TempDir;

fn games() -> TempDir {
    let place = TempDir::new().unwrap();
    for (name, number) in [("pong", 1), ("maze", 2), ("quiz", 3), ("copy-of-quiz", 3)] {
        let archive = synth::project(4, number).archive;
        fs::write(place.path().join(name).with_extension("sb3"), archive).unwrap();
    }
    place
}

fn origin() -> Origin {
    Origin { source: "a course".into(), licence: "CC-BY-4.0".into(), fetched: "2026-11-21".into() }
}

fn added(folder: &Path, paths: &[PathBuf]) -> Result<(Corpus, usize), AddError> {
    add(folder, &find(paths).unwrap(), &origin())
}

fn ids(corpus: &Corpus) -> Vec<&str> {
    corpus.members.iter().map(|member| &*member.id).collect()
}

#[test]
fn each_file_is_added_to_a_corpus_once() {
    let (games, place) = (games(), TempDir::new().unwrap());
    let folder = place.path().join("corpus");
    let (corpus, count) = added(&folder, &[games.path().join("maze.sb3")]).unwrap();
    assert_eq!((ids(&corpus), count), (vec!["maze"], 1));
    let (corpus, count) = added(&folder, &[games.path().to_owned()]).unwrap();
    assert_eq!((ids(&corpus), count), (vec!["maze", "copy-of-quiz", "pong"], 2));
    assert_eq!(verify(&corpus, || {}).unwrap(), []);
    let member = &corpus.members[0];
    assert_eq!((&*member.source, &*member.licence), ("a course", "CC-BY-4.0"));
    assert!(member.statements > 0 && member.scripts > 0);
    assert_eq!(Corpus::read(&folder).unwrap().members, corpus.members);

    let other = TempDir::new().unwrap();
    fs::write(other.path().join("maze.sb3"), synth::project(4, 9).archive).unwrap();
    let (corpus, _) = added(&folder, &[other.path().to_owned()]).unwrap();
    assert_eq!(ids(&corpus)[3], "maze-2");

    let made = place.path().join("made");
    synth::write(&made, 2, 1, || {}).unwrap();
    let refused = added(&made, &[games.path().to_owned()]);
    assert!(matches!(refused, Err(AddError::Corpus(CorpusError::Rejected(_)))), "{refused:?}");
}

#[test]
fn verification_names_the_defects() {
    let place = TempDir::new().unwrap();
    let corpus = synth::write(place.path(), 3, 1, || {}).unwrap();
    let faults = |corpus: &Corpus| -> Vec<String> {
        verify(corpus, || {}).unwrap().iter().map(ToString::to_string).collect()
    };
    fs::write(place.path().join("projects/stray.sb3"), "x").unwrap();
    fs::remove_file(corpus.project(corpus.members[0].sha256)).unwrap();
    let found = faults(&corpus);
    assert!(found[0].starts_with("synthetic-0001: ") && found[0].contains("No such file"));
    assert!(found[1].contains("stray.sb3: is not in the manifest"), "{found:?}");
    assert_eq!(found.len(), 2);

    let mut wrong = corpus.clone();
    wrong.members[1].statements += 1;
    assert!(faults(&wrong)[1].contains("counts"), "{:?}", faults(&wrong));

    let manifest = place.path().join("manifest.csv");
    let text = fs::read_to_string(&manifest).unwrap();
    let swapped = text.replace("synthetic-0002", "synthetic-0009");
    fs::write(&manifest, swapped).unwrap();
    let error = Corpus::read(place.path()).unwrap_err().to_string();
    assert!(error.contains("manifest.csv: its rows have the digest"), "{error}");
    assert!(find([place.path()]).unwrap_err().to_string().contains("manifest.csv"));
    let double = format!("{text}{}\n", text.lines().last().unwrap());
    fs::write(&manifest, double).unwrap();
    assert!(Corpus::read(place.path()).unwrap_err().to_string().contains("repeated"));
    fs::write(place.path().join("corpus.toml"), "format = 7").unwrap();
    assert!(Corpus::read(place.path()).is_err());
    assert!(matches!(Corpus::read(&place.path().join("x")), Err(CorpusError::NotACorpus { .. })));
}

#[test]
fn differences_are_classified() {
    let place = TempDir::new().unwrap();
    let a = synth::write(&place.path().join("a"), 5, 1, || {}).unwrap();
    assert!(compare(&a, &a).is_empty());
    let mut b = a.clone();
    b.members[0].fetched = "1999-01-01".into();
    assert!(compare(&a, &b).is_empty());
    b.members[1].id = "renamed".into();
    b.members[2].sha256 = a.members[4].sha256;
    b.members[3].title = "other".into();
    let difference = compare(&a, &b);
    let name = |n| format!("synthetic-000{n}");
    assert_eq!(difference.only_first, [name(2)]);
    assert_eq!(difference.only_second, ["renamed"]);
    assert_eq!(difference.changed, [name(3)]);
    assert_eq!(difference.redescribed, [(name(4), "title")]);
    assert_eq!(difference.renamed, [(name(2), "renamed".to_owned())]);
    assert!(!difference.is_empty());
}

#[test]
fn parts_are_disjoint_and_keep_duplicates_together() {
    let place = TempDir::new().unwrap();
    let mut corpus = synth::write(&place.path().join("all"), 12, 1, || {}).unwrap();
    let copy = Member { id: "copy".into(), ..corpus.members[5].clone() };
    corpus.members.push(copy);
    let parts = [("tuning".to_owned(), 4), ("evaluation".to_owned(), 8)];
    let made = split(&corpus, &parts, 7, &place.path().join("x")).unwrap();
    assert_eq!(made[0].members.len() + made[1].members.len(), 13);
    for sha in made[0].members.iter().map(|member| member.sha256) {
        assert!(made[1].members.iter().all(|member| member.sha256 != sha));
    }
    assert!(
        matches!(&made[1].metadata.recipe, Recipe::Part { name, seed: 7, .. } if name == "evaluation")
    );
    for part in &made {
        assert_eq!(verify(part, || {}).unwrap(), []);
        assert_eq!(Corpus::read(&part.folder).unwrap().members, part.members);
    }
    let again = split(&corpus, &parts, 7, &place.path().join("y")).unwrap();
    assert_eq!(again[0].members, made[0].members);
    let other = split(&corpus, &parts, 8, &place.path().join("z")).unwrap();
    assert_ne!(other[0].members, made[0].members);

    let greedy = [("all".to_owned(), 13)];
    let error = split(&corpus, &greedy, 1, &place.path().join("v")).unwrap_err();
    assert!(error.to_string().contains("12 different projects"), "{error}");
    let error = split(&corpus, &parts, 7, &place.path().join("x")).unwrap_err();
    assert!(error.to_string().contains("exists already"), "{error}");
}

#[test]
fn a_frozen_list_has_ids_and_digests_in_order() {
    let place = TempDir::new().unwrap();
    let corpus = synth::write(&place.path().join("a"), 2, 1, || {}).unwrap();
    let file = place.path().join("list.csv");
    export_frozen(&corpus, &file).unwrap();
    let text = fs::read_to_string(file).unwrap();
    assert!(text.contains(&corpus.metadata.digest.to_string()), "{text}");
    // Synthetic projects have no id on a server.
    assert!(
        text.contains("They are not shared on Scratch") && !text.contains("--from-list"),
        "{text}"
    );
    let expected: Vec<String> =
        corpus.members.iter().map(|m| format!("{},{}", m.id, m.sha256)).collect();
    assert!(text.lines().skip(3).eq(expected.iter().map(String::as_str)), "{text}");
}

#[test]
fn an_author_is_stored_as_a_pseudonym() {
    let hash = Member::author_hash("Griffpatch");
    assert_eq!(hash, Member::author_hash("griffpatch"));
    assert_ne!(hash, Member::author_hash("griffpatch2"));
    assert_eq!(hash.len(), 16);
}

#[test]
fn the_structural_digest_depends_only_on_blocks() {
    let project = synth::project(4, 1).project;
    let digest = structure(&project);
    let mut other = project.clone();
    for target in &mut other.targets {
        target.name = "x".into();
        target.costumes.clear();
        for block in &mut target.blocks {
            block.fields.clear();
        }
    }
    other.targets.reverse();
    assert_eq!(structure(&other), digest);
    let target = other.targets.iter_mut().find(|target| !target.blocks.is_empty()).unwrap();
    let linked = target.blocks.iter_mut().find(|block| block.next.is_some()).unwrap();
    linked.next = None;
    assert_ne!(structure(&other), digest);
}
