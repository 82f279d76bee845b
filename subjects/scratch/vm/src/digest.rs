//! Digests of states, for comparing states without comparing their contents.

use catherd_scratch_render::{DrawableId, Fingerprint};

use crate::code::{NONE, Op};
use crate::keys::Key;
use crate::program::Program;
use crate::settings::Pace;
use crate::state::{Mouse, State};
use crate::target::{NO_THREAD, Target, TargetId};
use crate::text::Text;
use crate::thread::{Status, Thread};
use crate::tracer::Tracer;
use crate::value::Value;
use crate::vm::Vm;

/// The parts of a state on which its [digest](Vm::state_digest) depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DigestScope {
    /// Everything that determines the further execution of the VM.
    Future,
    /// Like [`DigestScope::Future`], but without elapsed time, pending promises and the remaining
    /// fuel.
    Untimed,
    /// Like [`DigestScope::Untimed`], but also without the stream of random numbers.
    Timeless,
}

impl<T: Tracer> Vm<T> {
    /// A digest of the state between two steps, the same on every computer and in every process.
    ///
    /// Two VMs with the same program, the same settings and equal digests of
    /// [`DigestScope::Future`] continue in the same way if their callers do the same, except with a
    /// probability of about 2^-100. Different digests do not imply that the VMs continue
    /// differently.
    pub fn state_digest(&self, scope: DigestScope) -> u128 {
        let pace = &self.settings.pace;
        let print = Context::new(&self.program, &self.state, scope, pace).state();
        print.bits()
    }
}

/// A state, with positions that identify its parts independently of ids and slots.
struct Context<'a> {
    program: &'a Program,
    state: &'a State,
    scope: DigestScope,
    pace: &'a Pace,
    /// For each target id, the position of the target in [`State::live_targets`].
    targets: Vec<u32>,
    /// For each slot, the position of its thread in [`State::thread_list`], or [`NO_THREAD`].
    threads: Vec<u32>,
}

impl<'a> Context<'a> {
    fn new(program: &'a Program, state: &'a State, scope: DigestScope, pace: &'a Pace) -> Self {
        let mut targets = vec![u32::MAX; state.targets.len()];
        for (place, live) in (0..).zip(&state.live_targets) {
            targets[live.id.0 as usize] = place;
        }
        let mut threads = vec![NO_THREAD; state.threads.len()];
        for (place, &slot) in (0..).zip(&state.thread_list) {
            threads[slot as usize] = place;
        }
        Self { program, state, scope, pace, targets, threads }
    }

    fn has_time(&self) -> bool {
        self.scope == DigestScope::Future
    }

    fn state(&self) -> Fingerprint {
        let state = self.state;
        let counts = (state.live_targets.len() as u64, state.thread_list.len() as u64);
        let mut print = state.scene.fingerprint().with(counts.0, counts.1);
        for live in &state.live_targets {
            print = print.and(self.target(&state.targets[live.id.0 as usize]));
        }
        for &id in &state.execution_order {
            print = print.with(self.place(id), 0);
        }
        for &slot in &state.thread_list {
            print = print.and(self.thread(&state.threads[slot as usize]));
        }
        for question in &state.questions {
            let flags = self.thread_place(question.thread) << 1 | u64::from(question.bubble);
            print = text(print, &question.text).with(flags, self.place(question.target));
        }
        for shown in state.monitors.chunks(64) {
            print = print.with(bits(shown), 1);
        }
        let mut keys = state.keys.clone();
        keys.sort_unstable();
        for key in keys {
            print = print.with(key_number(key), 2);
        }
        print = text(print, &state.answer)
            .numbers(&[state.counter, state.tempo, optional(state.loudness)])
            .and(mouse(&state.mouse))
            .with(state.active_threads as u64, u64::from(state.step_overruns))
            .with(u64::from(state.overloaded), 3);
        if self.has_time() {
            print = print.numbers(&[state.timer, state.clock, state.clock_start]);
        }
        if self.scope != DigestScope::Timeless {
            print = state.random.fingerprint(print);
        }
        if self.has_time() {
            if let Some(promises) = &state.promises {
                let (thread, target) = (|it| self.thread_place(it), |it| self.place(it));
                print = print.numbers(&promises.numbers(self.pace.sound_step_ms, thread, target));
            }
            // Unlimited fuel also decreases, but has no effect.
            if state.fuel < u64::MAX / 2 {
                print = print.with(state.fuel, 4);
            }
        }
        print
    }

    fn place(&self, target: TargetId) -> u64 {
        self.targets.get(target.0 as usize).map_or(u64::MAX, |place| u64::from(*place))
    }

    fn thread_place(&self, (slot, serial): (u32, u64)) -> u64 {
        let thread = &self.state.threads[slot as usize];
        let place = self.threads[slot as usize];
        if thread.serial == serial { u64::from(place) } else { u64::from(NO_THREAD) }
    }

    fn drawable(&self, print: Fingerprint, id: DrawableId) -> Fingerprint {
        print.and(self.state.scene.drawable_fingerprint(id))
    }

