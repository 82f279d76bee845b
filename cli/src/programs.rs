//! Settings for the programs of the subject kind `command`, and `catherd supervise`, the process
//! between a worker and a program.

use std::path::{Path, PathBuf};

use catherd_cli_console::{Exit, Failure};
use catherd_interface::Programs;
use catherd_interface::command::{Supervision, supervise};
use clap::{Args, ValueEnum};

/// The isolation that a worker requires for programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Isolation {
    /// Namespaces; without them, the worker does not start
    Required,
    /// Namespaces if the kernel permits them
    #[default]
    Wanted,
    /// No namespaces, for programs that make their own, or need the namespaces of the host
    Off,
}

/// How the workers of a study on this machine execute programs.
#[derive(Clone)]
pub(crate) struct WorkerPrograms {
    /// The folder to which the paths of tools are relative.
    pub(crate) tools: PathBuf,
    pub(crate) isolation: Isolation,
}

impl Isolation {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Isolation::Required => "required",
            Isolation::Wanted => "wanted",
            Isolation::Off => "off",
        }
    }

    pub(crate) fn programs(
        self,
        folder: &Path,
        hidden: &[PathBuf],
        tools: &[PathBuf],
    ) -> Result<Programs, Failure> {
        // With this path, the kernel finds the executable even if its file has been replaced.
        let supervisor = cfg!(target_os = "linux").then(|| PathBuf::from("/proc/self/exe"));
        // Make paths absolute, because programs do not run in the current folder of this process.
        let absolute = |path: &Path| {
            std::path::absolute(path).map_err(|cause| {
                Failure::new(format_args!("{}: {cause}", path.display()))
                    .hint("name a folder for the programs' working folders")
            })
        };
        let folder = absolute(folder)?;
        let hidden = hidden.iter().map(|path| absolute(path)).collect::<Result<_, _>>()?;
        let tools = tools.iter().map(|path| absolute(path)).collect::<Result<_, _>>()?;
        let namespaces = self != Isolation::Off;
        let trials = None;
        Ok(Programs { folder, supervisor, hidden, tools, trials, namespaces, exclusive: false })
    }

    /// Returns how a worker, which executes only one run at a time, runs programs. `warn` receives
    /// the guarantees that the system does not give.
    pub(crate) fn programs_of_worker(
        self,
        folder: &Path,
        hidden: &[PathBuf],
        tools: &[PathBuf],
        warn: impl FnOnce(&str),
    ) -> Result<Programs, Failure> {
        let programs = Programs { exclusive: true, ..self.programs(folder, hidden, tools)? };
        let unusable = |cause: &dyn std::fmt::Display| {
            Failure::new(format_args!("programs cannot be run: {cause}"))
                .hint("with --programs, name a folder that you may write to; check the limits of processes")
        };
        programs
            .prepare()
            .map_err(|cause| unusable(&format_args!("{}: {cause}", programs.folder.display())))?;
        // If a program kills its supervisor, this process adopts the descendants.
        let orphans = catherd_platform::adopt_orphans();
        let mut missing = programs.missing_guarantees().map_err(|cause| unusable(&cause))?;
        missing.extend(orphans.err().map(|cause| format!("adopting orphans ({cause})")));
        let list = missing.join("; ");
        match self {
            _ if missing.is_empty() => {}
            Isolation::Required => {
                return Err(Failure::new(format_args!("this system lacks {list}"))
                    .hint("permit user namespaces, or use --isolation wanted"));
            }
            Isolation::Wanted => warn(&format!("programs are run without {list}")),
            Isolation::Off => {}
        }
        Ok(programs)
    }
}

pub(crate) fn missing_guarantees(
    folder: &Path,
    isolation: Isolation,
) -> Result<Option<String>, Failure> {
    let programs = isolation.programs(folder, &[], &[])?;
    let missing = programs.missing_guarantees().map_err(|cause| {
        Failure::new(format_args!("programs cannot be run: {cause}"))
            .hint("see whether the system's limits allow processes")
    })?;
    let list = missing.join("; ");
    match isolation {
        _ if missing.is_empty() => Ok(None),
        Isolation::Required => Err(Failure::new(format_args!("this system lacks {list}"))
            .hint("permit user namespaces, or use --isolation wanted")),
        Isolation::Wanted => Ok(Some(format!("programs are run without {list}"))),
        Isolation::Off => Ok(None),
    }
}

/// Supervises a program for a worker.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Working folder of the program
    #[arg(long, value_name = "DIR")]
    folder: PathBuf,

    /// File or folder that the program must not see
    #[arg(long, value_name = "PATH")]
    hide: Vec<PathBuf>,

    /// Use namespaces
    #[arg(long)]
    namespaces: bool,

    /// Be the init process of the namespace that this process is in
    #[arg(long)]
    init: bool,

    /// Limit of the shared memory of the program in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 30)]
    shared_memory: u64,

    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "WORD")]
    words: Vec<String>,
}

pub(crate) fn run(arguments: Arguments) -> Result<Exit, Failure> {
    let Arguments { folder, hide: hidden, namespaces, init, shared_memory, words } = arguments;
    let supervision = Supervision { folder, hidden, namespaces, init, shared_memory, words };
    match supervise(&supervision) {
        Ok(()) => Ok(Exit::Success),
        Err(cause) => Err(Failure::new(format_args!("the program is not supervised: {cause}"))),
    }
}
