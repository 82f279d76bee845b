//! Model of a project for the search: its goals and the graph that leads to them.

mod branch_goals;
mod dependencies;
mod depth;
mod independent;
mod input;
#[cfg(test)]
mod tests;

use std::sync::OnceLock;

use catherd_scratch_sb3::{BlockNo, Project};
use catherd_scratch_suite::goals::{GoalSet, GoalSettings, HatEvent, LiveCode};

use crate::compat::Compat;
use crate::criteria::Criteria;
use crate::graph::Graph;
pub(crate) use branch_goals::BranchGoal;

/// Immutable model of a project: its goals, and the graph from which the distance of a test to
/// each goal is computed.
#[derive(Debug)]
pub struct Model {
    pub(crate) graph: Graph,
    pub(crate) compat: Compat,
    pub(crate) criteria: Criteria,
    /// Blocks, then branches.
    goals: Vec<BlockNo>,
    pub(crate) branches: Vec<BranchGoal>,
    block_count: usize,
    independent: Vec<usize>,
    has_any_input_event: bool,
    depths: OnceLock<Vec<u32>>,
}

impl Model {
    /// Creates the model with the goals of the published study.
    pub fn new(project: &Project, compat: Compat) -> Self {
        Self::of(project, GoalSet::Published, Criteria::Blocks, compat)
    }

    /// Creates the model with a set of goals and the criteria of the search.
    pub fn of(project: &Project, set: GoalSet, criteria: Criteria, compat: Compat) -> Self {
        let settings = GoalSettings { set, clone_links: compat.clone_links };
        let code = LiveCode::of(project, settings);
        let graph = Graph::of(project, &code, compat.call_edges);
        let blocks = graph.blocks();
        let branches = if criteria.aims_at_branches() {
            branch_goals::of(project, blocks)
        } else {
            Vec::new()
        };
        let numbers = branches.iter().map(|goal| goal.number);
        let goals: Vec<BlockNo> = blocks.iter().copied().chain(numbers).collect();
        let mut independent = Vec::new();
        if criteria.aims_at_blocks() {
            independent = independent::independent_goals(project, &graph);
        }
        independent.extend(blocks.len()..goals.len());
        Self {
            independent,
            criteria,
            goals,
            branches,
            has_any_input_event: input::has_any_input_event(project),
            block_count: project.block_count(),
            compat,
            graph,
            depths: OnceLock::new(),
        }
    }

    #[cfg(test)]
    pub(crate) fn of_graph(graph: Graph) -> Self {
        Self {
            block_count: graph.blocks().len(),
            compat: Compat::default(),
            criteria: Criteria::Blocks,
            goals: graph.blocks().to_vec(),
            branches: Vec::new(),
            independent: Vec::new(),
            has_any_input_event: true,
            depths: OnceLock::new(),
            graph,
        }
    }

    /// The blocks to cover, followed by the [branches](catherd_scratch_suite::goals::Branch) if the
    /// search aims at branches. The position in this list is the number of the goal.
    pub fn goals(&self) -> &[BlockNo] {
        &self.goals
    }

    /// Number of goals that are blocks. Their numbers precede the numbers of the branches.
    pub fn block_goals(&self) -> usize {
        self.goals.len() - self.branches.len()
    }

    /// Whether there may be goals that are branches.
    pub fn has_branches(&self) -> bool {
        self.criteria.aims_at_branches()
    }

    /// Whether the search aims at a goal.
    pub fn is_aimed_at(&self, goal: usize) -> bool {
        self.criteria.aims_at_blocks() || goal >= self.block_goals()
    }

    /// The block of a goal: the goal itself, or the block of which a branch is an outcome.
    pub fn block_of(&self, goal: BlockNo) -> BlockNo {
        let number = self.branches.binary_search_by_key(&goal, |branch| branch.number);
        number.map_or(goal, |number| self.branches[number].decider())
    }

    /// The number of a block or branch among the goals; `None` if it is not a goal.
    pub fn goal(&self, block: BlockNo) -> Option<usize> {
        self.goals().binary_search(&block).ok()
    }

    /// Number of blocks of the project: the size of its [traces](catherd_scratch_trace::Trace).
    pub fn block_count(&self) -> usize {
        self.block_count
    }

    /// The events that can start scripts: user events and events that blocks send.
    pub fn events(&self) -> &[HatEvent] {
        self.graph.events()
    }

    /// The largest possible approach level of the goal. A branch is one level deeper than its
    /// block.
    pub fn depth(&self, goal: usize) -> u32 {
        let depths = self.depths.get_or_init(|| depth::depths(&self.graph));
        match goal.checked_sub(depths.len()) {
            None => depths[goal],
            Some(branch) => depths[self.branches[branch].block] + 1,
        }
    }

    /// For each goal, the other goals of which at least one must be covered first. The list is
    /// empty if the goal can be covered without other goals.
    pub fn dependencies(&self) -> Vec<Vec<usize>> {
        let mut dependencies = dependencies::dependencies(&self.graph);
        dependencies.extend(self.branches.iter().map(|branch| vec![branch.block]));
        dependencies
    }

    /// Goals whose coverage implies the coverage of the other goals at which the search aims, in
    /// ascending order.
    pub fn independent_goals(&self) -> &[usize] {
        &self.independent
    }

    /// Whether the project reacts to input. Other projects need no search.
    pub fn has_any_input_event(&self) -> bool {
        self.has_any_input_event
    }
}
