//! Looks blocks.

use catherd_scratch_render::Effect;
use catherd_scratch_sb3::BlockNo;

use crate::code::ExprId;
use crate::interpreter::Interpreter;
use crate::midstep::Change;
use crate::target::{Bubble, Target, TargetId};
use crate::text::Text;
use crate::tracer::Tracer;
use crate::trigger::Trigger;
use crate::value::{Value, clamp, js_round, to_fixed_2, wrap};

/// Maximum length of a bubble's text in UTF-16 code units.
const BUBBLE_LIMIT: usize = 330;

impl<T: Tracer> Interpreter<'_, T> {
    /// The empty string removes the bubble.
    pub(crate) fn say(&mut self, target: usize, value: &Value) {
        let text = match value {
            Value::Number(n) if n.abs() >= 0.01 && n.fract() != 0.0 => Text::new(to_fixed_2(*n)),
            other => other.to_text(),
        };
        if T::ACTIVE {
            self.tracer.said(&text);
        }
        self.set_bubble(target, text.truncated(BUBBLE_LIMIT));
        self.report(|| Change::Said { target: TargetId(target as u32), value: value.clone() });
    }

    pub(crate) fn set_bubble(&mut self, target: usize, text: Text) {
        self.state.random.draw_name();
        self.state.targets[target].bubble.text = Some(text);
        self.note_bubble(target);
        self.show_bubble(target);
        self.report(|| Change::Bubble(TargetId(target as u32)));
    }

    fn show_bubble(&mut self, target: usize) {
        let visible = self.state.targets[target].visible;
        let Some(text) = self.state.targets[target].bubble.text.clone() else { return };
        if !visible || text.is_empty() {
            return self.hide_bubble(target);
        }
        match self.state.targets[target].bubble.drawable {
            Some(drawable) => self.state.scene.set_bubble_text(drawable, &text.to_str()),
            None => {
                let drawable = self.state.scene.add_bubble(&text.to_str());
                self.state.targets[target].bubble.drawable = Some(drawable);
            }
        }
        self.place_bubble(target);
    }

    fn hide_bubble(&mut self, target: usize) {
        if let Some(drawable) = self.state.targets[target].bubble.drawable.take() {
            self.redraw = true;
            self.state.scene.remove(drawable);
        }
    }

    pub(crate) fn drop_bubble(&mut self, target: usize) {
        self.hide_bubble(target);
        let text = &mut self.state.targets[target].bubble.text;
        *text = text.as_ref().map(|_| Text::new(""));
    }

    fn place_bubble(&mut self, target: usize) {
        let Target { bubble: Bubble { drawable, on_right, .. }, visible, .. } =
            self.state.targets[target];
        if let (Some(drawable), true) = (drawable, visible) {
            self.redraw = true;
            self.consume_hull_fuel(target);
            let target = &mut self.state.targets[target];
            target.bubble.on_right =
                self.state.scene.place_bubble(drawable, target.drawable, on_right);
        }
    }

    pub(crate) fn appearance_changed(&mut self, target: usize) {
        self.redraw |= self.state.targets[target].visible;
        if self.state.targets[target].bubble.drawable.is_some() {
            self.place_bubble(target);
        }
    }

    pub(super) fn say_for(&mut self, no: BlockNo, text: ExprId, seconds: ExprId) {
        let text = self.value(text);
        let seconds = self.number(seconds);
        if self.state.promises.is_some() {
            self.say(self.target, &text);
            return self.wait_for_timer(no, seconds, true);
        }
        if !self.frame().in_progress {
            self.say(self.target, &text);
        }
        if self.wait_steps(no, self.settings.step_count(seconds)) {
            // Remove the bubble even if its text has changed during the wait.
            self.set_bubble(self.target, Text::new(""));
        }
    }

    pub(crate) fn set_visible(&mut self, visible: bool) {
        if self.target == self.program.stage {
            return;
        }
        let target = &mut self.state.targets[self.target];
        target.visible = visible;
        self.state.scene.set_visible(target.drawable, visible);
        if visible {
            self.appearance_changed(self.target);
        }
        self.show_bubble(self.target);
        self.report_appearance(self.target);
    }

    /// NaN and infinities select the first costume.
    pub(crate) fn set_costume(&mut self, target: usize, index: f64) {
        let sprite = &self.program.sprites[self.state.targets[target].sprite as usize];
        let index = if index.is_finite() { js_round(index) } else { 0.0 };
        let last = sprite.costumes.len() as f64 - 1.0;
        let within = index >= 0.0 && index <= last;
        let costume = if within { index } else { wrap(index, 0.0, last) } as usize;
        let target_state = &mut self.state.targets[target];
        target_state.costume = costume;
        self.state.scene.set_skin(target_state.drawable, sprite.costumes[costume].skin);
        self.appearance_changed(target);
        self.report_appearance(target);
    }

    pub(crate) fn switch_costume(&mut self, value: &Value) {
        self.select_costume(self.target, value, ["next costume", "previous costume"]);
    }

    /// Selects a costume by a number, a name, a word such as `next costume`, or a numeral,
    /// in this order.
    fn select_costume(&mut self, target: usize, value: &Value, words: [&str; 2]) {
        let current = self.state.targets[target].costume as f64;
        if let Value::Number(n) = value {
            return self.set_costume(target, n - 1.0);
        }
        let name = value.text();
        let sprite = &self.program.sprites[self.state.targets[target].sprite as usize];
        if let Some(i) = sprite.costumes.iter().position(|c| c.name == *name) {
            self.set_costume(target, i as f64);
        } else if *name == *words[0] {
            self.set_costume(target, current + 1.0);
        } else if *name == *words[1] {
            self.set_costume(target, current - 1.0);
        } else if target == self.program.stage
            && words[0] == "next backdrop"
            && *name == *"random backdrop"
        {
            let others = sprite.costumes.len() as f64 - 1.0;
            if others > 0.0 {
                let k = (self.state.random.draw() * others).floor();
                self.set_costume(target, if k >= current { k + 1.0 } else { k });
            }
        } else {
            let n = value.js_number();
            let blank = matches!(value, Value::Text(t) if t.is_blank());
            if !blank && !n.is_nan() {
                self.set_costume(target, n - 1.0);
            }
        }
    }

    pub(super) fn switch_backdrop(&mut self, value: &Value) {
        self.select_costume(self.program.stage, value, ["next backdrop", "previous backdrop"]);
        self.start_backdrop_hats();
    }

    /// Starts the hats of the current backdrop, even if the backdrop has not changed.
    pub(super) fn start_backdrop_hats(&mut self) {
        let stage = &self.state.targets[self.program.stage];
        let name =
            self.program.sprites[stage.sprite as usize].costumes[stage.costume].upper_name.clone();
        self.start_hats(&Trigger::Backdrop(name), None);
    }

    pub(super) fn set_effect(&mut self, effect: Effect, value: f64) {
        let value = match effect {
            Effect::Ghost => clamp(value, 0.0, 100.0),
            Effect::Brightness => clamp(value, -100.0, 100.0),
            _ => value,
        };
        let target = &mut self.state.targets[self.target];
        target.effects[effect as usize] = value;
        self.state.scene.set_effect(target.drawable, effect, value);
        self.appearance_changed(self.target);
        self.report_appearance(self.target);
    }

    pub(crate) fn clear_effects(&mut self, target: usize) {
        let target = &mut self.state.targets[target];
        self.redraw |= target.visible;
        target.effects = [0.0; 7];
        for effect in Effect::ALL {
            self.state.scene.set_effect(target.drawable, effect, 0.0);
        }
    }

    /// Sets the size in percent, within limits that depend on the costume.
    pub(crate) fn set_size(&mut self, size: f64) {
        if self.target == self.program.stage {
            return;
        }
        let target = &mut self.state.targets[self.target];
        let skin = self.program.sprites[target.sprite as usize].costumes[target.costume].skin;
        let (w, h) = self.program.skins.size(skin);
        let least = (5.0 / w).max(5.0 / h).min(1.0);
        let most = (720.0 / w).min(540.0 / h);
        target.size = clamp(size / 100.0, least, most) * 100.0;
        target.update_rotation(&mut self.state.scene);
        self.appearance_changed(self.target);
        self.report_appearance(self.target);
    }

    /// Moves the target to the front (infinity) or to the back (minus infinity).
    pub(super) fn go_to_layer(&mut self, end: f64) {
        if self.target == self.program.stage {
            return;
        }
        let drawable = self.state.targets[self.target].drawable;
        self.state.scene.set_order(drawable, end);
        self.move_in_order(end);
    }

    pub(super) fn go_layers(&mut self, by: f64) {
        if self.target == self.program.stage {
            return;
        }
        let drawable = self.state.targets[self.target].drawable;
        self.state.scene.move_order(drawable, by);
        self.move_in_order(by);
    }

    /// Moves the target in the execution order, in which the stage usually stays first.
    fn move_in_order(&mut self, by: f64) {
        let id = TargetId(self.target as u32);
        let Some(old) = self.state.execution_order.iter().position(|&t| t == id) else { return };
        self.state.execution_order.remove(old);
        let new = old as f64 + by;
        let place = if new > self.state.execution_order.len() as f64 {
            self.state.execution_order.len()
        } else if new <= 0.0 {
            usize::from(
                self.state.execution_order.first() == Some(&TargetId(self.program.stage as u32)),
            )
        } else {
            // Truncate after the comparison, so that a position between 0 and 1 is before the
            // stage.
            new as usize
        };
        self.state.execution_order.insert(place, id);
    }
}
