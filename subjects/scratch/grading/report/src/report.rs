//! The types of reports.

use serde::Serialize;
use serde_json::Value;

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Everything that it checks holds.
    Pass,
    /// Something that it checks does not hold.
    Fail,
    /// It could not be executed to its end.
    Error,
    /// It was not executed, or what it assumes does not hold.
    Skip,
}

impl Status {
    /// All statuses, in the order in which reports count them.
    pub const ALL: [Status; 4] = [Status::Pass, Status::Fail, Status::Error, Status::Skip];

    /// The word in reports.
    pub fn name(self) -> &'static str {
        match self {
            Status::Pass => "pass",
            Status::Fail => "fail",
            Status::Error => "error",
            Status::Skip => "skip",
        }
    }
}

/// A counted limit that a test met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Limit {
    /// Steps, blocks or operations of a script.
    Time,
    /// Memory of a script.
    Memory,
    /// Bytes of text. It cuts the text and does not decide the status.
    Output,
}

impl Limit {
    /// The word in reports.
    pub fn name(self) -> &'static str {
        match self {
            Limit::Time => "time",
            Limit::Memory => "memory",
            Limit::Output => "output",
        }
    }
}

/// For whom a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Audience {
    /// Who wrote the project.
    Pupil,
    /// Who wrote the suite.
    Teacher,
}

/// A text about a test or a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Feedback {
    /// The text.
    pub text: String,
    /// For whom it is.
    pub audience: Audience,
}

impl Feedback {
    /// A text for who wrote the project.
    pub fn pupil(text: impl Into<String>) -> Feedback {
        Feedback { text: text.into(), audience: Audience::Pupil }
    }

    /// A text for who wrote the suite.
    pub fn teacher(text: impl Into<String>) -> Feedback {
        Feedback { text: text.into(), audience: Audience::Teacher }
    }
}

/// A place in the file of a suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Location {
    /// Line, from 1.
    pub line: u32,
    /// Column in that line, from 1; `None` if it is not known.
    pub column: Option<u32>,
}

/// How a group is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Visibility {
    /// With its tests.
    #[default]
    Show,
    /// As its summary, unless a test in it does not pass.
    Summary,
    /// Not at all, unless a test in it does not pass.
    Hide,
}

/// A group of tests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// Position of the group that contains it in [`SuiteReport::groups`], always an earlier one;
    /// `None` for groups of the suite itself.
    pub parent: Option<usize>,
    /// The sprite of which its tests are; `None` if they are of no certain one.
    pub sprite: Option<String>,
    /// How it is shown.
    pub visibility: Visibility,
    /// Words to choose groups by.
    pub tags: Vec<String>,
    /// What is said in place of its tests if all of them pass; `None` if there is no such text.
    pub summary: Option<String>,
}

/// A test and how it ended.
#[derive(Clone, Debug, PartialEq)]
pub struct TestReport {
    /// Its name; `None` if it has none.
    pub name: Option<String>,
    /// Position of its group in [`SuiteReport::groups`]; `None` if it is in none.
    pub group: Option<usize>,
    /// How it ended.
    pub status: Status,
    /// Whether the suite itself says that it is not executed.
    pub skipped_by_suite: bool,
    /// Name of the error, such as `AssertionError`; empty without one.
    pub error: String,
    /// Message of the error; empty without one.
    pub message: String,
    /// What was found; `None` if nothing was compared.
    pub actual: Option<Value>,
    /// What should have been found; `None` if nothing was compared.
    pub expected: Option<Value>,
    /// How both were compared, such as `==`; `None` if nothing was compared.
    pub operator: Option<String>,
    /// Further values of the error, by name.
    pub details: Vec<(String, Value)>,
    /// Where the suite threw the error; `None` if it is not known.
    pub location: Option<Location>,
    /// Steps that the machine executed in the test.
    pub steps: u64,
    /// Blocks that the machine executed in the test.
    pub blocks: u64,
    /// The limits that it met, each once.
    pub limits: Vec<Limit>,
    /// What is said about it beside the message, in order: feedback to pupils, hints to teachers.
    pub feedback: Vec<Feedback>,
    /// Lines that it logged.
    pub log: Vec<String>,
}

impl TestReport {
    /// A test with a status, and nothing else said of it.
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

