//! Errors in reading a project.

use std::fmt;

/// Error in reading a project.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {cause}")]
pub struct ReadError {
    /// The file or folder, as given by the caller.
    pub file: String,
    /// Cause of the error.
    pub cause: Cause,
}

/// The reason why a project cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Cause {
    /// A file cannot be read.
    #[error("cannot be read: {0}")]
    Io(std::io::Error),
    /// The zip library reports an error.
    #[error("cannot be read as a zip archive: {0}")]
    Archive(zip::result::ZipError),
    /// The file is not a complete zip archive.
    #[error("is not an intact zip archive: {0}")]
    NoArchive(&'static str),
    /// The archive or folder has no `project.json`.
    #[error("contains no project.json")]
    NoProjectJson,
    /// `project.json` is not valid JSON.
    #[error("project.json is not valid JSON: {0}")]
    Json(serde_json::Error),
    /// The version of the project is not supported.
    #[error("unsupported project version: {0}")]
    Version(String),
    /// `project.json` is valid JSON, but not a valid project.
    #[error("{location}: {fault}")]
    Malformed {
        /// Location of the defect.
        location: ProjectLocation,
        /// Description of the defect.
        fault: String,
    },
    /// A block contains or follows itself.
    #[error("{0}: this block is part of a cycle")]
    Cycle(ProjectLocation),
    /// The project exceeds one of the [`Limits`](crate::Limits).
    #[error("too large: more than {most} {unit}")]
    Limit {
        /// Unit of the limit.
        unit: &'static str,
        /// The limit.
        most: u64,
    },
}

impl From<std::io::Error> for Cause {
    fn from(cause: std::io::Error) -> Cause {
        Cause::Io(cause)
    }
}

impl From<zip::result::ZipError> for Cause {
    fn from(cause: zip::result::ZipError) -> Cause {
        Cause::Archive(cause)
    }
}

impl From<serde_json::Error> for Cause {
    fn from(cause: serde_json::Error) -> Cause {
        Cause::Json(cause)
    }
}

/// Location in a project: the whole project, a target, or a block of a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProjectLocation {
    /// The whole project.
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

impl fmt::Display for ProjectLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProjectLocation::Project => f.write_str("project.json"),
            ProjectLocation::Target(target) => write!(f, "target {target:?}"),
            ProjectLocation::Block { target, block } => {
                write!(f, "target {target:?}, block {block:?}")
            }
        }
    }
}

impl ProjectLocation {
    pub(crate) fn fault(&self, fault: impl Into<String>) -> Cause {
        Cause::Malformed { location: self.clone(), fault: fault.into() }
    }
}

impl Cause {
    pub(crate) fn limit(unit: &'static str, most: impl TryInto<u64>) -> Cause {
        Cause::Limit { unit, most: most.try_into().unwrap_or(u64::MAX) }
    }

    pub(crate) fn in_file(self, file: &str) -> ReadError {
        ReadError { file: file.to_owned(), cause: self }
    }
}
