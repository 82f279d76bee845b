//! Policies, which observe the program and react according to rules and networks. Numbers take the
//! place of the names in [`SuitePolicy`](crate::SuitePolicy).

mod brain;
mod link;
mod network;
mod player;
#[cfg(test)]
mod tests;

use catherd_scratch_vm::Value;

use crate::event::{Event, KeyNo, TextNo};
use crate::format::{Axis, Comparison};

pub use network::{Link, Network, Output, Sense, Signal, Subject};
pub use player::{Place, Player};

/// A policy with numbers in place of names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Policy {
    /// The rules. The first rule that proposes an event decides.
    pub rules: Vec<Rule>,
    /// Answers to questions, used in turn.
    pub answers: Vec<TextNo>,
    /// Number of steps after which the policy ends.
    pub most: u64,
    /// The network that decides if no rule proposes an event.
    pub network: Option<Network>,
}

/// A rule: an action, and the condition under which it is proposed.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// The proposed action.
    pub action: Action,
    /// The condition; `None` if there is none.
    pub when: Option<Condition>,
}

/// The action of a rule (see [`Proposal`](crate::Proposal)). Sprites are given by their positions
/// in the project's targets.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Moves a sprite to another sprite, or away from another sprite.
    Follow {
        /// The sprite that the keys move.
        sprite: u16,
        /// The sprite to follow.
        to: u16,
        /// The axis along which the keys move the sprite.
        axis: Axis,
        /// Distance within which the rule proposes nothing; with `flee`, the distance within which
        /// the rule proposes an event.
        dead: f64,
        /// Whether the sprite keeps away.
        flee: bool,
        /// Offset that is added to the distance.
        aim: f64,
        /// Amplitude of a wave that is added to `aim`.
        sway: f64,
        /// Number of steps by which the position of the other sprite is extrapolated.
        lead: u32,
        /// The keys that raise and lower the coordinate or direction.
        keys: [KeyNo; 2],
        /// Number of steps of a key press.
        steps: u32,
    },
    /// Moves the mouse onto a sprite.
    Mouse {
        /// The sprite.
        to: u16,
        /// Offset to the right of the sprite, in stage units.
        dx: f64,
        /// Offset above the sprite, in stage units.
        dy: f64,
    },
    /// Sends an event repeatedly.
    Press {
        /// The event.
        event: Event,
        /// Number of steps between two events.
        every: u32,
        /// Two sprites and the maximum distance between them; `None` if no distance is required.
        near: Option<(u16, u16, f64)>,
    },
    /// Turns a sprite back from the edge of the stage.
    Edge {
        /// The sprite that the keys move.
        sprite: u16,
        /// The axis along which the keys move the sprite.
        axis: Axis,
        /// Distance from the edge within which the rule acts.
        margin: f64,
        /// The keys that raise and lower the coordinate.
        keys: [KeyNo; 2],
        /// Number of steps of a key press.
        steps: u32,
    },
}

/// Condition of a rule.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// Whether the original of a sprite is shown.
    Visible(u16, bool),
    /// The costume of the original of a sprite.
    Costume(u16, usize),
    /// The comparison of a coordinate or the direction of the original of a sprite with a number.
    Place(u16, Axis, Comparison, f64),
    /// The comparison of a variable, given by its target and its position in the target, with a
    /// value. `None` if the program has no such variable; the condition then never holds.
    Variable(u16, Option<usize>, Comparison, Value),
}
