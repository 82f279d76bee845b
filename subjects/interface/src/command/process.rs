//! A process of a tool, and its descendants.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::{self, BufRead, BufReader, PipeReader, Read, Write};
use std::path::Path;
use std::process::{self, Child, ChildStdin, ChildStdout, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant};

use super::supervisor::{self, Exit, Report, Supervision};
use crate::runner::{Programs, RunError};

pub(super) const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Maximum size of the output that is kept, in bytes.
const OUTPUT_TAIL: usize = 2000;

/// Maximum time for killed processes to exit.
const KILL_TIME: Duration = Duration::from_secs(10);

/// Maximum time for the output to end after the last process has exited.
const OUTPUT_TIME: Duration = Duration::from_secs(1);

/// Limit on the shared memory of a program without a memory limit, in bytes.
const SHARED_MEMORY: u64 = 1 << 30;

/// The missing guarantee if programs run without a supervisor.
pub(super) const UNSUPERVISED: &str = "supervising programs";

/// Maximum size of a report in bytes.
const LARGEST_REPORT: u64 = 1 << 16;

/// A program, which is killed when this value is dropped.
pub(super) struct Process {
    child: Child,
    supervisor: Option<Supervisor>,
    output: Receiver<Tail>,
    /// Whether all descendants of the current process belong to the program.
    exclusive: bool,
}

struct Supervisor {
    /// The supervisor asks the program to end when a byte arrives in this pipe, and ends when the
    /// pipe is closed.
    leash: ChildStdin,
    report: Receiver<Vec<u8>>,
}

pub(super) struct End {
    pub(super) exit: Exit,
    /// Guarantees that this system could not provide.
    pub(super) missing: Vec<String>,
    /// Processor time of all processes of the program; 0 if unknown.
    pub(super) processor_time: Duration,
}

impl Process {
    /// `shared_memory` is in bytes. If a supervisor cannot start the program, [`Process::ended`]
    /// returns the error.
    pub(super) fn start(
        programs: &Programs,
        folder: &Path,
        shared_memory: Option<u64>,
        words: Vec<String>,
        variables: BTreeMap<String, String>,
    ) -> Result<Process, RunError> {
        let crashed = |cause: io::Error| RunError::Crashed(format!("pipes: {cause}"));
        let (reader, writer) = io::pipe().map_err(crashed)?;
        let mut command = match &programs.supervisor {
            Some(supervisor) => {
                let supervision = Supervision {
                    folder: folder.to_owned(),
                    hidden: programs.hidden.clone(),
                    namespaces: programs.namespaces,
                    init: false,
                    shared_memory: shared_memory.unwrap_or(SHARED_MEMORY),
                    words: words.clone(),
                };
                let mut command = process::Command::new(supervisor);
                command.args(supervisor::arguments(&supervision));
                command.stdin(Stdio::piped()).stdout(Stdio::piped());
                command
            }
            None => {
                let mut command = process::Command::new(&words[0]);
                command.args(&words[1..]).stdin(Stdio::null());
                command.stdout(writer.try_clone().map_err(crashed)?);
                command
            }
        };
        command.current_dir(folder).env_clear().envs(variables).stderr(writer);
        let mut child = catherd_platform::new_group(&mut command)
            .spawn()
            .map_err(|cause| RunError::Crashed(format!("cannot start {}: {cause}", words[0])))?;
        let supervisor = child.stdin.take().zip(child.stdout.take());
        let supervisor =
            supervisor.map(|(leash, stdout)| Supervisor { leash, report: line(stdout) });
        let exclusive = programs.exclusive;
        Ok(Process { child, supervisor, output: tail(reader), exclusive })
    }

    /// Returns how the program ended, unless it is still running, and tries to kill the processes
    /// that the program left running.
    pub(super) fn ended(&mut self, program: &str) -> Result<Option<End>, RunError> {
        let crashed = |cause: &dyn Display| RunError::Crashed(format!("{program}: {cause}"));
        let report = match &self.supervisor {
            Some(supervisor) => match supervisor.report.try_recv() {
                Err(TryRecvError::Empty) => return Ok(None),
                Ok(report) => serde_json::from_slice::<Report>(&report).ok(),
                Err(TryRecvError::Disconnected) => None,
            },
            None => match self.child.try_wait().map_err(|cause| crashed(&cause))? {
                None => return Ok(None),
                Some(status) => Some(Report {
                    ended: Ok(status.into()),
                    missing: vec![UNSUPERVISED.to_owned()],
                }),
            },
        };
        match report {
            // The supervisor has killed the processes that the program left running.
            Some(report) if self.supervisor.is_some() => match report.ended {
                Ok(exit) => {
                    // The supervisor is still running and has waited for all processes, so their
                    // times are known and complete.
                    let processor_time = self.processor_time();
                    Ok(Some(End { exit, missing: report.missing, processor_time }))
                }
                Err(cause) => Err(RunError::Crashed(format!("cannot start {program}: {cause}"))),
            },
            Some(Report { ended, missing }) => {
                // Kill the processes that the program left running in its group.
                let _ = self.kill();
                let exit = ended.unwrap_or_default();
                Ok(Some(End { exit, missing, processor_time: Duration::ZERO }))
            }
            None => {
                let status = self.kill().map_err(|cause| crashed(&cause))?;
                let status = format!("the end of its supervisor ({status})");
                let exit = Exit { status, killed: true };
                Ok(Some(End { exit, missing: Vec::new(), processor_time: Duration::ZERO }))
            }
        }
    }

