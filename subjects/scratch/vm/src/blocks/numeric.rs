//! Operations whose operands are numbers.

use crate::code::Op;
use crate::interpreter::Interpreter;
use crate::tracer::Tracer;

impl<T: Tracer> Interpreter<'_, T> {
    /// Operations with one numeric operand use only `a`.
    #[inline]
    pub(crate) fn apply(&mut self, op: &Op, a: f64, b: f64) {
        let target = &self.state.targets[self.target];
        let (x, y, direction, size) = (target.x, target.y, target.direction, target.size);
        match *op {
            Op::MoveSteps(_) => self.move_steps(a),
            Op::GoToXY(..) => self.set_position(self.target, a, b),
            Op::Turn { left, .. } => {
                self.set_direction(if left { direction - a } else { direction + a });
            }
            Op::PointInDirection(_) => self.set_direction(a),
            Op::ChangeX(_) => self.set_position(self.target, x + a, y),
            Op::ChangeY(_) => self.set_position(self.target, x, y + a),
            Op::SetX(_) => self.set_position(self.target, a, y),
            Op::SetY(_) => self.set_position(self.target, x, a),
            Op::ChangeEffect(effect, _) => {
                let value = self.state.targets[self.target].effects[effect as usize];
                self.set_effect(effect, value + a);
            }
            Op::SetEffect(effect, _) => self.set_effect(effect, a),
            Op::ChangeSize(_) => self.set_size(size + a),
            Op::SetSize(_) => self.set_size(a),
            Op::PenSize { change, .. } => self.pen_size(a, change),
            Op::PenParam { param, change, .. } => {
                let param = self.text(param);
                self.pen_param(&param, a, change);
            }
            _ => debug_assert!(false, "{op:?} has no numbers"),
        }
    }
}
