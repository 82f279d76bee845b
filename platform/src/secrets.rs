//! Files for secrets.

use std::fs::{self, DirBuilder, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use crate::files::{only_for_owner, with_mode};

/// Writes a secret to a file atomically. Only the owner can read the new file (mode 0600), where
/// the system has permission bits.
///
/// # Errors
///
/// If the file cannot be written.
pub fn write_private(file: &Path, text: &str) -> io::Result<()> {
    let name = file.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let mut temporary = std::ffi::OsString::from(".");
    temporary.push(name);
    temporary.push(format!(".{}", std::process::id()));
    let temporary = file.with_file_name(temporary);
    let mut options = OpenOptions::new();
    let options = with_mode(options.write(true).create_new(true), 0o600);
    let opened = options.open(&temporary).or_else(|_| {
        // An earlier process with this id may have ended before it renamed its file.
        fs::remove_file(&temporary)?;
        options.open(&temporary)
    });
    let written = opened.and_then(|mut opened| {
        opened.write_all(text.as_bytes())?;
        opened.sync_all()?;
        fs::rename(&temporary, file)
    });
    if written.is_err() {
        // The error from writing is reported, not an error from removing the file.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// Creates a folder and its parent folders. Only the owner can enter new folders (mode 0700), where
/// the system has permission bits.
///
/// # Errors
///
/// If the folder cannot be created.
pub fn create_private_folder(folder: &Path) -> io::Result<()> {
    only_for_owner(DirBuilder::new().recursive(true)).create(folder)
}

/// Checks that a file or folder belongs to the user of this process, and that no other user has
/// access to it.
///
/// # Errors
///
/// If the file or folder is not private.
#[cfg(unix)]
pub fn check_private(metadata: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    let kind = if metadata.is_dir() { "folder" } else { "file" };
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        let text = format!("the {kind} belongs to user {}", metadata.uid());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, text));
    }
    match metadata.mode() & 0o777 {
        mode if mode & 0o077 == 0 => Ok(()),
        mode => {
            let text = format!("the {kind} is open to other users (mode {mode:04o})");
            Err(io::Error::new(io::ErrorKind::PermissionDenied, text))
        }
    }
}

/// Checks nothing on this system.
///
/// # Errors
///
/// Never.
#[cfg(not(unix))]
pub fn check_private(_: &Metadata) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn only_its_owner_can_read_a_secret() {
        let folder = std::env::temp_dir().join(format!("catherd-secret-{}", std::process::id()));
        create_private_folder(&folder).unwrap();
        check_private(&fs::metadata(&folder).unwrap()).unwrap();
        let path = folder.join("secret");
        fs::write(&path, "former").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let flaw = check_private(&fs::metadata(&path).unwrap()).unwrap_err();
        assert_eq!(flaw.to_string(), "the file is open to other users (mode 0640)");
        write_private(&path, "new").unwrap();
        check_private(&fs::metadata(&path).unwrap()).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "no other file is left");
        fs::remove_dir_all(folder).unwrap();
    }
}
