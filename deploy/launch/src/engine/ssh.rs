//! Hosts without a manager. A task is a process on a host, which is started, listed and ended over
//! SSH. Scripts are sent on standard input, because the shell of the host would interpret
//! arguments.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::RangeInclusive;

use super::{Call, LaunchError, Submission, Task, TaskState, one_line};
use crate::pilot::{Pilot, quoted};

/// The folder for the process ids and logs of a launch, as a shell expression.
fn folder(pilot: &Pilot) -> String {
    format!("\"${{XDG_STATE_HOME:-$HOME/.local/state}}/catherd/launch/{}\"", pilot.tag)
}

fn to_host(pilot: &Pilot, host: &str, script: String) -> Call {
    let mut arguments =
        ["-o", "BatchMode=yes", "-o", "ConnectTimeout=10"].map(str::to_owned).to_vec();
    arguments.extend(pilot.submit_options.iter().cloned());
    arguments.extend(["--".to_owned(), host.to_owned(), "exec sh -s".to_owned()]);
    Call::new("ssh", arguments).with_input(script)
}

/// Returns the hosts with their positions in the list of hosts, counted from 1. Each position, or
/// *place*, can execute one task.
fn places(pilot: &Pilot) -> Result<BTreeMap<&str, Vec<usize>>, LaunchError> {
    let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (place, host) in pilot.hosts.iter().enumerate() {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.@:[]%".contains(c);
        if host.is_empty() || host.starts_with('-') || !host.chars().all(plain) {
            return Err(LaunchError::Host(host.clone()));
        }
        places.entry(host).or_default().push(place + 1);
    }
    Ok(places)
}

pub(super) fn submission(
    pilot: &Pilot,
    numbers: &RangeInclusive<u32>,
    live: &[Task],
) -> Result<Submission, LaunchError> {
    let tasks = numbers.end().saturating_sub(*numbers.start()) + 1;
    let taken: BTreeSet<&str> = live.iter().map(|task| task.id.as_str()).collect();
    let places = places(pilot)?;
    let mut free = Vec::new();
    for (host, places) in places {
        let places = places.into_iter().filter(|place| !taken.contains(place.to_string().as_str()));
        free.extend(places.map(|place| (place, host)));
    }
    free.sort_unstable();
    if free.len() < tasks as usize {
        return Err(LaunchError::Hosts { tasks, free: free.len() });
    }
    let mut scripts: BTreeMap<&str, String> = BTreeMap::new();
    for (number, (place, host)) in numbers.clone().zip(free) {
        let script = scripts.entry(host).or_insert_with(|| {
            format!("set -eu\numask 077\nfolder={}\nmkdir -p \"$folder\"\n", folder(pilot))
        });
        let body = pilot.body(
            &format!("{place}-{number}"),
            &number.to_string(),
            Some(&format!("{}s", pilot.time.as_secs())),
        );
        // The shell and the worker that replaces it can be recognised by the name of the task,
        // which is in the arguments of both.
        let _ = write!(
            script,
            "setsid nohup bash -c {body} </dev/null >>\"$folder/{place}.log\" 2>&1 &\n\
             echo $! {tag}-{place}-{number} >\"$folder/{place}.pid\"\n",
            body = quoted(&body),
            tag = pilot.tag,
        );
    }
    let calls = scripts.into_iter().map(|(host, script)| to_host(pilot, host, script)).collect();
    Ok(Submission { files: Vec::new(), calls })
}

/// Returns shell code that sets `pid` to the process id of the task at a place, and executes `then`
/// if the process still belongs to the task.
fn if_alive(place: &str, then: &str) -> String {
    format!(
        "if read -r pid name <\"$folder/{place}.pid\" 2>/dev/null &&\n\
         {{ tr '\\0' ' ' <\"/proc/$pid/cmdline\"; }} 2>/dev/null | grep -qF -e \"$name\"; then {then}; fi\n"
    )
}

pub(super) fn listing(pilot: &Pilot) -> Vec<Call> {
    let Ok(places) = places(pilot) else { return Vec::new() };
    let call = |(host, places): (&str, Vec<usize>)| {
        let mut script = format!("folder={}\n", folder(pilot));
        for place in places {
            script += &if_alive(&place.to_string(), &format!("echo {place}"));
        }
        to_host(pilot, host, script + "exit 0\n")
    };
    places.into_iter().map(call).collect()
}

pub(super) fn read_listing(answer: &str) -> Result<Vec<Task>, LaunchError> {
    let mut tasks = Vec::new();
    for line in answer.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let place = line.parse::<u32>();
        let place = place.map_err(|_| LaunchError::Answer(one_line(line)))?;
        tasks.push(Task { id: place.to_string(), state: TaskState::Running });
    }
    Ok(tasks)
}

pub(super) fn cancellation(pilot: &Pilot, tasks: &[Task]) -> Vec<Call> {
    let ended: BTreeSet<&str> = tasks.iter().map(|task| task.id.as_str()).collect();
    let Ok(places) = places(pilot) else { return Vec::new() };
    let mut calls = Vec::new();
    for (host, places) in places {
        let places: Vec<String> = places.iter().map(ToString::to_string).collect();
        let places = places.iter().filter(|place| ended.contains(place.as_str()));
        let stops: String = places.map(|place| if_alive(place, "kill -TERM \"$pid\"")).collect();
        if !stops.is_empty() {
            let script = format!("folder={}\n{stops}exit 0\n", folder(pilot));
            calls.push(to_host(pilot, host, script));
        }
    }
    calls
}
