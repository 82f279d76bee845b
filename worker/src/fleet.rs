//! One worker process a core on this machine, kept alive.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// The children are looked at this often.
const LOOK: Duration = Duration::from_millis(50);

/// A child that lived shorter than this did not get to work.
const INFANCY: Duration = Duration::from_secs(2);

/// Deaths in infancy, one after another, until a core is given up.
const INFANT_DEATHS: u32 = 5;

/// Of the system and of people, and of a process whose memory has ended.
const KILLED: [i32; 2] = [9, 6];

/// Worker processes, one a core. A child that dies is started again, unless it ended
/// with success, or never lives long enough to work.
///
/// Each child has a pipe from this process as its standard input and must end when that
/// closes ([`Options::leashed`](crate::Options::leashed)), so that none outlives this
/// process, however it dies. Each is a process group of its own: a Ctrl-C on the
/// terminal is this process's to handle ([`LocalFleet::drain`]). Dropping the fleet
/// kills it.
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
    Ended,
    GivenUp(String),
}

/// A place for one worker.
struct Slot {
    core: usize,
    started: Instant,
    infant_deaths: u32,
    /// When the next child is due, while there is none.
    due: Option<Instant>,
}

impl LocalFleet {
    /// Starts a worker for each core. `command` makes the command line of the worker of
    /// a core; its standard input is replaced.
    ///
    /// # Errors
    ///
    /// When a process or the supervising thread cannot be started.
    pub fn start(
        cores: &[usize],
        command: impl Fn(usize) -> Command + Send + 'static,
    ) -> io::Result<LocalFleet> {
        let state = Arc::new(State::default());
        let mut fleet = LocalFleet { state: state.clone(), supervisor: None };
        let mut slots = Vec::new();
        for &core in cores {
            let child = spawn(&command, core)?;
            state.with(|processes| processes.insert(core, Process::Alive(child)));
            slots.push(Slot { core, started: Instant::now(), infant_deaths: 0, due: None });
        }
        let supervise = move || {
            while !state.stop.load(Ordering::Relaxed) {
                for slot in &mut slots {
                    state.with(|processes| {
                        // Looked at under the lock: `drain` then sees every child.
                        if state.draining.load(Ordering::Relaxed) {
                            slot.due = None;
                        }
                        slot.look(processes, &command);
                    });
                }
                std::thread::sleep(LOOK);
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

    /// Tells every worker to finish the run in hand, hand back the others and end
    /// (SIGTERM), and starts none again.
    pub fn drain(&self) {
        self.state.with(|processes| {
            if self.state.draining.swap(true, Ordering::Relaxed) {
                return;
            }
            for process in processes.values() {
                if let Process::Alive(child) = process {
                    // It may have ended by itself, which is as good.
                    let _ = kill_process(Pid::from_child(child), Signal::TERM);
                }
            }
        });
    }

    /// Cores without a worker that works, and why. When there are as many as cores the
    /// study makes no progress.
    pub fn given_up(&self) -> Vec<(usize, String)> {
        self.state.with(|processes| {
            let given_up = processes.iter().filter_map(|(&core, process)| match process {
                Process::GivenUp(reason) => Some((core, reason.clone())),
                _ => None,
            });
            given_up.collect()
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
                    // It may have ended by itself, which is as good.
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
    fn look(
        &mut self,
        processes: &mut BTreeMap<usize, Process>,
        command: &impl Fn(usize) -> Command,
    ) {
        if self.due.is_some_and(|due| due <= Instant::now()) {
            self.due = None;
            self.started = Instant::now();
            let process = match spawn(command, self.core) {
                Ok(child) => Process::Alive(child),
                Err(error) => Process::GivenUp(format!("cannot start the worker: {error}")),
            };
            processes.insert(self.core, process);
            return;
        }
        let Some(Process::Alive(child)) = processes.get_mut(&self.core) else { return };
        let (status, killed) = match child.try_wait() {
            Ok(None) => return,
            Ok(Some(status)) if status.success() => {
                processes.insert(self.core, Process::Ended);
                return;
            }
            // Somebody else's doing, however often.
            Ok(Some(status)) => {
                (status.to_string(), status.signal().is_some_and(|signal| KILLED.contains(&signal)))
            }
            Err(error) => (error.to_string(), false),
        };
        let infant = !killed && self.started.elapsed() < INFANCY;
        self.infant_deaths = if infant { self.infant_deaths + 1 } else { 0 };
        if self.infant_deaths >= INFANT_DEATHS {
            let reason = format!("the worker died {INFANT_DEATHS} times at its start ({status})");
            tracing::error!("core {}: {reason}", self.core);
            processes.insert(self.core, Process::GivenUp(reason));
        } else {
            tracing::warn!("core {}: the worker ended with {status}; starting another", self.core);
            processes.insert(self.core, Process::Ended);
            self.due = Some(Instant::now() + LOOK * 2_u32.pow(self.infant_deaths));
        }
    }
}

fn spawn(command: &impl Fn(usize) -> Command, core: usize) -> io::Result<Child> {
    command(core).stdin(Stdio::piped()).process_group(0).spawn()
}
