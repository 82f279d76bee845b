//! Pictures of executions of suites.

/// A picture of the execution of a suite on its project, such as an animation of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// The content of the file, in a format that browsers show.
    pub bytes: Vec<u8>,
    /// The extension of the file, without its dot.
    pub extension: &'static str,
    /// What the picture shows, as a sentence without its full stop.
    pub caption: String,
}

/// Why a suite cannot be drawn, in one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PictureError(pub String);
