//! Native code of arithmetic.

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{Block, Endianness, InstBuilder, MemFlagsData, Value, types};

use super::generator::{D, Generator};
use crate::code::MathOp;
use crate::linear::form::{Function, Kind, Operand, Operator};

/// The byte order for bitcasts of vectors.
const LITTLE: MemFlagsData = MemFlagsData::new().with_endianness(Endianness::Little);

/// Multiplication by the reciprocal of a power of two has the same results as division.
fn is_power_of_two(x: f64) -> bool {
    x.is_normal() && (1.0 / x).is_normal() && x.to_bits() << 12 == 0
}

impl Generator<'_, '_> {
    fn known_number(&self, operand: Operand) -> Option<f64> {
        let is_constant = operand.kind() == Kind::Constant;
        is_constant.then(|| self.form.numbers[operand.index()])
    }

    pub(super) fn binary(
        &mut self,
        at: usize,
        operator: Operator,
        to: Operand,
        (a, b): (Operand, Operand),
    ) {
        let longer = self.seldom();
        let (x, y) = (self.read(a, longer), self.read(b, longer));
        let result = match operator {
            Operator::Add => self.builder.ins().fadd(x, y),
            Operator::Subtract => self.builder.ins().fsub(x, y),
            Operator::Multiply => self.builder.ins().fmul(x, y),
            Operator::Divide => match self.known_number(b).filter(|y| is_power_of_two(*y)) {
                Some(y) => {
                    let factor = self.builder.ins().f64const(1.0 / y);
                    self.builder.ins().fmul(x, factor)
                }
                None => self.builder.ins().fdiv(x, y),
            },
            Operator::Modulo => self.modulo(x, (b, y), longer),
        };
        if self.stays_ordered(operator, (a, x), (b, y)) {
            self.ordered.insert(result);
        }
        // If the result is NaN, call the handler, which counts operands that are NaN as 0.
        self.demand_ordered(result, result, longer);
        self.store(at, to, result, longer);
    }

    /// Computes `rounding::modulo`; the short path handles only divisors that are positive
    /// integers.
    fn modulo(&mut self, n: Value, (divisor, m): (Operand, Value), longer: Block) -> Value {
        const LARGEST: f64 = (1_u64 << 51) as f64;
        const LARGEST_DIVISOR: f64 = (1_u64 << 30) as f64;
        const LARGEST_QUOTIENT: f64 = (1_u64 << 31) as f64;
        const LEAST: f64 = 1e-200;
        const SHIFT: f64 = (3_u64 << 51) as f64;
        self.demand_ordered(n, m, longer);
        let (next, other) = (self.block(), self.seldom());
        let result = self.builder.append_block_param(next, D);
        let shift = self.builder.ins().f64const(SHIFT);
        let nearest = |generator: &mut Self, number| {
            let sum = generator.builder.ins().fadd(number, shift);
            generator.builder.ins().fsub(sum, shift)
        };
        let demand = |generator: &mut Self, how, x, y: f64| {
            let y = generator.builder.ins().f64const(y);
            let holds = generator.builder.ins().fcmp(how, x, y);
            generator.unless(holds, other);
        };
        let known = self
            .known_number(divisor)
            .filter(|m| (1.0..=LARGEST_DIVISOR).contains(m) && m.trunc() == *m);
        if known.is_none() {
            demand(self, FloatCC::GreaterThanOrEqual, m, 1.0);
            demand(self, FloatCC::LessThanOrEqual, m, LARGEST_DIVISOR);
            let whole = nearest(self, m);
            let is_whole = self.builder.ins().fcmp(FloatCC::Equal, whole, m);
            self.unless(is_whole, other);
        }
        let absolute = self.builder.ins().fabs(n);
        let largest = known.map_or(LARGEST, |m| LARGEST.min((LARGEST_QUOTIENT - 1.0) * m));
        demand(self, FloatCC::LessThan, absolute, largest);
        let quotient = match known {
            // The product and the exact quotient may be rounded to different integers only close
            // to the middle between them. Either integer is suitable there, because what is left
            // is exact, and its absolute value is about half of `m`.
            Some(m) => {
                let factor = self.builder.ins().f64const(1.0 / m);
                self.builder.ins().fmul(n, factor)
            }
            None => self.builder.ins().fdiv(n, m),
        };
        let quotient = nearest(self, quotient);
        if known.is_none() {
            let absolute = self.builder.ins().fabs(quotient);
            demand(self, FloatCC::LessThanOrEqual, absolute, LARGEST_QUOTIENT);
        }
        let product = self.builder.ins().fmul(quotient, m);
        let left = self.builder.ins().fsub(n, product);
        let (none, some) = (self.seldom(), self.block());
        let absolute = self.builder.ins().fabs(left);
        let least = self.builder.ins().f64const(LEAST);
        let is_some = self.builder.ins().fcmp(FloatCC::GreaterThan, absolute, least);
        self.builder.ins().brif(is_some, some, &[], none, &[]);
        self.builder.switch_to_block(none);
        // Very close to 0, the function is called, because it divides what is left by `m`, and
        // this quotient may underflow.
        demand(self, FloatCC::Equal, left, 0.0);
        // 0 has the sign of `n`.
        let signed = self.builder.ins().fcopysign(left, n);
        self.builder.ins().jump(next, &[signed.into()]);
        self.builder.switch_to_block(some);
        let zero = self.builder.ins().f64const(0.0);
        let positive = self.plus_if(left, m, (FloatCC::LessThan, left, zero));
        self.builder.ins().jump(next, &[positive.into()]);
        self.builder.switch_to_block(other);
        let zero = self.constant(0);
        let called = self.call(self.abi.functions.modulo, zero, Some((n, m)), D);
        self.builder.ins().jump(next, &[called.into()]);
        self.builder.switch_to_block(next);
        result
    }

