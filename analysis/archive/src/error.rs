//! Errors of replication packages.

use std::io;
use std::path::PathBuf;

use catherd_experiments::Digest;

/// A problem with a file of a package.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// Its name cannot be used.
    #[error("its name {0}")]
    Name(&'static str),
    /// Two files have the same name, or names that some systems do not distinguish.
    #[error(
        "two files have this name, or their names differ only in upper and lower case or in the \
         form of their letters"
    )]
    Twice,
    /// It is a link, a folder or a device.
    #[error("is a {0}, not a regular file")]
    NotRegular(&'static str),
    /// One of its headers in the archive is not as in a package.
    #[error("{0}")]
    Header(&'static str),
    /// It differs from the file that is made from the records.
    #[error("is not the file that catherd makes from the records")]
    NotGenerated,
    /// It is encrypted.
    #[error("is encrypted")]
    Encrypted,
    /// It is compressed by a method that packages do not use.
    #[error("is compressed by a method that packages do not use")]
    Method,
    /// The ratio of its size to its compressed size is too large.
    #[error("expands to {bytes} bytes from {compressed}, more than {most} times its size")]
    Bomb {
        /// Its size in bytes.
        bytes: u64,
        /// Its compressed size in bytes.
        compressed: u64,
        /// The largest permitted ratio.
        most: u64,
    },
    /// It is not in the list of files.
    #[error("is not in the list of the package's files")]
    Unlisted,
    /// It is in the list of files but not in the archive.
    #[error("is missing")]
    Missing,
    /// Its size differs from the size in the list.
    #[error("has {found} bytes, expected {expected}")]
    Size {
        /// The size found.
        found: u64,
        /// The size in the list.
        expected: u64,
    },
    /// Its digest differs from the digest in the list.
    #[error("is damaged: its SHA-256 is {found}, expected {expected}")]
    Digest {
        /// The digest found.
        found: Digest,
        /// The digest in the list.
        expected: Digest,
    },
    /// It is larger than the maximum that is read into memory.
    #[error("has {bytes} bytes, more than the maximum of {most}")]
    TooLarge {
        /// Its size in bytes.
        bytes: u64,
        /// The largest permitted size.
        most: u64,
    },
    /// Its contents are invalid.
    #[error("{0}")]
    Invalid(String),
}

/// An error in writing or reading a package.
#[derive(Debug, thiserror::Error)]
pub enum PackageError {
    /// A file cannot be read or written.
    #[error("{}: {cause}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Cause given by the operating system.
        cause: io::Error,
    },
    /// The file is not the archive of a package.
    #[error("{}: {cause}", path.display())]
    NotAPackage {
        /// The file.
        path: PathBuf,
        /// The reason.
        cause: String,
    },
    /// A file in the package is refused.
    #[error("{}: {name}: {problem}", path.display())]
    File {
        /// The package.
        path: PathBuf,
        /// Name of the file in the package.
        name: String,
        /// The problem with it.
        problem: Problem,
    },
}
