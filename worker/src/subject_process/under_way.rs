//! A file that survives the process of a subject, in which the process records which part of a run
//! it executes.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use catherd_experiments::text::truncated;
use tempfile::TempDir;

/// Maximum length of the description of a part, in bytes.
const MAX_WORDS: usize = 200;

pub(super) struct UnderWay {
    path: PathBuf,
    /// A temporary folder is removed when the value is dropped.
    _folder: Option<TempDir>,
}

impl UnderWay {
    /// A file in the folder of another file, or in a temporary folder that only this user can read.
    pub(super) fn next_to(file: Option<&Path>) -> io::Result<UnderWay> {
        let (path, folder) = match file {
            Some(file) => (file.with_file_name("subject-under-way"), None),
            None => {
                let folder = tempfile::Builder::new().prefix("catherd-").tempdir()?;
                (folder.path().join("under-way"), Some(folder))
            }
        };
        if path.to_str().is_none() {
            return Err(io::ErrorKind::InvalidFilename.into());
        }
        Ok(UnderWay { path, _folder: folder })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) key: String,
    words: String,
}

impl Part {
    /// The first line of the file names the part.
    pub(super) fn read(path: &Path) -> Option<Part> {
        let bytes = fs::read(path).ok()?;
        let line = bytes.split(|byte| *byte == b'\n').next()?;
        let line = String::from_utf8_lossy(line);
        let (key, words) = line.split_once(' ')?;
        let words = truncated(words, MAX_WORDS).into_owned();
        Some(Part { key: key.to_owned(), words })
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}
