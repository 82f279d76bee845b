//! Evaluation of expressions as numbers, truth values or values.

use std::borrow::Cow;

use crate::code::{Expr, ExprId, Slot};
use crate::functions::{current, math, snap};
use crate::interpreter::Interpreter;
use crate::limits::Limit;
use crate::rounding::{floor, modulo};
use crate::settings::DAY_MS;
use crate::target::List;
use crate::text::Text;
use crate::tracer::Tracer;
use crate::value::{Value, js_round};

/// Scratch's maximum number of items in a list.
pub(crate) const LIST_LIMIT: usize = 200_000;

/// The motion that is reported because there is no camera.
pub(crate) const NO_MOTION: f64 = -1.0;

/// Fuel for creating or reading a string, in blocks.
pub(crate) fn text_cost(units: usize) -> usize {
    units / 16
}

/// Fuel for iterating over list items, in blocks.
pub(crate) fn list_cost(items: usize) -> usize {
    items / 32
}

pub(crate) enum ListIndex {
    All,
    /// From 0.
    At(usize),
    Invalid,
}

#[inline]
pub(crate) fn nan_to_zero(n: f64) -> f64 {
    if n.is_nan() { 0.0 } else { n }
}

impl<T: Tracer> Interpreter<'_, T> {
    pub(crate) fn number(&mut self, e: ExprId) -> f64 {
        let program = self.program;
        match &program.exprs[e.0 as usize] {
            Expr::Number(n) => nan_to_zero(*n),
            Expr::Constant(c) => program.constants[*c as usize].to_number(),
            Expr::Variable(slot) => self.variable(*slot).to_number(),
            Expr::Parameter(i) => self.parameter(*i).map_or(0.0, Value::to_number),
            Expr::ItemOfList(list, index) => {
                // An index outside the list results in the empty string, which is 0 as a number.
                let place = self.item_place(*list, *index);
                place.map_or(0.0, |place| self.list(*list).items[place].to_number())
            }
            _ => match self.arithmetic(e) {
                Some(n) => nan_to_zero(n),
                None => self.value(e).to_number(),
            },
        }
    }

    pub(crate) fn truth(&mut self, e: ExprId) -> bool {
        let program = self.program;
        match program.exprs[e.0 as usize] {
            Expr::Less(a, b) => self.with_operands(a, b, |a, b| a < b, |a, b| a.compare(b).is_lt()),
            Expr::Equals(a, b) => self.with_operands(a, b, |a, b| a == b, Value::equals),
            Expr::Greater(a, b) => {
                self.with_operands(a, b, |a, b| a > b, |a, b| a.compare(b).is_gt())
            }
            // Use `&`, because both sides are always evaluated.
            Expr::And(a, b) => self.truth(a) & self.truth(b),
            Expr::Or(a, b) => self.truth(a) | self.truth(b),
            Expr::Not(a) => !self.truth(a),
            Expr::Outcome(a) => self.truth(a),
            Expr::Contains { text, part } => {
                let (text, part) = (self.text(text), self.text(part));
                self.consume_fuel(text_cost(text.len() + part.len()));
                text.contains_ignoring_case(&part)
            }
            Expr::Touching(what) => {
                let what = self.value(what);
                self.touching(&what)
            }
            Expr::TouchingColor(color) => {
                let color = self.value(color);
                self.touching_color(&color)
            }
            Expr::ColorTouchingColor(own, other) => {
                let (own, other) = (self.value(own), self.value(other));
                self.color_touching_color(&own, &other)
            }
            Expr::KeyPressed(key) => {
                let key = self.value(key);
                self.key_pressed(&key)
            }
            Expr::MouseDown => self.state.mouse.down,
            Expr::Loud => self.loudness() > 10.0,
            Expr::ListContains(list, item) => self.find_item(list, item).is_some(),
            _ => self.value(e).to_bool(),
        }
    }

    /// Days since the beginning of the year 2000, rounded down to whole milliseconds as in a
    /// JavaScript `Date`.
    fn now(&self) -> f64 {
        /// Larger than the rounding error of a product of steps and milliseconds.
        const ERROR_MS: f64 = 1e-6;
        let passed = self.state.clock * self.settings.pace.step_ms;
        let start = js_round(self.settings.days_since_2000 * DAY_MS);
        floor(start + passed + ERROR_MS) / DAY_MS
    }

    fn find_item(&mut self, list: Slot, item: ExprId) -> Option<usize> {
        let item = self.value(item);
        let items = &self.list(list).items;
        let (length, found) = (items.len(), item.position_in(items));
        // A comparison with a long string takes longer.
        let walked = found.unwrap_or(length);
        self.consume_fuel(list_cost(walked).saturating_mul(1 + text_cost(item.text_len())));
        found
    }

    /// Truncates the concatenation of two strings at the text limit before it is allocated.
    pub(crate) fn join(&mut self, mut a: Text, b: &Text) -> Text {
        self.consume_fuel(text_cost(a.len() + b.len()));
        let limit = self.settings.text_limit;
        if a.len() + b.len() <= limit {
            a.append(b);
            return a;
        }
        self.hit(Limit::Text);
        let a = a.truncated(limit);
        a.join(&b.truncated(limit - a.len()))
    }

    pub(crate) fn text(&mut self, e: ExprId) -> Text {
        match self.value(e) {
            Value::Text(t) => t,
            other => other.to_text(),
        }
    }

    /// The number of an expression without a cast, possibly NaN; `None` if the expression must be
    /// evaluated as a value.
    #[inline(always)]
    pub(crate) fn arithmetic(&mut self, e: ExprId) -> Option<f64> {
        let program = self.program;
        Some(match program.exprs[e.0 as usize] {
            Expr::Number(n) => n,
            Expr::Add(a, b) => self.number(a) + self.number(b),
            Expr::Subtract(a, b) => self.number(a) - self.number(b),
            Expr::Multiply(a, b) => self.number(a) * self.number(b),
            Expr::Divide(a, b) => self.number(a) / self.number(b),
            Expr::Modulo(a, b) => modulo(self.number(a), self.number(b)),
            Expr::Round(a) => js_round(self.number(a)),
            Expr::Math(op, a) => {
                let n = self.number(a);
                math(op, n, &mut self.buffers.angles)
            }
            Expr::Random(a, b) => self.pick_random(a, b),
            Expr::Length(text) => match &program.exprs[text.0 as usize] {
                Expr::Variable(slot) => match self.variable(*slot) {
                    Value::Text(t) => t.len() as f64,
                    other => other.to_text().len() as f64,
                },
                _ => self.text(text).len() as f64,
            },
            Expr::XPosition => snap(self.state.targets[self.target].x),
            Expr::YPosition => snap(self.state.targets[self.target].y),
            Expr::Direction => self.state.targets[self.target].direction,
            Expr::Size => js_round(self.state.targets[self.target].size),
            Expr::CostumeNumber => self.state.targets[self.target].costume as f64 + 1.0,
            Expr::BackdropNumber => self.state.targets[program.stage].costume as f64 + 1.0,
            Expr::Volume => self.state.targets[self.target].volume,
            Expr::Tempo => self.state.tempo,
            Expr::Counter => self.state.counter,
            Expr::DistanceTo(what) => {
                let what = self.text(what);
                self.distance_to(&what)
            }
            Expr::MouseX => self.state.mouse.x?,
            Expr::MouseY => self.state.mouse.y?,
            Expr::Loudness => self.loudness(),
            Expr::Timer => self.timer(),
            Expr::Current(field) => current(field, self.now()),
            Expr::DaysSince2000 => self.now(),
            Expr::VideoMotion => NO_MOTION,
            Expr::ItemNumberOfList(list, item) => {
                self.find_item(list, item).map_or(0.0, |i| i as f64 + 1.0)
            }
            Expr::LengthOfList(list) => self.list(list).items.len() as f64,
            _ => return None,
        })
    }

    pub(crate) fn value(&mut self, e: ExprId) -> Value {
        let program = self.program;
        match &program.exprs[e.0 as usize] {
            Expr::Constant(c) => program.constants[*c as usize].clone(),
            Expr::Undefined => Value::Undefined,
            Expr::Variable(slot) => self.variable(*slot).clone(),
            Expr::LazyVariable(slot) => {
                let variable = self.variable_mut(*slot);
                if *variable == Value::Undefined {
                    *variable = Value::Number(0.0);
                }
                variable.clone()
            }
            Expr::Parameter(i) => self.parameter(*i).cloned().unwrap_or(Value::Number(0.0)),
            Expr::ListContents(slot) => {
                let limit = self.settings.text_limit;
                let list = self.list(*slot);
                let (items, (text, cut)) = (list.items.len(), list_contents(list, limit));
                self.consume_fuel(list_cost(items) + text_cost(text.len()));
                if cut {
                    self.hit(Limit::Text);
                }
                Value::Text(text)
            }
            Expr::DeferredOperand => {
                self.buffers.deferred_operands.pop().unwrap_or(Value::Undefined)
            }
            Expr::EarlyInput(i) => {
                self.buffers.early_values.get(*i as usize).cloned().unwrap_or(Value::Undefined)
            }
            Expr::Reversed { first, node } => {
                let value = self.value(*first);
                self.buffers.deferred_operands.push(value);
                self.value(*node)
            }
            Expr::Then { first, node } => {
                self.value(*first);
                self.value(*node)
            }
            Expr::Join(a, b) => {
                let (a, b) = (self.text(*a), self.text(*b));
                Value::Text(self.join(a, &b))
            }
            Expr::LetterOf { letter, text } => {
                let index = self.number(*letter) - 1.0;
                let unit = |text: &Text| {
                    let exists = index >= 0.0 && index < text.len() as f64;
                    exists.then(|| text.unit(index as usize)).flatten()
                };
                let letter = match self.stored(*text) {
                    Some(Value::Text(text)) => unit(text),
                    _ => unit(&self.text(*text)),
                };
                Value::Text(letter.unwrap_or_else(|| Text::new("")))
            }
            Expr::CostumeName => Value::Text(self.costume_name(self.target)),
            Expr::BackdropName => Value::Text(self.costume_name(program.stage)),
            Expr::Answer => Value::Text(self.state.answer.clone()),
            Expr::Username => Value::from(""),
            Expr::Translate(words) => {
                let words = self.text(*words);
                Value::Text(if self.settings.awaits_translations && self.state.promises.is_none() {
                    Text::new("")
                } else {
                    words
                })
            }
            Expr::AwaitedTranslation => Value::Undefined,
            Expr::Of { property, object } => {
                let object = self.text(*object);
                self.property_of(property, &object)
            }
            Expr::ItemOfList(list, index) => match self.item_place(*list, *index) {
                Some(place) => self.list(*list).items[place].clone(),
                None => Value::from(""),
            },
            Expr::Less(..)
            | Expr::Equals(..)
            | Expr::Greater(..)
            | Expr::And(..)
            | Expr::Or(..)
            | Expr::Not(..)
            | Expr::Outcome(..)
            | Expr::Contains { .. }
            | Expr::Touching(..)
            | Expr::TouchingColor(..)
            | Expr::ColorTouchingColor(..)
            | Expr::KeyPressed(..)
            | Expr::MouseDown
            | Expr::Loud
            | Expr::ListContains(..) => Value::Bool(self.truth(e)),
            _ => self.arithmetic(e).map_or(Value::Undefined, Value::Number),
        }
    }

    #[inline]
    pub(crate) fn variable(&self, slot: Slot) -> &Value {
        match slot {
            Slot::Stage(i) => &self.state.targets[self.program.stage].variables[i as usize],
            Slot::Own(i) => &self.state.targets[self.target].variables[i as usize],
        }
    }

    #[inline]
    pub(crate) fn variable_mut(&mut self, slot: Slot) -> &mut Value {
        match slot {
            Slot::Stage(i) => &mut self.state.targets[self.program.stage].variables[i as usize],
            Slot::Own(i) => &mut self.state.targets[self.target].variables[i as usize],
        }
    }

    /// A list. The first block that uses a list creates it.
    #[inline]
    pub(crate) fn list(&mut self, slot: Slot) -> &mut List {
        let list = match slot {
            Slot::Stage(i) => &mut self.state.targets[self.program.stage].lists[i as usize],
            Slot::Own(i) => &mut self.state.targets[self.target].lists[i as usize],
        };
        list.exists = true;
        list
    }

    /// A parameter of the innermost call.
    #[inline]
    pub(crate) fn parameter(&self, slot: u32) -> Option<&Value> {
        let thread = &self.state.threads[self.thread];
        let base = thread.stack.last()?.visible_parameters().checked_sub(1)?;
        thread.parameters.get((base + slot) as usize)
    }

    fn item_place(&mut self, list: Slot, index: ExprId) -> Option<usize> {
        let index = self.value(index);
        let length = self.list(list).items.len();
        if let Value::Number(n) = index {
            return place_of(n, length);
        }
        match self.list_index(&index, length, false) {
            ListIndex::At(place) => Some(place),
            _ => None,
        }
    }

    fn pick_random(&mut self, from: ExprId, to: ExprId) -> f64 {
        let (from, to) = (self.value(from), self.value(to));
        let integer = from.is_int() && to.is_int();
        self.state.random.pick(from.to_number(), to.to_number(), integer)
    }

    pub(crate) fn list_index(&mut self, index: &Value, length: usize, all: bool) -> ListIndex {
        let n = match index {
            Value::Number(n) => *n,
            Value::Text(t) if *t == *"all" => {
                return if all { ListIndex::All } else { ListIndex::Invalid };
            }
            Value::Text(t) if *t == *"last" => {
                return if length > 0 { ListIndex::At(length - 1) } else { ListIndex::Invalid };
            }
            Value::Text(t) if *t == *"random" || *t == *"any" => {
                if length == 0 {
                    return ListIndex::Invalid;
                }
                let place = (self.state.random.draw() * length as f64).floor() as usize;
                return ListIndex::At(place.min(length - 1));
            }
            other => other.to_number(),
        };
        place_of(n, length).map_or(ListIndex::Invalid, ListIndex::At)
    }

    pub(crate) fn costume_name(&self, target: usize) -> Text {
        let target = &self.state.targets[target];
        self.program.sprites[target.sprite as usize].costumes[target.costume].name.clone()
    }
}

