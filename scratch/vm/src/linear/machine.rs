//! The register machine that executes the linear form.

use super::conditions::MOST_TESTS;
use super::form::{Form, Instruction, Kind, Link, ListNo, Operand, REGISTERS, Reading};
use super::frames::Spares;
use super::items::Items;
use super::outcomes::measured;
use crate::compare::short_comparand;
use crate::eval::{LIST_LIMIT, nan_to_zero, place_of};
use crate::functions::{Angles, math};
use crate::program::Program;
use crate::rounding::modulo;
use crate::target::List;
use crate::thread::Frame;
use crate::tracer::Tracer;
use crate::value::{Value, js_round};

/// Why the machine stops at an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The interpreter goes on: the stack says where.
    Leave,
    /// The interpreter does what the instruction says, and the machine goes on behind it.
    Interpret,
}

/// Numbers and outcomes between the instructions of one block.
pub(super) struct Registers {
    pub(super) numbers: [f64; REGISTERS],
    /// Outcomes and their distances. They are apart because each is read soon after it is written,
    /// which is slow for a structure that is read as a whole.
    pub(super) outcomes: [bool; MOST_TESTS + 1],
    pub(super) to_true: [f64; MOST_TESTS + 1],
    pub(super) to_false: [f64; MOST_TESTS + 1],
    /// Outcomes that wait for others.
    pub(super) waiting: usize,
    pub(super) spares: Spares,
}

impl Default for Registers {
    fn default() -> Registers {
        Registers {
            numbers: [0.0; REGISTERS],
            outcomes: [false; MOST_TESTS + 1],
            to_true: [0.0; MOST_TESTS + 1],
            to_false: [0.0; MOST_TESTS + 1],
            waiting: 0,
            spares: Spares::default(),
        }
    }
}

/// The machine between two of its stops, with all that it reads and writes.
pub(super) struct Machine<'a, T: Tracer> {
    pub(super) program: &'a Program,
    pub(super) form: &'a Form,
    pub(super) registers: &'a mut Registers,
    pub(super) stage: &'a mut [Value],
    pub(super) stage_lists: &'a mut [List],
    /// Variables and lists of the target that executes; none if that is the stage.
    pub(super) own: &'a mut [Value],
    pub(super) own_lists: &'a mut [List],
    /// Sprite of the target that executes.
    pub(super) sprite: usize,
    pub(super) stack: &'a mut Vec<Frame>,
    pub(super) parameters: &'a mut Vec<Value>,
    /// Where the parameters of the innermost call begin.
    pub(super) base: usize,
    /// Frames with which a call may begin.
    pub(super) room: usize,
    pub(super) tracer: &'a mut T,
    pub(super) angles: &'a mut Angles,
    pub(super) items: &'a mut Items,
    /// Fuel of the slice.
    pub(super) fuel: u32,
    /// Iterations until a search for cycles.
    pub(super) due: u32,
}

