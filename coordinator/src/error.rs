//! Errors of the coordinator.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use catherd_proto::tls::TlsError;

use crate::store::{StoreError, StoreUrl, with_causes};

/// An error of a coordinator.
#[derive(Debug, thiserror::Error)]
pub enum CoordinatorError {
    /// The folder of the studies cannot be used.
    #[error("cannot use the study folder {}: {cause}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The error of the operating system.
        cause: io::Error,
    },
    /// Another process serves the SQLite file.
    #[error("another catherd is serving the store in {}; wait for it or stop it", folder.display())]
    Busy {
        /// The folder of the file.
        folder: PathBuf,
    },
    /// The store returned an error.
    #[error("{url}: {cause}")]
    Store {
        /// The store.
        url: StoreUrl,
        /// The error.
        cause: StoreError,
    },
    /// Serving on this address would expose the coordinator to other computers.
    #[error(
        "refusing to serve on {0}: without TLS and tokens only loopback is safe; use 127.0.0.1, \
         or configure certificates and tokens"
    )]
    Exposed(SocketAddr),
    /// The certificates or the key cannot be used.
    #[error("cannot set up TLS: {0}")]
    Tls(TlsError),
    /// The listener does not work.
    #[error("cannot listen: {0}")]
    Listen(io::Error),
    /// The server does not work.
    #[error("cannot serve: {}", with_causes(.0))]
    Serve(tonic::transport::Error),
}

impl From<TlsError> for CoordinatorError {
    fn from(cause: TlsError) -> CoordinatorError {
        CoordinatorError::Tls(cause)
    }
}

impl From<tonic::transport::Error> for CoordinatorError {
    fn from(cause: tonic::transport::Error) -> CoordinatorError {
        CoordinatorError::Serve(cause)
    }
}

/// The store did not answer a request, so the outcome of the request is unknown.
#[derive(Debug, thiserror::Error)]
#[error("the coordinator is closing or cannot use its store")]
pub struct StoreUnavailable;

/// Clients repeat requests with this status.
impl From<StoreUnavailable> for tonic::Status {
    fn from(error: StoreUnavailable) -> tonic::Status {
        tonic::Status::unavailable(error.to_string())
    }
}

/// The study belongs to another person.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "study `{study}` belongs to {owner}: it can be changed with a token of {owner} or of an administrator"
)]
pub struct ForeignStudy {
    /// The name of the study.
    pub study: String,
    /// The name of the study's owner.
    pub owner: String,
}

impl From<ForeignStudy> for tonic::Status {
    fn from(error: ForeignStudy) -> tonic::Status {
        tonic::Status::permission_denied(error.to_string())
    }
}

/// Why a study is not being planned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanningRefused {
    /// The study was cancelled or deleted while it was being planned.
    #[error("the study was cancelled or deleted while it was being planned")]
    Ended,
    /// Too many studies are being planned.
    #[error("{0} studies are being planned, which is the maximum; submit this study again later")]
    Busy(usize),
    /// Another person has a study with this name.
    #[error(transparent)]
    Foreign(#[from] ForeignStudy),
}

/// Why a study was not submitted, or why the outcome is unknown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SubmitError {
    /// The store did not answer.
    #[error(transparent)]
    Unavailable(#[from] StoreUnavailable),
    /// The coordinator refused to plan the study.
    #[error(transparent)]
    Refused(#[from] PlanningRefused),
}

impl From<SubmitError> for tonic::Status {
    fn from(error: SubmitError) -> tonic::Status {
        match error {
            SubmitError::Unavailable(error) => error.into(),
            SubmitError::Refused(error @ PlanningRefused::Ended) => {
                tonic::Status::aborted(error.to_string())
            }
            SubmitError::Refused(error @ PlanningRefused::Busy(_)) => {
                tonic::Status::resource_exhausted(error.to_string())
            }
            SubmitError::Refused(PlanningRefused::Foreign(error)) => error.into(),
        }
    }
}
