//! A corpus: a folder that says which projects it holds, where they come from and how
//! they were chosen.
//!
//! ```text
//! corpus.toml      the recipe and what came of it (About)
//! manifest.csv     one row a project (Member), in the order of the recipe
//! projects/        SHA-256.sb3, packed the same everywhere
//! ```
//!
//! `corpus.toml` is written last: a folder that has one is whole.

mod about;
mod change;
mod compare;
mod manifest;
mod verify;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

pub use about::{About, FORMAT, Recipe};
pub use change::{AddError, Source, add, export_frozen, split};
pub use compare::{Difference, compare};
pub use manifest::{Member, Sha};
pub use verify::{Flaw, verify};

pub(crate) use change::make_folder;
pub(crate) use verify::checksum;

use crate::whole_file;

const ABOUT: &str = "corpus.toml";
const MANIFEST: &str = "manifest.csv";

/// A corpus and where it lies.
#[derive(Clone, Debug)]
pub struct Corpus {
    /// The folder.
    pub folder: PathBuf,
    /// What `corpus.toml` says.
    pub about: About,
    /// What `manifest.csv` says.
    pub members: Vec<Member>,
}

/// Why a corpus cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum CorpusError {
    /// The file system refuses.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the file system says.
        source: io::Error,
    },
    /// There is no corpus here.
    #[error("{}: no corpus: there is no {ABOUT}", folder.display())]
    Absent {
        /// The folder.
        folder: PathBuf,
    },
    /// A file of the corpus cannot be understood, or contradicts another one.
    #[error("{}: {fault}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        fault: String,
    },
    /// The request makes no sense for this corpus.
    #[error("{0}")]
    Unfit(String),
}

impl CorpusError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> CorpusError {
        let path = path.to_owned();
        move |source| CorpusError::Io { path, source }
    }

    /// As [`CorpusError::io`] for a text: what is none is damaged.
    pub(crate) fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> CorpusError {
        let path = path.to_owned();
        move |source| match source.kind() {
            io::ErrorKind::InvalidData => CorpusError::damaged(&path, "is not text in UTF-8"),
            _ => CorpusError::Io { path, source },
        }
    }

    pub(crate) fn damaged(path: &Path, fault: impl ToString) -> CorpusError {
        CorpusError::Damaged { path: path.to_owned(), fault: fault.to_string() }
    }
}

impl Corpus {
    /// Is this the folder of a corpus?
    pub fn is_at(folder: &Path) -> bool {
        folder.join(ABOUT).is_file()
    }

    /// Reads recipe and manifest, which must agree; projects are not looked at.
    ///
    /// # Errors
    /// See [`CorpusError`].
    pub fn read(folder: &Path) -> Result<Corpus, CorpusError> {
        let corpus = Corpus::read_unchecked(folder)?;
        let digest = digest(&corpus.members);
        if digest != corpus.about.digest {
            let fault =
                format!("its rows have the digest {digest}, {ABOUT} says {}", corpus.about.digest);
            return Err(CorpusError::damaged(&folder.join(MANIFEST), fault));
        }
        Ok(corpus)
    }

    fn read_unchecked(folder: &Path) -> Result<Corpus, CorpusError> {
        if !Corpus::is_at(folder) {
            return Err(CorpusError::Absent { folder: folder.to_owned() });
        }
        let about = About::read(&folder.join(ABOUT))?;
        let members = manifest::read(&folder.join(MANIFEST))?;
        Ok(Corpus { folder: folder.to_owned(), about, members })
    }

    /// Writes manifest and recipe, in this order. The projects must be there.
    ///
    /// # Errors
    /// If the file system refuses.
    pub(crate) fn write(
        folder: &Path,
        recipe: Recipe,
        frame: BTreeMap<String, u64>,
        members: Vec<Member>,
    ) -> Result<Corpus, CorpusError> {
        let about = About {
            format: FORMAT,
            projects: members.len(),
            digest: digest(&members),
            recipe,
            frame,
        };
        let write = |name: &str, bytes: &[u8]| {
            let path = folder.join(name);
            whole_file::write(&path, bytes).map_err(CorpusError::io(&path))
        };
        write(MANIFEST, &manifest::to_csv(&members))?;
        write(ABOUT, about.to_toml().as_bytes())?;
        Ok(Corpus { folder: folder.to_owned(), about, members })
    }

    /// Where the archive with this digest lies.
    pub fn project(&self, sha: Sha) -> PathBuf {
        project(&self.folder, sha)
    }
}

pub(crate) fn projects(folder: &Path) -> PathBuf {
    folder.join("projects")
}

pub(crate) fn project(folder: &Path, sha: Sha) -> PathBuf {
    projects(folder).join(format!("{sha}.sb3"))
}

/// What a corpus is: SHA-256 over ids and digests of its projects in their order. Titles,
/// counts and the date of fetching are no part of it.
fn digest(members: &[Member]) -> Sha {
    let mut hash = Sha256::new();
    for Member { id, sha256, .. } in members {
        hash.update(format!("{id} {sha256}\n"));
    }
    Sha(hash.finalize().into())
}
