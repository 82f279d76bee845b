//! How a worker process ends.

use std::io;
use std::path::PathBuf;

use catherd_proto::transport;

/// The exit code for a worker process that ends with [`WorkerError::DiskFull`]. A
/// [`LocalFleet`](crate::LocalFleet) does not start such a worker again.
pub const EXIT_DISK_FULL: u8 = 5;

/// Why a worker exited without an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitReason {
    /// The coordinator has announced that all runs have ended, or the worker had no run for its
    /// idle time.
    Finished,
    /// The worker was told to drain, or its allocation ends. The current run was committed or
    /// returned, and the other leases were returned.
    Drained,
    /// The worker was told to stop while it drained, so it did not wait for the current run.
    Stopped,
}

/// Why a worker failed.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// The core cannot be used.
    #[error("cannot pin to core {core}: {cause}; name one of {allowed:?}")]
    Pin {
        /// The core.
        core: usize,
        /// The cores that this process may use.
        allowed: Vec<usize>,
        /// The error of the system.
        cause: io::Error,
    },
    /// The spool cannot be used.
    #[error("cannot use the spool {}: {cause}", folder.display())]
    Spool {
        /// The folder.
        folder: PathBuf,
        /// The error of the system.
        cause: io::Error,
    },
    /// A thread, a signal handler or another part of the worker cannot be set up.
    #[error("cannot start: {0}")]
    Start(io::Error),
    /// The address, or the configuration of its connection, is invalid.
    #[error("`{address}` is not the address of a coordinator: {cause}; write http://HOST:PORT")]
    Address {
        /// The given address.
        address: String,
        /// The error.
        cause: tonic::transport::Error,
    },
    /// The disk for the runs of the worker was full, and remained full for the time-out.
    #[error("{0}")]
    DiskFull(String),
    /// The coordinator refused a request, or did not answer within the retry time-out.
    #[error("coordinator {address}: {}", transport::reason(cause))]
    Coordinator {
        /// The addresses of the coordinators.
        address: String,
        /// The status of the last request.
        cause: Box<tonic::Status>,
    },
}
