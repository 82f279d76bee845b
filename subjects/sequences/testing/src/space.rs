//! State spaces: the states of a model and the events between them.

mod count;
mod export;

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use crate::events::EventId;
use crate::program::{Fault, Program, Stepper};

pub use count::{SpaceCounts, Traces};
pub use export::{GraphFormat, UnknownGraphFormat};

/// Limit on the memory for states and edges while a model is explored: 2 GiB.
const MAX_BYTES: usize = 2 << 30;

/// A transition from a state: an event, and the state that follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The event.
    pub event: EventId,
    /// Number of the state that follows.
    pub target: u32,
}

/// The states of a model, numbered in the order of a breadth-first search from the initial state 0.
#[derive(Clone, Debug)]
pub struct Space {
    first_edge: Vec<u64>,
    edges: Vec<Edge>,
    truncated: bool,
    /// Number of explored states, whose edges are all known.
    explored: u32,
}

/// The error of a model that breaks one of its own rules.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{fault}, {}", if trace.is_empty() { "in the initial state".to_owned() } else { format!("after the events {}", trace.join(", ")) })]
pub struct BrokenModel {
    /// The broken rule.
    pub fault: Fault,
    /// A shortest trace that breaks the rule, as labels.
    pub trace: Vec<String>,
}

/// States packed into bytes, each stored once.
struct Interner {
    /// Number of bytes of each element of a state.
    widths: Vec<u8>,
    stride: usize,
    bytes: Vec<u8>,
    table: HashTable<u32>,
    packed: Vec<u8>,
}

impl Interner {
    fn new(largest: &[Option<u32>]) -> Interner {
        let width = |largest: &Option<u32>| match largest {
            Some(0..=0xff) => 1,
            Some(0x100..=0xffff) => 2,
            _ => 4,
        };
        let widths: Vec<u8> = largest.iter().map(width).collect();
        let stride = widths.iter().map(|&width| width as usize).sum();
        let table = HashTable::new();
        Interner { widths, stride, bytes: Vec::new(), table, packed: Vec::new() }
    }

    /// Returns the number of a state, and whether the state is new.
    fn add(&mut self, state: &[i32]) -> (u32, bool) {
        self.packed.clear();
        for (&word, &width) in state.iter().zip(&self.widths) {
            match width {
                1 => self.packed.push(word as u8),
                2 => self.packed.extend((word as u16).to_le_bytes()),
                _ => self.packed.extend(word.to_le_bytes()),
            }
        }
        let hash = hash(&self.packed);
        let (bytes, stride, packed) = (&self.bytes, self.stride, &self.packed);
        let same = |&number: &u32| bytes[number as usize * stride..][..stride] == packed[..];
        if let Some(&known) = self.table.find(hash, same) {
            return (known, false);
        }
        let number = self.table.len() as u32;
        self.bytes.extend(&self.packed);
        let bytes = &self.bytes;
        let again = |&number: &u32| self::hash(&bytes[number as usize * stride..][..stride]);
        self.table.insert_unique(hash, number, again);
        (number, true)
    }

    fn state(&self, number: u32, state: &mut Vec<i32>) {
        state.clear();
        let mut rest = &self.bytes[number as usize * self.stride..][..self.stride];
        for &width in &self.widths {
            let (word, after) = rest.split_at(width as usize);
            state.push(match *word {
                [a] => i32::from(a),
                [a, b] => i32::from(u16::from_le_bytes([a, b])),
                _ => i32::from_le_bytes([word[0], word[1], word[2], word[3]]),
            });
            rest = after;
        }
    }
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

impl Space {
    /// Explores a model up to `limit` states and a limit of memory.
    ///
    /// # Errors
    ///
    /// If the model breaks one of its own rules, such as the capacity of a list.
    pub fn explore(program: &Program, limit: usize) -> Result<Space, BrokenModel> {
        Space::explore_within(program, limit, MAX_BYTES)
    }

