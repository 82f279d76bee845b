//! Tests with real projects from the folder that `CATHERD_CORPUS` names.

#![allow(clippy::print_stdout)] // The log contains the figures of each group.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use catherd_scratch_sb3::{Literal, Opcode, Project, Slot, Target};

fn corpus() -> PathBuf {
    let corpus = std::env::var_os("CATHERD_CORPUS").map(PathBuf::from);
    corpus.expect("CATHERD_CORPUS names the folder of the corpus")
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
#[ignore = "needs CATHERD_CORPUS"]
fn every_project_loads() {
    let corpus = corpus();
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
#[ignore = "needs CATHERD_CORPUS"]
fn counts_agree_with_the_manifest() {
    let corpus = corpus();
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
        // The manifest does not count menus and other shadows.
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

#[test]
#[ignore = "needs CATHERD_CORPUS"]
fn scratch_2_projects_are_converted_as_by_scratch_3() {
    let corpus = corpus();
    let mut blocks = 0;
    let originals = files(&corpus, "sb2");
    assert!(!originals.is_empty());
    for path in &originals {
        let ours = Project::read(path).unwrap_or_else(|error| panic!("{error}"));
        blocks += ours.block_count();
        let converted = corpus.join("vm-execute").join(path.file_name().unwrap());
        let Ok(theirs) = Project::read(converted.with_extension("sb3")) else { continue };
        let names = |p: &Project| p.targets.iter().map(|t| t.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&ours), names(&theirs), "{}", path.display());
        for (ours, theirs) in ours.targets.iter().zip(&theirs.targets) {
            assert_eq!(state(ours), state(theirs), "{}, {}", path.display(), ours.name);
            for (ours, theirs) in shape(ours).iter().zip(&shape(theirs)) {
                assert_eq!(ours, theirs, "{}", path.display());
            }
            assert_eq!(ours.blocks.len(), theirs.blocks.len(), "{}", path.display());
        }
        assert_eq!(ours.extensions.len(), theirs.extensions.len(), "{}", path.display());
        let watchers = |p: &Project| -> Vec<_> {
            p.monitors
                .iter()
                .map(|m| (m.opcode, m.sprite.clone(), m.params.clone(), m.visible))
                .collect()
        };
        assert_eq!(watchers(&ours), watchers(&theirs), "{}", path.display());
    }
    println!("{} Scratch 2 projects, {blocks} blocks", originals.len());
}

fn state(target: &Target) -> String {
    let variables: Vec<_> = target.variables.iter().map(|v| (&v.name, &v.value, v.cloud)).collect();
    let lists: Vec<_> = target.lists.iter().map(|l| (&l.name, &l.items)).collect();
    let messages: Vec<_> = target.broadcasts.iter().map(|(_, name)| name).collect();
    let costumes: Vec<_> = target
        .costumes
        .iter()
        .map(|c| (&c.name, c.vector, c.bitmap_resolution, c.rotation_center, c.asset.is_some()))
        .collect();
    let sounds: Vec<_> = target.sounds.iter().map(|s| (&s.name, s.seconds())).collect();
    let place = (target.x, target.y, target.size, target.direction, target.rotation_style);
    let looks = (target.visible, target.draggable, target.current_costume, target.tempo);
    format!("{variables:?} {lists:?} {messages:?} {costumes:?} {sounds:?} {place:?} {looks:?}")
}

fn shape(target: &Target) -> Vec<String> {
    let slot = |slot: &Slot| match slot {
        Slot::Literal(Literal::Broadcast { name, .. }) => format!("message {name}"),
        Slot::Literal(Literal::Variable { name, .. }) => format!("variable {name}"),
        Slot::Literal(Literal::List { name, .. }) => format!("list {name}"),
        other => format!("{other:?}"),
    };
    let blocks = target.blocks.iter().map(|b| {
        let inputs: Vec<_> =
            b.inputs.iter().map(|i| (&i.name, slot(&i.block), slot(&i.shadow))).collect();
        let fields: Vec<_> = b.fields.iter().map(|f| (&f.name, &f.value, f.id.is_some())).collect();
        let flags = (b.shadow, b.top_level);
        // Shadows of converted blocks have no parent in Scratch.
        let links = (b.next, b.parent.filter(|_| !b.shadow));
        format!("{} {links:?} {inputs:?} {fields:?} {flags:?} {:?}", b.opcode_name(), b.mutation)
    });
    blocks.collect()
}

/// Opcodes in real projects that no release of Scratch defines.
const UNDEFINED: [&str; 2] = ["sensing_xposition", "sensing_yposition"];

#[test]
#[ignore = "needs CATHERD_CORPUS"]
fn every_opcode_is_known() {
    let corpus = corpus();
    let table = std::fs::read_to_string(corpus.join("opcodes.csv")).unwrap();
    let opcodes = table.lines().skip(1).filter_map(|row| row.split(',').next());
    let (undefined, known): (Vec<_>, Vec<_>) =
        opcodes.partition(|name| Opcode::from_name(name) == Opcode::Unknown);
    assert!(known.len() > 150, "{known:?}");
    assert_eq!(undefined, UNDEFINED);
}
