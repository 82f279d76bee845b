//! Properties of blocks that decide how they are lowered.

use crate::code::{CommandId, NONE, Op};

impl Op {
    /// Whether the operation changes neither a thread nor its stack.
    pub(crate) fn changes_no_thread(&self) -> bool {
        self.only_computes()
            || matches!(
                self,
                Op::MoveSteps(_)
                    | Op::GoTo(_)
                    | Op::GoToXY(..)
                    | Op::Turn { .. }
                    | Op::PointInDirection(_)
                    | Op::PointTowards(_)
                    | Op::ChangeX(_)
                    | Op::SetX(_)
                    | Op::ChangeY(_)
                    | Op::SetY(_)
                    | Op::BounceOnEdge
                    | Op::SetRotationStyle(_)
                    | Op::Show
                    | Op::Hide
                    | Op::SwitchCostume(_)
                    | Op::NextCostume
                    | Op::ChangeEffect(..)
                    | Op::SetEffect(..)
                    | Op::ClearEffects
                    | Op::ChangeSize(_)
                    | Op::SetSize(_)
                    | Op::GoToFront
                    | Op::GoToBack
                    | Op::GoLayers { .. }
                    | Op::IncrementCounter
                    | Op::ClearCounter
                    | Op::PenClear
                    | Op::PenStamp
                    | Op::PenDown
                    | Op::PenUp
                    | Op::PenColor(_)
                    | Op::PenParam { .. }
                    | Op::PenSize { .. }
                    | Op::PenShade { .. }
                    | Op::PenHue { .. }
            )
    }

    /// The first commands of the operation's branches; `NONE` for empty ones.
    pub(crate) fn branches(&self) -> [CommandId; 2] {
        match *self {
            Op::Repeat { body, .. }
            | Op::Forever { body }
            | Op::If { then: body, .. }
            | Op::RepeatUntil { body, .. }
            | Op::While { body, .. }
            | Op::ForEach { body, .. }
            | Op::AllAtOnce { body } => [body, NONE],
            Op::IfElse { then, otherwise, .. } => [then, otherwise],
            _ => [NONE, NONE],
        }
    }
}
