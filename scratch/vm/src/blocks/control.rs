//! Loops, stopping, clones.

use catherd_render::{Effect, Group};
use catherd_sb3::BlockNo;

use crate::code::{CommandId, E, NONE, Op, Slot};
use crate::limits::Limit;
use crate::machine::Run;
use crate::program::Start;
use crate::state::{Bubble, NO_THREAD, TargetId};
use crate::tracer::Tracer;
use crate::value::js_round;

/// Scratch's limit on living clones.
const CLONE_LIMIT: u32 = 300;

/// What making and deleting a clone costs, in blocks.
const CLONE_COST: usize = 1000;

impl<T: Tracer> Run<'_, T> {
    pub(super) fn repeat(&mut self, no: BlockNo, times: E, body: CommandId) {
        let times = js_round(self.number(times));
        let frame = self.frame();
        if !frame.active {
            frame.active = true;
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
            self.branch(body, true);
        }
    }

    pub(super) fn for_each(&mut self, no: BlockNo, variable: Slot, count: E, body: CommandId) {
        let count = self.value(count).js_number();
        let frame = self.frame();
        frame.active = true;
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
            self.branch(body, true);
        }
    }

    /// Leaves the innermost custom block, or the script.
    pub(super) fn stop_this_script(&mut self) {
        let p = self.p;
        let thread = self.thread();
        while let Some(top) = thread.stack.last() {
            let call =
                top.block != NONE && matches!(p.commands[top.block as usize].op, Op::Call { .. });
            if call {
                return;
            }
            thread.pop();
        }
        thread.kill();
    }

    pub(super) fn stop_other_scripts(&mut self) {
        let target = TargetId(self.target as u32);
        for i in 0..self.s.thread_list.len() {
            let slot = self.s.thread_list[i] as usize;
            if slot != self.thread && self.s.threads[slot].target == target {
                self.s.threads[slot].kill();
            }
        }
        self.drop_questions(target);
    }

    /// Everything that "stop all" and the green flag do: bubbles, questions, clones and
    /// threads go, effects are cleared.
    pub(crate) fn stop_all(&mut self) {
        self.s.questions.clear();
        for i in 0..self.s.list.len() {
            let target = self.s.list[i].0 as usize;
            self.drop_bubble(target);
            self.clear_effects(target);
            self.s.targets[target].sound_effects = [0.0; 2];
        }
        let originals = self.s.list.partition_point(|t| self.s.targets[t.0 as usize].original);
        for id in self.s.list.split_off(originals) {
            self.dispose(id);
        }
        self.detach_threads();
    }

    pub(super) fn create_clone(&mut self, of: E) {
        let name = self.text(of);
        let source = if name == *"_myself_" {
            self.target
        } else {
            match self.p.sprite_named(&name) {
                Some(sprite) => sprite,
                None => return,
            }
        };
        if source == self.p.stage {
            return;
        }
        if self.s.clones >= CLONE_LIMIT {
            return self.hit(Limit::Clones);
        }
        self.s.clones += 1;
        self.charge(CLONE_COST);
        let id = self.copy_target(source);
        self.start_hats(&Start::Clone, Some(id));
        let place = self.s.order.iter().position(|t| t.0 as usize == source);
        self.s.list.push(id);
        self.s.order.insert(place.unwrap_or(self.s.order.len()), id);
    }

    /// A clone of a target, drawn directly behind it, in the place of a clone that is gone.
    fn copy_target(&mut self, source: usize) -> TargetId {
        let place = match self.s.free_targets.pop() {
            Some(place) => place as usize,
            None => {
                self.s.targets.push(self.s.targets[source].clone());
                self.s.targets.len() - 1
            }
        };
        let drawable = self.s.scene.add(Group::Sprite);
        let targets = &mut self.s.targets;
        // A place that is free or new is not the source's.
        if let Ok([clone, source]) = targets.get_disjoint_mut([place, source]) {
            clone.clone_from(source);
        }
        let (clone, behind) = (&self.s.targets[place], self.s.targets[source].drawable);
        // Pen and sound effects are those of the sprite's original.
        let original = &self.s.targets[clone.sprite as usize];
        let (pen, sound_effects) = (original.pen.clone(), original.sound_effects);
        let clone = &mut self.s.targets[place];
        (clone.original, clone.dragging, clone.drawable) = (false, false, drawable);
        (clone.volume, clone.pen, clone.sound_effects) = (100.0, pen, sound_effects);
        clone.bubble = Bubble { text: None, drawable: None, on_right: true };
        clone.running.fill(NO_THREAD);
        let clone = &self.s.targets[place];
        let skin = self.p.sprites[clone.sprite as usize].costumes[clone.costume].skin;
        self.s.scene.set_skin(drawable, skin);
        clone.place(&mut self.s.scene);
        self.s.scene.set_visible(drawable, clone.visible);
        for effect in Effect::ALL {
            if clone.effects[effect as usize] != 0.0 {
                self.s.scene.set_effect(drawable, effect, clone.effects[effect as usize]);
            }
        }
        self.s.scene.place_behind(drawable, behind);
        TargetId(place as u32)
    }

    pub(super) fn delete_this_clone(&mut self) {
        if self.s.targets[self.target].original {
            return;
        }
        let id = TargetId(self.target as u32);
        self.s.list.retain(|&t| t != id);
        self.dispose(id);
    }

    /// Ends a clone that is no longer in the target list.
    fn dispose(&mut self, id: TargetId) {
        let target = id.0 as usize;
        self.drop_bubble(target);
        self.s.order.retain(|&t| t != id);
        for i in 0..self.s.thread_list.len() {
            let thread = &mut self.s.threads[self.s.thread_list[i] as usize];
            if thread.target == id {
                thread.kill();
            }
        }
        if self.thread < self.s.threads.len() && self.s.threads[self.thread].target == id {
            self.s.threads[self.thread].kill();
        }
        self.drop_questions(id);
        self.redraw |= self.s.targets[target].visible;
        self.s.scene.remove(self.s.targets[target].drawable);
        self.s.targets[target].alive = false;
        self.s.free_targets.push(id.0);
        self.s.clones -= 1;
    }
}
