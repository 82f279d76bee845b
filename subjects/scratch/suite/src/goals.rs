//! Goals of a project: the blocks and branches that tests should cover.

mod branches;
mod dead_code;
mod hat_event;
mod live_code;
mod script;
pub mod statement;
#[cfg(test)]
mod tests;

use catherd_scratch_sb3::{BlockNo, Project};

pub use branches::{Branch, branches};
pub use hat_event::{EventLink, HatEvent};
pub use live_code::LiveCode;
pub use script::{Next, Statement};

/// Rule that selects the blocks that are goals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GoalSet {
    /// Statement blocks except dead code, as in the published study: dead cycles and receivers
    /// of messages that only dead blocks send are goals.
    #[default]
    Published,
    /// Statement blocks to which a path leads from a user event.
    Reachable,
}

/// Settings that decide which blocks are goals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GoalSettings {
    /// The rule.
    pub set: GoalSet,
    /// Whether every block that creates clones may start the clones of every sprite, as in the
    /// published code of Whisker.
    pub clone_links: bool,
}

/// The blocks of a project that are goals, ascending. The position in this list is the number of
/// the goal.
pub fn find(project: &Project, settings: GoalSettings) -> Vec<BlockNo> {
    LiveCode::of(project, settings).blocks
}
