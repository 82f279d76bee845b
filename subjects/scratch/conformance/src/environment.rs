//! Facts about a recording that the recording does not contain, such as the initial state of
//! keyboard and mouse.

use std::collections::BTreeSet;
use std::fmt;

use catherd_scratch_vm::{Tracer, Vm};
use serde::Serialize;

use crate::trace::{InputEvent, Trace};

pub(crate) const DAY_MS: f64 = 86_400_000.0;

/// Assumptions of a replay about its recording.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Environment {
    /// State of keyboard and mouse at the beginning of the recording.
    pub devices: Devices,
    /// Time of the green flag on the recorder's clock, in milliseconds since the beginning of the
    /// year 2000; `None` for the VM's clock.
    pub flag: Option<f64>,
    /// Reading of the recorder's clock at the end of the replay, in milliseconds since the flag;
    /// `None` for the VM's clock.
    pub elapsed: Option<f64>,
    /// Whether the recorder made today's Scratch execute one batch per step and advance the timer
    /// by 0.075 s.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub one_batch: bool,
    /// Steps in which keys that are held start hats of Makey Makey again. The original repeats held
    /// keys at real-time intervals.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub makey_steps: Vec<u64>,
}

impl Environment {
    /// Whether this is the default environment.
    pub fn is_default(&self) -> bool {
        *self == Environment::default()
    }
}

impl fmt::Display for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.devices == Devices::default() {
            write!(f, "untouched devices")?;
        } else {
            write!(f, "{}", self.devices)?;
        }
        if let (Some(flag), Some(elapsed)) = (self.flag, self.elapsed) {
            let days = flag / DAY_MS;
            write!(f, ", a clock that showed {days:.6} days since 2000 at the flag")?;
            write!(f, " and {:.3} s more at the end", elapsed / 1000.0)?;
        }
        if self.one_batch {
            write!(f, ", one batch per step and a timer that advances by 0.075 s")?;
        }
        if !self.makey_steps.is_empty() {
            let steps: Vec<_> = self.makey_steps.iter().map(u64::to_string).collect();
            write!(f, ", steps in which Makey Makey hats started again: {}", steps.join(", "))?;
        }
        Ok(())
    }
}

/// State of the recorder's keyboard and mouse when a recording began.
///
/// The recorder kept this state from one recording to the next.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Devices {
    keys: BTreeSet<String>,
    mouse: Option<(f64, f64)>,
    down: bool,
}

impl fmt::Display for Devices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.mouse {
            Some((x, y)) => write!(f, "mouse at ({x}, {y})")?,
            None => write!(f, "mouse without a position")?,
        }
        if self.down {
            write!(f, ", its button down")?;
        }
        self.keys.iter().try_for_each(|key| write!(f, ", key `{key}` down"))
    }
}

impl Devices {
    /// The state after the inputs of a trace.
    #[must_use]
    pub fn after(mut self, trace: &Trace) -> Devices {
        for event in trace.inputs.iter().flat_map(|i| &i.events) {
            match event {
                InputEvent::Key { key, down: true } => _ = self.keys.insert(key.clone()),
                InputEvent::Key { key, down: false } => _ = self.keys.remove(key),
                InputEvent::Mouse { x, y } => self.mouse = Some((*x, *y)),
                InputEvent::Button { down } => self.down = *down,
                InputEvent::Answer { .. } | InputEvent::Sound { .. } => {}
            }
        }
        self
    }

    pub(crate) fn apply_to<T: Tracer>(&self, vm: &mut Vm<T>) {
        for key in &self.keys {
            vm.key(key, true);
        }
        if let Some((x, y)) = self.mouse {
            vm.mouse_move(x, y);
        }
        if self.down {
            vm.mouse_button(true);
        }
    }
}
