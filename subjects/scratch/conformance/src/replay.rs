//! Replay of a recorded run up to the first difference.

use std::sync::Arc;

use catherd_scratch_sb3::{Opcode, Project};
use catherd_scratch_vm::{Compat, Program};
use serde::Serialize;

use crate::comparison::Divergence;
use crate::environment::{Devices, Environment};
use crate::limits::LimitHit;
use crate::recorder_clock::{InferredClock, flag_times};
use crate::replayer::Replayer;
use crate::trace::Trace;

/// Result of a replay.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Replay {
    /// The first difference; `None` if all states agree.
    pub divergence: Option<Divergence>,
    /// Statement blocks that only the recording covered, as `SPRITE: OPCODE (ID)`; empty if the
    /// states differ.
    pub missed: Vec<String>,
    /// Statement blocks that only the replay covered; empty if the states differ.
    pub extra: Vec<String>,
    /// Assumptions of the replay about facts that the recording does not contain.
    pub environment: Environment,
    /// Limits of the VM that the replay hit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<LimitHit>,
}

impl Replay {
    /// Whether all states and the covered statement blocks agree.
    pub fn is_identical(&self) -> bool {
        self.divergence.is_none() && self.missed.is_empty() && self.extra.is_empty()
    }
}

/// Replays a trace in a given environment up to the first difference.
pub fn replay(
    trace: &Trace,
    project: &Project,
    program: &Arc<Program>,
    environment: &Environment,
) -> Replay {
    let mut replayer = Replayer::new(trace, project, program, environment);
    let mut result = Replay { environment: environment.clone(), ..Replay::default() };
    let mut clock = environment.flag.map(|_| InferredClock::default());
    result.divergence = replayer.compare();
    while result.divergence.is_none() && !replayer.is_at_end() {
        result.divergence = match &mut clock {
            None => replayer.advance(),
            Some(clock) => clock.advance(&mut replayer),
        };
    }
    result.environment.elapsed = clock.map(|clock| clock.elapsed());
    result.limits = replayer.limit_hits();
    if result.divergence.is_none() {
        let difference = replayer.compare_coverage();
        (result.missed, result.extra) = (difference.missed, difference.extra);
    }
    result
}

/// Replays a trace in several environments and returns the replay that agrees for the most steps.
pub fn replay_best(
    trace: &Trace,
    project: &Project,
    program: &Arc<Program>,
    devices: &[Devices],
) -> Replay {
    let own = replay_under(false, trace, project, program, devices);
    if program.compat() == Compat::Of2022 || own.is_identical() {
        return own;
    }
    let slowed = replay_under(true, trace, project, program, devices);
    if length(&slowed) > length(&own) { slowed } else { own }
}

fn length(replay: &Replay) -> u64 {
    replay.divergence.as_ref().map_or(u64::MAX, |divergence| divergence.step)
}

fn has_makey_hats(project: &Project) -> bool {
    let mut blocks = project.targets.iter().flat_map(|target| &target.blocks);
    blocks.any(|block| block.opcode == Opcode::MakeyMakeyWhenMakeyKeyPressed)
}

fn replay_under(
    one_batch: bool,
    trace: &Trace,
    project: &Project,
    program: &Arc<Program>,
    devices: &[Devices],
) -> Replay {
    let assumed = Environment { one_batch, ..Environment::default() };
    let mut best = replay(trace, project, program, &assumed);
    let attempt = |environment: &Environment, best: &mut Replay| {
        let other = replay(trace, project, program, environment);
        if length(&other) > length(best) {
            *best = other;
        }
    };
    for devices in devices {
        if best.divergence.is_none() {
            return best;
        }
        attempt(&Environment { devices: devices.clone(), ..assumed.clone() }, &mut best);
    }
    if let Some(divergence) = &best.divergence {
        let devices = best.environment.devices.clone();
        for flag in flag_times(trace, project, divergence.step) {
            let environment =
                Environment { devices: devices.clone(), flag: Some(flag), ..assumed.clone() };
            attempt(&environment, &mut best);
            if best.divergence.is_none() {
                break;
            }
        }
    }
    if has_makey_hats(project) {
        // Assume that a key of Makey Makey was repeated in the step of the first difference.
        while let Some(divergence) = &best.divergence {
            let mut environment = best.environment.clone();
            environment.makey_steps.push(divergence.step);
            let before = length(&best);
            attempt(&environment, &mut best);
            if length(&best) == before {
                break;
            }
        }
    }
    best
}
