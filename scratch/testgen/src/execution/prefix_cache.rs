//! Executions that go on where they part from earlier ones.
//!
//! The state after an event depends on project, seed and the events up to it, and so does what
//! is listed next. A test that begins like an earlier one is therefore followed through the tree
//! of [prefixes](super::prefix_tree) without the machine. Where it does something new the machine
//! is put into the last state that was kept on the way. Results, counts of steps included, are
//! those of an execution from the green flag on.

use catherd_sb3::BlockNo;

use super::prefix_tree::{NodeNo, PrefixTree, SavedState};
use super::{Executor, Recording};
use crate::parameters::EventChoice;
use catherd_suite::event::Event;

/// Bytes that are copied in a tenth of the time that a step takes in which nothing happens.
const STEP: u64 = 100;
/// Bytes that are copied in a tenth of the time of a block.
const BLOCK: u64 = 20;
/// Most tests never meet another, so where one is the first a state has to be worth more.
const FIRST: u64 = 10;

impl Executor {
    /// Executes from the green flag on what `next` makes of the lists of events.
    pub(super) fn execute(
        &mut self,
        mut positions: impl Iterator<Item = usize>,
        mut next: impl FnMut(&[Event], usize) -> EventChoice,
    ) -> Recording {
        let mut here = self.set_out(NodeNo::EXTRACTING);
        let mut position = positions.next();
        let mut parted = None;
        while let (Some(at), Some(listed)) = (position, &self.prefixes.node(here).listed) {
            if is_over(listed, self.prefixes.node(here).interaction.has_ended()) {
                position = None;
                break;
            }
            let choice = next(listed, at);
            let Some(child) = self.follow(&choice) else {
                parted = Some(choice);
                break;
            };
            here = child;
            let hung = self.prefixes.node(here).interaction.is_hung();
            position = if hung { None } else { positions.next() };
        }
        let mut recording = self.arrive();
        while let Some(at) = position {
            self.extract();
            let choice = match parted.take() {
                Some(choice) => choice,
                None => {
                    self.list(&recording);
                    let listed = self.extractor.events();
                    if is_over(listed, self.has_ended()) {
                        break;
                    }
                    next(listed, at)
                }
            };
            let event = self.place(choice);
            self.send(event, &mut recording);
            self.grow(choice, &recording);
            position = if self.is_hung() { None } else { positions.next() };
        }
        self.hung += u64::from(self.is_hung());
        self.prefixes.end(&self.path);
        recording
    }

    /// Sends recorded events from the green flag on, whether they are listed or not, until the
    /// goal is covered if there is one.
    pub(super) fn replay(&mut self, events: &[Event], goal: Option<BlockNo>) {
        self.set_out(NodeNo::REPLAYING);
        let mut rest = events;
        while let [event, others @ ..] = rest
            && let Some(child) = self.follow(&EventChoice::from(*event))
        {
            rest = others;
            let changes = &self.prefixes.node(child).changes;
            if goal.is_some_and(|goal| changes.iter().any(|change| change.covers(goal))) {
                rest = &[];
            }
        }
        let mut recording = self.arrive();
        for &event in rest {
            self.send(event, &mut recording);
            self.grow(event.into(), &recording);
            if goal.is_some_and(|goal| self.vm.tracer.trace().covered(goal)) {
                break;
            }
        }
        self.prefixes.end(&self.path);
    }

    /// Forgets earlier executions, and from now on remembers up to so many bytes of them.
    pub(crate) fn reset_prefix_cache(&mut self, memory: usize) {
        self.prefixes = PrefixTree::new(memory);
    }

    /// Begins a path at a root.
    fn set_out(&mut self, root: NodeNo) -> NodeNo {
        self.prefixes.begin();
        self.path.clear();
        self.path.push(root);
        root
    }

    /// Goes to where a choice led an earlier execution.
    fn follow(&mut self, choice: &EventChoice) -> Option<NodeNo> {
        let from = *self.path.last()?;
        let child = self.prefixes.visit(from, choice)?;
        self.path.push(child);
        Some(child)
    }