/// The position (from 0) of the item whose index is `n` rounded towards 0.
#[inline]
pub(crate) fn place_of(n: f64, length: usize) -> Option<usize> {
    // The cast rounds towards 0 and maps NaN to 0. The position before 0 wraps to a number that is
    // too large.
    let place = (n as i64 as usize).wrapping_sub(1);
    (place < length).then_some(place)
}

/// The contents of a list as a string of at most `limit` UTF-16 code units, and whether it was
/// truncated.
fn list_contents(list: &List, limit: usize) -> (Text, bool) {
    let single = |v: &Value| matches!(v, Value::Text(t) if t.len() == 1);
    let separator = if list.items.iter().all(single) { "" } else { " " };
    let mut text = String::new();
    for (i, item) in list.items.iter().enumerate() {
        if i > 0 {
            text.push_str(separator);
        }
        match item {
            Value::Text(item) => match item.to_str() {
                Cow::Borrowed(ascii) => text.push_str(ascii),
                Cow::Owned(_) => return wide_list_contents(list, separator, limit),
            },
            Value::Number(n) => text.push_str(ryu_js::Buffer::new().format(*n)),
            Value::Bool(_) => text.push_str(&item.to_text().to_str()),
            Value::Undefined => {}
        }
        if text.len() > limit {
            break;
        }
    }
    let cut = text.len() > limit;
    text.truncate(limit);
    (Text::new(text), cut)
}

/// Like `list_contents`, for lists with characters outside ASCII.
fn wide_list_contents(list: &List, separator: &str, limit: usize) -> (Text, bool) {
    let mut units = Vec::new();
    for (i, item) in list.items.iter().enumerate() {
        if i > 0 {
            units.extend(separator.encode_utf16());
        }
        if *item != Value::Undefined {
            units.extend(item.to_text().units());
        }
        if units.len() > limit {
            break;
        }
    }
    let cut = units.len() > limit;
    units.truncate(limit);
    (Text::from_units(units), cut)
}
