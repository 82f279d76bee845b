//! The error of a command.

use std::fmt;

use catherd_experiments::text::printable;

/// The error of a command: one line with what failed and the cause, and a hint that says what to
/// do.
#[derive(Debug)]
pub struct Failure {
    line: String,
    hint: Option<String>,
}

impl Failure {
    /// A failure with a line that says what failed and the cause.
    pub fn new(line: impl fmt::Display) -> Failure {
        Failure { line: line.to_string(), hint: None }
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
        match &self.hint {
            Some(hint) => write!(f, "\n hint: {hint}"),
            None => Ok(()),
        }
    }
}
