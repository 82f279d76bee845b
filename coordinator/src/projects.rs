//! Project bytes by digest: a content-addressed folder.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use catherd_experiments::Digest;

/// A folder of project bytes, each file named by the SHA-256 of its content. A path is
/// only ever made from a parsed [`Digest`].
#[derive(Clone, Debug)]
pub struct Projects {
    folder: PathBuf,
}

impl Projects {
    /// Opens the folder, creating it if needed.
    ///
    /// # Errors
    ///
    /// When the folder cannot be created.
    pub fn open(folder: &Path) -> io::Result<Projects> {
        fs::create_dir_all(folder)?;
        Ok(Projects { folder: folder.to_owned() })
    }

    /// Keeps a project and returns its name. A file that is there already and intact is
    /// left alone.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn insert(&self, bytes: &[u8]) -> io::Result<Digest> {
        let digest = Digest::of(bytes);
        let path = self.path(digest);
        let intact = fs::read(&path).is_ok_and(|kept| kept == bytes);
        if !intact {
            let temporary = path.with_extension("part");
            let mut file = File::create(&temporary)?;
            file.write_all(bytes)?;
            file.sync_all()?;
            fs::rename(&temporary, &path)?;
            File::open(&self.folder)?.sync_all()?;
        }
        Ok(digest)
    }

    /// Whether a project is here.
    pub fn has(&self, digest: Digest) -> bool {
        self.path(digest).exists()
    }

    /// Opens a project for reading: its size and its bytes. Receivers check the digest.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::NotFound`] when the study has no such project.
    pub fn read(&self, digest: Digest) -> io::Result<(u64, impl Read + Send + use<>)> {
        let file = File::open(self.path(digest))?;
        Ok((file.metadata()?.len(), file))
    }

    fn path(&self, digest: Digest) -> PathBuf {
        self.folder.join(digest.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_by_digest_and_repairs_a_torn_file() {
        let folder = tempfile::tempdir().unwrap();
        let projects = Projects::open(&folder.path().join("projects")).unwrap();
        let digest = projects.insert(b"cat").unwrap();
        assert_eq!(digest, Digest::of(b"cat"));
        fs::write(projects.path(digest), b"ca").unwrap();
        projects.insert(b"cat").unwrap();
        let (size, mut file) = projects.read(digest).unwrap();
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).unwrap();
        assert_eq!((size, bytes.as_slice()), (3, b"cat".as_slice()));
        let missing = projects.read(Digest::of(b"dog")).err().unwrap();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }
}
