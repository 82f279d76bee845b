//! Input from outside, applied between steps.

use crate::keys::{Key, KeyQuery};
use crate::machine::{Run, Vm};
use crate::program::Start;
use crate::state::TargetId;
use crate::text::Text;
use crate::thread::Glide;
use crate::tracer::Tracer;
use crate::value::{clamp, js_round};

impl<T: Tracer> Vm<T> {
    /// Presses or releases a key, by its name in the key menu: `space`, `left arrow`,
    /// `enter`, `a`. Scripts that wait for the key or for any key start at once, unless
    /// they run already. Names that no key has are ignored.
    pub fn key(&mut self, name: &str, down: bool) {
        let Some(key) = Key::pressed(name) else { return };
        let mut run = self.run();
        if !down {
            run.s.keys.retain(|k| *k != key);
            return;
        }
        run.start_hats(&Start::Key(KeyQuery::Key(key)), None);
        run.start_hats(&Start::Key(KeyQuery::Any), None);
        if !run.s.keys.contains(&key) {
            run.s.keys.push(key);
        }
    }

    /// Moves the mouse to stage coordinates.
    pub fn mouse_move(&mut self, x: f64, y: f64) {
        self.state.mouse.pointer = (x, y);
        self.run().post_mouse();
    }

    /// Presses or releases the mouse button where the pointer is. A press clicks the
    /// target under the pointer, for draggable ones the release does.
    pub fn mouse_button(&mut self, down: bool) {
        let mut run = self.run();
        run.post_mouse();
        let (x, y) = run.s.mouse.pointer;
        let changed = run.s.mouse.down != down;
        run.s.mouse.down = down;
        let inside = x > -240.0 && x < 240.0 && y > -180.0 && y < 180.0;
        if changed && inside {
            let target = run.pick();
            if run.s.targets[target.0 as usize].draggable != down {
                run.click(target);
            }
        }
    }

    /// Answers the first open question.
    pub fn answer(&mut self, text: &str) {
        self.run().answer(Text::new(text));
    }

    /// Starts the click hats of one target, without a mouse.
    pub fn click(&mut self, target: TargetId) {
        let mut run = self.run();
        if run.s.targets.get(target.0 as usize).is_some_and(|t| t.alive) {
            run.click(target);
        }
    }

    /// Puts a target somewhere as a user who drags it would: fenced, without a pen line;
    /// a glide under way goes on from there.
    pub fn drag(&mut self, target: TargetId, x: f64, y: f64) {
        let mut run = self.run();
        let index = target.0 as usize;
        if index == run.p.stage || !run.s.targets.get(index).is_some_and(|t| t.alive) {
            return;
        }
        run.fenced_move(index, x, y);
        for thread in run.s.threads.iter_mut().filter(|t| t.listed && t.target == target) {
            let Glide { from, .. } = &mut thread.glide;
            *from = (x, y);
        }
    }

    /// Sets the virtual loudness, 0 to 100; none is silence.
    pub fn sound(&mut self, volume: Option<f64>) {
        self.state.loudness = volume.map(|v| clamp(v, 0.0, 100.0));
    }
}

impl<T: Tracer> Run<'_, T> {
    /// The pointer's position arrives. A coordinate on the left or upper border of the
    /// canvas is 0 there and gets lost, as in the original.
    fn post_mouse(&mut self) {
        let mouse = &mut self.s.mouse;
        let (x, y) = (mouse.pointer.0 + 240.0, 180.0 - mouse.pointer.1);
        if x != 0.0 {
            mouse.client.0 = Some(x);
            mouse.x = Some(js_round(clamp(480.0 * (x / 480.0 - 0.5), -240.0, 240.0)));
        }
        if y != 0.0 {
            mouse.client.1 = Some(y);
            mouse.y = Some(js_round(clamp(-360.0 * (y / 360.0 - 0.5), -180.0, 180.0)));
        }
    }

    /// The target under the pointer; the stage where there is none.
    fn pick(&mut self) -> TargetId {
        let stage = TargetId(self.p.stage as u32);
        let Some((x, y)) = self.s.mouse.sensed() else { return stage };
        let picked = self.s.scene.pick(x, y);
        let owner = |id: &TargetId| Some(self.s.targets[id.0 as usize].drawable) == picked;
        self.s.list.iter().copied().find(owner).unwrap_or(stage)
    }

    fn click(&mut self, target: TargetId) {
        self.start_hats(&Start::SpriteClicked, Some(target));
        self.start_hats(&Start::StageClicked, Some(target));
    }
}
