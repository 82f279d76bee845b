//! Restricts a program's view of the file system.
//!
//! Most files are shown through overlays without a writable layer. A socket or pipe in an overlay
//! is not the socket or pipe with the same name outside of the overlay, so no process answers.

use std::io;
use std::path::{Path, PathBuf};

pub use system::restrict_view;

/// What a program may see and write.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The folder that the program may write to.
    pub writable: &'a Path,
    /// Files and folders that the program must not see.
    pub hidden: &'a [PathBuf],
    /// Maximum total size in bytes of all files in `/dev/shm`.
    pub shared_memory: u64,
}

/// A part of the restrictions that the system did not permit.
#[derive(Debug)]
pub struct Unrestricted {
    /// The part.
    pub part: Part,
    /// Why the restriction is not in effect.
    pub cause: io::Error,
}

/// A part of the restrictions of [`restrict_view`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The paths of [`View::hidden`] are hidden.
    Hidden,
    /// Sockets and pipes of the host are not reachable.
    Sockets,
    /// Only a few devices are visible, and `/dev/shm` is empty and bounded.
    Devices,
    /// Settings of the kernel in `/proc` cannot be written, and its secrets are hidden.
    Kernel,
    /// Files cannot be written outside of [`View::writable`] and `/dev/shm`.
    Files,
}

#[cfg(target_os = "linux")]
mod system {
    use std::collections::BTreeSet;
    use std::ffi::{CStr, CString, OsStr};
    use std::fs::{self, File, FileType};
    use std::io;
    use std::os::fd::OwnedFd;
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::{FileTypeExt as _, symlink};
    use std::path::{Path, PathBuf};

    use rustix::fs::CWD;
    use rustix::io::Errno;
    use rustix::mount::{
        MountFlags, MoveMountFlags, OpenTreeFlags, mount, mount_bind, mount_bind_recursive,
        mount_remount, move_mount, open_tree,
    };

    use super::{Part, Unrestricted, View};

    const PLAIN: MountFlags = MountFlags::NOSUID.union(MountFlags::NODEV);

    const DEVICES: [&str; 5] = ["null", "zero", "full", "random", "urandom"];

    const LINKS: [(&str, &str); 5] = [
        ("/proc/self/fd", "/dev/fd"),
        ("/proc/self/fd/0", "/dev/stdin"),
        ("/proc/self/fd/1", "/dev/stdout"),
        ("/proc/self/fd/2", "/dev/stderr"),
        ("pts/ptmx", "/dev/ptmx"),
    ];

    /// Files in `/proc` with secrets of the host, such as memory or keys.
    const SECRETS: [&str; 9] = [
        "kcore",
        "keys",
        "kmsg",
        "kpagecgroup",
        "kpagecount",
        "kpageflags",
        "sched_debug",
        "slabinfo",
        "vmallocinfo",
    ];

    /// Types of file systems that contain no files of programs. An overlay cannot show them, and
    /// some of them are shared memory.
    const KERNEL_TYPES: [&str; 15] = [
        "autofs",
        "binfmt_misc",
        "bpf",
        "cgroup",
        "cgroup2",
        "configfs",
        "debugfs",
        "efivarfs",
        "fusectl",
        "hugetlbfs",
        "mqueue",
        "nfsd",
        "pstore",
        "rpc_pipefs",
        "tracefs",
    ];

    /// Separate mounts restrict these folders.
    const OWN: [&str; 3] = ["/proc", "/sys", "/dev"];

    /// An empty folder, because an overlay without a writable layer needs at least two folders.
    const EMPTY: &str = "/dev/.empty";

