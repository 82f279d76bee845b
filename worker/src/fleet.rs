//! Local worker processes, which are usually restarted when they die.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::crash_report::note_death;
use crate::exit::EXIT_DISK_FULL;

const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// A child that ended less than this time after its start has usually failed to start.
const STARTUP_GRACE: Duration = Duration::from_secs(2);

/// Number of consecutive failures to start after which no more workers are started on a core.
const MAX_STARTUP_FAILURES: u32 = 5;

/// Worker processes, one per core. A child that dies is usually started again. Dropping the fleet
/// kills the workers.
///
/// Each child has a pipe from this process as its standard input. The child must exit when the pipe
/// closes ([`WorkerOptions::exit_with_parent`](crate::WorkerOptions::exit_with_parent)), because no
/// child may outlive this process. Each child is in a separate process group, so that Ctrl-C on the
/// terminal reaches only this process.
#[derive(Debug)]
pub struct LocalFleet {
    state: Arc<State>,
    supervisor: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct State {
    stop: AtomicBool,
    draining: AtomicBool,
    processes: Mutex<BTreeMap<usize, Process>>,
}

#[derive(Debug)]
enum Process {
    Alive(Child),
    /// The worker will be started again soon.
    Waiting,
    Ended,
    /// No more workers are started, for this reason.
    Abandoned(String),
}

struct Slot {
    core: usize,
    spool: PathBuf,
    started: Instant,
    startup_failures: u32,
    /// The time of the next start.
    restart_at: Option<Instant>,
}

impl LocalFleet {
    /// Starts a worker for each core. `command` returns the command that starts the worker of a
    /// core. The standard input of the worker begins with `input`, for example a secret that must
    /// not be on a command line; `input` has at most 4,096 bytes, which a pipe accepts at once.
    /// `spool` returns the folder of the worker's spool.
    ///
    /// # Errors
    ///
    /// If a process or the supervising thread cannot be started.
    pub fn start(
        cores: &[usize],
        input: String,
        spool: impl Fn(usize) -> PathBuf,
        command: impl Fn(usize) -> Command + Send + 'static,
    ) -> io::Result<LocalFleet> {
        let state = Arc::new(State::default());
        let mut fleet = LocalFleet { state: state.clone(), supervisor: None };
        let mut slots = Vec::new();
        let starter = Starter { input, command };
        for &core in cores {
            let child = starter.start(core)?;
            state.with(|processes| processes.insert(core, Process::Alive(child)));
            slots.push(Slot {
                core,
                spool: spool(core),
                started: Instant::now(),
                startup_failures: 0,
                restart_at: None,
            });
        }
        let supervise = move || {
            while !state.stop.load(Ordering::Relaxed) {
                for slot in &mut slots {
                    state.with(|processes| {
                        // Read the flag while the lock is held, because `drain` must reach every
                        // child.
                        if state.draining.load(Ordering::Relaxed) {
                            slot.restart_at = None;
                            if let Some(process @ Process::Waiting) = processes.get_mut(&slot.core)
                            {
                                *process = Process::Ended;
                            }
                        }
                        slot.poll(processes, &starter);
                    });
                }
                std::thread::sleep(POLL_INTERVAL);
            }
        };
        fleet.supervisor =
            Some(std::thread::Builder::new().name("fleet".to_owned()).spawn(supervise)?);
        Ok(fleet)
    }

    /// Process ids of the live workers by core.
    pub fn alive(&self) -> BTreeMap<usize, u32> {
        self.state.with(|processes| {
            let alive = processes.iter().filter_map(|(&core, process)| match process {
                Process::Alive(child) => Some((core, child.id())),
                _ => None,
            });
            alive.collect()
        })
    }

    /// Tells every worker to drain. No worker is restarted.
    pub fn drain(&self) {
        self.state.with(|processes| {
            if self.state.draining.swap(true, Ordering::Relaxed) {
                return;
            }
            for process in processes.values() {
                if let Process::Alive(child) = process {
                    // The process may already have exited.
                    let _ = catherd_platform::terminate(child);
                }
            }
        });
    }

