//! Waits that are promises in [today's Scratch](crate::Compat::Today), and the keys for the Makey
//! Makey blocks.

use catherd_scratch_sb3::BlockNo;

use crate::interpreter::Interpreter;
use crate::target::TargetId;
use crate::text::Text;
use crate::thread::Status;
use crate::tracer::Tracer;

/// Maximum time of a timer in the original, in milliseconds. A timer with a longer time ends
/// immediately.
const LONGEST_TIMER: f64 = 2_147_483_647.0;

/// Time for which a sequence of keys counts as typed, in milliseconds. Like sounds, it is not
/// accelerated.
const TYPED: f64 = 100.0;

/// Maximum number of stored keys in which sequences are found.
const KEYS: usize = 100;

/// The state of waits, sounds and keys in today's Scratch. Times are in steps since the project was
/// loaded.
#[derive(Clone, Default)]
pub(crate) struct Promises {
    now: f64,
    timers: Vec<Timer>,
    sounds: Vec<Playing>,
    /// For each target, the number of the last change of its bubble.
    bubbles: Vec<u64>,
    changes: u64,
    /// The last pressed keys: the first words of their names, in upper case.
    keys: Vec<Text>,
    /// Sequences of keys for which some hat waits, and the time until which each counts as typed.
    sequences: Vec<(Text, f64)>,
}

#[derive(Clone, Copy)]
struct Waiter {
    thread: (u32, u64),
    block: BlockNo,
    start: f64,
}

#[derive(Clone, Copy)]
struct Timer {
    due: f64,
    waiter: Waiter,
    /// Target, its serial number, and the change of the bubble that the timer removes.
    bubble: Option<(TargetId, u32, u64)>,
}

/// A sound that is being played. A sprite cannot play the same sound twice at the same time.
#[derive(Clone)]
struct Playing {
    sprite: u32,
    sound: u32,
    /// Number and serial number of the target whose effects change the sound.
    target: (TargetId, u32),
    /// Remaining seconds of the sound at `since`.
    left: f64,
    since: f64,
    rate: f64,
    waiters: Vec<Waiter>,
}

impl Playing {
    fn due(&self, step_ms: f64) -> f64 {
        self.since + self.left * 1000.0 / step_ms / self.rate
    }
}

/// The rate at which a sound plays, given its pitch effect, where 120 is an octave.
fn rate(pitch: f64) -> f64 {
    catherd_elementary::exp(pitch / 120.0 * std::f64::consts::LN_2)
}

