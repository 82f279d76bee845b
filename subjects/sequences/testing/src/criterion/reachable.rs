//! Reachable items: the items that some trace of a model covers. They are computed from the state
//! graph, not by enumerating traces.

use rustc_hash::FxHashSet;

use crate::alphabet::{Alphabet, Letter};
use crate::bits;
use crate::space::Space;

use super::{Criterion, Kind};

/// Maximum memory for sets of words, in bytes.
const MAX_BYTES: u128 = 3 << 30;

/// Maximum number of reachable items, which take eight bytes each.
const MAX_ITEMS: u64 = 1 << 28;

/// Maximum number of steps, such as extensions of a word.
const MAX_STEPS: u64 = 1 << 35;

/// The reason why the reachable items of a criterion cannot be computed exactly.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no exact number of reachable items: {0}")]
pub struct Unbounded(pub(super) String);

struct Steps(u64);

impl Steps {
    fn add(&mut self, more: u64) -> Result<(), Unbounded> {
        self.0 = self.0.saturating_add(more);
        match self.0 > MAX_STEPS {
            true => Err(Unbounded(format!("it takes more than {MAX_STEPS} steps"))),
            false => Ok(()),
        }
    }
}

fn listed(bits: &[u64]) -> Result<Vec<u64>, Unbounded> {
    let count = bits::count(bits);
    if count > MAX_ITEMS {
        return Err(Unbounded(format!("{count} items, more than {MAX_ITEMS}")));
    }
    let mut items = Vec::with_capacity(count as usize);
    items.extend(bits::ones(bits));
    Ok(items)
}

/// The state graph with letters instead of events.
struct Graph<'s> {
    space: &'s Space,
    letters: Vec<Option<Letter>>,
    until: Option<Letter>,
}

impl Graph<'_> {
    /// The letters and targets of the edges from a state, without edges that cut tests.
    fn edges(&self, state: u32) -> impl Iterator<Item = (Option<Letter>, u32)> + '_ {
        let first = self.space.first_edge(state);
        let edges = self.space.edges(state).iter().enumerate();
        let edges = edges.map(move |(at, edge)| (self.letters[first + at], edge.target));
        edges.filter(|&(letter, _)| !self.cuts(letter))
    }

    fn cuts(&self, letter: Option<Letter>) -> bool {
        self.until.is_some() && letter == self.until
    }

    /// The strongly connected components of [`edges`](Self::edges).
    fn components(&self) -> (Vec<u32>, usize) {
        self.space.components_by(|edge| !self.cuts(self.letters[edge]))
    }

    /// Whether the part of a test before the cut may end in a state: because nothing is enabled, or
    /// because the letter that cuts tests may follow.
    fn ends(&self, state: u32) -> bool {
        let first = self.space.first_edge(state);
        let edges = self.space.edges(state).len();
        edges == 0
            || self
                .until
                .is_some_and(|until| self.letters[first..first + edges].contains(&Some(until)))
    }
}

impl Criterion {
    /// The items that some trace covers, after relaxation, ascending. For criteria over whole
    /// tests, only traces that end are considered.
    ///
    /// # Errors
    ///
    /// If the items cannot be computed exactly.
    pub fn reachable(&self, space: &Space, alphabet: &Alphabet) -> Result<Vec<u64>, Unbounded> {
        if space.truncated() {
            return Err(Unbounded("not all states of the model were explored".to_owned()));
        }
        let letters = (0..space.states() as u32)
            .flat_map(|state| space.edges(state))
            .map(|edge| alphabet.letter(edge.event))
            .collect();
        let graph = Graph { space, letters, until: self.until };
        let words = match &self.kind {
            Kind::Subsequence(t) => self.subsequences(&graph, *t)?,
            Kind::Consecutive(t) => self.consecutive(&graph, *t)?,
            Kind::UnorderedCube(t) => self.cubes(&graph, *t)?,
            Kind::Exclusive(t) => {
                let words = self.subsequences(&graph, *t)?;
                let edges = (space.edge_count() as u64).saturating_mul(*t as u64 + 1);
                Steps(0).add(edges.saturating_mul(words.len() as u64))?;
                let item = |&word: &u64| {
                    let letters = self.word(word);
                    exact_word(&graph, &letters, &letters)
                };
                words.into_iter().filter(item).collect()
            }
            Kind::Order(first, then) => self.pairs(&graph, first, then)?,
            Kind::Safety(first, then) => {
                let mut all = first.clone();
                all.extend(then);
                let pairs = self.pairs(&graph, first, then)?.into_iter();
                let item = |&item: &u64| {
                    let item = item as usize;
                    let pair = [first[item / then.len()], then[item % then.len()]];
                    exact_word(&graph, &pair, &all)
                };
                pairs.filter(item).collect()
            }
            Kind::Expressions(list) => {
                let accepted = |number: &u64| {
                    let automaton = &list[*number as usize].1;
                    accepts(&graph, automaton.accepts.len(), &automaton.accepts, |state, letter| {
                        Some(automaton.step(state, letter))
                    })
                };
                (0..list.len() as u64).filter(accepted).collect()
            }
            // Every explored state and edge is reachable, unless the criterion cuts tests.
            Kind::States(count) | Kind::Transitions(count) if self.until.is_none() => {
                (0..*count as u64).collect()
            }
            Kind::EdgePairs(pairs) if self.until.is_none() => (0..pairs.len() as u64).collect(),
            Kind::Positions(..)
            | Kind::Symmetry(_)
            | Kind::States(_)
            | Kind::Transitions(_)
            | Kind::EdgePairs(_) => {
                return Err(Unbounded(format!("it is not computed for criterion `{self}`")));
            }
        };
        let distinct = |item: &u64| !self.distinct || self.is_distinct(*item);
        Ok(self.relaxed(words.into_iter().filter(distinct).collect()))
    }

