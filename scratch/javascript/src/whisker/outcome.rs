//! How tests ended.

use serde::Serialize;
use serde_json::{Map, Value};

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// All assertions held.
    Pass,
    /// An assertion did not hold, or the test took longer than its own `timeout`.
    Fail,
    /// Something else was thrown, or a limit was met.
    Error,
    /// An assumption did not hold, or the suite says `skip`.
    Skip,
}

impl Status {
    /// The word of Whisker's reports.
    pub fn name(self) -> &'static str {
        match self {
            Status::Pass => "pass",
            Status::Fail => "fail",
            Status::Error => "error",
            Status::Skip => "skip",
        }
    }

    /// The status of a word.
    pub(crate) fn named(name: &str) -> Status {
        [Status::Pass, Status::Fail, Status::Skip]
            .into_iter()
            .find(|status| status.name() == name)
            .unwrap_or(Status::Error)
    }
}

/// A test and how it ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// Its name; `None` if it has none.
    pub name: Option<String>,
    /// How it ended.
    pub status: Status,
    /// Name of the error, such as `AssertionError`; empty without an error.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub error: String,
    /// Message of the error; empty without one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// Line of the suite in which it was thrown; `None` if it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Column in that line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// Of assertions and assumptions: `actual`, `expected`, `operator`, `constraint`.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub details: Map<String, Value>,
    /// Lines that the test logged, and warnings about it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub log: Vec<String>,
    /// What could be done about the error.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<String>,
    /// Steps that the test executed.
    pub steps: u64,
    /// Whether the suite itself says `skip`; nothing was executed then.
    #[serde(skip)]
    pub skipped: bool,
}

/// The tests of a suite and how they ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SuiteOutcome {
    /// The tests in the order of the suite, without those that were not chosen.
    pub tests: Vec<Outcome>,
    /// Lines of the tests that contain an assertion.
    pub assertions: u32,
    /// Blocks that some test reached, and all blocks that can be reached; `None` if coverage was
    /// not measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage: Option<(usize, usize)>,
}

impl SuiteOutcome {
    /// Number of tests with a status.
    pub fn count(&self, status: Status) -> usize {
        self.tests.iter().filter(|test| test.status == status).count()
    }
}
