//! Dependencies between goals: which goals must be covered before others.

use crate::graph::{Adjacency, FIRST_EVENT, Graph, NodeId};

/// Number of dependencies above which only one of those of a further goal is listed.
const MAX_DEPENDENCIES: usize = 4_000_000;

/// For each goal, the other goals on which it is control dependent, with the senders of an event
/// instead of the event. A goal that depends on a user event, or on nothing, has no dependencies,
/// even if other blocks lead to the goal.
pub(super) fn dependencies(graph: &Graph) -> Vec<Vec<usize>> {
    let dependence = graph.dependence().iter().map(|(from, edge)| (edge.to, from)).collect();
    let controls = Adjacency::new(graph.len(), dependence);
    let goals = graph.first_block()..graph.len() as NodeId;
    let mut count = 0;
    let goals = goals.map(|goal| {
        let most = if count > MAX_DEPENDENCIES { 1 } else { usize::MAX };
        let found = of_goal(graph, &controls, goal, most).unwrap_or_default();
        count += found.len();
        found
    });
    goals.collect()
}

fn of_goal(
    graph: &Graph,
    controls: &Adjacency<NodeId>,
    goal: NodeId,
    most: usize,
) -> Option<Vec<usize>> {
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
            // One of them may be the goal.
            found.extend(graph.senders(event).iter().take(most.saturating_add(1)));
        }
    }
    found.retain(|&control| control != goal);
    found.sort_unstable();
    found.dedup();
    found.truncate(most);
    Some(found.into_iter().map(|control| (control - first) as usize).collect())
}