    /// The number of machine words of a bit vector for all words of length `j`, plus one. Fails
    /// if `sets` such vectors would exceed [`MAX_BYTES`].
    fn words_of(&self, j: usize, sets: usize) -> Result<usize, Unbounded> {
        let (s, sets) = (self.letters as u128, sets as u128);
        let count = s.pow(j as u32);
        if count / 8 * sets > MAX_BYTES {
            let cause = format!(
                "{sets} x {count} words of length {j} over {s} letters need more than {} MiB",
                MAX_BYTES >> 20
            );
            return Err(Unbounded(cause));
        }
        Ok(bits::words(count as usize) + 1)
    }

    /// The words of length `t` that are subsequences of traces. States that can reach each other
    /// have the same words, so words are computed for strongly connected components.
    fn subsequences(&self, graph: &Graph<'_>, t: usize) -> Result<Vec<u64>, Unbounded> {
        let mut found = self.subsequence_levels(graph, t)?;
        Ok(found.pop().unwrap_or_default())
    }

    /// The words of each length up to `t` that are subsequences of traces.
    fn subsequence_levels(&self, graph: &Graph<'_>, t: usize) -> Result<Vec<Vec<u64>>, Unbounded> {
        let s = self.letters;
        let (component, count) = graph.components();
        let mut edges: Vec<(u32, u32, Option<Letter>)> = Vec::new();
        for state in 0..graph.space.states() as u32 {
            let from = component[state as usize];
            for (letter, target) in graph.edges(state) {
                let to = component[target as usize];
                if from != to || letter.is_some() {
                    edges.push((from, to, letter));
                }
            }
        }
        // Edges between components lead to lower numbers. Sort the edges so that edges within a
        // component come before edges that leave it, because the words that end in a component must
        // be complete before they are added to the next component.
        edges.sort_unstable_by_key(|&(from, to, letter)| {
            (std::cmp::Reverse(from), std::cmp::Reverse(to), letter)
        });
        edges.dedup();
        let reached = reached_components(graph, &component, count);
        let mut before: Vec<Vec<u64>> =
            reached.iter().map(|&reached| vec![u64::from(reached)]).collect();
        let (mut levels, mut steps) = (Vec::new(), Steps(0));
        for j in 1..=t {
            let words = self.words_of(j, if j == t { 1 } else { count })?;
            let mut union = vec![0; words];
            let mut level = vec![vec![0; if j == t { 0 } else { words }]; count];
            for &(from, to, letter) in &edges {
                if from != to && j < t {
                    let (lower, upper) = level.split_at_mut(from as usize);
                    bits::unite(&mut lower[to as usize], &upper[0]);
                }
                let Some(letter) = letter else { continue };
                steps.add(
                    bits::count(&before[from as usize]) + before[from as usize].len() as u64,
                )?;
                for word in bits::ones(&before[from as usize]) {
                    let longer = word as usize * s + letter as usize;
                    bits::set(&mut union, longer);
                    if j < t {
                        bits::set(&mut level[to as usize], longer);
                    }
                }
            }
            levels.push(listed(&union)?);
            before = level;
        }
        Ok(levels)
    }

