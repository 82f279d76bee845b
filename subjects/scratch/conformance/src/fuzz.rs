//! Fuzzing: projects are mutated, loaded and run.
//!
//! The mutations and the input of an execution depend only on the projects, the seed and the number
//! of the execution.

mod archive;
mod campaign;
mod inject;
mod media;
mod project;
mod values;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use catherd_scratch_sb3::{Cause, Limits, Project, pack};
use catherd_scratch_vm::{Compat, Program, TargetId};

use crate::bench::ProgramError;
use crate::digest::digest_states;
use crate::observer::Observer;
use crate::random_input::RandomInputDriver;
use crate::rng::Rng;

pub use campaign::{Campaign, CampaignReport, FailedExecution, run_campaign, run_executor};

/// Number of steps of an execution.
pub const STEPS: u64 = 24;

/// Offset of the random streams of the damage.
const DAMAGE_STREAM: u64 = 0x00f0_2211;

/// Input of an execution: a damaged project.
#[derive(Clone, Debug)]
pub struct Case {
    /// The original project.
    pub origin: PathBuf,
    /// The damaged archive.
    pub bytes: Vec<u8>,
    /// Steps and random input of the run.
    pub driver: RandomInputDriver,
}

/// Creates the input of execution `number`: damages one of the projects.
///
/// # Errors
/// If the chosen project cannot be read.
pub fn case(projects: &[PathBuf], seed: u64, number: u64) -> Result<Case, ProgramError> {
    let mut rng = Rng::new(seed, DAMAGE_STREAM.wrapping_add(number));
    let origin = &projects[rng.below(projects.len())];
    let bytes = read(origin)?;
    let mut files = archive::unpack(&bytes);
    if let Some(json) = files.iter_mut().find(|(name, _)| name == "project.json") {
        damage_json(&mut json.1, &mut rng);
    }
    if rng.one_in(3) {
        let pictures: Vec<usize> = (0..files.len()).filter(|&i| is_picture(&files[i].0)).collect();
        if !pictures.is_empty() {
            let at = rng.pick(&pictures);
            if rng.one_in(4) {
                archive::mutate_bytes(&mut files[at].1, &mut rng);
            } else {
                files[at].1 = media::picture(&mut rng);
            }
        }
    }
    if rng.one_in(8) {
        archive::mutate_files(&mut files, &mut rng);
    }
    let mut bytes = archive::pack(&files);
    if rng.one_in(8) {
        archive::mutate_bytes(&mut bytes, &mut rng);
    }
    let driver = RandomInputDriver {
        steps: STEPS,
        seed: number,
        interpret: false,
        compat: Compat::ALL[(number % 2) as usize],
    };
    Ok(Case { origin: origin.clone(), bytes, driver })
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

fn damage_json(json: &mut Vec<u8>, rng: &mut Rng) {
    if !rng.one_in(10)
        && let Ok(mut tree) = serde_json::from_slice(json)
    {
        project::mutate(&mut tree, rng);
        *json = tree.to_string().into_bytes();
    }
    if rng.one_in(12) && !json.is_empty() {
        project::mutate_text(json, rng);
    }
}

/// Name of the outcome of an execution, such as `ran` or `refused: cycle`.
pub type OutcomeName = &'static str;

/// Error if a run that is repeated from a snapshot differs from the first run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the run of the restored machine differs from the first one")]
pub struct RestoredRunDiffers;

/// Reads and runs a damaged project, and repeats the run from a snapshot.
///
/// # Errors
/// If the repeated run differs from the first run.
pub fn execute(case: &Case) -> Result<OutcomeName, RestoredRunDiffers> {
    let project = match Project::from_bytes("case", &case.bytes, &Limits::default()) {
        Ok(project) => project,
        Err(error) => return Ok(refusal(&error.cause)),
    };
    let Ok(program) = Program::compile_for(&project, case.driver.compat) else {
        return Ok("refused: compilation");
    };
    drop(project);
    let mut vm = case.driver.machine(&Arc::new(program), Observer::default());
    let start = vm.snapshot();
    let first = digest_states(&mut vm, case.driver);
    let targets: Vec<TargetId> = vm.targets().collect();
    for &target in targets.iter().take(8) {
        vm.is_touching_edge(target);
        vm.find_color(target, (0.0, 0.0), [255, 0, 0]);
        vm.find_own_color(target, [0, 0, 0]);
        vm.extent(target);
    }
    vm.restore(&start);
    vm.set_random(catherd_scratch_vm::Random::portable(case.driver.seed));
    let again = digest_states(&mut vm, case.driver);
    if first != again {
        return Err(RestoredRunDiffers);
    }
    Ok("ran")
}

fn refusal(cause: &Cause) -> OutcomeName {
    match cause {
        Cause::Io(_) => "refused: file",
        Cause::Archive(_) | Cause::NoArchive(_) => "refused: archive",
        Cause::NoProjectJson => "refused: no project.json",
        Cause::Json(_) => "refused: JSON",
        Cause::Version(_) => "refused: version",
        Cause::Malformed { .. } => "refused: shape",
        Cause::Cycle(_) => "refused: cycle",
        Cause::Limit { .. } => "refused: too large",
        _ => "refused: other",
    }
}
