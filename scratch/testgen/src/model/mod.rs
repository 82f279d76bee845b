//! The goals of a project: the blocks that tests shall cover.

mod dependencies;
mod depth;
mod independent;
mod input;
#[cfg(test)]
mod tests;

use std::sync::OnceLock;

use catherd_sb3::{BlockNo, Project};
use catherd_suite::goals::{GoalSet, GoalSettings, HatEvent, LiveCode};

use crate::Compat;
use crate::graph::Graph;

/// What test generation knows of a project before anything runs: its goals, and the
/// graph that tells how far a test is from each of them. Never changes.
#[derive(Debug)]
pub struct Model {
    pub(crate) graph: Graph,
    pub(crate) compat: Compat,
    block_count: usize,
    independent: Vec<usize>,
    has_any_input_event: bool,
    /// Computed when first asked for: a search without minimisation never asks.
    depths: OnceLock<Vec<u32>>,
}

impl Model {
    /// Builds graph and the goals of the published study.
    pub fn new(project: &Project, compat: Compat) -> Self {
        Self::of(project, GoalSet::Published, compat)
    }

    /// Builds graph and goals.
    pub fn of(project: &Project, set: GoalSet, compat: Compat) -> Self {
        let settings = GoalSettings { set, clone_links: compat.clone_links };
        let code = LiveCode::of(project, settings);
        let graph = Graph::of(project, &code, compat.call_edges);
        Self {
            independent: independent::independent_goals(project, &graph),
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
            independent: Vec::new(),
            has_any_input_event: true,
            depths: OnceLock::new(),
            graph,
        }
    }

    /// The blocks to cover. The position in this list is the number of the goal.
    pub fn goals(&self) -> &[BlockNo] {
        self.graph.blocks()
    }

    /// The goal that is this block, if it is one.
    pub fn goal(&self, block: BlockNo) -> Option<usize> {
        self.goals().binary_search(&block).ok()
    }

    /// How many blocks the project has: the size of its [traces](crate::trace::Trace).
    pub fn block_count(&self) -> usize {
        self.block_count
    }

    /// The events that can start scripts, user events and those that blocks send.
    pub fn events(&self) -> &[HatEvent] {
        self.graph.events()
    }

    /// The length of the longest chain of control dependences that ends at the goal, each
    /// of them the shortest possible: its largest approach level. 0 for goals of no
    /// dependence and of one.
    pub fn depth(&self, goal: usize) -> u32 {
        self.depths.get_or_init(|| depth::depths(&self.graph))[goal]
    }

    /// For each goal the goals of which one has to be covered before it can be: the blocks
    /// whose outcome decides whether control comes to it, or those that send the message
    /// that does. None for goals that a user event alone leads to.
    pub fn dependencies(&self) -> Vec<Vec<usize>> {
        dependencies::dependencies(&self.graph)
    }

    /// Goals whose coverage implies that of the others, ascending: what follows blocks
    /// that take time, the ends of branches, beginnings and ends of scripts.
    pub fn independent_goals(&self) -> &[usize] {
        &self.independent
    }

    /// Does the project react to any input that a test can give: flag, keys, mouse,
    /// answers, sound? Others need no search.
    pub fn has_any_input_event(&self) -> bool {
        self.has_any_input_event
    }
}