    /// Brings the machine to the end of the path; returns what would have been recorded.
    fn arrive(&mut self) -> Recording {
        let mut recording = Recording::default();
        let depth = self.resume(&mut recording).unwrap_or_else(|| {
            self.begin();
            0
        });
        for position in depth + 1..self.path.len() {
            let node = self.path[position];
            // All but roots were sent.
            let Some((choice, event)) = self.prefixes.node(node).sent else { continue };
            if self.path[0] == NodeNo::EXTRACTING {
                self.extract();
                // Asks how large it is, which may be sensed.
                let again = self.place(choice);
                debug_assert_eq!(again, event, "a prefix has one meaning");
            }
            self.send(event, &mut recording);
            self.keep(node, 1);
        }
        recording
    }

    /// Puts the machine into the last state that was kept on the path; returns after how many
    /// events that is.
    fn resume(&mut self, recording: &mut Recording) -> Option<usize> {
        let (depth, node, kept) =
            self.path.iter().enumerate().rev().find_map(|(depth, node)| {
                let node = self.prefixes.node(*node);
                node.state.as_ref().map(|kept| (depth, node, kept))
            })?;
        for &node in &self.path[1..=depth] {
            let node = self.prefixes.node(node);
            recording.events.extend(node.sent.map(|(_, event)| event));
            recording.history.append(&node.changes);
        }
        self.limits.add(self.vm.hits());
        self.vm.restore(&kept.machine);
        self.vm.tracer.resume(&recording.history, &kept.evaluated);
        self.extraction.clone_from(&kept.extraction);
        self.interaction = node.interaction;
        self.spent = kept.spent;
        Some(depth)
    }

    /// Adds the event that was sent last to the tree.
    fn grow(&mut self, choice: EventChoice, recording: &Recording) {
        let (Some(&from), Some(&event)) = (self.path.last(), recording.events.last()) else {
            return;
        };
        let events = recording.events.len();
        // Else the path has ended for want of room.
        if self.path.len() == events {
            let changes = recording.history.last(events as u32);
            let node = self.prefixes.add(from, choice, event, changes, self.interaction);
            self.path.extend(node);
            node.into_iter().for_each(|node| self.keep(node, FIRST));
        }
    }

    /// Notes what was listed after the event that was sent last.
    fn list(&mut self, recording: &Recording) {
        if let Some(&here) = self.path.last()
            && self.path.len() == recording.events.len() + 1
        {
            self.prefixes.list(here, self.extractor.events());
        }
    }

    /// Keeps the state at a node if a copy is cheap beside what it took to come here, and that
    /// many times over.
    fn keep(&mut self, node: NodeNo, times: u64) {
        let spent = (self.vm.steps(), self.vm.executed());
        let work = STEP * (spent.0 - self.spent.0) + BLOCK * (spent.1 - self.spent.1);
        let affordable = work / times;
        if affordable < self.least {
            return;
        }
        let states = self.path.iter().rev().filter(|earlier| **earlier != node);
        let mut states = states.filter_map(|node| self.prefixes.node(*node).state.as_ref());
        let earlier = states.next().map_or(&self.start, |kept| &kept.machine);
        if self.vm.bytes_beyond(earlier) as u64 <= affordable {
            let machine = self.vm.snapshot();
            let bytes = machine.bytes_beyond(earlier);
            let evaluated = self.vm.tracer.last_step().collect();
            let extraction = self.extraction.clone();
            self.prefixes.keep(node, SavedState { machine, extraction, evaluated, spent }, bytes);
            self.spent = spent;
        }
    }
}

/// Whether a test ends before its next event: nothing is listed, or the program has ended and
/// there is nothing to do but wait.
fn is_over(listed: &[Event], has_ended: bool) -> bool {
    listed.is_empty() || has_ended && listed.iter().all(Event::is_wait)
}

#[cfg(test)]
mod tests;
