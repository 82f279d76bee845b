//! The error of a command.

use std::backtrace::Backtrace;
use std::fmt;
use std::panic::Location;

use catherd_experiments::text::{printable, printable_lines};

/// Environment variable that makes errors show their causes and a backtrace, unless it is empty or
/// 0.
const BACKTRACE: &str = "CATHERD_BACKTRACE";

/// The error of a command: one line that states what failed and why, and a hint about what to do.
#[derive(Debug)]
pub struct Failure {
    line: String,
    hint: Option<String>,
    /// The error with its causes, and the place in the program where it occurred, for bug reports.
    trace: Option<String>,
}

impl Failure {
    /// A failure from an error, or from a line that states what failed and why.
    #[track_caller]
    pub fn new(error: impl fmt::Display + fmt::Debug) -> Failure {
        let wanted =
            std::env::var_os(BACKTRACE).is_some_and(|value| !value.is_empty() && value != "0");
        let place = Location::caller();
        let trace = wanted
            .then(|| format!("causes: {error:#?}\nat {place}\n{}", Backtrace::force_capture()));
        Failure { line: error.to_string(), hint: None, trace }
    }

    /// What failed and the cause, without the hint.
    pub fn cause(&self) -> &str {
        &self.line
    }

    /// Adds the place of the error, such as a file and line, at the beginning of the line.
    #[must_use]
    pub fn at(self, place: impl fmt::Display) -> Failure {
        Failure { line: format!("{place}{}", self.line), ..self }
    }

    /// Sets what to do about the error.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Failure {
        Failure { hint: Some(hint.into()), ..self }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Escape control characters and line breaks, which names of files may contain.
        write!(f, "error: {}", printable(&self.line.replace(['\n', '\t'], " ")))?;
        if let Some(hint) = &self.hint {
            write!(f, "\n hint: {hint}")?;
        }
        match &self.trace {
            Some(trace) => write!(f, "\n{}", printable_lines(trace)),
            None => Ok(()),
        }
    }
}