    /// The texts for an audience.
    pub fn feedback_for(&self, audience: Audience) -> impl Iterator<Item = &str> {
        self.feedback.iter().filter(move |said| said.audience == audience).map(|said| &*said.text)
    }
}

/// Blocks that the tests of a suite reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// Blocks that some test reached.
    pub covered: usize,
    /// Blocks that can be reached.
    pub total: usize,
}

/// What a suite for Whisker says of itself, for Whisker's own table. It is not part of what a report
/// says of the project, nor of its digest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SuiteFacts {
    /// The seed of the tests.
    pub seed: String,
    /// Lines of the tests that contain an assertion.
    pub assertions: u32,
    /// What generated the suite; `None` if nothing did.
    pub algorithm: Option<String>,
}

/// A suite that was executed on a project.
#[derive(Clone, Debug, PartialEq)]
pub struct SuiteReport {
    /// The project as the user named it.
    pub project: String,
    /// SHA-256 of the project's bytes in hexadecimal digits.
    pub digest: String,
    /// The file name of the suite.
    pub suite: String,
    /// SHA-256 of all inputs of the execution in hexadecimal digits: project, suite and options.
    /// Executions with equal inputs end alike.
    pub inputs: String,
    /// The groups, each after the one that contains it.
    pub groups: Vec<Group>,
    /// The tests in the order of the suite, without those that were not chosen.
    pub tests: Vec<TestReport>,
    /// What the suite says of itself.
    pub facts: SuiteFacts,
    /// What is said about the project as a whole.
    pub messages: Vec<Feedback>,
    /// Coverage; `None` if it was not measured.
    pub coverage: Option<Coverage>,
}

/// A project on which a suite was executed, or why it could not be.
#[derive(Clone, Debug, PartialEq)]
pub enum ProjectReport {
    /// The suite was executed.
    Executed(SuiteReport),
    /// The project cannot be used.
    Unusable {
        /// The project as the user named it.
        project: String,
        /// Why, in one line.
        reason: String,
    },
}

/// Numbers of tests by status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Tests of [`Status::Pass`].
    pub pass: usize,
    /// Tests of [`Status::Fail`].
    pub fail: usize,
    /// Tests of [`Status::Error`].
    pub error: usize,
    /// Tests of [`Status::Skip`].
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
    /// The numbers of tests by status.
    pub fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        self.tests.iter().for_each(|test| tally.add(test.status));
        tally
    }

    /// Whether no test failed or ended with an error.
    pub fn is_fine(&self) -> bool {
        let tally = self.tally();
        tally.fail + tally.error == 0
    }

    /// Steps of all tests.
    pub fn steps(&self) -> u64 {
        self.tests.iter().map(|test| test.steps).sum()
    }

    /// The limits that tests met, each once, sorted.
    pub fn limits(&self) -> Vec<Limit> {
        let mut limits: Vec<_> = self.tests.iter().flat_map(|test| test.limits.clone()).collect();
        limits.sort_unstable();
        limits.dedup();
        limits
    }

    /// The names of the groups of a test and of the test, from the outside to the inside; a test
    /// without a name is `test N`, where N is its number from 1.
    pub fn path(&self, number: usize) -> Vec<String> {
        let Some(test) = self.tests.get(number) else { return Vec::new() };
        let name = test.name.clone().unwrap_or_else(|| format!("test {}", number + 1));
        let mut path = vec![name];
        let mut group = test.group;
        // A parent is an earlier group, so that this ends also for a damaged report.
        while let Some((at, found)) = group.and_then(|at| Some((at, self.groups.get(at)?))) {
            path.push(found.name.clone());
            group = found.parent.filter(|parent| *parent < at);
        }
        path.reverse();
        path
    }
}

impl ProjectReport {
    /// The project as the user named it.
    pub fn project(&self) -> &str {
        match self {
            ProjectReport::Executed(report) => &report.project,
            ProjectReport::Unusable { project, .. } => project,
        }
    }

    /// Whether the suite was executed and no test failed or ended with an error.
    pub fn is_fine(&self) -> bool {
        matches!(self, ProjectReport::Executed(report) if report.is_fine())
    }
}

#[cfg(test)]
pub(crate) mod samples {
    use serde_json::json;

    use super::*;

    /// A report with groups, each status, a limit, and texts that formats have to escape.
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
        assert_eq!((report.is_fine(), report.steps()), (false, 45));
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
