//! System calls that a program must not make, and descriptors that it must not inherit.

// Descriptors of other libraries are known only by their numbers.
#![allow(unsafe_code)]

pub use system::{close_descriptors, refuse_calls};

#[cfg(target_os = "linux")]
mod system {
    use std::collections::BTreeMap;
    use std::fs;
    use std::io;
    use std::os::fd::BorrowedFd;

    use rustix::io::{FdFlags, fcntl_setfd};
    use seccompiler::{
        BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
        SeccompRule,
    };

    /// The address families of sockets that a namespace separates.
    const FAMILIES: [i32; 4] = [libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];

    /// Maximum size of a segment of System V shared memory, in bytes. By default, a namespace has
    /// at most 4,096 segments.
    const MAX_SEGMENT_BYTES: u64 = 64 << 10;

    /// Calls that could have effects outside of the namespaces.
    const REFUSED: [i64; 12] = [
        libc::SYS_add_key,
        libc::SYS_bpf,
        libc::SYS_fanotify_init,
        libc::SYS_io_uring_enter,
        libc::SYS_io_uring_register,
        libc::SYS_io_uring_setup,
        libc::SYS_kexec_load,
        libc::SYS_keyctl,
        libc::SYS_open_by_handle_at,
        libc::SYS_perf_event_open,
        libc::SYS_request_key,
        libc::SYS_userfaultfd,
    ];

    /// Prevents programs that this process starts from now on from inheriting the descriptors that
    /// are open now, except standard input, output and error.
    ///
    /// # Errors
    ///
    /// If the descriptors cannot be listed.
    pub fn close_descriptors() -> io::Result<()> {
        for entry in fs::read_dir("/proc/self/fd")? {
            let number = entry?.file_name().to_str().and_then(|name| name.parse::<i32>().ok());
            let Some(number) = number.filter(|number| *number > 2) else { continue };
            // SAFETY: the number is not -1, and the descriptor is borrowed only for this call. If
            // another thread has closed it since the folder was read, the call fails, or sets the
            // flag of a newer descriptor, which is harmless.
            let descriptor = unsafe { BorrowedFd::borrow_raw(number) };
            let _ = fcntl_setfd(descriptor, FdFlags::CLOEXEC);
        }
        Ok(())
    }

    /// Makes the kernel refuse calls that could have effects outside of this process's namespaces,
    /// from the calling thread and all processes that it starts. `large_segments` means that large
    /// segments of System V shared memory are refused as well.
    ///
    /// # Errors
    ///
    /// If the kernel does not accept a filter.
    pub fn refuse_calls(large_segments: bool) -> io::Result<()> {
        let family = |family: &i32| {
            let family = u64::from(family.unsigned_abs());
            SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, family)
        };
        let wrong = |cause: seccompiler::BackendError| io::Error::other(cause.to_string());
        let families: Result<Vec<_>, _> = FAMILIES.iter().map(family).collect();
        let other_families = SeccompRule::new(families.map_err(wrong)?).map_err(wrong)?;
        let of_sockets: BTreeMap<i64, Vec<SeccompRule>> = [
            (libc::SYS_socket, vec![other_families.clone()]),
            (libc::SYS_socketpair, vec![other_families]),
        ]
        .into();
        let mut refused: BTreeMap<i64, Vec<SeccompRule>> =
            REFUSED.into_iter().map(|call| (call, Vec::new())).collect();
        if large_segments {
            let size = SeccompCondition::new(
                1,
                SeccompCmpArgLen::Qword,
                SeccompCmpOp::Gt,
                MAX_SEGMENT_BYTES,
            );
            let large = SeccompRule::new(vec![size.map_err(wrong)?]).map_err(wrong)?;
            refused.insert(libc::SYS_shmget, vec![large]);
        }
        for (rules, error) in [(of_sockets, libc::EAFNOSUPPORT), (refused, libc::ENOSYS)] {
            let action = SeccompAction::Errno(error.unsigned_abs());
            let machine = std::env::consts::ARCH.try_into().map_err(wrong)?;
            let filter = SeccompFilter::new(rules, SeccompAction::Allow, action, machine);
            let program: BpfProgram = filter
                .and_then(TryInto::try_into)
                .map_err(|cause| io::Error::other(cause.to_string()))?;
            seccompiler::apply_filter(&program)
                .map_err(|cause| io::Error::other(cause.to_string()))?;
        }
        Ok(())
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::io;

    /// Does nothing on this system.
    ///
    /// # Errors
    ///
    /// Never.
    pub fn close_descriptors() -> io::Result<()> {
        Ok(())
    }

    /// Does nothing on this system.
    ///
    /// # Errors
    ///
    /// Always.
    pub fn refuse_calls(_: bool) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
