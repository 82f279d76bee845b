//! Results of tests and suites.

use catherd_scratch_grading_report::{
    Coverage, Feedback, Limit, Location, Status, SuiteFacts, SuiteReport, TestReport,
};
use serde::Serialize;
use serde_json::{Map, Value};

pub(crate) fn status_named(name: &str) -> Status {
    let found = Status::ALL.into_iter().find(|status| status.name() == name);
    found.unwrap_or(Status::Error)
}

/// A test and its result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TestOutcome {
    /// The name of the test; `None` if the test has no name.
    pub name: Option<String>,
    /// The status of the test.
    pub status: Status,
    /// Name of the error, such as `AssertionError`; empty without an error.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub error: String,
    /// Message of the error; empty without an error.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// Line of the suite in which the error was thrown; `None` if it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Column in the line; `None` if it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// Details of assertions and assumptions: `actual`, `expected`, `operator`, `constraint`.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub details: Map<String, Value>,
    /// The lines that the test logged, and warnings about the test.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub log: Vec<String>,
    /// Hints on mistakes in the suite.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<String>,
    /// Number of steps that the test executed.
    pub steps: u64,
    /// Number of blocks that the test executed.
    pub blocks: u64,
    /// The limits that the test reached.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<Limit>,
    /// Whether the suite itself marks the test as skipped.
    #[serde(skip)]
    pub skipped: bool,
}

/// The tests of a suite and their results.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SuiteOutcome {
    /// The chosen tests in the order of the suite.
    pub tests: Vec<TestOutcome>,
    /// Facts about the suite for the table of Whisker.
    #[serde(skip)]
    pub facts: SuiteFacts,
    /// The number of blocks that at least one test reached, and the number of all blocks that count
    /// for coverage; `None` if coverage was not measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage: Option<(usize, usize)>,
}

impl SuiteOutcome {
    /// Number of tests with a status.
    pub fn count(&self, status: Status) -> usize {
        self.tests.iter().filter(|test| test.status == status).count()
    }
}

impl From<TestOutcome> for TestReport {
    fn from(outcome: TestOutcome) -> TestReport {
        let mut details = outcome.details;
        let mut take = |name: &str| details.remove(name);
        let (actual, expected) = (take("actual"), take("expected"));
        let operator = take("operator").map(|value| match value {
            Value::String(text) => text,
            other => other.to_string(),
        });
        let location = outcome.line.map(|line| Location { line, column: outcome.column });
        TestReport {
            skipped_by_suite: outcome.skipped,
            error: outcome.error,
            message: outcome.message,
            actual,
            expected,
            operator,
            details: details.into_iter().collect(),
            location,
            steps: outcome.steps,
            blocks: outcome.blocks,
            limits: outcome.limits,
            feedback: outcome.hints.into_iter().map(Feedback::teacher).collect(),
            log: outcome.log,
            ..TestReport::new(outcome.name, outcome.status)
        }
    }
}

impl SuiteOutcome {
    /// Creates the report of the suite on a project, given the name and the digest of the project,
    /// the file name of the suite, and the digest of all inputs.
    pub fn report(self, project: &str, digest: &str, suite: &str, inputs: &str) -> SuiteReport {
        SuiteReport {
            project: project.to_owned(),
            digest: digest.to_owned(),
            suite: suite.to_owned(),
            inputs: inputs.to_owned(),
            groups: Vec::new(),
            tests: self.tests.into_iter().map(TestReport::from).collect(),
            messages: Vec::new(),
            facts: self.facts,
            coverage: self.coverage.map(|(covered, total)| Coverage { covered, total }),
            steps_per_second: 30,
        }
    }
}
