//! Digests of runs, by which the states of two runs are compared.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use catherd_scratch_sb3::{Project, RotationStyle};
use catherd_scratch_vm::{Program, TargetView, Text, Value, Vm};
use rayon::prelude::*;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::bench::ProgramError;
use crate::limits::{LimitHit, limit_hits};
use crate::observer::{Observer, bits};
use crate::random_input::RandomInputDriver;

/// The digest of a run of a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunDigest {
    /// Name of the project.
    pub project: String,
    /// SHA-256, in hexadecimal, of the states before the first step and after each step.
    pub digest: String,
    /// Limits of the VM that the run hit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<LimitHit>,
}

/// Computes the digests of runs of projects, given by name and path. `on_project` is called with
/// the name of each finished project.
pub fn digests(
    projects: &[(String, PathBuf)],
    driver: RandomInputDriver,
    threads: usize,
    on_project: impl Fn(&str) + Sync,
) -> Vec<Result<RunDigest, ProgramError>> {
    let all = || {
        let run = |(name, path): &(String, PathBuf)| {
            let run = digest(path, driver);
            on_project(name);
            let (digest, limits) = run?;
            Ok(RunDigest { project: name.clone(), digest, limits })
        };
        projects.par_iter().map(run).collect()
    };
    match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool.install(all),
        // The number of threads influences only the speed.
        Err(_) => all(),
    }
}

fn digest(path: &Path, driver: RandomInputDriver) -> Result<(String, Vec<LimitHit>), String> {
    let project = Project::read(path).map_err(|e| e.to_string())?;
    let program = Program::compile_for(&project, driver.compat);
    let program = program.map_err(|e| format!("{}: {e}", path.display()))?;
    drop(project);
    let mut vm = driver.machine(&Arc::new(program), Observer::default());
    Ok((digest_states(&mut vm, driver), limit_hits(vm.hits())))
}

pub(crate) fn digest_states(vm: &mut Vm<Observer>, driver: RandomInputDriver) -> String {
    let mut hash = Sha256::new();
    let mut state = Vec::new();
    vm.tracer = Observer::default();
    driver.run(vm, |vm| {
        state.clear();
        write_state(vm, &mut state);
        hash.update(&state);
    });
    hex::encode(hash.finalize())
}

fn write_state(vm: &Vm<Observer>, out: &mut Vec<u8>) {
    let mut word = |w: u64| out.extend(w.to_le_bytes());
    word(vm.steps());
    word(vm.thread_count() as u64);
    word(u64::from(vm.is_running()));
    word(u64::from(vm.is_asking()));
    word(vm.tracer.hash);
    for (limit, hit) in vm.hits().iter() {
        [limit as u64, hit.first, hit.times].into_iter().for_each(&mut word);
    }
    for id in vm.execution_order() {
        out.extend(id.0.to_le_bytes());
    }
    for target in vm.targets().filter_map(|id| vm.target(id)) {
        write_target(&target, out);
    }
}

fn write_target(target: &TargetView<'_>, out: &mut Vec<u8>) {
    let style = match target.rotation_style {
        RotationStyle::AllAround => 0,
        RotationStyle::LeftRight => 1,
        RotationStyle::DontRotate => 2,
    };
    for word in [
        u64::from(target.id.0),
        target.sprite as u64,
        u64::from(target.original),
        u64::from(target.visible),
        u64::from(target.draggable),
        target.costume as u64,
        target.layer() as u64,
        style,
    ] {
        out.extend(word.to_le_bytes());
    }
    let numbers = [target.x, target.y, target.direction, target.size, target.volume];
    for x in numbers.into_iter().chain(target.effects) {
        out.extend(bits(x).to_le_bytes());
    }
    write_text(target.bubble, out);
    for (name, value) in target.variables() {
        write_text(Some(name), out);
        write_value(value, out);
    }
    for (name, items) in target.lists() {
        write_text(Some(name), out);
        out.extend((items.len() as u64).to_le_bytes());
        items.iter().for_each(|item| write_value(item, out));
    }
}

fn write_value(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Number(n) => {
            out.push(0);
            out.extend(bits(*n).to_le_bytes());
        }
        Value::Text(text) => {
            out.push(1);
            write_text(Some(text), out);
        }
        Value::Bool(b) => out.push(2 + u8::from(*b)),
        Value::Undefined => out.push(4),
    }
}

/// Writes a string after its length, which keeps adjacent strings distinguishable.
fn write_text(text: Option<&Text>, out: &mut Vec<u8>) {
    let length = text.map_or(u64::MAX, |t| t.len() as u64);
    out.extend(length.to_le_bytes());
    if let Some(text) = text {
        text.units().for_each(|unit| out.extend(unit.to_le_bytes()));
    }
}
