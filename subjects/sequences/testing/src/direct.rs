//! Direct generation: shortest traces to items, and suites without a pool.

mod class;

use std::collections::{BTreeSet, VecDeque};
use std::ops::ControlFlow;

use catherd_search::Stream;

use crate::alphabet::{Alphabet, Letter};
use crate::criterion::{Cover, Criterion, Kind};
use crate::events::EventId;
use crate::space::Space;
use crate::streams::SEARCH;

/// Number of continuations that are tried after the shortest trace to an item.
const BRANCHES: usize = 16;

/// The automaton of an item. A state is the number of letters that have been matched.
enum Reader {
    /// Letters in order, with other letters between them.
    Apart(Vec<Letter>),
    /// Letters directly after one another, with the next state for each state and letter.
    Together(Vec<Vec<u32>>, usize),
}

impl Reader {
    fn new(criterion: &Criterion, item: u64) -> Option<Reader> {
        match &criterion.kind {
            Kind::Subsequence(_) => Some(Reader::Apart(criterion.word(item))),
            Kind::Order(first, then) => {
                let item = item as usize;
                Some(Reader::Apart(vec![first[item / then.len()], then[item % then.len()]]))
            }
            Kind::Consecutive(_) => {
                let word = criterion.word(item);
                let table = (0..=word.len()).map(|matched| {
                    (0..criterion.letters as Letter).map(|l| follow(&word, matched, l)).collect()
                });
                Some(Reader::Together(table.collect(), word.len()))
            }
            _ => None,
        }
    }

    fn len(&self) -> usize {
        match self {
            Reader::Apart(word) => word.len(),
            Reader::Together(_, length) => *length,
        }
    }

    fn step(&self, matched: usize, letter: Letter) -> usize {
        match self {
            Reader::Apart(word) => matched + usize::from(word.get(matched) == Some(&letter)),
            Reader::Together(table, length) if matched < *length => {
                table[matched][letter as usize] as usize
            }
            Reader::Together(..) => matched,
        }
    }
}

/// The length of the longest prefix of a word that is a suffix of the word's first `matched`
/// letters followed by `letter`.
fn follow(word: &[Letter], matched: usize, letter: Letter) -> u32 {
    let mut read = word[..matched].to_vec();
    read.push(letter);
    let fits = |length: &usize| read.ends_with(&word[..*length]);
    (0..=read.len().min(word.len())).rev().find(fits).unwrap_or(0) as u32
}

/// A shortest trace that covers an item, found breadth first in the product of the model and the
/// item's automaton. `None` if there is no such trace, if the criterion is not `subsequence`,
/// `consecutive` or `order`, or if the search for a class of words takes too much memory.
pub fn shortest_trace(
    criterion: &Criterion,
    space: &Space,
    alphabet: &Alphabet,
    item: u64,
) -> Option<Vec<EventId>> {
    if let Some(relax) = &criterion.relax {
        return class::shortest_trace(criterion, relax, space, alphabet, item);
    }
    let reader = Reader::new(criterion, item)?;
    let places = reader.len() + 1;
    // For each product state, the previous product state, and the event that led from there.
    let mut from: Vec<u32> = vec![u32::MAX; space.states().checked_mul(places)?];
    let mut by: Vec<EventId> = vec![0; from.len()];
    let mut queue = VecDeque::from([0_usize]);
    from[0] = 0;
    while let Some(at) = queue.pop_front() {
        let (state, matched) = (at / places, at % places);
        if matched == reader.len() {
            let mut trace = Vec::new();
            let mut at = at;
            while at != 0 {
                trace.push(by[at]);
                at = from[at] as usize;
            }
            trace.reverse();
            return Some(trace);
        }
        for edge in space.edges(state as u32) {
            let letter = alphabet.letter(edge.event);
            if letter.is_some() && letter == criterion.until {
                continue;
            }
            let next = letter.map_or(matched, |letter| reader.step(matched, letter));
            let to = edge.target as usize * places + next;
            if from[to] == u32::MAX {
                from[to] = at as u32;
                by[to] = edge.event;
                queue.push_back(to);
            }
        }
    }
    None
}

