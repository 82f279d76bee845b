//! Mutation analysis as a part of a run: what is asked for, and what came of it.

use serde::{Deserialize, Serialize};

/// How the suite of each run is held against mutants of its project. Part of the run id.
/// What is not set is as the subject kind has it. The suites get assertions, as if the
/// algorithm's parameters asked for them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mutation {
    /// Mutation operators by name; none: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operators: Vec<String>,
    /// Mutants of a project at most, each equally likely; none: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample: Option<u64>,
    /// From which all choices that mutants need come, the same for all runs: they face the
    /// same mutants. 0 unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// What a test may execute on a mutant, in multiples of what it executes on the original.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_factor: Option<u64>,
}

/// What came of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MutantOutcome {
    /// A test that passes on the original fails an assertion.
    Killed,
    /// Tests execute the change, and all pass.
    Survived,
    /// A test ran into a limit, and no assertion failed before.
    Limit,
    /// No test executes the change.
    NotCovered,
    /// The mutant does what the original does.
    Equivalent,
}

/// A mutant of the project, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MutantRecord {
    /// Name of the mutant, unique in its project and the same in every run.
    pub id: String,
    /// The mutation operator.
    pub operator: String,
    /// The part of the project that was changed: for Scratch the stage or sprite.
    pub target: String,
    /// Where in the target: for Scratch the topmost block of the script.
    pub script: String,
    /// Where exactly: for Scratch the block.
    pub block: String,
    /// The change in words.
    pub change: String,
    /// What came of it.
    pub outcome: MutantOutcome,
    /// The number of the first test that killed it, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub killed_by: Option<u32>,
    /// Tests executed on it.
    pub executions: u32,
    /// The mutant before it that is the same program, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duplicate_of: Option<String>,
}