    /// The words on paths, computed for each state in which they end.
    fn consecutive(&self, graph: &Graph<'_>, t: usize) -> Result<Vec<u64>, Unbounded> {
        let (s, states) = (self.letters, graph.space.states());
        let reached = reached_states(graph);
        let mut before: Vec<Vec<u64>> =
            reached.iter().map(|&reached| vec![u64::from(reached)]).collect();
        let (mut union, mut steps) = (Vec::new(), Steps(0));
        for j in 1..=t {
            let words = self.words_of(j, if j == t { 1 } else { states })?;
            union = vec![0; words];
            let mut level = vec![vec![0; if j == t { 0 } else { words }]; states];
            let mut open: Vec<u32> = Vec::new();
            for state in 0..states as u32 {
                for (letter, target) in graph.edges(state) {
                    let Some(letter) = letter else { continue };
                    let words = &before[state as usize];
                    steps.add(bits::count(words) + words.len() as u64)?;
                    for word in bits::ones(words) {
                        let longer = word as usize * s + letter as usize;
                        bits::set(&mut union, longer);
                        if j < t {
                            bits::set(&mut level[target as usize], longer);
                        }
                    }
                    open.push(target);
                }
            }
            // Events without a letter do not interrupt a word.
            open.sort_unstable();
            open.dedup();
            while j < t
                && let Some(state) = open.pop()
            {
                for (letter, target) in graph.edges(state) {
                    if letter.is_none() && target != state {
                        let own = level[state as usize].clone();
                        if bits::unite(&mut level[target as usize], &own) {
                            open.push(target);
                        }
                    }
                }
            }
            before = level;
        }
        listed(&union)
    }

    /// The words whose letters all occur in one trace, in any order.
    fn cubes(&self, graph: &Graph<'_>, t: usize) -> Result<Vec<u64>, Unbounded> {
        let s = self.letters as u64;
        let mut sets: FxHashSet<Vec<Letter>> = FxHashSet::default();
        for (level, words) in self.subsequence_levels(graph, t)?.into_iter().enumerate() {
            for word in words {
                let mut rest = word;
                let mut letters: Vec<Letter> = Vec::new();
                for _ in 0..=level {
                    letters.push((rest % s) as Letter);
                    rest /= s;
                }
                letters.sort_unstable();
                letters.dedup();
                sets.insert(letters);
            }
        }
        Steps(0).add(self.span.saturating_mul(t as u64))?;
        let occurs = |word: &u64| {
            let mut letters = self.word(*word);
            letters.sort_unstable();
            letters.dedup();
            sets.contains(&letters)
        };
        Ok((0..self.span).filter(occurs).collect())
    }

    /// The pairs of a letter of `first` and a letter of `then` that occur in one trace in this
    /// order.
    fn pairs(
        &self,
        graph: &Graph<'_>,
        first: &[Letter],
        then: &[Letter],
    ) -> Result<Vec<u64>, Unbounded> {
        let s = self.letters as u64;
        let words: FxHashSet<u64> = self.subsequences(graph, 2)?.into_iter().collect();
        let mut items = Vec::new();
        for (a, &one) in first.iter().enumerate() {
            for (b, &two) in then.iter().enumerate() {
                if words.contains(&(u64::from(one) * s + u64::from(two))) {
                    items.push((a * then.len() + b) as u64);
                }
            }
        }
        Ok(items)
    }
}

/// The states that can be reached before a test is cut.
fn reached_states(graph: &Graph<'_>) -> Vec<bool> {
    let mut reached = vec![false; graph.space.states()];
    reached[0] = true;
    let mut open = vec![0];
    while let Some(state) = open.pop() {
        for (_, target) in graph.edges(state) {
            if !std::mem::replace(&mut reached[target as usize], true) {
                open.push(target);
            }
        }
    }
    reached
}

fn reached_components(graph: &Graph<'_>, component: &[u32], count: usize) -> Vec<bool> {
    let mut reached = vec![false; count];
    for (state, _) in reached_states(graph).iter().enumerate().filter(|(_, reached)| **reached) {
        reached[component[state] as usize] = true;
    }
    reached
}

/// Whether some trace that ends is exactly this word, if only letters of `among` are kept.
fn exact_word(graph: &Graph<'_>, word: &[Letter], among: &[Letter]) -> bool {
    let mut accepting = vec![false; word.len() + 1];
    accepting[word.len()] = true;
    accepts(graph, word.len() + 1, &accepting, |matched, letter| {
        if !among.contains(&letter) {
            return Some(matched);
        }
        (word.get(matched as usize) == Some(&letter)).then_some(matched + 1)
    })
}

/// Whether an automaton accepts some trace that ends. A next state of `None` is a dead end.
fn accepts(
    graph: &Graph<'_>,
    states: usize,
    accepting: &[bool],
    step: impl Fn(u32, Letter) -> Option<u32>,
) -> bool {
    let mut seen = vec![0; bits::words(graph.space.states() * states)];
    let mut open = vec![(0_u32, 0_u32)];
    bits::set(&mut seen, 0);
    while let Some((state, own)) = open.pop() {
        if accepting[own as usize] && graph.ends(state) {
            return true;
        }
        for (letter, target) in graph.edges(state) {
            let next = letter.map_or(Some(own), |letter| step(own, letter));
            let Some(next) = next else { continue };
            let at = target as usize * states + next as usize;
            if !bits::has(&seen, at) {
                bits::set(&mut seen, at);
                open.push((target, next));
            }
        }
    }
    false
}
