//! Fitness, which measures the distance of a test from covering each goal (Whisker paper, section
//! 5.2).
//!
//! The fitness of a test for a goal combines, in order of weight, the *approach level* (by how many
//! control dependences the execution missed the goal), the *branch distance* (how far the decision
//! at the nearest of these dependences was from the required outcome) and, if that decision had the
//! required outcome, the *control flow distance* (how many blocks are between the execution and the
//! block to which the decision leads). Smaller is better, and 0 means covered.
//!
//! All goals are evaluated together. Approach levels come from one breadth-first search along the
//! dependences from all reached nodes. The search passes on the distances of the reached nodes: a
//! node takes the smallest distance that arrives at the same level. Control flow distances come
//! from another search, from the entry and the covered blocks along control flow.

#[cfg(test)]
mod tests;

use catherd_scratch_suite::goals::HatEvent;

use crate::graph::{Adjacency, ENTRY, Edge, FIRST_EVENT, NodeId, Outcomes, START};
use crate::model::Model;
use catherd_scratch_trace::Trace;

/// Distance of a node that no search has reached.
const FAR: u32 = u32::MAX;

/// Buffers of [`Model::evaluate`], kept between calls to avoid allocation.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    nodes: Vec<State>,
    queue: Vec<NodeId>,
}

#[derive(Clone, Copy, Debug)]
struct State {
    /// Number of control flow edges from the nearest covered block or the entry.
    flow: u32,
    /// Number of control dependences from the nearest node that was reached; 0 if the node was
    /// reached.
    steps: u32,
    /// The smallest branch distance of the nearest reached nodes.
    branch: f64,
    /// If `branch` is 0, the control flow distance of the node that depends directly on the nearest
    /// reached node and leads to this node.
    rest: u32,
}

const UNKNOWN: State = State { flow: FAR, steps: FAR, branch: f64::INFINITY, rest: FAR };

/// The distance of an execution from a goal, and its parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// Number of control dependences between the goal and the execution; `None` if no chain of
    /// dependences connects them.
    pub approach_level: Option<u32>,
    /// Distance to the outcome that leads to the goal.
    pub branch_distance: f64,
    /// Number of blocks and events between the execution and the block to which the nearest
    /// decision leads, if this number is relevant.
    pub control_flow_distance: Option<u32>,
    /// All parts combined in one number (see [`Model::evaluate`]).
    pub fitness: f64,
}

impl Distance {
    const COVERED: Self = Self {
        approach_level: Some(0),
        branch_distance: 0.0,
        control_flow_distance: Some(0),
        fitness: 0.0,
    };
}

impl Model {
    /// Writes the fitness of the execution for every goal to `fitness`, in goal order: 0 if the
    /// goal is covered, else `2 a + alpha(b) + c` with the approach level `a`, the branch distance
    /// `b` and `c = alpha(control flow distance)` if `b` is 0 and `c = 1` if not, where `alpha(x) =
    /// x / (1 + x)`. The fitness is infinite if no chain of dependences connects the execution and
    /// the goal, and for uncovered blocks if the search does not aim at blocks. Branches are one
    /// approach level below their blocks.
    pub fn evaluate(&self, trace: &Trace, fitness: &mut Vec<f64>, workspace: &mut Workspace) {
        self.measure(trace, workspace);
        let goals = &workspace.nodes[self.graph.first_block() as usize..];
        fitness.clear();
        fitness.extend(goals.iter().map(State::fitness));
        fitness.extend(self.branches.iter().map(|branch| {
            let of_block = goals[branch.block].fitness();
            branch.fitness(trace, of_block)
        }));
        if !self.criteria.aims_at_blocks() {
            let blocks = fitness[..goals.len()].iter_mut();
            blocks.filter(|fitness| **fitness > 0.0).for_each(|fitness| *fitness = f64::INFINITY);
        }
    }

    /// The distance of the execution from a goal that is a block, with its parts, for tools and
    /// tests.
    pub fn explain(&self, trace: &Trace, goal: usize) -> Distance {
        let mut workspace = Workspace::default();
        self.measure(trace, &mut workspace);
        workspace.nodes[self.graph.first_block() as usize + goal].distance()
    }

    fn measure(&self, trace: &Trace, workspace: &mut Workspace) {
        let Workspace { nodes, queue } = workspace;
        nodes.clear();
        nodes.resize(self.graph.len(), UNKNOWN);
        self.follow_flow(trace, nodes, queue);
        self.reach(nodes, queue);
        self.leave_reached(trace, nodes, queue);
        follow_dependences(self.graph.dependence(), nodes, queue);
    }

    /// Computes control flow distances from the covered blocks and the entry.
    fn follow_flow(&self, trace: &Trace, nodes: &mut [State], queue: &mut Vec<NodeId>) {
        queue.clear();
        queue.push(ENTRY);
        let blocks = self.graph.blocks().iter().zip(self.graph.first_block()..);
        queue.extend(blocks.filter(|(block, _)| trace.covered(**block)).map(|(_, node)| node));
        for &node in &*queue {
            nodes[node as usize].flow = 0;
        }
        let mut next = 0;
        while let Some(&node) = queue.get(next) {
            next += 1;
            let flow = nodes[node as usize].flow + 1;
            for edge in self.graph.flow().of(node) {
                let to = &mut nodes[edge.to as usize];
                if to.flow == FAR {
                    to.flow = flow;
                    queue.push(edge.to);
                }
            }
        }
    }

