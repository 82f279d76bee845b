//! Sets of tables that replace older tables together.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::{Error, RunStates};

const FOLDER: &str = "tables.partial";

/// A set of files that is written to a subfolder and then replaces the files of the folder.
/// Dropping a set removes the files that were not published.
#[derive(Debug)]
pub struct Staging {
    folder: PathBuf,
    partial: PathBuf,
}

impl Staging {
    /// Creates an empty subfolder for the files of a folder.
    ///
    /// # Errors
    /// [`Error::Io`] if the subfolder cannot be created.
    pub fn create(folder: &Path) -> Result<Staging, Error> {
        let staging = Staging { folder: folder.to_owned(), partial: folder.join(FOLDER) };
        let _ = fs::remove_dir_all(&staging.partial);
        let created = fs::create_dir_all(&staging.partial);
        created.map_err(|cause| Error::Io { path: staging.partial.clone(), cause })?;
        Ok(staging)
    }

    /// The folder to which the files must be written.
    pub fn path(&self) -> &Path {
        &self.partial
    }

    /// Moves the files into their folder after all of them are on the disk. The table `runs` is
    /// moved first and `study-state.json` last, because a reader may find only a part of the files.
    ///
    /// # Errors
    /// [`Error::Io`] if a file cannot be written to the disk or moved.
    pub fn publish(self) -> Result<(), Error> {
        let published = || -> io::Result<()> {
            let files = fs::read_dir(&self.partial)?;
            let mut names =
                files.map(|file| Ok(file?.file_name())).collect::<io::Result<Vec<_>>>()?;
            names.sort_by_key(|name| {
                let text = name.to_string_lossy();
                (text == RunStates::FILE, !text.starts_with("runs."), name.clone())
            });
            for name in &names {
                File::open(self.partial.join(name))?.sync_all()?;
            }
            names
                .iter()
                .try_for_each(|name| fs::rename(self.partial.join(name), self.folder.join(name)))
        };
        published().map_err(|cause| Error::Io { path: self.folder.clone(), cause })
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // The next writer removes the remaining files.
        let _ = fs::remove_dir_all(&self.partial);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_published_together_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("runs.csv"), "old").unwrap();
        let staging = Staging::create(dir.path()).unwrap();
        fs::write(staging.path().join("runs.csv"), "new").unwrap();
        drop(staging);
        let read = || fs::read_to_string(dir.path().join("runs.csv")).unwrap();
        assert_eq!(read(), "old");
        fs::create_dir(dir.path().join(FOLDER)).unwrap();
        fs::write(dir.path().join(FOLDER).join("timeline.csv"), "of a writer that was killed")
            .unwrap();
        let staging = Staging::create(dir.path()).unwrap();
        fs::write(staging.path().join("runs.csv"), "new").unwrap();
        staging.publish().unwrap();
        assert_eq!(read(), "new");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
