//! `catherd launch`: starts workers through the manager of a cluster.

pub(crate) mod check;
pub(crate) mod execution;
pub(crate) mod shape;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use catherd_cli_console::{Exit, Failure, terminal};
use catherd_deploy_launch::{Call, Engine, LaunchError, Pilot, Submission, Task, TaskState};
use clap::{Args, Subcommand};

use crate::remote::Credentials;
use crate::rendezvous;
use execution::{State, execute, execute_all};
use shape::Shape;

/// Starts workers on a cluster.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Submits job arrays of workers to Slurm
    #[command(after_help = "\
Examples:
  catherd launch slurm --connect ant:7420 --workers 64 --time 8:00:00 \\
      --tls certs/workers --token-file ants.token
  catherd launch slurm --connect 127.0.0.1:7420 --workers 2 --dry-run
  catherd launch slurm --connect ant:7420 --workers 8..256 --cores-per-task 32 --local '$TMPDIR' \\
      --account proj-7 --partition long --prologue 'module load gcc' -- --nice=100

A task that is preempted is queued again, and its workers keep their names. Workers know when their time
ends, and lease no run that is expected to take longer; after SIGTERM, which Slurm sends 40 seconds before
the limit, a worker finishes its run within 20 seconds or hands it back.")]
    Slurm(Launch),
    /// Submits job arrays of workers to OpenPBS or PBS Professional
    #[command(after_help = "\
Examples:
  catherd launch pbs --connect ant:7420 --workers 64 --time 8h --partition workq --account proj-7")]
    Pbs(Launch),
    /// Submits workers to HTCondor
    #[command(after_help = "\
Examples:
  catherd launch htcondor --connect ant:7420 --workers 64 --cores-per-task 4 --local /tmp")]
    Htcondor(Launch),
    /// Creates Jobs of workers on Kubernetes
    #[command(after_help = "\
Examples:
  catherd launch kubernetes --connect catherd-0.catherd:7420 --no-check --workers 64 --cores-per-task 8 \\
      --tls certs/workers --token-file worker.token --image registry.example.org/catherd:0.4.0

Certificates and token are in the secret (--secret). --tls and --token-file state that the secret contains
them, and are used for the check of the coordinator. Options after -- go to kubectl, such as
--namespace=ants.")]
    Kubernetes(Launch),
    /// Starts workers on hosts without a manager, over SSH
    #[command(after_help = "\
Examples:
  catherd launch ssh --connect ant:7420 --hosts bee,cow --workers 16 --cores-per-task 8 \\
      --program /opt/catherd --tls /etc/catherd/workers --token-file /etc/catherd/worker.token --local /tmp

Program, certificates and token have the same paths on all hosts. Each host gets one task; a host that is
named twice gets two. Options after -- go to ssh, such as -p2222.")]
    Ssh(Launch),
    Status(Status),
    Stop(Stop),
}

pub(crate) fn run(command: Command) -> Result<Exit, Failure> {
    match command {
        Command::Slurm(launch) => launch.run(Engine::Slurm),
        Command::Pbs(launch) => launch.run(Engine::Pbs),
        Command::Htcondor(launch) => launch.run(Engine::Htcondor),
        Command::Kubernetes(launch) => launch.run(Engine::Kubernetes),
        Command::Ssh(launch) => launch.run(Engine::Ssh),
        Command::Status(status) => status.run(),
        Command::Stop(stop) => stop.run(),
    }
}

// The help text for these arguments is at the variants of `Command`.
#[derive(Args)]
pub(crate) struct Launch {
    /// Address of the coordinator, HOST:PORT; for several coordinators on one store, their
    /// addresses, separated by commas; or file:PATH for a rendezvous file, which all nodes can read
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

    #[command(flatten)]
    shape: Shape,

    /// Write the scripts, print them, and submit nothing
    #[arg(long)]
    dry_run: bool,

    /// Do not check beforehand that the coordinator can be reached and admits workers with this
    /// token
    #[arg(long)]
    no_check: bool,

    /// Options that are passed to the command that submits tasks
    #[arg(last = true)]
    submit: Vec<String>,
}

