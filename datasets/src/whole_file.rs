//! Files that are whole or not there.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Writes a file under another name, to the disk, and only then gives it its own.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // Threads may write the same file, of the same contents.
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", NUMBER.fetch_add(1, Ordering::Relaxed)));
    let part = path.with_file_name(name);
    let written = File::create(&part).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&part, path)
    });
    // A full disk has better use for the space; the first error is what matters.
    written.inspect_err(|_| drop(fs::remove_file(&part)))
}
