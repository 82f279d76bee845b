//! `catherd launch`: workers on a cluster, placed by the cluster's own manager.

use std::fmt::Write as _;
use std::fs;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::process::Command as Process;

use clap::{Args, Subcommand};

use crate::failure::{Exit, Failure};
use crate::{terminal, worker};

/// Starts workers on a cluster.
#[derive(Subcommand)]
pub(crate) enum Command {
    Slurm(Slurm),
}

pub(crate) fn run(command: Command) -> Result<Exit, Failure> {
    match command {
        Command::Slurm(arguments) => arguments.run(),
    }
}

/// Submits a Slurm job array of workers that take runs from a coordinator.
///
/// Each task of the array is a worker that lives as long as there are runs, not a run: the
/// queue sees one array however many runs there are. A task that is preempted or requeued
/// comes back under the same name, and its run is leased again at once. Before the time limit,
/// Slurm sends SIGTERM, and the worker finishes its run or returns it.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd launch slurm --connect ant:7420 --workers 64 --time 8:00:00 \\
      --tls certs/workers --token-file ants.token
  catherd launch slurm --connect 127.0.0.1:7420 --workers 2 --dry-run
  catherd launch slurm --connect ant:7420 --workers 64 -- --partition=long --nice=100")]
pub(crate) struct Slurm {
    /// Where the coordinator serves: HOST:PORT; several of the same store, separated by commas
    #[arg(long, value_name = "ADDR")]
    connect: String,

    /// Workers, each on a core of its own
    #[arg(long, value_name = "N")]
    workers: NonZeroU32,

    /// Time limit of a worker in the notation of Slurm, such as 1-12:00:00
    #[arg(long, value_name = "TIME", default_value = "12:00:00")]
    time: String,

    /// Memory of a worker in MiB
    #[arg(long, value_name = "MIB", default_value_t = worker::MEMORY_MIB)]
    memory: u64,

    /// Seconds without a run after which a worker ends
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    idle: u64,

    /// Folder for the script, the logs and the spools, seen by all nodes
    #[arg(long, value_name = "DIR", default_value = "catherd-slurm")]
    dir: PathBuf,

    /// Folder with ca.pem, cert.pem and key.pem, as `catherd certs` makes them
    #[arg(long, value_name = "DIR", env = "CATHERD_TLS")]
    tls: Option<PathBuf>,

    /// File with the token of a worker, as `catherd token` prints it
    #[arg(long, value_name = "FILE", env = "CATHERD_TOKEN_FILE")]
    token_file: Option<PathBuf>,

    /// Write the script, but do not submit it
    #[arg(long)]
    dry_run: bool,

    /// More options for sbatch
    #[arg(last = true)]
    sbatch: Vec<String>,
}

impl Slurm {
    fn run(self) -> Result<Exit, Failure> {
        let unusable = |path: &Path, cause: std::io::Error| {
            Failure::new(format_args!("{}: {cause}", path.display()))
                .hint("name a folder that you may write to with --dir")
        };
        fs::create_dir_all(&self.dir).map_err(|cause| unusable(&self.dir, cause))?;
        let dir = self.dir.canonicalize().map_err(|cause| unusable(&self.dir, cause))?;
        let script = dir.join("workers.sbatch");
        fs::write(&script, self.script(&dir)?).map_err(|cause| unusable(&script, cause))?;
        if self.dry_run {
            terminal::note(&format!("submit it with: sbatch {}", script.display()));
            return Ok(Exit::Fine);
        }
        let output = Process::new("sbatch").args(&self.sbatch).arg(&script).output();
        let output = output.map_err(|cause| {
            Failure::new(format_args!("cannot start sbatch: {cause}"))
                .hint("run this on a machine that submits to Slurm, or use --dry-run")
        })?;
        if !output.status.success() {
            let told = String::from_utf8_lossy(&output.stderr);
            return Err(Failure::new(format_args!("sbatch failed: {}", told.trim()))
                .hint(format!("see {}", script.display())));
        }
        terminal::print(&String::from_utf8_lossy(&output.stdout));
        Ok(Exit::Fine)
    }

    fn script(&self, dir: &Path) -> Result<String, Failure> {
        let absolute = |path: &Path| {
            let found = path.canonicalize().map(|path| quoted(&path.display().to_string()));
            found.map_err(|cause| Failure::new(format_args!("{}: {cause}", path.display())))
        };
        let program = std::env::current_exe()
            .map_err(|cause| Failure::new(format_args!("cannot find this program: {cause}")))?;
        let mut text = format!(
            "#!/bin/bash\n\
             #SBATCH --job-name=catherd\n\
             #SBATCH --array=1-{workers}\n\
             #SBATCH --cpus-per-task=1\n\
             #SBATCH --mem={memory}M\n\
             #SBATCH --time={time}\n\
             #SBATCH --requeue\n\
             #SBATCH --open-mode=append\n\
             # The worker is the batch process itself (exec) and finishes or hands back its run.\n\
             #SBATCH --signal=B:TERM@120\n\
             #SBATCH --output={logs}/%A_%a.log\n\n\
             # The same after a requeue: what this worker held is given out again at once.\n\
             name=slurm-$SLURM_ARRAY_JOB_ID-$SLURM_ARRAY_TASK_ID\n\
             exec {program} worker --connect {connect} --name \"$name\" --spool {dir}/spool/\"$name\" \\\n    \
             --idle {idle} --retry-timeout 900 --memory {memory}",
            workers = self.workers,
            memory = self.memory,
            time = one_line(&self.time),
            logs = one_line(&dir.display().to_string()),
            program = quoted(&program.display().to_string()),
            connect = quoted(&self.connect),
            dir = quoted(&dir.display().to_string()),
            idle = self.idle,
        );
        // Writing to a string does not fail.
        if let Some(tls) = &self.tls {
            let _ = write!(text, " --tls {}", absolute(tls)?);
        }
        if let Some(file) = &self.token_file {
            let _ = write!(text, " --token-file {}", absolute(file)?);
        }
        text.push('\n');
        Ok(text)
    }
}

/// A word quoted for a POSIX shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}
