//! `catherd coordinator`: serves studies to workers on other machines.

mod allocation;
mod hook;
mod traces;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use catherd_cli_console::{Exit, Failure, terminal};
use catherd_coordinator::auth::{Role, TokenStore};
use catherd_coordinator::{Coordinator, CoordinatorError, CoordinatorOptions, StoreUrl};
use catherd_platform::{ReloadSignal, StopSignals};
use clap::Args;
use tokio::net::TcpListener;

use crate::certificates::{self, read_tls};
use crate::failure::{self, Worded};
use crate::{local_token, remote, rendezvous, subjects, tokens};
use allocation::Allocation;

/// Serves studies to workers on any machine until it is stopped.
///
/// Studies are added with `catherd submit`, and kept in the store. A coordinator that is started
/// again on the same folder continues the studies. With a PostgreSQL store, a second coordinator
/// stands by and takes over when the first is lost.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd coordinator --dir /srv/catherd --dashboard
  catherd coordinator --dir /srv/catherd --store postgres://catherd@db/catherd
  catherd coordinator --listen 0.0.0.0:7420 --tls certs/ant --tokens tokens --log json
  catherd coordinator --listen 0.0.0.0:0 --rendezvous /shared/me/coordinator --tls certs/nodes \
      --tokens tokens --allocate 'slurm: --workers 0..256 --cores-per-task 32 --time 8h \
      --budget 2000 --tls certs/workers --token-file ants.token'
  catherd coordinator --on-end 'curl -s -d \"$CATHERD_STUDY has ended\" https://example.org/hook'

On loopback, workers and clients of the same user need no flags: the coordinator makes a token, in a
file that they find and other users cannot read.

Ctrl-C or SIGTERM: exit; workers finish their current runs and wait for a coordinator. SIGHUP: read
tokens and certificates again.")]
pub(crate) struct Arguments {
    /// Folder of the store, if --store is not given [default: catherd-data]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,

    /// Store: postgres://USER@HOST/NAME, or an SQLite file [default: DIR/study.db]
    #[arg(long, value_name = "STORE")]
    store: Option<String>,

    /// Address to listen on; an address that other machines can reach needs --tls and --tokens
    #[arg(long, value_name = "ADDR", default_value = remote::ADDRESS)]
    listen: SocketAddr,

    /// Lease term: time without a heartbeat after which a run is leased to another worker, in
    /// seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 15, value_parser = clap::value_parser!(u64).range(1..=3600))]
    term: u64,

    /// Address of the dashboard, Prometheus metrics (/metrics) and health (/health): HTTP on
    /// loopback, otherwise HTTPS with a viewer's token as the password
    #[arg(long, value_name = "ADDR", num_args = 0..=1, default_missing_value = "127.0.0.1:7421")]
    dashboard: Option<SocketAddr>,

    /// Host names under which browsers reach the dashboard, separated by commas, in addition to
    /// localhost and IP addresses
    #[arg(long, value_name = "NAME", value_delimiter = ',', requires = "dashboard")]
    dashboard_name: Vec<String>,

    /// Shell command that is executed when all runs of a study have ended, with CATHERD_STUDY,
    /// CATHERD_OWNER, CATHERD_PLANNED, CATHERD_DONE, CATHERD_FAILED and CATHERD_QUARANTINED in its
    /// environment
    #[arg(long, value_name = "COMMAND")]
    on_end: Option<String>,

    /// File to which the address is written, for workers and clients with --connect file:PATH; on a
    /// file system that they share
    #[arg(long, value_name = "FILE")]
    rendezvous: Option<PathBuf>,

    /// Allocate workers on a cluster while runs wait: slurm, pbs, htcondor, kubernetes or ssh, a
    /// colon, and the options of `catherd launch` for it in one argument; in addition --budget
    /// HOURS (core-hours that are never exceeded) and --max-idle PERCENT (2)
    #[arg(long, value_name = "MANAGER:OPTIONS")]
    allocate: Option<Allocation>,

    /// Send traces of runs to an OpenTelemetry collector, from submission to record, as OTLP over
    /// HTTP; needs a build with --features cluster
    #[arg(long, value_name = "URL", value_parser = traces::url)]
    traces: Option<String>,

