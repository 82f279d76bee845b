//! The projects that a kind has found for a study.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use catherd_experiments::Digest;

/// Receives the progress of a long operation.
pub trait Progress {
    /// Reports that `done` of `total` parts are done.
    fn report(&self, done: u64, total: u64);
}

impl Progress for () {
    fn report(&self, _: u64, _: u64) {}
}

/// The result of a search for projects.
#[derive(Debug, Default)]
pub struct FoundProjects {
    /// The projects that can be run.
    pub projects: Vec<FoundProject>,
    /// The projects that cannot be run.
    pub skipped: Vec<SkippedProject>,
    /// Defects of projects that can still be run, with the names of the files.
    pub warnings: Vec<String>,
}

/// A project that can be run. Its bytes are read again on demand, because a corpus may be larger
/// than the memory.
pub struct FoundProject {
    /// The name in tables.
    pub name: String,
    /// The path of the project, for messages.
    pub path: PathBuf,
    /// The digest of the bytes that workers receive.
    pub digest: Digest,
    /// Measures of the project that tools of the study have reported, by name.
    pub measures: BTreeMap<String, f64>,
    read: Box<ReadBytes>,
}

type ReadBytes = dyn Fn() -> Result<Vec<u8>, String> + Send + Sync;

/// Why the bytes of a found project cannot be used again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The bytes cannot be read for this reason.
    #[error("{0}")]
    Unreadable(String),
    /// The bytes have changed since the project was found.
    #[error("{}: changed since the search for projects", .0.display())]
    Changed(PathBuf),
}

impl FoundProject {
    /// A project whose bytes `read` reads. An error of `read` should name the file.
    pub fn new(
        name: String,
        path: PathBuf,
        digest: Digest,
        read: impl Fn() -> Result<Vec<u8>, String> + Send + Sync + 'static,
    ) -> FoundProject {
        FoundProject { name, path, digest, measures: BTreeMap::new(), read: Box::new(read) }
    }

    /// Returns the project with a different name.
    #[must_use]
    pub fn renamed(self, name: String) -> FoundProject {
        FoundProject { name, ..self }
    }

    /// Reads the bytes that workers receive.
    ///
    /// # Errors
    ///
    /// If the bytes cannot be read, or have changed since the project was found.
    pub fn bytes(&self) -> Result<Vec<u8>, ReadError> {
        let bytes = (self.read)().map_err(ReadError::Unreadable)?;
        if Digest::of(&bytes) == self.digest {
            Ok(bytes)
        } else {
            Err(ReadError::Changed(self.path.clone()))
        }
    }
}

impl fmt::Debug for FoundProject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FoundProject { name, path, digest, .. } = self;
        f.debug_struct("FoundProject")
            .field("name", name)
            .field("path", path)
            .field("digest", digest)
            .finish_non_exhaustive()
    }
}

/// A project that cannot be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedProject {
    /// The file or folder.
    pub path: PathBuf,
    /// The reason, without the path.
    pub reason: String,
}

/// Why a search for projects failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{cause}")]
pub struct FindError {
    /// What is wrong, in one line.
    pub cause: String,
    /// How to correct the error.
    pub advice: String,
}

impl From<ReadError> for FindError {
    fn from(error: ReadError) -> FindError {
        FindError {
            cause: error.to_string(),
            advice: "run the command again while the file can be read and does not change"
                .to_owned(),
        }
    }
}

/// A table of measures. The first two columns are `project` and `sha256`, by which reports find the
/// runs of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectTable {
    /// The names of the columns.
    pub columns: Vec<&'static str>,
    /// The cells of each row. An empty string is a missing value.
    pub rows: Vec<Vec<String>>,
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn a_project_that_has_changed_is_not_passed_on() {
        static CONTENT: Mutex<Result<&str, &str>> = Mutex::new(Ok("one"));
        let read = || {
            let content = *CONTENT.lock().unwrap();
            content.map(|text| text.as_bytes().to_vec()).map_err(str::to_owned)
        };
        let project = FoundProject::new("a".into(), "a.txt".into(), Digest::of(b"one"), read);
        assert_eq!(project.bytes().unwrap(), b"one");
        *CONTENT.lock().unwrap() = Ok("two");
        assert_eq!(project.bytes(), Err(ReadError::Changed("a.txt".into())));
        *CONTENT.lock().unwrap() = Err("a.txt: gone");
        assert_eq!(project.bytes().unwrap_err().to_string(), "a.txt: gone");
    }
}
