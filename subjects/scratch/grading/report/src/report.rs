//! The types of reports.

use serde::Serialize;
use serde_json::Value;

/// The result of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// All checks of the test succeeded.
    Pass,
    /// A check of the test failed.
    Fail,
    /// The test could not be executed to its end.
    Error,
    /// The test was not executed, or one of its assumptions does not hold.
    Skip,
}

impl Status {
    /// All statuses, in the order in which reports count them.
    pub const ALL: [Status; 4] = [Status::Pass, Status::Fail, Status::Error, Status::Skip];

    /// The word used in reports.
    pub fn name(self) -> &'static str {
        match self {
            Status::Pass => "pass",
            Status::Fail => "fail",
            Status::Error => "error",
            Status::Skip => "skip",
        }
    }
}

/// A counted limit that a test reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Limit {
    /// The limit of steps, blocks or operations of a script.
    Time,
    /// The memory limit of a script.
    Memory,
    /// The limit of bytes of output, which does not influence the status.
    Output,
}

impl Limit {
    /// The word used in reports.
    pub fn name(self) -> &'static str {
        match self {
            Limit::Time => "time",
            Limit::Memory => "memory",
            Limit::Output => "output",
        }
    }
}

/// The readers of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Audience {
    /// The author of the project.
    Pupil,
    /// The author of the suite.
    Teacher,
}

/// A message about a test or a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Feedback {
    /// The text.
    pub text: String,
    /// The readers for whom the message is intended.
    pub audience: Audience,
}

impl Feedback {
    /// A message for the author of the project.
    pub fn pupil(text: impl Into<String>) -> Feedback {
        Feedback { text: text.into(), audience: Audience::Pupil }
    }

    /// A message for the author of the suite.
    pub fn teacher(text: impl Into<String>) -> Feedback {
        Feedback { text: text.into(), audience: Audience::Teacher }
    }
}

/// A position in the file of a suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Location {
    /// Line, from 1.
    pub line: u32,
    /// Column in the line, from 1; `None` if it is not known.
    pub column: Option<u32>,
}

/// How a group is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Visibility {
    /// The group is shown with its tests.
    #[default]
    Show,
    /// The group is shown as a summary, unless a test in it fails or ends with an error.
    Summary,
    /// The group is hidden, unless a test in it fails or ends with an error.
    Hide,
}

/// A group of tests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Group {
    /// The name of the group.
    pub name: String,
    /// Position of the parent group, which is always earlier, in [`SuiteReport::groups`]; `None`
    /// for top-level groups.
    pub parent: Option<usize>,
    /// The sprite that the tests of the group check; `None` if they do not check a specific sprite.
    pub sprite: Option<String>,
    /// How the group is shown.
    pub visibility: Visibility,
    /// Words for selecting groups.
    pub tags: Vec<String>,
    /// The message that is shown instead of the tests if all of them pass.
    pub summary: Option<String>,
}

/// A test and its result.
#[derive(Clone, Debug, PartialEq)]
pub struct TestReport {
    /// The name of the test; `None` if the test has no name.
    pub name: Option<String>,
    /// Position of the group of the test in [`SuiteReport::groups`]; `None` if the test is not in a
    /// group.
    pub group: Option<usize>,
    /// How the test ended.
    pub status: Status,
    /// Whether the suite itself marks the test as skipped.
    pub skipped_by_suite: bool,
    /// Name of the error, such as `AssertionError`; empty without an error.
    pub error: String,
    /// Message of the error; empty without an error.
    pub message: String,
    /// The actual value of a comparison; `None` if nothing was compared.
    pub actual: Option<Value>,
    /// The expected value of a comparison; `None` if nothing was compared.
    pub expected: Option<Value>,
    /// The operator of the comparison, such as `==`; `None` if nothing was compared.
    pub operator: Option<String>,
    /// Further values of the error, by name.
    pub details: Vec<(String, Value)>,
    /// The position at which the suite threw the error; `None` if it is unknown.
    pub location: Option<Location>,
    /// Number of steps that the VM executed in the test. The last test of a plan for Itch has the
    /// steps of the whole judgement.
    pub steps: u64,
    /// Number of blocks that the VM executed in the test; for a plan for Itch as in
    /// [`TestReport::steps`].
    pub blocks: u64,
    /// The limits that the test reached, each once.
    pub limits: Vec<Limit>,
    /// Further messages.
    pub feedback: Vec<Feedback>,
    /// The lines that the test logged.
    pub log: Vec<String>,
}

