//! Replication packages: zip archives with everything that a study's results depend on.
//!
//! - [`Contents`]: the list of a package's files with their digests, in [`Contents::FILE`].
//! - [`Builder`]: writes a package whose bytes depend on its files alone.
//! - [`Package`]: reads a package from elsewhere and refuses one that is damaged or hostile.
//! - [`records`]: the lines of the file of records.
//!
//! A package is a plain zip archive that any program unpacks. To be the same bytes everywhere, its
//! entries are sorted by name, have the time 1980-01-01, the mode 0644 and nothing else that depends
//! on a machine, and are compressed by one algorithm with one level.

mod contents;
mod error;
mod names;
mod package;
pub mod records;
mod tail;
mod write;

pub use contents::{Contents, FileEntry, RunCounts};
pub use error::{PackageError, Problem};
pub use package::Package;
pub use write::Builder;

/// Most files of a package.
pub const MAX_FILES: usize = 200_000;

/// Most bytes of the list of a package's files, which is read into memory.
pub const MAX_CONTENTS_BYTES: u64 = 128 << 20;

/// Largest ratio of the size of a file to its compressed size, if the file is larger than
/// [`RATIO_FREE_BYTES`]. A [`Builder`] stores files that compress better without compression, so that
/// an archive which expands more is none of its making.
pub const MAX_RATIO: u64 = 200;

/// Size up to which a file may be compressed by any ratio: 1 MiB.
pub const RATIO_FREE_BYTES: u64 = 1 << 20;
