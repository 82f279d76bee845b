//! Prefix caching: an execution resumes from a snapshot taken after the longest event prefix that
//! it shares with an earlier execution.
//!
//! The state after an event depends only on project, seed and the events up to it, and so does the
//! next list of events. A test that begins like an earlier one therefore follows the [tree of
//! prefixes](super::prefix_tree) without the machine. When it leaves the tree, the machine restores
//! the last state saved on the path and executes the rest of the prefix. Results, including step
//! counts, equal those of an execution from the green flag.

use catherd_scratch_sb3::BlockNo;
use catherd_scratch_suite::event::Event;

use super::prefix_tree::{NodeNo, PrefixTree, SavedState};
use super::{Executor, Recording};
use crate::parameters::EventChoice;

/// Bytes that are copied in a tenth of the time of an idle step.
const BYTES_PER_STEP: u64 = 100;
/// Bytes that are copied in a tenth of the time of a block.
const BYTES_PER_BLOCK: u64 = 20;
/// Factor by which saving a state must save more work at a node that no test has revisited, because
/// most such nodes are never revisited.
const UNSHARED: u64 = 10;

impl Executor {
    /// Executes a test from the green flag on. `next` chooses an event from each list.
    pub(super) fn execute(
        &mut self,
        mut positions: impl Iterator<Item = usize>,
        mut next: impl FnMut(&[Event], usize) -> EventChoice,
    ) -> Recording {
        let mut here = self.start_path(NodeNo::EXTRACTING);
        let mut position = positions.next();
        let mut new_choice = None;
        while let (Some(at), Some(listed)) = (position, &self.prefixes.node(here).listed) {
            if is_over(listed, self.prefixes.node(here).interaction.has_ended()) {
                position = None;
                break;
            }
            let choice = next(listed, at);
            let Some(child) = self.follow(&choice) else {
                new_choice = Some(choice);
                break;
            };
            here = child;
            let hung = self.prefixes.node(here).interaction.is_hung();
            position = if hung { None } else { positions.next() };
        }
        let mut recording = self.catch_up();
        while let Some(at) = position {
            self.extract();
            let choice = match new_choice.take() {
                Some(choice) => choice,
                None => {
                    self.store_list(&recording);
                    let listed = self.extractor.events();
                    if is_over(listed, self.has_ended()) {
                        break;
                    }
                    next(listed, at)
                }
            };
            let event = self.resolve(choice);
            self.send(event, &mut recording);
            self.add_node(choice, &recording);
            position = if self.is_hung() { None } else { positions.next() };
        }
        self.hung += u64::from(self.is_hung());
        self.prefixes.end(&self.path);
        recording
    }

    /// Sends recorded events from the green flag on, whether or not they are listed, up to the
    /// event that covers the goal if one is given.
    pub(super) fn replay(&mut self, events: &[Event], goal: Option<BlockNo>) {
        self.start_path(NodeNo::REPLAYING);
        let mut rest = events;
        while let [event, others @ ..] = rest
            && let Some(child) = self.follow(&EventChoice::from(*event))
        {
            rest = others;
            let changes = &self.prefixes.node(child).changes;
            let blocks = self.prepared.model.block_count();
            if goal.is_some_and(|goal| changes.iter().any(|change| change.covers(goal, blocks))) {
                rest = &[];
            }
        }
        let mut recording = self.catch_up();
        for &event in rest {
            self.send(event, &mut recording);
            self.add_node(event.into(), &recording);
            if goal.is_some_and(|goal| self.vm.tracer.trace().covered(goal)) {
                break;
            }
        }
        self.prefixes.end(&self.path);
    }

    /// Empties the prefix cache and sets its maximum size in bytes.
    pub(crate) fn reset_prefix_cache(&mut self, memory: usize) {
        self.prefixes = PrefixTree::new(memory);
    }

    /// Starts the path at a root.
    fn start_path(&mut self, root: NodeNo) -> NodeNo {
        self.prefixes.begin();
        self.path.clear();
        self.path.push(root);
        root
    }