/// The limits of [`direct`].
#[derive(Clone, Copy, Debug)]
pub struct DirectLimits {
    /// Maximum number of tests.
    pub size: usize,
    /// Maximum number of events of a test, unless the shortest trace to an item is longer.
    pub length: usize,
    /// Maximum number of walks.
    pub limit: u64,
}

/// A generated test, and the work so far.
#[derive(Clone, Copy, Debug)]
pub struct GeneratedTest<'t> {
    /// The test.
    pub test: &'t [EventId],
    /// Number of items that the tests so far cover, or that were given up.
    pub covered: usize,
    /// Number of walks so far.
    pub walks: u64,
    /// Number of events of all walks so far.
    pub events: u64,
}

/// Receives each generated test; generation ends if the function returns `Break`.
pub type OnTest<'o> = dyn FnMut(GeneratedTest<'_>) -> ControlFlow<()> + 'o;

/// Makes tests for uncovered items. Each test begins with a shortest trace that covers an uncovered
/// item. `reachable` contains all reachable items.
pub fn direct(
    criterion: &Criterion,
    space: &Space,
    alphabet: &Alphabet,
    reachable: &[u64],
    aim: DirectLimits,
    seed: u64,
    on_test: &mut OnTest<'_>,
) -> Vec<Vec<EventId>> {
    let mut stream = Stream::new(seed, SEARCH);
    let mut open: BTreeSet<u64> = reachable.iter().copied().collect();
    let mut suite: Vec<Vec<EventId>> = Vec::new();
    let (mut walks, mut events) = (0, 0);
    let mut cover = Cover::new(criterion);
    let mut letters = Vec::new();
    while suite.len() < aim.size && walks < aim.limit && !open.is_empty() {
        let candidates: Vec<u64> = open.iter().copied().collect();
        let item = *stream.pick(&candidates);
        let Some(start) = shortest_trace(criterion, space, alphabet, item) else {
            open.remove(&item);
            continue;
        };
        let mut best: Option<(usize, Vec<EventId>, Vec<u64>)> = None;
        for _ in 0..BRANCHES {
            if walks == aim.limit {
                break;
            }
            walks += 1;
            let mut test = start.clone();
            let mut state = test.iter().try_fold(0, |state, &event| space.step(state, event));
            while let Some(at) = state {
                let edges = space.edges(at);
                if edges.is_empty() || test.len() >= aim.length {
                    break;
                }
                let edge = stream.pick(edges);
                test.push(edge.event);
                state = Some(edge.target);
            }
            events += test.len() as u64;
            cover.clear();
            alphabet.project(&test, &mut letters);
            cover.test(&letters, &test, Some(space));
            let items = cover.items();
            let gain = items.iter().filter(|item| open.contains(item)).count();
            if best.as_ref().is_none_or(|(most, ..)| gain > *most) {
                best = Some((gain, test, items));
            }
        }
        let Some((gain, test, items)) = best else { break };
        items.iter().for_each(|item| {
            open.remove(item);
        });
        if gain == 0 {
            open.remove(&item);
            continue;
        }
        let covered = reachable.len() - open.len();
        let ended = on_test(GeneratedTest { test: &test, covered, walks, events }).is_break();
        suite.push(test);
        if ended {
            break;
        }
    }
    suite
}

/// The indices of tests that together cover all items of a suite. Beginning with the last test, a
/// test is dropped if the tests that are left cover its items. `items` contains the items of each
/// test.
pub fn reduced(items: &[Vec<u64>]) -> Vec<usize> {
    let mut counts = std::collections::BTreeMap::new();
    items.iter().flatten().for_each(|item| *counts.entry(*item).or_insert(0_u32) += 1);
    let mut kept = Vec::new();
    for (number, own) in items.iter().enumerate().rev() {
        if own.iter().all(|item| counts[item] > 1) {
            own.iter().for_each(|item| *counts.entry(*item).or_insert(1) -= 1);
        } else {
            kept.push(number);
        }
    }
    kept.reverse();
    kept
}
