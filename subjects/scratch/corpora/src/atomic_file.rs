//! Atomic file writes.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Writes under a temporary name and renames, so the file has either its old or its new contents.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // Two threads may write the same file at the same time.
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", NUMBER.fetch_add(1, Ordering::Relaxed)));
    let part = path.with_file_name(name);
    let written = File::create(&part).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&part, path)
    });
    written.inspect_err(|_| drop(fs::remove_file(&part)))
}
