//! The settings of a launch.

use std::fmt;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use crate::engine::LaunchError;

/// The command that each task of a launch executes, and the resources that a task requests.
#[derive(Clone, Debug)]
pub struct Pilot {
    /// Name of the launch: lower-case letters, digits and dashes.
    pub tag: String,
    /// The program on the nodes.
    pub program: PathBuf,
    /// Addresses of the coordinator, in the form that `catherd worker --connect` accepts.
    pub connect: String,
    /// Folder of certificates on the nodes.
    pub tls: Option<PathBuf>,
    /// File of the worker's token on the nodes.
    pub token_file: Option<PathBuf>,
    /// Folder of scripts and logs, to which all nodes need access.
    pub dir: PathBuf,
    /// Node-local folder of spool and cache: an absolute path, or a path that begins with a
    /// variable of the node, such as `$TMPDIR`. Default: `dir`.
    pub local: Option<String>,
    /// Number of workers of a task, at least 1.
    pub cores_per_task: u32,
    /// Whether a task has a whole node, with a worker on each core that the task may use.
    pub whole_nodes: bool,
    /// Memory limit of a worker in MiB.
    pub memory: u64,
    /// Time limit of a task.
    pub time: Duration,
    /// Time without a run after which a worker ends, in seconds.
    pub idle: u64,
    /// Number of the last task whose workers do not end when they have no run.
    pub staying: u32,
    /// Whether a task that is preempted is queued again.
    pub requeue: bool,
    /// The account that is charged.
    pub account: Option<String>,
    /// The partition or queue.
    pub partition: Option<String>,
    /// The quality of service, or the priority class of Kubernetes.
    pub qos: Option<String>,
    /// Lines of shell code that are executed before the worker starts, such as `module load gcc`.
    pub prologue: Vec<String>,
    /// More options of `catherd worker`.
    pub worker_options: Vec<String>,
    /// More options of the command that submits the tasks.
    pub submit_options: Vec<String>,
    /// Maximum size of an array plus one (Slurm's `MaxArraySize`).
    pub max_array_size: u32,
    /// Hosts that are reached over SSH. A host that is named twice can execute two tasks at the
    /// same time.
    pub hosts: Vec<String>,
    /// Image of the container (Kubernetes).
    pub image: String,
    /// Name of the secret with certificates and token (Kubernetes).
    pub secret: String,
    /// Name of the volume claim for a common cache (Kubernetes).
    pub cache_claim: Option<String>,
}

impl Default for Pilot {
    fn default() -> Pilot {
        Pilot {
            tag: "catherd".to_owned(),
            program: PathBuf::from("catherd"),
            connect: "127.0.0.1:7420".to_owned(),
            tls: None,
            token_file: None,
            dir: PathBuf::from("/shared/catherd"),
            local: None,
            cores_per_task: 1,
            whole_nodes: false,
            memory: 5 << 10,
            time: Duration::from_secs(12 * 3600),
            idle: 120,
            staying: 0,
            requeue: true,
            account: None,
            partition: None,
            qos: None,
            prologue: Vec::new(),
            worker_options: Vec::new(),
            submit_options: Vec::new(),
            max_array_size: 1001,
            hosts: Vec::new(),
            image: "catherd:latest".to_owned(),
            secret: "catherd-worker".to_owned(),
            cache_claim: None,
        }
    }
}

/// Time in seconds after SIGTERM within which a run may end before it is returned to the queue.
pub(crate) const GRACE: u64 = 20;

/// Time in seconds for which a worker repeats requests.
const RETRY_TIMEOUT: u64 = 900;

/// Idle time in seconds of workers that stay. It is longer than usual allocations.
pub(crate) const STAYING: u64 = 366 * 24 * 3600;

impl Pilot {
    pub(crate) fn task_memory(&self) -> u64 {
        self.memory.saturating_mul(self.cores_per_task.into())
    }

    /// Checks settings that are written into scripts.
    pub(crate) fn check(&self) -> Result<(), LaunchError> {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.,@:+=/".contains(c);
        let names = [("--account", &self.account), ("--partition", &self.partition)];
        for (option, name) in names.into_iter().chain([("--qos", &self.qos)]) {
            if let Some(name) = name
                && (name.is_empty() || name.starts_with('-') || !name.chars().all(plain))
            {
                return Err(LaunchError::Name { option, name: name.clone() });
            }
        }
        let is_tag = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if self.tag.is_empty() || !self.tag.chars().all(is_tag) {
            return Err(LaunchError::Tag(self.tag.clone()));
        }
        let path = self.dir.display().to_string();
        if !self.dir.is_absolute() || path.contains(char::is_control) {
            return Err(LaunchError::Folder(path));
        }
        if self.prologue.iter().any(|line| line.contains(char::is_control)) {
            return Err(LaunchError::Prologue);
        }
        self.local.as_deref().map(local_folder).transpose().map(|_| ())
    }

    /// `instance`, `number` and `until` are shell expressions: `instance` distinguishes the tasks
    /// of the launch, `number` is the number of the task, counted from 1, and `until` is the value
    /// of `catherd worker --until`.
    pub(crate) fn body(&self, instance: &str, number: &str, until: Option<&str>) -> String {
        let mut text = String::new();
        for line in &self.prologue {
            text += line;
            text.push('\n');
        }
        let folder = match self.local.as_deref().map(local_folder) {
            Some(Ok(folder)) => folder,
            // Invalid folders have been refused by `check`.
            _ => quoted(&self.dir.display().to_string()),
        };
        // Writing to a string does not fail.
        let _ = write!(
            text,
            "# The name stays the same if the task is queued again, so that the run of this worker is \
             leased again at once.\n\
             name={tag}-{instance}\n\
             idle={idle}\n",
            tag = self.tag,
            idle = self.idle,
        );
        if self.staying > 0 {
            let staying = self.staying;
            let _ = writeln!(text, "if [ {number} -le {staying} ]; then idle={STAYING}; fi");
        }
        let _ = write!(
            text,
            "folder={folder}\n\
             exec {program} worker --connect {connect} --name \"$name\" --spool \"$folder/spool/$name\" \\\n    \
             --cache \"$folder/cache\" --idle \"$idle\" --retry-timeout {RETRY_TIMEOUT} \
             --memory {memory} --grace {GRACE}",
            program = quoted(&self.program.display().to_string()),
            connect = quoted(&self.connect),
            memory = self.memory,
        );
        for argument in self.arguments(until) {
            let _ = write!(text, " {argument}");
        }
        text.push('\n');
        text
    }

