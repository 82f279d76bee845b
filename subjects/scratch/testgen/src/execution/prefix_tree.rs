//! Tree of the event prefixes of earlier executions, with saved states of the VM.
//!
//! A node represents a point in time after or within an event. Each node contains the recording of
//! its event, so a test that passes the node need not send the event. Some nodes contain the state
//! of the VM, from which a test that leaves the tree can resume. If the tree has no room for an
//! addition, the least recently used leaves are evicted.

use catherd_scratch_sb3::BlockNo;
use catherd_scratch_suite::event::{Event, Interaction};
use catherd_scratch_vm::Snapshot;
use catherd_search::Stream;
use rustc_hash::FxHashMap;

use crate::parameters::EventChoice;
use catherd_scratch_trace::Change;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct NodeNo(u32);

impl NodeNo {
    /// The green flag in executions that extract events before they send an event. These executions
    /// have a separate root, because extraction can change later sensing.
    pub(super) const EXTRACTING: NodeNo = NodeNo(0);
    /// The green flag in executions that send recorded events.
    pub(super) const REPLAYING: NodeNo = NodeNo(1);

    /// Number of roots, which are never evicted.
    const ROOTS: usize = 2;
}

/// Stands for the missing neighbour at either end of the order of use.
const NONE: u32 = u32::MAX;

#[derive(Default)]
pub(super) struct Node {
    /// The choice of the event, and the event as it was sent.
    pub(super) sent: Option<(EventChoice, Event)>,
    pub(super) changes: Box<[Change]>,
    pub(super) interaction: Interaction,
    /// The events listed after the event.
    pub(super) listed: Option<Box<[Event]>>,
    pub(super) state: Option<Box<SavedState>>,
    /// Maximum number of steps of an event begun at this node after which a state was saved. The
    /// state may have been evicted.
    pub(super) held: u32,
    key: Option<Key>,
    /// Neighbours in the order of use.
    newer: u32,
    older: u32,
    /// Number of the last execution that used the node.
    used: u64,
    bytes: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Moment {
    /// The node is after an event and the step that follows the event.
    After,
    /// The node is after some steps of an event; the duration in the choice is the number of these
    /// steps.
    Within,
}

pub(super) struct SavedState {
    pub(super) machine: Snapshot,
    pub(super) extraction: Stream,
    /// Blocks that the last step evaluated.
    pub(super) evaluated: Box<[BlockNo]>,
    /// Steps and blocks executed up to this state, without those within its last event.
    pub(super) spent: (u64, u64),
}

/// Key of an edge: a node and the bits of the event chosen there. Events that differ only in the
/// sign of a zero have different keys.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    from: u32,
    moment: Moment,
    angle: Option<u16>,
    kind: u8,
    object: u64,
    position: (u64, u64),
}

impl Key {
    fn new(from: NodeNo, choice: &EventChoice, moment: Moment) -> Key {
        let (kind, object, x, y) = match choice.listed() {
            Event::KeyPress { key, steps } => {
                (0, u64::from(key.0) << 32 | u64::from(steps), 0., 0.)
            }
            Event::ClickSprite { sprite } => (1, sprite.into(), 0., 0.),
            Event::ClickClone { sprite, instance, x, y } => {
                (2, u64::from(sprite) << 32 | u64::from(instance), x, y)
            }
            Event::ClickStage => (3, 0, 0., 0.),
            Event::TypeText { text } => (4, text.0.into(), 0., 0.),
            Event::TypeNumber { number } => (5, 0, number.into(), 0.),
            Event::MouseDown { down } => (6, down.into(), 0., 0.),
            Event::MouseMove { x, y } => (7, 0, x, y),
            Event::MouseMoveTo { x, y } => (8, 0, x, y),
            Event::DragSprite { sprite, instance, x, y } => {
                (9, u64::from(sprite) << 32 | u64::from(instance), x, y)
            }
            Event::Sound { volume } => (10, 0, volume, 0.),
            Event::Wait { steps } => (11, steps.into(), 0., 0.),
        };
        let (from, angle, position) = (from.0, choice.angle(), (x.to_bits(), y.to_bits()));
        Key { from, moment, angle, kind, object, position }
    }
}