impl<T: Tracer> Machine<'_, T> {
    /// Executes instructions from an index on. Returns the index of the one at which it stops.
    pub(super) fn run(&mut self, mut at: usize) -> (Stop, usize) {
        use Instruction::*;
        let form = self.form;
        let instructions = &form.instructions[..];
        'jumped: loop {
            // Most jumps lead to runs, which therefore are not looked up as other instructions are.
            if let Run { first, count, calls } = instructions[at] {
                if !self.begin_run(first, count, calls) {
                    return (self.leave_at(at), at);
                }
                at += 1;
            }
            loop {
                match instructions[at] {
                    Run { .. } => continue 'jumped,
                    Leave => return (self.leave_at(at), at),
                    Perform | Evaluate { .. } | Decide { .. } | PushValue { .. } => {
                        return (Stop::Interpret, at);
                    }
                    Add { to, a, b } => self.store(to, self.number(a) + self.number(b)),
                    Change { to, b } => self.change(to, self.number(b)),
                    Subtract { to, a, b } => self.store(to, self.number(a) - self.number(b)),
                    Multiply { to, a, b } => self.store(to, self.number(a) * self.number(b)),
                    Divide { to, a, b } => self.store(to, self.number(a) / self.number(b)),
                    Modulo { to, a, b } => self.store(to, modulo(self.number(a), self.number(b))),
                    Round { to, a } => self.store(to, js_round(self.number(a))),
                    Math { op, to, a } => {
                        let result = math(op, self.number(a), self.angles);
                        self.store(to, result);
                    }
                    Item { reading, to, list, index, whole } => {
                        match self.item(reading, list, index) {
                            Some(number) => self.store(to, number),
                            None => return (Stop::Interpret, whole as usize),
                        }
                    }
                    ListLength { to, list } => {
                        let length = self.items(list).len() as f64;
                        self.store(to, length);
                    }
                    Copy { to, a } => self.copy(to, a),
                    CopyItem { to, list, index } => {
                        let Some(index) = self.index(index) else { return (Stop::Interpret, at) };
                        self.copy_item(to, list, index);
                    }
                    AddToList { list, item } => {
                        if self.items(list).len() >= LIST_LIMIT {
                            return (Stop::Interpret, at);
                        }
                        self.add_item(list, item);
                    }
                    ReplaceItem { list, index, item } => {
                        let Some(index) = self.index(index) else { return (Stop::Interpret, at) };
                        self.replace_item(list, index, item);
                    }
                    Take { to, a, otherwise } => match self.known_number(a) {
                        Some(number) => self.store(to, number),
                        None => {
                            at = otherwise as usize;
                            continue 'jumped;
                        }
                    },
                    PushExpansions => self.push_expansions(at),
                    Jump { to } => {
                        at = to as usize;
                        continue 'jumped;
                    }
                    Compare { relation, link, jumps, a, b, to } => {
                        let (x, y) = (self.comparand(a), self.comparand(b));
                        if x.is_nan() || y.is_nan() {
                            return (Stop::Interpret, at);
                        }
                        let outcome = match link {
                            Link::Push => self.decide(at, relation, x, y),
                            link => {
                                self.link(link, measured(relation, x, y));
                                self.finish_test(at)
                            }
                        };
                        let taken = outcome == jumps;
                        at = if taken { to as usize } else { at + 1 };
                        continue 'jumped;
                    }
                    Test { relation, link, a, b, whole } => {
                        let (x, y) = (self.comparand(a), self.comparand(b));
                        if x.is_nan() || y.is_nan() {
                            return (Stop::Interpret, whole as usize);
                        }
                        self.link(link, measured(relation, x, y));
                    }
                    Combine(link) => {
                        let test = self.pop_test();
                        self.link(link, test);
                    }
                    Branch { jumps, to } => {
                        let taken = self.finish_test(at) == jumps;
                        at = if taken { to as usize } else { at + 1 };
                        continue 'jumped;
                    }
                    EnterLoop { counted, times } => self.enter_loop(at, counted, times),
                    Count { end } => {
                        at = if self.count(at) { at + 1 } else { end as usize };
                        continue 'jumped;
                    }
                    Endless => self.report(at, 0.0, 1.0),
                    Again { head } => {
                        if !self.again(at) {
                            return (Stop::Leave, at);
                        }
                        at = head as usize;
                        continue 'jumped;
                    }
                    CountAgain { body, end } => {
                        if !self.again(at) {
                            return (Stop::Leave, at);
                        }
                        at = if self.count(at) { body } else { end } as usize;
                        continue 'jumped;
                    }
                    LeaveLoop { branches } => {
                        self.pop_frames(1 + usize::from(branches));
                        at += 1;
                        continue 'jumped;
                    }
                    Push { a, place } => self.push_operand(at, a, place),
                    PushDefault { place } => self.push(at, Value::Undefined, place),
                    Call { site } => {
                        let site = &form.sites[site as usize];
                        self.call(at, site);
                        at = site.entry as usize;
                        continue 'jumped;
                    }
                    Return => {
                        let Some(resumption) = self.leave_block() else { return (Stop::Leave, at) };
                        at = resumption;
                        continue 'jumped;
                    }
                }
                at += 1;
            }
        }
    }

    /// Consumes the fuel of a run and reports its blocks. Returns false if there is too little.
    #[inline(always)]
    fn begin_run(&mut self, first: u32, count: u16, calls: bool) -> bool {
        let full = calls && self.stack.len() > self.room;
        if self.fuel <= u32::from(count) || full {
            return false;
        }
        self.fuel -= u32::from(count);
        if T::ACTIVE {
            let first = first as usize;
            for &no in &self.form.blocks[first..first + usize::from(count)] {
                self.tracer.covered(no);
            }
        }
        true
    }

    #[inline(always)]
    fn stored(&self, operand: Operand) -> &Value {
        const ZERO: Value = Value::Number(0.0);
        let index = operand.index();
        match operand.kind() {
            Kind::Stage => &self.stage[index],
            Kind::Own => &self.own[index],
            Kind::Constant => &self.form.values[index],
            Kind::Parameter => self.parameters.get(self.base + index).unwrap_or(&ZERO),
            Kind::Register => &ZERO,
        }
    }

    /// The number cast of an operand.
    #[inline(always)]
    pub(super) fn number(&self, operand: Operand) -> f64 {
        match operand.kind() {
            Kind::Register => nan_to_zero(self.registers.numbers[operand.index() % REGISTERS]),
            Kind::Constant => nan_to_zero(self.form.numbers[operand.index()]),
            _ => match self.stored(operand) {
                Value::Number(n) => nan_to_zero(*n),
                other => number_of(other),
            },
        }
    }

    /// What a comparison reads; NaN if it compares values.
    #[inline(always)]
    fn comparand(&self, operand: Operand) -> f64 {
        match operand.kind() {
            Kind::Register => self.registers.numbers[operand.index() % REGISTERS],
            Kind::Constant => self.form.numbers[operand.index()],
            _ => match self.stored(operand) {
                Value::Number(n) => *n,
                other => comparand_of(other),
            },
        }
    }

    /// An index of a list; `None` if it is a word.
    #[inline(always)]
    fn index(&self, operand: Operand) -> Option<f64> {
        match operand.kind() {
            Kind::Register => Some(self.registers.numbers[operand.index() % REGISTERS]),
            Kind::Constant => Some(self.form.numbers[operand.index()]),
            _ => match self.stored(operand) {
                Value::Number(n) => Some(*n),
                other => numeral(other),
            },
        }
    }

    #[inline(never)]
    pub(super) fn value(&self, operand: Operand) -> Value {
        match operand.kind() {
            Kind::Register => Value::Number(self.registers.numbers[operand.index() % REGISTERS]),
            _ => self.stored(operand).clone(),
        }
    }

    #[inline(always)]
    fn variable(&mut self, operand: Operand) -> &mut Value {
        let index = operand.index();
        if operand.kind() == Kind::Stage { &mut self.stage[index] } else { &mut self.own[index] }
    }

    #[inline(always)]
    fn store(&mut self, to: Operand, number: f64) {
        if to.kind() == Kind::Register {
            self.registers.numbers[to.index() % REGISTERS] = number;
            return;
        }
        write(self.variable(to), number);
    }

    #[inline(always)]
    fn change(&mut self, to: Operand, by: f64) {
        match self.variable(to) {
            Value::Number(n) => *n = nan_to_zero(*n) + by,
            other => *other = Value::Number(number_of(other) + by),
        }
    }

    /// The number that an operand is, uncast; `None` for other values.
    #[inline(always)]
    pub(super) fn known_number(&self, operand: Operand) -> Option<f64> {
        match operand.kind() {
            Kind::Register => Some(self.registers.numbers[operand.index() % REGISTERS]),
            _ => match self.stored(operand) {
                Value::Number(n) => Some(*n),
                _ => None,
            },
        }
    }

    #[inline(always)]
    fn copy(&mut self, to: Operand, a: Operand) {
        match self.known_number(a) {
            Some(number) => self.store(to, number),
            None => *self.variable(to) = self.stored(a).clone(),
        }
    }

    #[inline(always)]
    fn item(&mut self, reading: Reading, list: ListNo, index: Operand) -> Option<f64> {
        let index = self.index(index)?;
        let items = self.items(list);
        match place_of(index, items.len()).map(|place| &items[place]) {
            Some(Value::Number(n)) => Some(*n),
            // Outside of the list is an empty text.
            None => (reading == Reading::Number).then_some(0.0),
            Some(item) => read(reading, item),
        }
    }

    #[inline(always)]
    fn copy_item(&mut self, to: Operand, list: ListNo, index: f64) {
        let items = self.items(list);
        match place_of(index, items.len()).map(|place| &items[place]) {
            Some(Value::Number(n)) => {
                let number = *n;
                self.store(to, number);
            }
            Some(item) => {
                let item = item.clone();
                *self.variable(to) = item;
            }
            None => *self.variable(to) = Value::from(""),
        }
    }

    #[inline(always)]
    fn replace_item(&mut self, list: ListNo, index: f64, item: Operand) {
        let Some(place) = place_of(index, self.items(list).len()) else { return };
        if let Some(number) = self.known_number(item) {
            return write(&mut self.items_mut(list)[place], number);
        }
        if let (Value::Text(new), Value::Text(old)) =
            (self.stored(item), &self.existing_items(list)[place])
            && old.is_shared_with(new)
        {
            return;
        }
        let item = self.value(item);
        self.items_mut(list)[place] = item;
    }

    #[inline(always)]
    fn add_item(&mut self, list: ListNo, item: Operand) {
        match self.known_number(item) {
            Some(number) => push_number(self.items_mut(list), number),
            None => {
                let item = self.value(item);
                self.items_mut(list).push(item);
            }
        }
    }
}

