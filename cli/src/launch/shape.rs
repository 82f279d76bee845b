//! The options of workers on a cluster, which are the same for all managers.

use std::fs;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

use catherd_cli_console::Failure;
use catherd_deploy_launch::{Engine, Pilot, WorkerCount, read_time};
use clap::Args;

use super::unusable;
use crate::remote::Credentials;
use crate::worker;

/// The options of workers on a cluster.
#[derive(Args, Clone, Debug)]
pub(crate) struct Shape {
    /// Number of workers, each on a separate core; or MIN..MAX: at least MIN stay until their time
    /// ends, even without a run
    #[arg(long, value_name = "MAX|MIN..MAX")]
    pub(crate) workers: WorkerCount,

    /// Workers of a task, each pinned to a separate core; numbers of --workers are rounded up to
    /// whole tasks
    #[arg(long, value_name = "N", default_value = "1")]
    pub(crate) cores_per_task: NonZeroU32,

    /// Each task gets a whole node, with a worker on each core; --cores-per-task states how many
    /// cores a node has
    #[arg(long)]
    whole_nodes: bool,

    /// Time limit of a task, such as 8h or 1-12:00:00
    #[arg(long, value_name = "TIME", default_value = "12:00:00", value_parser = read_time)]
    pub(crate) time: Duration,

    /// Memory limit of a worker, in MiB
    #[arg(long, value_name = "MIB", default_value_t = worker::MEMORY_MIB)]
    memory: u64,

    /// Time without a run after which a worker exits, in seconds [default: 120, and 10 if the
    /// coordinator allocates]
    #[arg(long, value_name = "SECONDS")]
    pub(crate) idle: Option<u64>,

    /// Account that is charged
    #[arg(long, value_name = "NAME")]
    account: Option<String>,

    /// Partition of Slurm, or queue of PBS
    #[arg(long, value_name = "NAME", alias = "queue")]
    partition: Option<String>,

    /// Quality of service of Slurm, or priority class of Kubernetes
    #[arg(long, value_name = "NAME")]
    qos: Option<String>,

    /// Line of shell code to execute before the workers start, such as 'module load gcc'; may be
    /// repeated
    #[arg(long, value_name = "LINE")]
    prologue: Vec<String>,

    /// Folder on a disk of the node for spool and cache, such as /tmp or '$TMPDIR' [default: in
    /// --dir]
    #[arg(long, value_name = "DIR")]
    local: Option<String>,

    /// Folder of scripts and logs, to which all nodes need access [default: catherd- and the
    /// manager's name]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,

    /// Path of catherd on the nodes [default: this program]
    #[arg(long, value_name = "PATH")]
    program: Option<PathBuf>,

    /// Further option of `catherd worker`, such as --worker-option=--programs=/tmp/runs; may be
    /// repeated
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    worker_option: Vec<String>,

    /// Hosts that are reached over SSH, separated by commas
    #[arg(long, value_name = "HOST", value_delimiter = ',')]
    hosts: Vec<String>,

    /// Image of the container on Kubernetes
    #[arg(long, value_name = "IMAGE", default_value = "catherd:latest")]
    image: String,

    /// Secret with certificates and token on Kubernetes
    #[arg(long, value_name = "NAME", default_value = "catherd-worker")]
    secret: String,

    /// Volume claim of the cache on Kubernetes [default: each pod has a separate cache]
    #[arg(long, value_name = "NAME")]
    cache_claim: Option<String>,
}

/// Default of `--idle` in seconds.
const IDLE: u64 = 120;

impl Shape {
    pub(crate) fn folder(&self, engine: Engine) -> Result<PathBuf, Failure> {
        let dir = self.dir.clone().unwrap_or_else(|| PathBuf::from(format!("catherd-{engine}")));
        fs::create_dir_all(&dir).map_err(|cause| unusable(&dir, &cause))?;
        dir.canonicalize().map_err(|cause| unusable(&dir, &cause))
    }

    pub(crate) fn tasks(&self) -> u32 {
        self.workers.max.div_ceil(self.cores_per_task.get())
    }

    /// Returns the number of the last task whose workers stay without a run, or 0 if no workers
    /// stay. `next` is the number of the next task.
    pub(crate) fn staying(&self, next: u32) -> u32 {
        match self.workers.min {
            0 => 0,
            min => next - 1 + min.div_ceil(self.cores_per_task.get()),
        }
    }

    pub(crate) fn pilot(
        &self,
        engine: Engine,
        credentials: &Credentials,
        dir: PathBuf,
        tag: String,
    ) -> Result<Pilot, Failure> {
        let program = match &self.program {
            Some(program) => program.clone(),
            None => std::env::current_exe()
                .map_err(|cause| Failure::new(format_args!("cannot find this program: {cause}")))?,
        };
        let mut pilot = Pilot {
            tag,
            program,
            dir,
            local: self.local.clone(),
            cores_per_task: self.cores_per_task.get(),
            whole_nodes: self.whole_nodes,
            memory: self.memory,
            time: self.time,
            idle: self.idle.unwrap_or(IDLE),
            account: self.account.clone(),
            partition: self.partition.clone(),
            qos: self.qos.clone(),
            prologue: self.prologue.clone(),
            worker_options: self.worker_option.clone(),
            hosts: self.hosts.clone(),
            image: self.image.clone(),
            secret: self.secret.clone(),
            cache_claim: self.cache_claim.clone(),
            ..Pilot::default()
        };
        if credentials.reads_standard_input() {
            return Err(Failure::new("--token-file -: workers read the token from a file")
                .hint("name a file that the nodes can read"));
        }
        for (option, path) in credentials.paths() {
            let found = absolute(path)?;
            match option {
                "--tls" => pilot.tls = Some(found),
                _ => pilot.token_file = Some(found),
            }
        }
        if engine == Engine::Ssh && self.hosts.is_empty() {
            return Err(Failure::new("ssh needs a host").hint("name hosts with --hosts"));
        }
        Ok(pilot)
    }
}

fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    path.canonicalize().map_err(|cause| Failure::new(format_args!("{}: {cause}", path.display())))
}
