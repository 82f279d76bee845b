//! How a worker process ends.

use std::io;
use std::path::PathBuf;

use catherd_proto::transport;

/// The exit code for a worker process that ends with [`WorkerError::DiskFull`].
pub const EXIT_DISK_FULL: u8 = 5;

/// Why a worker exited without an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitReason {
    /// All runs have ended, or the worker had no run for the idle time.
    Finished,
    /// The worker was told to drain, or its allocation ends.
    Drained,
    /// The worker was told to stop while it drained.
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
    /// A part of the worker cannot be set up.
    #[error("cannot start: {0}")]
    Start(io::Error),
    /// The address, or the configuration of its connection, is invalid.
    #[error("cannot use the address `{address}` or its certificates: {cause}")]
    Address {
        /// The given address.
        address: String,
        /// The error.
        cause: tonic::transport::Error,
    },
    /// The disk for the runs of the worker was full, and remained full for the time-out.
    #[error("{0}")]
    DiskFull(String),
    /// The coordinator refused a request or did not answer.
    #[error("coordinator {address}: {}", transport::reason(cause))]
    Coordinator {
        /// The addresses of the coordinators.
        address: String,
        /// The status of the last request.
        cause: Box<tonic::Status>,
    },
}
