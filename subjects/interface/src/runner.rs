//! Executing the runs of a kind.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use catherd_experiments::{Digest, RunRecord, RunSpec};

/// How far a run is: for displays, never part of a result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunProgress {
    /// Work so far, by the name of the unit.
    pub work: BTreeMap<String, u64>,
    /// Goals covered so far.
    pub covered: u32,
    /// Goals of the project.
    pub goals: u32,
}

/// Why a run has no record of its own.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// The input cannot be run; a repetition would end in the same way.
    #[error("{0}")]
    Failed(String),
    /// The time limit of the runner ended it; another machine may be faster.
    #[error("{0}")]
    TimedOut(String),
    /// The memory limit of the runner ended it; another machine may be larger.
    #[error("{0}")]
    OutOfMemory(String),
    /// The subject or its tool broke down; a repetition may succeed.
    #[error("{0}")]
    Crashed(String),
    /// The progress callback asked for the end.
    #[error("stopped")]
    Stopped,
}

/// Limits of a worker process, not of the run: a run that they end may succeed on another
/// machine, so what they end is no deterministic result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Real time of a run; `None` if there is no limit.
    pub wall: Option<Duration>,
    /// Memory of the process and of the programs that it starts, in bytes; `None` if there is
    /// no limit.
    pub memory: Option<u64>,
}

/// How external programs are run on this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Programs {
    /// The folder in which the working folders of runs are made: an absolute path, used by no
    /// other process.
    pub folder: PathBuf,
    /// The executable that supervises programs: `supervise` is its first argument, and it calls
    /// [`supervise`](crate::command::supervise). `None` if programs are started directly, as on
    /// systems other than Linux.
    pub supervisor: Option<PathBuf>,
    /// Files and folders that programs must not see, such as tokens.
    pub hidden: Vec<PathBuf>,
    /// Folders in which tools are found that a study names by relative paths.
    pub tools: Vec<PathBuf>,
    /// Whether programs get namespaces of their own where the kernel permits it.
    pub namespaces: bool,
    /// Whether this process executes one run at a time and starts nothing else, so that all its
    /// descendants are the run's.
    pub exclusive: bool,
}

/// What a worker gives to the runners that it makes.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunnerContext<'a> {
    /// How external programs are run. `None` if this worker runs none: a client that may submit a
    /// study could otherwise run any program on every worker.
    pub programs: Option<&'a Programs>,
    /// Limits of the worker, for runners that start processes.
    pub limits: Limits,
}

/// Executes runs of one subject kind, one at a time. The worker survives a panic: it reports
/// the attempt as a crash and makes a new runner.
pub trait Runner: Send {
    /// Takes a project; the runs that follow are on it. Called again when the project changes.
    ///
    /// # Errors
    ///
    /// Why the project cannot be run, the same on every machine.
    fn load(&mut self, digest: Digest, bytes: Arc<[u8]>) -> Result<(), String>;

    /// Executes a run on the loaded project. Calls `on_progress` at least a few times a second
    /// and ends soon after it returns [`ControlFlow::Break`]. The worker fills in the record's
    /// provenance, and its own peak memory if the record has none.
    ///
    /// # Errors
    ///
    /// If there is no record.
    fn run(
        &mut self,
        spec: &RunSpec,
        on_progress: &mut dyn FnMut(RunProgress) -> ControlFlow<()>,
    ) -> Result<RunRecord, RunError>;
}
