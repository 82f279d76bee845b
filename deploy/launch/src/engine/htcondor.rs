//! HTCondor: `condor_submit` queues one job for each task. The jobs of a submission form a cluster.

use std::fmt::Write as _;
use std::ops::RangeInclusive;

use super::{Call, Engine, LaunchError, Submission, Task, TaskState, one_line};
use crate::pilot::{GRACE, Pilot};

pub(super) fn submission(
    pilot: &Pilot,
    numbers: &RangeInclusive<u32>,
) -> Result<Submission, LaunchError> {
    let engine = Engine::Htcondor;
    for (option, name) in [("--partition", &pilot.partition), ("--qos", &pilot.qos)] {
        if name.is_some() {
            return Err(LaunchError::Unsupported { engine, option });
        }
    }
    if pilot.whole_nodes {
        return Err(LaunchError::Unsupported { engine, option: "--whole-nodes" });
    }
    let first = numbers.start();
    let script = pilot.dir.join(format!("{}-{first}.sh", pilot.tag));
    let path = pilot.dir.join(format!("{}-{first}.submit", pilot.tag));
    let number = format!("$(($2 + {first}))");
    let until = format!("{}s", pilot.time.as_secs());
    let body = format!("#!/bin/bash\n{}", pilot.body("$1-$2", &number, Some(&until)));
    let description = description(pilot, &script.display().to_string(), numbers);
    let mut arguments = vec!["-batch-name".to_owned(), pilot.tag.clone()];
    arguments.extend(pilot.submit_options.iter().cloned());
    arguments.push(path.display().to_string());
    Ok(Submission {
        files: vec![(script, body), (path, description)],
        calls: vec![Call::new("condor_submit", arguments)],
    })
}

fn description(pilot: &Pilot, script: &str, numbers: &RangeInclusive<u32>) -> String {
    let dir = one_line(&pilot.dir.display().to_string());
    let mut text = format!(
        "universe = vanilla\n\
         executable = /bin/bash\n\
         transfer_executable = false\n\
         arguments = \"'{script}' $(Cluster) $(Process)\"\n\
         initialdir = {dir}\n\
         output = $(Cluster)_$(Process).log\n\
         error = $(Cluster)_$(Process).log\n\
         request_cpus = {cores}\n\
         request_memory = {memory}\n\
         allowed_job_duration = {time}\n\
         # SIGTERM goes to the worker, which replaces the shell and finishes or returns its run.\n\
         kill_sig = SIGTERM\n\
         remove_kill_sig = SIGTERM\n\
         kill_sig_timeout = {timeout}\n\
         job_max_vacate_time = {timeout}\n",
        script = one_line(script).replace('\'', "''").replace('"', "\"\""),
        cores = pilot.cores_per_task,
        memory = pilot.task_memory(),
        time = pilot.time.as_secs(),
        timeout = 2 * GRACE,
    );
    if let Some(account) = &pilot.account {
        let _ = writeln!(text, "accounting_group = {account}");
    }
    if !pilot.requeue {
        // A job that was evicted waits again.
        text += "periodic_remove = JobStatus == 1 && NumJobStarts > 0\n";
    }
    let _ = writeln!(text, "queue {}", numbers.end() - numbers.start() + 1);
    text
}

pub(super) fn listing(tag: &str) -> Call {
    let constraint = format!("JobBatchName == \"{tag}\"");
    let columns = ["-autoformat", "ClusterId", "ProcId", "JobStatus"];
    let options = ["-allusers", "-constraint", &constraint];
    Call::new("condor_q", options.into_iter().chain(columns))
}

pub(super) fn read_listing(answer: &str) -> Result<Vec<Task>, LaunchError> {
    let mut tasks = Vec::new();
    for line in answer.lines().filter(|line| !line.trim().is_empty()) {
        let wrong = || LaunchError::Answer(one_line(line));
        let columns: Vec<&str> = line.split_whitespace().collect();
        let [cluster, process, status] = columns[..] else { return Err(wrong()) };
        if cluster.parse::<u64>().is_err() || process.parse::<u64>().is_err() {
            return Err(wrong());
        }
        let state = match status {
            // Idle, held.
            "1" | "5" => TaskState::Waiting,
            // Running, transferring output, suspended.
            "2" | "6" | "7" => TaskState::Running,
            _ => continue,
        };
        tasks.push(Task { id: format!("{cluster}.{process}"), state });
    }
    Ok(tasks)
}
