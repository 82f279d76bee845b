//! The description of a package: its files and its study.

use catherd_experiments::Digest;
use serde::{Deserialize, Serialize};

/// A file of a package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileEntry {
    /// Path in the package, with `/` between folders.
    pub name: String,
    /// Size in bytes.
    pub bytes: u64,
    /// SHA-256 of the bytes.
    pub sha256: Digest,
}

/// Counts of runs by state. `planned` is the sum of the other counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunCounts {
    /// Runs of the plan.
    pub planned: u64,
    /// Runs with a record of a complete execution.
    pub done: u64,
    /// Runs with a record of a failure.
    pub failed: u64,
    /// Runs that are not attempted again after failed attempts.
    pub quarantined: u64,
    /// Runs that a race or a stopping rule made unnecessary.
    pub dropped: u64,
    /// Runs that have not ended.
    pub pending: u64,
}

impl RunCounts {
    /// Number of runs with a record.
    pub fn records(&self) -> u64 {
        self.done.saturating_add(self.failed)
    }

    /// Number of runs that have ended: runs with a record and quarantined runs.
    pub fn ended(&self) -> u64 {
        self.records().saturating_add(self.quarantined)
    }

    /// Whether some runs have not ended.
    pub fn is_interim(&self) -> bool {
        self.pending > 0
    }

    pub(crate) fn adds_up(&self) -> bool {
        let others = [self.done, self.failed, self.quarantined, self.dropped, self.pending];
        let sum = others.into_iter().try_fold(0_u64, u64::checked_add);
        sum == Some(self.planned)
    }
}

/// The description of a package: the JSON of [`Contents::FILE`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contents {
    /// Version of the format of packages (see [`Contents::FORMAT`]).
    pub format: u32,
    /// Version of catherd that wrote the package.
    pub catherd: String,
    /// Name of the study.
    pub study: String,
    /// Name of the subject kind.
    pub subject: String,
    /// Engine id of the subject kind.
    pub engine: String,
    /// Runs by state.
    pub runs: RunCounts,
    /// Whether some runs had not ended; equal to `runs.pending > 0`.
    pub interim: bool,
    /// SHA-256 of the lines `RUN RECORD`, with the run id and the digest of each record.
    pub results: Digest,
    /// Whether the package contains the projects.
    pub with_projects: bool,
    /// Whether the package contains the program, with scripts that start it.
    pub with_program: bool,
    /// Authors of the study in the citation.
    pub authors: Vec<String>,
    /// All files except [`Contents::FILE`], sorted by name.
    pub files: Vec<FileEntry>,
}

impl Contents {
    /// The description as JSON, in the form of the file in a package.
    ///
    /// # Errors
    /// If the description cannot be converted to JSON, which does not occur.
    pub fn to_json(&self) -> serde_json::Result<Vec<u8>> {
        let mut json = serde_json::to_vec_pretty(self)?;
        json.push(b'\n');
        Ok(json)
    }

    /// The version of the format of packages that this catherd writes and reads.
    pub const FORMAT: u32 = 2;

    /// Name of the file with the description in a package.
    pub const FILE: &str = "archive.json";

    /// The entry of a file.
    pub fn file(&self, name: &str) -> Option<&FileEntry> {
        let at = self.files.binary_search_by(|entry| entry.name.as_str().cmp(name));
        at.ok().map(|at| &self.files[at])
    }
}
