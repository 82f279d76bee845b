//! Native code that reads variables, parameters and other values.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};

use super::generator::{D, Generator, I, SECOND, TRUSTED, VALUE, VALUE_SHIFT};
use super::unit::is_variable;
use crate::linear::form::{Kind, Operand};

impl Generator<'_, '_> {
    pub(super) fn parameters(&mut self) -> (Value, Value) {
        if let Some(parameters) = self.parameters {
            return parameters;
        }
        let (address, length) = self.abi.parameter(self.layout);
        let (address, length) = (self.field(address, I), self.field(length, I));
        let base = self.field(self.abi.base, I);
        let left = self.builder.ins().isub(length, base);
        let offset = self.builder.ins().ishl_imm_s(base, VALUE_SHIFT);
        let parameters = (self.builder.ins().iadd(address, offset), left);
        self.parameters = Some(parameters);
        parameters
    }

    pub(super) fn variable(&self, operand: Operand) -> (Value, i32) {
        (self.variables[usize::from(operand.is_own())], operand.index() as i32 * VALUE)
    }

    pub(super) fn place(&mut self, operand: Operand, longer: Block) -> (Value, i32) {
        let offset = operand.index() as i32 * VALUE;
        if is_variable(operand) {
            return self.variable(operand);
        }
        let (address, count) = self.parameters();
        let index = operand.index() as i64;
        let exists = self.builder.ins().icmp_imm_s(IntCC::SignedGreaterThan, count, index);
        self.unless(exists, longer);
        (address, offset)
    }

    pub(super) fn has_tag(&mut self, (address, offset): (Value, i32), tag: u8) -> Value {
        let is = self.builder.ins().load(types::I8, TRUSTED, address, offset);
        self.builder.ins().icmp_imm_s(IntCC::Equal, is, i64::from(tag as i8))
    }

    pub(super) fn demand_number(&mut self, place: (Value, i32), longer: Block) {
        let is_number = self.has_tag(place, self.layout.value.number);
        self.unless(is_number, longer);
    }

    pub(super) fn demand_uncounted(&mut self, place: (Value, i32), longer: Block) {
        let is_counted = self.has_tag(place, self.layout.value.counted);
        let next = self.block();
        self.builder.ins().brif(is_counted, longer, &[], next, &[]);
        self.builder.switch_to_block(next);
    }

    /// The number of a value that is a number, or a numeral whose number is known; jumps to
    /// `longer` for other values.
    pub(super) fn numeral(&mut self, place: (Value, i32), longer: Block) -> Value {
        let (is_counted, found) = (self.seldom(), self.block());
        let result = self.builder.append_block_param(found, D);
        let number = self.uncounted_numeral(place, longer, is_counted);
        self.builder.ins().jump(found, &[number.into()]);
        self.builder.switch_to_block(is_counted);
        let value = self.builder.ins().iadd_imm_s(place.0, i64::from(place.1));
        let number = self.call(self.abi.functions.numeral, value, None, D);
        let is_numeral = self.builder.ins().fcmp(FloatCC::Ordered, number, number);
        self.builder.ins().brif(is_numeral, found, &[number.into()], longer, &[]);
        self.builder.switch_to_block(found);
        result
    }

    /// The number of a value that is a number, or a numeral without a reference count. Jumps to
    /// `longer` if a string without a reference count is not a numeral, or if its number has not
    /// been requested yet; jumps to `other` for all other values.
    pub(super) fn uncounted_numeral(
        &mut self,
        (address, offset): (Value, i32),
        longer: Block,
        other: Block,
    ) -> Value {
        let (number, no_number) = (self.block(), self.seldom());
        let next = self.block();
        let result = self.builder.append_block_param(next, D);
        let is_number = self.has_tag((address, offset), self.layout.value.number);
        self.builder.ins().brif(is_number, number, &[], no_number, &[]);
        self.builder.switch_to_block(no_number);
        let is_kept = self.has_tag((address, offset), self.layout.value.kept);
        self.unless(is_kept, other);
        let text = self.builder.ins().load(I, TRUSTED, address, offset + SECOND);
        let of_kept = self.builder.ins().load(D, TRUSTED, text, self.layout.value.text_number);
        // The number is NaN if the string is not a numeral, or if the number has not been requested
        // yet.
        let is_numeral = self.builder.ins().fcmp(FloatCC::Ordered, of_kept, of_kept);
        self.builder.ins().brif(is_numeral, next, &[of_kept.into()], longer, &[]);
        self.builder.switch_to_block(number);
        let of_number = self.builder.ins().load(D, TRUSTED, address, offset + SECOND);
        self.builder.ins().jump(next, &[of_number.into()]);
        self.builder.switch_to_block(next);
        result
    }

    /// The number of an operand that is a number or a numeral.
    pub(super) fn read(&mut self, operand: Operand, longer: Block) -> Value {
        if let Some(&known) = self.known.get(&operand).or_else(|| self.numerals.get(&operand)) {
            return known;
        }
        if !is_variable(operand) && operand.kind() != Kind::Parameter {
            return self.number(operand, longer);
        }
        if let Some(number) = self.read_kept(operand, longer) {
            return number;
        }
        let place = self.place(operand, longer);
        let number = self.numeral(place, longer);
        self.numerals.insert(operand, number);
        number
    }

    /// The number of a register or constant, or of a variable or parameter that is a number.
    pub(super) fn number(&mut self, operand: Operand, longer: Block) -> Value {
        if let Some(&known) = self.known.get(&operand) {
            return known;
        }
        if let Some(number) = self.stored_number(operand) {
            return number;
        }
        let number = match operand.kind() {
            Kind::Register => {
                self.builder.ins().load(D, TRUSTED, self.numbers, operand.index() as i32 * 8)
            }
            Kind::Constant => {
                let number = self.form.numbers[operand.index()];
                let constant = self.builder.ins().f64const(number);
                if !number.is_nan() {
                    self.ordered.insert(constant);
                }
                constant
            }
            _ => {
                let (address, offset) = self.place(operand, longer);
                if !self.stored.contains(&operand) {
                    self.demand_number((address, offset), longer);
                    if self.leaves.is_some() {
                        self.stored.insert(operand);
                    }
                }
                self.builder.ins().load(D, TRUSTED, address, offset + SECOND)
            }
        };
        if !self.keep(operand, number) {
            self.known.insert(operand, number);
        }
        number
    }
}
