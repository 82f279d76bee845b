//! Pictures of executions of suites.

/// A picture of an execution of a suite, such as an animation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// The content of the file, in a format that browsers show.
    pub bytes: Vec<u8>,
    /// The extension of the file, without its dot.
    pub extension: &'static str,
    /// What the picture shows, as a sentence without its full stop.
    pub caption: String,
}

/// Why a suite cannot be drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PictureError(pub String);
