//! Branches: the outcomes of blocks that decide how a script continues.
//!
//! Branches have numbers like blocks. Each block has two branch numbers, which come after the
//! numbers of all blocks, so sets of goals can contain both blocks and branches.

use catherd_scratch_sb3::{BlockNo, Opcode, Project};

/// An outcome of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The block that decides how its script continues.
    pub block: BlockNo,
    /// The value of a condition, whether the body of a loop without a condition is entered, or
    /// whether the script of a hat starts.
    pub outcome: bool,
}

impl Branch {
    /// The number of the branch in a project with this number of blocks.
    pub fn number(self, block_count: usize) -> BlockNo {
        BlockNo(block_count as u32 + 2 * self.block.0 + u32::from(self.outcome))
    }

    /// The branch with a number; `None` for the number of a block.
    pub fn of(number: BlockNo, block_count: usize) -> Option<Branch> {
        let rest = number.0.checked_sub(block_count as u32)?;
        Some(Branch { block: BlockNo(rest / 2), outcome: rest % 2 == 1 })
    }
}

/// The numbers of the branches of these blocks, ascending: both outcomes of conditions, of loops,
/// and of edge-activated hats; for `forever`, only the outcome that the body is entered.
pub fn branches(project: &Project, blocks: &[BlockNo]) -> Vec<BlockNo> {
    let count = project.block_count();
    let of_block = |&block: &BlockNo| {
        let (target, index) = project.locate(block);
        let opcode = project.targets[target].blocks[index as usize].opcode;
        let outcomes: &[bool] = match opcode {
            Opcode::ControlForever => &[true],
            Opcode::ControlIf
            | Opcode::ControlIfElse
            | Opcode::ControlWaitUntil
            | Opcode::ControlRepeatUntil
            | Opcode::ControlWhile
            | Opcode::ControlRepeat
            | Opcode::ControlForEach => &[false, true],
            opcode if opcode.is_edge_hat() => &[false, true],
            _ => &[],
        };
        outcomes.iter().map(move |&outcome| Branch { block, outcome }.number(count))
    };
    let mut numbers: Vec<BlockNo> = blocks.iter().flat_map(of_block).collect();
    numbers.sort_unstable();
    numbers
}
