//! Slurm: arrays of tasks through `sbatch`.

use std::fmt::Write as _;
use std::ops::RangeInclusive;

use super::{Call, LaunchError, Submission, Task, TaskState, one_line, pieces};
use crate::pilot::{Pilot, clock};

pub(super) fn submission(pilot: &Pilot, numbers: &RangeInclusive<u32>) -> Submission {
    // The index of a task must be below MaxArraySize.
    let pieces = pieces(numbers, pilot.max_array_size.saturating_sub(1));
    let mut submission = Submission { files: Vec::new(), calls: Vec::new() };
    for piece in pieces {
        let path = pilot.dir.join(format!("{}-{}.sbatch", pilot.tag, piece.start()));
        let mut arguments = pilot.submit_options.clone();
        arguments.push(path.display().to_string());
        submission.calls.push(Call::new("sbatch", arguments));
        submission.files.push((path, script(pilot, &piece)));
    }
    submission
}

fn script(pilot: &Pilot, numbers: &RangeInclusive<u32>) -> String {
    let tasks = numbers.end() - numbers.start() + 1;
    let mut text = format!(
        "#!/bin/bash\n\
         #SBATCH --job-name={tag}\n\
         #SBATCH --array=1-{tasks}\n\
         #SBATCH --nodes=1\n\
         #SBATCH --ntasks=1\n\
         #SBATCH --cpus-per-task={cores}\n\
         #SBATCH --time={time}\n",
        tag = pilot.tag,
        cores = pilot.cores_per_task,
        time = clock(pilot.time),
    );
    let mut directive = |line: String| {
        let _ = writeln!(text, "#SBATCH {line}");
    };
    if pilot.whole_nodes {
        directive("--exclusive".to_owned());
        directive("--mem=0".to_owned());
    } else {
        directive(format!("--mem={}M", pilot.task_memory()));
    }
    for (option, name) in
        [("account", &pilot.account), ("partition", &pilot.partition), ("qos", &pilot.qos)]
    {
        if let Some(name) = name {
            directive(format!("--{option}={name}"));
        }
    }
    directive(if pilot.requeue { "--requeue" } else { "--no-requeue" }.to_owned());
    directive("--open-mode=append".to_owned());
    let logs = one_line(&pilot.dir.display().to_string());
    directive(format!("--output={logs}/%A_%a.log"));
    text += "# SIGTERM goes to the worker, which replaces the shell (exec) and finishes or returns its run.\n\
             #SBATCH --signal=B:TERM@40\n\n";
    let number = format!("$((SLURM_ARRAY_TASK_ID + {}))", numbers.start() - 1);
    // Recent versions of Slurm state the end of the task in SLURM_JOB_END_TIME.
    let until = format!("\"${{SLURM_JOB_END_TIME:-{}s}}\"", pilot.time.as_secs());
    text += &pilot.body("$SLURM_ARRAY_JOB_ID-$SLURM_ARRAY_TASK_ID", &number, Some(&until));
    text
}

pub(super) fn listing(tag: &str) -> Call {
    Call::new(
        "squeue",
        ["--noheader", "--array", "--me", &format!("--name={tag}"), "--format=%i|%T"],
    )
}

pub(super) fn read_listing(answer: &str) -> Result<Vec<Task>, LaunchError> {
    let mut tasks = Vec::new();
    for line in answer.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (id, state) =
            line.split_once('|').ok_or_else(|| LaunchError::Answer(one_line(line)))?;
        let state = match state {
            "RUNNING" => TaskState::Running,
            // Tasks in these states do not take further runs, but their nodes are not available for
            // other tasks yet.
            "COMPLETING" | "STOPPED" | "SIGNALING" | "STAGE_OUT" => TaskState::Running,
            "PENDING" | "CONFIGURING" | "REQUEUED" | "REQUEUE_HOLD" | "REQUEUE_FED"
            | "RESV_DEL_HOLD" | "SPECIAL_EXIT" | "SUSPENDED" | "RESIZING" => TaskState::Waiting,
            // Tasks in other states, such as CANCELLED, FAILED and PREEMPTED, have ended.
            _ => continue,
        };
        tasks.push(Task { id: id.to_owned(), state });
    }
    Ok(tasks)
}

/// Running tasks must have time to return their runs. `scancel` without a signal would kill a
/// worker after KillWait seconds, which may be too few.
pub(super) fn cancellation(tasks: &[Task]) -> Vec<Call> {
    let of = |state: TaskState| -> Vec<String> {
        tasks.iter().filter(|task| task.state == state).map(|task| task.id.clone()).collect()
    };
    let (waiting, running) = (of(TaskState::Waiting), of(TaskState::Running));
    let mut calls = Vec::new();
    if !waiting.is_empty() {
        calls.push(Call::new("scancel", waiting));
    }
    if !running.is_empty() {
        let options = ["--batch".to_owned(), "--signal=TERM".to_owned()];
        calls.push(Call::new("scancel", options.into_iter().chain(running)));
    }
    calls
}
