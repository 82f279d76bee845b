//! `catherd worker`: a worker process, or several with `--processes`.

mod processes;

use std::fs::DirBuilder;
use std::io;
use std::net::ToSocketAddrs as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use catherd_cli_console::{Exit, Failure, terminal};
use catherd_experiments::file_names::safe_name;
use catherd_interface::{Limits, Programs, RunnerContext};
use catherd_platform::{Topology, allowed_cores, host};
use catherd_worker::{
    CoordinatorAddress, DiskCache, ExitReason, Relocation, WorkerError, WorkerOptions, run_worker,
};
use clap::Args;

use crate::failure::Worded;
use crate::programs::{Isolation, WorkerPrograms};
use crate::remote::Credentials;
use crate::run::TRIALS;
use crate::{rendezvous, subjects};
use processes::Processes;

/// Maximum time that an option accepts, in seconds: about ten years.
const MAX_SECONDS: u64 = 10 * 366 * 24 * 3600;

/// Default memory limit of a worker, in MiB.
pub(crate) const MEMORY_MIB: u64 = 5 << 10;

/// Executes runs of a coordinator until they have ended.
///
/// The worker repeatedly leases a run, executes it and commits its record. `catherd run` starts its
/// own workers; this command adds a worker to a coordinator by hand.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd worker --connect 127.0.0.1:7420
  catherd worker --connect http://ant:7000 --core 3 --spool /var/tmp/catherd/ant-3
  catherd worker --connect ant:7420,bee:7420 --tls certs/workers --token-file ants.token --idle 60
  catherd worker --connect file:/shared/me/coordinator --processes all

Ctrl-C or SIGTERM: finish the current run, or hand it back after --grace, return the other leases, exit;
again: exit at once.

While the disk is full, runs of tools are handed back; after --space-timeout the worker ends with exit code 5.")]
pub(crate) struct Arguments {
    /// Address of the coordinator, HOST:PORT; for several coordinators on one store, their
    /// addresses, separated by commas; or file:PATH for a rendezvous file, for which the worker
    /// waits
    #[arg(
        long,
        alias = "coordinator",
        value_name = "ADDR",
        value_delimiter = ',',
        required = true
    )]
    connect: Vec<String>,

    #[command(flatten)]
    credentials: Credentials,

    /// Number of the core to which the process is pinned [default: none]
    #[arg(long, value_name = "N")]
    core: Option<usize>,

    /// Start this many workers instead of one, or `all`: one for each physical core that the
    /// process may use. With `all`, or if there are as many cores as workers, each worker is pinned
    /// to a core. The names of the workers are the value of --name and a number, and the spools are
    /// below --spool; a worker that dies is started again
    #[arg(long, value_name = "N|all", conflicts_with = "core")]
    processes: Option<Processes>,

    /// Accept a --core that is not the first hyper-thread of its physical core, which another
    /// worker may use; with --processes all, one worker for each hyper-thread. Runs on
    /// hyper-threads of one core slow each other down, so their real time means little
    #[arg(long)]
    siblings: bool,

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

    /// How long to wait for space on a full disk, in seconds [default: the value of
    /// --retry-timeout]
    #[arg(long, value_name = "SECONDS", hide = true)]
    space_timeout: Option<u64>,

    /// Time without a run after which the worker exits, in seconds [default: until the coordinator
    /// says that all runs have ended, which `catherd coordinator` never says]
    #[arg(long, value_name = "SECONDS")]
    idle: Option<u64>,

    /// End of the worker's allocation: seconds since 1970, or a time from now such as 8h. The
    /// worker gets no run that is expected to take longer, and hands back an unfinished run ten
    /// seconds before the end [default: it does not end]
    #[arg(long, value_name = "TIME", env = "SLURM_JOB_END_TIME", value_parser = time_left)]
    until: Option<Duration>,

    /// Time after SIGTERM within which the current run may end, in seconds; it is then handed back
    /// without counting as an attempt [default: until it ends]
    #[arg(long, value_name = "SECONDS")]
    grace: Option<u64>,

    /// Time limit of a run, in seconds; a run that exceeds it is stopped, and may be executed again
    #[arg(long, value_name = "SECONDS")]
    run_limit: Option<u64>,

    /// Memory limit of this worker and its programs, in MiB
    #[arg(long, value_name = "MIB", default_value_t = MEMORY_MIB)]
    memory: u64,

    /// Folder for runs of external tools (kind `command`), which are executed only with this flag.
    /// Every client that may submit a study can then run any program here
    #[arg(long, value_name = "DIR")]
    programs: Option<PathBuf>,

    /// Folder of the tools that studies name by relative paths; may be repeated [default: the
    /// current folder]
    #[arg(long, value_name = "DIR", requires = "programs")]
    tools: Vec<PathBuf>,

    /// Folder of trials that have ended and are not measured yet, which workers may share [default:
    /// trials, below --programs]
    #[arg(long, value_name = "DIR", hide = true, requires = "programs")]
    trials: Option<PathBuf>,

    /// Isolation of external tools: in separate namespaces, programs see no token files and no
    /// other processes
    #[arg(long, value_name = "MODE", default_value = "wanted", requires = "programs")]
    isolation: Isolation,

    /// File or folder that programs must not see, in addition to tokens, keys, spool and cache
    #[arg(long, value_name = "PATH", hide = true)]
    hide: Vec<PathBuf>,

    /// Format of the log on standard error
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    log: terminal::Format,

    /// Do not print which guarantees of isolation are missing, because another process has printed
    /// them
    #[arg(long, hide = true)]
    isolation_known: bool,

    /// Exit when standard input closes
    #[arg(long, alias = "leashed", hide = true)]
    exit_with_parent: bool,
}

