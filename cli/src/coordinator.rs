//! `catherd coordinator`.

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
/// Studies are added with `catherd submit` and survive the coordinator: start it again on
/// the same folder and it goes on. With a PostgreSQL store a second coordinator stands by
/// and takes over when the first is lost.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd coordinator --dir /srv/catherd --dashboard
  catherd coordinator --dir /srv/catherd --store postgres://catherd@db/catherd
  catherd coordinator --listen 0.0.0.0:7420 --tls certs/ant --tokens tokens --log json

Ctrl-C or SIGTERM: workers finish what they run and wait for a coordinator.")]
pub(crate) struct Arguments {
    /// Folder of the database, unless --store says otherwise
    #[arg(long, value_name = "DIR", default_value = "herd")]
    dir: PathBuf,

    /// The database: postgres://USER@HOST/NAME, or an SQLite file [default: DIR/study.db]
    #[arg(long, value_name = "STORE")]
    store: Option<String>,

    /// Where to serve; beyond loopback only with --tls and --tokens
    #[arg(long, value_name = "ADDR", default_value = remote::ADDRESS)]
    listen: SocketAddr,

    /// A run goes to somebody else when its worker was not heard of for this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 15, value_parser = clap::value_parser!(u64).range(1..=3600))]
    term: u64,

    /// Where to show the dashboard, Prometheus metrics (/metrics) and health (/health) over
    /// HTTP; on loopback alone
    #[arg(long, value_name = "ADDR", num_args = 0..=1, default_missing_value = "127.0.0.1:7421")]
    dashboard: Option<SocketAddr>,

    /// How to log to standard error
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    log: terminal::Format,

    /// Folder with ca.pem, cert.pem and key.pem, as `catherd certs` makes them
    #[arg(long, value_name = "DIR")]
    tls: Option<PathBuf>,

    /// File of tokens, as `catherd token` makes it
    #[arg(long, value_name = "FILE")]
    tokens: Option<PathBuf>,
}

pub(crate) fn run(arguments: Arguments) -> Result<Exit, Failure> {
    terminal::log_as("info", arguments.log);
    let mut options = Options::new(&arguments.dir);
    if let Some(store) = &arguments.store {
        options.store = StoreUrl::parse(store);
    }
    options.stand_by = true;
    options.engines = subjects::kinds().engines();
    options.policy.term = Duration::from_secs(arguments.term);
    options.tls = arguments.tls.as_deref().map(remote::read_tls).transpose()?;
    options.tokens = arguments.tokens.as_deref().map(TokenStore::read).transpose()?;
    let store = options.store.clone();
    let coordinator = Coordinator::open(options)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|cause| Failure::new(format_args!("cannot start: {cause}")))?;
    let served = runtime.block_on(async {
        let cannot = |cause| {
            Failure::new(format_args!("cannot listen on {}: {cause}", arguments.listen))
                .hint("name another address with --listen")
        };
        let listener = TcpListener::bind(arguments.listen).await.map_err(cannot)?;
        let address = listener.local_addr().map_err(cannot)?;
        let mut stop = StopSignals::listen()
            .map_err(|cause| Failure::new(format_args!("cannot handle signals: {cause}")))?;
        let server = coordinator.serve(listener);
        if let Some(address) = arguments.dashboard {
            let listener = TcpListener::bind(address).await.map_err(|cause| {
                Failure::new(format_args!("cannot listen on {address}: {cause}"))
                    .hint("name another address with --dashboard")
            })?;
            let address = listener.local_addr().map_err(cannot)?;
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
        terminal::note(&format!("serving {studies} studies of {store} on {address}"));
        tokio::select! {
            served = server => served.map_err(Failure::from),
            () = stop.received() => Ok(()),
        }
    });
    // Servers close with the coordinator, requests under way with their time-outs.
    drop(coordinator);
    runtime.shutdown_timeout(Duration::from_secs(2));
    served.map(|()| Exit::Fine)
}
