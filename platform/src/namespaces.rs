//! Namespaces, which separate a program from its worker.

// Rustix has no safe functions for some system calls.
#![allow(unsafe_code)]

pub use system::{
    enter_mount_namespace, enter_namespaces, give_up_privileges, leave_network, limit_ipc,
};

#[cfg(target_os = "linux")]
mod system {
    use std::fs;
    use std::io;

    use rustix::io::Errno;
    use rustix::mount::{MountPropagationFlags, mount_change};
    use rustix::process::{getgid, getuid};
    use rustix::thread::{
        CapabilitySet, CapabilitySets, UnshareFlags, capabilities, clear_ambient_capability_set,
        configure_capability_in_ambient_set, remove_capability_from_bounding_set, set_capabilities,
        set_no_new_privs, unshare_unsafe,
    };

    /// The id of root in the namespace, because programs must not be root.
    const NOBODY: u32 = 65_534;

    /// Moves this process, which must have a single thread, into a new user namespace and a new IPC
    /// namespace. Its children will be in a new process namespace, whose init process is the first
    /// child. The children have the privileges of the user namespace until [`give_up_privileges`]
    /// is called.
    ///
    /// # Errors
    ///
    /// If a system call fails, for example because the administrator does not permit user
    /// namespaces.
    pub fn enter_namespaces() -> io::Result<()> {
        let (user, group) = (getuid().as_raw(), getgid().as_raw());
        unshare(Unshared::UserAndProcesses)?;
        let inside = |number: u32| if number == 0 { NOBODY } else { number };
        // Without this setting, a user without privileges may not map a group.
        fs::write("/proc/self/setgroups", "deny")?;
        fs::write("/proc/self/uid_map", format!("{} {user} 1", inside(user)))?;
        fs::write("/proc/self/gid_map", format!("{} {group} 1", inside(group)))?;
        // Without this setting, only root has the privileges of the namespace after executing
        // another program.
        let sets = capabilities(None)?;
        set_capabilities(None, CapabilitySets { inheritable: sets.permitted, ..sets })?;
        for capability in sets.permitted.iter() {
            configure_capability_in_ambient_set(capability, true)?;
        }
        Ok(())
    }

    /// Moves this process, after [`enter_namespaces`], into a new mount namespace.
    ///
    /// # Errors
    ///
    /// If a system call fails, for example because the administrator does not permit mount
    /// namespaces.
    pub fn enter_mount_namespace() -> io::Result<()> {
        unshare(Unshared::Mounts)?;
        Ok(mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?)
    }

    #[derive(Clone, Copy)]
    enum Unshared {
        /// A user namespace, an IPC namespace, and a process namespace for the children.
        UserAndProcesses,
        Mounts,
        Network,
    }

    fn unshare(what: Unshared) -> io::Result<()> {
        let flags = match what {
            Unshared::UserAndProcesses => {
                UnshareFlags::NEWUSER | UnshareFlags::NEWPID | UnshareFlags::NEWIPC
            }
            Unshared::Mounts => UnshareFlags::NEWNS,
            Unshared::Network => UnshareFlags::NEWNET,
        };
        // SAFETY: the call is unsafe because it can unshare the table of file descriptors, which
        // none of these flags requests.
        Ok(unsafe { unshare_unsafe(flags) }?)
    }

    /// Limits the System V shared memory in the IPC namespace of this process to this number of
    /// bytes.
    ///
    /// # Errors
    ///
    /// If the limit cannot be set.
    pub fn limit_ipc(bytes: u64) -> io::Result<()> {
        let pages = (bytes / rustix::param::page_size() as u64).max(1);
        fs::write("/proc/sys/kernel/shmall", pages.to_string())
    }

    /// Moves this process, after [`enter_namespaces`], into a new network namespace that has only
    /// the loopback device.
    ///
    /// # Errors
    ///
    /// If a system call fails.
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
        /// The flags `IFF_UP` and `IFF_RUNNING`.
        const UP: i16 = 0x41;
        let mut request = Request { name: [0; 16], flags: UP, rest: [0; 22] };
        request.name[..2].copy_from_slice(b"lo");
        // SAFETY: for this opcode, the kernel reads a `struct ifreq`, whose layout `Request` has.
        unsafe {
            let set = rustix::ioctl::Setter::<SET_FLAGS, Request>::new(request);
            rustix::ioctl::ioctl(&socket, set)?;
        }
        Ok(())
    }

    /// Prevents the programs that this process starts from gaining privileges, such as the
    /// privilege to unmount what [`restrict_view`](crate::restrict_view) mounted.
    ///
    /// # Errors
    ///
    /// If a system call fails.
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

    /// Does nothing on this system.
    ///
    /// # Errors
    ///
    /// Always.
    pub fn enter_namespaces() -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Does nothing on this system.
    ///
    /// # Errors
    ///
    /// Always.
    pub fn enter_mount_namespace() -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Does nothing on this system.
    ///
    /// # Errors
    ///
    /// Always.
    pub fn limit_ipc(_: u64) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Does nothing on this system.
    ///
    /// # Errors
    ///
    /// Always.
    pub fn leave_network() -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Does nothing on this system.
    ///
    /// # Errors
    ///
    /// Always.
    pub fn give_up_privileges() -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
