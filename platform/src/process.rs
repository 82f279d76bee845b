//! Process groups, and the ends of processes.

pub use system::{
    kill_group, new_group, terminate, terminate_group, was_ended_by_another, was_killed,
    was_own_fault,
};

#[cfg(unix)]
mod system {
    use std::io;
    use std::os::unix::process::{CommandExt, ExitStatusExt};
    use std::process::{Child, Command, ExitStatus};

    use rustix::process::{Pid, Signal, kill_process, kill_process_group};

    /// Makes the command start in a new process group, which Ctrl-C on the terminal does not reach.
    pub fn new_group(command: &mut Command) -> &mut Command {
        command.process_group(0)
    }

    /// Kills a process that was started with [`new_group`], and its whole group.
    ///
    /// # Errors
    ///
    /// If a system call fails.
    pub fn kill_group(child: &mut Child) -> io::Result<()> {
        Ok(kill_process_group(Pid::from_child(child), Signal::KILL)?)
    }

    /// Asks a process to end properly (SIGTERM).
    ///
    /// # Errors
    ///
    /// If a system call fails.
    pub fn terminate(child: &Child) -> io::Result<()> {
        Ok(kill_process(Pid::from_child(child), Signal::TERM)?)
    }

    /// Asks all processes of a group to end properly (SIGTERM). `first` is the id of the first
    /// process of the group.
    ///
    /// # Errors
    ///
    /// If a system call fails.
    pub fn terminate_group(first: u32) -> io::Result<()> {
        let pid = i32::try_from(first).ok().and_then(Pid::from_raw);
        let pid = pid.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(kill_process_group(pid, Signal::TERM)?)
    }

    /// Whether SIGKILL or SIGABRT ended the process, for example for lack of memory.
    pub fn was_killed(status: ExitStatus) -> bool {
        let signals = [Signal::KILL, Signal::ABORT];
        status.signal().is_some_and(|number| signals.iter().any(|s| s.as_raw() == number))
    }

    /// Whether SIGKILL ended the process.
    pub fn was_ended_by_another(status: ExitStatus) -> bool {
        status.signal() == Some(Signal::KILL.as_raw())
    }

    /// Whether a signal ended the process for a fault such as an invalid memory access.
    pub fn was_own_fault(status: ExitStatus) -> bool {
        let signals =
            [Signal::SEGV, Signal::BUS, Signal::ABORT, Signal::ILL, Signal::FPE, Signal::TRAP];
        status.signal().is_some_and(|number| signals.iter().any(|s| s.as_raw() == number))
    }
}

#[cfg(not(unix))]
mod system {
    use std::io;
    use std::process::{Child, Command, ExitStatus};

    /// Does nothing on this system.
    pub fn new_group(command: &mut Command) -> &mut Command {
        command
    }

    /// Kills only the process.
    ///
    /// # Errors
    ///
    /// If a system call fails.
    pub fn kill_group(child: &mut Child) -> io::Result<()> {
        child.kill()
    }

    /// Does nothing on this system.
    ///
    /// # Errors
    ///
    /// Always.
    pub fn terminate(_: &Child) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Does nothing on this system.
    ///
    /// # Errors
    ///
    /// Always.
    pub fn terminate_group(_: u32) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// This system does not report signals.
    pub fn was_killed(_: ExitStatus) -> bool {
        false
    }

    /// This system does not report signals.
    pub fn was_ended_by_another(_: ExitStatus) -> bool {
        false
    }

    /// This system does not report signals.
    pub fn was_own_fault(_: ExitStatus) -> bool {
        false
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn killed_and_ended_processes_are_distinguished() {
        let mut child = new_group(Command::new("sleep").arg("1000")).spawn().unwrap();
        kill_group(&mut child).unwrap();
        let status = child.wait().unwrap();
        assert!(was_killed(status) && was_ended_by_another(status));
        let mut child = new_group(Command::new("sleep").arg("1000")).spawn().unwrap();
        terminate(&child).unwrap();
        assert!(!was_killed(child.wait().unwrap()));
        assert!(!was_killed(Command::new("false").status().unwrap()));
    }
}
