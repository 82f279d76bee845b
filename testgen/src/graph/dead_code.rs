//! Blocks that nothing leads to.

use catherd_sb3::BlockNo;

use super::event::Link;
use super::script::Statement;

/// Which blocks remain when those without a predecessor are removed until all have one.
///
/// Predecessors are blocks above and around, calls of a definition, and events; where
/// control returns to does not matter, or every dead loop would keep itself alive. As in
/// the published study, code that only dead code leads to in a circle stays, and so do
/// receivers whose every sender is dead: it keeps totals comparable.
pub(super) fn live(
    statements: &[Option<Statement>],
    events: &[Link],
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
