//! The managers of clusters: the commands that submit, list and stop tasks.

mod htcondor;
mod kubernetes;
mod pbs;
mod slurm;
mod ssh;

use std::fmt;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::pilot::Pilot;

/// The manager of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// Slurm.
    Slurm,
    /// OpenPBS and PBS Professional.
    Pbs,
    /// HTCondor.
    Htcondor,
    /// Kubernetes.
    Kubernetes,
    /// Hosts without a manager, reached over SSH.
    Ssh,
}

/// A program and its arguments, which no shell interprets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The program.
    pub program: String,
    /// The arguments.
    pub arguments: Vec<String>,
    /// The standard input of the program.
    pub input: Option<String>,
}

impl Call {
    fn new<S: Into<String>>(program: &str, arguments: impl IntoIterator<Item = S>) -> Call {
        let arguments = arguments.into_iter().map(Into::into).collect();
        Call { program: program.to_owned(), arguments, input: None }
    }

    fn with_input(self, input: String) -> Call {
        Call { input: Some(input), ..self }
    }
}

/// The files and calls that submit tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submission {
    /// Files that the calls need, with their contents.
    pub files: Vec<(PathBuf, String)>,
    /// The calls, in the order of execution.
    pub calls: Vec<Call>,
}

/// A task that has not ended.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Task {
    /// The name that the manager gives to the task.
    pub id: String,
    /// Whether the task has started.
    pub state: TaskState,
}

/// The state of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TaskState {
    /// The task waits for a node.
    Waiting,
    /// The task has a node.
    Running,
}

/// Why a launch cannot be described for a manager, or why an answer of a manager cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LaunchError {
    /// The value of an option is not permitted.
    Name {
        /// The option.
        option: &'static str,
        /// The value of the option.
        name: String,
    },
    /// The name of the launch is not permitted.
    Tag(String),
    /// The manager does not support an option.
    Unsupported {
        /// The manager.
        engine: Engine,
        /// The option.
        option: &'static str,
    },
    /// The path of a folder is not permitted.
    Folder(String),
    /// A line of the prologue contains control characters.
    Prologue,
    /// There are more tasks than hosts without a task.
    Hosts {
        /// Number of requested tasks.
        tasks: u32,
        /// Number of hosts without a task.
        free: usize,
    },
    /// The name of a host is not permitted.
    Host(String),
    /// An answer of the manager cannot be read.
    Answer(String),
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LaunchError::Name { option, name } => {
                write!(
                    f,
                    "{option}: `{name}` may contain only letters, digits and -_.,@:+=/, and must \
                    not begin with -"
                )
            }
            LaunchError::Tag(tag) => write!(
                f,
                "the tag `{tag}` does not consist of lower-case letters, digits and dashes"
            ),
            LaunchError::Unsupported { engine, option } => {
                write!(f, "{engine} has nothing like {option}")
            }
            LaunchError::Folder(folder) => write!(
                f,
                "the folder `{folder}` is neither an absolute path without control characters nor, for \
                --local, a path that begins with a variable such as $TMPDIR"
            ),
            LaunchError::Prologue => f.write_str("a line of the prologue has control characters"),
            LaunchError::Hosts { tasks, free } => {
                write!(f, "there are more tasks ({tasks}) than hosts without a task ({free})")
            }
            LaunchError::Host(host) => write!(f, "`{host}` is not a host name"),
            LaunchError::Answer(answer) => write!(f, "an answer that is not understood: {answer}"),
        }
    }
}

impl std::error::Error for LaunchError {}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A word that is not the name of a manager.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownEngine(String);

impl fmt::Display for UnknownEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = Engine::ALL.map(Engine::word).join(", ");
        write!(f, "`{}` is not a manager of a cluster; write one of {known}", self.0)
    }
}

impl std::error::Error for UnknownEngine {}

impl FromStr for Engine {
    type Err = UnknownEngine;

    fn from_str(word: &str) -> Result<Engine, UnknownEngine> {
        let found = Engine::ALL.into_iter().find(|engine| engine.word() == word);
        found.ok_or_else(|| UnknownEngine(word.to_owned()))
    }
}

impl Engine {
    /// All managers.
    pub const ALL: [Engine; 5] =
        [Engine::Slurm, Engine::Pbs, Engine::Htcondor, Engine::Kubernetes, Engine::Ssh];

