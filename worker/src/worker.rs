//! The worker process, from its start to its exit.

use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use catherd_experiments::{Engines, Provenance};
use catherd_interface::Limits;
use catherd_platform::MemoryLimit;
use catherd_proto::transport::{self, Access, AuthChannel};
use catherd_proto::v1::coordinator_client::CoordinatorClient;

use tokio::time::Instant;

use crate::MakeRunner;
use crate::client::FailoverClient;
use crate::crash_report::CrashReport;
use crate::disk_cache::DiskCache;
use crate::exit::{ExitReason, WorkerError};
use crate::session::{Session, SessionConfig};
use crate::simulated_host::SimulatedHost;
use crate::spool::Spool;

/// The address of a coordinator, and how to connect to it.
#[derive(Clone, Debug)]
pub struct CoordinatorAddress {
    /// The URL, such as `http://127.0.0.1:7420`.
    pub url: String,
    /// Credentials and certificates for the connection.
    pub access: Access,
}

/// Finds coordinators that may move from host to host.
#[derive(Clone)]
pub struct Relocation(pub Arc<dyn Fn() -> Option<Vec<CoordinatorAddress>> + Send + Sync>);

impl fmt::Debug for Relocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Relocation")
    }
}

/// The configuration of a worker.
#[derive(Clone, Debug)]
pub struct WorkerOptions {
    /// Coordinators of one store.
    pub coordinators: Vec<CoordinatorAddress>,
    /// Finds the coordinators again while they do not answer.
    pub relocation: Option<Relocation>,
    /// The worker's name: unique among live workers, and the same after a restart.
    pub name: String,
    /// The core to which the process is pinned.
    pub core: Option<usize>,
    /// The folder of this worker's spool.
    pub spool: PathBuf,
    /// The on-disk cache of projects.
    pub cache: Option<DiskCache>,
    /// Time for which a request is repeated to coordinators that do not answer.
    pub retry_timeout: Duration,
    /// Time after which the worker fails if the disk for its runs is full and remains full.
    pub space_timeout: Duration,
    /// Engine ids of the subject kinds that the worker executes.
    pub engines: Engines,
    /// Limits of each run.
    pub limits: Limits,
    /// Time without a run after which the worker exits, even if more runs may come.
    pub idle: Option<Duration>,
    /// Time until the worker's allocation ends. The last run is cancelled ten seconds before the
    /// end.
    pub allocation: Option<Duration>,
    /// Time after the first SIGINT or SIGTERM in which the current run may still end.
    pub grace: Option<Duration>,
    /// Whether to exit at once when standard input closes.
    pub exit_with_parent: bool,
}