    fn explore_within(program: &Program, limit: usize, most: usize) -> Result<Space, BrokenModel> {
        let limit = limit.clamp(1, u32::MAX as usize - 1);
        let mut stepper = Stepper::new(program);
        let initial = stepper.initial().map_err(|fault| BrokenModel { fault, trace: vec![] })?;
        let mut known = Interner::new(&program.largest);
        known.add(&initial);
        let mut space =
            Space { first_edge: vec![0], edges: Vec::new(), truncated: false, explored: 0 };
        let (mut state, mut next, mut enabled) = (Vec::new(), Vec::new(), Vec::new());
        let mut number = 0;
        while number < known.table.len() as u32 {
            // Edges may fill the memory even if no state is new.
            if space.bytes(&known) >= most {
                return Ok(space.cut(known.table.len()));
            }
            known.state(number, &mut state);
            if let Err(fault) = stepper.enabled(&state, &mut enabled) {
                return Err(space.broken(program, fault, number, None));
            }
            for &event in &enabled {
                if let Err(fault) = stepper.step(&state, event, &mut next) {
                    return Err(space.broken(program, fault, number, Some(event)));
                }
                let states = known.table.len();
                let is_full = states == limit || space.bytes(&known) >= most;
                let (target, is_new) = known.add(&next);
                if is_full && is_new {
                    space.first_edge.push(space.edges.len() as u64);
                    return Ok(space.cut(states));
                }
                space.edges.push(Edge { event, target });
            }
            space.first_edge.push(space.edges.len() as u64);
            number += 1;
            space.explored = number;
        }
        Ok(space)
    }

    fn bytes(&self, known: &Interner) -> usize {
        known.bytes.len() + size_of::<Edge>() * self.edges.len()
    }

    /// Truncates the space to the states found so far; states whose exploration has not begun have
    /// no edges.
    fn cut(mut self, states: usize) -> Space {
        self.truncated = true;
        self.first_edge.resize(states + 1, self.edges.len() as u64);
        self
    }

    fn broken(
        &self,
        program: &Program,
        fault: Fault,
        state: u32,
        event: Option<EventId>,
    ) -> BrokenModel {
        let mut trace = self.shortest_to(state);
        trace.extend(event);
        let label = |event: EventId| program.events().get(event).to_string();
        BrokenModel { fault, trace: trace.into_iter().map(label).collect() }
    }

    /// A shortest trace to a state.
    pub fn shortest_to(&self, state: u32) -> Vec<EventId> {
        let mut trace = Vec::new();
        let mut at = state;
        while at != 0 {
            let edge = self.edges.iter().position(|edge| edge.target == at);
            let edge = edge.expect("every state except the first was found by an edge");
            trace.push(self.edges[edge].event);
            at = self.first_edge.partition_point(|&first| first <= edge as u64) as u32 - 1;
        }
        trace.reverse();
        trace
    }

    /// The number of states.
    pub fn states(&self) -> usize {
        self.first_edge.len() - 1
    }

    /// The number of edges.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// Whether exploration ended at the limit of states or of memory.
    pub fn truncated(&self) -> bool {
        self.truncated
    }

    /// The edges from a state in the order of their events.
    pub fn edges(&self, state: u32) -> &[Edge] {
        let state = state as usize;
        &self.edges[self.first_edge[state] as usize..self.first_edge[state + 1] as usize]
    }

    /// Whether all edges from a state are known.
    pub fn is_explored(&self, state: u32) -> bool {
        state < self.explored
    }

    /// The number of the first edge from a state among all edges.
    pub(crate) fn first_edge(&self, state: u32) -> usize {
        self.first_edge[state as usize] as usize
    }

    /// The state that follows an event; `None` if the event is not enabled, or if the edge is not
    /// known.
    pub fn step(&self, state: u32, event: EventId) -> Option<u32> {
        let edges = self.edges(state);
        let found = edges.binary_search_by_key(&event, |edge| edge.event).ok()?;
        Some(edges[found].target)
    }

    /// The explored states in which nothing is enabled.
    pub fn deadlocks(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.explored).filter(|&state| self.edges(state).is_empty())
    }

