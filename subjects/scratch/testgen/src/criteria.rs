//! The goals at which a search aims.

/// The kinds of goals at which a search aims.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Criteria {
    /// Statement blocks. Branches are not goals.
    #[default]
    Blocks,
    /// [Branches](catherd_scratch_suite::goals::Branch). Blocks are goals as well, but the search
    /// does not use distances to them.
    Branches,
    /// Statement blocks and branches.
    BlocksAndBranches,
}

impl Criteria {
    /// Whether the search aims at blocks.
    pub fn aims_at_blocks(self) -> bool {
        self != Self::Branches
    }

    /// Whether the search aims at branches.
    pub fn aims_at_branches(self) -> bool {
        self != Self::Blocks
    }
}
