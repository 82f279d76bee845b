//! Replay of reference recordings of real projects.

use std::path::PathBuf;
use std::sync::Arc;

use catherd_scratch_conformance::{Environment, Trace, replay};
use catherd_scratch_sb3::Project;
use catherd_scratch_vm::Program;

/// Minimum number of recordings that agree in every state, assuming untouched keyboard and mouse.
/// It may only be raised.
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
