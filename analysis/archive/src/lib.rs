//! Replication packages: zip archives with the records of a study and with files that are made from
//! them.
//!
//! - [`Contents`]: the list of a package's files with their digests, in [`Contents::FILE`].
//! - [`Builder`]: writes a package, with the same bytes for the same files and description.
//! - [`Package`]: reads received packages and refuses damaged or hostile packages.
//! - [`records`]: the lines of the file of records.
//! - [`Statement`]: the text that is signed for a package; [`SigningKey`], [`Signature`] and
//!   [`AllowedSigners`]: its signature and the trusted signers.
//!
//! A package is a plain zip archive whose entries are sorted by name and have fixed times, modes
//! and compression levels.

mod contents;
mod error;
mod headers;
mod names;
mod package;
pub mod records;
mod signature;
mod signers;
mod statement;
mod tail;
mod write;

pub use contents::{Contents, FileEntry, RunCounts};
pub use error::{PackageError, Problem};
pub use package::Package;
pub use signature::{Key, MAX_SIGNATURE_BYTES, NAMESPACE, Signature, SignatureError, SigningKey};
pub use signers::{AllowedSigners, MAX_SIGNERS_BYTES, SignersError};
pub use statement::{MAX_STATEMENT_BYTES, Statement, StatementError};
pub use write::Builder;

/// The program and the scripts of a package, which are executable.
pub const EXECUTABLES: [&str; 3] = ["check", "program/catherd", "repeat"];

/// The folder of the external tools of a study in a package. Its files are executable.
pub const TOOLS: &str = "tools/";

fn is_executable(name: &str) -> bool {
    EXECUTABLES.contains(&name) || name.starts_with(TOOLS)
}

/// Maximum number of files of a package.
pub const MAX_FILES: usize = 200_000;

/// Maximum size in bytes of the list of a package's files, which is read into memory.
pub const MAX_CONTENTS_BYTES: u64 = 128 << 20;

/// Limit of the ratio of the size of a file to its compressed size, for files larger than
/// [`RATIO_FREE_BYTES`].
pub const MAX_RATIO: u64 = 200;

/// Size up to which a file may have any compression ratio: 1 MiB.
pub const RATIO_FREE_BYTES: u64 = 1 << 20;
