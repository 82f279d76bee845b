//! The commands about results: reports, claims, packages, and the execution of finished runs again.
//!
//! - [`report`]: tables and figures of results; [`claims`]: sentences about them; [`stats`]: statistics for scripts;
//!   [`import`]: results of other tools as tidy tables.
//! - [`archive`]: writes replication packages; [`verify`], [`replay`]: execute finished runs again.
//!
//! What depends on the program that has these commands is in [`Program`].

pub mod archive;
pub mod claims;
pub mod import;
pub mod replay;
pub mod report;
pub mod stats;
pub mod verify;

use std::path::{Path, PathBuf};

use catherd_cli_console::Failure;
use catherd_cli_failures::Worded as _;
use catherd_interface::{Kinds, Programs, Runner, RunnerContext, SubjectKind};

/// How external programs are run below a folder (the first path) if some paths are hidden from them (the second)
/// and the relative paths of tools start in one of several folders (the third).
pub type MakePrograms = fn(&Path, &[PathBuf], &[PathBuf]) -> Result<Programs, Failure>;

/// The program that makes packages and executes runs again.
pub struct Program {
    /// Its subject kinds.
    pub kinds: &'static Kinds,
    /// Makes a runner of a kind, which may execute its runs in a process of their own; `None` if there is no kind
    /// of this name.
    pub runner: fn(&str, &RunnerContext<'_>) -> Option<Box<dyn Runner>>,
    /// How external programs are run.
    pub programs: MakePrograms,
    /// Reads where the projects of a corpus in a folder are from.
    pub origins: fn(&Path) -> Result<Vec<Origin>, Failure>,
    /// Its lock file: the versions of all crates that it is made of.
    pub lock_file: fn() -> Result<String, Failure>,
    /// The licences of these crates as one text.
    pub licences: fn() -> Result<String, Failure>,
}

/// Where a project of a corpus is from.
pub struct Origin {
    /// SHA-256 of the project, in hexadecimal digits.
    pub sha256: String,
    /// The address from which it was fetched.
    pub source: String,
    /// Its licence.
    pub licence: String,
    /// Its name at the source.
    pub id: String,
    /// Its title.
    pub title: String,
}

impl Program {
    /// The kind with this name.
    fn kind(&self, name: &str) -> Result<&'static dyn SubjectKind, Failure> {
        self.kinds.get(name).map_err(|unknown| unknown.worded())
    }

    /// Words about runs of another engine than this program has for their kind; `None` if it is the same
    /// or the kind is unknown.
    fn another_engine(&self, kind: &str, engine: &str) -> Option<String> {
        let known = self.kinds.engine(kind).ok().filter(|known| known != engine)?;
        Some(format!("of engine {engine}; this catherd has {known}, which gives other digests"))
    }
}
