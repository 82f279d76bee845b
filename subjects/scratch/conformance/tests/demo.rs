//! Replays recordings that the original VM made of the demo corpus. `tests/demo/README.md`
//! describes how they were made.

use std::collections::{BTreeSet, HashSet};
use std::mem::discriminant;
use std::path::Path;
use std::sync::Arc;

use catherd_scratch_conformance::{Environment, Trace, replay, trace_files};
use catherd_scratch_sb3::Project;
use catherd_scratch_vm::Program;
use sha2::{Digest, Sha256};

const COVERED: f64 = 0.75;

fn recordings() -> Vec<(Trace, Project)> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |file: &Path| {
        let trace = Trace::read(file).unwrap();
        let folder = here.join("../../../datasets/demo").join(&trace.project);
        let description = std::fs::read(folder.join("project.json")).unwrap();
        assert_eq!(
            trace.sha256,
            hex::encode(Sha256::digest(description)),
            "{} was changed: record it again, as tests/demo/README.md says",
            trace.project
        );
        (trace, Project::read(&folder).unwrap())
    };
    trace_files(&here.join("tests/demo")).unwrap().iter().map(|file| read(file)).collect()
}

/// Recordings with which the VM is known to disagree: project, seed, step of the first difference.
/// `docs/measurements/conformance.md` describes the causes.
const DIFFERENT: [(&str, u32, u64); 1] = [("apple-catch", 1, 56)];

#[test]
fn the_original_reaches_the_same_states() {
    let recordings = recordings();
    assert_eq!(recordings.len(), 14 * 3);
    let mut differences = Vec::new();
    for (trace, project) in &recordings {
        let program = Arc::new(Program::compile(project).unwrap());
        let result = replay(trace, project, &program, &Environment::default());
        let step = result.divergence.as_ref().map_or(trace.steps, |divergence| divergence.step);
        let known = DIFFERENT.contains(&(&trace.project, trace.seed, step));
        if result.is_identical() == known {
            differences.push((&trace.project, trace.seed, result));
        }
    }
    assert!(differences.is_empty(), "{differences:#?}");
}

/// Agreement with the recordings would show little without every kind of input and most statements.
#[test]
fn recordings_cover_the_projects() {
    let mut events = HashSet::new();
    let (mut statements, mut covered) = (BTreeSet::new(), BTreeSet::new());
    for (trace, project) in recordings() {
        assert_eq!((trace.steps, trace.states.len()), (900, 901), "{}", trace.project);
        events.extend(trace.inputs.iter().flat_map(|input| &input.events).map(discriminant));
        let program = Program::compile(&project).unwrap();
        for block in program.commands() {
            let (target, index) = project.locate(block);
            let target = &project.targets[target];
            let name = format!("{}-{}", target.blocks[index as usize].id, target.name);
            if trace.covered.contains(&name) {
                covered.insert((trace.project.clone(), name.clone()));
            }
            statements.insert((trace.project.clone(), name));
        }
    }
    assert_eq!(events.len(), 5, "keys, the mouse and its button, answers, sound");
    let share = covered.len() as f64 / statements.len() as f64;
    assert!(share > COVERED, "{} of {}", covered.len(), statements.len());
}
