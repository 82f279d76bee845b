//! The goals of a project: the blocks that tests shall cover.

mod dependencies;
mod depth;
mod independent;
mod input;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::{Arc, OnceLock};

use catherd_sb3::{BlockNo, Project};

use crate::Compat;
use crate::graph::{Event, Graph};

/// Which blocks are goals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goals {
    /// Statement blocks that something leads to, as in the published study: of dead code
    /// what only dead code leads to in a circle stays, and receivers of dead senders.
    Published,
    /// Statement blocks to which a way leads from a user event.
    Reachable,
}

impl Goals {
    pub(crate) const WORDS: &[(&str, Self)] =
        &[("published", Self::Published), ("reachable", Self::Reachable)];
}

/// What test generation knows of a project before anything runs: its goals, and the
/// graph that tells how far a test is from each of them. Never changes.
#[derive(Debug)]
pub struct Model {
    pub(crate) graph: Graph,
    pub(crate) compat: Compat,
    block_count: usize,
    names: Vec<GoalName>,
    independent: Vec<usize>,
    has_any_input_event: bool,
    /// Computed when first asked for: a search without minimisation never asks.
    depths: OnceLock<Vec<u32>>,
}

impl Model {
    /// Builds graph and the goals of the published study.
    pub fn new(project: &Project, compat: Compat) -> Self {
        Self::of(project, Goals::Published, compat)
    }

    /// Builds graph and goals.
    pub fn of(project: &Project, goals: Goals, compat: Compat) -> Self {
        let graph = Graph::of(project, goals, compat);
        let names = graph.blocks().iter().map(|&block| GoalName::of(project, block)).collect();
        Self {
            independent: independent::independent_goals(project, &graph),
            has_any_input_event: input::has_any_input_event(project),
            block_count: project.block_count(),
            compat,
            names,
            graph,
            depths: OnceLock::new(),
        }
    }

    #[cfg(test)]
    pub(crate) fn of_graph(graph: Graph) -> Self {
        Self {
            block_count: graph.blocks().len(),
            compat: Compat::default(),
            names: Vec::new(),
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

    /// What people call a goal.
    ///
    /// # Panics
    /// If there are not so many goals; so do the other methods that take one.
    pub fn name(&self, goal: usize) -> &GoalName {
        &self.names[goal]
    }

    /// How many blocks the project has: the size of its [traces](crate::trace::Trace).
    pub fn block_count(&self) -> usize {
        self.block_count
    }

    /// The events that can start scripts, user events and those that blocks send.
    pub fn events(&self) -> &[Event] {
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

/// A goal for people: `motion_movesteps Xa3 of Cat`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoalName {
    /// The stage or sprite that owns the block.
    pub target: Arc<str>,
    /// The opcode.
    pub opcode: &'static str,
    /// The block's id in the project file, unique in its target.
    pub block: Arc<str>,
}

impl GoalName {
    fn of(project: &Project, block: BlockNo) -> Self {
        let (target, index) = project.locate(block);
        let target = &project.targets[target];
        let block = &target.blocks[index as usize];
        Self { target: target.name.clone(), opcode: block.opcode.name(), block: block.id.clone() }
    }
}

impl fmt::Display for GoalName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} of {}", self.opcode, self.block, self.target)
    }
}
