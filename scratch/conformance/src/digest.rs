//! Digests of runs: equal exactly if the machine did the same.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use catherd_sb3::{BlockNo, Project, RotationStyle};
use catherd_vm::{Program, TargetView, Text, Tracer, Value, Vm};
use rayon::prelude::*;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::exercise::Exercise;
use crate::limits::{LimitHit, limit_hits};

/// The digest of one project's run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunDigest {
    /// Its name.
    pub project: String,
    /// SHA-256, in hexadecimal, over what a program can sense or show and what a tracer is told:
    /// before the first step and after each.
    pub digest: String,
    /// Limits of the machine that the run met.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<LimitHit>,
}

/// Runs projects, given by name and path, on some threads and digests every state; `done` is
/// called after each. A project that cannot run yields the line that says why.
pub fn digests(
    projects: &[(String, PathBuf)],
    exercise: Exercise,
    threads: usize,
    done: impl Fn(&str) + Sync,
) -> Vec<Result<RunDigest, String>> {
    let all = || {
        let run = |(name, path): &(String, PathBuf)| {
            let run = digest(path, exercise);
            done(name);
            let (digest, limits) = run?;
            Ok(RunDigest { project: name.clone(), digest, limits })
        };
        projects.par_iter().map(run).collect()
    };
    match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool.install(all),
        // Slower or faster, but the same.
        Err(_) => all(),
    }
}

fn digest(path: &Path, exercise: Exercise) -> Result<(String, Vec<LimitHit>), String> {
    let project = Project::read(path).map_err(|e| e.to_string())?;
    let program = Program::compile(&project).map_err(|e| format!("{}: {e}", path.display()))?;
    drop(project);
    let mut vm = exercise.machine(&Arc::new(program), Trail::default());
    Ok((states(&mut vm, exercise), limit_hits(vm.hits())))
}

/// The digest of all states of a run, in hexadecimal.
pub(crate) fn states(vm: &mut Vm<Trail>, exercise: Exercise) -> String {
    let mut hash = Sha256::new();
    let mut state = Vec::new();
    vm.tracer = Trail::default();
    exercise.run(vm, |vm| {
        state.clear();
        write_state(vm, &mut state);
        hash.update(&state);
    });
    hex::encode(hash.finalize())
}

/// What a tracer is told, folded into 64 bits.
#[derive(Default)]
pub(crate) struct Trail(u64);

impl Trail {
    fn fold(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

impl Tracer for Trail {
    const ACTIVE: bool = true;

    fn step(&mut self) {
        self.fold(1);
    }

    fn covered(&mut self, block: BlockNo) {
        self.fold(u64::from(block.0));
    }

    fn distance(&mut self, block: BlockNo, to_true: f64, to_false: f64) {
        self.fold(u64::from(block.0));
        self.fold(bits(to_true));
        self.fold(bits(to_false));
    }

    fn said(&mut self, text: &Text) {
        text.units().for_each(|unit| self.fold(u64::from(unit)));
    }
}

/// The bits of a number. Which NaN an operation yields is the processor's affair, and no
/// program can tell them apart.
fn bits(x: f64) -> u64 {
    if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() }
}

fn write_state(vm: &Vm<Trail>, out: &mut Vec<u8>) {
    let mut word = |w: u64| out.extend(w.to_le_bytes());
    word(vm.steps());
    word(vm.thread_count() as u64);
    word(u64::from(vm.is_running()));
    word(u64::from(vm.is_asking()));
    word(vm.tracer.0);
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

/// Led by its length, so that neighbours cannot be taken for one.
fn write_text(text: Option<&Text>, out: &mut Vec<u8>) {
    let length = text.map_or(u64::MAX, |t| t.len() as u64);
    out.extend(length.to_le_bytes());
    if let Some(text) = text {
        text.units().for_each(|unit| out.extend(unit.to_le_bytes()));
    }
}