    /// Restricts the view of this process and its children, after
    /// [`enter_mount_namespace`](crate::enter_mount_namespace). Returns the parts that the system
    /// does not permit. If [`Part::Files`] is one of them, other parts may not be in effect either.
    pub fn restrict_view(view: &View<'_>) -> Vec<Unrestricted> {
        let mut missing = Vec::new();
        let mut note = |part: Part, result: io::Result<()>| {
            missing.extend(result.err().map(|cause| Unrestricted { part, cause }));
        };
        let writable = match fs::canonicalize(view.writable) {
            Ok(writable) => writable,
            Err(cause) => {
                note(Part::Files, Err(cause));
                return missing;
            }
        };
        // Without this mount, `/proc` shows the processes outside of the namespace, but signals
        // cannot be sent to them.
        let _ = mount("proc", "/proc", "proc", PLAIN | MountFlags::NOEXEC, None::<&CStr>);
        let tree = subtree(&writable);
        note(Part::Devices, devices(view.shared_memory));
        note(Part::Sockets, separate_sockets());
        // The new `/dev` hides a folder in the old one.
        let _ = fs::create_dir_all(&writable);
        match tree.and_then(|tree| show(&tree, &writable)) {
            Ok(()) => note(Part::Hidden, hide(view.hidden, &writable)),
            Err(cause) => note(Part::Files, Err(at(&writable, cause))),
        }
        note(Part::Kernel, protect_kernel());
        note(Part::Files, protect_files(&writable));
        missing
    }

    fn at(path: &Path, error: impl Into<io::Error>) -> io::Error {
        let error = error.into();
        io::Error::new(error.kind(), format!("{}: {error}", path.display()))
    }

    struct Mount {
        place: PathBuf,
        flags: MountFlags,
        kind: String,
    }

    /// The mounts in the order of `mountinfo`.
    fn mounts() -> io::Result<Vec<Mount>> {
        let mounts = fs::read_to_string("/proc/self/mountinfo")?;
        Ok(mounts.lines().filter_map(mount_of).collect())
    }

