//! The library's face: opens a study, serves it, tells how far it is.

use std::fs::{File, TryLockError};
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread::JoinHandle;

use catherd_experiments::RunSpec;
use catherd_proto::transport;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_stream::wrappers::TcpListenerStream;

use crate::clock::{Clock, Monotonic};
use crate::desk::{Desk, Request};
use crate::ledger::Policy;
use crate::progress::Progress;
use crate::projects::Projects;
use crate::service::Service;
use crate::store::{Problem, Reader, Records, Store, StoreError};

/// What keeps a coordinator from opening or serving a study.
#[derive(Debug, thiserror::Error)]
pub enum CoordinatorError {
    /// The study's folder cannot be used.
    #[error("cannot use the study folder {}: {cause}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// Another process serves the study.
    #[error("{}: another catherd is serving this study; wait for it or stop it", folder.display())]
    Busy {
        /// The folder.
        folder: PathBuf,
    },
    /// The store does not work.
    #[error("{}: {cause}", file.display())]
    Store {
        /// The database file.
        file: PathBuf,
        /// Why.
        cause: StoreError,
    },
    /// Strangers could reach the coordinator.
    #[error(
        "refusing to serve on {0}: without TLS and tokens only loopback is safe; use 127.0.0.1"
    )]
    Exposed(SocketAddr),
    /// The listener does not work.
    #[error("cannot listen: {0}")]
    Listen(#[source] io::Error),
    /// The network does not work.
    #[error("cannot serve: {0}")]
    Serve(#[from] tonic::transport::Error),
}

/// Where a study lives and by which rules it is run.
pub struct Options {
    /// The study's folder; created if needed. See the crate's page for what is in it.
    pub folder: PathBuf,
    /// The rules of leases.
    pub policy: Policy,
    /// The clock behind leases.
    pub clock: Arc<dyn Clock>,
}

impl Options {
    /// The default rules on the machine's clock.
    pub fn new(folder: &Path) -> Options {
        Options {
            folder: folder.to_owned(),
            policy: Policy::default(),
            clock: Arc::new(Monotonic::default()),
        }
    }
}

/// A study that is being run. Dropping it closes the study.
pub struct Coordinator {
    service: Service,
    database: PathBuf,
    desk: Option<JoinHandle<()>>,
    /// Servers close when this is dropped.
    open: watch::Sender<()>,
}

impl Coordinator {
    /// Opens a study and makes `runs` its plan. Runs that have ended are not run again;
    /// leases of an earlier process get one fresh term.
    ///
    /// # Errors
    ///
    /// When the folder or the database cannot be used, or another process serves it.
    pub fn open(
        options: Options,
        runs: impl IntoIterator<Item = RunSpec>,
    ) -> Result<Coordinator, CoordinatorError> {
        let Options { folder, policy, clock } = options;
        let unusable = |cause| CoordinatorError::Folder { folder: folder.clone(), cause };
        let projects = Projects::open(&folder.join("projects")).map_err(unusable)?;
        let lock = File::create(folder.join("study.lock")).map_err(unusable)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(CoordinatorError::Busy { folder }),
            Err(TryLockError::Error(cause)) => return Err(unusable(cause)),
        }

        let database = folder.join("study.db");
        let broken = |cause| CoordinatorError::Store { file: database.clone(), cause };
        let mut store = Store::open(&database).map_err(broken)?;
        store.plan(runs).map_err(broken)?;
        let desk = Desk::open(&database, store, policy, clock, lock).map_err(broken)?;
        let progress = desk.watch();
        let (requests, received): (Sender<Request>, _) = mpsc::channel();
        let desk = std::thread::Builder::new()
            .name("desk".to_owned())
            .spawn(move || desk.serve(&received))
            .map_err(unusable)?;
        let draining = Arc::new(AtomicBool::new(false));
        let service = Service { desk: requests, progress, projects, policy, draining };
        Ok(Coordinator { service, database, desk: Some(desk), open: watch::Sender::new(()) })
    }

    /// The study's projects; every project of the plan must be inserted before serving.
    pub fn projects(&self) -> &Projects {
        &self.service.projects
    }

    /// Serves workers until the coordinator is dropped; connections are then closed in
    /// order, so that workers turn to a successor at the same address.
    ///
    /// # Errors
    ///
    /// When the listener breaks, or listens beyond loopback.
    pub fn serve(
        &self,
        listener: TcpListener,
    ) -> impl Future<Output = Result<(), CoordinatorError>> + Send + 'static {
        let router = transport::server(self.service.clone());
        let mut open = self.open.subscribe();
        async move {
            let address = listener.local_addr().map_err(CoordinatorError::Listen)?;
            if !address.ip().is_loopback() {
                return Err(CoordinatorError::Exposed(address));
            }
            let closed = async move { while open.changed().await.is_ok() {} };
            let incoming = TcpListenerStream::new(listener);
            Ok(router.serve_with_incoming_shutdown(incoming, closed).await?)
        }
    }

    /// How far the study is, at most a fifth of a second ago.
    pub fn progress(&self) -> Progress {
        self.service.progress.borrow().clone()
    }

    /// The progress as it changes; `wait_for(Progress::is_finished)` waits for the end.
    pub fn watch(&self) -> watch::Receiver<Progress> {
        self.service.progress.clone()
    }

    /// Tells all workers to finish what they run, hand back the rest and end.
    pub fn drain(&self) {
        self.service.draining.store(true, Ordering::Relaxed);
    }

    /// The accepted records in plan order; memory is bounded. May be called at any time.
    ///
    /// # Errors
    ///
    /// When the database refuses.
    pub fn records(&self) -> Result<Records, CoordinatorError> {
        Ok(self.reader()?.records())
    }

    /// The runs that were given up, in plan order.
    ///
    /// # Errors
    ///
    /// When the database refuses.
    pub fn quarantined(&self) -> Result<Vec<Problem>, CoordinatorError> {
        self.reader()?.quarantined().map_err(|cause| self.broken(cause))
    }

    fn reader(&self) -> Result<Reader, CoordinatorError> {
        Reader::open(&self.database).map_err(|cause| self.broken(cause))
    }

    fn broken(&self, cause: StoreError) -> CoordinatorError {
        CoordinatorError::Store { file: self.database.clone(), cause }
    }
}

impl Drop for Coordinator {
    fn drop(&mut self) {
        // A server that still runs has a sender of its own, so the desk is told to close.
        let told = self.service.desk.send(Request::Close);
        if let (Ok(()), Some(desk)) = (told, self.desk.take()) {
            drop(desk.join());
        }
    }
}
