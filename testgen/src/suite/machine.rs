//! The machine's settings as suites write them.

use serde::{Deserialize, Serialize};

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
