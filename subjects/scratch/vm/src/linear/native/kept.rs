//! Values that native code keeps in registers.

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{Block, InstBuilder, Type, Value, types};
use cranelift_frontend::{FunctionBuilder, Variable};
use rustc_hash::FxHashMap;

use super::abi::Abi;
use super::frequent::Frequent;
use super::generator::{D, Generator, I, SECOND, TRUSTED};
use super::layout::Layout;
use crate::linear::form::{ListNo, Operand};

/// Values in registers. In memory, each change of such a value would wait several cycles for the
/// previous change.
pub(super) struct Kept {
    pub(super) fuel: Variable,
    /// Iterations until the next search for cycles.
    pub(super) due: Variable,
    /// The fields of the executor that registers keep, with their offsets.
    fields: Vec<(i32, Field)>,
    /// The frame of the innermost loop; 0 if it is not known.
    pub(super) frame: Variable,
    /// The counter of the innermost loop if its frame is known.
    pub(super) counter: Variable,
    /// The numbers of variables. NaN means that the number is not known. Any other number equals
    /// the value in memory, which has no reference count.
    numbers: FxHashMap<Operand, Variable>,
    /// The numbers that are known not to be NaN.
    pub(super) certain: FxHashMap<Operand, Value>,
    lists: FxHashMap<ListNo, KeptList>,
}

#[derive(Clone, Copy)]
struct Field {
    variable: Variable,
    kind: Type,
    /// Whether native code writes the field.
    changes: bool,
}

#[derive(Clone, Copy)]
pub(super) struct KeptList {
    pub(super) address: Variable,
    /// 0 if it is not known where the items are.
    pub(super) length: Variable,
    /// Whether the list is known to be open.
    pub(super) is_open: Variable,
}

impl Kept {
    pub(super) fn new(
        builder: &mut FunctionBuilder,
        (abi, layout): (&Abi, &Layout),
        executor: Value,
        frequent: &Frequent,
        calls: bool,
    ) -> Kept {
        let (values, number) = abi.parameter(layout);
        let of_calls = [
            (abi.base, I, true),
            (abi.parameter_count, I, true),
            (abi.calls, I, true),
            (abi.delayed_frames, types::I32, true),
            (values, I, false),
            (number, I, false),
        ];
        let fields = [(abi.fuel, types::I32, true), (abi.due, types::I32, true)];
        let fields = fields.into_iter().chain(of_calls.into_iter().filter(|_| calls));
        let fields: Vec<_> = fields
            .map(|(offset, kind, changes)| {
                let variable = builder.declare_var(kind);
                let value = builder.ins().load(kind, TRUSTED, executor, offset);
                builder.def_var(variable, value);
                (offset, Field { variable, kind, changes })
            })
            .collect();
        let (fuel, due) = (fields[0].1.variable, fields[1].1.variable);
        let unknown = builder.ins().f64const(f64::NAN);
        let mut number = |operand: &Operand| {
            let variable = builder.declare_var(D);
            builder.def_var(variable, unknown);
            (*operand, variable)
        };
        let numbers = frequent.variables.iter().map(&mut number).collect();
        let (none, closed) = (builder.ins().iconst(I, 0), builder.ins().iconst(types::I8, 0));
        let mut variable = |kind: Type, value: Value| {
            let variable = builder.declare_var(kind);
            builder.def_var(variable, value);
            variable
        };
        let mut list = |list: &ListNo| {
            let (address, length) = (variable(I, none), variable(I, none));
            (*list, KeptList { address, length, is_open: variable(types::I8, closed) })
        };
        let lists = frequent.lists.iter().map(&mut list).collect();
        let (frame, counter) = (variable(I, none), variable(D, unknown));
        let certain = FxHashMap::default();
        Kept { fuel, due, fields, frame, counter, numbers, certain, lists }
    }

    pub(super) fn list(&self, list: ListNo) -> Option<KeptList> {
        self.lists.get(&list).copied()
    }

    fn field(&self, offset: i32) -> Option<Field> {
        self.fields.iter().find(|field| field.0 == offset).map(|field| field.1)
    }
}

impl Generator<'_, '_> {
    /// Writes the fields, for a handler or the dispatcher.
    pub(super) fn put_back(&mut self) {
        for (offset, field) in self.kept.fields.iter().filter(|(_, field)| field.changes) {
            let value = self.builder.use_var(field.variable);
            self.builder.ins().store(TRUSTED, value, self.executor, *offset);
        }
    }

    pub(super) fn field(&mut self, offset: i32, kind: Type) -> Value {
        match self.kept.field(offset) {
            Some(field) => self.builder.use_var(field.variable),
            None => self.builder.ins().load(kind, TRUSTED, self.executor, offset),
        }
    }

    pub(super) fn set_field(&mut self, offset: i32, value: Value) {
        match self.kept.field(offset) {
            Some(field) => self.builder.def_var(field.variable, value),
            None => {
                self.builder.ins().store(TRUSTED, value, self.executor, offset);
            }
        }
    }

