//! Sending events to the machine.

use catherd_vm::{TargetId, Tracer, Vm};

use super::{Event, Vocabulary};

/// A program under a test: the input devices as the events so far have left them, and
/// whether the program has ended.
#[derive(Clone, Copy, Debug, Default)]
pub struct Interaction {
    /// Clicks on clones and sounds are released not at once but before the step after the
    /// wait that follows them.
    button: bool,
    sound: bool,
    /// Some thread was alive in the last step.
    busy: bool,
    ended: bool,
    /// Overloaded steps in a row, up to [`PATIENCE`].
    overloaded: u32,
}

/// Overloaded steps in a row after which a program counts as hung: a second.
const PATIENCE: u32 = 30;

impl Interaction {
    /// Whether the program had threads and then, after some step, none. Threads that
    /// start later run, but do not make it a running program again.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Whether the program has hung: for a second, every step took all the blocks that a
    /// script may execute in one, as an endless loop without screen refresh does. No step
    /// runs any more.
    pub fn is_stuck(&self) -> bool {
        self.overloaded == PATIENCE
    }

    /// Sends an event, runs its steps and then one more. Objects that do not exist (any
    /// more) make the event do nothing; its steps run all the same.
    pub fn send<T: Tracer>(&mut self, event: Event, vm: &mut Vm<T>, words: &Vocabulary) {
        self.release(vm);
        match event {
            Event::KeyPress { key, steps } => {
                // `any` is a choice of hats and sensors, not a key that can be pressed.
                let key = match words.key(key) {
                    "any" => "space",
                    key => key,
                };
                vm.key(key, true);
                self.run(steps, vm);
                vm.key(key, false);
            }
            Event::ClickSprite { sprite } => click(vm, sprite),
            Event::ClickStage => click(vm, words.stage()),
            Event::ClickClone { x, y, .. } => {
                if vm.targets().any(|id| stands_at(vm, id, x, y)) {
                    vm.mouse_move(x, y);
                    vm.mouse_button(true);
                    self.button = true;
                }
            }
            Event::TypeText { text } => vm.answer(words.text(text)),
            Event::TypeNumber { number } => vm.answer(&number.to_string()),
            Event::MouseDown { down } => vm.mouse_button(down),
            Event::MouseMove { x, y } | Event::MouseMoveTo { x, y } => {
                vm.mouse_move(x.trunc().clamp(-240.0, 240.0), y.trunc().clamp(-180.0, 180.0));
            }
            Event::DragSprite { sprite, instance, x, y } => {
                let dragged = instances(vm, sprite).nth(instance as usize);
                if let Some(id) = dragged {
                    vm.drag(id, x, y);
                }
            }
            Event::Sound { volume } => {
                let volume = volume.clamp(0.0, 100.0);
                if volume > 0.0 {
                    vm.sound(Some(volume));
                    self.sound = true;
                }
            }
            Event::Wait { steps } => self.run(steps, vm),
        }
        self.run(1, vm);
    }

    /// Runs steps without sending anything.
    pub fn run<T: Tracer>(&mut self, steps: u32, vm: &mut Vm<T>) {
        for _ in 0..steps {
            if self.is_stuck() {
                break;
            }
            vm.step();
            self.overloaded = if vm.is_overloaded() { self.overloaded + 1 } else { 0 };
            let busy = vm.is_running();
            self.ended |= self.busy && !busy;
            self.busy = busy;
        }
    }

    fn release<T: Tracer>(&mut self, vm: &mut Vm<T>) {
        if std::mem::take(&mut self.button) {
            vm.mouse_button(false);
        }
        if std::mem::take(&mut self.sound) {
            vm.sound(None);
        }
    }
}

fn click<T: Tracer>(vm: &mut Vm<T>, target: u16) {
    let original = instances(vm, target).next();
    if let Some(id) = original {
        vm.click(id);
    }
}

/// The original and its clones, in order of creation.
fn instances<T: Tracer>(vm: &Vm<T>, sprite: u16) -> impl Iterator<Item = TargetId> + '_ {
    vm.targets()
        .filter(move |&id| vm.target(id).is_some_and(|target| target.sprite == usize::from(sprite)))
}

fn stands_at<T: Tracer>(vm: &Vm<T>, id: TargetId, x: f64, y: f64) -> bool {
    vm.target(id).is_some_and(|target| !target.is_stage && target.x == x && target.y == y)
}
