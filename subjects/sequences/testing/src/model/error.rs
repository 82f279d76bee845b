//! Errors in models, with their positions.

use std::fmt;

use crate::span::Span;

/// The reason why a model cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ModelError {
    /// The file; empty if it is unknown, or if the cause names it.
    pub file: String,
    /// The position of the error; line 0 if it is unknown.
    pub span: Span,
    /// What is wrong, in one line.
    pub cause: String,
    /// Advice, usually on what to write instead; may be empty.
    pub hint: String,
}

impl ModelError {
    pub(crate) fn new(span: Span, cause: impl Into<String>) -> ModelError {
        ModelError { file: String::new(), span, cause: cause.into(), hint: String::new() }
    }

    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> ModelError {
        self.hint = hint.into();
        self
    }
}

/// Writes the parts of the position that are known, and the cause, as in `file:line:column: cause`.
impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.file.is_empty() {
            write!(f, "{}:", self.file)?;
        }
        let Span { line, column, .. } = self.span;
        match line {
            0 if self.file.is_empty() => {}
            0 => f.write_str(" ")?,
            _ if self.file.is_empty() => write!(f, "line {line}, column {column}: ")?,
            _ => write!(f, "{line}:{column}: ")?,
        }
        f.write_str(&self.cause)
    }
}

/// The known name that is most similar to a mistyped name.
pub(crate) fn closest<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let limit = 1 + name.chars().count() / 4;
    let near = known.into_iter().map(|other| (distance(name, other), other));
    near.filter(|(distance, _)| *distance <= limit).min().map(|(_, other)| other)
}

/// The minimum number of insertions, deletions and substitutions that change one word into the
/// other, without regard to case.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.to_lowercase().chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_name_has_its_neighbour() {
        assert_eq!(closest("requst", ["wait", "request"]), Some("request"));
        assert_eq!(closest("sack", ["sAck", "send"]), Some("sAck"));
        assert_eq!(closest("x", ["request"]), None);
    }

    #[test]
    fn an_error_names_file_line_and_column() {
        let span = Span { file: 0, line: 3, column: 7 };
        let mut error = ModelError::new(span, "unknown event `a`");
        assert_eq!(error.to_string(), "line 3, column 7: unknown event `a`");
        error.file = "m.bp".into();
        assert_eq!(error.to_string(), "m.bp:3:7: unknown event `a`");
    }
}
