//! Sensing blocks.

use crate::code::{ExprId, Property};
use crate::interpreter::Interpreter;
use crate::keys::{Key, KeyQuery};
use crate::midstep::Midstep;
use crate::state::Question;
use crate::target::TargetId;
use crate::text::Text;
use crate::thread::Status;
use crate::tracer::Tracer;
use crate::value::{Value, to_rgba};

/// Value of `distance to` on the stage, and for a target that does not exist.
pub(crate) const MISSING_TARGET_DISTANCE: f64 = 10_000.0;

/// Fuel for sensing whether a target touches something: the base cost in blocks, and the number of
/// pixels of the sensing target that cost one more block.
const TOUCH_COST: (usize, f64) = (16, 512.0);
/// Fuel for sensing whether a colour is touched, including the search for a distance to the colour.
const COLOR_COST: (usize, f64) = (256, 32.0);

impl<T: Tracer> Interpreter<'_, T> {
    pub(crate) fn touching(&mut self, what: &Value) -> bool {
        let name = what.text();
        self.consume_pixel_fuel(TOUCH_COST);
        if *name == *"_edge_" {
            self.consume_hull_fuel(self.target);
        }
        self.touching_named(self.target, &name)
    }

    pub(crate) fn touching_named(&mut self, target: usize, name: &Text) -> bool {
        let drawable = self.state.targets[target].drawable;
        if *name == *"_mouse_" {
            return match self.state.mouse.sensed_point() {
                Some((x, y)) => self.state.scene.touching_point(drawable, x, y),
                None => false,
            };
        }
        if *name == *"_edge_" {
            return self.state.scene.touching_edge(drawable);
        }
        let Some(sprite) = self.program.sprite_named(name) else { return false };
        let (scene, live) = (&mut self.state.scene, &self.state.live_targets);
        let sets = &mut self.buffers.instances;
        if sets.len() <= sprite {
            sets.resize_with(sprite + 1, Default::default);
        }
        let (count, set) = &mut sets[sprite];
        // Update the set only if targets or drawables were added or removed. Both are compared,
        // because a clone is added to the scene before it becomes a target.
        if *count != live.len() || !set.is_current(scene) {
            let instances = live.iter().filter(|live| live.sprite as usize == sprite);
            set.fill(scene, instances.map(|live| live.drawable));
            *count = live.len();
        }
        scene.touching_set(drawable, set)
    }

    pub(crate) fn touching_color(&mut self, color: &Value) -> bool {
        let drawable = self.state.targets[self.target].drawable;
        self.consume_pixel_fuel(COLOR_COST);
        self.state.scene.touching_color(drawable, to_rgba(color).0)
    }

    pub(crate) fn color_touching_color(&mut self, own: &Value, other: &Value) -> bool {
        let drawable = self.state.targets[self.target].drawable;
        self.consume_pixel_fuel(COLOR_COST);
        let touching =
            self.state.scene.color_touching_color(drawable, to_rgba(own).0, to_rgba(other).0);
        if !touching && self.settings.distances_touch_hulls {
            self.consume_hull_fuel(self.target);
            self.state.scene.bounds(drawable);
        }
        touching
    }

    pub(crate) fn distance_to(&mut self, name: &Text) -> f64 {
        if self.target == self.program.stage {
            return MISSING_TARGET_DISTANCE;
        }
        let (x, y) = if *name == *"_mouse_" {
            self.mouse_position()
        } else {
            match self.program.sprite_named(name) {
                Some(sprite) => (self.state.targets[sprite].x, self.state.targets[sprite].y),
                None => return MISSING_TARGET_DISTANCE,
            }
        };
        let own = &self.state.targets[self.target];
        let (dx, dy) = (own.x - x, own.y - y);
        (dx * dx + dy * dy).sqrt()
    }

    pub(crate) fn key_pressed(&mut self, key: &Value) -> bool {
        match Key::of_sensing(key) {
            KeyQuery::Any => !self.state.keys.is_empty(),
            KeyQuery::Key(key) => self.state.keys.contains(&key),
        }
    }

    /// The virtual loudness; -1 if it is not set or not positive, as in the original without a
    /// microphone.
    pub(crate) fn loudness(&self) -> f64 {
        self.state.loudness.filter(|&v| v > 0.0).unwrap_or(-1.0)
    }

    pub(crate) fn property_of(&mut self, property: &Property, object: &Text) -> Value {
        let target = if *object == *"_stage_" {
            self.program.stage
        } else {
            match self.program.sprite_named(object) {
                Some(sprite) => sprite,
                None => return Value::Number(0.0),
            }
        };
        let stage = target == self.program.stage;
        let state = &self.state.targets[target];
        let number = match property {
            Property::Volume => state.volume,
            Property::BackdropNumber if stage => state.costume as f64 + 1.0,
            Property::BackdropName if stage => return Value::Text(self.costume_name(target)),
            Property::X if !stage => state.x,
            Property::Y if !stage => state.y,
            Property::Direction if !stage => state.direction,
            Property::CostumeNumber if !stage => state.costume as f64 + 1.0,
            Property::CostumeName if !stage => return Value::Text(self.costume_name(target)),
            Property::Size if !stage => state.size,
            Property::Variable(name) => {
                let variables = &self.program.sprites[target].variables;
                let found = variables.iter().position(|v| v.name == *name);
                // An undefined variable has not been created yet.
                let value = found.map(|i| state.variables[i].clone());
                return value.filter(|v| *v != Value::Undefined).unwrap_or(Value::Number(0.0));
            }
            _ => 0.0,
        };
        Value::Number(number)
    }

    pub(super) fn ask(&mut self, question: ExprId) {
        let text = self.text(question);
        let first = self.state.questions.is_empty();
        let state = &self.state.targets[self.target];
        self.state.questions.push_back(Question {
            text,
            thread: (self.thread as u32, self.state.threads[self.thread].serial),
            target: TargetId(self.target as u32),
            bubble: state.visible && self.target != self.program.stage,
        });
        self.set_status(Status::Promise { resolved: false });
        if first {
            self.show_question();
        }
    }

    /// The value of the block `timer` in seconds. Today's Scratch reads the time from its only
    /// clock, which has already advanced when a step begins.
    pub(crate) fn timer(&self) -> f64 {
        if self.state.promises.is_some() && self.settings.one_timer {
            let steps = self.state.clock + 1.0 - self.state.clock_start;
            return steps * self.settings.pace.step_ms / 1000.0;
        }
        self.state.timer
    }

    pub(crate) fn is_makey_key_down(&self, key: &Value) -> bool {
        let key = match &*key.to_text().to_str() {
            "SPACE" => "space".into(),
            arrow @ ("LEFT" | "RIGHT" | "UP" | "DOWN") => {
                Value::from(&*format!("{} arrow", arrow.to_lowercase()))
            }
            _ => key.clone(),
        };
        match Key::of_sensing(&key) {
            KeyQuery::Any => !self.state.keys.is_empty(),
            KeyQuery::Key(key) => self.state.keys.contains(&key),
        }
    }

    /// A tracer that watches may answer the question at once.
    pub(crate) fn show_question(&mut self) {
        if let Some(question) = self.state.questions.front().filter(|q| q.bubble) {
            let (target, text) = (question.target.0 as usize, question.text.clone());
            self.say(target, &Value::Text(text));
        }
        if T::WATCHES {
            self.offer_question();
        }
    }

    /// After an answer, the asking thread stops waiting when the step ends.
    fn offer_question(&mut self) {
        let Some(question) = self.state.questions.front() else { return };
        let (slot, serial) = question.thread;
        let crate::state::Question { text, target, bubble, .. } = question.clone();
        let question = crate::midstep::Question { text, target, bubble };
        let answer = self.tracer.asked(&question, Midstep(self.state));
        let Some(answer) = answer else { return };
        self.state.answer = answer;
        self.state.questions.pop_front();
        if bubble {
            self.set_bubble(target.0 as usize, Text::new(""));
        }
        let thread = &mut self.state.threads[slot as usize];
        if thread.serial == serial && matches!(thread.status, Status::Promise { .. }) {
            thread.status = Status::Promise { resolved: true };
        }
        self.show_question();
    }

    pub(crate) fn drop_questions(&mut self, target: TargetId) {
        let asking = self.state.questions.front().is_some_and(|q| q.target == target);
        self.state.questions.retain(|q| q.target != target);
        if asking {
            self.set_bubble(target.0 as usize, Text::new(""));
            self.show_question();
        }
    }

    pub(crate) fn answer(&mut self, answer: Text) {
        self.state.answer = answer;
        let Some(question) = self.state.questions.pop_front() else { return };
        if question.bubble {
            self.set_bubble(question.target.0 as usize, Text::new(""));
        }
        let (slot, serial) = question.thread;
        let thread = &self.state.threads[slot as usize];
        if thread.serial == serial && matches!(thread.status, Status::Promise { .. }) {
            self.resolve_promise(slot as usize);
        }
        self.show_question();
    }
}
