//! Goals whose coverage implies the coverage of the other goals.

use catherd_scratch_sb3::{Block, BlockIndex, BlockNo, Opcode, Project};
use catherd_scratch_suite::goals::statement::{
    has_single_branch, is_branching, is_goal, takes_time,
};
use rustc_hash::FxHashSet;

use crate::graph::Graph;

/// The independent goals, ascending, as the published study chooses them:
///
/// - the block after a block that takes time;
/// - branching blocks, and among the blocks that depend on them, the ends of chains and the blocks
///   above another branching block;
/// - hats and definitions, and the last blocks of their scripts.
pub(super) fn independent_goals(project: &Project, graph: &Graph) -> Vec<usize> {
    let scripts = Scripts { project };
    let goals = graph.blocks();
    let mut independent = FxHashSet::default();
    for (goal, &number) in goals.iter().enumerate() {
        let block = scripts.block(number);
        if takes_time(block.opcode) {
            independent.extend(scripts.below(number));
        }
        if is_branching(block.opcode) {
            let node = graph.first_block() as usize + goal;
            let dependents = graph.dependence().of(node as u32).iter();
            let dependents = dependents.filter(|edge| edge.to >= graph.first_block());
            let dependents = dependents.map(|e| goals[(e.to - graph.first_block()) as usize]);
            independent.insert(number);
            independent.extend(scripts.branch_ends(number, dependents));
        }
        if block.top_level && (block.opcode.is_hat() || is_definition(block)) {
            independent.insert(number);
            independent.insert(scripts.last(number));
        }
    }
    (0..goals.len()).filter(|&goal| independent.contains(&goals[goal])).collect()
}

fn is_definition(block: &Block) -> bool {
    block.opcode == Opcode::ProceduresDefinition
}

struct Scripts<'a> {
    project: &'a Project,
}

impl<'a> Scripts<'a> {
    fn block(&self, number: BlockNo) -> &'a Block {
        let (target, index) = self.project.locate(number);
        &self.project.targets[target].blocks[index as usize]
    }

    fn below(&self, number: BlockNo) -> Option<BlockNo> {
        let (target, index) = self.project.locate(number);
        let target = &self.project.targets[target];
        let next = |index: BlockIndex| target.blocks[index as usize].next;
        std::iter::successors(next(index), |&below| next(below))
            .find(|&below| is_goal(&target.blocks[below as usize]))
            .map(|below| target.number(below))
    }

    fn above(&self, number: BlockNo) -> Option<BlockNo> {
        let (target, index) = self.project.locate(number);
        let target = &self.project.targets[target];
        target.blocks[index as usize].parent.map(|parent| target.number(parent))
    }

    fn last(&self, number: BlockNo) -> BlockNo {
        std::iter::successors(Some(number), |&block| self.below(block)).last().unwrap_or(number)
    }

    /// The blocks that depend on `branching` and whose coverage implies the coverage of the other
    /// such blocks.
    fn branch_ends(
        &self,
        branching: BlockNo,
        dependents: impl Iterator<Item = BlockNo>,
    ) -> Vec<BlockNo> {
        let mut ends: Vec<BlockNo> = dependents
            .filter(|&block| block != branching)
            .filter(|&block| !has_single_branch(self.block(block).opcode))
            .filter(|&block| {
                self.below(block).is_none_or(|below| is_branching(self.block(below).opcode))
            })
            .collect();
        let branches = if self.block(branching).opcode == Opcode::ControlIfElse { 2 } else { 1 };
        if ends.len() > branches {
            let mut ancestors = FxHashSet::default();
            for &end in &ends {
                let mut block = self.above(end);
                // The ancestors of a known ancestor are known.
                while let Some(ancestor) = block.filter(|&b| b != branching)
                    && ancestors.insert(ancestor)
                {
                    block = self.above(ancestor);
                }
            }
            ends.retain(|end| !ancestors.contains(end));
        }
        ends
    }
}
