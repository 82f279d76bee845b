//! The command that a coordinator executes when a study has ended.

use std::collections::BTreeSet;
use std::process::Stdio;

use catherd_coordinator::{Phase, Progress, StudyNumber, StudyState};
use tokio::process::Command;

pub(super) struct EndHook {
    command: String,
    /// Active studies with unfinished runs.
    unfinished: BTreeSet<StudyNumber>,
}

impl EndHook {
    pub(super) fn new(command: &str) -> EndHook {
        EndHook { command: command.to_owned(), unfinished: BTreeSet::new() }
    }

    /// Executes the command for each active study that was unfinished at the last call and is
    /// finished now.
    pub(super) fn update(&mut self, progress: &Progress) {
        let former = std::mem::take(&mut self.unfinished);
        for study in &progress.studies {
            if study.state != StudyState::Active {
                continue;
            }
            if !study.counts.is_finished() {
                self.unfinished.insert(study.number);
            } else if former.contains(&study.number) {
                let mut command = Command::new("sh");
                command.arg("-c").arg(&self.command).env("CATHERD_STUDY", &study.name);
                command.env("CATHERD_OWNER", &study.owner);
                command.env("CATHERD_PLANNED", study.counts.planned().to_string());
                for phase in [Phase::Done, Phase::Failed, Phase::Quarantined] {
                    let name = format!("CATHERD_{}", phase.name().to_uppercase());
                    command.env(name, study.counts.of(phase).to_string());
                }
                tokio::spawn(execute(command, study.name.clone()));
            }
        }
    }
}

async fn execute(mut command: Command, study: String) {
    let ended = command.stdin(Stdio::null()).stdout(Stdio::null()).status().await;
    match ended {
        Ok(status) if status.success() => {
            tracing::info!(study, "the command of --on-end succeeded")
        }
        Ok(status) => tracing::error!(study, "the command of --on-end: {status}"),
        Err(cause) => tracing::error!(study, "cannot start the command of --on-end: {cause}"),
    }
}
