//! Resuming within an event. In the same state, two waits or two presses of the same key begin in
//! the same way even if their durations differ, so their common steps need not be executed twice.
//!
//! A state after some steps of an event is a leaf of the [tree of prefixes](super::prefix_tree),
//! below the state before the event. A later event of the same kind that lasts at least as many
//! steps can continue from this leaf. The state at the end of a shorter wait can be used as well,
//! because the step after a wait is one more step of the longer wait.

use catherd_scratch_suite::event::Event;

use super::prefix_cache::{BYTES_PER_BLOCK, UNSHARED};
use super::prefix_tree::{Moment, NodeNo};
use super::{Executor, Recording};
use crate::parameters::EventChoice;

/// Minimum number of blocks between two states within an event: about half a millisecond.
pub(super) const LONG: u64 = 50_000;

/// Factor used instead of [`UNSHARED`] for an event that resumed from a saved state, because later
/// events are likely to resume from such a state as well.
const SHARED: u64 = 2;

#[derive(Clone, Copy, Default)]
pub(super) struct Tried {
    /// Number of executed blocks at the last attempt to save a state.
    attempt: u64,
    /// Number of executed blocks at the last saved state, or at the start.
    saved: u64,
}

impl Tried {
    pub(super) fn at(blocks: u64) -> Tried {
        Tried { attempt: blocks, saved: blocks }
    }
}

impl Executor {
    pub(super) fn send_new(
        &mut self,
        choice: EventChoice,
        event: Event,
        recording: &mut Recording,
    ) {
        self.interaction.begin(event, &mut self.vm, self.extractor.words());
        recording.events.push(event);
        self.hold(choice, event, 0, recording);
    }

    /// Resumes within an event that leaves the tree at the end of the path, if a state within the
    /// event is known.
    pub(super) fn finish_known(&mut self, choice: EventChoice) -> Option<Recording> {
        let here = *self.path.last()?;
        let (node, done) = self.known_within(here, &choice)?;
        let mut recording = self.recorded(self.path.len() - 1);
        recording.history.append(&self.prefixes.node(node).changes);
        // The event that is sent differs from the chosen event only for drags, which take no time.
        let event = choice.listed();
        recording.events.push(event);
        self.restore(node, &recording);
        self.hold(choice, event, done, &mut recording);
        Some(recording)
    }

    pub(super) fn known_within(
        &mut self,
        here: NodeNo,
        choice: &EventChoice,
    ) -> Option<(NodeNo, u32)> {
        let event = choice.listed();
        let known = self.prefixes.node(here).held.min(event.held());
        for steps in (1..=known).rev() {
            let held = EventChoice::from(event.held_for(steps));
            let mut node = self.prefixes.visit(here, &held, Moment::Within);
            if node.is_none() && event.is_wait() && steps > 1 {
                let shorter = EventChoice::from(event.held_for(steps - 1));
                node = self.prefixes.visit(here, &shorter, Moment::After);
            }
            let saved = node.filter(|node| self.prefixes.node(*node).state.is_some());
            if let Some(node) = saved {
                return Some((node, steps));
            }
        }
        None
    }

    /// Runs the remaining steps of an event that has lasted for `done` steps and the step after the
    /// event, and adds the event to the tree.
    fn hold(&mut self, choice: EventChoice, event: Event, done: u32, recording: &mut Recording) {
        let factor = if done > 0 { SHARED } else { UNSHARED };
        let mut in_pieces = done > 0;
        for steps in done + 1..=event.held() {
            if self.is_hung() {
                break;
            }
            self.interaction.run(1, &mut self.vm);
            in_pieces |= self.keep_within(event, steps, factor, recording);
        }
        self.interaction.finish(event, &mut self.vm, self.extractor.words());
        self.interaction.run(1, &mut self.vm);
        self.flush(recording);
        if in_pieces {
            recording.history.merge_last(recording.events.len() as u32);
        }
        self.add_node(choice, recording);
    }

    /// Returns whether the changes of the event so far were added to the recording.
    fn keep_within(
        &mut self,
        event: Event,
        steps: u32,
        factor: u64,
        recording: &mut Recording,
    ) -> bool {
        let blocks = self.vm.executed_blocks();
        if blocks - self.tried.attempt < self.long || !self.prefixes.is_used() {
            return false;
        }
        self.tried.attempt = blocks;
        // If there is no node, the path ended early because the cache was full.
        let Some(&here) = self.path.last().filter(|_| self.path.len() == recording.events.len())
        else {
            return false;
        };
        let affordable = BYTES_PER_BLOCK * (blocks - self.tried.saved) / factor;
        if self.vm.unshared_bytes(self.last_saved(None)) as u64 > affordable {
            return false;
        }
        self.tried.saved = blocks;
        self.flush(recording);
        let changes = recording.history.last(recording.events.len() as u32);
        let held = EventChoice::from(event.held_for(steps));
        let (moment, interaction) = (Moment::Within, self.interaction);
        if let Some(node) = self.prefixes.add(here, moment, held, event, changes, interaction) {
            self.store(node, self.spent);
        }
        true
    }
}
