//! The worker process from its start to its end.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use catherd_experiments::{Engines, Provenance};
use catherd_proto::transport::{self, Access, AuthChannel};
use catherd_proto::v1::coordinator_client::CoordinatorClient;

use crate::calls::Calls;
use crate::disk_cache::DiskCache;
use crate::limits::Limits;
use crate::seat;
use crate::session::Session;
use crate::spool::Spool;
use crate::stage::Stage;
use crate::subject::MakeSubject;
use crate::will::Will;

/// What a worker needs to know.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where coordinators of the store listen, such as `http://127.0.0.1:7000`; at least one.
    pub coordinators: Vec<String>,
    /// How to prove who this is.
    pub access: Access,
    /// The worker's name: unique among live workers, the same when it is started again.
    pub name: String,
    /// The core to be pinned to.
    pub core: Option<usize>,
    /// The folder of this worker's spool.
    pub spool: PathBuf,
    /// Where projects are kept on disk, if anywhere.
    pub cache: Option<DiskCache>,
    /// How long to wait for a coordinator that does not answer.
    pub patience: Duration,
    /// Engine ids of the subject kinds that the worker executes.
    pub engines: Engines,
    /// What a run may use.
    pub limits: Limits,
    /// End after this long without a run, though more may come.
    pub idle: Option<Duration>,
    /// End at once when standard input closes, as it does when the parent dies.
    pub leashed: bool,
}

/// Why a worker ended in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Every run of the study has ended.
    Finished,
    /// It was told to drain: the current run is committed, the others are handed back.
    Drained,
    /// It was told twice: the current run is lost.
    Stopped,
}

/// Why a worker cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// The core cannot be used.
    #[error("cannot pin to core {core}: {cause}; name one of {allowed:?}")]
    Pin {
        /// The core.
        core: usize,
        /// Cores that this process may use.
        allowed: Vec<usize>,
        /// What the system says.
        cause: io::Error,
    },
    /// The spool cannot be used.
    #[error("cannot use the spool {}: {cause}", folder.display())]
    Spool {
        /// The folder.
        folder: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// A thread or signal handler cannot be set up.
    #[error("cannot start: {0}")]
    Start(#[source] io::Error),
    /// Not an address.
    #[error("`{address}` is not the address of a coordinator: {cause}; write http://HOST:PORT")]
    Address {
        /// What was given.
        address: String,
        /// Why.
        cause: tonic::transport::Error,
    },
    /// The coordinator refused, or did not answer as long as patience lasted.
    #[error("coordinator {address}: {}", cause.message())]
    Coordinator {
        /// Where it should be.
        address: String,
        /// What came back.
        cause: Box<tonic::Status>,
    },
}

/// Runs a worker until the study is finished, it is told to end (SIGTERM or SIGINT: drain,
/// again: stop), or it cannot go on. Takes over the process: pins the calling thread,
/// handles both signals, and puts a panic hook before the usual one.
///
/// # Errors
///
/// Why it cannot go on. Records that were not acknowledged are in the spool; the next
/// worker with the same spool offers them first.
pub fn run_worker(options: Options, make: Box<MakeSubject>) -> Result<Ending, WorkerError> {
    if options.leashed {
        follow_parent().map_err(WorkerError::Start)?;
    }
    if let Some(core) = options.core {
        seat::pin(core).map_err(|cause| {
            let allowed = seat::allowed_cores();
            WorkerError::Pin { core, allowed, cause }
        })?;
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(WorkerError::Start)?;
    runtime.block_on(async {
        let clients = options.coordinators.iter().map(|address| {
            let wrong = |cause| WorkerError::Address { address: address.clone(), cause };
            transport::coordinator_client(address, &options.access).map_err(wrong)
        });
        let clients = clients.collect::<Result<_, _>>()?;
        work(options, clients, make, None).await
    })
}

/// Runs a worker on a stage instead of a process: it touches neither core nor signals.
/// `clients` are of the coordinators, in their order.
///
/// # Errors
///
/// As [`run_worker`].
pub async fn rehearse_worker(
    options: Options,
    clients: Vec<CoordinatorClient<AuthChannel>>,
    make: Box<MakeSubject>,
    stage: Stage,
) -> Result<Ending, WorkerError> {
    work(options, clients, make, Some(stage)).await
}

async fn work(
    options: Options,
    clients: Vec<CoordinatorClient<AuthChannel>>,
    make: Box<MakeSubject>,
    stage: Option<Stage>,
) -> Result<Ending, WorkerError> {
    let Options { coordinators, name, core, spool: folder, cache, .. } = options;
    let Options { patience, limits, engines, idle, .. } = options;
    let calls = Calls::new(clients, patience);
    let spool = Spool::open(&folder, stage.is_some()).map_err(|cause| {
        let folder = folder.clone();
        WorkerError::Spool { folder, cause }
    })?;
    let (memory_limit, leaf) = limits.apply();
    let will = inherit(&spool, &folder, leaf.as_deref()).map_err(|cause| {
        let folder = folder.clone();
        WorkerError::Spool { folder, cause }
    })?;
    let provenance = Provenance {
        host: seat::host(),
        worker: name.clone(),
        core: core.map(|core| core as u32),
        memory_limit: memory_limit.to_owned(),
        attempt: 0,
    };
    let session = Session::start(
        name, calls, spool, will, cache, provenance, limits, idle, make, engines, stage,
    )
    .await;
    let ending = match session {
        Ok(session) => session.run().await,
        Err(trouble) => Err(trouble),
    };
    ending.map_err(|trouble| trouble.into_error(coordinators.join(" or "), folder))
}

/// Puts into the spool what a predecessor wanted said, and begins a will.
fn inherit(spool: &Spool, folder: &Path, leaf: Option<&Path>) -> io::Result<Will> {
    if let Some(request) = Will::of_predecessor(folder) {
        let token = request.completions.first().map_or(0, |completion| completion.token);
        if !spool.has(token)? {
            spool.keep(&request)?;
        }
    }
    Will::begin(folder, leaf)
}

/// Ends the process when standard input closes. A pipe from the parent closes however
/// the parent dies, unlike the parent-death signal, which follows the *thread* that
/// started the child and is lost if that ends before the child has asked for it.
fn follow_parent() -> io::Result<()> {
    std::thread::Builder::new().name("leash".to_owned()).spawn(|| {
        let mut sink = [0; 64];
        while io::stdin().read(&mut sink).is_ok_and(|count| count > 0) {}
        std::process::exit(1);
    })?;
    Ok(())
}
