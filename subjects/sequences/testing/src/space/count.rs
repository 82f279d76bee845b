//! Counts of traces.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use rustc_hash::FxHashMap;

use crate::alphabet::Alphabet;

use super::Space;

/// Sizes of a state space and counts of its traces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpaceCounts {
    /// Number of states.
    pub states: usize,
    /// Number of edges.
    pub edges: usize,
    /// Number of events that occur.
    pub events: usize,
    /// Number of explored states in which nothing is enabled.
    pub deadlocks: usize,
    /// Whether some state can be reached from itself by at least one event.
    pub cyclic: bool,
    /// Whether exploration ended at the limit of states or of memory. The other numbers then refer
    /// only to the states that were found.
    pub truncated: bool,
    /// Number of events of the shortest trace that ends because nothing is enabled; `None` if there
    /// is no such trace.
    pub shortest: Option<usize>,
    /// Number of events of the longest trace; `None` if the model is cyclic.
    pub longest: Option<usize>,
    /// Counts of traces; `None` if there are infinitely many because their length is not limited.
    pub traces: Option<Traces>,
}

/// Counts of traces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traces {
    /// Number of all traces, including the empty trace.
    pub prefixes: BigUint,
    /// Number of traces that end because nothing is enabled, or at the limit of the length.
    pub maximal: BigUint,
}

impl Space {
    /// Counts states and traces. Counted traces have at most `length` events, or any number of
    /// events if `length` is `None`; `shortest` and `longest` are not limited.
    pub fn counts(&self, length: Option<usize>) -> SpaceCounts {
        let cyclic = self.cyclic();
        let traces = match length {
            Some(length) => Some(self.bounded_traces(length)),
            None if cyclic => None,
            None => Some(self.all_traces()),
        };
        SpaceCounts {
            states: self.states(),
            edges: self.edge_count(),
            events: self.occurring().len(),
            deadlocks: self.deadlocks().count(),
            cyclic,
            truncated: self.truncated(),
            shortest: self.shortest(),
            longest: (!cyclic).then(|| self.longest()),
            traces,
        }
    }

    /// The states ordered so that edges of an acyclic space lead to earlier states.
    fn bottom_up(&self) -> Vec<u32> {
        let (component, _) = self.components();
        let mut order: Vec<u32> = (0..self.states() as u32).collect();
        order.sort_by_key(|&state| component[state as usize]);
        order
    }

    fn all_traces(&self) -> Traces {
        let mut prefixes = vec![BigUint::ZERO; self.states()];
        for state in self.bottom_up() {
            let counts = self.edges(state).iter().map(|edge| &prefixes[edge.target as usize]);
            let all = counts.fold(BigUint::from(1_u32), |sum, count| sum + count);
            prefixes[state as usize] = all;
        }
        Traces { prefixes: prefixes.swap_remove(0), maximal: self.ends().swap_remove(0) }
    }

    /// The number of complete traces from each state of an acyclic space.
    pub(crate) fn ends(&self) -> Vec<BigUint> {
        let mut maximal = vec![BigUint::ZERO; self.states()];
        for state in self.bottom_up() {
            let edges = self.edges(state);
            let counts = edges.iter().map(|edge| &maximal[edge.target as usize]);
            let ended = counts.fold(BigUint::ZERO, |sum, count| sum + count);
            maximal[state as usize] = if edges.is_empty() { BigUint::from(1_u32) } else { ended };
        }
        maximal
    }

    fn bounded_traces(&self, length: usize) -> Traces {
        let (mut prefixes, mut maximal) = (BigUint::ZERO, BigUint::ZERO);
        let mut layer = vec![BigUint::ZERO; self.states()];
        layer[0] = BigUint::from(1_u32);
        for events in 0..=length {
            let mut next = vec![BigUint::ZERO; self.states()];
            let mut any = false;
            for (state, ways) in layer.iter().enumerate().filter(|(_, w)| **w != BigUint::ZERO) {
                prefixes += ways;
                let edges = self.edges(state as u32);
                if edges.is_empty() || events == length {
                    maximal += ways;
                    continue;
                }
                any = true;
                for edge in edges {
                    next[edge.target as usize] += ways;
                }
            }
            if !any {
                break;
            }
            layer = next;
        }
        Traces { prefixes, maximal }
    }

