//! Descriptions of the projects of a study, which are not part of its plan.

use serde::{Deserialize, Serialize};

use crate::digest::Digest;

/// A project that a study names but does not run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Name or path of the project.
    pub project: String,
    /// Why the project is left out.
    pub reason: String,
}

/// Measures of projects, with one row for each project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measures {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// The cells of each row. An empty string is a missing value.
    pub rows: Vec<Vec<String>>,
}

/// The names of the goals of a project under one criterion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedGoals {
    /// The project.
    pub project: Digest,
    /// What the goals are, such as a coverage criterion.
    pub criterion: String,
    /// Labels of the algorithms whose runs have these goals.
    pub algorithms: Vec<String>,
    /// The name of each goal by its number in records.
    pub names: Vec<String>,
    /// For each goal, the number of the goal that a test covers directly before this goal, such as
    /// the enclosing condition, if it is known. May be empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<Option<u32>>,
    /// Names of the items that no test of the project can cover. These items are not goals.
    pub unreachable: Vec<String>,
}

/// A description of the projects of a study. A client sends this description with the plan, so that
/// results do not depend on the computer that writes them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CorpusDescription {
    /// Projects that are not run.
    pub left_out: Vec<LeftOut>,
    /// Measures of the projects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measures: Option<Measures>,
    /// The names of the projects' goals.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub goals: Vec<NamedGoals>,
}

/// A row of measures that does not have one cell for each column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("row {row} of the measures does not have one cell for each column")]
pub struct MeasuresError {
    /// The number of the row, from 0.
    pub row: usize,
}

impl CorpusDescription {
    /// Checks a description that was received.
    ///
    /// # Errors
    ///
    /// If a row of measures does not have one cell for each column.
    pub fn check(&self) -> Result<(), MeasuresError> {
        let Some(Measures { columns, rows }) = &self.measures else { return Ok(()) };
        match rows.iter().position(|row| row.len() != columns.len()) {
            Some(row) => Err(MeasuresError { row }),
            None => Ok(()),
        }
    }
}