pub(super) struct PrefixTree {
    nodes: Vec<Node>,
    free: Vec<u32>,
    children: FxHashMap<Key, u32>,
    /// Ends of the order of use, a list of all nodes except the roots. After each execution a node
    /// is newer than its descendants, so the oldest node is a leaf.
    newest: u32,
    oldest: u32,
    execution: u64,
    bytes: usize,
    capacity: usize,
}

impl PrefixTree {
    /// With a capacity of 0, the tree stays empty.
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            nodes: (0..NodeNo::ROOTS).map(|_| Node::default()).collect(),
            free: Vec::new(),
            children: FxHashMap::default(),
            newest: NONE,
            oldest: NONE,
            execution: 0,
            bytes: 0,
            capacity,
        }
    }

    pub(super) fn is_used(&self) -> bool {
        self.capacity > 0
    }

    pub(super) fn node(&self, node: NodeNo) -> &Node {
        &self.nodes[node.0 as usize]
    }

    /// The nodes that the execution visits are not evicted before the next execution begins.
    pub(super) fn begin(&mut self) {
        self.execution += 1;
    }

    pub(super) fn visit(
        &mut self,
        from: NodeNo,
        choice: &EventChoice,
        moment: Moment,
    ) -> Option<NodeNo> {
        let child = *self.children.get(&Key::new(from, choice, moment))?;
        self.nodes[child as usize].used = self.execution;
        self.unlink(child);
        self.link(child);
        Some(NodeNo(child))
    }

    pub(super) fn add(
        &mut self,
        from: NodeNo,
        moment: Moment,
        choice: EventChoice,
        event: Event,
        changes: &[Change],
        interaction: Interaction,
    ) -> Option<NodeNo> {
        // A node also has an entry in the map.
        let bytes = size_of::<Node>() + 2 * size_of::<(Key, u32)>() + size_of_val(changes);
        if !self.make_room(bytes) {
            return None;
        }
        let key = Key::new(from, &choice, moment);
        let node = Node {
            sent: Some((choice, event)),
            changes: changes.into(),
            interaction,
            key: Some(key),
            used: self.execution,
            bytes,
            ..Node::default()
        };
        let number = self.free.pop().unwrap_or(self.nodes.len() as u32);
        match self.nodes.get_mut(number as usize) {
            Some(place) => *place = node,
            None => self.nodes.push(node),
        }
        self.children.insert(key, number);
        self.bytes += bytes;
        self.link(number);
        Some(NodeNo(number))
    }

    pub(super) fn store_list(&mut self, node: NodeNo, events: &[Event]) {
        if self.reserve(node, size_of_val(events)) {
            self.nodes[node.0 as usize].listed = Some(events.into());
        }
    }

    pub(super) fn save(&mut self, node: NodeNo, state: SavedState, bytes: usize) {
        if self.reserve(node, bytes + size_of::<SavedState>() + size_of_val(&*state.evaluated)) {
            let node = &mut self.nodes[node.0 as usize];
            node.state = Some(Box::new(state));
            let (Some(key), Some((choice, _))) = (&node.key, &node.sent) else { return };
            let event = choice.listed();
            let steps = match key.moment {
                Moment::Within => event.held(),
                // The step after a wait is one more step of the wait.
                Moment::After if event.is_wait() => event.held() + 1,
                Moment::After => return,
            };
            let from = key.from as usize;
            let before = &mut self.nodes[from].held;
            *before = steps.max(*before);
        }
    }

    /// Ends the execution with this path. The nodes of the path become the newest, each newer than
    /// its descendants.
    pub(super) fn end(&mut self, path: &[NodeNo]) {
        for node in path.iter().rev().filter(|node| node.0 as usize >= NodeNo::ROOTS) {
            self.unlink(node.0);
            self.link(node.0);
        }
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    fn reserve(&mut self, node: NodeNo, bytes: usize) -> bool {
        let room = self.make_room(bytes);
        if room {
            self.nodes[node.0 as usize].bytes += bytes;
            self.bytes += bytes;
        }
        room
    }

    /// Evicts nodes of earlier executions until there is room.
    fn make_room(&mut self, bytes: usize) -> bool {
        while self.bytes + bytes > self.capacity {
            let oldest = self.oldest;
            if oldest == NONE || self.nodes[oldest as usize].used == self.execution {
                return false;
            }
            self.unlink(oldest);
            let node = std::mem::take(&mut self.nodes[oldest as usize]);
            self.bytes -= node.bytes;
            node.key.map(|key| self.children.remove(&key));
            self.free.push(oldest);
        }
        true
    }

    fn link(&mut self, number: u32) {
        let before = std::mem::replace(&mut self.newest, number);
        let node = &mut self.nodes[number as usize];
        (node.newer, node.older) = (NONE, before);
        match self.nodes.get_mut(before as usize) {
            Some(before) => before.newer = number,
            None => self.oldest = number,
        }
    }

    fn unlink(&mut self, number: u32) {
        let Node { newer, older, .. } = self.nodes[number as usize];
        match self.nodes.get_mut(newer as usize) {
            Some(node) => node.older = older,
            None => self.newest = older,
        }
        match self.nodes.get_mut(older as usize) {
            Some(node) => node.newer = newer,
            None => self.oldest = newer,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(steps: u32) -> EventChoice {
        Event::Wait { steps }.into()
    }

    /// Sends waits of these lengths in steps; returns how many of the waits were known.
    fn send(tree: &mut PrefixTree, waits: &[u32]) -> usize {
        tree.begin();
        let mut path = vec![NodeNo::REPLAYING];
        for &steps in waits {
            let here = path[path.len() - 1];
            match tree.visit(here, &wait(steps), Moment::After) {
                Some(child) => path.push(child),
                None => break,
            }
        }
        let known = path.len() - 1;
        for &steps in &waits[known..] {
            let here = path[path.len() - 1];
            let event = Event::Wait { steps };
            let interaction = Interaction::default();
            match tree.add(here, Moment::After, event.into(), event, &[], interaction) {
                Some(child) => path.push(child),
                None => break,
            }
            assert!(tree.bytes <= tree.capacity);
        }
        tree.end(&path);
        known
    }

    #[test]
    fn least_recently_used_leaves_are_evicted_first() {
        let mut one = PrefixTree::new(usize::MAX);
        send(&mut one, &[1]);
        let mut tree = PrefixTree::new(5 * one.bytes());
        assert_eq!(send(&mut tree, &[1, 2, 3]), 0);
        assert_eq!(send(&mut tree, &[1, 4]), 1);
        assert_eq!(send(&mut tree, &[5]), 0);
        assert_eq!(send(&mut tree, &[6]), 0, "takes the place of 3");
        assert_eq!(send(&mut tree, &[1, 2]), 2);
        assert_eq!(send(&mut tree, &[1, 2, 3]), 2, "takes the place of 4");
        assert_eq!(send(&mut tree, &[1, 4]), 1);
        assert_eq!(send(&mut tree, &[1, 2, 3, 7, 8, 9]), 3, "all other places, and no more");
        assert_eq!(send(&mut tree, &[1, 2, 3, 7, 8, 9]), 5);
        assert_eq!(tree.bytes(), 5 * one.bytes());
        assert_eq!((tree.children.len(), tree.free.len()), (5, 0));
    }

    #[test]
    fn keys_differ_in_every_bit() {
        let mut tree = PrefixTree::new(usize::MAX);
        let drag = |x| Event::DragSprite { sprite: 1, instance: 2, x, y: 3.0 };
        let roots = [NodeNo::EXTRACTING, NodeNo::REPLAYING];
        let choices = [drag(0.0).into(), drag(-0.0).into(), wait(1), wait(2)];
        let moments = [Moment::After, Moment::Within];
        let starts = roots.into_iter().flat_map(|root| moments.map(|moment| (root, moment)));
        for ((root, moment), choice) in starts.flat_map(|start| choices.map(|c| (start, c))) {
            assert_eq!(tree.visit(root, &choice, moment), None);
            let event = choice.listed();
            let added = tree.add(root, moment, choice, event, &[], Interaction::default());
            assert_eq!(tree.visit(root, &choice, moment), added);
        }
    }
}