fn time_left(text: &str) -> Result<Duration, String> {
    match text.parse() {
        Ok(seconds) => {
            let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            Ok(Duration::from_secs(seconds).saturating_sub(now))
        }
        Err(_) => span(text).map_err(|problem| format!("{problem}, or seconds since 1970")),
    }
}

pub(crate) fn span(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is not a time; write one such as 90min, 8h or 30d");
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let number: u64 = text[..text.len() - unit.len()].parse().map_err(|_| wrong())?;
    let seconds = match unit {
        "s" => 1,
        "min" => 60,
        "h" => 3600,
        "d" => 24 * 3600,
        _ => return Err(wrong()),
    };
    number
        .checked_mul(seconds)
        .filter(|&s| s <= MAX_SECONDS)
        .map(Duration::from_secs)
        .ok_or_else(wrong)
}

pub(crate) fn run(arguments: Arguments) -> Result<Exit, Failure> {
    terminal::log_as("warn", arguments.log);
    let name = arguments.name.clone().unwrap_or_else(|| match arguments.core {
        Some(core) => format!("{}-core-{core}", host()),
        None => format!("{}-{}", host(), std::process::id()),
    });
    let spool = arguments.spool.clone().unwrap_or_else(|| Path::new("spool").join(&name));
    let folder = arguments.cache.clone().unwrap_or_else(|| spool.with_file_name("cache"));
    if let Some(processes) = arguments.processes {
        return processes::run(&arguments, processes, &name, &spool, &folder);
    }
    let Arguments { connect, credentials, core, idle, .. } = arguments;
    let limits = Limits {
        wall: arguments.run_limit.map(Duration::from_secs),
        memory: Some(arguments.memory << 20),
    };
    if let Some(core) = core.filter(|_| !arguments.siblings) {
        not_a_sibling(core)?;
    }
    let retry_timeout = Duration::from_secs(arguments.retry_timeout);
    let addresses = rendezvous::awaited(&connect, retry_timeout)?;
    if !rendezvous::is_used(&connect) {
        known_names(&addresses)?;
    }
    let coordinators = coordinators(&credentials, &addresses)?;
    let programs = match &arguments.programs {
        Some(programs) => {
            let mut hidden = credentials.secret_files();
            hidden.extend([spool.clone(), folder.clone()]);
            hidden.extend(arguments.hide);
            let trials = arguments.trials.unwrap_or_else(|| programs.join("trials"));
            let trials = trials_folder(&trials)?;
            hidden.push(trials.clone());
            let warn = |line: &str| match arguments.isolation_known {
                true => tracing::debug!("{line}"),
                false => terminal::note(line),
            };
            let programs = programs.join(safe_name(&name));
            let mut tools = arguments.tools;
            if tools.is_empty() {
                tools.push(PathBuf::from("."));
            }
            let made = arguments.isolation.programs_of_worker(&programs, &hidden, &tools, warn)?;
            Some(Programs { trials: Some(trials), ..made })
        }
        None => None,
    };
    let bytes = arguments.cache_size << 20;
    let cache = (bytes > 0).then_some(DiskCache { folder, bytes });
    let context = RunnerContext { programs: programs.as_ref(), limits };
    let mark = spool.join("subject-oom");
    let options = WorkerOptions {
        coordinators,
        relocation: relocation(&connect, credentials),
        spool,
        cache,
        name,
        core,
        retry_timeout,
        space_timeout: arguments.space_timeout.map_or(retry_timeout, Duration::from_secs),
        limits,
        engines: subjects::kinds().served(&context),
        idle: idle.map(Duration::from_secs),
        allocation: arguments.until,
        grace: arguments.grace.map(Duration::from_secs),
        exit_with_parent: arguments.exit_with_parent,
    };
    let make = move |kind: &str| {
        let context = RunnerContext { programs: programs.as_ref(), limits };
        subjects::runner(kind, &context, Some(mark.clone()))
    };
    match run_worker(options, Box::new(make)) {
        Ok(ExitReason::Finished | ExitReason::Drained) => Ok(Exit::Success),
        Ok(ExitReason::Stopped) => Ok(Exit::Stopped),
        Err(error @ WorkerError::DiskFull(_)) => {
            terminal::note(&error.worded().to_string());
            Ok(Exit::DiskFull)
        }
        Err(error) => Err(error.worded()),
    }
}

