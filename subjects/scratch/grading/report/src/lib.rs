//! Reports of test suites that were executed on projects: types for the suites of all frameworks,
//! and the formats in which reports are written.
//!
//! The execution of a suite on a project is a [`SuiteReport`]: groups, tests with their [`Status`],
//! and messages for pupils and teachers. Each framework converts its results to a report as
//! follows.
//!
//! | report | Whisker | Itch |
//! | --- | --- | --- |
//! | [`Status::Pass`] | `pass` | `correct` |
//! | [`Status::Fail`] | `fail` | `wrong` |
//! | [`Status::Error`] | `error` | `testplan error`, `internal error` |
//! | [`Status::Error`] with a [`Limit`] | a limit was reached | `time limit exceeded` |
//! | [`Status::Skip`] | `skip` | - (tests that were not reached are not part of the report) |
//! | [`Group`] | - | `start-group`, in order; `parent` for nested groups |
//! | [`TestReport::feedback`] | hints | feedback of `close-test`, `append-message` |
//! | [`TestReport::expected`], [`TestReport::actual`] | of the assertion | `append-diff` |
//! | [`SuiteReport::messages`] | - | `append-message` outside tests |
//!
//! The output depends only on the report; for example, it does not contain the time of day.

mod dodona;
mod json;
mod junit;
mod report;
mod surrogates;
mod table;
mod tap;
mod whisker_table;

pub use dodona::dodona;
pub use json::{ndjson, ndjson_end};
pub use junit::{JUNIT_END, JUNIT_START, junit};
pub use report::{
    Audience, Coverage, Feedback, Group, Limit, Location, ProjectReport, Status, SuiteFacts,
    SuiteReport, Tally, TestReport, Visibility,
};
pub use surrogates::without_lone_surrogates;
pub use table::{Table, TableError};
pub use tap::{Skips, tap};
pub use whisker_table::WhiskerTable;
