//! Places in the files of a model.

/// A place in a model: line and column count from 1; 0 if the text has no lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// Number of the file among those that were read, 0 for the model itself.
    pub file: u32,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}
