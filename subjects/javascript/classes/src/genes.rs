//! The genes of a test.

use catherd_javascript_machine::Statement;

/// The genes of a test.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Genes {
    /// The statements. A statement's index is also the number of the variable with its result.
    pub statements: Vec<Statement>,
    /// The target that each statement calls.
    pub targets: Vec<usize>,
    /// Whether the last statement ended the test when it was executed, so that no statement after
    /// it would be executed.
    pub ends: bool,
    /// Whether the test differs from an earlier test only in a string, and has not been executed.
    pub varied: bool,
}

impl Genes {
    /// The number of statements after which others can be executed.
    pub fn usable(&self) -> usize {
        self.statements.len() - usize::from(self.ends && !self.statements.is_empty())
    }
}
