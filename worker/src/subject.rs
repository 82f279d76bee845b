//! What the worker knows of a subject kind: one small trait.

use std::ops::ControlFlow;
use std::sync::Arc;

use catherd_experiments::{Digest, RunRecord, RunSpec};

/// How far a run is; for people, never part of a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Live {
    /// Test executions so far.
    pub executions: u64,
    /// Steps so far.
    pub steps: u64,
    /// Goals covered so far.
    pub covered: u32,
    /// Goals of the project.
    pub goals: u32,
}

/// Why a run has no record of its own.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// A verdict on the input that a repetition would not change.
    #[error("{0}")]
    Failed(String),
    /// A limit of the runner ended it; another machine may be faster.
    #[error("{0}")]
    TimedOut(String),
    /// The memory limit of the runner ended it; another machine may be larger.
    #[error("{0}")]
    OutOfMemory(String),
    /// It broke down, which a repetition may not.
    #[error("{0}")]
    Crashed(String),
    /// `watch` said so.
    #[error("stopped")]
    Stopped,
}

/// Executes runs of one subject kind. A panic is survived: the attempt is reported as a
/// crash and the subject is made anew.
pub trait Subject: Send {
    /// Takes a project; runs on it follow. Called again when the project changes.
    ///
    /// # Errors
    ///
    /// Why the project cannot be run, the same on every machine.
    fn load(&mut self, digest: Digest, bytes: Arc<[u8]>) -> Result<(), String>;

    /// Executes a run on the loaded project. Calls `watch` now and then, at least a few
    /// times a second, and ends soon when it breaks. The record's peak memory and
    /// provenance are filled in by the worker.
    ///
    /// # Errors
    ///
    /// When there is no record.
    fn run(
        &mut self,
        spec: &RunSpec,
        watch: &mut dyn FnMut(Live) -> ControlFlow<()>,
    ) -> Result<RunRecord, RunError>;
}

/// Makes the subject of a kind, if it is known.
pub type MakeSubject = dyn Fn(&str) -> Option<Box<dyn Subject>> + Send;
