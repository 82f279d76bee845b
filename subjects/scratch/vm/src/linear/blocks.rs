//! Properties of blocks that determine how they are lowered.

use crate::code::{CommandId, NONE, Op, one_number};

impl Op {
    /// Whether the operation is known to change neither a thread nor its stack.
    pub(crate) fn changes_no_thread(&self) -> bool {
        self.only_computes()
            || matches!(
                self,
                one_number!(_)
                    | Op::GoTo(_)
                    | Op::GoToXY(..)
                    | Op::PointTowards(_)
                    | Op::BounceOnEdge
                    | Op::SetRotationStyle(_)
                    | Op::Show
                    | Op::Hide
                    | Op::SwitchCostume(_)
                    | Op::NextCostume
                    | Op::ClearEffects
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
                    | Op::PenShade { .. }
                    | Op::PenHue { .. }
            )
    }

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
