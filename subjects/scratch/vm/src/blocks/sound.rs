//! Sound, music, speech and hardware blocks, which produce no output but take time as in the
//! original.

use catherd_scratch_sb3::BlockNo;

use crate::code::{Device, ExprId, SoundEffect};
use crate::interpreter::Interpreter;
use crate::text::Text;
use crate::thread::Status;
use crate::tracer::Tracer;
use crate::value::{Value, clamp, wrap};

impl<T: Tracer> Interpreter<'_, T> {
    pub(super) fn play_until_done(&mut self, no: BlockNo, sound: ExprId) {
        let sound = self.value(sound);
        if self.frame().in_progress {
            self.continue_wait(no);
            return;
        }
        match self.sound_length(&sound) {
            Some(seconds) => {
                self.start_wait(no, 1000.0 * seconds / self.settings.pace.sound_step_ms);
            }
            // The original waits forever for an unknown sound.
            None => {
                self.trace_wait(no, 0.0, f64::INFINITY);
                self.set_status(Status::YieldTick);
            }
        }
    }

    /// As in today's Scratch, an unknown sound is skipped.
    pub(super) fn play_sound(&mut self, no: BlockNo, sound: ExprId, wait: bool) {
        let sound = self.value(sound);
        let Some(number) = self.sound_number(&sound) else { return };
        let sprite = &self.program.sprites[self.state.targets[self.target].sprite as usize];
        self.start_sound(no, number as u32, sprite.sounds[number].length, wait);
    }

    fn sound_length(&self, value: &Value) -> Option<f64> {
        let sprite = &self.program.sprites[self.state.targets[self.target].sprite as usize];
        Some(sprite.sounds[self.sound_number(value)?].length)
    }

    /// A value that is not the name of a sound is read as a number, which is wrapped.
    fn sound_number(&self, value: &Value) -> Option<usize> {
        let sounds = &self.program.sprites[self.state.targets[self.target].sprite as usize].sounds;
        if sounds.is_empty() {
            return None;
        }
        if let Value::Text(name) = value
            && let Some(sound) = sounds.iter().position(|s| s.name == *name)
        {
            return Some(sound);
        }
        let n = integer_prefix(&value.to_text())?;
        Some(wrap(n - 1.0, 0.0, sounds.len() as f64 - 1.0) as usize)
    }

    pub(super) fn set_sound_effect(&mut self, effect: SoundEffect, value: ExprId, change: bool) {
        let value = self.number(value);
        let limit = if effect == SoundEffect::Pitch { 360.0 } else { 100.0 };
        let slot = &mut self.state.targets[self.target].sound_effects[effect as usize];
        *slot = clamp(if change { *slot + value } else { value }, -limit, limit);
        self.change_pitch(self.target);
        self.set_status(Status::Promise { resolved: true });
    }

    pub(super) fn set_volume(&mut self, value: ExprId, change: bool) {
        let value = self.number(value);
        let volume = &mut self.state.targets[self.target].volume;
        *volume = clamp(if change { *volume + value } else { value }, 0.0, 100.0);
        self.set_status(Status::Promise { resolved: true });
    }

    pub(super) fn play_beats(&mut self, no: BlockNo, beats: ExprId, note: bool) {
        let beats = clamp(self.number(beats), 0.0, 100.0);
        if !(note && beats == 0.0) {
            let seconds = 60.0 / self.state.tempo * beats;
            self.wait_clock(no, seconds);
        }
    }

    /// Waits as long as the original waits for a missing device. Text scrolls for 120 ms per
    /// column, with six columns for each letter and six further columns.
    pub(super) fn wait_for_device(&mut self, no: BlockNo, device: Device, what: ExprId) {
        let seconds = match device {
            Device::Text => 0.12 * (6 * self.text(what).len().min(19) + 6) as f64,
            Device::Motor => clamp(self.number(what), 0.0, 15.0),
            Device::Beep => clamp(self.number(what), 0.0, 3.0),
            Device::Send => 0.1,
        };
        if device != Device::Beep || seconds > 0.0 {
            self.wait_clock(no, seconds);
        }
    }

    pub(super) fn set_tempo(&mut self, value: ExprId, change: bool) {
        let value = self.number(value);
        let tempo = if change { self.state.tempo + value } else { value };
        self.state.tempo = clamp(tempo, 20.0, 500.0);
    }

    pub(super) fn speak(&mut self, no: BlockNo, words: ExprId) {
        let words = self.text(words);
        if self.state.promises.is_some() {
            // Without a network, the original continues in the next step.
            return self.wait_for_timer(no, 0.0, false);
        }
        if self.frame().in_progress {
            self.continue_wait(no);
            return;
        }
        let seconds = match self.settings.speech_rate {
            Some(rate) => words.len() as f64 / rate,
            None => f64::INFINITY,
        };
        self.start_wait(no, self.settings.step_count(seconds));
    }
}

/// JavaScript's `parseInt(text, 10)`; `None` instead of NaN.
fn integer_prefix(text: &Text) -> Option<f64> {
    let text = text.to_str();
    let text = text.trim_start_matches(crate::text::is_js_space);
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    let n: f64 = digits[..end].parse().ok()?;
    Some(sign * n)
}
