//! The error of a command.

use std::backtrace::Backtrace;
use std::fmt;
use std::panic::Location;

use catherd_experiments::text::{printable, printable_lines};

/// Environment variable that makes errors show their causes and a backtrace, unless the variable is
/// empty or 0.
const BACKTRACE: &str = "CATHERD_BACKTRACE";

/// The error of a command: one line that states what failed and why, and an optional hint about
/// what to do.
#[derive(Debug)]
pub struct Failure {
    line: String,
    hint: Option<String>,
    /// The causes of the error, the place in the program and a backtrace, for bug reports.
    trace: Option<String>,
}

impl Failure {
    /// Creates a failure from an error, or from a line that states what failed and why.
    #[track_caller]
    pub fn new(error: impl fmt::Display + fmt::Debug) -> Failure {
        let wanted =
            std::env::var_os(BACKTRACE).is_some_and(|value| !value.is_empty() && value != "0");
        let place = Location::caller();
        let trace = wanted
            .then(|| format!("causes: {error:#?}\nat {place}\n{}", Backtrace::force_capture()));
        Failure { line: error.to_string(), hint: None, trace }
    }

    /// Returns the line that states what failed and why.
    pub fn cause(&self) -> &str {
        &self.line
    }

    /// Puts the place of the error, such as a file and a line number, before the message.
    #[must_use]
    pub fn at(self, place: impl fmt::Display) -> Failure {
        Failure { line: format!("{place}{}", self.line), ..self }
    }

    /// Sets the hint about what to do.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Failure {
        Failure { hint: Some(hint.into()), ..self }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Names of files may contain control characters and line breaks.
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
