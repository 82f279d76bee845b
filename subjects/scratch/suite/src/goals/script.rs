//! Control flow within scripts.

use catherd_scratch_sb3::{BlockIndex, BlockNo, Opcode, Project, Target};

use super::statement::{is_goal, is_loop};

/// The next target of the control flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// A statement.
    Block(BlockNo),
    /// The script ends.
    Exit,
    /// The custom block with this definition returns to its callers.
    Return(BlockNo),
}

/// A statement block in its script.
#[derive(Clone, Debug)]
pub struct Statement {
    /// Position in [`Project::targets`].
    pub target: usize,
    /// Position in [`Target::blocks`].
    pub index: BlockIndex,
    /// Opcode of the block.
    pub opcode: Opcode,
    /// The target of the control flow after the block: the block below, or the target after the end
    /// of the enclosing branch.
    pub next: Next,
    /// The targets at which the branches begin; for an empty branch, the target after the branch.
    pub branches: [Next; 2],
    /// The target of the control flow if the block ends the script.
    pub end: Next,
    /// The block below and the first blocks of the branches; `None` where there is no block.
    pub children: [Option<BlockNo>; 3],
}

/// The statement blocks of a project, by block number. Blocks that cannot be goals, such as blocks
/// with unknown opcodes, are skipped: control goes from the block above them to the block below.
pub(super) fn statements(project: &Project) -> Vec<Option<Statement>> {
    let mut statements = vec![None; project.block_count()];
    for (position, target) in project.targets.iter().enumerate() {
        let mut reader = Reader { position, target, statements: &mut statements };
        for top in target.scripts() {
            let end = match target.blocks[top as usize].opcode {
                Opcode::ProceduresDefinition => Next::Return(target.number(top)),
                _ => Next::Exit,
            };
            reader.read(top, end);
        }
        // Blocks in loose scripts and unreachable blocks are dead, but they are read as well,
        // because some of them send messages.
        for block in 0..target.blocks.len() as u32 {
            reader.read(block, Next::Exit);
        }
    }
    statements
}

struct Reader<'a> {
    position: usize,
    target: &'a Target,
    statements: &'a mut [Option<Statement>],
}

impl Reader<'_> {
    /// Reads the blocks beginning with `first`, if they are not known yet and `first` can be a
    /// goal.
    fn read(&mut self, first: BlockIndex, end: Next) {
        if !is_goal(&self.target.blocks[first as usize]) {
            return;
        }
        // Use an explicit stack, because nesting may be deep.
        let mut chains = vec![(Some(first), end)];
        while let Some((mut cursor, after)) = chains.pop() {
            while let Some(index) = cursor {
                let number = self.target.number(index);
                if self.statements[number.0 as usize].is_some() {
                    break;
                }
                let block = &self.target.blocks[index as usize];
                let below = self.first_goal(block.next);
                let next = self.enter(below, after);
                let around = if is_loop(block.opcode) { Next::Block(number) } else { next };
                let heads = [1, 2].map(|which| self.first_goal(block.substack(which)));
                chains.extend(heads.map(|head| (head, around)));
                self.statements[number.0 as usize] = Some(Statement {
                    target: self.position,
                    index,
                    opcode: block.opcode,
                    next,
                    branches: heads.map(|head| self.enter(head, around)),
                    end,
                    children: [below, heads[0], heads[1]].map(|b| Some(self.target.number(b?))),
                });
                cursor = below;
            }
        }
    }

    fn enter(&self, chain: Option<BlockIndex>, otherwise: Next) -> Next {
        chain.map_or(otherwise, |first| Next::Block(self.target.number(first)))
    }

    /// The first statement of a chain. The reader of projects ensures that chains end.
    fn first_goal(&self, chain: Option<BlockIndex>) -> Option<BlockIndex> {
        let blocks = &self.target.blocks;
        std::iter::successors(chain, |&b| blocks[b as usize].next)
            .find(|&b| is_goal(&blocks[b as usize]))
    }
}
