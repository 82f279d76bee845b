//! Runners: execution of the runs of a kind.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use catherd_experiments::{Algorithm, Digest, RunRecord, RunSpec};

/// Progress of a run, for display only. It is not part of a result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunProgress {
    /// Work so far, by the name of the unit.
    pub work: BTreeMap<String, u64>,
    /// Goals covered so far.
    pub covered: u32,
    /// Goals of the project.
    pub goals: u32,
}

/// Why a run has no record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// The input cannot be run; a repetition would end in the same way.
    #[error("{0}")]
    Failed(String),
    /// The time limit of the runner ended the run; a different computer may be faster.
    #[error("{0}")]
    TimedOut(String),
    /// The memory limit of the runner ended the run; a different computer may have more memory.
    #[error("{0}")]
    OutOfMemory(String),
    /// The subject or its tool crashed; a repetition may succeed.
    #[error("{0}")]
    Crashed(String),
    /// The disk of the working folders is full, which is not a fault of the run: it can be executed
    /// when there is space, or by another worker.
    #[error("{0}")]
    DiskFull(String),
    /// The progress callback stopped the run.
    #[error("stopped")]
    Stopped,
}

/// Why a project cannot be run, in one line: the same on every computer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct LoadError(String);

impl From<String> for LoadError {
    fn from(line: String) -> LoadError {
        LoadError(line)
    }
}

/// If a project cannot be loaded, all of its runs fail.
impl From<LoadError> for RunError {
    fn from(error: LoadError) -> RunError {
        RunError::Failed(error.0)
    }
}

/// Limits of a worker process, not of the run: a run that they end may succeed on another
/// computer, so its end is not a deterministic result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Real time of a run; `None` if there is no limit.
    pub wall: Option<Duration>,
    /// Memory of the process and of the programs that it starts, in bytes; `None` if there is
    /// no limit.
    pub memory: Option<u64>,
}

/// How external programs are run on this computer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Programs {
    /// The folder in which the working folders of runs are made: an absolute path, used by no
    /// other process.
    pub folder: PathBuf,
    /// The executable that supervises programs. It is started with the first argument `supervise`
    /// and calls [`supervise`](crate::command::supervise). `None` if programs are started directly,
    /// as on systems other than Linux.
    pub supervisor: Option<PathBuf>,
    /// Files and folders that programs must not see, such as tokens.
    pub hidden: Vec<PathBuf>,
    /// Folders in which tools are looked up that a study names by relative paths.
    pub tools: Vec<PathBuf>,
    /// The folder in which trials that have ended are kept until they are measured, which workers
    /// of this computer share; `None` if they are lost with their run.
    pub trials: Option<PathBuf>,
    /// Whether programs are run in separate namespaces if the kernel permits it.
    pub namespaces: bool,
    /// Whether this process executes one run at a time and starts no other processes; all its
    /// descendants then belong to the run.
    pub exclusive: bool,
}

/// The settings of a worker that it passes to the runners that it makes.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunnerContext<'a> {
    /// How external programs are run. `None` if this worker runs none: a client that may submit a
    /// study could otherwise run any program on every worker.
    pub programs: Option<&'a Programs>,
    /// Limits of the worker, for runners that start processes.
    pub limits: Limits,
}

/// A request about a project before a study.
#[derive(Clone, Debug, PartialEq)]
pub enum Examination {
    /// Only whether the project can be run.
    Usable,
    /// The names and values of its measures.
    Measures,
    /// The names of the goals of runs of this algorithm, in the order of their numbers. The value
    /// is the number of the goal that a test covers directly before, or empty.
    Goals(Algorithm),
}

/// The data with which a run can be continued after the end of its process: the file that records
/// the part that is executed, and the parts to leave out because earlier processes ended during
/// them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survival {
    /// The file to whose first line the runner writes which part of the run it executes: a key
    /// without spaces, a space, and a few words for errors. An empty line means that a repetition
    /// cannot leave the part out. If the path is empty, nothing is written.
    pub under_way: PathBuf,
    /// The keys of the parts during which earlier processes ended, in the order of the ends.
    pub left_out: Vec<String>,
}

/// Executes runs of one subject kind, one at a time. The worker survives a panic: it reports
/// the attempt as a crash and makes a new runner.
pub trait Runner: Send {
    /// Loads a project, on which the runs that follow are executed. Called again when the project
    /// changes.
    ///
    /// # Errors
    ///
    /// If the project cannot be run: the reason, which is the same on every computer.
    fn load(&mut self, digest: Digest, bytes: Arc<[u8]>) -> Result<(), LoadError>;

    /// Tries the loaded project before a study: executes what every run executes first. Returns the
    /// requested names and values; empty if the kind has none.
    ///
    /// # Errors
    ///
    /// If the project cannot be run: the reason, which is the same on every computer.
    fn examine(&mut self, _: &Examination) -> Result<Vec<(String, String)>, LoadError> {
        Ok(Vec::new())
    }

    /// Whether the conditions of the computer are measured for all runs and not only for runs with
    /// a budget of real time, because the runner starts programs whose work is not counted.
    fn starts_programs(&self) -> bool {
        false
    }

    /// Processor time that this process, and a process that executes runs for it, have used so far.
    /// The difference around a run is recorded if the record of the run has none.
    fn processor_time(&self) -> Duration {
        catherd_platform::process_cpu_time()
    }

    /// Executes a run on the loaded project. Calls `on_progress` at least a few times a second and
    /// ends soon after it returns [`ControlFlow::Break`]. The worker fills in the record's
    /// provenance, its own peak memory if the record has none, and the processor time if the record
    /// has none.
    ///
    /// # Errors
    ///
    /// If the run has no record.
    fn run(
        &mut self,
        spec: &RunSpec,
        on_progress: &mut dyn FnMut(RunProgress) -> ControlFlow<()>,
    ) -> Result<RunRecord, RunError>;

    /// Executes a run as [`Runner::run`] does, but so that it can be continued after the end of its
    /// process. The record must depend only on the specification and the parts that are left out.
    /// By default, the run is executed without recording its parts.
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
