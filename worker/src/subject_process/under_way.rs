//! Which part of a run is under way in the process of a subject, in a file that survives the process.

use std::fmt;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use catherd_experiments::text::truncated;
use catherd_platform::with_mode;

/// Maximum number of bytes of the words for a part.
const MAX_WORDS: usize = 200;

/// The file, which is removed when this is dropped.
pub(super) struct UnderWay(PathBuf);

impl UnderWay {
    /// An empty file that only this user can read and write.
    pub(super) fn new() -> io::Result<UnderWay> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("catherd-{}-{count}-under-way", process::id());
        let path = std::env::temp_dir().join(name);
        if path.to_str().is_none() {
            return Err(io::ErrorKind::InvalidFilename.into());
        }
        let mut options = OpenOptions::new();
        let options = with_mode(options.write(true).create_new(true), 0o600);
        let opened = options.open(&path).or_else(|_| {
            // An earlier process with this id was killed.
            fs::remove_file(&path)?;
            options.open(&path)
        });
        opened.map(|_| UnderWay(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        // Ignore the error: another program may have removed it.
        let _ = fs::remove_file(&self.0);
    }
}

/// A part of a run, as its runner has named it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// By which the runner knows it.
    pub(super) key: String,
    /// What it is.
    words: String,
}

impl Part {
    /// The part that the first line of a file names; `None` if it names none.
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