/// Pushes a number. A function of its own, so that it is written in its parts: a value that is read
/// as a whole right after its parts have been written has to wait for them.
#[inline(never)]
pub(super) fn push_number(values: &mut Vec<Value>, number: f64) {
    values.push(Value::Number(number));
}

/// Sets a variable or item to a number.
#[inline(always)]
fn write(place: &mut Value, number: f64) {
    match place {
        Value::Number(n) => *n = number,
        other => *other = Value::Number(number),
    }
}

#[inline(never)]
fn number_of(value: &Value) -> f64 {
    value.to_number()
}

#[inline(never)]
fn comparand_of(value: &Value) -> f64 {
    short_comparand(value).unwrap_or(f64::NAN)
}

/// The number of a text that is a numeral; `None` for others.
#[inline(never)]
fn numeral(value: &Value) -> Option<f64> {
    match value {
        Value::Text(text) => Some(text.number()).filter(|n| !n.is_nan()),
        _ => None,
    }
}

/// The reading of an item that is no number.
#[inline(never)]
fn read(reading: Reading, item: &Value) -> Option<f64> {
    match reading {
        Reading::Number => Some(item.to_number()),
        Reading::Comparand => short_comparand(item),
        Reading::Index => numeral(item),
        Reading::Value => None,
    }
}
