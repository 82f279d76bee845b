//! The main type of the library.

mod opening;

pub use opening::prune;

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;

use catherd_experiments::{Plan, RunRecord, RunSpec};
use catherd_proto::tls::{self, ClientCertificates, ServerConfig, Tls, TlsError};
use catherd_proto::transport::{self, Connected};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_stream::Stream;
use tonic::transport::server::Router;

use crate::auth::{Access, AuthInterceptor, Caller, TokenStore};
use crate::connections::{Incoming, TlsSetting};
use crate::dashboard::{self, Gate};
use crate::error::{CoordinatorError, StoreUnavailable, SubmitError};
use crate::health;
use crate::ids::StudyNumber;
use crate::progress::Progress;
use crate::projects::Projects;
use crate::store::{
    self, ClaimChange, QuarantinedRun, Repair, StoreError, StoreReader, StoreUrl, StudyState,
};
use crate::study_service::StudyService;
use crate::worker_service::WorkerService;
use crate::writer::{Request, WriterHandle};

/// Name of the thread that owns the ledger and the store.
pub const WRITER_THREAD: &str = "writer";

/// A coordinator of the studies of a store. Dropping it closes the store.
pub struct Coordinator {
    workers: WorkerService,
    studies: StudyService,
    tls: Option<TlsSettings>,
    access: Access,
    serve_clients: bool,
    repairs: Vec<Repair>,
    /// `None` in simulations, in which the caller runs the writer.
    writer_thread: Option<JoinHandle<()>>,
    /// Servers shut down when the sender is dropped.
    open: watch::Sender<()>,
}

struct TlsSettings {
    /// The configuration for workers and clients, which need a certificate.
    requests: watch::Sender<Arc<ServerConfig>>,
    /// The configuration for browsers, which need no certificate.
    dashboard: watch::Sender<Arc<ServerConfig>>,
}

impl TlsSettings {
    fn new(tls: &Tls) -> Result<TlsSettings, TlsError> {
        let (requests, dashboard) = TlsSettings::configurations(tls)?;
        let (requests, dashboard) = (watch::Sender::new(requests), watch::Sender::new(dashboard));
        Ok(TlsSettings { requests, dashboard })
    }

    fn configurations(tls: &Tls) -> Result<(Arc<ServerConfig>, Arc<ServerConfig>), TlsError> {
        let requests = tls::server_config(tls, ClientCertificates::Required, "h2")?;
        Ok((requests, tls::server_config(tls, ClientCertificates::Unused, "http/1.1")?))
    }

    fn replace(&self, tls: &Tls) -> Result<(), TlsError> {
        let (requests, dashboard) = TlsSettings::configurations(tls)?;
        self.requests.send_replace(requests);
        self.dashboard.send_replace(dashboard);
        Ok(())
    }
}

impl Coordinator {
    fn writer(&self) -> &WriterHandle {
        &self.workers.writer
    }

    /// The projects of the store. The projects of a plan must be inserted before the plan is
    /// served.
    pub fn projects(&self) -> &Projects {
        &self.workers.projects
    }

