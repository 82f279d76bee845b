//! Mutation analysis as a part of a run: its settings and its results.

use serde::{Deserialize, Serialize};

/// Settings of the mutation analysis of each run's suite. They are part of the run id. Each setting
/// has a default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mutation {
    /// Names of mutation operators. If empty, all operators are used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operators: Vec<String>,
    /// Maximum number of mutants of a project, which are drawn with equal probability.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample: Option<u64>,
    /// Seed of all random choices of mutants, the same for all runs, because all suites must be
    /// evaluated on the same mutants. Default: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Limit on the execution of a test on a mutant, as a multiple of its execution on the
    /// original, plus a fixed allowance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_factor: Option<u64>,
}

/// The result of a suite on a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MutantOutcome {
    /// A test that passes on the original fails on the mutant.
    Killed,
    /// Tests execute the change, but none kills the mutant.
    Survived,
    /// A test reached a limit.
    Limit,
    /// No test executes the change.
    NotCovered,
    /// The mutant behaves like the original.
    Equivalent,
}

/// A part of a location in a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Level {
    /// Name of the level, as in [`SubjectInfo::mutant_levels`](crate::SubjectInfo).
    pub level: String,
    /// Name of the part.
    pub name: String,
}

impl Level {
    /// The part `name` at `level`.
    pub fn new(level: &str, name: impl Into<String>) -> Level {
        Level { level: level.to_owned(), name: name.into() }
    }
}

/// A mutant of the project and the result of the run's suite on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MutantRecord {
    /// Name of the mutant, unique in its project and the same in every run.
    pub id: String,
    /// The mutation operator.
    pub operator: String,
    /// Where the project was changed, outermost level first.
    pub location: Vec<Level>,
    /// The change in words.
    pub change: String,
    /// The result.
    pub outcome: MutantOutcome,
    /// Number of the first test that killed the mutant, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub killed_by: Option<u32>,
    /// Number of tests executed on the mutant.
    pub executions: u32,
    /// Name of an earlier mutant that is the same program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duplicate_of: Option<String>,
}

impl MutantRecord {
    /// The name of the part at a level.
    pub fn at(&self, level: &str) -> Option<&str> {
        let part = self.location.iter().find(|part| part.level == level);
        part.map(|part| part.name.as_str())
    }
}
