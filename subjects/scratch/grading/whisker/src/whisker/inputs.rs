//! Inputs of a suite: their devices, and the steps in which they are performed and undone.

use catherd_scratch_vm::{TargetId, Vm};

use super::target_key::TargetKey;

/// Maximum number of bytes of the strings of pending inputs.
const MAX_TEXT_BYTES: usize = 1 << 20;

#[derive(Clone, Debug)]
pub(crate) struct Input {
    pub(crate) device: Device,
    pub(crate) down: Down,
    /// Number of steps after which the input is undone; `None` if it is never undone.
    pub(crate) steps: Option<f64>,
}

#[derive(Clone, Debug)]
pub(crate) enum Device {
    /// The mouse. Coordinates that are not given do not change; a sprite overrides both; offsets
    /// are added.
    Mouse { x: Option<f64>, y: Option<f64>, sprite: Option<TargetKey>, offset: (f64, f64) },
    /// The name of a key in the key menu or in the browser.
    Keyboard(String),
    /// An answer.
    Text(String),
    /// A drag of the sprite with this name.
    Drag { sprite: String, x: f64, y: f64 },
    /// Loudness.
    Microphone(f64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Down {
    /// No value is given. Undoing such an input presses the button or key, as in the original.
    Absent,
    No,
    Yes,
    Toggle,
}

impl Down {
    fn pressed(self, now: bool) -> Option<bool> {
        match self {
            Down::Absent => None,
            Down::No => Some(false),
            Down::Yes => Some(true),
            Down::Toggle => Some(!now),
        }
    }
}

/// The name of a key in the key menu, given either this name or the name of the key in the browser.
pub(crate) fn key_name(name: &str) -> &str {
    match name {
        "Left" | "ArrowLeft" => "left arrow",
        "Right" | "ArrowRight" => "right arrow",
        "Up" | "ArrowUp" => "up arrow",
        "Down" | "ArrowDown" => "down arrow",
        "Enter" => "enter",
        other => other,
    }
}

impl Input {
    fn text_bytes(&self) -> usize {
        match &self.device {
            Device::Keyboard(text) | Device::Text(text) | Device::Drag { sprite: text, .. } => {
                text.len()
            }
            Device::Mouse { .. } | Device::Microphone(_) => 0,
        }
    }

    /// Returns the dragged target, if any, with its former position.
    pub(crate) fn perform(
        &self,
        vm: &mut Vm<()>,
        original: impl Fn(&str) -> Option<u32>,
    ) -> Option<(TargetId, (f64, f64))> {
        match &self.device {
            Device::Mouse { .. } => {
                self.point(vm);
                if let Some(down) = self.down.pressed(vm.mouse_down()) {
                    vm.mouse_button(down);
                }
            }
            Device::Keyboard(key) => {
                let down = self.down.pressed(vm.is_key_down(key_name(key)));
                if let Some(down) = down {
                    vm.key(key_name(key), down);
                }
            }
            Device::Text(answer) => vm.answer(answer),
            Device::Drag { sprite, x, y } => {
                let target = TargetId(original(sprite)?);
                let from = vm.target(target).map(|view| (view.x, view.y))?;
                vm.drag(target, *x, *y);
                return Some((target, from));
            }
            Device::Microphone(volume) => vm.set_loudness(Some(*volume)),
        }
        None
    }

    fn undo(&self, vm: &mut Vm<()>) {
        match &self.device {
            Device::Mouse { .. } => {
                self.point(vm);
                let down = self.undone(vm.mouse_down());
                vm.mouse_button(down);
            }
            Device::Keyboard(key) => {
                let down = self.undone(vm.is_key_down(key_name(key)));
                vm.key(key_name(key), down);
            }
            Device::Text(answer) => vm.answer(answer),
            Device::Drag { .. } => {}
            Device::Microphone(_) => vm.set_loudness(None),
        }
    }

    fn undone(&self, now: bool) -> bool {
        match self.down {
            Down::Absent | Down::No => true,
            Down::Yes => false,
            Down::Toggle => !now,
        }
    }

    fn point(&self, vm: &mut Vm<()>) {
        let Device::Mouse { x, y, sprite, offset } = &self.device else { return };
        let place = sprite.and_then(|key| vm.target(key.target()).map(|view| (view.x, view.y)));
        if x.is_none() && y.is_none() && place.is_none() && *offset == (0.0, 0.0) {
            return;
        }
        let now = vm.mouse();
        let (x, y) = place.unwrap_or((x.unwrap_or(now.0), y.unwrap_or(now.1)));
        vm.mouse_move(x + offset.0, y + offset.1);
    }
}

struct Pending {
    number: u64,
    input: Input,
    /// Step of the run in which the input is performed.
    at: f64,
    performed: bool,
}

#[derive(Default)]
pub(crate) struct Inputs {
    pending: Vec<Pending>,
    text_bytes: usize,
    last: u64,
}

/// Error for an input that is not added because the strings of pending inputs are too long.
pub(crate) struct Full;

impl Full {
    pub(crate) const MESSAGE: &str = "the strings of all inputs that have not ended are too long";
}

impl Inputs {
    pub(crate) fn clear(&mut self) {
        self.pending.clear();
        self.text_bytes = 0;
    }

    /// Adds an input for a step of the run, unless the input was performed and is never undone.
    /// Returns the number of the input.
    pub(crate) fn add(&mut self, input: Input, at: f64, performed: bool) -> Result<u64, Full> {
        self.last += 1;
        if !performed || input.steps.is_some() {
            let text_bytes = self.text_bytes + input.text_bytes();
            if text_bytes > MAX_TEXT_BYTES {
                return Err(Full);
            }
            self.text_bytes = text_bytes;
            self.pending.push(Pending { number: self.last, input, at, performed });
        }
        Ok(self.last)
    }

    fn count_text(&mut self) {
        self.text_bytes = self.pending.iter().map(|pending| pending.input.text_bytes()).sum();
    }

    /// Removes an input without undoing it.
    pub(crate) fn remove(&mut self, number: u64) -> bool {
        let before = self.pending.len();
        self.pending.retain(|pending| pending.number != number);
        self.count_text();
        self.pending.len() < before
    }

    pub(crate) fn is_active(&self, number: u64) -> bool {
        self.pending.iter().any(|pending| pending.number == number)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    /// Returns the targets that were dragged, with their former positions.
    pub(crate) fn advance(
        &mut self,
        step: f64,
        vm: &mut Vm<()>,
        original: impl Fn(&str) -> Option<u32>,
    ) -> Vec<(TargetId, (f64, f64))> {
        let mut dragged = Vec::new();
        self.pending.retain_mut(|pending| {
            if !pending.performed && step >= pending.at {
                pending.performed = true;
                dragged.extend(pending.input.perform(vm, &original));
                if pending.input.steps.is_none() {
                    return false;
                }
            }
            let over = pending.performed
                && pending.input.steps.is_some_and(|steps| step >= pending.at + steps);
            if over {
                pending.input.undo(vm);
            }
            !over
        });
        self.count_text();
        dragged
    }

    /// Makes the steps of all inputs relative to the next run, at the end of a run of `steps`
    /// steps.
    pub(crate) fn age(&mut self, steps: f64) {
        for pending in &mut self.pending {
            pending.at -= steps;
        }
    }
}
