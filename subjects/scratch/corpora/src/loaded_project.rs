//! A loaded project and its archive.

use std::path::Path;

use catherd_scratch_sb3::{Limits, Project, ReadError, pack, read_archive};
use sha2::{Digest, Sha256};

/// A project in memory, together with its archive.
#[derive(Clone, Debug)]
pub struct LoadedProject {
    /// The project.
    pub project: Project,
    /// The archive from which the project was read.
    pub archive: Vec<u8>,
    /// SHA-256 of the archive.
    pub digest: [u8; 32],
}

/// Error in loading a project.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The project cannot be read.
    #[error(transparent)]
    Unreadable(#[from] ReadError),
    /// The project can be read, but has no blocks.
    #[error("{file}: has no blocks")]
    NoBlocks {
        /// The file or folder, as given by the caller.
        file: String,
    },
}

impl LoadError {
    /// The reason without the file.
    pub fn reason(&self) -> String {
        match self {
            LoadError::Unreadable(error) => error.cause.to_string(),
            LoadError::NoBlocks { .. } => "has no blocks".to_owned(),
        }
    }
}

impl LoadedProject {
    /// Loads a project from an archive or an unpacked folder.
    ///
    /// # Errors
    /// If the project cannot be read or has no blocks.
    pub fn load(path: &Path) -> Result<LoadedProject, LoadError> {
        let loaded = LoadedProject::read(path)?;
        if loaded.project.block_count() == 0 {
            return Err(LoadError::NoBlocks { file: path.display().to_string() });
        }
        Ok(loaded)
    }

    /// Reads a project, with or without blocks, from an archive or an unpacked folder.
    ///
    /// # Errors
    /// If the project cannot be read.
    pub fn read(path: &Path) -> Result<LoadedProject, ReadError> {
        let limits = Limits::default();
        let file = path.display().to_string();
        let archive = if path.is_dir() { pack(path)? } else { read_archive(path, &limits)? };
        let project = Project::from_bytes(&file, &archive, &limits)?;
        let digest = Sha256::digest(&archive).into();
        Ok(LoadedProject { project, archive, digest })
    }
}