impl Launch {
    fn run(self, engine: Engine) -> Result<Exit, Failure> {
        if !self.no_check && !self.dry_run {
            check::admits_workers(&self.credentials, &rendezvous::resolved(&self.connect)?)?;
        }
        let dir = self.shape.folder(engine)?;
        let mut state = State::of_launch(&dir, engine)?;
        let pilot = Pilot {
            connect: self.connect.join(","),
            submit_options: self.submit.clone(),
            ..self.shape.pilot(engine, &self.credentials, dir, state.tag.clone())?
        };
        let mut pilot = Pilot { staying: self.shape.staying(state.next), ..pilot };
        let tasks = self.shape.tasks();
        let mut live = Vec::new();
        if !self.dry_run {
            execution::read_array_limit(engine, &mut pilot);
            if engine == Engine::Ssh {
                live = execution::listed(engine, &pilot)?;
            }
        }
        let numbers = state.next..=state.next + (tasks - 1);
        let submission = engine.submission(&pilot, numbers, &live).map_err(worded)?;
        write_files(&submission)?;
        if self.dry_run {
            terminal::print(&shown(&submission));
            return Ok(Exit::Success);
        }
        state.next += tasks;
        state.hosts = pilot.hosts.clone();
        state.submit_options = pilot.submit_options.clone();
        // Write the state before tasks are submitted, so that tasks can be stopped after any
        // failure.
        state.write(&pilot.dir)?;
        for call in &submission.calls {
            terminal::print(&execute(call)?);
        }
        terminal::note(&format!(
            "`catherd launch status {dir}` lists the tasks, `catherd launch stop {dir}` ends them",
            dir = pilot.dir.display()
        ));
        Ok(Exit::Success)
    }
}

fn shown(submission: &Submission) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    for (path, script) in &submission.files {
        let _ = writeln!(text, "# {}\n{script}", path.display());
    }
    for Call { program, arguments, input } in &submission.calls {
        let _ = writeln!(text, "# submit with: {program} {}", arguments.join(" "));
        if let Some(input) = input {
            let _ = writeln!(text, "# whose standard input is:\n{input}");
        }
    }
    text
}

pub(crate) fn write_files(submission: &Submission) -> Result<(), Failure> {
    for (path, script) in &submission.files {
        fs::write(path, script).map_err(|cause| unusable(path, &cause))?;
    }
    Ok(())
}

pub(crate) fn unusable(path: &Path, cause: &std::io::Error) -> Failure {
    Failure::new(format_args!("{}: {cause}", path.display()))
        .hint("with --dir, name a folder that you may write to")
}

pub(crate) fn worded(error: LaunchError) -> Failure {
    let hint = match &error {
        LaunchError::Unsupported { .. } => "leave it out, or pass options of the manager after --",
        LaunchError::Hosts { .. } => "name more hosts with --hosts, or fewer --workers",
        LaunchError::Tag(_) => "with --dir, name another folder for a new launch",
        LaunchError::Folder(_) => "write a path such as /tmp, or a variable such as $TMPDIR",
        LaunchError::Answer(_) => {
            "see what the command prints; catherd may not support its version"
        }
        _ => "correct the option",
    };
    Failure::new(error).hint(hint)
}

/// Lists the tasks of a launch that have not ended.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd launch status catherd-slurm")]
pub(crate) struct Status {
    /// Folder of the launch (--dir)
    #[arg(value_name = "DIR")]
    dir: PathBuf,
}

impl Status {
    fn run(self) -> Result<Exit, Failure> {
        let (engine, pilot) = State::read(&self.dir)?.pilot(&self.dir)?;
        let tasks = execution::listed(engine, &pilot)?;
        let mut text = String::new();
        for Task { id, state } in &tasks {
            let state = match state {
                TaskState::Running => "running",
                TaskState::Waiting => "waiting",
            };
            let _ = writeln!(text, "{id}  {state}");
        }
        let number = terminal::plural(tasks.len(), "task");
        let _ = writeln!(text, "{number} of {} on {engine}", pilot.tag);
        terminal::print(&text);
        Ok(Exit::Success)
    }
}

/// Ends the tasks of a launch: workers finish their runs or hand them back.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd launch stop catherd-slurm")]
pub(crate) struct Stop {
    /// Folder of the launch (--dir)
    #[arg(value_name = "DIR")]
    dir: PathBuf,
}

impl Stop {
    fn run(self) -> Result<Exit, Failure> {
        let (engine, pilot) = State::read(&self.dir)?.pilot(&self.dir)?;
        let tasks = execution::listed(engine, &pilot)?;
        execute_all(&engine.cancellation(&pilot, &tasks))?;
        let number = terminal::plural(tasks.len(), "task");
        terminal::print(&format!("{number} of {} told to end\n", pilot.tag));
        Ok(Exit::Success)
    }
}