    /// Extends the path by the node to which a choice led an earlier execution; `None` if no
    /// execution made this choice there.
    fn follow(&mut self, choice: &EventChoice) -> Option<NodeNo> {
        let from = *self.path.last()?;
        let child = self.prefixes.visit(from, choice)?;
        self.path.push(child);
        Some(child)
    }

    /// Brings the machine to the state at the end of the path; returns the recording up to there.
    fn catch_up(&mut self) -> Recording {
        let mut recording = Recording::default();
        let depth = self.resume(&mut recording).unwrap_or_else(|| {
            self.begin();
            0
        });
        for position in depth + 1..self.path.len() {
            let node = self.path[position];
            // Only roots have no event.
            let Some((choice, event)) = self.prefixes.node(node).sent else { continue };
            if self.path[0] == NodeNo::EXTRACTING {
                self.extract();
                // Resolving a drag computes its bounding box, which later sensing may depend on.
                let again = self.resolve(choice);
                debug_assert_eq!(again, event, "a prefix has one meaning");
            }
            self.send(event, &mut recording);
            self.save(node, 1);
        }
        recording
    }

    /// Restores the last state saved on the path; returns the number of events before it, or
    /// `None` if no state was saved.
    fn resume(&mut self, recording: &mut Recording) -> Option<usize> {
        let (depth, node, saved) =
            self.path.iter().enumerate().rev().find_map(|(depth, node)| {
                let node = self.prefixes.node(*node);
                node.state.as_ref().map(|saved| (depth, node, saved))
            })?;
        for &node in &self.path[1..=depth] {
            let node = self.prefixes.node(node);
            recording.events.extend(node.sent.map(|(_, event)| event));
            recording.history.append(&node.changes);
        }
        self.limits.add(self.vm.hits());
        self.vm.restore(&saved.machine);
        self.vm.tracer.resume(&recording.history, &saved.evaluated);
        self.extraction.clone_from(&saved.extraction);
        self.interaction = node.interaction;
        self.spent = saved.spent;
        Some(depth)
    }

    /// Adds the last event to the tree.
    fn add_node(&mut self, choice: EventChoice, recording: &Recording) {
        let (Some(&from), Some(&event)) = (self.path.last(), recording.events.last()) else {
            return;
        };
        let events = recording.events.len();
        // Otherwise the path ended early because the cache was full.
        if self.path.len() == events {
            let changes = recording.history.last(events as u32);
            let node = self.prefixes.add(from, choice, event, changes, self.interaction);
            self.path.extend(node);
            node.into_iter().for_each(|node| self.save(node, UNSHARED));
        }
    }

    /// Stores the list of events after the last event in the tree.
    fn store_list(&mut self, recording: &Recording) {
        if let Some(&here) = self.path.last()
            && self.path.len() == recording.events.len() + 1
        {
            self.prefixes.store_list(here, self.extractor.events());
        }
    }

    /// Saves the state at a node if copying it costs at most the work since the last saved state
    /// divided by `factor`.
    fn save(&mut self, node: NodeNo, factor: u64) {
        let spent = (self.vm.steps(), self.vm.executed_blocks());
        let work =
            BYTES_PER_STEP * (spent.0 - self.spent.0) + BYTES_PER_BLOCK * (spent.1 - self.spent.1);
        let affordable = work / factor;
        if affordable < self.least {
            return;
        }
        let states = self.path.iter().rev().filter(|earlier| **earlier != node);
        let mut states = states.filter_map(|node| self.prefixes.node(*node).state.as_ref());
        let earlier = states.next().map_or(&self.start, |saved| &saved.machine);
        if self.vm.unshared_bytes(earlier) as u64 <= affordable {
            let machine = self.vm.snapshot();
            let bytes = machine.unshared_bytes(earlier);
            let evaluated = self.vm.tracer.last_step().collect();
            let extraction = self.extraction.clone();
            self.prefixes.save(node, SavedState { machine, extraction, evaluated, spent }, bytes);
            self.spent = spent;
        }
    }
}

/// Whether a test ends before its next event: no event is listed, or the program has ended and
/// only waits are listed.
fn is_over(listed: &[Event], has_ended: bool) -> bool {
    listed.is_empty() || has_ended && listed.iter().all(Event::is_wait)
}

#[cfg(test)]
mod tests;
