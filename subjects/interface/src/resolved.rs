//! The algorithms of a study, and the tools that they name.

use catherd_experiments::Algorithm;

use crate::algorithm::FieldError;
use crate::command::Tool;

/// The algorithms of a planned study, and the tools that they name.
#[derive(Default)]
pub struct Resolved {
    /// The algorithms. Their parameters identify the tools on which runs depend.
    pub algorithms: Vec<Algorithm>,
    /// The tools with adapters, without duplicates.
    pub tools: Vec<Tool>,
    /// For each algorithm, the position of its tool in `tools`.
    pub(crate) tool_of: Vec<Option<usize>>,
}

impl Resolved {
    /// Algorithms without tools.
    pub fn without_tools(algorithms: &[Algorithm]) -> Resolved {
        Resolved {
            algorithms: algorithms.to_vec(),
            tools: Vec::new(),
            tool_of: vec![None; algorithms.len()],
        }
    }
}

/// Why an algorithm of a study cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct ResolveError {
    /// The position of the algorithm in the study, from 0.
    pub number: usize,
    /// Why the algorithm cannot be used.
    pub error: FieldError,
}
