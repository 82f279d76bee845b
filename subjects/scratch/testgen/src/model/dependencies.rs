//! Dependencies between goals: which goals must be covered before others.

use crate::graph::{Adjacency, FIRST_EVENT, Graph, NodeId};

/// For each goal, the other goals on which it is control dependent, with the senders of an event
/// instead of the event. A goal that depends on a user event, or on nothing, has no dependencies,
/// even if other blocks lead to the goal.
pub(super) fn dependencies(graph: &Graph) -> Vec<Vec<usize>> {
    let dependence = graph.dependence().iter().map(|(from, edge)| (edge.to, from)).collect();
    let controls = Adjacency::new(graph.len(), dependence);
    let goals = graph.first_block()..graph.len() as NodeId;
    goals.map(|goal| of_goal(graph, &controls, goal).unwrap_or_default()).collect()
}

fn of_goal(graph: &Graph, controls: &Adjacency<NodeId>, goal: NodeId) -> Option<Vec<usize>> {
    let first = graph.first_block();
    let mut found = Vec::new();
    for &control in controls.of(goal) {
        if control >= first {
            found.push(control);
        } else {
            let event = control.checked_sub(FIRST_EVENT)? as usize;
            if graph.events()[event].is_from_user() {
                return None;
            }
            found.extend(graph.senders(event));
        }
    }
    found.retain(|&control| control != goal);
    found.sort_unstable();
    found.dedup();
    Some(found.into_iter().map(|control| (control - first) as usize).collect())
}
