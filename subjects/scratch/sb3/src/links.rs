//! A check that traversals of blocks terminate in bounded time.

use crate::{Block, Cause, Limits, ProjectLocation, Slot, Target};

/// Refuses targets whose blocks cannot be traversed in bounded time. `parent` links are not
/// checked.
pub(crate) fn check(target: &Target, limits: &Limits) -> Result<(), Cause> {
    let blocks = &target.blocks;
    let mut states = vec![State::New; blocks.len()];
    // The blocks from which traversals begin: top blocks, and blocks to which no block links.
    let mut heads = vec![true; blocks.len()];
    // The stack is explicit because a script may be as long as the project.
    let mut work: Vec<Step> = (0..blocks.len() as u32).rev().map(Step::Enter).collect();
    while let Some(step) = work.pop() {
        match step {
            Step::Enter(block) => match states[block as usize] {
                State::New => {
                    states[block as usize] = State::Open;
                    work.push(Step::Leave(block));
                    for link in successors(&blocks[block as usize]) {
                        heads[link.block() as usize] = false;
                        work.push(Step::Enter(link.block()));
                    }
                }
                State::Open => return Err(Cause::Cycle(location(target, block))),
                State::Done { .. } => {}
            },
            Step::Leave(block) => {
                let (mut size, mut depth) = (1u64, 0usize);
                for link in successors(&blocks[block as usize]) {
                    let State::Done { size: s, depth: d } = states[link.block() as usize] else {
                        unreachable!("a block is left after all its successors")
                    };
                    size = size.saturating_add(s);
                    depth = depth.max(if matches!(link, Link::Inner(_)) { d + 1 } else { d });
                }
                if depth > limits.block_depth {
                    return Err(Cause::limit(
                        "levels of nesting of blocks",
                        limits.block_depth as u64,
                    ));
                }
                states[block as usize] = State::Done { size, depth };
            }
        }
    }
    for script in target.scripts() {
        heads[script as usize] = true;
    }
    let expanded = states.iter().zip(&heads).fold(0u64, |sum, (state, head)| match state {
        State::Done { size, .. } if *head => sum.saturating_add(*size),
        _ => sum,
    });
    if expanded > limits.blocks as u64 {
        let fault = format!(
            "its scripts and loose chains share blocks and have {expanded} in total; the limit is {}",
            limits.blocks
        );
        return Err(ProjectLocation::Target(target.name.to_string()).fault(fault));
    }
    Ok(())
}

enum Step {
    Enter(u32),
    Leave(u32),
}

#[derive(Clone, Copy)]
enum State {
    New,
    /// The block is on the current path.
    Open,
    /// Number of blocks that are reachable from this block, counted once for each path, and their
    /// nesting.
    Done {
        size: u64,
        depth: usize,
    },
}

#[derive(Clone, Copy)]
enum Link {
    Next(u32),
    Inner(u32),
}

impl Link {
    fn block(self) -> u32 {
        match self {
            Link::Next(block) | Link::Inner(block) => block,
        }
    }
}

/// An uncovered shadow counts only once.
fn successors(block: &Block) -> impl Iterator<Item = Link> + '_ {
    let inner = block.inputs.iter().flat_map(|input| {
        let covered = (input.shadow != input.block).then_some(&input.shadow);
        [Some(&input.block), covered].into_iter().flatten().filter_map(|slot| match slot {
            Slot::Block(block) => Some(Link::Inner(*block)),
            _ => None,
        })
    });
    inner.chain(block.next.map(Link::Next))
}

fn location(target: &Target, block: u32) -> ProjectLocation {
    ProjectLocation::Block {
        target: target.name.to_string(),
        block: target.blocks[block as usize].id.to_string(),
    }
}
