//! Execution of stack blocks, with modules for the categories of blocks.

mod control;
mod data;
mod events;
mod looks;
mod motion;
mod numeric;
mod pen;
mod procedures;
mod sensing;
pub(crate) use sensing::MISSING_TARGET_DISTANCE;
mod sound;

use catherd_scratch_sb3::BlockNo;

use crate::code::{ExprId, Op, Sensor, one_number};
use crate::eval::NO_MOTION;
use crate::interpreter::Interpreter;
use crate::limits::Limit;
use crate::midstep::{Change, PenMark};
use crate::thread::{Frame, Status, Thread, WaitTimer};
use crate::tracer::Tracer;

/// Fuel for stamping: the base cost in blocks, and the number of pixels that cost one more block.
const STAMP_COST: (usize, f64) = (1, 4.0);

/// Number of hull points whose computation costs as much fuel as one block.
const HULL_POINTS_PER_BLOCK: f64 = 16.0;

impl<T: Tracer> Interpreter<'_, T> {
    pub(crate) fn consume_pixel_fuel(&mut self, (base, pixels_per_block): (usize, f64)) {
        let pixels = self.state.scene.query_cost(self.state.targets[self.target].drawable);
        self.consume_fuel(base + (pixels / pixels_per_block) as usize);
    }

    pub(crate) fn consume_hull_fuel(&mut self, target: usize) {
        let points = self.state.scene.hull_cost(self.state.targets[target].drawable);
        self.consume_fuel((points / HULL_POINTS_PER_BLOCK) as usize);
    }

    pub(crate) fn execute_op(&mut self, op: &Op, no: BlockNo) {
        match *op {
            Op::Nothing => {}
            Op::HatGreater { sensor, value } => self.hat_greater(sensor, value),
            Op::HatTouching(what) => {
                let what = self.value(what);
                let touching = self.touching(&what);
                self.trigger_on_rising_edge(touching);
            }
            Op::HatNever => self.trigger_on_rising_edge(false),
            Op::HatMakeyKey(key) => {
                let key = self.value(key);
                let down = self.is_makey_key_down(&key);
                self.trigger_on_rising_edge(down);
            }
            Op::HatMakeyCode(sequence) => {
                let sequence = self.text(sequence);
                let typed = self.was_typed(&sequence);
                self.trigger_on_rising_edge(typed);
            }

            Op::GoTo(place) => self.go_to(place),
            Op::GoToXY(x, y) => {
                let (x, y) = (self.number(x), self.number(y));
                self.apply(op, x, y);
            }
            one_number!(a) => {
                let a = self.number(a);
                self.apply(op, a, 0.0);
            }
            Op::PointTowards(place) => self.point_towards(place),
            Op::GlideTo { seconds, to } => self.glide_to(no, seconds, to),
            Op::GlideToXY { seconds, x, y } => {
                let seconds = self.number(seconds);
                let to = (self.number(x), self.number(y));
                self.glide(no, seconds, to);
            }
            Op::BounceOnEdge => self.bounce_on_edge(),
            Op::SetRotationStyle(style) => self.set_rotation_style(style),

            Op::Say { text } => {
                let text = self.value(text);
                self.say(self.target, &text);
            }
            Op::SayFor { text, seconds } => self.say_for(no, text, seconds),
            Op::Show => self.set_visible(true),
            Op::Hide => self.set_visible(false),
            Op::SwitchCostume(costume) => {
                let costume = self.value(costume);
                self.switch_costume(&costume);
            }
            Op::NextCostume => {
                let next = self.state.targets[self.target].costume as f64 + 1.0;
                self.set_costume(self.target, next);
            }
            Op::SwitchBackdrop(backdrop) => {
                let backdrop = self.value(backdrop);
                self.switch_backdrop(&backdrop);
            }
            Op::SwitchBackdropAndWait(backdrop) => self.switch_backdrop_and_wait(backdrop),
            Op::NextBackdrop => {
                let next = self.state.targets[self.program.stage].costume as f64 + 1.0;
                self.set_costume(self.program.stage, next);
                self.start_backdrop_hats();
            }
            Op::ClearEffects => {
                self.clear_effects(self.target);
                self.appearance_changed(self.target);
                self.report_appearance(self.target);
            }
            Op::GoToFront => self.go_to_layer(f64::INFINITY),
            Op::GoToBack => self.go_to_layer(f64::NEG_INFINITY),
            Op::GoLayers { by, backward } => {
                let by = self.number(by);
                self.go_layers(if backward { -by } else { by });
            }

            Op::PlaySound(sound) => self.play_sound(no, sound, false),
            Op::PlaySoundUntilDone(sound) if self.state.promises.is_some() => {
                self.play_sound(no, sound, true);
            }
            Op::PlaySoundUntilDone(sound) => self.play_until_done(no, sound),
            Op::StopAllSounds => self.stop_all_sounds(),
            Op::SetSoundEffect { effect, value, change } => {
                self.set_sound_effect(effect, value, change);
            }
            Op::ClearSoundEffects => {
                self.state.targets[self.target].sound_effects = [0.0; 2];
                self.change_pitch(self.target);
            }
            Op::SetVolume { value, change } => self.set_volume(value, change),

            Op::Broadcast(message) => {
                if let Some(message) = self.message(message) {
                    self.report_message(message);
                    if T::REMEMBERS {
                        self.buffers.stretches.note_message(message);
                    }
                    self.start_hats(&crate::trigger::Trigger::Message(message), None);
                }
            }
            Op::BroadcastAndWait(message) => self.broadcast_and_wait(message),

            Op::Wait(seconds) => {
                let seconds = self.number(seconds);
                self.redraw |= !self.frame().in_progress;
                self.wait_steps(no, self.settings.step_count(seconds));
            }
            Op::Repeat { times, body } => self.repeat(no, times, body),
            Op::Forever { body } => {
                if T::ACTIVE {
                    self.tracer.distance(no, 0.0, 1.0);
                }
                self.enter_branch(body, true);
            }
            Op::If { condition, then } => {
                if self.condition(no, condition) {
                    self.enter_branch(then, false);
                }
            }
            Op::IfElse { condition, then, otherwise } => {
                let branch = if self.condition(no, condition) { then } else { otherwise };
                self.enter_branch(branch, false);
            }
            Op::WaitUntil { condition, draws } => {
                if !self.condition(no, condition) {
                    // In warp, a condition that draws no random numbers cannot change before the
                    // slice ends.
                    self.set_status(if draws { Status::Yield } else { Status::YieldTick });
                }
            }
            Op::RepeatUntil { condition, body } => {
                if !self.condition(no, condition) {
                    self.enter_branch(body, true);
                }
            }
            Op::While { condition, body } => {
                if self.condition(no, condition) {
                    self.enter_branch(body, true);
                }
            }
            Op::ForEach { variable, count, body } => self.for_each(no, variable, count, body),
            Op::AllAtOnce { body } => self.enter_branch(body, false),
            Op::StopAll => {
                self.stop_all();
                self.state.threads[self.thread].kill();
            }
            Op::StopThisScript => self.stop_this_script(),
            Op::StopOtherScripts => self.stop_other_scripts(),
            Op::CreateClone(of) => self.create_clone(of),
            Op::DeleteThisClone => self.delete_this_clone(),
            Op::IncrementCounter => self.state.counter += 1.0,
            Op::ClearCounter => self.state.counter = 0.0,

            Op::Ask(question) => self.ask(question),
            Op::SetDraggable(draggable) => self.state.targets[self.target].draggable = draggable,
            Op::ResetTimer => {
                self.state.timer = 0.0;
                if self.settings.one_timer {
                    // In the original, the clock has already advanced in this step, while
                    // `state.clock` advances when the step ends.
                    self.state.clock_start = self.state.clock + 1.0;
                }
            }

            Op::SetVariable(slot, value) => self.set_variable(slot, value),
            Op::ChangeVariable(slot, by) => {
                let by = self.number(by);
                self.update_variable(slot, |old| (old.to_number() + by).into());
            }
            Op::SetMonitorShown { monitor, shown } => {
                self.state.monitors[monitor as usize] = shown;
                self.state.shows_monitors = self.state.monitors.contains(&true);
            }
            Op::AddToList(list, item) => self.add_to_list(list, item),
            Op::DeleteOfList(list, index) => self.delete_of_list(list, index),
            Op::DeleteAllOfList(list) => self.delete_all_of_list(list),
            Op::InsertAtList { list, index, item } => self.insert_at_list(list, index, item),
            Op::ReplaceItemOfList { list, index, item } => self.replace_item(list, index, item),

            Op::Call { procedure, arguments } => self.call(procedure, arguments),

            Op::PenClear => {
                self.report(|| Change::Pen(PenMark::Clear));
                self.redraw = true;
                self.state.scene.pen_clear();
            }
            Op::PenStamp => {
                self.redraw = true;
                self.consume_pixel_fuel(STAMP_COST);
                self.state.scene.pen_stamp(self.state.targets[self.target].drawable);
            }
            Op::PenDown => self.pen_down(),
            Op::PenUp => self.state.targets[self.target].pen.down = false,
            Op::PenColor(color) => {
                let color = self.value(color);
                self.pen_color(&color);
            }
            Op::PenParam { param, value, change } => {
                let (param, value) = (self.text(param), self.number(value));
                self.pen_param(&param, value, change);
            }
            Op::PenShade { value, change } => self.pen_shade(value, change),
            Op::PenHue { value, change } => self.pen_hue(value, change),

            Op::PlayBeats { beats, note } => self.play_beats(no, beats, note),
            Op::SetTempo { value, change } => self.set_tempo(value, change),
            Op::Speak(words) => self.speak(no, words),
            Op::Device(device, what) => self.wait_for_device(no, device, what),
        }
    }

    pub(crate) fn thread(&mut self) -> &mut Thread {
        &mut self.state.threads[self.thread]
    }

    pub(crate) fn frame(&mut self) -> &mut Frame {
        let thread = &mut self.state.threads[self.thread];
        thread.stack.last_mut().expect("the executing block is on the stack")
    }

    pub(crate) fn set_status(&mut self, status: Status) {
        self.state.threads[self.thread].status = status;
    }

    /// A wait takes at least one step. Returns whether the wait has ended.
    pub(crate) fn wait_steps(&mut self, no: BlockNo, duration: f64) -> bool {
        if !self.frame().in_progress {
            self.start_wait(no, duration);
            return false;
        }
        self.continue_wait(no)
    }

    pub(crate) fn start_wait(&mut self, no: BlockNo, duration: f64) {
        self.frame().in_progress = true;
        let (start, clock) = (self.state.steps, self.state.clock);
        self.thread().wait_timer = WaitTimer { start, clock, duration };
        self.trace_wait(no, 0.0, duration);
        self.set_status(Status::YieldTick);
    }

    pub(crate) fn continue_wait(&mut self, no: BlockNo) -> bool {
        let start = self.state.threads[self.thread].wait_timer.start;
        self.check_elapsed(no, (self.state.steps - start) as f64)
    }

    /// Executes a wait that the original measures with its clock.
    pub(crate) fn wait_clock(&mut self, no: BlockNo, seconds: f64) {
        if !self.frame().in_progress {
            return self.start_wait(no, self.settings.step_count(seconds));
        }
        let start = self.state.threads[self.thread].wait_timer.clock;
        self.check_elapsed(no, self.state.clock - start);
    }

    fn check_elapsed(&mut self, no: BlockNo, elapsed: f64) -> bool {
        let duration = self.state.threads[self.thread].wait_timer.duration;
        self.trace_wait(no, elapsed, duration);
        if elapsed < duration {
            self.set_status(Status::YieldTick);
            return false;
        }
        true
    }

    /// Reports the distances of a waiting block to the end of the wait and to further waiting.
    pub(crate) fn trace_wait(&mut self, no: BlockNo, elapsed: f64, duration: f64) {
        if T::ACTIVE {
            let left = 1.0 - elapsed / duration;
            if left > 0.0 {
                self.tracer.distance(no, left, 0.0);
            } else {
                self.tracer.distance(no, 0.0, 1.0);
            }
        }
    }

    pub(crate) fn enter_branch(&mut self, body: crate::code::CommandId, is_loop: bool) {
        let limit = self.settings.stack_limit;
        let thread = self.thread();
        if thread.stack.len() >= limit {
            self.overflow();
        } else {
            thread.enter_branch(body, is_loop);
        }
    }

    pub(crate) fn overflow(&mut self) {
        self.hit(Limit::CallDepth);
        self.thread().kill();
    }

    fn hat_greater(&mut self, sensor: Sensor, value: ExprId) {
        let value = self.number(value);
        let now = match sensor {
            Sensor::Timer => {
                (self.state.clock - self.state.clock_start) * (self.settings.pace.step_ms / 1000.0)
            }
            Sensor::Loudness => self.loudness(),
            Sensor::Motion => NO_MOTION,
        };
        self.trigger_on_rising_edge(now > value);
    }
}
