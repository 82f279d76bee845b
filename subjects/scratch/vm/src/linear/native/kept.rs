//! Values that native code keeps in registers.

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{Block, InstBuilder, Type, Value, types};
use cranelift_frontend::{FunctionBuilder, Variable};
use rustc_hash::{FxHashMap, FxHashSet};

use super::abi::Abi;
use super::frequent::Frequent;
use super::generator::{D, Generator, I, SECOND, TRUSTED};
use crate::linear::form::{ListNo, Operand};

/// Values in registers. In memory, each change of such a value would wait several cycles for the
/// previous change.
pub(super) struct Kept {
    pub(super) fuel: Variable,
    /// Iterations until the next search for cycles.
    pub(super) due: Variable,
    /// The frame of the innermost loop; 0 if it is not known.
    pub(super) frame: Variable,
    /// The counter of the innermost loop if its frame is known.
    pub(super) counter: Variable,
    /// The numbers of variables. NaN means that the number is not known. Any other number equals
    /// the value in memory, which has no reference count.
    numbers: FxHashMap<Operand, Variable>,
    /// Variables whose numbers are probably known. Such a number is used without a test, because an
    /// instruction with a NaN operand is executed by its handler.
    pub(super) likely: FxHashSet<Operand>,
    lists: FxHashMap<ListNo, KeptList>,
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
        abi: &Abi,
        executor: Value,
        frequent: &Frequent,
    ) -> Kept {
        let mut field = |offset: i32| {
            let variable = builder.declare_var(types::I32);
            let value = builder.ins().load(types::I32, TRUSTED, executor, offset);
            builder.def_var(variable, value);
            variable
        };
        let (fuel, due) = (field(abi.fuel), field(abi.due));
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
        Kept { fuel, due, frame, counter, numbers, likely: FxHashSet::default(), lists }
    }

    pub(super) fn list(&self, list: ListNo) -> Option<KeptList> {
        self.lists.get(&list).copied()
    }

    fn fields(&self, abi: &Abi) -> [(Variable, i32); 2] {
        [(self.fuel, abi.fuel), (self.due, abi.due)]
    }
}

impl Generator<'_, '_> {
    /// Writes the fields, for a handler or the dispatcher.
    pub(super) fn put_back(&mut self) {
        for (variable, offset) in self.kept.fields(self.abi) {
            let value = self.builder.use_var(variable);
            self.builder.ins().store(TRUSTED, value, self.executor, offset);
        }
    }

    /// Reads the fields after a handler.
    pub(super) fn take_again(&mut self) {
        for (variable, offset) in self.kept.fields(self.abi) {
            let value = self.builder.ins().load(types::I32, TRUSTED, self.executor, offset);
            self.builder.def_var(variable, value);
        }
        // Handlers push and pop frames.
        let none = self.builder.ins().iconst(I, 0);
        self.builder.def_var(self.kept.frame, none);
    }

    /// The number that is kept of a variable, which may be NaN.
    pub(super) fn kept_number(&mut self, operand: Operand) -> Option<Value> {
        let variable = *self.kept.numbers.get(&operand)?;
        Some(self.builder.use_var(variable))
    }

    /// Returns whether numbers of the variable are kept.
    pub(super) fn keep(&mut self, operand: Operand, number: Value) -> bool {
        let Some(&variable) = self.kept.numbers.get(&operand) else { return false };
        self.builder.def_var(variable, number);
        self.kept.likely.insert(operand);
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
                self.kept.likely.remove(&to);
            }
        }
        true
    }

    /// Keeps the number of a variable that a handler has written. Returns whether numbers of the
    /// variable are kept.
    pub(super) fn fetch(&mut self, operand: Operand) -> bool {
        let Some(&variable) = self.kept.numbers.get(&operand) else { return false };
        let (address, offset) = self.variable(operand);
        let is_number = self.has_tag((address, offset), self.layout.value.number);
        let number = self.builder.ins().load(D, TRUSTED, address, offset + SECOND);
        let unknown = self.builder.ins().f64const(f64::NAN);
        let number = self.builder.ins().select(is_number, number, unknown);
        self.builder.def_var(variable, number);
        true
    }

    pub(super) fn end_kept(&mut self, at: usize, to: Operand, longer: Block) {
        self.meet();
        let next = self.block();
        self.builder.ins().jump(next, &[]);
        self.builder.switch_to_block(longer);
        let index = self.single(at);
        self.expect(at, index);
        self.fetch(to);
        self.builder.ins().jump(next, &[]);
        self.builder.switch_to_block(next);
    }

    /// The number of a variable whose numbers are kept. Jumps to `longer` if the number cannot be
    /// read; the result may be NaN.
    pub(super) fn read_kept(&mut self, operand: Operand, longer: Block) -> Option<Value> {
        let variable = *self.kept.numbers.get(&operand)?;
        let number = self.builder.use_var(variable);
        if !self.kept.likely.insert(operand) {
            return Some(number);
        }
        let (next, unknown) = (self.block(), self.seldom());
        let is_known = self.builder.ins().fcmp(FloatCC::Ordered, number, number);
        self.builder.ins().brif(is_known, next, &[], unknown, &[]);
        self.builder.switch_to_block(unknown);
        let place = self.variable(operand);
        let number = self.uncounted_numeral(place, longer, longer);
        self.builder.def_var(variable, number);
        self.builder.ins().jump(next, &[]);
        self.builder.switch_to_block(next);
        Some(self.builder.use_var(variable))
    }

    /// Jumps to `longer` if references to the value of a variable or parameter may be counted.
    pub(super) fn demand_writable(&mut self, operand: Operand, place: (Value, i32), longer: Block) {
        match self.kept.numbers.get(&operand) {
            Some(&variable) if self.kept.likely.contains(&operand) => {
                let number = self.builder.use_var(variable);
                self.demand_ordered(number, number, longer);
            }
            _ => self.demand_uncounted(place, longer),
        }
    }
}
