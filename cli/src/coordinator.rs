//! `catherd coordinator`: serves studies to workers on other machines.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use catherd_coordinator::auth::TokenStore;
use catherd_coordinator::{Coordinator, Options, StoreUrl};
use catherd_platform::StopSignals;
use clap::Args;
use tokio::net::TcpListener;

use crate::failure::{Exit, Failure};
use crate::{remote, subjects, terminal};

/// Serves studies to workers on any machine until it is stopped.
///
/// Studies are added with `catherd submit`. They are kept in the store, so that a coordinator that is
/// started again on the same folder continues them. With a PostgreSQL store, a second coordinator
/// stands by and takes over when the first is lost.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd coordinator --dir /srv/catherd --dashboard
  catherd coordinator --dir /srv/catherd --store postgres://catherd@db/catherd
  catherd coordinator --listen 0.0.0.0:7420 --tls certs/ant --tokens tokens --log json

Ctrl-C or SIGTERM: exit; workers finish their current runs and wait for a coordinator.")]
pub(crate) struct Arguments {
    /// Folder of the database, unless --store names another [default: catherd-data]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,

    /// The database: postgres://USER@HOST/NAME, or an SQLite file [default: DIR/study.db]
    #[arg(long, value_name = "STORE")]
    store: Option<String>,

    /// Address to listen on; beyond loopback only with --tls and --tokens
    #[arg(long, value_name = "ADDR", default_value = remote::ADDRESS)]
    listen: SocketAddr,

    /// Lease term: seconds without a heartbeat after which the run of a worker is leased to another
    #[arg(long, value_name = "SECONDS", default_value_t = 15, value_parser = clap::value_parser!(u64).range(1..=3600))]
    term: u64,

    /// Address of the dashboard, Prometheus metrics (/metrics) and health (/health) over HTTP; only
    /// on loopback
    #[arg(long, value_name = "ADDR", num_args = 0..=1, default_missing_value = "127.0.0.1:7421")]
    dashboard: Option<SocketAddr>,

    /// Format of the log on standard error
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    log: terminal::Format,

    /// Folder with ca.pem, cert.pem and key.pem, written by `catherd certs`
    #[arg(long, value_name = "DIR")]
    tls: Option<PathBuf>,

    /// Token file, written by `catherd token`
    #[arg(long, value_name = "FILE")]
    tokens: Option<PathBuf>,
}

/// The default folder.
const FOLDER: &str = "catherd-data";

/// The default folder of versions up to 0.3.0.
const FORMER_FOLDER: &str = "herd";

/// The default folder, or the former one if it has a store and the new one does not exist.
fn default_folder() -> PathBuf {
    let [folder, former] = [FOLDER, FORMER_FOLDER].map(PathBuf::from);
    if folder.exists() || !former.join("study.db").exists() {
        return folder;
    }
    terminal::note(&format!(
        "using the store in {FORMER_FOLDER}, the default folder of earlier versions; rename it to \
         {FOLDER}, or name it with --dir"
    ));
    former
}

pub(crate) fn run(arguments: Arguments) -> Result<Exit, Failure> {
    terminal::log_as("info", arguments.log);
    let mut options = Options::new(&arguments.dir.unwrap_or_else(default_folder));
    if let Some(store) = &arguments.store {
        options.store = StoreUrl::parse(store);
    }
    options.stand_by = true;
    options.engines = subjects::kinds().engines();
    options.criteria = subjects::kinds().criteria();
    options.policy.term = Duration::from_secs(arguments.term);
    options.tls = arguments.tls.as_deref().map(remote::read_tls).transpose()?;
    options.tokens = arguments.tokens.as_deref().map(TokenStore::read).transpose()?;
    let store = options.store.clone();
    let coordinator = Coordinator::open(options)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|cause| Failure::new(format_args!("cannot start threads: {cause}")))?;
    let served = runtime.block_on(async {
        let cannot_listen = |cause| {
            Failure::new(format_args!("cannot listen on {}: {cause}", arguments.listen))
                .hint("name another address with --listen")
        };
        let listener = TcpListener::bind(arguments.listen).await.map_err(cannot_listen)?;
        let address = listener.local_addr().map_err(cannot_listen)?;
        let mut stop = StopSignals::listen()
            .map_err(|cause| Failure::new(format_args!("cannot handle signals: {cause}")))?;
        let server = coordinator.serve(listener);
        if let Some(address) = arguments.dashboard {
            let listener = TcpListener::bind(address).await.map_err(|cause| {
                Failure::new(format_args!("cannot listen on {address}: {cause}"))
                    .hint("name another address with --dashboard")
            })?;
            let address = listener.local_addr().map_err(cannot_listen)?;
            if !address.ip().is_loopback() {
                return Err(Failure::new(format_args!(
                    "refusing to show a dashboard on {address}"
                ))
                .hint("show it on 127.0.0.1 and reach it through a tunnel (ssh -L)"));
            }
            terminal::note(&format!("dashboard: http://{address}/"));
            tokio::spawn(coordinator.serve_dashboard(listener));
        }
        let studies = coordinator.progress().studies.len();
        let noun = if studies == 1 { "study" } else { "studies" };
        terminal::note(&format!("serving {studies} {noun} of {store} on {address}"));
        tokio::select! {
            served = server => served.map_err(Failure::from),
            () = stop.received() => Ok(()),
        }
    });
    // Servers end with the coordinator, and requests in progress with their time-outs.
    drop(coordinator);
    runtime.shutdown_timeout(Duration::from_secs(2));
    served.map(|()| Exit::Success)
}
