//! The commands about results: reports, claims and replication packages, and commands that execute
//! finished runs again.
//!
//! - [`report`]: tables and figures of results; [`claims`]: sentences about them; [`stats`]:
//!   statistics for scripts;
//!   [`import`]: results of other tools as tidy tables.
//! - [`archive`]: writes replication packages; [`verify`], [`replay`]: execute finished runs again.
//!
//! [`Program`] contains everything that depends on the program with these commands, such as its
//! subject kinds.

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

/// A function that returns how external programs are run. Its arguments are the folder in which
/// they work, the paths that are hidden from them, and the folders to which the paths of tools may
/// be relative.
pub type MakePrograms = fn(&Path, &[PathBuf], &[PathBuf]) -> Result<Programs, Failure>;

/// The program that makes packages and executes runs again.
pub struct Program {
    /// Its subject kinds.
    pub kinds: &'static Kinds,
    /// Makes a runner of a kind, which may execute its runs in a separate process; `None` if no
    /// kind has this name.
    pub runner: fn(&str, &RunnerContext<'_>) -> Option<Box<dyn Runner>>,
    /// How external programs are run.
    pub programs: MakePrograms,
    /// Reads the origin of each project of the corpus in a folder.
    pub origins: fn(&Path) -> Result<Vec<Origin>, Failure>,
    /// The lock file of the program: the versions of all crates that it consists of.
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

    /// A warning that runs were executed by an engine that differs from this program's engine for
    /// their kind; `None` if the engines are the same or the kind is unknown.
    fn another_engine(&self, kind: &str, engine: &str) -> Option<String> {
        let known = self.kinds.engine(kind).ok().filter(|known| known != engine)?;
        Some(format!("of engine {engine}; this catherd has {known}, whose digests differ"))
    }
}