impl<T: Tracer> Interpreter<'_, T> {
    pub(crate) fn resolve_promises_of_time(&mut self) {
        let Some(mut promises) = self.state.promises.take() else { return };
        promises.now += 1.0;
        let now = promises.now + 1e-9;
        let step_ms = self.settings.pace.sound_step_ms;
        let mut due: Vec<Timer> =
            promises.timers.extract_if(.., |timer| timer.due <= now).collect();
        due.sort_by(|a, b| a.due.total_cmp(&b.due));
        let ended = promises.sounds.extract_if(.., |sound| sound.due(step_ms) <= now);
        let ended: Vec<Waiter> = ended.flat_map(|sound| sound.waiters).collect();
        if T::ACTIVE {
            self.trace_promises(&promises);
        }
        self.state.promises = Some(promises);
        for timer in due {
            if let Some((target, serial, change)) = timer.bubble
                && self.shows(target, serial, change)
            {
                self.set_bubble(target.0 as usize, Text::new(""));
            }
            self.end_wait(timer.waiter);
        }
        ended.into_iter().for_each(|waiter| self.end_wait(waiter));
    }

    fn trace_promises(&mut self, promises: &Promises) {
        let step_ms = self.settings.pace.sound_step_ms;
        let sounds = promises.sounds.iter();
        let sounds = sounds.flat_map(|sound| {
            sound.waiters.iter().map(move |waiter| (*waiter, sound.due(step_ms)))
        });
        let timers = promises.timers.iter().map(|timer| (timer.waiter, timer.due));
        for (waiter, due) in timers.chain(sounds) {
            if self.still_waits(waiter) {
                self.trace_wait(waiter.block, promises.now - waiter.start, due - waiter.start);
            }
        }
    }

    fn still_waits(&self, Waiter { thread: (slot, serial), .. }: Waiter) -> bool {
        let thread = &self.state.threads[slot as usize];
        thread.listed
            && thread.serial == serial
            && thread.status == (Status::Promise { resolved: false })
    }

    fn end_wait(&mut self, waiter: Waiter) {
        if self.still_waits(waiter) {
            self.trace_wait(waiter.block, 1.0, 1.0);
            self.resolve_promise(waiter.thread.0 as usize);
        }
    }

    fn shows(&self, target: TargetId, serial: u32, change: u64) -> bool {
        let state = &self.state.targets[target.0 as usize];
        let last = self.state.promises.as_ref().and_then(|it| it.bubbles.get(target.0 as usize));
        state.alive && state.serial == serial && last == Some(&change)
    }

    pub(crate) fn note_bubble(&mut self, target: usize) {
        let Some(promises) = &mut self.state.promises else { return };
        promises.changes += 1;
        if promises.bubbles.len() <= target {
            promises.bubbles.resize(target + 1, 0);
        }
        promises.bubbles[target] = promises.changes;
    }

    fn waiter(&self, block: BlockNo) -> Waiter {
        let thread = (self.thread as u32, self.state.threads[self.thread].serial);
        let start = self.state.promises.as_ref().map_or(0.0, |promises| promises.now);
        Waiter { thread, block, start }
    }

    /// Makes the current thread wait for a timer of the original, which counts whole milliseconds.
    pub(crate) fn wait_for_timer(&mut self, block: BlockNo, seconds: f64, bubble: bool) {
        let waiter = self.waiter(block);
        let (target, step_ms) = (self.target, self.settings.pace.step_ms);
        let serial = self.state.targets[target].serial;
        let Some(promises) = &mut self.state.promises else { return };
        let ms = (1000.0 * seconds).trunc();
        let ms = if (1.0..=LONGEST_TIMER).contains(&ms) { ms } else { 0.0 };
        let change = promises.changes;
        let bubble = bubble.then_some((TargetId(target as u32), serial, change));
        promises.timers.push(Timer { due: waiter.start + ms / step_ms, waiter, bubble });
        self.trace_wait(block, 0.0, ms / step_ms);
        self.set_status(Status::Promise { resolved: false });
    }

    /// A sound that the sprite is already playing starts again, and its waits end.
    pub(crate) fn start_sound(&mut self, block: BlockNo, sound: u32, seconds: f64, wait: bool) {
        let waiter = self.waiter(block);
        let target = &self.state.targets[self.target];
        let (sprite, pitch) = (target.sprite, target.sound_effects[0]);
        let owner = (TargetId(self.target as u32), target.serial);
        self.stop_sounds(|playing| playing.sprite == sprite && playing.sound == sound);
        let Some(promises) = &mut self.state.promises else { return };
        let waiters = if wait { vec![waiter] } else { Vec::new() };
        let (since, rate) = (promises.now, rate(pitch));
        promises.sounds.push(Playing {
            sprite,
            sound,
            target: owner,
            left: seconds,
            since,
            rate,
            waiters,
        });
        if wait {
            self.trace_wait(block, 0.0, seconds * 1000.0 / self.settings.pace.sound_step_ms);
            self.set_status(Status::Promise { resolved: false });
        }
    }

    pub(crate) fn stop_all_sounds(&mut self) {
        self.stop_sounds(|_| true);
    }

    fn stop_sounds(&mut self, which: impl Fn(&Playing) -> bool) {
        let Some(promises) = &mut self.state.promises else { return };
        let stopped: Vec<Playing> = promises.sounds.extract_if(.., |sound| which(sound)).collect();
        for waiter in stopped.into_iter().flat_map(|sound| sound.waiters) {
            if self.still_waits(waiter) {
                let status = Status::Promise { resolved: true };
                self.state.threads[waiter.thread.0 as usize].status = status;
            }
        }
    }

    pub(crate) fn change_pitch(&mut self, target: usize) {
        let step_ms = self.settings.pace.sound_step_ms;
        let state = &self.state.targets[target];
        let (owner, rate) = ((TargetId(target as u32), state.serial), rate(state.sound_effects[0]));
        let Some(promises) = &mut self.state.promises else { return };
        let now = promises.now;
        for sound in promises.sounds.iter_mut().filter(|sound| sound.target == owner) {
            sound.left -= (now - sound.since) * sound.rate * step_ms / 1000.0;
            (sound.since, sound.rate) = (now, rate);
        }
    }

    pub(crate) fn note_key(&mut self, name: &str) {
        let typed_steps = TYPED / self.settings.pace.sound_step_ms;
        let Some(promises) = &mut self.state.promises else { return };
        let word = if name == " " { "space" } else { name.split(' ').next().unwrap_or(name) };
        promises.keys.push(Text::new(word).upper());
        if promises.keys.len() > KEYS {
            promises.keys.remove(0);
        }
        let (keys, until) = (&promises.keys, promises.now + typed_steps);
        for (sequence, typed) in &mut promises.sequences {
            let text = sequence.to_str();
            let mut last = keys.iter().rev();
            if text.split(' ').rev().all(|word| last.next().is_some_and(|key| *key == *word)) {
                *typed = until;
            }
        }
    }

    pub(crate) fn forget_keys(&mut self) {
        if let Some(promises) = &mut self.state.promises {
            promises.keys.clear();
        }
    }

    /// Whether a sequence of at least two keys was just typed. A sequence is recognised only after
    /// the first query for it.
    pub(crate) fn was_typed(&mut self, sequence: &Text) -> bool {
        let sequence = sequence.upper();
        let Some(promises) = &mut self.state.promises else { return false };
        if sequence.to_str().split(' ').count() < 2 {
            return false;
        }
        let now = promises.now;
        match promises.sequences.iter().find(|(known, _)| *known == sequence) {
            Some((_, until)) => now < *until,
            None => {
                promises.sequences.push((sequence, f64::NEG_INFINITY));
                false
            }
        }
    }
}