fn trials_folder(path: &Path) -> Result<PathBuf, Failure> {
    let made = catherd_platform::only_for_owner(DirBuilder::new().recursive(true)).create(path);
    made.and_then(|()| std::path::absolute(path)).map_err(|cause| {
        Failure::new(format_args!("{}: {cause}", path.display()))
            .hint("with --programs, name a folder that you may write to")
    })
}

fn coordinators(
    credentials: &Credentials,
    addresses: &[String],
) -> Result<Vec<CoordinatorAddress>, Failure> {
    let coordinators = credentials.reach_all(addresses)?.into_iter();
    Ok(coordinators.map(|(url, access)| CoordinatorAddress { url, access }).collect())
}

/// While no coordinator answers, the rendezvous files are read again.
fn relocation(connect: &[String], credentials: Credentials) -> Option<Relocation> {
    if !rendezvous::is_used(connect) {
        return None;
    }
    let connect = connect.to_vec();
    let find = move || {
        let addresses = rendezvous::resolved(&connect).ok()?;
        coordinators(&credentials, &addresses).ok()
    };
    Some(Relocation(Arc::new(find)))
}

/// Refuses a core if this process may use an earlier hyper-thread of the same physical core,
/// because another worker may use that hyper-thread.
fn not_a_sibling(core: usize) -> Result<(), Failure> {
    let allowed = allowed_cores();
    let topology = Topology::of_this_machine();
    let first = topology.first(core, &allowed);
    // A core that this process may not use is refused later, when the worker is pinned to it.
    if first == core || !allowed.contains(&core) {
        return Ok(());
    }
    let cores = topology.physical_cores(&allowed);
    let cores: Vec<String> = cores.iter().map(usize::to_string).collect();
    Err(Failure::new(format!(
        "core {core} is a hyper-thread of the same physical core as core {first}"
    ))
    .hint(format!(
        "use one of the cores {}, or --siblings to share physical cores",
        cores.join(", ")
    )))
}

/// Number of attempts to look up the name of a coordinator, one second apart.
const NAME_ATTEMPTS: u32 = 3;

/// An unknown name is probably a typing error, which retrying would not correct.
fn known_names(addresses: &[String]) -> Result<(), Failure> {
    let mut reason = String::new();
    for attempt in 0..NAME_ATTEMPTS {
        if attempt > 0 {
            std::thread::sleep(Duration::from_secs(1));
        }
        for address in addresses {
            let plain = address.split_once("://").map_or(address.as_str(), |(_, rest)| rest);
            match plain.trim_end_matches('/').to_socket_addrs() {
                // Ignore malformed addresses here, because they are reported later.
                Err(cause) if cause.kind() != io::ErrorKind::InvalidInput => {
                    reason = format!("{address}: the name is not known: {cause}");
                }
                _ => return Ok(()),
            }
        }
    }
    Err(Failure::new(reason).hint("correct the name in --connect, HOST:PORT"))
}

fn name_of(core: usize) -> String {
    format!("core-{core}")
}

pub(crate) fn spool(spools: &Path, core: usize) -> PathBuf {
    spools.join(name_of(core))
}

/// The worker reads the token from standard input, because other users can read command lines.
pub(crate) fn command(
    program: &Path,
    address: &str,
    spools: &Path,
    core: usize,
    programs: Option<&WorkerPrograms>,
    space_timeout: Duration,
) -> Command {
    let name = name_of(core);
    let mut command = Command::new(program);
    command
        .args(["worker", "--exit-with-parent", "--isolation-known", "--token-file", "-"])
        .args(["--connect", address, "--name", &name])
        // Accept any hyper-thread, because `catherd run` has chosen the cores.
        .args(["--core", &core.to_string(), "--siblings"])
        // Use no cache, because the projects are already on this machine.
        .args(["--cache-size", "0"])
        .args(["--space-timeout", &space_timeout.as_secs().to_string()])
        .arg("--spool")
        .arg(spool(spools, core))
        // Remove settings for other coordinators and workers.
        .env_remove("CATHERD_TLS")
        .env_remove("SLURM_JOB_END_TIME")
        .stdout(Stdio::null());
    if let Some(programs) = programs {
        command.arg("--programs").arg(spools.join("programs"));
        command.arg("--trials").arg(spools.join(TRIALS));
        command.arg("--tools").arg(&programs.tools);
        command.args(["--isolation", programs.isolation.word()]);
        for name in ["study.db", "study.db-wal", "study.db-shm"] {
            command.arg("--hide").arg(spools.with_file_name(name));
        }
    }
    if std::env::var_os(terminal::LOG).is_none() {
        // Log only errors, because the process that started the worker reports the progress.
        command.env(terminal::LOG, "error");
    }
    command
}
