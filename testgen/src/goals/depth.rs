//! How deep goals lie below control dependences.

use rustc_hash::FxHashMap;

use crate::graph::{Adjacency, Graph, NodeId};

/// The largest approach level of each goal, by goal.
pub(super) fn depths(graph: &Graph) -> Vec<u32> {
    let dependence = graph.dependence();
    let reverse = dependence.iter().map(|(from, edge)| (edge.to, from)).collect();
    let reverse = Adjacency::new(graph.len(), reverse);
    let mut walk = Walk { levels: vec![u32::MAX; graph.len()], queue: Vec::new() };
    // Blocks in a row have the same dependences and so the same depth.
    let mut known: FxHashMap<&[NodeId], u32> = FxHashMap::default();
    (graph.first_block()..graph.len() as NodeId)
        .map(|goal| reverse.of(goal))
        .map(|direct| *known.entry(direct).or_insert_with(|| walk.eccentricity(direct, &reverse)))
        .collect()
}

struct Walk {
    /// `u32::MAX` between walks.
    levels: Vec<u32>,
    queue: Vec<NodeId>,
}

impl Walk {
    /// The largest distance from `sources`, 0 without any.
    fn eccentricity(&mut self, sources: &[NodeId], edges: &Adjacency<NodeId>) -> u32 {
        self.queue.clear();
        self.queue.extend(sources);
        for &node in sources {
            self.levels[node as usize] = 0;
        }
        let mut next = 0;
        while let Some(&node) = self.queue.get(next) {
            next += 1;
            let level = self.levels[node as usize] + 1;
            for &before in edges.of(node) {
                if self.levels[before as usize] == u32::MAX {
                    self.levels[before as usize] = level;
                    self.queue.push(before);
                }
            }
        }
        let largest = self.queue.last().map_or(0, |&node| self.levels[node as usize]);
        for &node in &self.queue {
            self.levels[node as usize] = u32::MAX;
        }
        largest
    }
}