    /// The events that occur, in ascending order.
    pub fn occurring(&self) -> Vec<EventId> {
        let mut events: Vec<EventId> = self.edges.iter().map(|edge| edge.event).collect();
        events.sort_unstable();
        events.dedup();
        events
    }

    /// The number of the strongly connected component of each state, and the number of components.
    /// Edges lead to components of the same or a lower number.
    pub(crate) fn components(&self) -> (Vec<u32>, usize) {
        self.components_by(|_| true)
    }

    /// Like [`components`](Self::components), with only those edges whose number `kept` accepts.
    pub(crate) fn components_by(&self, kept: impl Fn(usize) -> bool) -> (Vec<u32>, usize) {
        const NONE: u32 = u32::MAX;
        let count = self.states();
        let (mut index, mut low) = (vec![NONE; count], vec![0_u32; count]);
        let mut component = vec![NONE; count];
        let (mut stack, mut next, mut components) = (Vec::new(), 0, 0);
        // The calls of Tarjan's algorithm that are not finished: a state and its next edge.
        let mut calls: Vec<(u32, usize)> = Vec::new();
        for root in 0..count as u32 {
            if index[root as usize] != NONE {
                continue;
            }
            calls.push((root, 0));
            while let Some((state, edge)) = calls.pop() {
                let at = state as usize;
                if edge == 0 {
                    (index[at], low[at]) = (next, next);
                    next += 1;
                    stack.push(state);
                }
                let edges = self.edges(state);
                if edge > 0 {
                    let child = edges[edge - 1].target as usize;
                    if component[child] == NONE {
                        low[at] = low[at].min(low[child]);
                    }
                }
                let first = self.first_edge(state);
                let unseen = (edge..edges.len()).find(|&edge| {
                    if !kept(first + edge) {
                        return false;
                    }
                    let target = edges[edge].target as usize;
                    if index[target] == NONE {
                        return true;
                    }
                    if component[target] == NONE {
                        low[at] = low[at].min(index[target]);
                    }
                    false
                });
                if let Some(unseen) = unseen {
                    calls.push((state, unseen + 1));
                    calls.push((edges[unseen].target, 0));
                    continue;
                }
                if low[at] == index[at] {
                    while let Some(member) = stack.pop() {
                        component[member as usize] = components;
                        if member == state {
                            break;
                        }
                    }
                    components += 1;
                }
            }
        }
        (component, components as usize)
    }

    /// Whether some state can be reached from itself by at least one event.
    pub fn cyclic(&self) -> bool {
        let (component, components) = self.components();
        let to_itself = |state: u32| self.edges(state).iter().any(|edge| edge.target == state);
        components < component.len() || (0..self.states() as u32).any(to_itself)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ModelSource;

    #[test]
    fn exploration_ends_where_states_or_edges_fill_the_memory() {
        let wide = "model wide\nevents a, b\ndata q: list 2000 of 0..1 = []\n\
                    on a { push q, 0 }\non b { push q, 1 }\nrequest a | b when len(q) < 2000\n";
        let model = ModelSource::of_text("wide", wide).model().unwrap();
        let space = Space::explore_within(&model.program, 1_000_000, 1 << 20).unwrap();
        assert!(space.truncated());
        // A state consists of two thousand values of one byte each, and the length of the list.
        assert!((400..600).contains(&space.states()), "{}", space.states());
        let last = space.states() as u32 - 1;
        assert!(space.edges(last).is_empty() && !space.is_explored(last));
        assert!(!space.edges(0).is_empty() && space.is_explored(0));

        let dense = "model dense\nevents 1..500\ndata at: 1..500 = 1\n\
                     on 1..500 as e { at = e.value }\nrequest all when true\n";
        let dense = dense.replace("e.value", "at mod 500 + 1");
        let model = ModelSource::of_text("dense", &dense).model().unwrap();
        let space = Space::explore_within(&model.program, 1_000_000, 1 << 20).unwrap();
        assert!(space.truncated() && space.states() < 400, "{}", space.states());
        assert!(!Space::explore(&model.program, 1_000_000).unwrap().truncated());
    }
}
