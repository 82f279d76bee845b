//! Criteria over the states of a model.

use rustc_hash::FxHashMap;

use crate::criterion::Kind;
use crate::space::Space;

use super::{Context, CriterionError};

/// Maximum number of pairs of edges; each pair takes about twenty bytes.
const MAX_PAIRS: usize = 1 << 25;

pub(super) fn over_states(
    context: &Context<'_>,
    name: &str,
    space: &Space,
) -> Result<Kind, CriterionError> {
    Ok(match name {
        "states" => Kind::States(space.states()),
        "transitions" => Kind::Transitions(space.edge_count()),
        _ => {
            let edges = (0..space.states() as u32).flat_map(|state| space.edges(state));
            let count: usize = edges.map(|edge| space.edges(edge.target).len()).sum();
            if count > MAX_PAIRS {
                let cause = format!("{count} pairs of edges, more than {MAX_PAIRS}");
                return Err(context.error(cause, "use transitions"));
            }
            let mut pairs = FxHashMap::default();
            for state in 0..space.states() as u32 {
                for (at, edge) in space.edges(state).iter().enumerate() {
                    let first = (space.first_edge(state) + at) as u32;
                    let after = space.first_edge(edge.target);
                    for next in 0..space.edges(edge.target).len() {
                        let number = pairs.len() as u64;
                        pairs.insert((first, (after + next) as u32), number);
                    }
                }
            }
            Kind::EdgePairs(pairs)
        }
    })
}
