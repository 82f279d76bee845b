//! Post-dominators of a node: the nodes that every path from the node to the exit passes through.

use super::{Adjacency, EXIT, Edge, NodeId, Outcomes};

/// Rank or parent that is not known yet.
const UNSEEN: u32 = u32::MAX;

/// Adds edges to the exit until a path leads to the exit from every node, even without the edges
/// that `ignored` accepts.
pub(super) fn make_ends_reachable(
    nodes: usize,
    edges: &mut Vec<(NodeId, Edge)>,
    ignored: impl Fn(NodeId, NodeId) -> bool,
) {
    let counted = edges.iter().filter(|(from, edge)| !ignored(*from, edge.to));
    let reverse = counted.map(|&(from, edge)| (edge.to, from)).collect();
    let reverse = Adjacency::new(nodes, reverse);
    let mut ends = vec![false; nodes];
    let mut pending = vec![EXIT];
    let mut candidates = (0..nodes as NodeId).rev();
    loop {
        while let Some(node) = pending.pop() {
            if !std::mem::replace(&mut ends[node as usize], true) {
                pending.extend(reverse.of(node));
            }
        }
        let Some(endless) = candidates.find(|&node| !ends[node as usize]) else { break };
        edges.push((endless, Edge { to: EXIT, when: Outcomes::ANY }));
        pending.push(endless);
    }
}

/// The tree in which the parent of a node is its immediate post-dominator. Its root is [`EXIT`], to
/// which a path must lead from every node.
pub(super) struct Tree {
    parents: Vec<NodeId>,
    /// Position of each node in a preorder walk of the tree.
    entered: Vec<u32>,
    /// Number of nodes in the subtree of each node.
    sizes: Vec<u32>,
}

impl Tree {
    /// Computes the tree without the edges that `ignored` accepts, with the algorithm of Cooper,
    /// Harvey and Kennedy ("A simple, fast dominance algorithm") on the reversed graph.
    pub(super) fn new(
        nodes: usize,
        flow: &Adjacency<Edge>,
        ignored: impl Fn(NodeId, NodeId) -> bool,
    ) -> Self {
        let counted = flow.iter().filter(|(from, edge)| !ignored(*from, edge.to));
        let counted: Vec<_> = counted.map(|(from, edge)| (from, edge.to)).collect();
        let reverse = Adjacency::new(nodes, counted.iter().map(|&(from, to)| (to, from)).collect());
        let forward = Adjacency::new(nodes, counted);

        let order = depth_first(nodes, &reverse);
        let mut ranks = vec![UNSEEN; nodes];
        for (&node, rank) in order.iter().zip(0..) {
            ranks[node as usize] = rank;
        }
        let mut parents = vec![UNSEEN; nodes];
        parents[EXIT as usize] = EXIT;
        let mut changed = true;
        while changed {
            changed = false;
            for &node in &order[1..] {
                let known = forward.of(node).iter().filter(|&&n| parents[n as usize] != UNSEEN);
                let parent = known
                    .copied()
                    .reduce(|a, b| common_ancestor(&parents, &ranks, a, b))
                    .expect("the walk came here from a successor");
                changed |= parents[node as usize] != parent;
                parents[node as usize] = parent;
            }
        }

        // Parents come before their children in `order`.
        let mut sizes = vec![1; nodes];
        for &node in order[1..].iter().rev() {
            sizes[parents[node as usize] as usize] += sizes[node as usize];
        }
        let mut entered = vec![0; nodes];
        let mut free = vec![1; nodes];
        for &node in &order[1..] {
            let parent = parents[node as usize] as usize;
            entered[node as usize] = free[parent];
            free[parent] += sizes[node as usize];
            free[node as usize] = entered[node as usize] + 1;
        }
        Self { parents, entered, sizes }
    }

    /// The immediate post-dominator of a node; for the exit, the exit itself.
    pub(super) fn parent(&self, node: NodeId) -> NodeId {
        self.parents[node as usize]
    }

    /// Whether every path from `node` to the exit passes through the other node `ancestor`.
    pub(super) fn is_strict_ancestor(&self, ancestor: NodeId, node: NodeId) -> bool {
        let (first, node) = (self.entered[ancestor as usize], self.entered[node as usize]);
        first < node && node < first + self.sizes[ancestor as usize]
    }
}

/// The nodes in reverse postorder of a depth-first walk from the exit.
fn depth_first(nodes: usize, reverse: &Adjacency<NodeId>) -> Vec<NodeId> {
    let mut seen = vec![false; nodes];
    seen[EXIT as usize] = true;
    let mut order = Vec::with_capacity(nodes);
    let mut path = vec![(EXIT, 0)];
    while let Some((node, visited)) = path.last_mut() {
        match reverse.of(*node).get(*visited) {
            Some(&next) => {
                *visited += 1;
                if !std::mem::replace(&mut seen[next as usize], true) {
                    path.push((next, 0));
                }
            }
            None => {
                order.push(*node);
                path.pop();
            }
        }
    }
    order.reverse();
    order
}

fn common_ancestor(parents: &[NodeId], ranks: &[u32], mut a: NodeId, mut b: NodeId) -> NodeId {
    while a != b {
        // The node that is later in the order is not an ancestor of the other node.
        if ranks[a as usize] > ranks[b as usize] {
            a = parents[a as usize];
        } else {
            b = parents[b as usize];
        }
    }
    a
}
