//! Commands that execute JavaScript do so in a child process: a hostile program can end or damage the process of its
//! engine, and the parent then says so.

use std::path::Path;
use std::process::Command;

use catherd_cli_console::{Exit, Failure};

/// Set in the child, to the id of its parent.
const CHILD: &str = "CATHERD_EXECUTES_FOR";

/// Executes this command in a child process and ends as the child does. Returns `None` in the child.
pub(crate) fn execute_apart(project: &Path) -> Option<Result<Exit, Failure>> {
    if std::env::var_os(CHILD).is_some() {
        return None;
    }
    let program = if cfg!(target_os = "linux") {
        Ok("/proc/self/exe".into())
    } else {
        std::env::current_exe()
    };
    let child = program.and_then(|program| {
        let arguments = std::env::args_os().skip(1);
        Command::new(program).args(arguments).env(CHILD, std::process::id().to_string()).status()
    });
    Some(match child {
        Ok(status) => match status.code() {
            Some(code) => std::process::exit(code),
            None => {
                let cause = format!(
                    "{}: the process of the JavaScript engine ended: {status}",
                    project.display()
                );
                Err(Failure::new(cause).hint("see what the program does with its memory; such a run of a study counts as a crash"))
            }
        },
        Err(cause) => {
            Err(Failure::new(format!("cannot start a process for the JavaScript engine: {cause}"))
                .hint("see whether the system's limits allow processes"))
        }
    })
}

/// Whether this is a child whose parent has ended.
pub(crate) fn is_orphan() -> bool {
    let parent = std::env::var(CHILD).ok().and_then(|id| id.parse::<u32>().ok());
    #[cfg(unix)]
    let is = parent.is_some_and(|parent| parent != std::os::unix::process::parent_id());
    #[cfg(not(unix))]
    let is = parent.is_none();
    is
}
