//! Control blocks.

use catherd_scratch_render::{Effect, Group};
use catherd_scratch_sb3::BlockNo;

use crate::code::{CommandId, ExprId, NONE, Op, Slot};
use crate::interpreter::Interpreter;
use crate::limits::Limit;
use crate::state::LiveTarget;
use crate::target::{Bubble, NO_THREAD, TargetId};
use crate::tracer::Tracer;
use crate::trigger::Trigger;
use crate::value::js_round;

/// Scratch's maximum number of clones at a time.
const CLONE_LIMIT: u32 = 300;

/// Fuel for creating and deleting a clone, in blocks.
const CLONE_COST: usize = 1000;

impl<T: Tracer> Interpreter<'_, T> {
    pub(super) fn repeat(&mut self, no: BlockNo, times: ExprId, body: CommandId) {
        let times = js_round(self.number(times));
        let frame = self.frame();
        if !frame.in_progress {
            frame.in_progress = true;
            frame.counter = times;
        }
        frame.counter -= 1.0;
        let left = frame.counter;
        if T::ACTIVE {
            if left >= 0.0 {
                self.tracer.distance(no, 0.0, left.max(1.0));
            } else {
                self.tracer.distance(no, 1.0, 0.0);
            }
        }
        if left >= 0.0 {
            self.enter_branch(body, true);
        }
    }

    pub(super) fn for_each(&mut self, no: BlockNo, variable: Slot, count: ExprId, body: CommandId) {
        let count = self.value(count).js_number();
        let frame = self.frame();
        frame.in_progress = true;
        let enter = frame.counter < count;
        if T::ACTIVE {
            let left = count - self.frame().counter - 1.0;
            if enter {
                self.tracer.distance(no, 0.0, left.max(1.0));
            } else {
                self.tracer.distance(no, 1.0, 0.0);
            }
        }
        if enter {
            let frame = self.frame();
            frame.counter += 1.0;
            let index = frame.counter;
            *self.variable_mut(variable) = index.into();
            self.enter_branch(body, true);
        }
    }

    pub(super) fn stop_this_script(&mut self) {
        let program = self.program;
        let thread = self.thread();
        while let Some(top) = thread.stack.last() {
            let call = top.block != NONE
                && matches!(program.commands[top.block as usize].op, Op::Call { .. });
            if call {
                return;
            }
            thread.pop();
        }
        thread.kill();
    }

    pub(super) fn stop_other_scripts(&mut self) {
        let target = TargetId(self.target as u32);
        for i in 0..self.state.thread_list.len() {
            let slot = self.state.thread_list[i] as usize;
            if slot != self.thread && self.state.threads[slot].target == target {
                self.state.threads[slot].kill();
            }
        }
        self.drop_questions(target);
    }

    /// Stops everything as the block `stop all` and the green flag do.
    pub(crate) fn stop_all(&mut self) {
        self.state.questions.clear();
        for i in 0..self.state.live_targets.len() {
            let target = self.state.live_targets[i].id.0 as usize;
            self.drop_bubble(target);
            self.clear_effects(target);
            self.state.targets[target].sound_effects = [0.0; 2];
        }
        self.stop_all_sounds();
        self.forget_keys();
        let is_original = |live: &LiveTarget| self.state.targets[live.id.0 as usize].original;
        let originals = self.state.live_targets.partition_point(is_original);
        for clone in self.state.live_targets.split_off(originals) {
            self.remove_clone(clone.id);
        }
        self.detach_threads();
    }

    pub(super) fn create_clone(&mut self, of: ExprId) {
        let name = self.text(of);
        let source = if name == *"_myself_" {
            self.target
        } else {
            match self.program.sprite_named(&name) {
                Some(sprite) => sprite,
                None => return,
            }
        };
        if source == self.program.stage {
            return;
        }
        if self.state.clone_count >= CLONE_LIMIT {
            return self.hit(Limit::Clones);
        }
        self.state.clone_count += 1;
        self.consume_fuel(CLONE_COST);
        let id = self.copy_target(source);
        self.start_hats(&Trigger::Clone, Some(id));
        let place = self.state.execution_order.iter().position(|t| t.0 as usize == source);
        let live = LiveTarget::new(id, &self.state.targets[id.0 as usize]);
        self.state.live_targets.push(live);
        self.state.execution_order.insert(place.unwrap_or(self.state.execution_order.len()), id);
    }

    /// Creates a clone of a target, one layer below the target.
    fn copy_target(&mut self, source: usize) -> TargetId {
        let place = match self.state.free_targets.pop() {
            Some(place) => place as usize,
            None => {
                self.state.targets.push(self.state.targets[source].clone());
                self.state.targets.len() - 1
            }
        };
        let drawable = self.state.scene.add(Group::Sprite);
        let targets = &mut self.state.targets;
        // The indices differ, because the index of the clone was free or is new.
        if let Ok([clone, source]) = targets.get_disjoint_mut([place, source]) {
            clone.clone_from(source);
        }
        let (clone, behind) = (&self.state.targets[place], self.state.targets[source].drawable);
        // A clone takes pen and sound effects from the sprite, not from the cloned clone.
        let original = &self.state.targets[clone.sprite as usize];
        let (pen, sound_effects) = (original.pen.clone(), original.sound_effects);
        self.state.clone_serial = self.state.clone_serial.wrapping_add(1);
        self.state.random.draw_name();
        let sprite = self.state.targets[place].sprite;
        let same = self.state.live_targets.iter().filter(|live| live.sprite == sprite);
        // The count includes the original but not yet the new clone. The conversion is exact,
        // because there are at most 300 clones.
        let siblings = same.count() as u16;
        let clone = &mut self.state.targets[place];
        (clone.serial, clone.siblings) = (self.state.clone_serial, siblings);
        (clone.original, clone.drawable) = (false, drawable);
        (clone.volume, clone.pen, clone.sound_effects) = (100.0, pen, sound_effects);
        clone.bubble = Bubble { text: None, drawable: None, on_right: true };
        clone.running.fill(NO_THREAD);
        let clone = &self.state.targets[place];
        let skin = self.program.sprites[clone.sprite as usize].costumes[clone.costume].skin;
        self.state.scene.set_skin(drawable, skin);
        clone.update_drawable(&mut self.state.scene);
        self.state.scene.set_visible(drawable, clone.visible);
        for effect in Effect::ALL {
            if clone.effects[effect as usize] != 0.0 {
                self.state.scene.set_effect(drawable, effect, clone.effects[effect as usize]);
            }
        }
        self.state.scene.place_behind(drawable, behind);
        TargetId(place as u32)
    }

    pub(super) fn delete_this_clone(&mut self) {
        if self.state.targets[self.target].original {
            return;
        }
        let id = TargetId(self.target as u32);
        self.state.live_targets.retain(|live| live.id != id);
        self.remove_clone(id);
    }

    /// Deletes a clone that `live_targets` no longer contains.
    fn remove_clone(&mut self, id: TargetId) {
        let target = id.0 as usize;
        self.drop_bubble(target);
        self.state.execution_order.retain(|&t| t != id);
        for i in 0..self.state.thread_list.len() {
            let thread = &mut self.state.threads[self.state.thread_list[i] as usize];
            if thread.target == id {
                thread.kill();
            }
        }
        if self.thread < self.state.threads.len() && self.state.threads[self.thread].target == id {
            self.state.threads[self.thread].kill();
        }
        self.drop_questions(id);
        self.redraw |= self.state.targets[target].visible;
        self.state.scene.remove(self.state.targets[target].drawable);
        self.state.targets[target].alive = false;
        self.state.free_targets.push(id.0);
        self.state.clone_count -= 1;
    }
}
