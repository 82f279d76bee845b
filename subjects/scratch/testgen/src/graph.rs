//! The interprocedural control flow graph of a program and the control dependence graph
//! derived from it (Whisker paper, section 5.2.1).

mod adjacency;
mod dependence;
mod edges;
mod postdominators;
#[cfg(test)]
pub(crate) mod tests;

use catherd_scratch_sb3::{BlockNo, Project};
use catherd_scratch_suite::goals::{HatEvent, LiveCode};

pub(crate) use adjacency::Adjacency;

/// The number of a node: [`ENTRY`], [`EXIT`], [`START`], then the events, then the blocks.
pub(crate) type NodeId = u32;

/// The environment, which sends user events.
pub(crate) const ENTRY: NodeId = 0;
/// The end of every script.
pub(crate) const EXIT: NodeId = 1;
/// A node above [`ENTRY`] and [`EXIT`], which makes the entry a control dependence.
pub(crate) const START: NodeId = 2;
/// The first event, or the first block if there are no events.
pub(crate) const FIRST_EVENT: NodeId = 3;

/// The condition of an edge: a set of outcomes of its source node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outcomes(u8);

impl Outcomes {
    pub(crate) const ANY: Self = Self(1);
    pub(crate) const TRUE: Self = Self(2);
    pub(crate) const FALSE: Self = Self(4);

    pub(crate) fn has(self, outcomes: Self) -> bool {
        self.0 & outcomes.0 != 0
    }

    fn includes(self, outcomes: Self) -> bool {
        self.0 & outcomes.0 == outcomes.0
    }

    fn add(&mut self, outcomes: Self) {
        self.0 |= outcomes.0;
    }
}

/// An edge, stored at its source node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) to: NodeId,
    pub(crate) when: Outcomes,
}

#[derive(Clone, Debug)]
pub(crate) struct Graph {
    events: Vec<HatEvent>,
    /// Ascending, so the goals of a project are in the order of their nodes.
    blocks: Vec<BlockNo>,
    flow: Adjacency<Edge>,
    dependence: Adjacency<Edge>,
    /// For each event, counted from 0, the blocks that send it.
    senders: Adjacency<NodeId>,
    /// For each event, counted from 0, the blocks that it starts.
    hats: Adjacency<NodeId>,
}

impl Graph {
    pub(crate) fn of(project: &Project, code: &LiveCode, call_edges: bool) -> Self {
        edges::graph(project, code, call_edges)
    }

    /// A graph of these nodes and edges. Edges to the exit are added until a path leads to the exit
    /// from every node, because post-dominance needs an end.
    pub(crate) fn new(
        events: Vec<HatEvent>,
        blocks: Vec<BlockNo>,
        mut edges: Vec<(NodeId, Edge)>,
    ) -> Self {
        let first_block = FIRST_EVENT + events.len() as u32;
        let nodes = first_block as usize + blocks.len();
        edges.extend([ENTRY, EXIT].map(|to| (START, Edge { to, when: Outcomes::ANY })));
        // The sender of a message continues in parallel. If post-dominance considered edges to
        // events, all blocks after a broadcast would depend on the broadcast.
        let is_sent = |from: NodeId, to| from >= first_block && to < first_block && to > START;
        postdominators::make_ends_reachable(nodes, &mut edges, is_sent);
        let to_events = edges.iter().filter(|(from, edge)| is_sent(*from, edge.to));
        let senders = to_events.map(|&(from, edge)| (edge.to - FIRST_EVENT, from)).collect();
        let from_events = edges.iter().filter(|(from, edge)| {
            (FIRST_EVENT..first_block).contains(from) && edge.to >= first_block
        });
        let hats = from_events.map(|&(from, edge)| (from - FIRST_EVENT, edge.to)).collect();

        let flow = Adjacency::new(nodes, edges);
        let tree = postdominators::Tree::new(nodes, &flow, is_sent);
        let dependence = dependence::control_dependence(nodes, &flow, &tree);
        let senders = Adjacency::new(events.len(), senders);
        let hats = Adjacency::new(events.len(), hats);
        Self { events, blocks, flow, dependence, senders, hats }
    }

    pub(crate) fn len(&self) -> usize {
        self.first_block() as usize + self.blocks.len()
    }

    pub(crate) fn first_block(&self) -> NodeId {
        FIRST_EVENT + self.events.len() as u32
    }

    /// The events. The first of them is the node [`FIRST_EVENT`].
    pub(crate) fn events(&self) -> &[HatEvent] {
        &self.events
    }

    /// The blocks. The first of them is the node [`Graph::first_block`].
    pub(crate) fn blocks(&self) -> &[BlockNo] {
        &self.blocks
    }

    pub(crate) fn flow(&self) -> &Adjacency<Edge> {
        &self.flow
    }

    /// Control dependence edges: the nodes that depend on the outcome of each node.
    pub(crate) fn dependence(&self) -> &Adjacency<Edge> {
        &self.dependence
    }

    pub(crate) fn senders(&self, event: usize) -> &[NodeId] {
        self.senders.of(event as u32)
    }

    pub(crate) fn hats(&self, event: usize) -> &[NodeId] {
        self.hats.of(event as u32)
    }
}
