//! Hostile projects: damaged on purpose, loaded and run.
//!
//! Execution number `n` of a seed damages one of the projects given and runs the result; which,
//! how and with what input is a pure function of projects, seed and `n`. Whatever the damage, an
//! execution must come back: with a refusal or with a run of which every step ended.

mod archive;
mod campaign;
mod graft;
mod media;
mod project;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use catherd_sb3::{Cause, Limits, Project, pack};
use catherd_vm::{Program, TargetId};

use crate::dice::Dice;
use crate::digest::{Trail, states};
use crate::exercise::Exercise;

pub use campaign::{Campaign, Failure, Report, campaign, serve};

/// Steps of an execution. Enough for a script that grows to become large.
pub const STEPS: u64 = 24;

/// The stream of damage, apart from those of the run.
const DAMAGE: u64 = 0x00f0_2211;

/// A damaged project.
#[derive(Clone, Debug)]
pub struct Case {
    /// The project that was damaged.
    pub origin: PathBuf,
    /// The archive to be read.
    pub bytes: Vec<u8>,
    /// What is done to it afterwards.
    pub exercise: Exercise,
}

/// Damages one of the projects.
///
/// # Errors
/// If the project that is drawn cannot be read as a file or folder.
pub fn case(projects: &[PathBuf], seed: u64, number: u64) -> Result<Case, String> {
    let mut dice = Dice::new(seed, DAMAGE.wrapping_add(number));
    let origin = &projects[dice.below(projects.len())];
    let bytes = read(origin)?;
    let mut files = archive::unpack(&bytes);
    if let Some(json) = files.iter_mut().find(|(name, _)| name == "project.json") {
        damage_json(&mut json.1, &mut dice);
    }
    if dice.one_in(3) {
        let drawings: Vec<usize> = (0..files.len()).filter(|&i| is_picture(&files[i].0)).collect();
        if !drawings.is_empty() {
            let at = dice.pick(&drawings);
            if dice.one_in(4) {
                archive::mutate_bytes(&mut files[at].1, &mut dice);
            } else {
                files[at].1 = media::picture(&mut dice);
            }
        }
    }
    if dice.one_in(8) {
        archive::mutate_files(&mut files, &mut dice);
    }
    let mut bytes = archive::pack(&files);
    if dice.one_in(8) {
        archive::mutate_bytes(&mut bytes, &mut dice);
    }
    let exercise = Exercise { steps: STEPS, seed: number };
    Ok(Case { origin: origin.clone(), bytes, exercise })
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    if path.is_dir() {
        return pack(path).map_err(|error| error.to_string());
    }
    std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn is_picture(name: &str) -> bool {
    [".svg", ".png", ".jpg", ".jpeg", ".gif", ".bmp"].iter().any(|end| name.ends_with(end))
}

fn damage_json(json: &mut Vec<u8>, dice: &mut Dice) {
    if !dice.one_in(10)
        && let Ok(mut tree) = serde_json::from_slice(json)
    {
        project::mutate(&mut tree, dice);
        *json = tree.to_string().into_bytes();
    }
    if dice.one_in(12) && !json.is_empty() {
        project::mutate_text(json, dice);
    }
}

/// What an execution came to, in one word, e.g. `ran` or `refused: cycle`.
pub type Kind = &'static str;

/// Reads, compiles, runs and looks at a damaged project.
///
/// # Errors
/// A property that a run must have, broken.
pub fn execute(case: &Case) -> Result<Kind, String> {
    let project = match Project::from_bytes("case", &case.bytes, &Limits::default()) {
        Ok(project) => project,
        Err(error) => return Ok(refusal(&error.cause)),
    };
    let Ok(program) = Program::compile(&project) else { return Ok("refused: compilation") };
    drop(project);
    let mut vm = case.exercise.machine(&Arc::new(program), Trail::default());
    let start = vm.snapshot();
    let first = states(&mut vm, case.exercise);
    let targets: Vec<TargetId> = vm.targets().collect();
    for &target in targets.iter().take(8) {
        vm.is_touching_edge(target);
        vm.find_color(target, (0.0, 0.0), [255, 0, 0]);
        vm.find_own_color(target, [0, 0, 0]);
        vm.extent(target);
    }
    vm.restore(&start);
    vm.set_random(catherd_vm::Random::portable(case.exercise.seed));
    let again = states(&mut vm, case.exercise);
    if first != again {
        return Err("a restored machine did not repeat its run".to_owned());
    }
    Ok("ran")
}

fn refusal(cause: &Cause) -> Kind {
    match cause {
        Cause::Io(_) => "refused: file",
        Cause::Archive(_) => "refused: archive",
        Cause::NoProjectJson => "refused: no project.json",
        Cause::Json(_) => "refused: JSON",
        Cause::Version(_) => "refused: version",
        Cause::Malformed { .. } => "refused: shape",
        Cause::Cycle(_) => "refused: cycle",
        Cause::Limit { .. } => "refused: too large",
        _ => "refused: other",
    }
}
