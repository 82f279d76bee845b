//! `catherd worker`: one worker process.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use catherd_cli_console::{Exit, Failure, terminal};
use catherd_experiments::file_names::safe_name;
use catherd_interface::{Limits, RunnerContext};
use catherd_platform::host;
use catherd_worker::{CoordinatorAddress, DiskCache, ExitReason, WorkerOptions, run_worker};
use clap::Args;

use crate::failure::Worded;
use crate::programs::{Isolation, WorkerPrograms};
use crate::remote::Credentials;
use crate::subjects;

/// Default memory limit of a worker.
pub(crate) const MEMORY_MIB: u64 = 5 << 10;

/// Executes runs of a coordinator until they have ended.
///
/// The worker leases a run, executes it and commits its record, again and again. `catherd run` starts its own workers; this command adds one to a coordinator by hand.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd worker --connect 127.0.0.1:7420
  catherd worker --connect http://ant:7000 --core 3 --spool /var/tmp/catherd/ant-3
  catherd worker --connect ant:7420,bee:7420 --tls certs/workers --token-file ants.token --idle 60

Ctrl-C or SIGTERM: finish the current run, return the other leases, exit; again: exit at once.")]
pub(crate) struct Arguments {
    /// Address of the coordinator, HOST:PORT; of several on one store, separated by commas
    #[arg(long, value_name = "ADDR", value_delimiter = ',', required = true)]
    connect: Vec<String>,

    #[command(flatten)]
    credentials: Credentials,

    /// Number of the core to which the process is pinned [default: none]
    #[arg(long, value_name = "N")]
    core: Option<usize>,

    /// Folder of records that the coordinator has not acknowledged yet [default: spool/NAME]
    #[arg(long, value_name = "DIR")]
    spool: Option<PathBuf>,

    /// Folder of the project cache, which workers may share [default: cache, next to the spool]
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,

    /// Maximum size of the project cache, in MiB; 0 disables the cache
    #[arg(long, value_name = "MIB", default_value_t = 1 << 10)]
    cache_size: u64,

    /// Name of the worker, unique among live workers [default: the host and the core or process id]
    #[arg(long)]
    name: Option<String>,

    /// How long to repeat requests that no coordinator answers, in seconds
    #[arg(long, alias = "patience", value_name = "SECONDS", default_value_t = 600)]
    retry_timeout: u64,

    /// Time without a run after which the worker exits, in seconds [default: until the coordinator says
    /// that all runs have ended, which `catherd coordinator` never says]
    #[arg(long, value_name = "SECONDS")]
    idle: Option<u64>,

    /// Time limit of a run, in seconds; a run that exceeds it is executed by another worker
    #[arg(long, value_name = "SECONDS")]
    run_limit: Option<u64>,

    /// Memory limit of this worker and its programs, in MiB
    #[arg(long, value_name = "MIB", default_value_t = MEMORY_MIB)]
    memory: u64,

    /// Folder for runs of external tools (kind `command`), which are executed only with this flag.
    /// Every client that may submit a study can then run any program here
    #[arg(long, value_name = "DIR")]
    programs: Option<PathBuf>,

    /// Folder of the tools that studies name by relative paths; may be repeated [default: the current
    /// folder]
    #[arg(long, value_name = "DIR", requires = "programs")]
    tools: Vec<PathBuf>,

    /// Isolation of external tools: in namespaces of their own, programs see no token files and no other
    /// processes
    #[arg(long, value_name = "MODE", default_value = "wanted", requires = "programs")]
    isolation: Isolation,

    /// File or folder that programs must not see, in addition to tokens, keys, spool and cache
    #[arg(long, value_name = "PATH", hide = true)]
    hide: Vec<PathBuf>,

    /// Format of the log on standard error
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    log: terminal::Format,

    /// Exit when standard input closes
    #[arg(long, alias = "leashed", hide = true)]
    exit_with_parent: bool,
}

