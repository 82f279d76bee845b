//! Permissions, access and removal of files, and available space.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

pub use system::{available_space, only_for_owner, with_mode};

#[cfg(unix)]
mod system {
    use std::fs::{DirBuilder, FileType, OpenOptions, Permissions};
    use std::io;
    use std::os::unix::fs::{DirBuilderExt, FileTypeExt, OpenOptionsExt, PermissionsExt};
    use std::path::Path;

    use rustix::fs::OFlags;

    /// Requests these permission bits for a file that is created.
    pub fn with_mode(options: &mut OpenOptions, mode: u32) -> &mut OpenOptions {
        options.mode(mode)
    }

    /// Makes a new folder accessible only to its owner.
    pub fn only_for_owner(builder: &mut DirBuilder) -> &mut DirBuilder {
        builder.mode(0o700)
    }

    /// Makes opening a symbolic link an error. A FIFO is opened without waiting for a writer.
    pub(super) fn without_following_or_waiting(options: &mut OpenOptions) -> &mut OpenOptions {
        options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed())
    }

    /// Bytes that are available to users without privileges in the file system of a path, without
    /// regard to quotas.
    pub fn available_space(path: &Path) -> Option<u64> {
        let space = rustix::fs::statvfs(path).ok()?;
        Some(space.f_bavail.saturating_mul(space.f_frsize))
    }

    pub(super) fn make_accessible(folder: &Path) -> io::Result<()> {
        std::fs::set_permissions(folder, Permissions::from_mode(0o700))
    }

    pub(super) fn special(kind: FileType) -> &'static str {
        if kind.is_fifo() {
            "a FIFO"
        } else if kind.is_socket() {
            "a socket"
        } else {
            "a device"
        }
    }
}

#[cfg(not(unix))]
mod system {
    use std::fs::{DirBuilder, FileType, OpenOptions};
    use std::io;
    use std::path::Path;

    /// Does nothing on this system.
    pub fn with_mode(options: &mut OpenOptions, _: u32) -> &mut OpenOptions {
        options
    }

    /// Does nothing on this system.
    pub fn only_for_owner(builder: &mut DirBuilder) -> &mut DirBuilder {
        builder
    }

    pub(super) fn without_following_or_waiting(options: &mut OpenOptions) -> &mut OpenOptions {
        options
    }

    /// `None`, because the space is not known on this system.
    pub fn available_space(_: &Path) -> Option<u64> {
        None
    }

    pub(super) fn make_accessible(_: &Path) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn special(_: FileType) -> &'static str {
        "a device"
    }
}

/// Opens a regular file for reading, without following a symbolic link or waiting for a FIFO or
/// device.
///
/// # Errors
///
/// If the file cannot be opened, or if it is not a regular file.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let check = |kind: fs::FileType| {
        let what = if kind.is_file() {
            return Ok(());
        } else if kind.is_symlink() {
            "a symbolic link"
        } else if kind.is_dir() {
            "a folder"
        } else {
            system::special(kind)
        };
        Err(io::Error::other(format!("{what}, not a regular file")))
    };
    check(fs::symlink_metadata(path)?.file_type())?;
    let file = system::without_following_or_waiting(OpenOptions::new().read(true)).open(path)?;
    // The path may lead to a different file by now.
    check(file.metadata()?.file_type())?;
    Ok(file)
}

/// Removes a folder with all its contents, even if a folder in it denies access to its owner.
/// Symbolic links are not followed.
///
/// # Errors
///
/// If something cannot be removed. A missing folder is not an error.
pub fn remove_folder(folder: &Path) -> io::Result<()> {
    let gone = |removed: io::Result<()>| match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    };
    match gone(fs::remove_dir_all(folder)) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            let mut folders = vec![folder.to_owned()];
            while let Some(folder) = folders.pop() {
                system::make_accessible(&folder)?;
                for entry in fs::read_dir(&folder)? {
                    let entry = entry?;
                    if entry.file_type()?.is_dir() {
                        folders.push(entry.path());
                    }
                }
            }
            gone(fs::remove_dir_all(folder))
        }
        removed => removed,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::process::Command;

    use super::*;

    fn place(name: &str) -> std::path::PathBuf {
        std::env::temp_dir().join(format!("catherd-{name}-{}", std::process::id()))
    }

    #[test]
    fn a_new_file_has_the_mode() {
        let path = place("mode");
        let mut options = OpenOptions::new();
        let file = with_mode(options.write(true).create_new(true), 0o600).open(&path).unwrap();
        let mode = file.metadata().unwrap().permissions().mode();
        std::fs::remove_file(path).unwrap();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn only_regular_files_are_opened_and_every_folder_is_removed() {
        let folder = place("regular");
        let closed = folder.join("closed");
        fs::create_dir_all(closed.join("inner")).unwrap();
        fs::write(folder.join("file"), "text").unwrap();
        symlink("file", folder.join("link")).unwrap();
        symlink("/dev/zero", folder.join("device")).unwrap();
        let fifo = folder.join("fifo");
        assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        assert!(open_regular(&folder.join("file")).is_ok());
        let refused = |name: &str| open_regular(&folder.join(name)).unwrap_err().to_string();
        assert_eq!(refused("link"), "a symbolic link, not a regular file");
        assert_eq!(refused("device"), "a symbolic link, not a regular file");
        assert_eq!(refused("fifo"), "a FIFO, not a regular file");
        assert_eq!(refused("closed"), "a folder, not a regular file");
        assert_eq!(
            open_regular(Path::new("/dev/zero")).unwrap_err().to_string(),
            "a device, not a regular file"
        );
        fs::set_permissions(&closed, Permissions::from_mode(0o000)).unwrap();
        remove_folder(&folder).unwrap();
        assert!(!folder.exists());
        remove_folder(&folder).unwrap();
    }
}
