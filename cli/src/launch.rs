//! `catherd launch`: starts workers through the manager of a cluster.

use std::fmt::Write as _;
use std::fs;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::process::Command as Process;

use catherd_cli_console::{Exit, Failure, terminal};
use clap::{Args, Subcommand};

use crate::worker;

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
/// Each task of the array is a worker that executes runs as long as there are any, so that the
/// queue has one array for any number of runs. A task that is preempted or requeued registers again
/// under the same name, and its run is leased again at once. Workers know when the time
/// limit ends, and lease no run that is expected to take longer. On SIGTERM, which Slurm also sends before
/// preempting a task, a worker finishes its run within 20 seconds or hands it back.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd launch slurm --connect ant:7420 --workers 64 --time 8:00:00 \\
      --tls certs/workers --token-file ants.token
  catherd launch slurm --connect 127.0.0.1:7420 --workers 2 --dry-run
  catherd launch slurm --connect ant:7420 --workers 64 -- --partition=long --nice=100")]
pub(crate) struct Slurm {
    /// Address of the coordinator, HOST:PORT; of several on one store, separated by commas
    #[arg(long, value_name = "ADDR")]
    connect: String,

    /// Number of workers, each on a core of its own
    #[arg(long, value_name = "N")]
    workers: NonZeroU32,

    /// Time limit of a worker, as Slurm writes it, such as 1-12:00:00
    #[arg(long, value_name = "TIME", default_value = "12:00:00")]
    time: String,

    /// Memory limit of a worker, in MiB
    #[arg(long, value_name = "MIB", default_value_t = worker::MEMORY_MIB)]
    memory: u64,

    /// Time without a run after which a worker exits, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    idle: u64,

    /// Folder of the script, the logs and the spools, to which all nodes need access
    #[arg(long, value_name = "DIR", default_value = "catherd-slurm")]
    dir: PathBuf,

    /// Folder with ca.pem, cert.pem and key.pem, written by `catherd certs`
    #[arg(long, value_name = "DIR", env = "CATHERD_TLS")]
    tls: Option<PathBuf>,

    /// File with a worker's token of `catherd token`
    #[arg(long, value_name = "FILE", env = "CATHERD_TOKEN_FILE")]
    token_file: Option<PathBuf>,

    /// Write the script without submitting it
    #[arg(long)]
    dry_run: bool,

    /// Options that are passed to sbatch
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
            return Ok(Exit::Success);
        }
        let output = Process::new("sbatch").args(&self.sbatch).arg(&script).output();
        let output = output.map_err(|cause| {
            Failure::new(format_args!("cannot start sbatch: {cause}"))
                .hint("run this on a machine that submits to Slurm, or use --dry-run")
        })?;
        if !output.status.success() {
            let message = String::from_utf8_lossy(&output.stderr);
            return Err(Failure::new(format_args!("sbatch failed: {}", message.trim()))
                .hint(format!("correct {}, or the options after --", script.display())));
        }
        terminal::print(&String::from_utf8_lossy(&output.stdout));
        Ok(Exit::Success)
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
             # SIGTERM goes to the worker, which replaces the shell (exec) and finishes or returns its run.\n\
             #SBATCH --signal=B:TERM@40\n\
             #SBATCH --output={logs}/%A_%a.log\n\n\
             # The name stays the same after a requeue, so that the run of this worker is leased again at once.\n\
             name=slurm-$SLURM_ARRAY_JOB_ID-$SLURM_ARRAY_TASK_ID\n\
             exec {program} worker --connect {connect} --name \"$name\" --spool {dir}/spool/\"$name\" \\\n    \
             --idle {idle} --retry-timeout 900 --memory {memory} --grace 20",
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