    /// Whether all workers have ended and none will be started again.
    pub fn has_ended(&self) -> bool {
        let ended = |process: &Process| matches!(process, Process::Ended | Process::Abandoned(_));
        self.state.with(|processes| processes.values().all(ended))
    }

    /// Cores on which no more workers are started, each with the reason.
    pub fn abandoned_cores(&self) -> Vec<(usize, String)> {
        self.state.with(|processes| {
            let abandoned = processes.iter().filter_map(|(&core, process)| match process {
                Process::Abandoned(reason) => Some((core, reason.clone())),
                _ => None,
            });
            abandoned.collect()
        })
    }
}

impl Drop for LocalFleet {
    fn drop(&mut self) {
        self.state.stop.store(true, Ordering::Relaxed);
        if let Some(supervisor) = self.supervisor.take() {
            let _ = supervisor.join();
        }
        self.state.with(|processes| {
            for process in processes.values_mut() {
                if let Process::Alive(child) = process {
                    // The process may already have exited.
                    let _ = child.kill();
                    let _ = child.wait();
                }
            }
        });
    }
}

impl State {
    fn with<T>(&self, action: impl FnOnce(&mut BTreeMap<usize, Process>) -> T) -> T {
        action(&mut self.processes.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Slot {
    fn poll(
        &mut self,
        processes: &mut BTreeMap<usize, Process>,
        starter: &Starter<impl Fn(usize) -> Command>,
    ) {
        if self.restart_at.is_some_and(|time| time <= Instant::now()) {
            self.restart_at = None;
            self.started = Instant::now();
            let process = match starter.start(self.core) {
                Ok(child) => Process::Alive(child),
                Err(error) => Process::Abandoned(format!("cannot start the worker: {error}")),
            };
            processes.insert(self.core, process);
            return;
        }
        let Some(Process::Alive(child)) = processes.get_mut(&self.core) else { return };
        let (status, killed, by_another) = match child.try_wait() {
            Ok(None) => return,
            Ok(Some(status)) if status.success() => {
                processes.insert(self.core, Process::Ended);
                return;
            }
            Ok(Some(status)) if status.code() == Some(EXIT_DISK_FULL.into()) => {
                let reason = "the disk for its runs is full".to_owned();
                processes.insert(self.core, Process::Abandoned(reason));
                return;
            }
            // SIGKILL and SIGABRT (OOM killer, allocator abort) do not count as failures to start.
            Ok(Some(status)) => {
                let killed = catherd_platform::was_killed(status);
                (status.to_string(), killed, catherd_platform::was_ended_by_another(status))
            }
            Err(error) => (error.to_string(), false, false),
        };
        // A death during a run counts as an attempt at the run, and not as a failure to start.
        let in_run = note_death(&self.spool, (!by_another).then_some(&*status));
        let failed_to_start = !killed && !in_run && self.started.elapsed() < STARTUP_GRACE;
        self.startup_failures = if failed_to_start { self.startup_failures + 1 } else { 0 };
        if self.startup_failures >= MAX_STARTUP_FAILURES {
            let reason =
                format!("the worker failed to start {MAX_STARTUP_FAILURES} times ({status})");
            tracing::error!("core {}: {reason}", self.core);
            processes.insert(self.core, Process::Abandoned(reason));
        } else {
            tracing::warn!("core {}: the worker ended with {status}; starting another", self.core);
            processes.insert(self.core, Process::Waiting);
            let pause = POLL_INTERVAL * 2_u32.pow(self.startup_failures);
            self.restart_at = Some(Instant::now() + pause);
        }
    }
}

struct Starter<F> {
    /// The beginning of each worker's standard input.
    input: String,
    command: F,
}

impl<F: Fn(usize) -> Command> Starter<F> {
    fn start(&self, core: usize) -> io::Result<Child> {
        let mut command = (self.command)(core);
        let mut child = catherd_platform::new_group(command.stdin(Stdio::piped())).spawn()?;
        if let Some(pipe) = &mut child.stdin {
            // The process may already have ended, which `poll` detects.
            let _ = pipe.write_all(self.input.as_bytes());
        }
        Ok(child)
    }
}
