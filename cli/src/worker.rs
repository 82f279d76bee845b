//! `catherd worker`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use catherd_worker::{DiskCache, Ending, Limits, Options, host, run_worker};
use clap::Args;

use crate::failure::{Exit, Failure};
use crate::remote::{self, Proof};
use crate::{subjects, terminal};

/// Memory of a worker unless it is told otherwise.
pub(crate) const MEMORY_MIB: u64 = 5 << 10;

/// Leases runs from a coordinator, executes and commits them until the study is complete.
///
/// `catherd run` starts its own workers; this is for adding one by hand.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd worker --connect 127.0.0.1:7000
  catherd worker --connect http://ant:7000 --core 3 --spool /var/tmp/catherd/ant-3
  catherd worker --connect ant:7420,bee:7420 --tls certs/workers --token-file ants.token --idle 60

Ctrl-C or SIGTERM: finish the run in hand, hand back the others, end; again: end at once.")]
pub(crate) struct Arguments {
    /// Where the coordinator serves: HOST:PORT; several of the same store, separated by commas
    #[arg(long, value_name = "ADDR", value_delimiter = ',', required = true)]
    connect: Vec<String>,

    #[command(flatten)]
    proof: Proof,

    /// Core to be pinned to [default: none]
    #[arg(long, value_name = "N")]
    core: Option<usize>,

    /// Folder for finished records that are not acknowledged yet [default: spool/NAME]
    #[arg(long, value_name = "DIR")]
    spool: Option<PathBuf>,

    /// Folder for projects, which workers may share [default: cache, beside the spool]
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,

    /// Disk that the projects in --cache may take, in MiB; 0: none are kept
    #[arg(long, value_name = "MIB", default_value_t = 1 << 10)]
    cache_size: u64,

    /// Name, unique among live workers [default: the host and the core or process id]
    #[arg(long)]
    name: Option<String>,

    /// Seconds to wait for a coordinator that does not answer
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    patience: u64,

    /// End after this many seconds without a run [default: when every run has ended, of a
    /// coordinator that serves all studies never]
    #[arg(long, value_name = "SECONDS")]
    idle: Option<u64>,

    /// Real time that a run may take, in seconds; one that takes longer is tried elsewhere
    #[arg(long, value_name = "SECONDS")]
    run_limit: Option<u64>,

    /// Memory that this worker and its programs may take, in MiB
    #[arg(long, value_name = "MIB", default_value_t = MEMORY_MIB)]
    memory: u64,

    /// Run the programs of studies of the kind `command`, in folders below DIR. Whoever may
    /// submit a study can then run anything here
    #[arg(long, value_name = "DIR")]
    programs: Option<PathBuf>,

    /// How to log to standard error
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    log: terminal::Format,

    /// End when standard input closes
    #[arg(long, hide = true)]
    leashed: bool,
}

pub(crate) fn run(arguments: Arguments) -> Result<Exit, Failure> {
    terminal::log_as("error", arguments.log);
    let Arguments { connect, proof, core, spool, name, patience, idle, leashed, .. } = arguments;
    let limits = Limits {
        wall: arguments.run_limit.map(Duration::from_secs),
        memory: Some(arguments.memory << 20),
    };
    let programs = arguments.programs;
    let access = proof.access()?;
    let name = name.unwrap_or_else(|| match core {
        Some(core) => format!("{}-core-{core}", host()),
        None => format!("{}-{}", host(), std::process::id()),
    });
    let spool = spool.unwrap_or_else(|| Path::new("spool").join(&name));
    let folder = arguments.cache.unwrap_or_else(|| spool.with_file_name("cache"));
    let bytes = arguments.cache_size << 20;
    let cache = (bytes > 0).then_some(DiskCache { folder, bytes });
    let options = Options {
        coordinators: connect.iter().map(|address| remote::url(address, &access)).collect(),
        access,
        spool,
        cache,
        name,
        core,
        patience: Duration::from_secs(patience),
        limits,
        engines: subjects::engines(),
        idle: idle.map(Duration::from_secs),
        leashed,
    };
    match run_worker(
        options,
        Box::new(move |kind| subjects::make(kind, programs.as_deref(), limits)),
    )? {
        Ending::Finished | Ending::Drained => Ok(Exit::Fine),
        Ending::Stopped => Ok(Exit::Stopped),
    }
}

/// The command line of the worker of a core that `catherd run` starts.
pub(crate) fn command(program: &Path, address: &str, spools: &Path, core: usize) -> Command {
    let name = format!("core-{core}");
    let mut command = Command::new(program);
    command
        .args(["worker", "--leashed", "--connect", address, "--name", &name])
        .args(["--core", &core.to_string()])
        // They are on this machine already.
        .args(["--cache-size", "0"])
        .arg("--spool")
        .arg(spools.join(&name))
        // Its own user wrote the study.
        .arg("--programs")
        .arg(spools.join(&name))
        .stdout(Stdio::null());
    command
}
