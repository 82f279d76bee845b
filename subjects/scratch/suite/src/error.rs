//! Errors of suites.

use catherd_scratch_vm::Compat;

/// The project has no sprite with this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the project has no sprite `{0}`")]
pub struct UnknownSprite(pub String);

/// Error in reading a suite, or in using it with a project.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// The text is not a suite.
    #[error("not a test suite: {0}")]
    Json(serde_json::Error),
    /// The version of the format is unknown.
    #[error("the suite has format {found}, but this release reads formats 1 to {newest}")]
    Format {
        /// The version found.
        found: u32,
        /// The newest supported version.
        newest: u32,
    },
    /// A setting of the VM is so large that steps might not end.
    #[error("the suite's machine: setting `{setting}` is {found}; the maximum is {most}")]
    Machine {
        /// The setting.
        setting: &'static str,
        /// The value of the setting.
        found: u64,
        /// The maximum.
        most: u64,
    },
    /// The suite is not for the version of Scratch for which the program was compiled.
    #[error("the suite is for the machine `{suite}`, but the program was compiled for `{program}`")]
    Compat {
        /// The version of Scratch of the suite.
        suite: Compat,
        /// The version of Scratch of the program.
        program: Compat,
    },
    /// The suite is for a different project.
    #[error("the suite was made for project {suite}, but this is project {project}")]
    Project {
        /// Digest according to the suite.
        suite: String,
        /// Digest of the project.
        project: String,
    },
    /// The number of goals differs: the suite is for a different project or a different set of
    /// goals.
    #[error("the suite's number of goals is {suite}, but the project's is {project}")]
    Goals {
        /// Number of goals according to the suite.
        suite: u32,
        /// Number of goals of the project.
        project: u32,
    },
    /// The project does not have a sprite that a test names.
    #[error("test {test}: the project has no sprite `{sprite}`")]
    Sprite {
        /// Position of the test, from 0.
        test: usize,
        /// Name of the sprite.
        sprite: String,
    },
    /// A policy cannot be executed on the project.
    #[error("test {test}: {cause}")]
    Policy {
        /// Position of the test, from 0.
        test: usize,
        /// The cause.
        cause: String,
    },
    /// A test has more steps than allowed.
    #[error("test {test} has {steps} steps; the maximum is {most}")]
    Steps {
        /// Position of the test, from 0.
        test: usize,
        /// Number of steps of the test.
        steps: u64,
        /// The maximum.
        most: u64,
    },
    /// An assertion cannot be checked.
    #[error("test {test}: {cause}")]
    Assertion {
        /// Position of the test, from 0.
        test: usize,
        /// The cause.
        cause: String,
    },
}

impl From<serde_json::Error> for SuiteError {
    fn from(cause: serde_json::Error) -> SuiteError {
        SuiteError::Json(cause)
    }
}
