//! Namespaces that hide the processes and the secret files of a worker from a program.

// System calls for which rustix has no safe functions.
#![allow(unsafe_code)]

pub use system::{
    enter_mount_namespace, enter_namespaces, give_up_privileges, hide, leave_network, mount_proc,
    protect_files,
};

#[cfg(target_os = "linux")]
mod system {
    use std::ffi::CStr;
    use std::fs;
    use std::io;
    use std::path::{Path, PathBuf};

    use rustix::fs::CWD;
    use rustix::io::Errno;
    use rustix::mount::{
        MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, mount, mount_bind,
        mount_change, mount_remount, move_mount, open_tree,
    };
    use rustix::process::{getgid, getuid};
    use rustix::thread::{
        CapabilitySet, CapabilitySets, UnshareFlags, capabilities, clear_ambient_capability_set,
        configure_capability_in_ambient_set, remove_capability_from_bounding_set, set_capabilities,
        set_no_new_privs, unshare_unsafe,
    };

    const PLAIN: MountFlags = MountFlags::NOSUID.union(MountFlags::NODEV);

    /// Gives this process, which must have a single thread, a user namespace of its own, and its
    /// children a process namespace, whose init process is the first child. When the init process
    /// ends, the kernel kills all other processes of the namespace. User and group keep their
    /// numbers; the children have the privileges of the user namespace until
    /// [`give_up_privileges`].
    ///
    /// # Errors
    ///
    /// If the kernel or the administrator does not permit user namespaces.
    pub fn enter_namespaces() -> io::Result<()> {
        let (user, group) = (getuid().as_raw(), getgid().as_raw());
        unshare(Unshared::UserAndProcesses)?;
        // Otherwise a user without privileges may not map a group.
        fs::write("/proc/self/setgroups", "deny")?;
        fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
        fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
        // Otherwise a child that executes another program only has the privileges of the namespace
        // if the user is root.
        let sets = capabilities(None)?;
        set_capabilities(None, CapabilitySets { inheritable: sets.permitted, ..sets })?;
        for capability in sets.permitted.iter() {
            configure_capability_in_ambient_set(capability, true)?;
        }
        Ok(())
    }

    /// Gives this process, after [`enter_namespaces`], its own mounts: only this process and its
    /// children see what it mounts.
    ///
    /// # Errors
    ///
    /// If the kernel or the administrator does not permit it.
    pub fn enter_mount_namespace() -> io::Result<()> {
        unshare(Unshared::Mounts)?;
        Ok(mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?)
    }

    /// What a process no longer shares with others.
    #[derive(Clone, Copy)]
    enum Unshared {
        /// A user namespace, and a process namespace for its children.
        UserAndProcesses,
        Mounts,
        Network,
    }

    fn unshare(what: Unshared) -> io::Result<()> {
        let flags = match what {
            Unshared::UserAndProcesses => UnshareFlags::NEWUSER | UnshareFlags::NEWPID,
            Unshared::Mounts => UnshareFlags::NEWNS,
            Unshared::Network => UnshareFlags::NEWNET,
        };
        // SAFETY: the call is unsafe because it can unshare the table of file descriptors, which none of
        // these flags requests. Every other function of rustix for it is deprecated.
        Ok(unsafe { unshare_unsafe(flags) }?)
    }

    /// Mounts the `/proc` of the process namespace that this process is in.
    ///
    /// # Errors
    ///
    /// If the system refuses, as it does in containers that mask parts of `/proc`. Processes
    /// outside of the namespace then remain visible, but cannot be signalled.
    pub fn mount_proc() -> io::Result<()> {
        Ok(mount("proc", "/proc", "proc", PLAIN | MountFlags::NOEXEC, None::<&CStr>)?)
    }

    /// Hides `paths` behind empty files and folders, for this process and its children, after
    /// [`enter_mount_namespace`]. The folder `visible` stays visible, even within a hidden folder.
    /// Paths that do not exist are skipped.
    ///
    /// # Errors
    ///
    /// The first path that cannot be hidden.
    pub fn hide(paths: &[PathBuf], visible: &Path) -> io::Result<()> {
        let visible = fs::canonicalize(visible)?;
        let mut hidden: Vec<PathBuf> = Vec::new();
        let mut real: Vec<_> =
            paths.iter().filter_map(|path| fs::canonicalize(path).ok()).collect();
        // A folder comes before its contents, which are hidden with it.
        real.sort_unstable();
        for path in real {
            if hidden.last().is_none_or(|folder| !path.starts_with(folder)) {
                hidden.push(path);
            }
        }
        let flags = OpenTreeFlags::OPEN_TREE_CLONE
            | OpenTreeFlags::OPEN_TREE_CLOEXEC
            | OpenTreeFlags::AT_RECURSIVE;
        for path in &hidden {
            let failed = |error: Errno| {
                let error = io::Error::from(error);
                io::Error::new(error.kind(), format!("{}: {error}", path.display()))
            };
            if !path.is_dir() {
                mount_bind("/dev/null", path).map_err(failed)?;
                continue;
            }
            let within = visible.starts_with(path);
            let tree = within.then(|| open_tree(CWD, &visible, flags)).transpose();
            let tree = tree.map_err(failed)?;
            mount("tmpfs", path, "tmpfs", PLAIN, Some(c"mode=0755,size=64k")).map_err(failed)?;
            if let Some(tree) = tree {
                fs::create_dir_all(&visible)?;
                let whole = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH;
                move_mount(&tree, c"", CWD, &visible, whole).map_err(failed)?;
            }
            let frozen = PLAIN | MountFlags::BIND | MountFlags::RDONLY;
            mount_remount(path, frozen, c"").map_err(failed)?;
        }
        Ok(())
    }

