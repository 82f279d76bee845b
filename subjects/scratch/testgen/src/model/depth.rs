//! Depth of blocks in the control dependence graph.

use rustc_hash::FxHashMap;

use crate::graph::{Adjacency, Graph, NodeId};

/// The largest approach level of each goal that is a block.
pub(super) fn depths(graph: &Graph) -> Vec<u32> {
    let dependence = graph.dependence().iter().map(|(from, edge)| (edge.to, from)).collect();
    let controls = Adjacency::new(graph.len(), dependence);
    // Blocks with the same dependences have the same depth.
    let mut classes: Vec<&[NodeId]> = Vec::new();
    let mut known = FxHashMap::default();
    let class_of: Vec<usize> = (graph.first_block()..graph.len() as NodeId)
        .map(|goal| {
            *known.entry(controls.of(goal)).or_insert_with_key(|direct| {
                classes.push(direct);
                classes.len() - 1
            })
        })
        .collect();
    let mut depths = Vec::with_capacity(classes.len());
    for classes in classes.chunks(WALKS) {
        depths.extend(largest_levels(classes, &controls, graph.len()));
    }
    class_of.into_iter().map(|class| depths[class]).collect()
}

/// Number of breadth-first searches that are executed together, with one bit for each search.
const WALKS: usize = u64::BITS as usize;

/// For each set of nodes, the maximum distance of a node from the set, against the direction of the
/// dependences; 0 for the empty set.
fn largest_levels(sets: &[&[NodeId]], controls: &Adjacency<NodeId>, nodes: usize) -> Vec<u32> {
    let mut largest = vec![0; sets.len()];
    let mut seen = vec![0u64; nodes];
    let mut front = Front::new(nodes);
    for (walk, set) in sets.iter().enumerate() {
        for &node in *set {
            front.add(node, 1 << walk);
        }
    }
    for level in 0.. {
        if front.nodes.is_empty() {
            break;
        }
        let mut moving = 0;
        for &node in &front.nodes {
            seen[node as usize] |= front.walks[node as usize];
            moving |= front.walks[node as usize];
        }
        for (walk, largest) in largest.iter_mut().enumerate() {
            if moving >> walk & 1 != 0 {
                *largest = level;
            }
        }
        let mut next = Front::new(nodes);
        for &node in &front.nodes {
            for &control in controls.of(node) {
                next.add(control, front.walks[node as usize] & !seen[control as usize]);
            }
        }
        front = next;
    }
    largest
}

/// Nodes that searches reached in their last step.
struct Front {
    /// For each node, the searches that have reached it, with one bit for each search.
    walks: Vec<u64>,
    nodes: Vec<NodeId>,
}

impl Front {
    fn new(nodes: usize) -> Self {
        Self { walks: vec![0; nodes], nodes: Vec::new() }
    }

    fn add(&mut self, node: NodeId, walks: u64) {
        let known = &mut self.walks[node as usize];
        if *known == 0 && walks != 0 {
            self.nodes.push(node);
        }
        *known |= walks;
    }
}