/// Runs a worker until it exits or fails. The function takes control of the process: it pins the
/// calling thread, handles signals (the first drains the worker, the second stops it), and installs
/// a panic hook.
///
/// # Errors
///
/// If the worker fails. The next worker with the same spool commits the records in the spool.
pub fn run_worker(
    options: WorkerOptions,
    make: Box<MakeRunner>,
) -> Result<ExitReason, WorkerError> {
    let missing = catherd_platform::missing();
    if !missing.is_empty() {
        tracing::warn!("not available on this system: {}", missing.join(", "));
    }
    if options.exit_with_parent {
        exit_with_parent().map_err(WorkerError::Start)?;
    }
    if let Some(core) = options.core {
        catherd_platform::pin(core).map_err(|cause| {
            let allowed = catherd_platform::allowed_cores();
            WorkerError::Pin { core, allowed, cause }
        })?;
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(WorkerError::Start)?;
    runtime.block_on(async {
        let clients = options.coordinators.iter().map(|CoordinatorAddress { url, access }| {
            let wrong = |cause| WorkerError::Address { address: url.clone(), cause };
            transport::coordinator_client(url, access).map_err(wrong)
        });
        let clients = clients.collect::<Result<_, _>>()?;
        run(options, clients, make, None).await
    })
}

/// Runs a worker on a simulated host, without cores and signals. `clients` are the clients of the
/// coordinators, in their order.
///
/// # Errors
///
/// The same as for [`run_worker`].
pub async fn run_simulated_worker(
    options: WorkerOptions,
    clients: Vec<CoordinatorClient<AuthChannel>>,
    make: Box<MakeRunner>,
    host: SimulatedHost,
) -> Result<ExitReason, WorkerError> {
    run(options, clients, make, Some(host)).await
}

async fn run(
    options: WorkerOptions,
    clients: Vec<CoordinatorClient<AuthChannel>>,
    make: Box<MakeRunner>,
    simulated: Option<SimulatedHost>,
) -> Result<ExitReason, WorkerError> {
    let WorkerOptions { coordinators, name, core, spool: folder, cache, .. } = options;
    let WorkerOptions {
        retry_timeout,
        space_timeout,
        engines,
        limits,
        idle,
        allocation,
        grace,
        ..
    } = options;
    let relocation = options.relocation;
    let until = allocation.map(|allocation| Instant::now() + allocation);
    let urls: Vec<_> = coordinators.iter().map(|address| address.url.as_str()).collect();
    let addresses = urls.join(" or ");
    let mut client = FailoverClient::new(clients, addresses.clone(), retry_timeout);
    if let Some(relocation) = relocation {
        client = client.with_relocation(relocated(relocation, coordinators));
    }
    let spool_error = |cause| WorkerError::Spool { folder: folder.clone(), cause };
    let spool = Spool::open(&folder, simulated.is_some()).map_err(spool_error)?;
    let memory = limits.memory.map_or(MemoryLimit::None, catherd_platform::limit_memory);
    adopt_crash_report(&spool, &folder).map_err(spool_error)?;
    let report = CrashReport::create(&folder, memory.cgroup()).map_err(spool_error)?;
    let provenance = Provenance {
        host: catherd_platform::host(),
        machine: catherd_platform::machine(),
        worker: name.clone(),
        core: core.map(|core| core as u32),
        memory_limit: memory.name().to_owned(),
        isolation: String::new(),
        attempt: 0,
    };
    let disk_cache = cache;
    let config = SessionConfig {
        name,
        engines,
        provenance,
        limits,
        idle,
        disk_cache,
        space_timeout,
        until,
        grace,
    };
    let reason = match Session::start(config, client, spool, report, make, simulated).await {
        Ok(session) => session.run().await,
        Err(error) => Err(error),
    };
    reason.map_err(|error| error.into_worker_error(addresses, folder))
}

/// Makes clients of the coordinators whenever their addresses have changed.
fn relocated(
    relocation: Relocation,
    known: Vec<CoordinatorAddress>,
) -> impl Fn() -> Option<Vec<CoordinatorClient<AuthChannel>>> + Send + Sync {
    let urls = |addresses: &[CoordinatorAddress]| -> Vec<String> {
        addresses.iter().map(|address| address.url.clone()).collect()
    };
    let known = Mutex::new(urls(&known));
    move || {
        let found = (relocation.0)()?;
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        let urls = urls(&found);
        if urls == *known {
            return None;
        }
        let clients = found
            .iter()
            .map(|CoordinatorAddress { url, access }| transport::coordinator_client(url, access));
        let clients = clients.collect::<Result<Vec<_>, _>>();
        let clients = clients
            .inspect_err(|cause| {
                tracing::warn!("the coordinator has moved; its address is invalid: {cause}")
            })
            .ok()?;
        tracing::warn!("the coordinator has moved to {}", urls.join(" or "));
        *known = urls;
        Some(clients)
    }
}

/// The session commits everything in the spool.
fn adopt_crash_report(spool: &Spool, folder: &Path) -> io::Result<()> {
    if let Some(request) = CrashReport::of_predecessor(folder) {
        let token = request.completions.first().map_or(0, |completion| completion.token);
        if !spool.contains(token)? {
            spool.store(&request)?;
        }
    }
    Ok(())
}

/// A pipe from the parent closes however the parent ends. The parent-death signal of Linux follows
/// the *thread* that started the child, and is lost if that thread ends before the child has
/// requested it.
fn exit_with_parent() -> io::Result<()> {
    std::thread::Builder::new().name("parent-watch".to_owned()).spawn(|| {
        let mut sink = [0; 64];
        while io::stdin().read(&mut sink).is_ok_and(|count| count > 0) {}
        std::process::exit(1);
    })?;
    Ok(())
}