    /// Reads the fields after a handler.
    pub(super) fn take_again(&mut self) {
        for (offset, field) in &self.kept.fields {
            let value = self.builder.ins().load(field.kind, TRUSTED, self.executor, *offset);
            self.builder.def_var(field.variable, value);
        }
        self.paid = 0;
        // Handlers push and pop frames.
        let none = self.builder.ins().iconst(I, 0);
        self.builder.def_var(self.kept.frame, none);
    }

    /// Forgets what registers keep, so none of it needs to be saved around the preceding call.
    pub(super) fn forget_kept(&mut self) {
        let unknown = self.builder.ins().f64const(f64::NAN);
        for variable in self.kept.numbers.values() {
            self.builder.def_var(*variable, unknown);
        }
        let none = self.builder.ins().iconst(I, 0);
        let closed = self.builder.ins().iconst(types::I8, 0);
        for list in self.kept.lists.values() {
            self.builder.def_var(list.address, none);
            self.builder.def_var(list.length, none);
            self.builder.def_var(list.is_open, closed);
        }
        self.builder.def_var(self.kept.counter, unknown);
        self.forget_bits();
    }

    /// The number that is kept of a variable, which may be NaN.
    pub(super) fn kept_number(&mut self, operand: Operand) -> Option<Value> {
        if let Some(&number) = self.kept.certain.get(&operand) {
            return Some(number);
        }
        let variable = *self.kept.numbers.get(&operand)?;
        Some(self.builder.use_var(variable))
    }

    /// Returns whether numbers of the variable are kept.
    pub(super) fn keep(&mut self, operand: Operand, number: Value) -> bool {
        let Some(&variable) = self.kept.numbers.get(&operand) else { return false };
        self.builder.def_var(variable, number);
        match self.ordered.contains(&number) {
            true => self.kept.certain.insert(operand, number),
            false => self.kept.certain.remove(&operand),
        };
        true
    }

    /// Returns whether numbers of the variable are kept.
    pub(super) fn keep_copied(&mut self, to: Operand, number: Option<Value>) -> bool {
        let Some(&variable) = self.kept.numbers.get(&to) else { return false };
        match number {
            Some(number) => {
                self.keep(to, number);
            }
            None => {
                let unknown = self.builder.ins().f64const(f64::NAN);
                self.builder.def_var(variable, unknown);
                self.kept.certain.remove(&to);
            }
        }
        true
    }

    /// The number of a value that is a number; NaN for other values.
    pub(super) fn number_or_nan(&mut self, (address, offset): (Value, i32)) -> Value {
        let is_number = self.has_tag((address, offset), self.layout.value.number);
        let number = self.builder.ins().load(D, TRUSTED, address, offset + SECOND);
        let unknown = self.builder.ins().f64const(f64::NAN);
        self.builder.ins().select(is_number, number, unknown)
    }

    pub(super) fn is_kept(&self, operand: Operand) -> bool {
        self.kept.numbers.contains_key(&operand)
    }

    /// Keeps the number of a variable that a handler has written. Returns whether numbers of the
    /// variable are kept.
    pub(super) fn fetch(&mut self, operand: Operand) -> bool {
        let Some(&variable) = self.kept.numbers.get(&operand) else { return false };
        let number = self.number_or_nan(self.variable(operand));
        self.builder.def_var(variable, number);
        self.kept.certain.remove(&operand);
        true
    }

    /// The number of a variable whose numbers are kept. Jumps to `longer` if the number cannot be
    /// read.
    pub(super) fn read_kept(&mut self, operand: Operand, longer: Block) -> Option<Value> {
        if let Some(&number) = self.kept.certain.get(&operand) {
            return Some(number);
        }
        let variable = *self.kept.numbers.get(&operand)?;
        let number = self.builder.use_var(variable);
        let (next, unknown) = (self.block(), self.seldom());
        let is_known = self.builder.ins().fcmp(FloatCC::Ordered, number, number);
        self.builder.ins().brif(is_known, next, &[], unknown, &[]);
        self.builder.switch_to_block(unknown);
        let place = self.variable(operand);
        let number = self.uncounted_numeral(place, longer, longer);
        self.demand_ordered(number, number, longer);
        self.builder.def_var(variable, number);
        self.builder.ins().jump(next, &[]);
        self.builder.switch_to_block(next);
        let number = self.builder.use_var(variable);
        self.ordered.insert(number);
        self.kept.certain.insert(operand, number);
        Some(number)
    }

    /// The kept number of a variable that is known to be stored as a number.
    pub(super) fn stored_number(&self, operand: Operand) -> Option<Value> {
        self.kept.certain.get(&operand).copied().filter(|_| self.stored.contains(&operand))
    }

    /// Jumps to `longer` if references to the value of a variable or parameter may be counted.
    pub(super) fn demand_writable(&mut self, operand: Operand, place: (Value, i32), longer: Block) {
        if !self.stored.contains(&operand) && !self.kept.certain.contains_key(&operand) {
            self.demand_uncounted(place, longer);
        }
    }
}
