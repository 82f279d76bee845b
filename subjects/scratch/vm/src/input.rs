//! User input, applied between steps.

use crate::calls::Work;
use crate::interpreter::Interpreter;
use crate::keys::{Key, KeyQuery};
use crate::target::TargetId;
use crate::text::Text;
use crate::thread::Glide;
use crate::tracer::Tracer;
use crate::trigger::Trigger;
use crate::value::{clamp, js_round};
use crate::vm::Vm;

impl<T: Tracer> Vm<T> {
    /// Presses or releases a key of the key menu, such as `space`, `left arrow` or `a`. A press
    /// starts the scripts with a hat for the key. Unknown names are ignored.
    pub fn key(&mut self, name: &str, down: bool) {
        let Some(key) = Key::pressed(name) else { return };
        if !down {
            self.state.keys.retain(|k| *k != key);
            return;
        }
        self.interpreter().note_key(name);
        let triggers = [KeyQuery::Key(key), KeyQuery::Any].map(Trigger::Key);
        self.call(Work::Start(&triggers, None));
        if !self.state.keys.contains(&key) {
            self.state.keys.push(key);
        }
    }

    /// Moves the mouse pointer to a position in stage coordinates.
    pub fn mouse_move(&mut self, x: f64, y: f64) {
        self.state.mouse.pointer = (x, y);
        self.interpreter().update_mouse_position();
    }

    /// Presses or releases the mouse button at the position of the pointer. A target under the
    /// pointer is clicked by the press, or by the release if it is draggable.
    pub fn mouse_button(&mut self, down: bool) {
        let mut interpreter = self.interpreter();
        interpreter.update_mouse_position();
        let (x, y) = interpreter.state.mouse.pointer;
        let changed = interpreter.state.mouse.down != down;
        interpreter.state.mouse.down = down;
        let inside = x > -240.0 && x < 240.0 && y > -180.0 && y < 180.0;
        if changed && inside {
            let target = interpreter.pick();
            if interpreter.state.targets[target.0 as usize].draggable != down {
                self.click(target);
            }
        }
    }

    /// Sets the answer, and answers the first open question if there is one.
    pub fn answer(&mut self, text: &str) {
        self.interpreter().answer(Text::new(text));
    }

    /// Starts the click hats of one target, independently of the mouse.
    pub fn click(&mut self, target: TargetId) {
        if self.state.targets.get(target.0 as usize).is_some_and(|t| t.alive) {
            self.call(Work::Start(&[Trigger::SpriteClicked, Trigger::StageClicked], Some(target)));
        }
    }

    /// Moves a sprite or clone as dragging with the mouse does.
    pub fn drag(&mut self, target: TargetId, x: f64, y: f64) {
        let mut interpreter = self.interpreter();
        let index = target.0 as usize;
        if index == interpreter.program.stage
            || !interpreter.state.targets.get(index).is_some_and(|t| t.alive)
        {
            return;
        }
        interpreter.move_clamped(index, x, y);
        for thread in
            interpreter.state.threads.iter_mut().filter(|t| t.listed && t.target == target)
        {
            let Glide { from, .. } = &mut thread.glide;
            *from = (x, y);
        }
    }

    /// Sets the virtual loudness, 0 to 100; `None` is silence.
    pub fn set_loudness(&mut self, volume: Option<f64>) {
        self.state.loudness = volume.map(|v| clamp(v, 0.0, 100.0));
    }
}

impl<T: Tracer> Interpreter<'_, T> {
    /// As in the original, a coordinate of 0 on the canvas (the left or upper border) is ignored.
    fn update_mouse_position(&mut self) {
        let mouse = &mut self.state.mouse;
        let (x, y) = (mouse.pointer.0 + 240.0, 180.0 - mouse.pointer.1);
        if x != 0.0 {
            mouse.canvas.0 = Some(x);
            mouse.x = Some(js_round(clamp(480.0 * (x / 480.0 - 0.5), -240.0, 240.0)));
        }
        if y != 0.0 {
            mouse.canvas.1 = Some(y);
            mouse.y = Some(js_round(clamp(-360.0 * (y / 360.0 - 0.5), -180.0, 180.0)));
        }
    }

    fn pick(&mut self) -> TargetId {
        let stage = TargetId(self.program.stage as u32);
        let Some((x, y)) = self.state.mouse.sensed_point() else { return stage };
        let picked = self.state.scene.pick(x, y);
        let owner = self.state.live_targets.iter().find(|live| Some(live.drawable) == picked);
        owner.map_or(stage, |live| live.id)
    }
}