    fn target(&self, target: &Target) -> Fingerprint {
        let flags = [target.original, target.visible, target.draggable, target.bubble.on_right];
        let (pen, style) = (&target.pen, target.rotation_style as u64);
        let mut print = Fingerprint::of(u64::from(target.sprite))
            .with(bits(&flags), style)
            .with(target.costume as u64, u64::from(pen.down))
            .numbers(&[target.x, target.y, target.direction, target.size, target.volume])
            .numbers(&target.effects)
            .numbers(&target.sound_effects)
            .numbers(&[pen.color, pen.saturation, pen.brightness, pen.transparency])
            .numbers(&[pen.shade, pen.diameter])
            .numbers(&pen.rgba);
        print = self.drawable(print, target.drawable);
        if let Some(words) = &target.bubble.text {
            print = text(print, words);
        }
        if let Some(id) = target.bubble.drawable {
            print = self.drawable(print, id);
        }
        print = target.variables.iter().fold(print, value);
        for list in &target.lists {
            print = print.with(list.items.len() as u64, u64::from(list.exists));
            print = list.items.iter().fold(print, value);
        }
        for edge in &target.edges {
            print = print.with(edge.map_or(2, u64::from), 0);
        }
        for &slot in &target.running {
            let place = self.threads.get(slot as usize).unwrap_or(&NO_THREAD);
            print = print.with(u64::from(*place), 1);
        }
        print
    }

    fn thread(&self, thread: &Thread) -> Fingerprint {
        let status = match thread.status {
            Status::Running => 0,
            Status::Yield => 1,
            Status::YieldTick => 2,
            Status::Promise { resolved: false } => 3,
            Status::Promise { resolved: true } => 4,
            Status::Done => 5,
        };
        let flags = bits(&[thread.translated, thread.listed]);
        let mut print = Fingerprint::of(self.place(thread.target))
            .with(u64::from(thread.hat), u64::from(thread.script))
            .with(status << 8 | flags, u64::from(thread.overruns));
        for frame in &thread.stack {
            let flags = bits(&[frame.is_loop, frame.warp, frame.in_progress]);
            print = print
                .with(u64::from(frame.block) << 8 | flags, u64::from(frame.parameters))
                .with(frame.counter.to_bits(), u64::from(frame.visible_parameters()));
        }
        print = thread.parameters.iter().fold(print, value);
        self.progress(thread, print)
    }

    /// Appends the data of the block in progress on top of a thread's stack.
    fn progress(&self, thread: &Thread, print: Fingerprint) -> Fingerprint {
        let top = thread.stack.last().filter(|top| {
            top.in_progress && !top.is_loop && top.parameters == 0 && top.block != NONE
        });
        let Some(top) = top else { return print };
        let mut print = print;
        match self.program.commands[top.block as usize].op {
            Op::BroadcastAndWait(_) | Op::SwitchBackdropAndWait(_) => {
                let awaited = thread.awaited.iter();
                let places = awaited.map(|thread| self.thread_place(*thread));
                return places.fold(print, |print, place| print.with(place, 0));
            }
            Op::GlideTo { .. } | Op::GlideToXY { .. } => {
                let (from, to) = (thread.glide.from, thread.glide.to);
                print = print.numbers(&[from.0, from.1, to.0, to.1]);
            }
            _ => {}
        }
        let timer = &thread.wait_timer;
        print = print.numbers(&[timer.duration]);
        if self.has_time() {
            let elapsed = self.state.steps.wrapping_sub(timer.start);
            print = print.with(elapsed, (self.state.clock - timer.clock).to_bits());
        }
        print
    }
}

pub(crate) fn bits(flags: &[bool]) -> u64 {
    flags.iter().fold(0, |word, flag| word << 1 | u64::from(*flag))
}

/// `None` becomes a NaN with bits that arithmetic never produces.
fn optional(number: Option<f64>) -> f64 {
    number.unwrap_or(f64::from_bits(u64::MAX))
}

pub(crate) fn mouse(mouse: &Mouse) -> Fingerprint {
    let (canvas, at) = (mouse.canvas, [optional(mouse.x), optional(mouse.y)]);
    Fingerprint::of(u64::from(mouse.down))
        .numbers(&[mouse.pointer.0, mouse.pointer.1])
        .numbers(&[optional(canvas.0), optional(canvas.1)])
        .numbers(&at)
}

pub(crate) fn key_number(key: Key) -> u64 {
    match key {
        Key::Space => 0,
        Key::Left => 1,
        Key::Up => 2,
        Key::Right => 3,
        Key::Down => 4,
        Key::Enter => 5,
        Key::CodeUnit(unit) => 6 + u64::from(unit),
    }
}

pub(crate) fn text(print: Fingerprint, text: &Text) -> Fingerprint {
    let mut print = print.with(text.len() as u64, 5);
    let (mut word, mut count) = (0, 0);
    for unit in text.units() {
        (word, count) = (word << 16 | u64::from(unit), count + 1);
        if count == 4 {
            print = print.with(word, 6);
            (word, count) = (0, 0);
        }
    }
    if count > 0 { print.with(word, 6) } else { print }
}

pub(crate) fn value(print: Fingerprint, value: &Value) -> Fingerprint {
    match value {
        Value::Number(number) => print.with(number.to_bits(), 7),
        Value::Text(words) => text(print, words),
        Value::Bool(flag) => print.with(u64::from(*flag), 8),
        Value::Undefined => print.with(0, 9),
    }
}
