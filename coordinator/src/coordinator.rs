//! The library's face: opens a store, serves its studies, tells how far they are.

use std::fs::{File, TryLockError};
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use catherd_experiments::{Engines, Plan, RunRecord, RunSpec};
use catherd_proto::transport::{self, Connected, Tls};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_stream::Stream;
use tonic::transport::server::TcpIncoming;

use crate::auth::{AuthInterceptor, TokenStore};
use crate::clock::{Clock, Monotonic};
use crate::dashboard;
use crate::health;
use crate::ledger::Policy;
use crate::progress::Progress;
use crate::projects::Projects;
use crate::store::{
    self, QuarantinedRun, Reader, Store, StoreError, StoreUrl, StudyNumber, StudyState,
    TransactionObserver,
};
use crate::study_service::Studies;
use crate::worker_service::Service;
use crate::writer::{Request, Scope, Writer, WriterConfig};

/// A PostgreSQL server may take a moment to see that the session that led has ended.
const RETRIES: u32 = 10;
const RETRY: Duration = Duration::from_millis(100);

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
        /// The folder of its database.
        folder: PathBuf,
    },
    /// The store does not work.
    #[error("{url}: {cause}")]
    Store {
        /// The database.
        url: StoreUrl,
        /// Why.
        cause: StoreError,
    },
    /// Strangers could reach the coordinator.
    #[error(
        "refusing to serve on {0}: without TLS and tokens only loopback is safe; use 127.0.0.1, \
         or give it certificates and tokens"
    )]
    Exposed(SocketAddr),
    /// The listener does not work.
    #[error("cannot listen: {0}")]
    Listen(#[source] io::Error),
    /// The network does not work.
    #[error("cannot serve: {0}")]
    Serve(#[from] tonic::transport::Error),
}

/// The store did not answer; [`Progress::last_error`] says why.
#[derive(Debug, thiserror::Error)]
#[error("the coordinator cannot reach its store")]
pub struct StoreUnavailable;

/// Where studies run_progress and by which rules they are run.
pub struct Options {
    /// The folder of the studies, for what is not in a database elsewhere. See the crate's
    /// page for what is in it.
    pub folder: PathBuf,
    /// The database of runs and records; `study.db` in the folder unless it is elsewhere.
    pub store: StoreUrl,
    /// While another coordinator leads the database (PostgreSQL), wait for its end instead
    /// of giving up.
    pub stand_by: bool,
    /// Engine ids of the subject kinds of this program; plans and workers with another engine
    /// for one of these kinds are refused.
    pub engines: Engines,
    /// The rules of leases.
    pub policy: Policy,
    /// The clock behind leases.
    pub clock: Arc<dyn Clock>,
    /// Certificate and key; without them only loopback is served.
    pub tls: Option<Tls>,
    /// Tokens; without them only loopback is served, and anybody there is trusted.
    pub tokens: Option<TokenStore>,
    /// Looks on as the store writes; nobody but in tests.
    pub observer: Option<Arc<dyn TransactionObserver>>,
}

impl Options {
    /// The default rules on the machine's clock.
    pub fn new(folder: &Path) -> Options {
        Options {
            folder: folder.to_owned(),
            store: StoreUrl::Sqlite(folder.join("study.db")),
            stand_by: false,
            engines: Engines::new(),
            policy: Policy::default(),
            clock: Arc::new(Monotonic::default()),
            tls: None,
            tokens: None,
            observer: None,
        }
    }
}

/// Studies that are being run. Dropping it closes the store.
pub struct Coordinator {
    service: Service,
    url: StoreUrl,
    tls: Option<Tls>,
    tokens: Option<Arc<TokenStore>>,
    writer: Option<JoinHandle<()>>,
    /// Servers close when this is dropped.
    open: watch::Sender<()>,
}

impl Coordinator {
    /// Opens a store and serves all its active studies. Runs that have ended are not run
    /// again; leases of an earlier process get one fresh term.
    ///
    /// # Errors
    ///
    /// When the folder or the database cannot be used, or another process serves it.
    pub fn open(options: Options) -> Result<Coordinator, CoordinatorError> {
        let (coordinator, writer) = open(options, None)?;
        coordinator.spawn_writer(writer)
    }

    /// Opens a store, makes the plan the study of its name, and serves that study alone.
    /// Runs that have ended in any study of the store are not run again.
    ///
    /// # Errors
    ///
    /// As [`Coordinator::open`].
    pub fn open_study(options: Options, plan: Plan) -> Result<Coordinator, CoordinatorError> {
        let (coordinator, writer) = open(options, Some(plan))?;
        coordinator.spawn_writer(writer)
    }

    /// The same without threads, for simulations: requests wait until the caller has the
    /// writer [process_pending](Writer::process_pending), and files are read in place.
    ///
    /// # Errors
    ///
    /// As [`Coordinator::open`].
    pub fn new_manual(
        options: Options,
        plan: Plan,
    ) -> Result<(Coordinator, Writer), CoordinatorError> {
        let (mut coordinator, writer) = open(options, Some(plan))?;
        coordinator.service.in_place = true;
        Ok((coordinator, writer))
    }

    /// Gives the writer a thread.
    fn spawn_writer(mut self, writer: Writer) -> Result<Coordinator, CoordinatorError> {
        let thread = std::thread::Builder::new().name("writer".to_owned());
        let serving = thread.spawn(move || writer.serve());
        self.writer = Some(serving.map_err(|cause| self.broken(StoreError::Runtime(cause)))?);
        Ok(self)
    }

    /// The store's projects; every project of a plan must be inserted before it is served.
    pub fn projects(&self) -> &Projects {
        &self.service.projects
    }

    /// Serves workers until the coordinator is dropped; connections are then closed in
    /// order, so that workers process_pending to a successor at the same address.
    ///
    /// # Errors
    ///
    /// When the listener breaks, or listens beyond loopback.
    pub fn serve(
        &self,
        listener: TcpListener,
    ) -> impl Future<Output = Result<(), CoordinatorError>> + Send + 'static {
        let guarded = self.tls.is_some() && self.tokens.is_some();
        let address = listener.local_addr();
        // Otherwise an answer of two packets waits 40 ms for the receipt of its first.
        let served = self.serve_on(TcpIncoming::from(listener).with_nodelay(Some(true)));
        async move {
            let address = address.map_err(CoordinatorError::Listen)?;
            if !address.ip().is_loopback() && !guarded {
                return Err(CoordinatorError::Exposed(address));
            }
            served.await
        }
    }

    /// The same on connections from anywhere; who can make one is the caller's concern.
    ///
    /// # Errors
    ///
    /// When no more connections can be taken.
    pub fn serve_on<C: Connected + AsyncRead + AsyncWrite + Send + Unpin + 'static>(
        &self,
        connections: impl Stream<Item = io::Result<C>> + Send + 'static,
    ) -> impl Future<Output = Result<(), CoordinatorError>> + Send + 'static {
        let people = Studies { service: self.service.clone(), url: self.url.clone() };
        let admit = AuthInterceptor(self.tokens.clone());
        let router = transport::server(self.service.clone(), people, admit, self.tls.as_ref());
        let (mut open, progress) = (self.open.subscribe(), self.watch());
        async move {
            let router = router?.add_service(health::service(progress));
            let closed = async move { while open.changed().await.is_ok() {} };
            Ok(router.serve_with_incoming_shutdown(connections, closed).await?)
        }
    }

    /// Serves the dashboard and figures for machines over HTTP until the coordinator is
    /// dropped; on loopback alone.
    ///
    /// # Errors
    ///
    /// When the listener breaks, or listens beyond loopback.
    pub fn serve_dashboard(
        &self,
        listener: TcpListener,
    ) -> impl Future<Output = Result<(), CoordinatorError>> + Send + 'static {
        let pages = dashboard::pages(self.watch(), self.url.clone());
        let mut open = self.open.subscribe();
        async move {
            let address = listener.local_addr().map_err(CoordinatorError::Listen)?;
            if !address.ip().is_loopback() {
                return Err(CoordinatorError::Exposed(address));
            }
            let closed = async move { while open.changed().await.is_ok() {} };
            // Event streams have no end of their own.
            tokio::select! {
                served = async { axum::serve(listener, pages).await } => {
                    served.map_err(CoordinatorError::Listen)
                }
                () = closed => Ok(()),
            }
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

    /// Adds a study, or extends the one of its name, while others are being run. Its
    /// projects must be there already. Repeating it changes nothing.
    ///
    /// # Errors
    ///
    /// When the store does not answer; whether the study was added is then not known.
    pub async fn submit(&self, plan: Plan) -> Result<StudyNumber, StoreUnavailable> {
        self.service.submit(plan).await.map_err(|_| StoreUnavailable)
    }

    /// Pauses, resumes or cancels a study; false if there is none of this name. Runs in
    /// hand are finished.
    ///
    /// # Errors
    ///
    /// When the store does not answer.
    pub async fn set_state(&self, name: &str, state: StudyState) -> Result<bool, StoreUnavailable> {
        self.service.set_state(name.to_owned(), state).await.map_err(|_| StoreUnavailable)
    }

    /// The number of the study of this name.
    pub fn study(&self, name: &str) -> Option<StudyNumber> {
        self.service.progress.borrow().study(name).map(|study| study.number)
    }

    /// The accepted records of a study in its order; memory is bounded. May be called at
    /// any time outside async code.
    ///
    /// # Errors
    ///
    /// When the database refuses.
    pub fn records(&self, study: StudyNumber) -> Result<Records, CoordinatorError> {
        let url = self.url.clone();
        Ok(Records { url, records: self.reader()?.records(study) })
    }

    /// The runs of a study that were given up, in its order.
    ///
    /// # Errors
    ///
    /// When the database refuses.
    pub fn quarantined(&self, study: StudyNumber) -> Result<Vec<QuarantinedRun>, CoordinatorError> {
        self.reader()?.quarantined(study).map_err(|cause| self.broken(cause))
    }

    fn reader(&self) -> Result<Reader, CoordinatorError> {
        Reader::open(&self.url).map_err(|cause| self.broken(cause))
    }

    fn broken(&self, cause: StoreError) -> CoordinatorError {
        CoordinatorError::Store { url: self.url.clone(), cause }
    }
}