    /// Format of the log on standard error
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    log: terminal::Format,

    /// Folder with ca.pem, cert.pem and key.pem, written by `catherd certs`
    #[arg(long, value_name = "DIR")]
    tls: Option<PathBuf>,

    /// Token file, written by `catherd token` [default: a token for the user of the coordinator]
    #[arg(long, value_name = "FILE")]
    tokens: Option<PathBuf>,

    /// Accept requests without a token, on loopback only. Every user of this machine can then
    /// submit studies, which run programs on workers with --programs
    #[arg(long, conflicts_with = "tokens")]
    open: bool,
}

const FOLDER: &str = "catherd-data";

/// The default folder of versions up to 0.3.0.
const FORMER_FOLDER: &str = "herd";

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
    let mut options =
        CoordinatorOptions::new(&arguments.dir.clone().unwrap_or_else(default_folder));
    if let Some(store) = &arguments.store {
        if let (Some((scheme, _)), StoreUrl::Sqlite(_)) =
            (store.split_once("://"), StoreUrl::parse(store))
        {
            return Err(Failure::new(format_args!(
                "--store: there is no store of the kind `{scheme}`"
            ))
            .hint("write postgres://USER@HOST/NAME, or the path of an SQLite file"));
        }
        options.store = StoreUrl::parse(store);
    }
    options.stand_by = true;
    options.engines = subjects::kinds().engines();
    options.criteria = subjects::kinds().criteria();
    options.policy.term = Duration::from_secs(arguments.term);
    options.tls = arguments.tls.as_deref().map(read_tls).transpose()?;
    options.tokens = match &arguments.tokens {
        Some(file) => Some(tokens::read(file)?),
        None if arguments.open => None,
        // Accept no request until the port is known, because the name of the token file contains
        // the port.
        None => Some(TokenStore::default()),
    };
    if let Some(tls) = &options.tls {
        let expiry = certificates::expiry(&tls.certificate)?;
        match expiry.urgent {
            true => tracing::warn!("{}", expiry.text),
            false => terminal::note(&expiry.text),
        }
    }
    if let Some(url) = &arguments.traces {
        options.traces = Some(traces::exporter(url)?);
    }
    let store = options.store.clone();
    let coordinator =
        Coordinator::open(options).map_err(|error| failure::of_folder(error, "--dir"))?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|cause| Failure::new(format_args!("cannot start threads: {cause}")))?;
    let served = runtime.block_on(arguments.serve(&coordinator, &store));
    // Servers end with the coordinator.
    drop(coordinator);
    runtime.shutdown_timeout(Duration::from_secs(2));
    served.map(|()| Exit::Success)
}

impl Arguments {
    async fn serve(&self, coordinator: &Coordinator, store: &StoreUrl) -> Result<(), Failure> {
        let cannot_handle = |cause| Failure::new(format_args!("cannot handle signals: {cause}"));
        let listener = listen(self.listen, "--listen").await?;
        let address =
            listener.local_addr().map_err(CoordinatorError::Listen).map_err(Worded::worded)?;
        self.admit_user(coordinator, address)?;
        let mut stop = StopSignals::listen().map_err(cannot_handle)?;
        let mut reload = ReloadSignal::listen().map_err(cannot_handle)?;
        if let Some(address) = self.dashboard {
            self.show_dashboard(coordinator, address).await?;
        }
        let reachable = self.announce(address)?;
        let allocator = self.allocate.clone();
        let allocator = allocator.map(|allocation| allocation.allocator(&reachable)).transpose()?;
        if let Some(allocator) = allocator {
            // The task ends with the runtime.
            tokio::spawn(allocator.run(coordinator.watch()));
        }
        let server = coordinator.serve(listener);
        tokio::pin!(server);
        let mut progress = coordinator.watch();
        let mut ended = coordinator.watch();
        let mut hook = self.on_end.as_deref().map(hook::EndHook::new);
        let studies = coordinator.progress().studies.len();
        let noun = if studies == 1 { "study" } else { "studies" };
        terminal::note(&format!("serving {studies} {noun} of {store} on {address}"));
        loop {
            tokio::select! {
                served = &mut server => return served.map_err(Worded::worded),
                () = stop.received() => return Ok(()),
                Ok(progress) = progress.wait_for(|progress| progress.lost_file.is_some()) => {
                    let lost = progress.lost_file.clone().unwrap_or_default();
                    return Err(Failure::new(lost).hint(failure::LOST_FILE));
                }
                () = reload.received() => self.reload(coordinator),
                Ok(()) = ended.changed(), if hook.is_some() => {
                    let progress = ended.borrow_and_update();
                    hook.iter_mut().for_each(|hook| hook.update(&progress));
                }
            }
        }
    }