    /// Makes all files read-only for this process and its children, after
    /// [`enter_mount_namespace`], except the files in the folder `writable`. `/dev/shm` is empty
    /// and writable.
    ///
    /// # Errors
    ///
    /// The first path that remains writable.
    pub fn protect_files(writable: &Path) -> io::Result<()> {
        let writable = fs::canonicalize(writable)?;
        mount_bind(&writable, &writable)?;
        // A program that uses shared memory gets its own. If that fails, some programs still run.
        let _ = mount("tmpfs", "/dev/shm", "tmpfs", PLAIN, Some(c"mode=1777"));
        let mounts = fs::read_to_string("/proc/self/mountinfo")?;
        let mut places: Vec<(PathBuf, MountFlags)> = mounts.lines().filter_map(place).collect();
        // Of several mounts on one path only the last one is visible.
        places.reverse();
        let mut seen: Vec<PathBuf> = vec![writable, PathBuf::from("/dev/shm")];
        for (place, flags) in places {
            let kernel = ["/proc", "/sys", "/dev"].iter().any(|folder| place.starts_with(folder));
            if kernel || flags.contains(MountFlags::RDONLY) || seen.contains(&place) {
                continue;
            }
            let frozen = flags | MountFlags::BIND | MountFlags::RDONLY;
            match mount_remount(&place, frozen, c"") {
                // Another mount hides it.
                Ok(()) | Err(Errno::INVAL | Errno::NOENT | Errno::NOTDIR) => seen.push(place),
                Err(error) => {
                    let error = io::Error::from(error);
                    let cause = format!("{}: {error}", place.display());
                    return Err(io::Error::new(error.kind(), cause));
                }
            }
        }
        Ok(())
    }

    /// The path and the flags of a line of `mountinfo`; `None` if the line is malformed.
    fn place(line: &str) -> Option<(PathBuf, MountFlags)> {
        let mut fields = line.split(' ').skip(4);
        // Blanks and backslashes are written as octal numbers.
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
        Some((place.into(), flags))
    }

    /// Gives this process and its children a network of their own, after [`enter_namespaces`], with
    /// only the loopback device.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub fn leave_network() -> io::Result<()> {
        unshare(Unshared::Network)?;
        let socket = std::net::UdpSocket::bind("0.0.0.0:0")?;
        /// The kernel's `struct ifreq` with flags.
        #[repr(C)]
        struct Request {
            name: [u8; 16],
            flags: i16,
            rest: [u8; 22],
        }
        const SET_FLAGS: rustix::ioctl::Opcode = 0x8914;
        /// The device is up and running.
        const UP: i16 = 0x41;
        let mut request = Request { name: [0; 16], flags: UP, rest: [0; 22] };
        request.name[..2].copy_from_slice(b"lo");
        // SAFETY: the kernel reads a `struct ifreq` for this opcode, which `Request` is.
        unsafe {
            let set = rustix::ioctl::Setter::<SET_FLAGS, Request>::new(request);
            rustix::ioctl::ioctl(&socket, set)?;
        }
        Ok(())
    }

    /// Prevents the programs that this process starts from gaining privileges: the privileges of
    /// their user namespace, with which they could unmount what [`hide`] mounted, and the
    /// privileges of executables with the set-user-id bit.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub fn give_up_privileges() -> io::Result<()> {
        for capability in CapabilitySet::all().iter() {
            match remove_capability_from_bounding_set(capability) {
                // The kernel is older than this capability.
                Ok(()) | Err(Errno::INVAL) => {}
                Err(error) => return Err(error.into()),
            }
        }
        clear_ambient_capability_set()?;
        let inheritable = CapabilitySet::empty();
        set_capabilities(None, CapabilitySets { inheritable, ..capabilities(None)? })?;
        Ok(set_no_new_privs(true)?)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::io;
    use std::path::{Path, PathBuf};

    /// Does nothing: this system has no namespaces.
    ///
    /// # Errors
    ///
    /// Always.
    pub fn enter_namespaces() -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Does nothing: this system has no namespaces.
    ///
    /// # Errors
    ///
    /// Always.
    pub fn enter_mount_namespace() -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Does nothing: this system has no namespaces.
    ///
    /// # Errors
    ///
    /// Always.
    pub fn mount_proc() -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Does nothing: this system has no namespaces.
    ///
    /// # Errors
    ///
    /// Always.
    pub fn hide(_: &[PathBuf], _: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Does nothing: this system has no namespaces.
    ///
    /// # Errors
    ///
    /// Always.
    pub fn protect_files(_: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Does nothing: this system has no namespaces.
    ///
    /// # Errors
    ///
    /// Always.
    pub fn leave_network() -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Does nothing: this system has no namespaces.
    ///
    /// # Errors
    ///
    /// Always.
    pub fn give_up_privileges() -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