    /// Adds `y` to `sum` if a comparison holds, and 0 otherwise. A jump would often be predicted
    /// wrongly.
    fn plus_if(&mut self, sum: Value, y: Value, (how, a, b): (FloatCC, Value, Value)) -> Value {
        if cfg!(not(any(target_arch = "x86_64", target_arch = "aarch64"))) {
            let holds = self.builder.ins().fcmp(how, a, b);
            let zero = self.builder.ins().f64const(0.0);
            let y = self.builder.ins().select(holds, y, zero);
            return self.builder.ins().fadd(sum, y);
        }
        let [y, a, b] =
            [y, a, b].map(|number| self.builder.ins().scalar_to_vector(types::F64X2, number));
        let holds = self.builder.ins().fcmp(how, a, b);
        let holds = self.builder.ins().bitcast(types::F64X2, LITTLE, holds);
        let y = self.builder.ins().band(holds, y);
        let y = self.builder.ins().extractlane(y, 0);
        self.builder.ins().fadd(sum, y)
    }

    pub(super) fn unary(&mut self, at: usize, function: Function, to: Operand, a: Operand) {
        use Function::{Math, Round};
        let longer = self.seldom();
        let x = self.read(a, longer);
        let result = match function {
            Round => self.round(x),
            Math(MathOp::Floor) => self.builder.ins().floor(x),
            Math(MathOp::Ceiling) => self.builder.ins().ceil(x),
            Math(MathOp::Abs) => self.builder.ins().fabs(x),
            Math(MathOp::Sqrt) => self.builder.ins().sqrt(x),
            Math(_) => {
                self.demand_ordered(x, x, longer);
                let result = self.call_math(at, x);
                self.demand_ordered(result, result, longer);
                return self.store(at, to, result, longer);
            }
        };
        if !matches!(function, Math(MathOp::Sqrt)) && self.ordered.contains(&x) {
            self.ordered.insert(result);
        }
        self.demand_ordered(result, result, longer);
        self.store(at, to, result, longer);
    }

    /// Computes `value::js_round`.
    pub(super) fn round(&mut self, x: Value) -> Value {
        let floor = self.builder.ins().floor(x);
        let fraction = self.builder.ins().fsub(x, floor);
        let half = self.builder.ins().f64const(0.5);
        let one = self.builder.ins().f64const(1.0);
        let rounded = self.plus_if(floor, one, (FloatCC::GreaterThanOrEqual, fraction, half));
        self.builder.ins().fcopysign(rounded, x)
    }
}
