//! Projects on the worker's disk, so that a worker that is started again, or its neighbour,
//! need not fetch them. Bounded, shared by all workers of a machine, and trusted with nothing:
//! a file counts only if its digest is its name.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use catherd_experiments::Digest;

/// A folder of projects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiskCache {
    /// The folder; created when it is needed.
    pub folder: PathBuf,
    /// Bytes of all projects together; the least recently used go first.
    pub bytes: u64,
}

impl DiskCache {
    /// A project, if it is here and whole.
    pub(crate) fn get(&self, digest: Digest) -> Option<Arc<[u8]>> {
        let path = self.path(digest);
        let bytes = fs::read(&path).ok()?;
        if Digest::of(&bytes) != digest {
            tracing::warn!("{}: damaged, fetched again", path.display());
            let _ = fs::remove_file(path);
            return None;
        }
        // The time of its last use; without it, it only goes earlier.
        let _ = File::options()
            .write(true)
            .open(path)
            .and_then(|file| file.set_modified(SystemTime::now()));
        Some(bytes.into())
    }

    /// Keeps a project if it fits, and makes room for it.
    pub(crate) fn keep(&self, digest: Digest, bytes: &[u8]) -> io::Result<()> {
        if bytes.len() as u64 > self.bytes {
            return Ok(());
        }
        fs::create_dir_all(&self.folder)?;
        self.shrink(self.bytes - bytes.len() as u64)?;
        let path = self.path(digest);
        let temporary = path.with_extension(std::process::id().to_string());
        // Not synced: what a power loss leaves of it is recognised by its digest.
        File::create(&temporary)?.write_all(bytes)?;
        fs::rename(temporary, path)
    }

    /// Removes the least recently used files until no more than so many bytes are left. Others
    /// may do the same meanwhile.
    fn shrink(&self, most: u64) -> io::Result<()> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let Ok(metadata) = entry.metadata() else { continue };
            if is_ours(&entry.path()) {
                files.push((metadata.modified()?, entry.path(), metadata.len()));
            }
        }
        files.sort();
        let mut total: u64 = files.iter().map(|(_, _, length)| length).sum();
        for (_, path, length) in files {
            if total <= most {
                break;
            }
            match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => total -= length,
            }
        }
        Ok(())
    }

    fn path(&self, digest: Digest) -> PathBuf {
        self.folder.join(digest.to_string())
    }
}

/// A project, or one that is being written. Whatever else lies in the folder is not touched.
fn is_ours(path: &Path) -> bool {
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    stem.is_some_and(|stem| stem.parse::<Digest>().is_ok())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn it_is_bounded_and_trusts_no_file() {
        let place = tempfile::tempdir().unwrap();
        let cache = DiskCache { folder: place.path().join("cache"), bytes: 30 };
        let project = |name: u8| ([name; 10], Digest::of(&[name; 10]));
        let aged = |digest, seconds| {
            let file = File::options().write(true).open(cache.path(digest)).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(seconds)).unwrap();
        };
        assert_eq!(cache.get(project(1).1), None);
        for name in 1..=3 {
            let (bytes, digest) = project(name);
            cache.keep(digest, &bytes).unwrap();
            aged(digest, 100 - u64::from(name));
        }
        fs::write(cache.folder.join("notes"), [0; 100]).unwrap();
        // The first was used last; the second goes.
        assert_eq!(cache.get(project(1).1).as_deref(), Some(&project(1).0[..]));
        let (bytes, digest) = project(4);
        cache.keep(digest, &bytes).unwrap();
        let here = |name| cache.get(project(name).1).is_some();
        assert_eq!([1, 2, 3, 4].map(here), [true, false, true, true]);
        assert!(cache.folder.join("notes").exists());

        fs::write(cache.path(digest), [4; 9]).unwrap();
        assert_eq!(cache.get(digest), None);
        assert!(!cache.path(digest).exists(), "what is damaged goes");
        cache.keep(digest, &[7; 31]).unwrap();
        assert!(!cache.path(digest).exists(), "what never fits is not kept");
    }
}