    /// Serves requests until the coordinator is dropped.
    ///
    /// # Errors
    ///
    /// If the listener or the server fails, or if the address is not loopback and TLS or tokens are
    /// missing.
    pub fn serve(
        &self,
        listener: TcpListener,
    ) -> impl Future<Output = Result<(), CoordinatorError>> + Send + 'static {
        let tls: TlsSetting = self.tls.as_ref().map(|tls| tls.requests.subscribe());
        let secured = self.is_secured();
        let server = self.server();
        async move {
            let address = listener.local_addr().map_err(CoordinatorError::Listen)?;
            if !address.ip().is_loopback() && !secured {
                return Err(CoordinatorError::Exposed(address));
            }
            server.run(Incoming::of(listener, tls)).await
        }
    }

    /// Serves requests on these connections until the coordinator is dropped. The caller decides
    /// which peers can connect.
    ///
    /// # Errors
    ///
    /// If the server fails.
    pub fn serve_on<C: Connected + AsyncRead + AsyncWrite + Send + Unpin + 'static>(
        &self,
        connections: impl Stream<Item = io::Result<C>> + Send + 'static,
    ) -> impl Future<Output = Result<(), CoordinatorError>> + Send + 'static {
        self.server().run(connections)
    }

    fn server(&self) -> Server {
        let studies = self.serve_clients.then(|| self.studies.clone());
        let auth = AuthInterceptor(self.access.clone());
        let router = transport::server(self.workers.clone(), studies, auth);
        Server { router, progress: self.watch(), open: self.open.subscribe() }
    }

    fn is_secured(&self) -> bool {
        self.tls.is_some() && matches!(self.access, Access::Tokens(_))
    }

    /// Replaces the accepted tokens. Has no effect if the coordinator was opened without tokens.
    pub fn set_tokens(&self, tokens: TokenStore) {
        self.access.replace(tokens);
    }

    /// Replaces the certificates and the key of future connections. Has no effect if the coordinator
    /// was opened without TLS.
    ///
    /// # Errors
    ///
    /// If the certificates or the key cannot be used. The former ones then remain in use.
    pub fn set_tls(&self, tls: &Tls) -> Result<(), CoordinatorError> {
        self.tls.as_ref().map_or(Ok(()), |settings| settings.replace(tls))?;
        Ok(())
    }

    /// Serves the dashboard over HTTP until the coordinator is dropped. Unless the listener's
    /// address is loopback, connections are encrypted, and all requests except those for `/health`
    /// need a token. `names` are further host names of the dashboard.
    ///
    /// # Errors
    ///
    /// If the listener fails, or if the address is not loopback and TLS or tokens are missing.
    pub fn serve_dashboard(
        &self,
        listener: TcpListener,
        names: Vec<String>,
    ) -> impl Future<Output = Result<(), CoordinatorError>> + Send + 'static {
        let address = listener.local_addr();
        let exposed = address.as_ref().is_ok_and(|address| !address.ip().is_loopback());
        let tls = self.tls.as_ref().filter(|_| exposed).map(|tls| tls.dashboard.subscribe());
        let gate = Gate::new(exposed.then(|| self.access.clone()), names);
        let latencies = self.workers.latencies.clone();
        let pages = dashboard::pages(self.watch(), self.url().clone(), latencies, gate);
        let (secured, mut open) = (self.is_secured(), self.open.subscribe());
        async move {
            let address = address.map_err(CoordinatorError::Listen)?;
            if exposed && !secured {
                return Err(CoordinatorError::Exposed(address));
            }
            let connections = Incoming::of(listener, tls);
            let closed = async move { while open.changed().await.is_ok() {} };
            // A graceful shutdown would wait forever, because event streams do not end.
            tokio::select! {
                served = async { axum::serve(connections, pages).await } => {
                    served.map_err(CoordinatorError::Listen)
                }
                () = closed => Ok(()),
            }
        }
    }

    /// The runs whose stored state was damaged and was repaired when the store was opened.
    pub fn repairs(&self) -> &[Repair] {
        &self.repairs
    }

    /// The progress of the studies, usually at most 200 ms old.
    pub fn progress(&self) -> Progress {
        self.writer().progress.borrow().clone()
    }

    /// A receiver of the progress.
    pub fn watch(&self) -> watch::Receiver<Progress> {
        self.writer().progress.clone()
    }

    /// Tells all workers to finish their current runs, return the other runs and exit.
    pub fn drain(&self) {
        self.workers.draining.store(true, Ordering::Relaxed);
    }

    /// Adds a study or replaces its plan. The projects must have been inserted. The call may be
    /// repeated.
    ///
    /// # Errors
    ///
    /// If the coordinator refuses to plan the study, or if the store does not answer. In the second
    /// case, the study may have been added.
    pub async fn submit(&self, plan: Plan) -> Result<StudyNumber, SubmitError> {
        self.writer().submit(plan, false, Caller::anyone(), ClaimChange::default()).await
    }

    /// Pauses, resumes or cancels a study. Runs that are being executed are finished. Returns false
    /// if there is no study with this name.
    ///
    /// # Errors
    ///
    /// If the store does not answer.
    pub async fn set_state(&self, name: &str, state: StudyState) -> Result<bool, StoreUnavailable> {
        let changed = self.writer().set_state(name.to_owned(), state, Caller::anyone()).await?;
        Ok(changed.unwrap_or(false))
    }

    /// Removes a study. Its runs and their records remain in the store. Returns false if there is
    /// no study with this name.
    ///
    /// # Errors
    ///
    /// If the store does not answer.
    pub async fn delete(&self, name: &str) -> Result<bool, StoreUnavailable> {
        let deleted = self.writer().delete(name.to_owned(), Caller::anyone()).await?;
        Ok(deleted.unwrap_or(false))
    }

    /// The number of the study with this name.
    pub fn study(&self, name: &str) -> Option<StudyNumber> {
        self.writer().progress.borrow().study(name).map(|study| study.number)
    }

    /// The accepted records of a study, in the order of the study. They are read page by page. Must
    /// not be called in async code.
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub fn records(&self, study: StudyNumber) -> Result<Records, CoordinatorError> {
        let url = self.url().clone();
        Ok(Records { url, records: self.reader()?.records(study) })
    }

    /// The quarantined runs of a study, in the order of the study.
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub fn quarantined(&self, study: StudyNumber) -> Result<Vec<QuarantinedRun>, CoordinatorError> {
        self.reader()?.quarantined(study).map_err(|cause| self.store_error(cause))
    }

    /// The database.
    pub fn url(&self) -> &StoreUrl {
        &self.studies.url
    }

    fn reader(&self) -> Result<StoreReader, CoordinatorError> {
        StoreReader::open(self.url()).map_err(|cause| self.store_error(cause))
    }

    /// An error of the store, with the store's location.
    pub fn error(&self, cause: StoreError) -> CoordinatorError {
        self.store_error(cause)
    }

    fn store_error(&self, cause: StoreError) -> CoordinatorError {
        CoordinatorError::Store { url: self.url().clone(), cause }
    }
}