    /// Options of `catherd worker`, as words of a shell.
    fn arguments(&self, until: Option<&str>) -> Vec<String> {
        let mut arguments = Vec::new();
        if let Some(until) = until {
            arguments.extend(["--until".to_owned(), until.to_owned()]);
        }
        if self.whole_nodes {
            arguments.push("--processes all".to_owned());
        } else if self.cores_per_task > 1 {
            arguments.push(format!("--processes {}", self.cores_per_task));
        }
        for (option, path) in [("--tls", &self.tls), ("--token-file", &self.token_file)] {
            if let Some(path) = path {
                arguments.extend([option.to_owned(), quoted(&path.display().to_string())]);
            }
        }
        arguments.extend(self.worker_options.iter().map(|option| quoted(option)));
        arguments
    }
}

pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// The folder `catherd` inside a node-local folder, as a shell expression.
fn local_folder(text: &str) -> Result<String, LaunchError> {
    let wrong = || LaunchError::Folder(text.to_owned());
    if text.contains(char::is_control) {
        return Err(wrong());
    }
    let Some(rest) = text.strip_prefix('$') else {
        return match text.starts_with('/') {
            true => Ok(quoted(&format!("{}/catherd", text.trim_end_matches('/')))),
            false => Err(wrong()),
        };
    };
    let (name, rest) = rest.split_once('/').unwrap_or((rest, ""));
    let letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty()
        || name.starts_with(|c: char| c.is_ascii_digit())
        || !name.chars().all(letter)
    {
        return Err(wrong());
    }
    // The shell ends with a message if the variable is not set or is empty.
    let below = format!("/{rest}").trim_end_matches('/').to_owned();
    Ok(format!("\"${{{name}:?}}\"{}", quoted(&format!("{below}/catherd"))))
}

/// A string that is not a permitted time limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeError(String);

impl fmt::Display for TimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a time limit such as 90min, 8h, 8:00:00 or 1-12:00:00", self.0)
    }
}

impl std::error::Error for TimeError {}

/// Parses the time limit of a task: `[DAYS-]HOURS:MINUTES:SECONDS`, or a whole number with `s`,
/// `min`, `h` or `d`.
///
/// # Errors
///
/// If the string is not a permitted time.
pub fn read_time(text: &str) -> Result<Duration, TimeError> {
    const MAX: u64 = 10 * 366 * 24 * 3600;
    let wrong = || TimeError(text.to_owned());
    let number = |part: &str| part.parse::<u64>().ok();
    let seconds = if text.contains(':') {
        let (days, clock) = text.split_once('-').unwrap_or(("0", text));
        let parts: Option<Vec<u64>> = clock.split(':').map(number).collect();
        match (number(days), parts.as_deref()) {
            (Some(days), Some(&[hours, minutes, seconds])) if minutes < 60 && seconds < 60 => days
                .checked_mul(24)
                .and_then(|days| days.checked_add(hours))
                .and_then(|hours| hours.checked_mul(3600))
                .and_then(|whole| whole.checked_add(60 * minutes + seconds)),
            _ => None,
        }
    } else {
        let unit = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let factor = match unit {
            "s" => Some(1),
            "min" => Some(60),
            "h" => Some(3600),
            "d" => Some(24 * 3600),
            _ => None,
        };
        let amount = number(&text[..text.len() - unit.len()]);
        factor.zip(amount).and_then(|(factor, amount)| amount.checked_mul(factor))
    };
    let seconds = seconds.filter(|seconds| (1..=MAX).contains(seconds)).ok_or_else(wrong)?;
    Ok(Duration::from_secs(seconds))
}

pub(crate) fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_and_written() {
        for (text, seconds) in [
            ("8:00:00", 28_800),
            ("1-12:00:00", 129_600),
            ("90min", 5_400),
            ("8h", 28_800),
            ("0:00:01", 1),
            ("30d", 2_592_000),
        ] {
            assert_eq!(read_time(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
        for wrong in ["", "8", "8:00", "1:60:00", "0:00:00", "x:00:00", "1-8h", "99999999999d"] {
            assert!(read_time(wrong).is_err(), "{wrong}");
        }
        assert_eq!(clock(Duration::from_secs(129_661)), "36:01:01");
    }

    #[test]
    fn folders_of_nodes_are_quoted() {
        assert_eq!(local_folder("/tmp/it's/").unwrap(), r"'/tmp/it'\''s/catherd'");
        assert_eq!(local_folder("$TMPDIR").unwrap(), "\"${TMPDIR:?}\"'/catherd'");
        assert_eq!(local_folder("$TMPDIR/a b").unwrap(), "\"${TMPDIR:?}\"'/a b/catherd'");
        for wrong in ["", "tmp", "$", "$(rm)", "$1", "$A B", "/a\nb", "${TMPDIR}"] {
            assert!(local_folder(wrong).is_err(), "{wrong}");
        }
    }
}
