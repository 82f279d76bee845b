//! The commands about results and replication packages.
//!
//! - [`report`]: tables and figures of results; [`claims`]: sentences about the results; [`stats`]:
//!   statistics for scripts; [`import`]: results of other tools as tidy tables.
//! - [`archive`]: writes replication packages; [`verify`]: checks packages and stored studies, and
//!   executes samples of finished runs again; [`replay`]: executes single runs again.
//!
//! [`Program`] contains everything that depends on the program with these commands, such as the
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

/// A function that determines how external programs are run. Its arguments are a folder for their
/// work, paths that are hidden from them, and folders in which tools are found.
pub type MakePrograms = fn(&Path, &[PathBuf], &[PathBuf]) -> Result<Programs, Failure>;

/// The program that makes packages and executes runs again.
pub struct Program {
    /// The subject kinds of the program.
    pub kinds: &'static Kinds,
    /// Makes a runner of a kind.
    pub runner: fn(&str, &RunnerContext<'_>) -> Option<Box<dyn Runner>>,
    /// How external programs are run.
    pub programs: MakePrograms,
    /// Reads the origin of each project of the corpus in a folder.
    pub origins: fn(&Path) -> Result<Vec<Origin>, Failure>,
    /// The lock file of the program, with the versions of all crates in the program.
    pub lock_file: fn() -> Result<String, Failure>,
    /// The licences of all crates in the program, in one string.
    pub licences: fn() -> Result<String, Failure>,
}

/// The origin of a project in a corpus.
pub struct Origin {
    /// SHA-256 of the project, in hexadecimal digits.
    pub sha256: String,
    /// The source of the project, such as an address.
    pub source: String,
    /// The licence of the project.
    pub licence: String,
    /// The id of the project in the corpus.
    pub id: String,
    /// The title of the project.
    pub title: String,
}

impl Program {
    fn kind(&self, name: &str) -> Result<&'static dyn SubjectKind, Failure> {
        self.kinds.get(name).map_err(|unknown| unknown.worded())
    }

    fn another_engine(&self, kind: &str, engine: &str) -> Option<String> {
        let known = self.kinds.engine(kind).ok().filter(|known| known != engine)?;
        Some(format!("of engine {engine}; this catherd has {known}, whose digests differ"))
    }
}
