//! Dead code: blocks that cannot be reached.

use catherd_scratch_sb3::BlockNo;
use rustc_hash::FxHashMap;

use super::hat_event::{EventLink, Kind};
use super::script::Statement;

/// Removes blocks without a predecessor until all remaining blocks have a predecessor. Returns, for
/// each block, whether it remains.
///
/// Predecessors are the blocks above and around a block, calls to a definition, and events. Edges
/// back to a loop do not count, because every dead loop would otherwise be its own predecessor. As
/// in the published study, dead cycles remain, and so do receivers of messages that only dead
/// blocks send, which keeps counts of goals comparable.
pub(super) fn live(
    statements: &[Option<Statement>],
    events: &[EventLink],
    definition: impl Fn(BlockNo) -> Option<BlockNo>,
) -> Vec<bool> {
    let successors = |number: usize| {
        let children = statements[number].iter().flat_map(|s| s.children);
        children.flatten().chain(definition(BlockNo(number as u32)))
    };
    let mut predecessors = vec![0; statements.len()];
    for hat in events.iter().flat_map(|link| &link.hats) {
        predecessors[hat.0 as usize] += 1;
    }
    for successor in (0..statements.len()).flat_map(successors) {
        predecessors[successor.0 as usize] += 1;
    }
    let mut live: Vec<bool> = statements.iter().map(Option::is_some).collect();
    let mut dead: Vec<usize> =
        (0..statements.len()).filter(|&b| live[b] && predecessors[b] == 0).collect();
    while let Some(block) = dead.pop() {
        live[block] = false;
        for successor in successors(block).map(|b| b.0 as usize) {
            predecessors[successor] -= 1;
            if predecessors[successor] == 0 {
                dead.push(successor);
            }
        }
    }
    live
}

/// Returns, for each block, whether a path from a user event leads to it.
pub(super) fn reachable(
    statements: &[Option<Statement>],
    events: &[EventLink],
    definition: impl Fn(BlockNo) -> Option<BlockNo>,
) -> Vec<bool> {
    let mut sent: FxHashMap<BlockNo, Vec<usize>> = FxHashMap::default();
    let mut sends_any: FxHashMap<BlockNo, Kind> = FxHashMap::default();
    for (number, link) in events.iter().enumerate() {
        for &sender in &link.senders {
            sent.entry(sender).or_default().push(number);
        }
        let kind = link.event.kind();
        let known = link.senders_of_kind.first().is_some_and(|first| sends_any.contains_key(first));
        if let Some(kind) = kind.filter(|_| !known) {
            sends_any.extend(link.senders_of_kind.iter().map(|&sender| (sender, kind)));
        }
    }
    // Each event starts its hats only once, because many blocks may send it.
    let mut waiting: Vec<Option<&EventLink>> = events.iter().map(Some).collect();
    let mut reached = vec![false; statements.len()];
    let from_user = events.iter().filter(|link| link.event.is_from_user());
    let mut pending: Vec<BlockNo> = from_user.flat_map(|link| &link.hats).copied().collect();
    while let Some(block) = pending.pop() {
        let Some(statement) = &statements[block.0 as usize] else { continue };
        if !std::mem::replace(&mut reached[block.0 as usize], true) {
            pending.extend(statement.children.iter().flatten());
            pending.extend(definition(block));
            for &link in sent.get(&block).into_iter().flatten() {
                pending.extend(waiting[link].take().iter().flat_map(|link| &link.hats));
            }
            if let Some(kind) = sends_any.remove(&block) {
                sends_any.retain(|_, other| *other != kind);
                let links = waiting.iter_mut();
                let of_kind =
                    links.filter_map(|link| link.take_if(|link| link.event.kind() == Some(kind)));
                pending.extend(of_kind.flat_map(|link| &link.hats));
            }
        }
    }
    reached
}
