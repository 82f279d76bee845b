//! OpenPBS and PBS Professional: arrays of tasks through `qsub`.

use std::fmt::Write as _;
use std::ops::RangeInclusive;

use serde_json::Value;

use super::{Call, Engine, LaunchError, Submission, Task, TaskState, one_line, pieces};
use crate::pilot::{Pilot, clock};

/// The default of a server's `max_array_size`.
const MAX_ARRAY: u32 = 10_000;

pub(super) fn submission(
    pilot: &Pilot,
    numbers: &RangeInclusive<u32>,
) -> Result<Submission, LaunchError> {
    if pilot.qos.is_some() {
        return Err(LaunchError::Unsupported { engine: Engine::Pbs, option: "--qos" });
    }
    let mut submission = Submission { files: Vec::new(), calls: Vec::new() };
    // PBS refuses arrays that must not be queued again.
    let length = if pilot.requeue { MAX_ARRAY } else { 1 };
    for piece in pieces(numbers, length) {
        let path = pilot.dir.join(format!("{}-{}.pbs", pilot.tag, piece.start()));
        let mut arguments = pilot.submit_options.clone();
        arguments.push(path.display().to_string());
        submission.calls.push(Call::new("qsub", arguments));
        submission.files.push((path, script(pilot, &piece)));
    }
    Ok(submission)
}

fn script(pilot: &Pilot, numbers: &RangeInclusive<u32>) -> String {
    let tasks = numbers.end() - numbers.start() + 1;
    let mut text = format!(
        "#!/bin/bash\n\
         #PBS -N {tag}\n\
         #PBS -l select=1:ncpus={cores}:mem={memory}mb\n\
         #PBS -l walltime={time}\n\
         #PBS -r {rerun}\n\
         #PBS -j oe\n\
         #PBS -o {logs}/\n",
        tag = pilot.tag,
        cores = pilot.cores_per_task,
        memory = pilot.task_memory(),
        time = clock(pilot.time),
        rerun = if pilot.requeue { "y" } else { "n" },
        logs = one_line(&pilot.dir.display().to_string()),
    );
    let mut directive = |line: String| {
        let _ = writeln!(text, "#PBS {line}");
    };
    // An array has at least two tasks.
    if tasks > 1 {
        directive(format!("-J 1-{tasks}"));
    }
    if pilot.whole_nodes {
        directive("-l place=excl".to_owned());
    }
    for (option, name) in [("-A", &pilot.account), ("-q", &pilot.partition)] {
        if let Some(name) = name {
            directive(format!("{option} {name}"));
        }
    }
    text += "\nindex=${PBS_ARRAY_INDEX:-1}\njob=${PBS_JOBID%%.*}\n";
    let number = format!("$((index + {}))", numbers.start() - 1);
    let until = format!("{}s", pilot.time.as_secs());
    text += &pilot.body("${job%%\\[*}-$index", &number, Some(&until));
    text
}

pub(super) fn listing() -> Call {
    Call::new("qstat", ["-t", "-f", "-F", "json"])
}

/// PBS cannot filter the list of all jobs by name.
pub(super) fn read_listing(tag: &str, answer: &str) -> Result<Vec<Task>, LaunchError> {
    let answer = answer.trim();
    if answer.is_empty() {
        return Ok(Vec::new());
    }
    let list: Value = serde_json::from_str(answer)
        .map_err(|cause| LaunchError::Answer(format!("qstat: {cause}")))?;
    let Some(jobs) = list["Jobs"].as_object() else { return Ok(Vec::new()) };
    let mut tasks = Vec::new();
    for (id, job) in jobs {
        // The array itself is listed as a job in addition to its tasks.
        if job["Job_Name"] != tag || id.contains("[]") {
            continue;
        }
        let state = match job["job_state"].as_str().unwrap_or_default() {
            "R" | "E" | "S" | "U" => TaskState::Running,
            "Q" | "H" | "W" | "T" | "M" => TaskState::Waiting,
            _ => continue,
        };
        tasks.push(Task { id: id.clone(), state });
    }
    Ok(tasks)
}
