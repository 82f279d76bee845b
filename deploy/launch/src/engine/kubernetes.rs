//! Kubernetes: a Job for each task, through `kubectl`.

use std::ops::RangeInclusive;

use serde_json::{Value, json};

use super::{Call, Engine, LaunchError, Submission, Task, TaskState};
use crate::pilot::{Pilot, STAYING};

const LABEL: &str = "catherd.launch";

/// Time in seconds after which a Job that has ended is deleted.
const KEPT: u64 = 600;

/// Maximum time in seconds between SIGTERM and the end of a pod.
const TERMINATION: u64 = 60;

pub(super) fn submission(
    pilot: &Pilot,
    numbers: &RangeInclusive<u32>,
) -> Result<Submission, LaunchError> {
    let engine = Engine::Kubernetes;
    for (option, name) in [("--account", &pilot.account), ("--partition", &pilot.partition)] {
        if name.is_some() {
            return Err(LaunchError::Unsupported { engine, option });
        }
    }
    for (option, used) in [
        ("--whole-nodes", pilot.whole_nodes),
        ("--local", pilot.local.is_some()),
        ("--prologue", !pilot.prologue.is_empty()),
    ] {
        if used {
            return Err(LaunchError::Unsupported { engine, option });
        }
    }
    let jobs: Vec<Value> = numbers.clone().map(|number| job(pilot, number)).collect();
    let list = json!({ "apiVersion": "v1", "kind": "List", "items": jobs });
    let path = pilot.dir.join(format!("{}-{}.json", pilot.tag, numbers.start()));
    let mut arguments = vec!["create".to_owned()];
    arguments.extend(pilot.submit_options.iter().cloned());
    arguments.extend(["--filename".to_owned(), path.display().to_string()]);
    let text = format!("{list:#}\n");
    Ok(Submission { files: vec![(path, text)], calls: vec![Call::new("kubectl", arguments)] })
}

fn job(pilot: &Pilot, number: u32) -> Value {
    let labels = json!({ LABEL: pilot.tag, "app": "catherd-worker" });
    let mut pod = json!({
        "restartPolicy": "Never",
        "activeDeadlineSeconds": pilot.time.as_secs(),
        "terminationGracePeriodSeconds": TERMINATION,
        "automountServiceAccountToken": false,
        "securityContext": {
            "runAsNonRoot": true, "runAsUser": 1000, "fsGroup": 1000,
            "seccompProfile": { "type": "RuntimeDefault" },
        },
        "containers": [container(pilot, number)],
        "volumes": volumes(pilot),
    });
    if let Some(class) = &pilot.qos {
        pod["priorityClassName"] = json!(class);
    }
    json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": { "name": format!("{}-{number}", pilot.tag), "labels": labels },
        "spec": {
            // A pod that ends because its node is drained or reclaimed is replaced.
            "backoffLimit": if pilot.requeue { 6 } else { 0 },
            "ttlSecondsAfterFinished": KEPT,
            "template": { "metadata": { "labels": labels }, "spec": pod },
        },
    })
}

fn container(pilot: &Pilot, number: u32) -> Value {
    let idle = if number <= pilot.staying { STAYING } else { pilot.idle };
    let mut arguments: Vec<String> = [
        "worker",
        "--connect",
        &pilot.connect,
        "--name",
        "$(POD)",
        "--spool",
        "/spool/spool",
        "--cache",
        "/cache",
        "--idle",
        &idle.to_string(),
        "--retry-timeout",
        "900",
        "--grace",
        "20",
        "--until",
        &format!("{}s", pilot.time.as_secs()),
        "--memory",
        &pilot.memory.to_string(),
    ]
    .map(str::to_owned)
    .into();
    if pilot.cores_per_task > 1 {
        arguments.extend(["--processes".to_owned(), pilot.cores_per_task.to_string()]);
    }
    let mut mounts = vec![
        json!({ "name": "spool", "mountPath": "/spool" }),
        json!({ "name": "cache", "mountPath": "/cache" }),
    ];
    if pilot.tls.is_some() || pilot.token_file.is_some() {
        mounts.push(json!({ "name": "secret", "mountPath": "/secret", "readOnly": true }));
    }
    for (option, path, there) in
        [("--tls", &pilot.tls, "/secret"), ("--token-file", &pilot.token_file, "/secret/token")]
    {
        if path.is_some() {
            arguments.extend([option.to_owned(), there.to_owned()]);
        }
    }
    arguments.extend(pilot.worker_options.iter().cloned());
    let cores = pilot.cores_per_task.to_string();
    let resources = json!({ "cpu": cores, "memory": format!("{}Mi", pilot.task_memory()) });
    json!({
        "name": "worker",
        "image": pilot.image,
        "imagePullPolicy": "IfNotPresent",
        "args": arguments,
        "env": [{ "name": "POD", "valueFrom": { "fieldRef": { "fieldPath": "metadata.name" } } }],
        "securityContext": {
            "allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true,
            "capabilities": { "drop": ["ALL"] },
        },
        "resources": { "requests": resources, "limits": resources },
        "volumeMounts": mounts,
    })
}

fn volumes(pilot: &Pilot) -> Value {
    let cache = match &pilot.cache_claim {
        Some(claim) => json!({ "name": "cache", "persistentVolumeClaim": { "claimName": claim } }),
        None => json!({ "name": "cache", "emptyDir": {} }),
    };
    let mut volumes = vec![json!({ "name": "spool", "emptyDir": {} }), cache];
    if pilot.tls.is_some() || pilot.token_file.is_some() {
        volumes.push(json!({ "name": "secret", "secret": { "secretName": pilot.secret } }));
    }
    json!(volumes)
}

pub(super) fn listing(tag: &str) -> Call {
    Call::new(
        "kubectl",
        ["get", "jobs", "--selector", &format!("{LABEL}={tag}"), "--output", "json"],
    )
}

pub(super) fn read_listing(answer: &str) -> Result<Vec<Task>, LaunchError> {
    let list: Value = serde_json::from_str(answer)
        .map_err(|cause| LaunchError::Answer(format!("kubectl: {cause}")))?;
    let jobs = list["items"].as_array();
    let jobs = jobs.ok_or_else(|| LaunchError::Answer("kubectl: no list of jobs".to_owned()))?;
    let mut tasks = Vec::new();
    for job in jobs {
        let conditions = job["status"]["conditions"].as_array();
        let ended = conditions.into_iter().flatten().any(|condition| {
            condition["status"] == "True"
                && (condition["type"] == "Complete" || condition["type"] == "Failed")
        });
        let Some(id) = job["metadata"]["name"].as_str() else { continue };
        if ended || !job["metadata"]["deletionTimestamp"].is_null() {
            continue;
        }
        let ready = job["status"]["ready"].as_u64().unwrap_or(0) > 0;
        let state = if ready { TaskState::Running } else { TaskState::Waiting };
        tasks.push(Task { id: id.to_owned(), state });
    }
    Ok(tasks)
}
