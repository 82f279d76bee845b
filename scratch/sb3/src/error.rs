//! Why a project cannot be read.

use std::fmt;

/// A project that cannot be read: which file, and why, in one line.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {cause}")]
pub struct ReadError {
    /// The file or folder as the caller named it.
    pub file: String,
    /// What is wrong with it.
    pub cause: Cause,
}

/// What is wrong with a project.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Cause {
    /// The file system refuses.
    #[error("cannot be read: {0}")]
    Io(#[from] std::io::Error),
    /// Not a zip archive, or a damaged one.
    #[error("is not an intact zip archive: {0}")]
    Archive(#[from] zip::result::ZipError),
    /// An archive or a folder, but not of a project.
    #[error("holds no project.json")]
    NoProjectJson,
    /// A `project.json` that is not JSON; the error names line and column.
    #[error("project.json is not valid JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// Neither Scratch 2 nor Scratch 3.
    #[error("unsupported project version: {0}")]
    Version(String),
    /// JSON, but not shaped as a project must be.
    #[error("{place}: {fault}")]
    Malformed {
        /// Where.
        place: Place,
        /// What, in words.
        fault: String,
    },
    /// A block that contains itself or follows itself.
    #[error("{0}: this block is part of a cycle")]
    Cycle(Place),
    /// Beyond one of the [`Limits`](crate::Limits).
    #[error("too large: more than {most} {unit}")]
    Limit {
        /// What is counted.
        unit: &'static str,
        /// The limit.
        most: u64,
    },
}

/// A place in a project: the whole, a target, or a block of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// No place in particular.
    Project,
    /// A target, by name.
    Target(String),
    /// A block of a target.
    Block {
        /// Name of the target.
        target: String,
        /// Id of the block.
        block: String,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Project => f.write_str("project.json"),
            Place::Target(target) => write!(f, "target {target:?}"),
            Place::Block { target, block } => write!(f, "target {target:?}, block {block:?}"),
        }
    }
}

impl Place {
    pub(crate) fn fault(&self, fault: impl Into<String>) -> Cause {
        Cause::Malformed { place: self.clone(), fault: fault.into() }
    }
}

impl Cause {
    pub(crate) fn limit(unit: &'static str, most: impl TryInto<u64>) -> Cause {
        Cause::Limit { unit, most: most.try_into().unwrap_or(u64::MAX) }
    }

    pub(crate) fn of(self, file: &str) -> ReadError {
        ReadError { file: file.to_owned(), cause: self }
    }
}
