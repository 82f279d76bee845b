//! Adjacency lists in two flat arrays.

use super::NodeId;

#[derive(Clone, Debug)]
pub(crate) struct Adjacency<T> {
    /// List `n` is `items[starts[n]..starts[n + 1]]`.
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T> Adjacency<T> {
    /// Items keep their order within a list.
    pub(crate) fn new(nodes: usize, mut pairs: Vec<(NodeId, T)>) -> Self {
        pairs.sort_by_key(|&(node, _)| node);
        let mut starts = vec![0; nodes + 1];
        for &(node, _) in &pairs {
            starts[node as usize + 1] += 1;
        }
        for n in 0..nodes {
            starts[n + 1] += starts[n];
        }
        Self { starts, items: pairs.into_iter().map(|(_, item)| item).collect() }
    }

    pub(crate) fn of(&self, node: NodeId) -> &[T] {
        let node = node as usize;
        &self.items[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (NodeId, &T)> + '_ {
        (0..self.starts.len() as u32 - 1).flat_map(|n| self.of(n).iter().map(move |i| (n, i)))
    }
}
