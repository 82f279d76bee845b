//! Benchmark of the VM.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use catherd_scratch_sb3::{BlockNo, Project};
use catherd_scratch_vm::{Program, Random, Tracer, Vm, VmSettings};
use serde::Serialize;

use crate::limits::{LimitHit, limit_hits};
use catherd_platform::thread_cpu_time;

/// The speed of a project, in processor time of one thread.
#[derive(Clone, Debug, Serialize)]
pub struct Speed {
    /// File name without extension.
    pub project: String,
    /// Number of steps with tracing.
    pub steps: u64,
    /// Steps per second without a tracer.
    pub steps_per_s: f64,
    /// Steps per second with a tracer.
    pub traced_steps_per_s: f64,
    /// Blocks executed per second, with tracing.
    pub blocks_per_s: f64,
    /// Microseconds to take a snapshot of the state after the last step.
    pub snapshot_us: f64,
    /// Microseconds to restore the snapshot.
    pub restore_us: f64,
    /// Milliseconds to read and compile the project.
    pub load_ms: f64,
    /// Limits of the VM that the traced run hit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<LimitHit>,
}

#[derive(Default)]
struct BlockCounter {
    covered: u64,
}

impl Tracer for BlockCounter {
    const ACTIVE: bool = true;

    fn covered(&mut self, _: BlockNo) {
        self.covered += 1;
    }
}

/// The reason why a project cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ProgramError(String);

impl From<String> for ProgramError {
    fn from(line: String) -> ProgramError {
        ProgramError(line)
    }
}

/// Runs a project without and with tracing. Each run ends after `steps` steps or about `time_limit`
/// of processor time.
///
/// # Errors
/// If the project cannot be read or compiled.
pub fn bench(path: &Path, steps: u64, time_limit: Duration) -> Result<Speed, ProgramError> {
    let start = thread_cpu_time();
    let project = Project::read(path).map_err(|e| e.to_string())?;
    let program = Program::compile(&project).map_err(|e| format!("{}: {e}", path.display()))?;
    let program = Arc::new(program);
    let load_ms = (thread_cpu_time() - start).as_secs_f64() * 1e3;
    drop(project);
    let (_, plain) = run(&program, (), steps, time_limit);
    let (vm, traced) = run(&program, BlockCounter::default(), steps, time_limit);
    let mut vm = vm;
    let snapshot_us = repeat(|| drop(vm.snapshot()));
    let snapshot = vm.snapshot();
    let restore_us = repeat(|| vm.restore(&snapshot));
    Ok(Speed {
        project: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        steps: vm.steps(),
        steps_per_s: plain,
        traced_steps_per_s: traced,
        blocks_per_s: vm.tracer.covered as f64 * traced / vm.steps().max(1) as f64,
        snapshot_us,
        restore_us,
        load_ms,
        limits: limit_hits(vm.hits()),
    })
}

fn run<T: Tracer>(
    program: &Arc<Program>,
    tracer: T,
    steps: u64,
    time_limit: Duration,
) -> (Vm<T>, f64) {
    let mut vm = Vm::new(program.clone(), VmSettings::default(), Random::portable(1), tracer);
    vm.green_flag();
    let start = thread_cpu_time();
    let used = || thread_cpu_time() - start;
    while vm.steps() < steps && (vm.steps() % 64 != 0 || used() < time_limit) {
        vm.step();
    }
    let rate = vm.steps() as f64 / used().as_secs_f64();
    (vm, rate)
}

/// Mean microseconds of an operation, over about 20 ms.
fn repeat(mut operation: impl FnMut()) -> f64 {
    let start = thread_cpu_time();
    let used = || thread_cpu_time() - start;
    let mut times = 0;
    while used() < Duration::from_millis(20) {
        for _ in 0..16 {
            operation();
        }
        times += 16;
    }
    used().as_secs_f64() * 1e6 / f64::from(times)
}
