//! Runners, which execute the runs of a kind.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use catherd_experiments::{Algorithm, Digest, RunRecord, RunSpec};

/// The progress of a run, which is not part of a result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunProgress {
    /// The work so far, by the names of the units.
    pub work: BTreeMap<String, u64>,
    /// Number of goals covered so far.
    pub covered: u32,
    /// Number of goals of the project.
    pub goals: u32,
}

/// Why a run has no record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// The run cannot succeed, and a repetition would end in the same way.
    #[error("{0}")]
    Failed(String),
    /// A time limit ended the run. A different computer may be faster.
    #[error("{0}")]
    TimedOut(String),
    /// A memory limit ended the run. A different computer may have more memory.
    #[error("{0}")]
    OutOfMemory(String),
    /// The run failed, but a repetition may succeed.
    #[error("{0}")]
    Crashed(String),
    /// The disk of the working folders is full. This is not a fault of the run.
    #[error("{0}")]
    DiskFull(String),
    /// The progress callback stopped the run.
    #[error("stopped")]
    Stopped,
}

/// Why a project cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct LoadError(String);

impl From<String> for LoadError {
    fn from(line: String) -> LoadError {
        LoadError(line)
    }
}

impl From<LoadError> for RunError {
    fn from(error: LoadError) -> RunError {
        RunError::Failed(error.0)
    }
}

/// Limits of a worker process. A run that they end may succeed on another computer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Maximum real time of a run.
    pub wall: Option<Duration>,
    /// Maximum memory of the process and of the programs that it starts, in bytes.
    pub memory: Option<u64>,
}

/// How to run external programs on this computer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Programs {
    /// The folder in which working folders of runs are made: an absolute path, used only by this
    /// process.
    pub folder: PathBuf,
    /// The executable that supervises programs: it is started with the first argument `supervise`
    /// and calls [`supervise`](crate::command::supervise). By default, programs are started
    /// directly.
    pub supervisor: Option<PathBuf>,
    /// Files and folders that programs must not see, such as files with tokens.
    pub hidden: Vec<PathBuf>,
    /// Folders in which relative paths of a study's tools are looked up.
    pub tools: Vec<PathBuf>,
    /// The folder, shared by the workers of this computer, in which completed trials are kept until
    /// they are measured.
    pub trials: Option<PathBuf>,
    /// Whether programs are run in separate namespaces if the kernel permits this.
    pub namespaces: bool,
    /// Whether all descendants of this process belong to the current run.
    pub exclusive: bool,
}

/// The settings that a worker passes to its runners.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunnerContext<'a> {
    /// How to run external programs, if they are permitted. Every client that may submit a study
    /// can then run any program.
    pub programs: Option<&'a Programs>,
    /// Limits of the worker, for runners that start processes.
    pub limits: Limits,
}

/// What [`Runner::examine`] is asked about a project.
#[derive(Clone, Debug, PartialEq)]
pub enum Examination {
    /// Only whether the project can be run.
    Usable,
    /// The names and values of the project's measures.
    Measures,
    /// The names of the goals in runs of this algorithm, in the order of their numbers. Each value
    /// is the number of the goal that a test covers directly before this goal, or empty.
    Goals(Algorithm),
}

/// The data with which a run can be repeated after it ended its process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survival {
    /// The file in which the runner writes, as the first line, which part of the run it executes: a
    /// key without spaces, a space, and a few words for error messages. The line is empty if the
    /// part cannot be omitted. An empty path means that nothing is written.
    pub under_way: PathBuf,
    /// The keys of the parts during which earlier processes ended. The run omits these parts.
    pub left_out: Vec<String>,
}

/// Executes runs of one subject kind, one at a time. A runner that panics is replaced.
pub trait Runner: Send {
    /// Loads a project for the runs that follow.
    ///
    /// # Errors
    ///
    /// If the project cannot be run. The reason is the same on every computer.
    fn load(&mut self, digest: Digest, bytes: Arc<[u8]>) -> Result<(), LoadError>;

    /// Tries the loaded project before a study, and returns the requested names and values.
    ///
    /// # Errors
    ///
    /// If the project cannot be run.
    fn examine(&mut self, _: &Examination) -> Result<Vec<(String, String)>, LoadError> {
        Ok(Vec::new())
    }

    /// Whether the runner starts external programs. The worker then measures the conditions of each
    /// run.
    fn starts_programs(&self) -> bool {
        false
    }

    /// The processor time used so far by this process, and by a process that executes runs for it.
    fn processor_time(&self) -> Duration {
        catherd_platform::process_cpu_time()
    }

    /// Executes a run on the loaded project. Calls `on_progress` at least a few times a second, and
    /// ends soon after `on_progress` returns [`ControlFlow::Break`]. The worker completes the
    /// record.
    ///
    /// # Errors
    ///
    /// If the run has no record.
    fn run(
        &mut self,
        spec: &RunSpec,
        on_progress: &mut dyn FnMut(RunProgress) -> ControlFlow<()>,
    ) -> Result<RunRecord, RunError>;

    /// Executes a run in the same way as [`Runner::run`], but without the parts in
    /// [`Survival::left_out`]. By default, no parts are omitted.
    ///
    /// # Errors
    ///
    /// If the run has no record.
    fn run_again(
        &mut self,
        spec: &RunSpec,
        _: &Survival,
        on_progress: &mut dyn FnMut(RunProgress) -> ControlFlow<()>,
    ) -> Result<RunRecord, RunError> {
        self.run(spec, on_progress)
    }
}
