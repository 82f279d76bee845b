//! Blocks whose operands are computed in linear form and whose operations are executed by the
//! interpreter.

use catherd_scratch_sb3::BlockNo;

use super::form::{Instruction, Kind, Operand, Reading};
use super::lower::Lowering;
use crate::code::{Expr, Op, Slot, one_number};
use crate::eval::nan_to_zero;
use crate::interpreter::Interpreter;
use crate::tracer::Tracer;
use crate::value::Value;

impl Lowering<'_> {
    pub(super) fn application(&mut self, op: &Op) -> Option<()> {
        let first = self.form.instructions.len();
        self.count_alone();
        let none = Operand::REGISTER;
        let (a, b) = match *op {
            Op::GoToXY(x, y) => (self.number(x)?, self.number(y)?),
            one_number!(a) => (self.number(a)?, none),
            Op::PenParam { param, value, .. } => {
                let is_literal = matches!(self.source.exprs[param.0 as usize], Expr::Constant(_));
                (is_literal.then(|| self.number(value))??, none)
            }
            Op::SwitchCostume(a) | Op::PenColor(a) => (self.read(a, Reading::Value)?, none),
            Op::BounceOnEdge
            | Op::SetRotationStyle(_)
            | Op::Show
            | Op::Hide
            | Op::NextCostume
            | Op::ClearEffects
            | Op::GoToFront
            | Op::GoToBack
            | Op::IncrementCounter
            | Op::ClearCounter
            | Op::PenClear
            | Op::PenStamp
            | Op::PenDown
            | Op::PenUp => (none, none),
            _ => return None,
        };
        let last = self.emit(Instruction::Apply { a, b });
        self.belongs(first, last);
        Some(())
    }
}

impl<T: Tracer> Interpreter<'_, T> {
    #[inline]
    pub(super) fn apply_operands(&mut self, op: &Op, no: BlockNo, (a, b): (Operand, Operand)) {
        match op {
            Op::GoToXY(..) => {
                let (a, b) = (self.number_of(a), self.number_of(b));
                self.apply(op, a, b);
            }
            one_number!(_) | Op::PenParam { .. } => {
                let a = self.number_of(a);
                self.apply(op, a, 0.0);
            }
            Op::SwitchCostume(_) => {
                let costume = self.value_of(a);
                self.switch_costume(&costume);
            }
            Op::PenColor(_) => {
                let color = self.value_of(a);
                self.pen_color(&color);
            }
            _ => self.execute_op(op, no),
        }
    }

    fn slot(operand: Operand) -> Slot {
        let index = operand.index() as u32;
        if operand.is_own() { Slot::Own(index) } else { Slot::Stage(index) }
    }

    #[inline]
    fn number_of(&self, operand: Operand) -> f64 {
        match operand.kind() {
            Kind::Register | Kind::Constant => nan_to_zero(self.linear.numbers[operand.index()]),
            Kind::Stage | Kind::Own => self.variable(Self::slot(operand)).to_number(),
            Kind::Parameter => self.parameter(operand.index() as u32).map_or(0.0, Value::to_number),
        }
    }

    fn value_of(&self, operand: Operand) -> Value {
        match operand.kind() {
            Kind::Register => Value::Number(self.linear.numbers[operand.index()]),
            Kind::Constant => self.program.linear.values[operand.index()].clone(),
            Kind::Stage | Kind::Own => self.variable(Self::slot(operand)).clone(),
            Kind::Parameter => {
                let parameter = self.parameter(operand.index() as u32);
                parameter.cloned().unwrap_or(Value::Number(0.0))
            }
        }
    }
}