/// See [`Coordinator::records`].
pub struct Records {
    url: StoreUrl,
    records: store::Records,
}

impl Iterator for Records {
    type Item = Result<(RunSpec, RunRecord), CoordinatorError>;

    fn next(&mut self) -> Option<Self::Item> {
        let broken = |cause| CoordinatorError::Store { url: self.url.clone(), cause };
        self.records.next().map(|record| record.map_err(broken))
    }
}

/// Locks an SQLite file for as long as the process serves it; PostgreSQL has its own way.
fn lock(url: &StoreUrl) -> Result<Option<File>, CoordinatorError> {
    let StoreUrl::Sqlite(database) = url else { return Ok(None) };
    let folder = database.parent().unwrap_or(Path::new(".")).to_owned();
    let file = std::fs::create_dir_all(&folder)
        .and_then(|()| File::create(database.with_extension("lock")));
    match file.map_err(TryLockError::Error).and_then(|file| file.try_lock().map(|()| file)) {
        Ok(file) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Err(CoordinatorError::Busy { folder }),
        Err(TryLockError::Error(cause)) => Err(CoordinatorError::Folder { folder, cause }),
    }
}

/// Opens the store for all its studies or, after planning it, for one.
fn open(options: Options, plan: Option<Plan>) -> Result<(Coordinator, Writer), CoordinatorError> {
    let Options { folder, store: url, stand_by, engines, policy, clock, tls, tokens, observer } =
        options;
    let lock = lock(&url)?;
    let broken = |cause| CoordinatorError::Store { url: url.clone(), cause };
    let mut store = Store::open(&url);
    for _ in 0..RETRIES {
        if stand_by || !matches!(store, Err(StoreError::LedByAnother)) {
            break;
        }
        std::thread::sleep(RETRY);
        store = Store::open(&url);
    }
    let (store, scope) = match plan {
        None => (store, Scope::All),
        Some(plan) => {
            let (name, mut store) = (plan.name.clone(), store.map_err(broken)?);
            store.plan(plan).map_err(broken)?;
            (Ok(store), Scope::Only(name))
        }
    };
    let archives = folder.join("projects");
    let config = WriterConfig { url: url.clone(), archives, scope, policy, observer };
    let (writer, requests) = Writer::open(config, store, clock, lock, stand_by).map_err(broken)?;
    let projects = Projects::new(requests.clone(), url.clone());
    let (progress, draining) = (writer.watch(), Arc::new(AtomicBool::new(false)));
    let service = Service {
        writer: requests,
        progress,
        projects,
        policy,
        engines: Arc::new(engines),
        draining,
        in_place: false,
    };
    let tokens = tokens.filter(|tokens| !tokens.is_empty()).map(Arc::new);
    let open = watch::Sender::new(());
    Ok((Coordinator { service, url, tls, tokens, writer: None, open }, writer))
}

impl Drop for Coordinator {
    fn drop(&mut self) {
        // A server that still runs has a sender of its own, so the writer is told to close.
        let told = self.service.writer.send(Request::Close);
        if let (Ok(()), Some(writer)) = (told, self.writer.take()) {
            drop(writer.join());
        }
    }
}