impl Promises {
    /// Numbers that determine how waits, sounds and sequences of keys continue, independently of
    /// slots, ids and the current step.
    pub(crate) fn numbers(
        &self,
        sound_step_ms: f64,
        thread: impl Fn((u32, u64)) -> u64,
        target: impl Fn(TargetId) -> u64,
    ) -> Vec<f64> {
        let mut numbers = Vec::new();
        for timer in &self.timers {
            numbers.extend([timer.due - self.now, thread(timer.waiter.thread) as f64]);
            if let Some((owner, _, change)) = timer.bubble {
                let lasts = self.bubbles.get(owner.0 as usize) == Some(&change);
                numbers.extend([f64::from(u8::from(lasts)), target(owner) as f64]);
            }
        }
        for sound in &self.sounds {
            let played = (self.now - sound.since) * sound.rate * sound_step_ms / 1000.0;
            let left = sound.left - played;
            let (sprite, number) = (f64::from(sound.sprite), f64::from(sound.sound));
            numbers.extend([sprite, number, left, sound.rate, target(sound.target.0) as f64]);
            numbers.extend(sound.waiters.iter().map(|it| thread(it.thread) as f64));
        }
        for (sequence, until) in &self.sequences {
            numbers.extend(sequence.units().chain([0]).map(f64::from));
            numbers.push((until - self.now).max(0.0));
        }
        let units = self.keys.iter().flat_map(|key| key.units().chain([0]));
        numbers.extend(units.map(f64::from));
        numbers
    }
}
