//! Control dependence, as constructed by Ferrante, Ottenstein and Warren ("The program
//! dependence graph and its use in optimization").

use super::postdominators::Tree;
use super::{Adjacency, Edge};

/// The nodes that depend on each node, each once, with the outcomes that lead to the dependent
/// node.
pub(super) fn control_dependence(
    nodes: usize,
    flow: &Adjacency<Edge>,
    tree: &Tree,
) -> Adjacency<Edge> {
    let mut dependence: Vec<(u32, Edge)> = Vec::new();
    // For each node, the position after `begin` of the edge from the current `from` to the node, if
    // there is such an edge.
    let mut places = vec![0; nodes];
    for from in 0..nodes as u32 {
        let begin = dependence.len();
        for edge in flow.of(from) {
            let mut to = edge.to;
            while !tree.is_strict_ancestor(to, from) {
                let place = places[to as usize];
                match dependence.get_mut(begin..).and_then(|own| own.get_mut(place)) {
                    Some((_, known)) if known.to == to => {
                        // Stop here, because an earlier walk has continued from this node with
                        // these outcomes.
                        if known.when.includes(edge.when) {
                            break;
                        }
                        known.when.add(edge.when);
                    }
                    _ => {
                        places[to as usize] = dependence.len() - begin;
                        dependence.push((from, Edge { to, when: edge.when }));
                    }
                }
                to = tree.parent(to);
            }
        }
    }
    Adjacency::new(nodes, dependence)
}
