//! Interaction with a program by sending events to the VM.

use catherd_scratch_vm::{TargetId, Tracer, Vm};

use super::{Event, KeyNo, Vocabulary};

/// State of the interaction between a test and a program: input devices to be released, and
/// whether the program has ended or hung.
#[derive(Clone, Copy, Debug, Default)]
pub struct Interaction {
    /// Whether the mouse button is down because of a click on a clone. The button is released
    /// before the next event or pause.
    button: bool,
    sound: bool,
    /// Whether some thread was alive in the last step.
    busy: bool,
    ended: bool,
    /// Number of successive overloaded steps, up to [`MAX_OVERLOADED`].
    overloaded: u32,
}

/// Number of successive overloaded steps after which a program counts as hung: one second.
const MAX_OVERLOADED: u32 = 30;

impl Interaction {
    /// Whether the program had threads and then, after some step, none. Threads that start later
    /// run, but the program still counts as ended.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Whether the program has hung: for a second, every step executed as many blocks as a script
    /// may execute in a step, as an endless loop without screen refresh does. If so, no further
    /// step runs.
    pub fn is_hung(&self) -> bool {
        self.overloaded == MAX_OVERLOADED
    }

    /// Sends an event, runs its steps, and then runs one more step. If the event's object does not
    /// exist, nothing is sent, but the steps run.
    pub fn send<T: Tracer>(&mut self, event: Event, vm: &mut Vm<T>, words: &Vocabulary) {
        self.send_watched(event, vm, words, &mut |_| {});
    }

    /// Like [`send`](Interaction::send), but calls a function after each step.
    pub(crate) fn send_watched<T: Tracer>(
        &mut self,
        event: Event,
        vm: &mut Vm<T>,
        words: &Vocabulary,
        each: &mut impl FnMut(&Vm<T>),
    ) {
        self.begin(event, vm, words);
        self.run_watched(event.held(), vm, each);
        self.finish(event, vm, words);
        self.run_watched(1, vm, each);
    }

    /// Begins an event. The caller runs [`Event::held`] steps, ends the event with
    /// [`finish`](Interaction::finish), and runs one more step.
    pub fn begin<T: Tracer>(&mut self, event: Event, vm: &mut Vm<T>, words: &Vocabulary) {
        self.release(vm);
        match event {
            Event::KeyPress { key, .. } => vm.key(pressed(words, key), true),
            Event::ClickSprite { sprite } => click(vm, sprite),
            Event::ClickStage => click(vm, words.stage()),
            Event::ClickClone { sprite, instance, x, y } => {
                if let Some((x, y)) = place_of_click(vm, sprite, instance, (x, y)) {
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
                    vm.set_loudness(Some(volume));
                    self.sound = true;
                }
            }
            Event::Wait { .. } => {}
        }
    }

    /// Ends an event after its steps.
    pub fn finish<T: Tracer>(&mut self, event: Event, vm: &mut Vm<T>, words: &Vocabulary) {
        if let Event::KeyPress { key, .. } = event {
            vm.key(pressed(words, key), false);
        }
    }

    /// Runs one step instead of an event.
    pub fn pause<T: Tracer>(&mut self, vm: &mut Vm<T>) {
        self.pause_watched(vm, &mut |_| {});
    }

    /// Like [`pause`](Interaction::pause), but calls a function after the step.
    pub(crate) fn pause_watched<T: Tracer>(
        &mut self,
        vm: &mut Vm<T>,
        each: &mut impl FnMut(&Vm<T>),
    ) {
        self.release(vm);
        self.run_watched(1, vm, each);
    }

    /// Runs steps without sending an event.
    pub fn run<T: Tracer>(&mut self, steps: u32, vm: &mut Vm<T>) {
        self.run_watched(steps, vm, &mut |_| {});
    }

    fn run_watched<T: Tracer>(
        &mut self,
        steps: u32,
        vm: &mut Vm<T>,
        each: &mut impl FnMut(&Vm<T>),
    ) {
        for _ in 0..steps {
            if self.is_hung() {
                break;
            }
            vm.step();
            each(vm);
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
            vm.set_loudness(None);
        }
    }
}

/// Moves the mouse to the centre of the stage, where the mouse of Whisker is at the start of every
/// test.
pub fn center_mouse<T: Tracer>(vm: &mut Vm<T>) {
    vm.mouse_move(0.0, 0.0);
}

/// The key to press: `space` for `any`, which is an entry of key menus but not a key.
fn pressed(words: &Vocabulary, key: KeyNo) -> &str {
    match words.key(key) {
        "any" => "space",
        key => key,
    }
}

fn click<T: Tracer>(vm: &mut Vm<T>, target: u16) {
    let original = instances(vm, target).next();
    if let Some(id) = original {
        vm.click(id);
    }
}

/// The original of a sprite and its clones, in order of creation.
fn instances<T: Tracer>(vm: &Vm<T>, sprite: u16) -> impl Iterator<Item = TargetId> + '_ {
    vm.targets()
        .filter(move |&id| vm.target(id).is_some_and(|target| target.sprite == usize::from(sprite)))
}

/// The position of a click: for an original, the given position, if a sprite or clone is exactly
/// there; for a clone, the current position of the clone.
fn place_of_click<T: Tracer>(
    vm: &Vm<T>,
    sprite: u16,
    instance: u32,
    (x, y): (f64, f64),
) -> Option<(f64, f64)> {
    if instance == 0 {
        return vm.targets().any(|id| stands_at(vm, id, x, y)).then_some((x, y));
    }
    let view = vm.target(instances(vm, sprite).nth(instance as usize)?)?;
    let finite = view.x.is_finite() && view.y.is_finite();
    finite.then_some((view.x, view.y))
}

fn stands_at<T: Tracer>(vm: &Vm<T>, id: TargetId, x: f64, y: f64) -> bool {
    vm.target(id).is_some_and(|target| !target.is_stage && target.x == x && target.y == y)
}