    /// The number of complete traces by length, for acyclic spaces.
    pub fn lengths(&self) -> BTreeMap<usize, BigUint> {
        let mut lengths = BTreeMap::new();
        let mut layer: FxHashMap<u32, BigUint> = FxHashMap::default();
        layer.insert(0, BigUint::from(1_u32));
        let mut length = 0;
        while !layer.is_empty() && length <= self.states() {
            let mut next: FxHashMap<u32, BigUint> = FxHashMap::default();
            for (state, ways) in &layer {
                let edges = self.edges(*state);
                if edges.is_empty() {
                    *lengths.entry(length).or_insert(BigUint::ZERO) += ways;
                }
                for edge in edges {
                    *next.entry(edge.target).or_insert(BigUint::ZERO) += ways;
                }
            }
            layer = next;
            length += 1;
        }
        lengths
    }

    fn shortest(&self) -> Option<usize> {
        let mut distance = vec![usize::MAX; self.states()];
        distance[0] = 0;
        let mut queue = std::collections::VecDeque::from([0_u32]);
        while let Some(state) = queue.pop_front() {
            let edges = self.edges(state);
            if edges.is_empty() && state < self.explored {
                return Some(distance[state as usize]);
            }
            for edge in edges {
                let target = edge.target as usize;
                if distance[target] == usize::MAX {
                    distance[target] = distance[state as usize] + 1;
                    queue.push_back(edge.target);
                }
            }
        }
        None
    }

    fn longest(&self) -> usize {
        let mut longest = vec![0; self.states()];
        for state in self.bottom_up() {
            let after = self.edges(state).iter().map(|edge| 1 + longest[edge.target as usize]);
            longest[state as usize] = after.max().unwrap_or(0);
        }
        longest[0]
    }

    /// The number of distinct projections of complete traces; `None` if the space is cyclic or the
    /// subset construction needs too many sets of states.
    pub fn projected_traces(&self, alphabet: &Alphabet) -> Option<BigUint> {
        const MAX_SETS: usize = 1 << 20;
        if self.cyclic() {
            return None;
        }
        let mut numbers: FxHashMap<Vec<u32>, usize> = FxHashMap::default();
        let mut sets = vec![self.silent_closure(vec![0], alphabet)];
        numbers.insert(sets[0].clone(), 0);
        let mut next: Vec<Vec<usize>> = Vec::new();
        while next.len() < sets.len() {
            let mut by_letter: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
            for &state in &sets[next.len()] {
                for edge in self.edges(state) {
                    if let Some(letter) = alphabet.letter(edge.event) {
                        by_letter.entry(letter).or_default().push(edge.target);
                    }
                }
            }
            let mut targets = Vec::new();
            for states in by_letter.into_values() {
                let states = self.silent_closure(states, alphabet);
                let number = *numbers.entry(states).or_insert_with_key(|states| {
                    sets.push(states.clone());
                    sets.len() - 1
                });
                targets.push(number);
            }
            next.push(targets);
            if sets.len() > MAX_SETS {
                return None;
            }
        }
        // Depth-first search without recursion: a set is counted after its successors.
        let mut counts: Vec<Option<BigUint>> = vec![None; sets.len()];
        let mut stack = vec![0];
        while let Some(&set) = stack.last() {
            if counts[set].is_some() {
                stack.pop();
                continue;
            }
            let open: Vec<usize> =
                next[set].iter().copied().filter(|&target| counts[target].is_none()).collect();
            if !open.is_empty() {
                stack.extend(open);
                continue;
            }
            let ends = sets[set].iter().any(|&state| self.edges(state).is_empty());
            let after = next[set].iter().filter_map(|&target| counts[target].clone());
            counts[set] = Some(after.fold(BigUint::from(u32::from(ends)), |sum, n| sum + n));
            stack.pop();
        }
        counts.swap_remove(0)
    }

    /// The states that are reachable from given states by events without a letter, sorted.
    fn silent_closure(&self, states: Vec<u32>, alphabet: &Alphabet) -> Vec<u32> {
        let mut found: std::collections::BTreeSet<u32> = states.iter().copied().collect();
        let mut open = states;
        while let Some(state) = open.pop() {
            for edge in self.edges(state) {
                if alphabet.letter(edge.event).is_none() && found.insert(edge.target) {
                    open.push(edge.target);
                }
            }
        }
        found.into_iter().collect()
    }
}