    /// Returns the name of the manager on command lines.
    pub fn word(self) -> &'static str {
        match self {
            Engine::Slurm => "slurm",
            Engine::Pbs => "pbs",
            Engine::Htcondor => "htcondor",
            Engine::Kubernetes => "kubernetes",
            Engine::Ssh => "ssh",
        }
    }

    /// Returns the files and calls that submit the tasks with these numbers. No two submissions of
    /// a launch may have a number in common. `live` contains the tasks of the launch that have not
    /// ended.
    ///
    /// # Errors
    ///
    /// If the manager does not accept the settings.
    pub fn submission(
        self,
        pilot: &Pilot,
        numbers: RangeInclusive<u32>,
        live: &[Task],
    ) -> Result<Submission, LaunchError> {
        pilot.check()?;
        match self {
            Engine::Slurm => Ok(slurm::submission(pilot, &numbers)),
            Engine::Pbs => pbs::submission(pilot, &numbers),
            Engine::Htcondor => htcondor::submission(pilot, &numbers),
            Engine::Kubernetes => kubernetes::submission(pilot, &numbers),
            Engine::Ssh => ssh::submission(pilot, &numbers, live),
        }
    }

    /// Returns the call whose answer contains Slurm's `MaxArraySize`.
    pub fn array_limit(self) -> Option<Call> {
        (self == Engine::Slurm).then(|| Call::new("scontrol", ["show", "config"]))
    }

    /// Reads `MaxArraySize` from the answer to [`Engine::array_limit`].
    pub fn read_array_limit(self, answer: &str) -> Option<u32> {
        let line = answer.lines().find(|line| line.trim_start().starts_with("MaxArraySize"))?;
        line.split_once('=')?.1.trim().parse().ok()
    }

    /// Returns the calls whose answers contain the tasks of a launch that have not ended.
    pub fn listing(self, pilot: &Pilot) -> Vec<Call> {
        match self {
            Engine::Slurm => vec![slurm::listing(&pilot.tag)],
            Engine::Pbs => vec![pbs::listing()],
            Engine::Htcondor => vec![htcondor::listing(&pilot.tag)],
            Engine::Kubernetes => vec![kubernetes::listing(&pilot.tag)],
            Engine::Ssh => ssh::listing(pilot),
        }
    }

    /// Reads the answer to a call of [`Engine::listing`].
    ///
    /// # Errors
    ///
    /// If the answer cannot be read.
    pub fn read_listing(self, tag: &str, answer: &str) -> Result<Vec<Task>, LaunchError> {
        match self {
            Engine::Slurm => slurm::read_listing(answer),
            Engine::Pbs => pbs::read_listing(tag, answer),
            Engine::Htcondor => htcondor::read_listing(answer),
            Engine::Kubernetes => kubernetes::read_listing(answer),
            Engine::Ssh => ssh::read_listing(answer),
        }
    }

    /// Returns the prefix of the names of a task's workers. The name of a worker is the prefix, or
    /// begins with the prefix and a dash.
    pub fn worker_prefix(self, tag: &str, task: &Task) -> String {
        let id = task.id.as_str();
        match self {
            Engine::Slurm => format!("{tag}-{}", id.replace('_', "-")),
            // `7[3].server`, or `7.server` if there is only one task.
            Engine::Pbs => {
                let id = id.split('.').next().unwrap_or_default();
                match id.split_once('[') {
                    Some((job, index)) => format!("{tag}-{job}-{}", index.trim_end_matches(']')),
                    None => format!("{tag}-{id}-1"),
                }
            }
            Engine::Htcondor => format!("{tag}-{}", id.replace('.', "-")),
            Engine::Kubernetes => id.to_owned(),
            Engine::Ssh => format!("{tag}-{id}"),
        }
    }

    /// Returns the calls that end `tasks`. Running tasks get SIGTERM.
    pub fn cancellation(self, pilot: &Pilot, tasks: &[Task]) -> Vec<Call> {
        let ids = || tasks.iter().map(|task| task.id.clone());
        match self {
            _ if tasks.is_empty() => Vec::new(),
            Engine::Slurm => slurm::cancellation(tasks),
            Engine::Pbs => vec![Call::new("qdel", ids())],
            Engine::Htcondor => vec![Call::new("condor_rm", ids())],
            Engine::Kubernetes => {
                let options = ["delete", "job", "--wait=false", "--ignore-not-found"];
                vec![Call::new("kubectl", options.map(str::to_owned).into_iter().chain(ids()))]
            }
            Engine::Ssh => ssh::cancellation(pilot, tasks),
        }
    }
}

/// A directive is one line.
fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}

/// Ranges have at most `length` numbers.
fn pieces(numbers: &RangeInclusive<u32>, length: u32) -> Vec<RangeInclusive<u32>> {
    let length = length.max(1);
    let mut pieces = Vec::new();
    let mut first = *numbers.start();
    while first <= *numbers.end() {
        let last = first.saturating_add(length - 1).min(*numbers.end());
        pieces.push(first..=last);
        first = last + 1;
    }
    pieces
}
