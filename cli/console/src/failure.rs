//! The error of a command.

use std::backtrace::Backtrace;
use std::fmt;
use std::panic::Location;

use catherd_experiments::text::{printable, printable_lines};

/// Environment variable with which errors show their causes as the program has them.
const BACKTRACE: &str = "CATHERD_BACKTRACE";

/// The error of a command: one line with what failed and the cause, and a hint that says what to
/// do.
#[derive(Debug)]
pub struct Failure {
    line: String,
    hint: Option<String>,
    /// For bug reports: the error with its causes, and where the program met it.
    trace: Option<String>,
}

impl Failure {
    /// A failure with an error, or a line that says what failed and the cause.
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

    /// Puts the place of the error, such as a file and line, before the line.
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
        // The names of files may contain control characters, line breaks included.
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
