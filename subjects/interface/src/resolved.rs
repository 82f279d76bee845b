//! The algorithms of a study with everything that their runs depend on.
//!
//! This file and the kind `command` depend on each other: the kind returns a [`Resolved`], as every
//! kind does, and a [`Resolved`] contains the tools of that kind, so callers read them only once.

use catherd_experiments::Algorithm;

use crate::algorithm::FieldError;
use crate::command::Tool;

/// The algorithms of a study as they are planned, and the tools that they name. Tools are read
/// once; the result is used for the plan, for descriptions of projects, and for checks of this
/// computer.
#[derive(Default)]
pub struct Resolved {
    /// The algorithms, with everything that a run of them depends on in their parameters.
    pub algorithms: Vec<Algorithm>,
    /// The tools with adapters that the algorithms name, each once, in the order of their paths.
    pub tools: Vec<Tool>,
    /// The tool of each algorithm, as its position in `tools`. `None` if the algorithm has none.
    pub(crate) tool_of: Vec<Option<usize>>,
}

impl Resolved {
    /// Algorithms whose parameters name no files.
    pub fn without_tools(algorithms: &[Algorithm]) -> Resolved {
        Resolved {
            algorithms: algorithms.to_vec(),
            tools: Vec::new(),
            tool_of: vec![None; algorithms.len()],
        }
    }
}

/// An algorithm of a study that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct ResolveError {
    /// The position of the algorithm in the study.
    pub number: usize,
    /// The error.
    pub error: FieldError,
}
