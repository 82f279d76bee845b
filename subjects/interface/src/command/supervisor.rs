//! The supervisor of a program: a process between the worker and the program, which kills all
//! processes of the program when the program or the worker ends. With namespaces, it also hides the
//! worker's secrets from the program.
//!
//! ```text
//! worker ── supervisor ── init process ── program ── ...
//!           new namespaces: user, mount, network, IPC, process
//! ```
//!
//! The worker holds a pipe to the supervisor's standard input. When the pipe is closed (the kernel
//! closes it if the worker is killed), the supervisor kills the remaining processes of the program
//! and removes the working folder. When the init process ends, the kernel kills all processes of
//! the namespace. Without namespaces, the supervisor adopts orphans and kills its descendants one
//! by one.
//!
//! When the program and all its processes have ended, the supervisor writes a report to standard
//! output, as one line.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{self, Child, ExitStatus, Stdio};
use std::thread::JoinHandle;
use std::time::Duration;

use catherd_platform::{Part, Unrestricted, View};
use serde::{Deserialize, Serialize};

/// Maximum time that a supervisor without namespaces takes to kill its descendants.
const KILL_TIME: Duration = Duration::from_secs(10);

/// The settings of a supervisor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Supervision {
    /// The working folder of the program, which is removed at the end of the supervision.
    pub folder: PathBuf,
    /// Files and folders that the program must not see. The working folder is never hidden.
    pub hidden: Vec<PathBuf>,
    /// Whether to use namespaces.
    pub namespaces: bool,
    /// Whether this process is the init process of an existing namespace.
    pub init: bool,
    /// The limit on shared memory, in bytes.
    pub shared_memory: u64,
    /// The program and its arguments.
    pub words: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Report {
    /// The exit status, or why the program was not started.
    pub(super) ended: Result<Exit, String>,
    /// Guarantees that this system cannot provide.
    pub(super) missing: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Exit {
    pub(super) status: String,
    /// Whether a signal seems to have ended the program or its last command.
    pub(super) killed: bool,
}

impl From<ExitStatus> for Exit {
    fn from(status: ExitStatus) -> Exit {
        // Shells exit with 128 plus the number of the signal that ended their last command.
        let killed = status.code().is_none_or(|code| code > 128);
        Exit { status: status.to_string(), killed }
    }
}

/// Supervises a program. Takes over this process, which must have only one thread.
///
/// # Errors
///
/// If a necessary system call fails.
pub fn supervise(supervision: &Supervision) -> io::Result<()> {
    if supervision.init {
        return as_init(supervision);
    }
    // The worker's limit on reserved memory must not apply to the program, whose memory in use is
    // limited instead.
    catherd_platform::lift_memory_limit();
    let refused = match supervision.namespaces {
        true => catherd_platform::enter_namespaces().err().map(|cause| cause.to_string()),
        false => Some("switched off".to_owned()),
    };
    let (report, abandoned) = match refused {
        None => (run_init(supervision)?, None),
        Some(refused) => {
            let (report, abandoned) = without_namespaces(supervision, &refused)?;
            (report, Some(abandoned))
        }
    };
    // If the worker has ended, nothing reads the report.
    let mut stdout = io::stdout();
    let _ = stdout.write_all(&report).and_then(|()| stdout.write_all(b"\n"));
    let _ = stdout.flush();
    match abandoned {
        Some(thread) => drop(thread.join()),
        None => wait_for_end_of_pipe(None),
    }
    catherd_platform::remove_folder(&supervision.folder)
}

fn run_init(supervision: &Supervision) -> io::Result<Vec<u8>> {
    let mut command = process::Command::new("/proc/self/exe");
    command
        .args(arguments(&Supervision { init: true, ..supervision.clone() }))
        // The init process ends when the worker closes the pipe.
        .stdin(Stdio::inherit())
        .stderr(Stdio::inherit());
    Ok(command.output()?.stdout)
}

/// When this process ends, the kernel kills the remaining processes of the program.
fn as_init(supervision: &Supervision) -> io::Result<()> {
    catherd_platform::end_with_parent()?;
    let missing = isolate(supervision)?;
    let started = start(supervision);
    let first = started.as_ref().ok().map(Child::id);
    std::thread::spawn(move || {
        wait_for_end_of_pipe(first);
        process::exit(0);
    });
    let ended = match started {
        Ok(child) => Ok(catherd_platform::wait_and_reap(&child)?.into()),
        Err(cause) => Err(cause.to_string()),
    };
    io::stdout().write_all(&serde_json::to_vec(&Report { ended, missing })?)
}

/// Returns the guarantees that the system cannot provide.
fn isolate(supervision: &Supervision) -> io::Result<Vec<String>> {
    let mut missing = Vec::new();
    // The kernel's settings are read-only afterwards.
    let limited = catherd_platform::limit_ipc(supervision.shared_memory).is_ok();
    match catherd_platform::enter_mount_namespace() {
        Ok(()) => {
            let view = View {
                writable: &supervision.folder,
                hidden: &supervision.hidden,
                shared_memory: supervision.shared_memory,
            };
            let unrestricted = catherd_platform::restrict_view(&view);
            missing.extend(
                unrestricted
                    .into_iter()
                    .map(|Unrestricted { part, cause }| format!("{} ({cause})", guarantee(part))),
            );
        }
        Err(cause) => missing.extend(PARTS.map(|part| format!("{} ({cause})", guarantee(part)))),
    }
    if let Err(cause) = catherd_platform::leave_network() {
        missing.push(format!("keeping programs off the network ({cause})"));
    }
    catherd_platform::give_up_privileges()?;
    // Without a limit on System V shared memory, refuse the calls that make large segments.
    if let Err(cause) = catherd_platform::refuse_calls(!limited) {
        missing.push(format!("keeping programs from keys and sockets of the kernel ({cause})"));
    }
    Ok(missing)
}

const PARTS: [Part; 5] = [Part::Hidden, Part::Sockets, Part::Devices, Part::Kernel, Part::Files];

fn guarantee(part: Part) -> &'static str {
    match part {
        Part::Hidden => "hiding tokens and state from programs",
        Part::Sockets => "keeping programs from sockets of the machine",
        Part::Devices => "hiding devices and shared memory from programs",
        Part::Kernel => "keeping programs from settings of the kernel",
        Part::Files => "keeping programs from writing elsewhere",
    }
}

