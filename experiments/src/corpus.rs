//! Descriptions of the projects of a study, which are not part of its plan.

use serde::{Deserialize, Serialize};

use crate::digest::Digest;

/// A project that a study names but does not run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Name or path of the project.
    pub project: String,
    /// Why it is left out, in one line.
    pub reason: String,
}

/// Measures of projects as strings: one row for each project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measures {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// The cells of each project, one for each column; an empty string is a missing value.
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
    /// For each goal, the number of the goal that a test covers directly before it, such as the
    /// enclosing condition; `None` if there is no such goal or it is not known. Empty if the
    /// subject kind does not determine these goals.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<Option<u32>>,
    /// Names of the items of the criterion that no test of the project can cover. These items are
    /// not goals.
    pub unreachable: Vec<String>,
}

/// The projects of a study that are left out, and measures and goals of its projects. A client
/// sends this description with the plan, so results are the same on every computer that writes
/// them. Runs do not depend on the description.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CorpusDescription {
    /// Projects that are not run.
    pub left_out: Vec<LeftOut>,
    /// Measures of the projects; `None` if the subject kind has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measures: Option<Measures>,
    /// The goals of the projects by name; empty if the subject kind names none.
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
    /// If a row of measures has too few or too many cells; the error names the first such row.
    pub fn check(&self) -> Result<(), MeasuresError> {
        let Some(Measures { columns, rows }) = &self.measures else { return Ok(()) };
        match rows.iter().position(|row| row.len() != columns.len()) {
            Some(row) => Err(MeasuresError { row }),
            None => Ok(()),
        }
    }
}