impl TestReport {
    /// Creates a test that has only a name and a status.
    pub fn new(name: Option<String>, status: Status) -> TestReport {
        TestReport {
            name,
            group: None,
            status,
            skipped_by_suite: false,
            error: String::new(),
            message: String::new(),
            actual: None,
            expected: None,
            operator: None,
            details: Vec::new(),
            location: None,
            steps: 0,
            blocks: 0,
            limits: Vec::new(),
            feedback: Vec::new(),
            log: Vec::new(),
        }
    }

    /// The messages for an audience.
    pub fn feedback_for(&self, audience: Audience) -> impl Iterator<Item = &str> {
        self.feedback.iter().filter(move |said| said.audience == audience).map(|said| &*said.text)
    }
}

/// The coverage of a suite on a project, in blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// Number of blocks that at least one test reached.
    pub covered: usize,
    /// Number of blocks that count for coverage.
    pub total: usize,
}

/// Facts about a suite for Whisker, for the table of Whisker. They are not part of the digest of a
/// report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SuiteFacts {
    /// The seed of the tests.
    pub seed: String,
    /// Number of lines of the tests that contain an assertion.
    pub assertions: u32,
    /// The algorithm that generated the suite; `None` if the suite does not name an algorithm.
    pub algorithm: Option<String>,
}

/// A suite that was executed on a project.
#[derive(Clone, Debug, PartialEq)]
pub struct SuiteReport {
    /// The name of the project, as the user gave it.
    pub project: String,
    /// SHA-256 of the project's bytes in hexadecimal digits.
    pub digest: String,
    /// The file name of the suite.
    pub suite: String,
    /// SHA-256 of all inputs of the execution, such as project, suite and options, in hexadecimal
    /// digits.
    pub inputs: String,
    /// The groups, each after its parent group.
    pub groups: Vec<Group>,
    /// The tests, in the order of the suite.
    pub tests: Vec<TestReport>,
    /// Facts about the suite for the table of Whisker.
    pub facts: SuiteFacts,
    /// Messages about the project as a whole.
    pub messages: Vec<Feedback>,
    /// Coverage; `None` if it was not measured.
    pub coverage: Option<Coverage>,
    /// Number of steps of the VM in a second of the program's time: 30, or 60 in plans for Itch.
    pub steps_per_second: u32,
}

/// The report of a project, or the reason why it cannot be used.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "nearly all reports are of executed suites")]
pub enum ProjectReport {
    /// The suite was executed.
    Executed(SuiteReport),
    /// The project cannot be used.
    Unusable {
        /// The name of the project, as the user gave it.
        project: String,
        /// The reason, on one line.
        reason: String,
    },
}

/// The number of tests with each status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Number of tests with [`Status::Pass`].
    pub pass: usize,
    /// Number of tests with [`Status::Fail`].
    pub fail: usize,
    /// Number of tests with [`Status::Error`].
    pub error: usize,
    /// Number of tests with [`Status::Skip`].
    pub skip: usize,
}

impl Tally {
    /// Counts a test.
    pub fn add(&mut self, status: Status) {
        *match status {
            Status::Pass => &mut self.pass,
            Status::Fail => &mut self.fail,
            Status::Error => &mut self.error,
            Status::Skip => &mut self.skip,
        } += 1;
    }

    /// Number of all tests.
    pub fn tests(&self) -> usize {
        self.pass + self.fail + self.error + self.skip
    }
}