    pub(super) fn processor_time(&self) -> Duration {
        catherd_platform::processor_time(&self.child)
    }

    pub(super) fn resident_memory(&self) -> u64 {
        catherd_platform::resident_memory(&self.child)
    }

    /// Sends SIGTERM.
    pub(super) fn ask_to_end(&mut self) {
        // The program may have ended already.
        let _ = match &mut self.supervisor {
            Some(supervisor) => {
                supervisor.leash.write_all(&[0]).and_then(|()| supervisor.leash.flush())
            }
            None => catherd_platform::terminate_group(self.child.id()),
        };
    }

    /// Kills the program if it is still running, and returns the end of its output. The supervisor,
    /// if there is one, removes the working folder.
    pub(super) fn finish(mut self) -> Output {
        // The process may have been reaped already.
        let _ = self.kill();
        let Tail { kept, left_out } = self.output.recv_timeout(OUTPUT_TIME).unwrap_or_default();
        Output { end: String::from_utf8_lossy(&kept).trim().to_owned(), left_out }
    }

    fn kill(&mut self) -> io::Result<ExitStatus> {
        if self.supervisor.take().is_some() {
            let end = Instant::now() + KILL_TIME;
            while Instant::now() < end && matches!(self.child.try_wait(), Ok(None)) {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        // The process group may have exited already.
        let _ = catherd_platform::kill_group(&mut self.child);
        let status = self.child.wait();
        if self.exclusive {
            // The program may have killed its supervisor.
            catherd_platform::kill_descendants(KILL_TIME);
        }
        status
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The process may have been reaped already.
        let _ = self.kill();
    }
}

fn line(stdout: ChildStdout) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut line = Vec::new();
        let read = BufReader::new(stdout.take(LARGEST_REPORT)).read_until(b'\n', &mut line);
        if matches!(read, Ok(2..)) {
            // The receiver is dropped if the run was stopped.
            let _ = sender.send(line);
        }
    });
    receiver
}

/// The end of a program's output.
pub(super) struct Output {
    /// The end without white space around it.
    pub(super) end: String,
    left_out: u64,
}

impl Output {
    /// The end after a line that says how much is left out, if anything is.
    pub(super) fn shown(&self) -> String {
        after_left_out(self.left_out, &self.end)
    }
}

/// The end of a text after a line that says how many bytes are left out, if any are.
pub(super) fn after_left_out(bytes: u64, end: &str) -> String {
    match bytes {
        0 => end.to_owned(),
        _ => format!("({bytes} earlier bytes are left out)\n{end}"),
    }
}

#[derive(Default)]
struct Tail {
    kept: Vec<u8>,
    left_out: u64,
}

/// Reads output in a separate thread, because the program must never wait for a reader. The whole
/// output may not fit in memory, so only the end is kept.
fn tail(mut reader: PipeReader) -> Receiver<Tail> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let Tail { mut kept, mut left_out } = Tail::default();
        let mut buffer = [0; 8192];
        while let Ok(count @ 1..) = reader.read(&mut buffer) {
            kept.extend_from_slice(&buffer[..count]);
            let excess = kept.len().saturating_sub(OUTPUT_TAIL);
            kept.drain(..excess);
            left_out += excess as u64;
        }
        // The receiver is dropped if the run was stopped.
        let _ = sender.send(Tail { kept, left_out });
    });
    receiver
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_of_long_output_is_counted() {
        let (reader, mut writer) = io::pipe().unwrap();
        let end = tail(reader);
        writer.write_all("x".repeat(3000).as_bytes()).unwrap();
        writer.write_all(b"\nthe end\n").unwrap();
        drop(writer);
        let Tail { kept, left_out } = end.recv().unwrap();
        assert_eq!((kept.len(), left_out), (OUTPUT_TAIL, 1009));
        let output = Output { end: "the end".to_owned(), left_out };
        assert_eq!(output.shown(), "(1009 earlier bytes are left out)\nthe end");
    }
}
