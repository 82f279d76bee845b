//! Fields of the executor that native code keeps in registers between two calls of handlers.

use cranelift_codegen::ir::{InstBuilder, Value, types};
use cranelift_frontend::{FunctionBuilder, Variable};

use super::abi::Abi;
use super::generator::{Generator, TRUSTED};

/// Remaining fuel, and iterations until the next search for cycles. Each run and each loop changes them, and a
/// change in memory takes several cycles, for which the next one waits.
#[derive(Clone, Copy)]
pub(super) struct Kept {
    pub(super) fuel: Variable,
    pub(super) due: Variable,
}

impl Kept {
    /// Reads the fields when native code is entered.
    pub(super) fn new(builder: &mut FunctionBuilder, abi: &Abi, executor: Value) -> Kept {
        let mut field = |offset: i32| {
            let variable = builder.declare_var(types::I32);
            let value = builder.ins().load(types::I32, TRUSTED, executor, offset);
            builder.def_var(variable, value);
            variable
        };
        Kept { fuel: field(abi.fuel), due: field(abi.due) }
    }

    /// The fields and their offsets.
    fn fields(self, abi: &Abi) -> [(Variable, i32); 2] {
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
    }
}
