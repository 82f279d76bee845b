//! Corpora: folders of projects with a manifest and the recipe by which the projects were chosen.
//!
//! ```text
//! corpus.toml      recipe and digest (CorpusMetadata)
//! manifest.csv     one row per project (Member)
//! projects/        archives, named SHA-256.sb3
//! ```
//!
//! `corpus.toml` is written last.

mod compare;
mod export;
mod import;
mod manifest;
mod metadata;
mod split;
mod verify;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

pub use compare::{Difference, compare};
pub use export::export_frozen;
pub use import::{AddError, Origin, add};
pub use manifest::{Member, Sha};
pub use metadata::{CorpusMetadata, FORMAT, Recipe};
pub use split::split;
pub use verify::{Flaw, verify};

pub(crate) use verify::checksum;

use crate::atomic_file;

const METADATA_FILE: &str = "corpus.toml";
const MANIFEST_FILE: &str = "manifest.csv";

/// A corpus and its folder.
#[derive(Clone, Debug)]
pub struct Corpus {
    /// The folder.
    pub folder: PathBuf,
    /// Contents of `corpus.toml`.
    pub metadata: CorpusMetadata,
    /// Contents of `manifest.csv`.
    pub members: Vec<Member>,
}

/// Error in reading or writing a corpus.
#[derive(Debug, thiserror::Error)]
pub enum CorpusError {
    /// The file system reports an error.
    #[error("{}: {cause}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Error of the file system.
        cause: io::Error,
    },
    /// The folder is not a corpus.
    #[error("{}: is not a corpus: there is no {METADATA_FILE}", folder.display())]
    NotACorpus {
        /// The folder.
        folder: PathBuf,
    },
    /// A file has a defect.
    #[error("{}: {fault}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The defect.
        fault: String,
    },
    /// The operation is rejected for the stated reason.
    #[error("{0}")]
    Rejected(String),
}

impl CorpusError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> CorpusError {
        let path = path.to_owned();
        move |cause| CorpusError::Io { path, cause }
    }

    pub(crate) fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> CorpusError {
        let path = path.to_owned();
        move |cause| match cause.kind() {
            io::ErrorKind::InvalidData => CorpusError::damaged(&path, "is not text in UTF-8"),
            _ => CorpusError::Io { path, cause },
        }
    }

    pub(crate) fn damaged(path: &Path, fault: impl ToString) -> CorpusError {
        CorpusError::Damaged { path: path.to_owned(), fault: fault.to_string() }
    }
}

impl Corpus {
    /// Whether the folder contains the metadata of a corpus.
    pub fn is_at(folder: &Path) -> bool {
        folder.join(METADATA_FILE).is_file()
    }

    /// Reads the metadata and the manifest, but not the projects.
    ///
    /// # Errors
    /// If a file cannot be read or is not valid.
    pub fn read(folder: &Path) -> Result<Corpus, CorpusError> {
        let corpus = Corpus::read_unchecked(folder)?;
        let digest = digest(&corpus.members);
        if digest != corpus.metadata.digest {
            let fault = format!(
                "its rows have the digest {digest}, but {METADATA_FILE} has {}",
                corpus.metadata.digest
            );
            return Err(CorpusError::damaged(&folder.join(MANIFEST_FILE), fault));
        }
        Ok(corpus)
    }

    fn read_unchecked(folder: &Path) -> Result<Corpus, CorpusError> {
        if !Corpus::is_at(folder) {
            return Err(CorpusError::NotACorpus { folder: folder.to_owned() });
        }
        let metadata = CorpusMetadata::read(&folder.join(METADATA_FILE))?;
        let members = manifest::read(&folder.join(MANIFEST_FILE))?;
        Ok(Corpus { folder: folder.to_owned(), metadata, members })
    }

    /// The projects must exist already.
    pub(crate) fn write(
        folder: &Path,
        recipe: Recipe,
        frame: BTreeMap<String, u64>,
        members: Vec<Member>,
    ) -> Result<Corpus, CorpusError> {
        let metadata = CorpusMetadata {
            format: FORMAT,
            projects: members.len(),
            digest: digest(&members),
            recipe,
            frame,
        };
        let write = |name: &str, bytes: &[u8]| {
            let path = folder.join(name);
            atomic_file::write(&path, bytes).map_err(CorpusError::io(&path))
        };
        write(MANIFEST_FILE, &manifest::to_csv(&members))?;
        write(METADATA_FILE, metadata.to_toml().as_bytes())?;
        Ok(Corpus { folder: folder.to_owned(), metadata, members })
    }

    /// Path of the archive with this digest.
    pub fn project(&self, sha: Sha) -> PathBuf {
        project(&self.folder, sha)
    }
}

pub(crate) fn create_folder(path: &Path) -> Result<(), CorpusError> {
    fs::create_dir_all(path).map_err(CorpusError::io(path))
}

pub(crate) fn projects(folder: &Path) -> PathBuf {
    folder.join("projects")
}

pub(crate) fn project(folder: &Path, sha: Sha) -> PathBuf {
    projects(folder).join(format!("{sha}.sb3"))
}

/// Identity of a corpus: SHA-256 over ids and digests of its projects in their order.
fn digest(members: &[Member]) -> Sha {
    let mut hash = Sha256::new();
    for Member { id, sha256, .. } in members {
        hash.update(format!("{id} {sha256}\n"));
    }
    Sha(hash.finalize().into())
}
