//! The machine's settings as suites write them.

use catherd_vm::Settings;
use serde::{Deserialize, Serialize};

use super::SuiteError;

/// Mirrors [`catherd_vm::Settings`], whose fields say what they mean. Settings that a suite
/// leaves out have their defaults.
#[derive(Serialize, Deserialize)]
#[serde(remote = "catherd_vm::Settings", default = "catherd_vm::Settings::default")]
#[serde(deny_unknown_fields)]
pub(super) struct Machine {
    timer_increment: f64,
    batches: u32,
    one_timer: bool,
    warp_budget: u32,
    step_budget: u64,
    patience: u32,
    stack_limit: usize,
    text_limit: usize,
    speech_rate: Option<f64>,
    days_since_2000: f64,
    distances_touch_hulls: bool,
}

/// So many times the default may a suite raise what bounds a step. Files come from strangers, and
/// nothing else ends a step of a program that loops for ever.
const RAISE: u64 = 16;

/// Are the bounds of the machine's steps such that steps end?
///
/// # Errors
/// The first that is not.
pub(super) fn check(machine: &Settings) -> Result<(), SuiteError> {
    let default = Settings::default();
    let bounds = [
        ("batches", u64::from(machine.batches), 100),
        ("warp_budget", u64::from(machine.warp_budget), u64::from(default.warp_budget)),
        ("step_budget", machine.step_budget, default.step_budget),
        ("patience", u64::from(machine.patience), u64::from(default.patience)),
        ("stack_limit", machine.stack_limit as u64, default.stack_limit as u64),
        ("text_limit", machine.text_limit as u64, default.text_limit as u64),
    ];
    match bounds.into_iter().find(|&(_, found, default)| found > RAISE * default) {
        Some((setting, found, default)) => {
            Err(SuiteError::Machine { setting, found, most: RAISE * default })
        }
        None => Ok(()),
    }
}
