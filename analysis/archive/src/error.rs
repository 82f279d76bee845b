//! Errors of replication packages.

use std::io;
use std::path::PathBuf;

use catherd_experiments::Digest;

/// A problem with a file of a package.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The name cannot be used.
    #[error("its name {0}")]
    Name(&'static str),
    /// Two files have the same name, or names that some systems do not distinguish.
    #[error(
        "two files have this name, or their names differ only in case or in Unicode normalisation"
    )]
    Twice,
    /// The file is a link, a folder or a special file, such as a device.
    #[error("is a {0}, not a regular file")]
    NotRegular(&'static str),
    /// A header of the file differs from the headers that catherd writes.
    #[error("{0}")]
    Header(&'static str),
    /// The file differs from the file that is made from the records.
    #[error("is not the file that catherd makes from the records")]
    NotGenerated,
    /// The file is encrypted.
    #[error("is encrypted")]
    Encrypted,
    /// The file is compressed by a method that packages do not use.
    #[error("is compressed by a method that packages do not use")]
    Method,
    /// The ratio of the size to the compressed size is too large.
    #[error("expands to {bytes} bytes from {compressed}, at least {most} times as many")]
    Bomb {
        /// Size of the file in bytes.
        bytes: u64,
        /// Compressed size of the file in bytes.
        compressed: u64,
        /// The ratio from which files are refused.
        most: u64,
    },
    /// The file is not in the list of files.
    #[error("is not in the list of the package's files")]
    Unlisted,
    /// The package does not contain the file.
    #[error("is missing")]
    Missing,
    /// The size differs from the size in the list.
    #[error("has {found} bytes instead of {expected}")]
    Size {
        /// The size found.
        found: u64,
        /// The size in the list.
        expected: u64,
    },
    /// The digest differs from the digest in the list.
    #[error("is damaged: its SHA-256 is {found} instead of {expected}")]
    Digest {
        /// The digest found.
        found: Digest,
        /// The digest in the list.
        expected: Digest,
    },
    /// The file is larger than the maximum that is read into memory.
    #[error("has {bytes} bytes, more than the maximum of {most}")]
    TooLarge {
        /// Size of the file in bytes.
        bytes: u64,
        /// Maximum size in bytes.
        most: u64,
    },
    /// The contents of the file are invalid.
    #[error("{0}")]
    Invalid(String),
}

/// An error in writing or reading a package.
#[derive(Debug, thiserror::Error)]
pub enum PackageError {
    /// Reading or writing failed.
    #[error("{}: {cause}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        cause: io::Error,
    },
    /// The file or folder is not a package.
    #[error("{}: {cause}", path.display())]
    NotAPackage {
        /// The file or folder.
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
        /// The problem with the file.
        problem: Problem,
    },
}
