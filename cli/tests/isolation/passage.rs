//! A folder of another user that can be entered but not listed, and in which a file system is
//! mounted. Only root can make such a folder.

// Unsafe code is needed because mounting has no safe interface.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString};
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A user who is not the user of the test.
const OTHER: u32 = 12_345;

pub(crate) struct Passage(TempDir);

impl Passage {
    /// `None` if this user is not permitted to make the folder.
    pub(crate) fn new() -> Option<Passage> {
        // SAFETY: the call has no arguments and does not fail.
        let user = unsafe { libc::geteuid() };
        // SAFETY: the flag only gives this thread a mount namespace of its own.
        if user != 0 || unsafe { libc::unshare(libc::CLONE_NEWNS) } != 0 {
            return None;
        }
        let private = libc::MS_PRIVATE | libc::MS_REC;
        let is_private = mount(c"none", Path::new("/"), None, private);
        let passage = Passage(TempDir::new().unwrap());
        fs::create_dir(passage.within()).unwrap();
        if !is_private || !mount(c"tmpfs", &passage.within(), Some(c"tmpfs"), 0) {
            return None;
        }
        let enterable = Permissions::from_mode(0o711);
        fs::set_permissions(passage.0.path(), enterable).unwrap();
        std::os::unix::fs::chown(passage.0.path(), Some(OTHER), Some(OTHER)).unwrap();
        Some(passage)
    }

    fn within(&self) -> PathBuf {
        self.0.path().join("within")
    }

    /// The paths of sockets that no listing finds, each with the question that it answers.
    pub(crate) fn sockets(&self) -> [(&str, PathBuf); 2] {
        [
            ("socket in a folder that cannot be listed", self.0.path().join("a socket")),
            ("socket in a file system in such a folder", self.within().join("socket")),
        ]
    }
}

impl Drop for Passage {
    fn drop(&mut self) {
        let place = CString::new(self.within().as_os_str().as_bytes()).unwrap();
        // SAFETY: the string ends with a zero byte.
        unsafe { libc::umount2(place.as_ptr(), libc::MNT_DETACH) };
    }
}

fn mount(source: &CStr, place: &Path, kind: Option<&CStr>, flags: libc::c_ulong) -> bool {
    let place = CString::new(place.as_os_str().as_bytes()).unwrap();
    let kind = kind.map_or(std::ptr::null(), CStr::as_ptr);
    // SAFETY: the strings end with zero bytes, and the kind and the data may be null.
    unsafe { libc::mount(source.as_ptr(), place.as_ptr(), kind, flags, std::ptr::null()) == 0 }
}
