//! The genes of a test.

use catherd_javascript_machine::Statement;

/// The genes of a test: its statements.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Genes {
    /// The statements. A statement's index is also the number of the variable with its result.
    pub statements: Vec<Statement>,
    /// The target that each calls.
    pub targets: Vec<usize>,
    /// Whether the last statement ended the test when it was executed, so that no statement after it
    /// would be executed.
    pub ends: bool,
    /// Whether it was made by a change of only a text of an earlier test; false once it was executed.
    pub varied: bool,
}

impl Genes {
    /// The number of statements after which others can be executed.
    pub fn usable(&self) -> usize {
        self.statements.len() - usize::from(self.ends && !self.statements.is_empty())
    }
}
