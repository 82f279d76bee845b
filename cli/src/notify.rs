//! A command of the user that is started when a study has ended.

use std::path::Path;
use std::process::{Command, Stdio};

use catherd_cli_console::{Exit, Failure, terminal};
use clap::Args;

/// The flag that names the command.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Notify {
    /// Shell command to start when the study has ended, with the variables CATHERD_STUDY,
    /// CATHERD_STATUS (finished, incomplete, stopped or error) and CATHERD_RESULTS (the folder)
    #[arg(long, value_name = "COMMAND")]
    notify_command: Option<String>,
}

impl Notify {
    pub(crate) fn execute(
        &self,
        study: &str,
        results: Option<&Path>,
        exit: Result<Exit, &Failure>,
    ) {
        let Some(command) = &self.notify_command else { return };
        let status = match exit {
            Ok(Exit::Success) => "finished",
            Ok(Exit::Incomplete) => "incomplete",
            Ok(Exit::Stopped) => "stopped",
            Ok(Exit::CheckFailed | Exit::DiskFull) | Err(_) => "error",
        };
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).stdin(Stdio::null());
        shell.env("CATHERD_STUDY", study).env("CATHERD_STATUS", status);
        shell.env("CATHERD_RESULTS", results.unwrap_or(Path::new("")));
        // Redirect the output of the command, because standard output may contain events as JSON.
        shell.stdout(std::io::stderr());
        match shell.status() {
            Ok(ended) if ended.success() => {}
            Ok(ended) => terminal::note(&format!("warning: --notify-command ended with {ended}")),
            Err(cause) => terminal::note(&format!("warning: --notify-command: {cause}")),
        }
    }
}
