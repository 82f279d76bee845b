//! On-disk cache of projects, which all workers on a computer may share. The cache is not trusted:
//! a file is used only if its name is the digest of its content.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use catherd_experiments::Digest;

/// A folder of cached projects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiskCache {
    /// The folder, which is created with the first project.
    pub folder: PathBuf,
    /// Maximum total size of all projects, in bytes.
    pub bytes: u64,
}

impl DiskCache {
    /// A damaged project is not returned.
    pub(crate) fn get(&self, digest: Digest) -> Option<Arc<[u8]>> {
        let path = self.path(digest);
        let bytes = fs::read(&path).ok()?;
        if Digest::of(&bytes) != digest {
            tracing::warn!(
                "{}: a damaged file in the project cache; the project is fetched again",
                path.display()
            );
            let _ = fs::remove_file(path);
            return None;
        }
        // If this fails, the file is only evicted earlier.
        let _ = File::options()
            .write(true)
            .open(path)
            .and_then(|file| file.set_modified(SystemTime::now()));
        Some(bytes.into())
    }

    /// Other projects may be evicted. A project that is larger than the cache is not cached.
    pub(crate) fn insert(&self, digest: Digest, bytes: &[u8]) -> io::Result<()> {
        if bytes.len() as u64 > self.bytes {
            return Ok(());
        }
        fs::create_dir_all(&self.folder)?;
        self.shrink(self.bytes - bytes.len() as u64)?;
        let path = self.path(digest);
        let temporary = path.with_extension(std::process::id().to_string());
        // The file is not synced, because a file that was truncated by a power failure is
        // recognised by its digest.
        File::create(&temporary)?.write_all(bytes)?;
        fs::rename(temporary, path)
    }

    /// Removes the least recently used files until at most `most` bytes are left. Other workers may
    /// remove files at the same time.
    fn shrink(&self, most: u64) -> io::Result<()> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let Ok(metadata) = entry.metadata() else { continue };
            if is_project(&entry.path()) {
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

/// Includes projects that are being written. Other files are kept.
fn is_project(path: &Path) -> bool {
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    stem.is_some_and(|stem| stem.parse::<Digest>().is_ok())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_cache_is_bounded_and_trusts_no_file() {
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
            cache.insert(digest, &bytes).unwrap();
            aged(digest, 100 - u64::from(name));
        }
        fs::write(cache.folder.join("notes"), [0; 100]).unwrap();
        // The first project was used last, so the second one is evicted.
        assert_eq!(cache.get(project(1).1).as_deref(), Some(&project(1).0[..]));
        let (bytes, digest) = project(4);
        cache.insert(digest, &bytes).unwrap();
        let here = |name| cache.get(project(name).1).is_some();
        assert_eq!([1, 2, 3, 4].map(here), [true, false, true, true]);
        assert!(cache.folder.join("notes").exists());

        fs::write(cache.path(digest), [4; 9]).unwrap();
        assert_eq!(cache.get(digest), None);
        assert!(!cache.path(digest).exists(), "a damaged file is removed");
        cache.insert(digest, &[7; 31]).unwrap();
        assert!(!cache.path(digest).exists(), "a project larger than the cache is not cached");
    }
}