pub(crate) fn run(arguments: Arguments) -> Result<Exit, Failure> {
    terminal::log_as("warn", arguments.log);
    let Arguments { connect, credentials, core, spool, name, idle, .. } = arguments;
    let limits = Limits {
        wall: arguments.run_limit.map(Duration::from_secs),
        memory: Some(arguments.memory << 20),
    };
    let coordinators = credentials.reach_all(&connect)?.into_iter();
    let coordinators = coordinators.map(|(url, access)| CoordinatorAddress { url, access });
    let name = name.unwrap_or_else(|| match core {
        Some(core) => format!("{}-core-{core}", host()),
        None => format!("{}-{}", host(), std::process::id()),
    });
    let spool = spool.unwrap_or_else(|| Path::new("spool").join(&name));
    let folder = arguments.cache.unwrap_or_else(|| spool.with_file_name("cache"));
    let programs = match &arguments.programs {
        Some(programs) => {
            let mut hidden = credentials.secret_files();
            hidden.extend([spool.clone(), folder.clone()]);
            hidden.extend(arguments.hide);
            let warn = |line: &str| match arguments.exit_with_parent {
                // `catherd run` has one worker for each core, and has said it for all.
                true => tracing::debug!("{line}"),
                false => terminal::note(line),
            };
            let programs = programs.join(safe_name(&name));
            let mut tools = arguments.tools;
            if tools.is_empty() {
                tools.push(PathBuf::from("."));
            }
            Some(arguments.isolation.programs_of_worker(&programs, &hidden, &tools, warn)?)
        }
        None => None,
    };
    let bytes = arguments.cache_size << 20;
    let cache = (bytes > 0).then_some(DiskCache { folder, bytes });
    let context = RunnerContext { programs: programs.as_ref(), limits };
    let options = WorkerOptions {
        coordinators: coordinators.collect(),
        spool,
        cache,
        name,
        core,
        retry_timeout: Duration::from_secs(arguments.retry_timeout),
        limits,
        engines: subjects::kinds().served(&context),
        idle: idle.map(Duration::from_secs),
        exit_with_parent: arguments.exit_with_parent,
    };
    let make = move |kind: &str| {
        let context = RunnerContext { programs: programs.as_ref(), limits };
        subjects::kinds().runner(kind, &context)
    };
    match run_worker(options, Box::new(make)).map_err(Worded::worded)? {
        ExitReason::Finished | ExitReason::Drained => Ok(Exit::Success),
        ExitReason::Stopped => Ok(Exit::Stopped),
    }
}

/// The command that starts the worker of a core for `catherd run`.
///
/// The worker reads its token from standard input: other users could read command line and
/// environment. It executes programs if `programs` says how.
pub(crate) fn command(
    program: &Path,
    address: &str,
    spools: &Path,
    core: usize,
    programs: Option<&WorkerPrograms>,
) -> Command {
    let name = format!("core-{core}");
    let mut command = Command::new(program);
    command
        .args(["worker", "--exit-with-parent", "--token-file", "-"])
        .args(["--connect", address, "--name", &name])
        .args(["--core", &core.to_string()])
        // No cache, because the projects are on this machine already.
        .args(["--cache-size", "0"])
        .arg("--spool")
        .arg(spools.join(&name))
        // Settings for other coordinators.
        .env_remove("CATHERD_TLS")
        .stdout(Stdio::null());
    if let Some(programs) = programs {
        command.arg("--programs").arg(spools.join("programs"));
        command.arg("--tools").arg(&programs.tools);
        command.args(["--isolation", programs.isolation.word()]);
        for name in ["study.db", "study.db-wal", "study.db-shm"] {
            command.arg("--hide").arg(spools.with_file_name(name));
        }
    }
    if std::env::var_os(terminal::LOG).is_none() {
        // The coordinator is in the process that started the worker, which reports the progress.
        command.env(terminal::LOG, "error");
    }
    command
}
