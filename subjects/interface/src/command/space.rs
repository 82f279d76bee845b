//! Finds out whether the disk of a folder is full.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write as _};
use std::path::Path;

/// `Programs::prepare` removes this file because of its prefix.
const FILE: &str = "run-space";

/// Bytes that must be free before a program starts and after it has left a usable result.
pub(super) const LEAST: usize = 64 << 10;

/// Bytes that must be free after a run without a usable result, because a full disk may have been
/// the reason.
pub(super) const AMPLE: usize = 4 << 20;

/// The error message if the folder has no space for this number of bytes, a multiple of [`LEAST`].
pub(super) fn shortage(folder: &Path, bytes: usize) -> Option<String> {
    let file = folder.join(FILE);
    clear(&file);
    let cause = write(&file, bytes).err();
    clear(&file);
    let full = |cause: &io::Error| {
        matches!(cause.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded)
    };
    cause.filter(full).map(|cause| format!("no space for runs in {}: {cause}", folder.display()))
}

/// A killed worker may have left the file, or a program may have made a folder in its place.
fn clear(file: &Path) {
    // Usually there is nothing to remove.
    if fs::remove_file(file).is_err() {
        let _ = catherd_platform::remove_folder(file);
    }
}

/// Whether the folder has so much space that a program which found the disk full has probably
/// filled the disk itself.
pub(super) fn is_plenty(folder: &Path) -> bool {
    const PLENTY: u64 = 1 << 30;
    catherd_platform::available_space(folder).is_none_or(|bytes| bytes >= PLENTY)
}

fn write(file: &Path, bytes: usize) -> io::Result<()> {
    // Some file systems store equal bytes without using space.
    let different = |i: u32| (i.wrapping_mul(0x9E37_79B9) >> 23) as u8;
    let block: Vec<u8> = (0..LEAST as u32).map(different).collect();
    let mut file = File::create_new(file)?;
    (0..bytes / LEAST).try_for_each(|_| file.write_all(&block))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_with_space_has_no_shortage() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(shortage(folder.path(), AMPLE), None);
        let file = folder.path().join(FILE);
        fs::write(&file, "left").unwrap();
        clear(&file);
        fs::create_dir_all(file.join("inner")).unwrap();
        clear(&file);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        // Other errors are reported where the folder is used.
        assert_eq!(shortage(&folder.path().join("missing"), LEAST), None);
    }
}
