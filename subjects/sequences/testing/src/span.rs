//! Positions in the files of a model.

/// A position in a model. Line and column count from 1; they are 0 if the position is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// Index of the file in the order of reading; 0 is the model itself.
    pub file: u32,
    /// The line.
    pub line: u32,
    /// The column in characters.
    pub column: u32,
}
