//! Direct changes to the state of a VM, and queries.

use catherd_scratch_render::{Rect, Scene};
use catherd_scratch_sb3::BlockNo;

use crate::interpreter::Interpreter;
use crate::keys::Key;
use crate::program::Program;
use crate::target::{List, TargetId};
use crate::text::Text;
use crate::tracer::Tracer;
use crate::value::Value;
use crate::vm::Vm;

impl<T: Tracer> Vm<T> {
    /// Sets the scalar variable at a position in [`Program::variables`], if it exists.
    pub fn set_variable(&mut self, target: TargetId, number: usize, value: Value) {
        let targets = &mut self.state.targets;
        let variables = targets.get_mut(target.0 as usize).map(|target| &mut target.variables);
        let place = variables.and_then(|variables| variables.get_mut(number));
        if let Some(place) = place.filter(|old| **old != Value::Undefined) {
            *place = value;
        }
    }

    /// Replaces the items of the list at a position in [`Program::lists`], if it exists.
    pub fn set_list(&mut self, target: TargetId, number: usize, items: Vec<Value>) {
        let targets = &mut self.state.targets;
        let lists = targets.get_mut(target.0 as usize).map(|target| &mut target.lists);
        let list: Option<&mut List> = lists.and_then(|lists| lists.get_mut(number));
        if let Some(list) = list.filter(|list| list.exists) {
            list.items = items.into();
        }
    }

    /// Moves a sprite or clone as a block does.
    pub fn set_position(&mut self, target: TargetId, x: f64, y: f64) {
        self.change(target, |interpreter, index| interpreter.set_position(index, x, y));
    }

    /// Shows or hides a sprite or clone.
    pub fn set_visible(&mut self, target: TargetId, visible: bool) {
        self.change(target, |interpreter, _| interpreter.set_visible(visible));
    }

    /// Turns a sprite or clone to a direction in degrees.
    pub fn set_direction(&mut self, target: TargetId, direction: f64) {
        self.change(target, |interpreter, _| interpreter.set_direction(direction));
    }

    /// Sets the size of a sprite or clone, in percent, within limits that depend on the costume.
    pub fn set_size(&mut self, target: TargetId, size: f64) {
        self.change(target, |interpreter, _| interpreter.set_size(size));
    }

    /// Shows the costume with this index, which is rounded and wrapped.
    pub fn set_costume(&mut self, target: TargetId, index: f64) {
        self.change(target, |interpreter, at| interpreter.set_costume(at, index));
    }

    fn change(&mut self, target: TargetId, make: impl FnOnce(&mut Interpreter<'_, T>, usize)) {
        let index = target.0 as usize;
        if self.state.targets.get(index).is_some_and(|target| target.alive) {
            let mut interpreter = self.interpreter();
            interpreter.target = index;
            make(&mut interpreter, index);
        }
    }

    /// Stops the project as the stop button does.
    pub fn stop_all(&mut self) {
        let mut interpreter = self.interpreter();
        interpreter.stop_all();
        for slot in interpreter.state.detached_threads.take().unwrap_or_default() {
            interpreter.release_thread(slot);
        }
    }

    /// Replaces the state with a snapshot, except for the state that Whisker does not restore
    /// between tests.
    pub fn restore_fields(&mut self, snapshot: &crate::vm::Snapshot) {
        let state = &mut self.state;
        let originals = 0..self.program.targets().len() as u32;
        let kept: Vec<_> = originals
            .clone()
            .map(|at| {
                let target = &state.targets[at as usize];
                (target.rotation_style, target.pen.clone())
            })
            .collect();
        let order: Vec<TargetId> =
            state.execution_order.iter().copied().filter(|id| originals.contains(&id.0)).collect();
        let (answer, tempo) = (state.answer.clone(), state.tempo);
        let scene = state.scene.clone();
        self.restore(snapshot);
        let state = &mut self.state;
        state.scene.take_drawing(&scene);
        (state.answer, state.tempo) = (answer, tempo);
        for (target, (style, pen)) in state.targets.iter_mut().zip(kept) {
            (target.rotation_style, target.pen) = (style, pen);
            state.scene.take_look(target.drawable, &scene);
        }
        for id in order.iter().filter(|id| id.0 as usize != self.program.stage) {
            state.scene.set_order(state.targets[id.0 as usize].drawable, f64::INFINITY);
        }
        state.execution_order = order;
        for target in originals.map(TargetId) {
            let (x, y) =
                (self.state.targets[target.0 as usize].x, self.state.targets[target.0 as usize].y);
            self.drag(target, x, y);
        }
    }

    /// Draws a number in [0, 1) from the VM's stream of random numbers.
    pub fn draw(&mut self) -> f64 {
        self.state.random.draw()
    }

    /// Releases all keys.
    pub fn release_keys(&mut self) {
        self.state.keys.clear();
    }

    /// Whether a key of the key menu is pressed.
    pub fn is_key_down(&self, name: &str) -> bool {
        Key::pressed(name).is_some_and(|key| self.state.keys.contains(&key))
    }

    /// The last answer, as the block `answer` reports it.
    pub fn last_answer(&self) -> &Text {
        &self.state.answer
    }

    /// The box around the visible part of a target, in stage units (see [`Scene::bounds`]).
    pub fn bounds(&mut self, target: TargetId) -> Rect {
        let drawable = self.state.targets[target.0 as usize].drawable;
        self.state.scene.bounds(drawable)
    }

    /// The last text in the bubble of the target, empty if the bubble has been removed; `None` if
    /// the target never had a bubble.
    pub fn last_bubble(&self, target: TargetId) -> Option<&Text> {
        self.state.targets.get(target.0 as usize)?.bubble.text.as_ref()
    }
}

impl<T: Tracer> Vm<T> {
    /// Width and height of a [picture](Vm::picture) in pixels.
    pub const PICTURE_SIZE: (u16, u16) = Scene::PICTURE_SIZE;

    /// The picture of the stage (see [`Scene::picture`]). Without [colours](Program::with_colors),
    /// lines and stamps may be missing.
    pub fn picture(&self) -> Vec<[u8; 3]> {
        self.state.scene.picture()
    }
}

impl Program {
    /// Returns the program for VMs whose callers query colours even if no block senses colours.
    #[must_use]
    pub fn with_colors(mut self) -> Program {
        self.senses_colors = true;
        self
    }

    /// The hats of all scripts.
    pub fn hats(&self) -> impl Iterator<Item = BlockNo> + '_ {
        let scripts = self.sprites.iter().flat_map(|sprite| &sprite.scripts);
        scripts.map(|script| self.commands[script.hat as usize].no)
    }

    /// Names of a target's costumes.
    pub fn costumes(&self, target: usize) -> impl ExactSizeIterator<Item = &Text> {
        self.sprites[target].costumes.iter().map(|costume| &costume.name)
    }
}
