//! Replays reference recordings of real projects.

use std::path::PathBuf;
use std::sync::Arc;

use catherd_scratch_conformance::{
    Environment, ProjectIndex, ReplayOutcome, Trace, replay, replay_all, trace_files,
};
use catherd_scratch_sb3::Project;
use catherd_scratch_vm::{Compat, Program, Random, Vm, VmSettings};

/// Minimum number of recordings that agree in all states and in coverage, assuming untouched
/// keyboard and mouse. This number may only be raised.
const IDENTICAL: usize = 195;

#[test]
#[ignore = "needs CATHERD_CORPUS"]
fn recordings_replay_identically() {
    let corpus = std::env::var_os("CATHERD_CORPUS").map(PathBuf::from);
    let corpus = corpus.expect("CATHERD_CORPUS names the folder of the corpus");
    let mut files: Vec<_> =
        std::fs::read_dir(corpus.join("traces")).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    let (mut identical, mut replayed) = (0, 0);
    for file in files {
        let stem = file.file_name().unwrap().to_str().unwrap().trim_end_matches(".json.gz");
        let (group, name) = stem.split_once("__").unwrap();
        let folder = corpus.join(group);
        let path = [format!("{name}.sb3"), name.to_owned()].map(|n| folder.join(n));
        let path = path.iter().find(|p| p.exists()).unwrap();
        let project = Project::read(path).unwrap();
        let program = Arc::new(Program::compile(&project).unwrap());
        let trace = Trace::read(&file).unwrap();
        let result = replay(&trace, &project, &program, &Environment::default());
        replayed += 1;
        identical += usize::from(result.is_identical());
    }
    assert!(identical >= IDENTICAL, "{identical} of {replayed} identical");
}

/// Recordings of today's Scratch agree in every state. `face` was not recorded, because the
/// original needs a camera and a model.
#[test]
#[ignore = "needs CATHERD_CORPUS"]
fn recordings_of_today_replay_identically() {
    let corpus = std::env::var_os("CATHERD_CORPUS").map(PathBuf::from);
    let today = corpus.expect("CATHERD_CORPUS names the folder of the corpus").join("today");
    let files = trace_files(&today.join("traces")).unwrap();
    assert_eq!(files.len(), 48);
    let index = ProjectIndex::build(&today.join("projects")).unwrap();
    let verdicts = replay_all(&files, &index, Compat::Today, |_| ());
    let differing: Vec<_> = verdicts.iter().filter(|it| !it.is_identical()).collect();
    assert!(differing.is_empty(), "{differing:#?}");
    // The original starts the hat of a held key again after a real-time interval, here 105 steps
    // after the key was pressed.
    let makey = verdicts.iter().find(|verdict| verdict.trace == "makey").unwrap();
    let ReplayOutcome::Replayed(replay) = &makey.outcome else { panic!("{makey:?}") };
    assert_eq!(replay.environment.makey_steps, [110]);
    let face = Project::read(today.join("projects/face.sb3")).unwrap();
    let program = Arc::new(Program::compile_for(&face, Compat::Today).unwrap());
    let mut vm = Vm::new(program, VmSettings::of(Compat::Today), Random::portable(1), ());
    vm.green_flag();
    (0..5).for_each(|_| vm.step());
    let stage = vm.target(vm.targets().next().unwrap()).unwrap();
    let variables: Vec<_> =
        stage.variables().map(|(name, value)| format!("{name} {}", value.to_text())).collect();
    assert_eq!(variables, ["v 100", "w 90", "t 1"]);
}