    /// Returns the address for workers: `file:PATH` if there is a rendezvous file.
    fn announce(&self, address: SocketAddr) -> Result<String, Failure> {
        let reachable = rendezvous::reachable(address);
        let Some(file) = &self.rendezvous else { return Ok(reachable) };
        let cannot_write = |cause| {
            Failure::new(format_args!("cannot write the address to {}: {cause}", file.display()))
                .hint("with --rendezvous, name a file in a folder that you may write to")
        };
        rendezvous::write(file, &reachable).map_err(cannot_write)?;
        let file = file.canonicalize().map_err(cannot_write)?;
        terminal::note(&format!("address: {reachable}, in {}", file.display()));
        Ok(format!("file:{}", file.display()))
    }

    fn admit_user(&self, coordinator: &Coordinator, address: SocketAddr) -> Result<(), Failure> {
        if self.open {
            tracing::warn!(
                "no token is needed (--open): every user of this machine can submit studies"
            );
        } else if self.tokens.is_none() {
            if !address.ip().is_loopback() {
                return Err(CoordinatorError::Exposed(address).worded());
            }
            let (token, file) = local_token::obtain(address)?;
            coordinator.set_tokens(TokenStore::of(&token, Role::Administrator, &user_name()));
            terminal::note(&format!(
                "token: {} (found by this user's workers and clients)",
                file.display()
            ));
        }
        Ok(())
    }

    async fn show_dashboard(
        &self,
        coordinator: &Coordinator,
        address: SocketAddr,
    ) -> Result<(), Failure> {
        let listener = listen(address, "--dashboard").await?;
        let address =
            listener.local_addr().map_err(CoordinatorError::Listen).map_err(Worded::worded)?;
        let loopback = address.ip().is_loopback();
        if !loopback && (self.tls.is_none() || self.tokens.is_none()) {
            return Err(CoordinatorError::Exposed(address).worded());
        }
        let scheme = if loopback { "http" } else { "https" };
        terminal::note(&format!("dashboard: {scheme}://{address}/"));
        tokio::spawn(coordinator.serve_dashboard(listener, self.dashboard_name.clone()));
        Ok(())
    }

    /// If reading fails, the present tokens and certificates stay in use.
    fn reload(&self, coordinator: &Coordinator) {
        if let Some(file) = &self.tokens {
            match TokenStore::read(file) {
                Ok(tokens) => {
                    let number = terminal::plural(tokens.len(), "token");
                    coordinator.set_tokens(tokens);
                    terminal::note(&format!("{}: {number} from now on", file.display()));
                }
                Err(cause) => tracing::error!("the tokens stay as they are: {cause}"),
            }
        }
        if let Some(folder) = &self.tls {
            let reloaded = read_tls(folder).and_then(|tls| {
                let expiry = certificates::expiry(&tls.certificate)?;
                coordinator.set_tls(&tls).map_err(Worded::worded)?;
                Ok(expiry)
            });
            match reloaded {
                Ok(expiry) => terminal::note(&expiry.text),
                Err(failure) => tracing::error!("the certificate stays as it is: {failure}"),
            }
        }
    }
}

/// Returns the name of the user of this process, to whom the studies of local clients belong; empty
/// if unknown.
fn user_name() -> String {
    let named = ["USER", "LOGNAME"].into_iter().find_map(|name| std::env::var(name).ok());
    named.unwrap_or_default()
}

async fn listen(address: SocketAddr, flag: &str) -> Result<TcpListener, Failure> {
    TcpListener::bind(address).await.map_err(|cause| {
        Failure::new(format_args!("cannot listen on {address}: {cause}"))
            .hint(format!("name another address with {flag}"))
    })
}
