//! One project, ready to be sent and run.

use std::path::Path;

use catherd_sb3::{Limits, Project, ReadError, pack, read_archive};
use sha2::{Digest, Sha256};

/// A loaded project and the archive that stands for it.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The project.
    pub project: Project,
    /// The archive: a file's bytes as they are, or a folder packed so that the same files
    /// give the same bytes on every machine.
    pub archive: Vec<u8>,
    /// SHA-256 of the archive: the identity of the project in runs and results.
    pub digest: [u8; 32],
}

/// Why a project cannot be part of a study; one line that names the file.
#[derive(Debug, thiserror::Error)]
pub enum Unusable {
    /// It cannot be read.
    #[error(transparent)]
    Unreadable(#[from] ReadError),
    /// It can be read, but there is nothing to run.
    #[error("{file}: holds no blocks")]
    NoBlocks {
        /// The file or folder as the caller named it.
        file: String,
    },
}

impl Unusable {
    /// The reason alone, without the file.
    pub fn reason(&self) -> String {
        match self {
            Unusable::Unreadable(error) => error.cause.to_string(),
            Unusable::NoBlocks { .. } => "holds no blocks".to_owned(),
        }
    }
}

impl Subject {
    /// Loads an archive, or packs and loads an unpacked folder, if there is anything to run.
    ///
    /// # Errors
    /// See [`Unusable`].
    pub fn load(path: &Path) -> Result<Subject, Unusable> {
        let subject = Subject::read(path)?;
        if subject.project.block_count() == 0 {
            return Err(Unusable::NoBlocks { file: path.display().to_string() });
        }
        Ok(subject)
    }

    /// Loads an archive, or packs and loads an unpacked folder, blocks or none.
    ///
    /// The project is read from the very bytes of [`Subject::archive`], so what is checked
    /// here is what a worker will see.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(path: &Path) -> Result<Subject, ReadError> {
        let limits = Limits::default();
        let file = path.display().to_string();
        let archive = if path.is_dir() { pack(path)? } else { read_archive(path, &limits)? };
        let project = Project::from_bytes(&file, &archive, &limits)?;
        let digest = Sha256::digest(&archive).into();
        Ok(Subject { project, archive, digest })
    }
}
