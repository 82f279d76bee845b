//! Executes the commands of managers, and stores the state of a launch in its folder.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use catherd_cli_console::Failure;
use catherd_deploy_launch::{Call, Engine, Pilot, Task};
use serde::{Deserialize, Serialize};

use super::{unusable, worded};

const FILE: &str = "launch.json";

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct State {
    pub(crate) engine: Engine,
    /// Name that all tasks share.
    pub(crate) tag: String,
    /// Number of the next task, counted from 1.
    pub(crate) next: u32,
    /// Hosts that are reached over SSH.
    #[serde(default)]
    pub(crate) hosts: Vec<String>,
    /// Options of the command that submits tasks.
    #[serde(default)]
    pub(crate) submit_options: Vec<String>,
    /// Core-seconds that `catherd coordinator --allocate` has allocated.
    #[serde(default)]
    pub(crate) spent: f64,
}

impl State {
    pub(crate) fn of_launch(dir: &Path, engine: Engine) -> Result<State, Failure> {
        if dir.join(FILE).exists() {
            let state = State::read(dir)?;
            if state.engine != engine {
                let former = state.engine;
                return Err(Failure::new(format_args!(
                    "{}: already the folder of a launch on {former}",
                    dir.display()
                ))
                .hint("name another folder with --dir"));
            }
            return Ok(state);
        }
        let mut bytes = [0; 4];
        getrandom::fill(&mut bytes)
            .map_err(|cause| Failure::new(format_args!("no random numbers: {cause}")))?;
        let tag = format!("catherd-{}", hex::encode(bytes));
        let (hosts, submit_options) = (Vec::new(), Vec::new());
        Ok(State { engine, tag, next: 1, hosts, submit_options, spent: 0.0 })
    }

    pub(crate) fn read(dir: &Path) -> Result<State, Failure> {
        let file = dir.join(FILE);
        let hint = "name the folder of `catherd launch` (--dir), such as catherd-slurm";
        let text = fs::read_to_string(&file).map_err(|cause| {
            Failure::new(format_args!("no launch in {}: {cause}", dir.display())).hint(hint)
        })?;
        serde_json::from_str(&text)
            .map_err(|cause| Failure::new(format_args!("{}: {cause}", file.display())).hint(hint))
    }

    /// Writes the state atomically: a reader finds either the old or the new state.
    pub(crate) fn write(&self, dir: &Path) -> Result<(), Failure> {
        let (file, partial) = (dir.join(FILE), dir.join(format!("{FILE}.partial")));
        let written = serde_json::to_string_pretty(self)
            .map_err(std::io::Error::from)
            .and_then(|text| fs::write(&partial, text + "\n"))
            .and_then(|()| fs::rename(&partial, &file));
        written.map_err(|cause| unusable(&file, &cause))
    }

    pub(crate) fn pilot(self, dir: &Path) -> Result<(Engine, Pilot), Failure> {
        let dir = dir.canonicalize().map_err(|cause| unusable(dir, &cause))?;
        let State { engine, tag, hosts, submit_options, .. } = self;
        Ok((engine, Pilot { dir, tag, hosts, submit_options, ..Pilot::default() }))
    }
}

pub(crate) fn execute(call: &Call) -> Result<String, Failure> {
    let Call { program, arguments, input } = call;
    let cannot_start = |cause: std::io::Error| {
        Failure::new(format_args!("cannot start {program}: {cause}"))
            .hint("run this where the manager's commands are installed, or use --dry-run")
    };
    let mut command = Command::new(program);
    let stdin = if input.is_some() { Stdio::piped() } else { Stdio::null() };
    command.args(arguments).stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(cannot_start)?;
    let pipe = child.stdin.take();
    let output = std::thread::scope(|scope| {
        scope.spawn(move || {
            if let (Some(mut pipe), Some(input)) = (pipe, input) {
                // Ignore the error: if the command fails before it reads its input, the failure is
                // reported below.
                let _ = pipe.write_all(input.as_bytes());
            }
        });
        child.wait_with_output()
    });
    let output = output.map_err(|cause| {
        Failure::new(format_args!("cannot read the output of {program}: {cause}"))
    })?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        let shown = arguments.join(" ");
        return Err(Failure::new(format_args!("{program} {shown} failed: {}", message.trim()))
            .hint("correct the options, or those after --"));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Executes all calls, even if some of them fail, and returns the first failure.
pub(crate) fn execute_all(calls: &[Call]) -> Result<(), Failure> {
    let results: Vec<_> = calls.iter().map(execute).collect();
    results.into_iter().try_for_each(|result| result.map(drop))
}

pub(crate) fn listed(engine: Engine, pilot: &Pilot) -> Result<Vec<Task>, Failure> {
    let mut tasks = Vec::new();
    for call in engine.listing(pilot) {
        let answer = execute(&call)?;
        tasks.extend(engine.read_listing(&pilot.tag, &answer).map_err(worded)?);
    }
    tasks.sort_unstable();
    Ok(tasks)
}

/// Without an answer, the default remains.
pub(crate) fn read_array_limit(engine: Engine, pilot: &mut Pilot) {
    let Some(call) = engine.array_limit() else { return };
    let answer = execute(&call).ok();
    if let Some(limit) = answer.and_then(|answer| engine.read_array_limit(&answer)) {
        pilot.max_array_size = limit;
    }
}
