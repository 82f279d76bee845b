//! Errors of test generation.

use catherd_scratch_vm::CompileError;

/// Error in preparing a project or a run.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    /// The algorithm is unknown.
    #[error(transparent)]
    Algorithm(#[from] catherd_search::UnknownAlgorithm),
    /// A parameter is unknown, or its value is not allowed.
    #[error(transparent)]
    Parameter(#[from] catherd_search::ParameterError),
    /// The minimum number of events exceeds the maximum.
    #[error("min_events is {min_events}, but max_events is {max_events}")]
    Events {
        /// Minimum number of events.
        min_events: usize,
        /// Maximum number of events.
        max_events: usize,
    },
    /// The project cannot be compiled.
    #[error("the project cannot be compiled: {0}")]
    Compile(CompileError),
}

impl From<CompileError> for GenerateError {
    fn from(cause: CompileError) -> GenerateError {
        GenerateError::Compile(cause)
    }
}
