//! Notifications to a watcher in the middle of a step.

use crate::state::State;
use crate::target::TargetId;
use crate::text::Text;
use crate::value::Value;

/// A change that was just made or is about to be made, usually by a block.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// The position of a sprite or clone was set, possibly to the same values.
    Moved {
        /// The sprite or clone.
        target: TargetId,
        /// The previous position.
        from: (f64, f64),
    },
    /// The appearance of a target was set, such as its costume, size or direction.
    Appearance(TargetId),
    /// The text of the bubble was set, or the bubble was removed.
    Bubble(TargetId),
    /// A block has set or changed a scalar variable.
    Variable {
        /// The target to which the variable belongs.
        target: TargetId,
        /// The position of the variable in [`Program::variables`](crate::Program::variables).
        number: usize,
        /// The previous value.
        old: Value,
    },
    /// A target has said, thought or asked something, which may be empty.
    Said {
        /// The target.
        target: TargetId,
        /// The text, as the value of the block input.
        value: Value,
    },
    /// A block is about to start the receivers of the message with this name.
    Message(Text),
    /// A pen is about to draw, or all drawings are about to be removed.
    Pen(PenMark),
}

/// An action of a pen, in stage units.
#[derive(Clone, Debug, PartialEq)]
pub enum PenMark {
    /// A sprite with its pen down was moved.
    Line {
        /// The previous position of the sprite.
        from: (f64, f64),
        /// The new position of the sprite.
        to: (f64, f64),
        /// Colour: red, green, blue and opacity from 0 to 1.
        rgba: [f64; 4],
    },
    /// A pen was put down.
    Point {
        /// Position of the sprite.
        at: (f64, f64),
        /// Colour: red, green, blue and opacity from 0 to 1.
        rgba: [f64; 4],
    },
    /// All lines and stamps are removed.
    Clear,
}

/// A question of `ask and wait`.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The sprite or clone that asks, or the stage.
    pub target: TargetId,
    /// The text of the question.
    pub text: Text,
    /// Whether the question is shown in a bubble.
    pub bubble: bool,
}

/// The state of a VM in the middle of a step.
pub struct Midstep<'a>(pub(crate) &'a mut State);

impl Midstep<'_> {
    /// The serial number of a target (see [`TargetView::serial`](crate::TargetView::serial)).
    pub fn serial(&self, target: TargetId) -> u32 {
        self.0.targets[target.0 as usize].serial
    }

    /// The position of a target's sprite in the project's targets.
    pub fn sprite(&self, target: TargetId) -> usize {
        self.0.targets[target.0 as usize].sprite as usize
    }
}
