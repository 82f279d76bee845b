//! Exit codes.

use std::fmt::Write as _;
use std::process::ExitCode;

/// The result of a command that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Everything was done.
    Success,
    /// Done, but the result is incomplete.
    Incomplete,
    /// Stopped early, for example by a signal.
    Stopped,
    /// A check failed.
    CheckFailed,
    /// A worker stopped because a disk is full.
    DiskFull,
}

impl Exit {
    /// The exit code of a command that failed.
    pub const FATAL: ExitCode = ExitCode::FAILURE;

    fn code(self) -> u8 {
        match self {
            Exit::Success => 0,
            Exit::Incomplete => 2,
            Exit::Stopped => 3,
            Exit::CheckFailed => 4,
            Exit::DiskFull => 5,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}

/// Returns the section of a command's help that lists the exit codes 0, 1 and `further` with their
/// meanings.
pub fn exit_codes(further: &[(Exit, &str)]) -> String {
    let mut text =
        "Exit codes:\n  0  success\n  1  the command failed; standard error says why".to_owned();
    for (exit, meaning) in further {
        // Writing to a string does not fail.
        let _ = write!(text, "\n  {}  {meaning}", exit.code());
    }
    text
}