    fn mount_of(line: &str) -> Option<Mount> {
        let mut fields = line.split(' ').skip(4);
        // White space and backslashes are written as octal numbers.
        let place = fields.next()?;
        let place = [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")]
            .iter()
            .fold(place.to_owned(), |place, (code, text)| place.replace(code, text));
        let flags = fields.next()?.split(',').fold(MountFlags::empty(), |flags, word| {
            flags
                | match word {
                    "ro" => MountFlags::RDONLY,
                    "nosuid" => MountFlags::NOSUID,
                    "nodev" => MountFlags::NODEV,
                    "noexec" => MountFlags::NOEXEC,
                    "noatime" => MountFlags::NOATIME,
                    "nodiratime" => MountFlags::NODIRATIME,
                    "relatime" => MountFlags::RELATIME,
                    _ => MountFlags::empty(),
                }
        });
        let kind = fields.skip_while(|field| *field != "-").nth(1)?.to_owned();
        Some(Mount { place: place.into(), flags, kind })
    }

    /// Opens a folder with everything that is mounted in it.
    fn subtree(folder: &Path) -> io::Result<OwnedFd> {
        let flags = OpenTreeFlags::OPEN_TREE_CLONE
            | OpenTreeFlags::OPEN_TREE_CLOEXEC
            | OpenTreeFlags::AT_RECURSIVE;
        Ok(open_tree(CWD, folder, flags)?)
    }

    fn show(tree: &OwnedFd, path: &Path) -> io::Result<()> {
        let whole = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH;
        Ok(move_mount(tree, c"", CWD, path, whole)?)
    }

    fn devices(shared_memory: u64) -> io::Result<()> {
        let dev = Path::new("/dev");
        let kept: Vec<_> = DEVICES
            .iter()
            .filter_map(|name| Some((dev.join(name), subtree(&dev.join(name)).ok()?)))
            .collect();
        mount("tmpfs", dev, "tmpfs", PLAIN, Some(c"mode=0755,size=64k"))?;
        for (path, device) in &kept {
            File::create(path).and_then(|_| show(device, path)).map_err(|error| at(path, error))?;
        }
        for (target, link) in LINKS {
            symlink(target, link)?;
        }
        for folder in ["/dev/pts", "/dev/shm", EMPTY] {
            fs::create_dir(folder)?;
        }
        let terminals = c"newinstance,ptmxmode=0666,mode=620";
        let no_exec = MountFlags::NOSUID | MountFlags::NOEXEC;
        // Only programs that need a terminal need `/dev/pts`.
        let _ = mount("devpts", "/dev/pts", "devpts", no_exec, Some(terminals));
        let options = CString::new(format!("mode=1777,size={shared_memory}"))?;
        Ok(mount("tmpfs", "/dev/shm", "tmpfs", PLAIN, Some(&*options))?)
    }

    /// Shows folders through overlays, so that their sockets and pipes are not the sockets and
    /// pipes of the host.
    fn separate_sockets() -> io::Result<()> {
        let mounts = mounts()?;
        let is_own = |place: &Path| OWN.iter().any(|own| place.starts_with(own));
        let places: BTreeSet<&Path> =
            mounts.iter().map(|mount| &*mount.place).filter(|place| !is_own(place)).collect();
        // The last mount on a path is the visible one.
        let kind = |place: &Path| {
            mounts.iter().rfind(|mount| mount.place == place).map(|mount| &*mount.kind)
        };
        let mut open = vec![PathBuf::from("/")];
        let mut failed = Ok(());
        while let Some(folder) = open.pop() {
            if is_own(&folder) {
                continue;
            }
            if kind(&folder).is_some_and(|kind| KERNEL_TYPES.contains(&kind)) {
                cover(&folder)?;
                continue;
            }
            let has_mounts =
                places.iter().any(|place| *place != folder && place.starts_with(&folder));
            if !has_mounts {
                let separated = overlay(&folder);
                failed = failed.and(separated);
                continue;
            }
            // An overlay would not show what is mounted in the folder.
            let Ok(entries) = fs::read_dir(&folder) else {
                hide_known_sockets(&folder);
                open.extend(uppermost_within(&folder, &places));
                continue;
            };
            for entry in entries.flatten() {
                let Ok(kind) = entry.file_type() else { continue };
                match kind.is_dir() {
                    true => open.push(entry.path()),
                    false => separate_file(&entry.path(), kind)?,
                }
            }
        }
        failed
    }

    /// Returns the `places` within `folder` that are folders, without those within another of them.
    fn uppermost_within(folder: &Path, places: &BTreeSet<&Path>) -> Vec<PathBuf> {
        let mut found: Vec<PathBuf> = Vec::new();
        // A place comes before the places in it.
        for place in places.iter().filter(|place| **place != folder && place.starts_with(folder)) {
            if place.is_dir() && found.last().is_none_or(|last| !place.starts_with(last)) {
                found.push(place.to_path_buf());
            }
        }
        found
    }

    /// A folder that this user cannot list may be left out, because the program cannot list it
    /// either. If the folder can be entered, the program may know the names of sockets.
    fn overlay(folder: &Path) -> io::Result<()> {
        let mut lower = Vec::new();
        for &byte in folder.as_os_str().as_bytes() {
            if b":,\\".contains(&byte) {
                lower.push(b'\\');
            }
            lower.push(byte);
        }
        let options = [b"userxattr,lowerdir=", &*lower, b":", EMPTY.as_bytes()].concat();
        let options = CString::new(options)?;
        match mount("overlay", folder, "overlay", PLAIN | MountFlags::RDONLY, Some(&*options)) {
            Ok(()) | Err(Errno::NOENT | Errno::NOTDIR) => Ok(()),
            Err(Errno::ACCESS | Errno::PERM) if fs::read_dir(folder).is_err() => {
                hide_known_sockets(folder);
                Ok(())
            }
            // Programs do not need the state of running services.
            Err(_) if folder.starts_with("/run") => cover(folder),
            Err(error) => {
                hide_known_sockets(folder);
                Err(at(folder, error))
            }
        }
    }

    fn hide_known_sockets(folder: &Path) {
        let sockets = fs::read("/proc/net/unix").unwrap_or_default();
        let paths = sockets.split(|byte| *byte == b'\n').filter_map(path_of_socket);
        for path in paths.filter(|path| path.starts_with(folder)) {
            // A socket that cannot be hidden no longer exists, or cannot be reached.
            let _ = mount_bind("/dev/null", path);
        }
    }

    /// The path after the seven fields of a line of `/proc/net/unix`, which may contain spaces.
    fn path_of_socket(line: &[u8]) -> Option<&Path> {
        let mut rest = line;
        for _field in 0..7 {
            rest = rest.trim_ascii_start();
            rest = &rest[rest.iter().position(|byte| *byte == b' ')?..];
        }
        // Names of abstract sockets begin with another character.
        let path = rest.trim_ascii_start();
        path.starts_with(b"/").then(|| Path::new(OsStr::from_bytes(path)))
    }

    fn separate_file(path: &Path, kind: FileType) -> io::Result<()> {
        if kind.is_socket() || kind.is_fifo() {
            mount_bind("/dev/null", path).map_err(|error| at(path, error))?;
        }
        Ok(())
    }

    fn cover(folder: &Path) -> io::Result<()> {
        mount("tmpfs", folder, "tmpfs", PLAIN, Some(c"mode=0755,size=64k"))
            .map_err(|error| at(folder, error))
    }

    /// The folder `visible` stays visible, even within a hidden folder.
    fn hide(paths: &[PathBuf], visible: &Path) -> io::Result<()> {
        let mut hidden: Vec<PathBuf> = Vec::new();
        let mut real: Vec<_> =
            paths.iter().filter_map(|path| fs::canonicalize(path).ok()).collect();
        // A folder must come before its contents, which are hidden with it.
        real.sort_unstable();
        for path in real {
            if hidden.last().is_none_or(|folder| !path.starts_with(folder)) {
                hidden.push(path);
            }
        }
        for path in &hidden {
            if !path.is_dir() {
                mount_bind("/dev/null", path).map_err(|error| at(path, error))?;
                continue;
            }
            let within = visible.starts_with(path);
            let tree = within.then(|| subtree(visible)).transpose();
            let tree = tree.map_err(|error| at(path, error))?;
            cover(path)?;
            if let Some(tree) = tree {
                fs::create_dir_all(visible)?;
                show(&tree, visible).map_err(|error| at(path, error))?;
            }
            let frozen = PLAIN | MountFlags::BIND | MountFlags::RDONLY;
            mount_remount(path, frozen, c"").map_err(|error| at(path, error))?;
        }
        Ok(())
    }

    /// Files of processes remain writable.
    fn protect_kernel() -> io::Result<()> {
        for entry in fs::read_dir("/proc")?.flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let is_process = name.as_bytes().first().is_some_and(u8::is_ascii_digit);
            if is_process || entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
                continue;
            }
            let is_secret = SECRETS.iter().any(|secret| *secret == name);
            let frozen = PLAIN | MountFlags::NOEXEC | MountFlags::BIND | MountFlags::RDONLY;
            let protected = match is_secret {
                true => mount_bind("/dev/null", &path),
                false => mount_bind_recursive(&path, &path)
                    .and_then(|()| mount_remount(&path, frozen, c"")),
            };
            protected.map_err(|error| at(&path, error))?;
        }
        Ok(())
    }

    fn protect_files(writable: &Path) -> io::Result<()> {
        // Only a separate mount can remain writable.
        mount_bind_recursive(writable, writable).map_err(|error| at(writable, error))?;
        let mut places = mounts()?;
        // Only the last of several mounts on one path is visible.
        places.reverse();
        let mut seen: Vec<PathBuf> = vec![writable.to_owned()];
        seen.extend(["/dev/shm", "/dev/pts", "/proc"].map(PathBuf::from));
        for Mount { place, flags, .. } in places {
            if place.starts_with("/proc/") || seen.contains(&place) {
                continue;
            }
            seen.push(place.clone());
            if flags.contains(MountFlags::RDONLY) {
                continue;
            }
            let frozen = flags | MountFlags::BIND | MountFlags::RDONLY;
            match mount_remount(&place, frozen, c"") {
                // Another mount hides this mount.
                Ok(()) | Err(Errno::INVAL | Errno::NOENT | Errno::NOTDIR) => {}
                Err(error) => return Err(at(&place, error)),
            }
        }
        Ok(())
    }

    #[cfg(test)]
    mod tests {
        use super::{Path, path_of_socket};

        #[test]
        fn names_of_abstract_sockets_are_not_paths() {
            let path = |name: &str| {
                let line =
                    format!("0000000000000000: 00000002 00000000 00010000 0001 01  1234 {name}");
                path_of_socket(line.as_bytes()).map(Path::to_owned)
            };
            assert_eq!(path("/run/a b /c").as_deref(), Some(Path::new("/run/a b /c")));
            assert_eq!(path("@a /etc/passwd"), None);
            assert_eq!(
                path_of_socket(b"0000000000000000: 00000003 00000000 00000000 0001 03 77"),
                None
            );
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use super::{Unrestricted, View};

    /// Restricts nothing on this system.
    pub fn restrict_view(_: &View<'_>) -> Vec<Unrestricted> {
        Vec::new()
    }
}
