//! Prefix caching: an execution resumes from a snapshot taken within the longest event prefix that
//! it shares with an earlier execution.
//!
//! A state and the events listed in it depend only on the project, the seed, and the events and
//! extractions so far. A test that begins like an earlier test therefore follows the [tree of
//! prefixes](super::prefix_tree) without executing the VM. When the test leaves the tree, the VM
//! restores the last state saved on the path and executes the rest of the prefix. Results,
//! including step counts, are the same as in an execution from the green flag.

use catherd_scratch_sb3::BlockNo;
use catherd_scratch_suite::event::Event;
use catherd_scratch_vm::Snapshot;

use super::prefix_tree::{Moment, NodeNo, PrefixTree, SavedState};
use super::within::Tried;
use super::{Executor, Recording};
use crate::parameters::EventChoice;

/// Number of bytes that can be copied in a tenth of the time that an idle step takes.
const BYTES_PER_STEP: u64 = 100;
/// Number of bytes that can be copied in a tenth of the time that a block takes.
pub(super) const BYTES_PER_BLOCK: u64 = 20;
/// A state at a new node must save work that is worth this many copies of the state, because most
/// new nodes are never revisited.
pub(super) const UNSHARED: u64 = 10;

/// Minimum number of blocks of an execution, about ten milliseconds, for which storing prefixes
/// saves time even if tests share few prefixes.
const LONG_EXECUTION: u64 = 1_000_000;