    fn reach(&self, nodes: &mut [State], queue: &mut Vec<NodeId>) {
        let graph = &self.graph;
        queue.clear();
        let covered = |node: &NodeId| nodes[*node as usize].flow == 0;
        if !self.compat.unreached_event_is_infinite {
            queue.extend([ENTRY, START]);
        }
        for (position, event) in graph.events().iter().enumerate() {
            let reached = if self.compat.unreached_event_is_infinite {
                graph.hats(position).iter().any(covered)
            } else {
                event.is_from_user() || graph.senders(position).iter().any(covered)
            };
            if reached {
                queue.push(FIRST_EVENT + position as NodeId);
            }
        }
        queue.extend((graph.first_block()..graph.len() as NodeId).filter(covered));
        for &node in &*queue {
            nodes[node as usize].steps = 0;
        }
    }

    /// Follows the dependences from the nodes in the queue by one step, and replaces the queue with
    /// the new nodes found.
    fn leave_reached(&self, trace: &Trace, nodes: &mut [State], queue: &mut Vec<NodeId>) {
        let reached = queue.len();
        for position in 0..reached {
            let node = queue[position];
            let dependents = self.graph.dependence().of(node);
            if dependents.is_empty() {
                continue;
            }
            let decision = self.decision(trace, nodes, node);
            for edge in dependents {
                let to = &mut nodes[edge.to as usize];
                if to.steps == 0 {
                    continue;
                }
                if to.steps == FAR {
                    to.steps = 1;
                    queue.push(edge.to);
                }
                let distance = decision.distance(edge.when);
                to.branch = to.branch.min(distance);
                if distance == 0.0 {
                    to.rest = to.flow;
                }
            }
        }
        queue.drain(..reached);
    }

    fn decision(&self, trace: &Trace, nodes: &[State], node: NodeId) -> Decision {
        let graph = &self.graph;
        if node >= graph.first_block() {
            let block = graph.blocks()[(node - graph.first_block()) as usize];
            return trace.record(block).map_or(Decision::Passed, |(to_true, to_false)| {
                Decision::Condition { to_true, to_false }
            });
        }
        if node < FIRST_EVENT {
            return Decision::Passed;
        }
        let position = (node - FIRST_EVENT) as usize;
        let happened = graph.events()[position] == HatEvent::Flag
            || graph.hats(position).iter().any(|&hat| nodes[hat as usize].flow == 0);
        Decision::Event { happened }
    }
}

fn follow_dependences(dependence: &Adjacency<Edge>, nodes: &mut [State], queue: &mut Vec<NodeId>) {
    let mut next = 0;
    while let Some(&node) = queue.get(next) {
        next += 1;
        // This node is final: all nodes with fewer steps have been processed.
        let from = nodes[node as usize];
        for edge in dependence.of(node) {
            let to = &mut nodes[edge.to as usize];
            if to.steps == FAR {
                to.steps = from.steps + 1;
                queue.push(edge.to);
            }
            if to.steps == from.steps + 1 {
                to.branch = to.branch.min(from.branch);
                to.rest = to.rest.min(from.rest);
            }
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Decision {
    /// The smallest distances to the two outcomes of a condition.
    Condition { to_true: f64, to_false: f64 },
    /// Whether the event started one of its scripts.
    Event { happened: bool },
    /// There was no decision.
    Passed,
}

impl Decision {
    fn distance(self, outcomes: Outcomes) -> f64 {
        match self {
            Decision::Condition { .. } if outcomes.has(Outcomes::ANY) => 0.0,
            Decision::Condition { to_true, to_false } => {
                let to_true = if outcomes.has(Outcomes::TRUE) { to_true } else { f64::INFINITY };
                let to_false = if outcomes.has(Outcomes::FALSE) { to_false } else { f64::INFINITY };
                to_true.min(to_false)
            }
            Decision::Event { happened: false } => 1.0,
            Decision::Event { happened: true } | Decision::Passed => 0.0,
        }
    }
}

impl State {
    fn fitness(&self) -> f64 {
        if self.flow == 0 {
            0.0
        } else if self.steps == FAR {
            f64::INFINITY
        } else {
            let level = f64::from(self.steps - 1);
            let rest = if self.rest == FAR { 1.0 } else { normalized(f64::from(self.rest)) };
            2.0 * level + normalized(self.branch) + rest
        }
    }

    fn distance(&self) -> Distance {
        if self.flow == 0 {
            return Distance::COVERED;
        }
        Distance {
            approach_level: (self.steps != FAR).then(|| self.steps - 1),
            branch_distance: self.branch,
            control_flow_distance: (self.rest != FAR).then_some(self.rest),
            fitness: self.fitness(),
        }
    }
}

/// Maps nonnegative distances to `[0, 1]` and preserves their order.
pub(crate) fn normalized(distance: f64) -> f64 {
    if distance.is_finite() { distance / (1.0 + distance) } else { 1.0 }
}