/// Returns the report, and a thread that ends after the worker has closed the pipe.
fn without_namespaces(
    supervision: &Supervision,
    refused: &str,
) -> io::Result<(Vec<u8>, JoinHandle<()>)> {
    let missing = vec![
        format!("hiding tokens and state from programs ({refused})"),
        format!("keeping programs from sockets, devices and shared memory ({refused})"),
        format!("ending programs that kill the worker and the supervisor at once ({refused})"),
    ];
    catherd_platform::adopt_orphans()?;
    let started = start(supervision);
    let first = started.as_ref().ok().map(Child::id);
    let abandoned = std::thread::spawn(move || {
        wait_for_end_of_pipe(first);
        catherd_platform::kill_descendants(KILL_TIME);
    });
    let ended = match started {
        // An error means that the other thread has killed and reaped the program.
        Ok(child) => Ok(catherd_platform::wait_and_reap(&child)
            .map_or_else(|_| Exit { status: "killed".to_owned(), killed: true }, Exit::from)),
        Err(cause) => Err(cause.to_string()),
    };
    catherd_platform::kill_descendants(KILL_TIME);
    Ok((serde_json::to_vec(&Report { ended, missing })?, abandoned))
}

fn start(supervision: &Supervision) -> io::Result<Child> {
    catherd_platform::close_descriptors()?;
    let words = &supervision.words;
    let mut command = process::Command::new(&words[0]);
    command
        .args(&words[1..])
        // The folder may have been mounted again since this process was started in it.
        .current_dir(&supervision.folder)
        .stdin(Stdio::null())
        .stdout(io::stderr())
        .stderr(io::stderr());
    catherd_platform::new_group(&mut command).spawn()
}

/// Waits until the worker closes standard input. For each byte, the process group `first` is asked
/// to end.
fn wait_for_end_of_pipe(first: Option<u32>) {
    while let Ok(1..) = io::stdin().read(&mut [0]) {
        // The program may have ended already.
        let _ = first.map(catherd_platform::terminate_group);
    }
}

pub(super) fn arguments(supervision: &Supervision) -> Vec<OsString> {
    let Supervision { folder, hidden, namespaces, init, shared_memory, words } = supervision;
    let mut arguments: Vec<OsString> = vec!["supervise".into(), "--folder".into(), folder.into()];
    arguments.extend(["--shared-memory".into(), shared_memory.to_string().into()]);
    for path in hidden {
        arguments.extend(["--hide".into(), path.into()]);
    }
    arguments.extend(namespaces.then(|| "--namespaces".into()));
    arguments.extend(init.then(|| "--init".into()));
    arguments.push("--".into());
    arguments.extend(words.iter().map(OsString::from));
    arguments
}