impl Executor {
    /// Executes a test, beginning with the green flag. `next` chooses an event from each list.
    pub(super) fn execute(
        &mut self,
        mut positions: impl Iterator<Item = usize>,
        mut next: impl FnMut(&[Event], usize) -> EventChoice,
    ) -> Recording {
        if self.later > 0 && self.vm.executed_blocks() >= LONG_EXECUTION {
            self.reset_prefix_cache(self.later);
        }
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
        let mut recording = None;
        if let Some(choice) = new_choice {
            recording = self.finish_known(choice);
            if recording.is_some() {
                new_choice = None;
                position = if self.is_hung() { None } else { positions.next() };
            }
        }
        let mut recording = recording.unwrap_or_else(|| self.catch_up());
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
            self.send_new(choice, event, &mut recording);
            position = if self.is_hung() { None } else { positions.next() };
        }
        self.hung += u64::from(self.is_hung());
        self.prefixes.end(&self.path);
        recording
    }

    /// Sends the green flag and recorded events, even if they are not listed. If a goal is given,
    /// ends after the event that covers it.
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
        let known = rest.first().and_then(|event| self.finish_known((*event).into()));
        if known.is_some() {
            rest = &rest[1..];
        }
        let is_covered =
            |executor: &Executor| goal.is_some_and(|goal| executor.vm.tracer.trace().covered(goal));
        if known.is_some() && is_covered(self) {
            rest = &[];
        }
        let mut recording = known.unwrap_or_else(|| self.catch_up());
        for &event in rest {
            self.send_new(event.into(), event, &mut recording);
            if is_covered(self) {
                break;
            }
        }
        self.prefixes.end(&self.path);
    }

    pub(crate) fn reset_prefix_cache(&mut self, memory: usize) {
        self.prefixes = PrefixTree::new(memory);
        self.later = 0;
    }

    pub(crate) fn cache_prefixes_when_long(&mut self, memory: usize) {
        self.later = memory;
    }

    fn start_path(&mut self, root: NodeNo) -> NodeNo {
        self.prefixes.begin();
        self.path.clear();
        self.path.push(root);
        root
    }

    fn follow(&mut self, choice: &EventChoice) -> Option<NodeNo> {
        let from = *self.path.last()?;
        let child = self.prefixes.visit(from, choice, Moment::After)?;
        self.path.push(child);
        Some(child)
    }

    /// Brings the VM to the state at the end of the path.
    fn catch_up(&mut self) -> Recording {
        let mut recording = Recording::default();
        let depth = self.resume(&mut recording).unwrap_or_else(|| {
            self.begin();
            0
        });
        for position in depth + 1..self.path.len() {
            let node = self.path[position];
            // A node without an event is a root.
            let Some((choice, event)) = self.prefixes.node(node).sent else { continue };
            if self.path[0] == NodeNo::EXTRACTING {
                self.extract();
                // Resolving a drag computes a bounding box, on which later sensing may depend.
                let again = self.resolve(choice);
                debug_assert_eq!(again, event, "a prefix has one meaning");
            }
            self.send(event, &mut recording);
            self.save(node, 1);
        }
        recording
    }

    /// Restores the last state saved on the path. Returns the number of events before this state.
    fn resume(&mut self, recording: &mut Recording) -> Option<usize> {
        let mut path = self.path.iter().copied().enumerate().rev();
        let (depth, node) = path.find(|(_, node)| self.prefixes.node(*node).state.is_some())?;
        *recording = self.recorded(depth);
        self.restore(node, recording);
        Some(depth)
    }

    pub(super) fn recorded(&self, depth: usize) -> Recording {
        let mut recording = Recording::default();
        for &node in &self.path[1..=depth] {
            let node = self.prefixes.node(node);
            recording.events.extend(node.sent.map(|(_, event)| event));
            recording.history.append(&node.changes);
        }
        recording
    }

    /// The recording must end at this node.
    pub(super) fn restore(&mut self, node: NodeNo, recording: &Recording) {
        let node = self.prefixes.node(node);
        let Some(saved) = &node.state else { return };
        self.limits.add(self.vm.hits());
        self.vm.restore(&saved.machine);
        self.vm.tracer.resume(&recording.history, &saved.evaluated);
        self.extraction.clone_from(&saved.extraction);
        self.interaction = node.interaction;
        self.spent = saved.spent;
        self.tried = Tried::at(self.vm.executed_blocks());
    }

    pub(super) fn add_node(&mut self, choice: EventChoice, recording: &Recording) {
        let (Some(&from), Some(&event)) = (self.path.last(), recording.events.last()) else {
            return;
        };
        let events = recording.events.len();
        // The path has a different length if it ended early because the cache was full.
        if self.path.len() == events {
            let changes = recording.history.last(events as u32);
            let (moment, interaction) = (Moment::After, self.interaction);
            let node = self.prefixes.add(from, moment, choice, event, changes, interaction);
            self.path.extend(node);
            node.into_iter().for_each(|node| self.save(node, UNSHARED));
        }
    }

    fn store_list(&mut self, recording: &Recording) {
        if let Some(&here) = self.path.last()
            && self.path.len() == recording.events.len() + 1
        {
            self.prefixes.store_list(here, self.extractor.events());
        }
    }

    /// Saves the state at a node if the work since the last saved state, divided by `factor`, is
    /// worth the copy.
    fn save(&mut self, node: NodeNo, factor: u64) {
        let spent = (self.vm.steps(), self.vm.executed_blocks());
        let work =
            BYTES_PER_STEP * (spent.0 - self.spent.0) + BYTES_PER_BLOCK * (spent.1 - self.spent.1);
        let affordable = work / factor;
        if affordable < self.least {
            return;
        }
        if self.vm.unshared_bytes(self.last_saved(Some(node))) as u64 <= affordable {
            self.store(node, spent);
            self.spent = spent;
        }
    }

    /// The last state saved on the path, or else the state at the start. The state of `except` is
    /// ignored.
    pub(super) fn last_saved(&self, except: Option<NodeNo>) -> &Snapshot {
        let states = self.path.iter().rev().filter(|node| Some(**node) != except);
        let mut states = states.filter_map(|node| self.prefixes.node(*node).state.as_ref());
        states.next().map_or(&self.start, |saved| &saved.machine)
    }

    pub(super) fn store(&mut self, node: NodeNo, spent: (u64, u64)) {
        let machine = self.vm.snapshot();
        let bytes = machine.unshared_bytes(self.last_saved(Some(node)));
        let evaluated = self.vm.tracer.last_step().collect();
        let extraction = self.extraction.clone();
        self.prefixes.save(node, SavedState { machine, extraction, evaluated, spent }, bytes);
    }
}

/// Whether a test ends before its next event: no event is listed, or the program has ended and
/// only waits are listed.
fn is_over(listed: &[Event], has_ended: bool) -> bool {
    listed.is_empty() || has_ended && listed.iter().all(Event::is_wait)
}

#[cfg(test)]
mod tests;