impl SuiteReport {
    /// Counts the tests by status.
    pub fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        self.tests.iter().for_each(|test| tally.add(test.status));
        tally
    }

    /// Whether no test failed or ended with an error.
    pub fn passed(&self) -> bool {
        let tally = self.tally();
        tally.fail + tally.error == 0
    }

    /// The sum of the steps of all tests.
    pub fn steps(&self) -> u64 {
        self.tests.iter().map(|test| test.steps).sum()
    }

    /// The limits that tests reached, each once, sorted.
    pub fn limits(&self) -> Vec<Limit> {
        let mut limits: Vec<_> = self.tests.iter().flat_map(|test| test.limits.clone()).collect();
        limits.sort_unstable();
        limits.dedup();
        limits
    }

    /// The names of the groups of a test, the outermost first, and of the test itself. A test
    /// without a name is `test N`, where N is its number from 1.
    pub fn path(&self, number: usize) -> Vec<String> {
        let Some(test) = self.tests.get(number) else { return Vec::new() };
        let name = test.name.clone().unwrap_or_else(|| format!("test {}", number + 1));
        let mut path = vec![name];
        let mut group = test.group;
        // A parent must be an earlier group; the check ends the loop even for a damaged report.
        while let Some((at, found)) = group.and_then(|at| Some((at, self.groups.get(at)?))) {
            path.push(found.name.clone());
            group = found.parent.filter(|parent| *parent < at);
        }
        path.reverse();
        path
    }
}

impl ProjectReport {
    /// The name of the project, as the user gave it.
    pub fn project(&self) -> &str {
        match self {
            ProjectReport::Executed(report) => &report.project,
            ProjectReport::Unusable { project, .. } => project,
        }
    }

    /// Whether the suite was executed and no test failed or ended with an error.
    pub fn passed(&self) -> bool {
        matches!(self, ProjectReport::Executed(report) if report.passed())
    }
}

#[cfg(test)]
pub(crate) mod samples {
    use serde_json::json;

    use super::*;

    /// A report with groups, every status, a limit, and strings that must be escaped.
    pub(crate) fn report() -> SuiteReport {
        let failed = TestReport {
            group: Some(1),
            error: "AssertionError".to_owned(),
            message: "the <cat> & \"dog\" \u{1b}[31m".to_owned(),
            actual: Some(json!("a")),
            expected: Some(json!(2)),
            operator: Some("==".to_owned()),
            location: Some(Location { line: 3, column: Some(7) }),
            steps: 45,
            blocks: 90,
            feedback: vec![Feedback::pupil("Try again"), Feedback::teacher("a hint")],
            log: vec!["]]> a line".to_owned()],
            ..TestReport::new(Some("moves, \"far\"\nok 3".to_owned()), Status::Fail)
        };
        let error = TestReport {
            message: "step limit".to_owned(),
            limits: vec![Limit::Time],
            ..TestReport::new(None, Status::Error)
        };
        let skip = TestReport {
            skipped_by_suite: true,
            ..TestReport::new(Some("later".to_owned()), Status::Skip)
        };
        SuiteReport {
            steps_per_second: 30,
            project: "a.sb3".to_owned(),
            digest: "00ff".to_owned(),
            suite: "tests.js".to_owned(),
            inputs: "ab12".to_owned(),
            groups: vec![
                Group { name: "Cat".to_owned(), visibility: Visibility::Hide, ..Group::default() },
                Group { name: "walks".to_owned(), parent: Some(0), ..Group::default() },
            ],
            tests: vec![
                TestReport::new(Some("starts".to_owned()), Status::Pass),
                failed,
                error,
                skip,
            ],
            facts: SuiteFacts { seed: "7".to_owned(), assertions: 5, algorithm: None },
            messages: vec![Feedback::pupil("well done")],
            coverage: Some(Coverage { covered: 1, total: 3 }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_paths_and_digests_follow_from_the_tests() {
        let report = samples::report();
        let tally = report.tally();
        assert_eq!((tally.pass, tally.fail, tally.error, tally.skip), (1, 1, 1, 1));
        assert_eq!((report.passed(), report.steps()), (false, 45));
        assert_eq!(report.limits(), [Limit::Time]);
        assert_eq!(report.path(1), ["Cat", "walks", "moves, \"far\"\nok 3"]);
        assert_eq!(report.path(2), ["test 3"]);
        let digest = report.result_digest();
        let (project, inputs) = ("b/a.sb3".to_owned(), "other options".to_owned());
        let moved = SuiteReport { project, inputs, ..report.clone() };
        assert_eq!(moved.result_digest(), digest);
        let mut other = report.clone();
        other.tests[1].steps += 1;
        assert_ne!(other.result_digest(), digest);
        let mut endless = report;
        endless.groups[0].parent = Some(1);
        assert_eq!(endless.path(1).len(), 3);
    }
}