/// Has no reference to the coordinator, which can therefore be dropped while the server runs.
struct Server {
    router: Router,
    progress: watch::Receiver<Progress>,
    open: watch::Receiver<()>,
}

impl Server {
    async fn run<C: Connected + AsyncRead + AsyncWrite + Send + Unpin + 'static>(
        self,
        connections: impl Stream<Item = io::Result<C>>,
    ) -> Result<(), CoordinatorError> {
        let Server { router, progress, mut open } = self;
        let router = router.add_service(health::service(progress));
        let closed = async move { while open.changed().await.is_ok() {} };
        Ok(router.serve_with_incoming_shutdown(connections, closed).await?)
    }
}

/// An iterator over the records of a study.
pub struct Records {
    url: StoreUrl,
    records: store::Records,
}

impl Iterator for Records {
    type Item = Result<(RunSpec, RunRecord), CoordinatorError>;

    fn next(&mut self) -> Option<Self::Item> {
        let store_error = |cause| CoordinatorError::Store { url: self.url.clone(), cause };
        self.records.next().map(|record| record.map_err(store_error))
    }
}

impl Drop for Coordinator {
    fn drop(&mut self) {
        // Close the other connections first: the last connection to an SQLite store merges all
        // files into one.
        self.projects().close();
        // Servers that are still running hold senders of requests, which keep the channel open.
        let sent = self.writer().send(Request::Close);
        if let (Ok(()), Some(thread)) = (sent, self.writer_thread.take()) {
            drop(thread.join());
        }
    }
}
