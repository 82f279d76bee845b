//! The items of tests.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::alphabet::Letter;
use crate::bits;
use crate::events::EventId;
use crate::space::Space;

use super::{Criterion, Kind, combination_number};

/// The union of the items of tests. Buffers are reused between tests.
#[derive(Clone, Debug)]
pub struct Cover<'c> {
    criterion: &'c Criterion,
    found: Found,
    levels: Levels,
}

/// The items found, before relaxation.
#[derive(Clone, Debug)]
enum Found {
    Bits(Vec<u64>),
    List(FxHashSet<u64>),
}

impl Found {
    fn add(&mut self, item: u64) {
        match self {
            Found::Bits(bits) => bits::set(bits, item as usize),
            Found::List(list) => {
                list.insert(item);
            }
        }
    }
}

/// The words that are subsequences of the part of a test that has been read, by length.
#[derive(Clone, Debug, Default)]
struct Levels {
    /// Bit vectors of the words of length 1, 2, ...
    words: Vec<Vec<u64>>,
    /// How often each level has changed.
    changes: Vec<u64>,
    /// For each level and letter, the number of changes of the level when its words were last
    /// extended by the letter. Unchanged words are not extended again.
    extended: Vec<Vec<u64>>,
}

impl<'c> Cover<'c> {
    /// An empty union.
    pub fn new(criterion: &'c Criterion) -> Cover<'c> {
        let found = if criterion.dense() {
            Found::Bits(vec![0; criterion.bit_words()])
        } else {
            Found::List(FxHashSet::default())
        };
        Cover { criterion, found, levels: Levels::default() }
    }

    /// Removes all items.
    pub fn clear(&mut self) {
        match &mut self.found {
            Found::Bits(bits) => bits.fill(0),
            Found::List(list) => list.clear(),
        }
    }

    /// The items so far, after relaxation, in ascending order.
    pub fn items(&self) -> Vec<u64> {
        let criterion = self.criterion;
        let distinct = |item: &u64| !criterion.distinct || criterion.is_distinct(*item);
        let items = match &self.found {
            Found::Bits(bits) => bits::ones(bits).filter(distinct).collect(),
            Found::List(list) => {
                let mut items: Vec<u64> = list.iter().copied().filter(distinct).collect();
                items.sort_unstable();
                items
            }
        };
        criterion.relaxed(items)
    }

    /// Adds the items of a test, given by its letters and its events. Only a criterion over states
    /// needs `events` and `space`; without `space`, such a criterion has no items.
    pub fn test(&mut self, letters: &[Letter], events: &[EventId], space: Option<&Space>) {
        let end = self.criterion.until.and_then(|until| letters.iter().position(|&l| l == until));
        let letters = &letters[..end.unwrap_or(letters.len())];
        match &self.criterion.kind {
            Kind::Subsequence(t) => self.subsequences(letters, *t),
            Kind::Consecutive(t) => {
                let (s, t) = (self.criterion.letters as u64, *t);
                let mut word = 0;
                for (at, &letter) in letters.iter().enumerate() {
                    word = (word * s + u64::from(letter)) % self.criterion.span;
                    if at + 1 >= t {
                        self.found.add(word);
                    }
                }
            }
            Kind::UnorderedCube(t) => {
                let mut present = letters.to_vec();
                present.sort_unstable();
                present.dedup();
                let mut words = vec![0_u64];
                for _ in 0..*t {
                    let s = self.criterion.letters as u64;
                    let longer = |word: u64| present.iter().map(move |&l| word * s + u64::from(l));
                    words = words.into_iter().flat_map(longer).collect();
                }
                words.into_iter().for_each(|word| self.found.add(word));
            }
            Kind::Exclusive(t) => self.exclusive(letters, *t),
            Kind::Positions(t, length) => {
                if letters.len() == *length {
                    self.positions(letters, *t, &mut Vec::new());
                }
            }
            Kind::Order(first, then) => {
                let mut seen = vec![false; first.len()];
                for letter in letters {
                    for (b, _) in then.iter().enumerate().filter(|(_, then)| *then == letter) {
                        for a in (0..first.len()).filter(|&a| seen[a]) {
                            self.found.add((a * then.len() + b) as u64);
                        }
                    }
                    for (a, _) in first.iter().enumerate().filter(|(_, first)| *first == letter) {
                        seen[a] = true;
                    }
                }
            }
            Kind::Safety(first, then) => {
                let named = |letter: &&Letter| first.contains(letter) || then.contains(letter);
                let projected: Vec<_> = letters.iter().filter(named).take(3).collect();
                let [d, a] = projected[..] else { return };
                let found = first.iter().position(|f| f == d).zip(then.iter().position(|t| t == a));
                if let Some((d, a)) = found {
                    self.found.add((d * then.len() + a) as u64);
                }
            }
            Kind::Expressions(list) => {
                for (number, (_, automaton)) in list.iter().enumerate() {
                    if automaton.matches(letters) {
                        self.found.add(number as u64);
                    }
                }
            }
            Kind::Symmetry(group) => {
                let image = |permutation: &Vec<Letter>| -> Vec<Letter> {
                    letters.iter().map(|&letter| permutation[letter as usize]).collect()
                };
                let least = group.iter().map(image).chain([letters.to_vec()]).min();
                self.found.add(digest(&least.unwrap_or_default()));
            }
            Kind::States(_) | Kind::Transitions(_) | Kind::EdgePairs(_) => {
                if let Some(space) = space {
                    self.path(events, space);
                }
            }
        }
    }

    /// Reads the test backwards. The words that begin with a letter consist of the letter and a
    /// word of the rest, so their bits are a shifted copy of the bits of the rest.
    fn subsequences(&mut self, letters: &[Letter], t: usize) {
        let s = self.criterion.letters;
        let Found::Bits(found) = &mut self.found else {
            return self.sparse_subsequences(letters, t);
        };
        if t == 1 {
            letters.iter().for_each(|&letter| bits::set(found, letter as usize));
            return;
        }
        let levels = &mut self.levels;
        levels.reset(s, t);
        for &letter in letters.iter().rev() {
            let c = letter as usize;
            let mut row = s.pow(t as u32 - 1);
            for j in (1..t).rev() {
                // Words of length j after the letter become words of length j + 1.
                if levels.extended[j - 1][c] != levels.changes[j - 1] {
                    levels.extended[j - 1][c] = levels.changes[j - 1];
                    if j + 1 == t {
                        bits::unite_moved(found, &levels.words[j - 1], c * row);
                    } else {
                        let (lower, upper) = levels.words.split_at_mut(j);
                        bits::unite_moved(&mut upper[0], &lower[j - 1], c * row);
                        levels.changes[j] += 1;
                    }
                }
                row /= s;
            }
            if !bits::has(&levels.words[0], c) {
                bits::set(&mut levels.words[0], c);
                levels.changes[0] += 1;
            }
        }
    }

    /// Computes words with their earliest ends, for alphabets with too many words for a bit vector.
    fn sparse_subsequences(&mut self, letters: &[Letter], t: usize) {
        let s = self.criterion.letters as u64;
        // For each word, the number of letters up to its earliest end. Each round extends the words
        // by the first later occurrence of each letter.
        let mut ends: FxHashMap<u64, usize> = FxHashMap::default();
        ends.insert(0, 0);
        for _ in 0..t {
            let mut longer: FxHashMap<u64, usize> = FxHashMap::default();
            for (&word, &end) in &ends {
                let mut seen = FxHashSet::default();
                for (at, &letter) in letters.iter().enumerate().skip(end) {
                    if seen.insert(letter) {
                        longer.insert(word * s + u64::from(letter), at + 1);
                    }
                }
            }
            ends = longer;
        }
        ends.into_keys().for_each(|word| self.found.add(word));
    }

    /// Adds the words of length `t` that remain if all letters outside a set of letters are removed
    /// from the test.
    fn exclusive(&mut self, letters: &[Letter], t: usize) {
        let mut positions: FxHashMap<Letter, Vec<usize>> = FxHashMap::default();
        for (at, &letter) in letters.iter().enumerate() {
            positions.entry(letter).or_default().push(at);
        }
        let mut few: Vec<(Letter, Vec<usize>)> =
            positions.into_iter().filter(|(_, at)| at.len() <= t).collect();
        few.sort_unstable();
        self.exclusive_sets(letters, &few, t, &mut Vec::new());
    }

    /// Adds the words of all sets of letters that extend `chosen` and have `left` further
    /// occurrences.
    fn exclusive_sets(
        &mut self,
        letters: &[Letter],
        few: &[(Letter, Vec<usize>)],
        left: usize,
        chosen: &mut Vec<usize>,
    ) {
        if left == 0 {
            let mut sorted = chosen.clone();
            sorted.sort_unstable();
            let word: Vec<Letter> = sorted.iter().map(|&at| letters[at]).collect();
            self.found.add(self.criterion.number(&word));
            return;
        }
        for (number, (_, at)) in few.iter().enumerate() {
            if at.len() <= left {
                chosen.extend(at);
                self.exclusive_sets(letters, &few[number + 1..], left - at.len(), chosen);
                chosen.truncate(chosen.len() - at.len());
            }
        }
    }

    fn positions(&mut self, letters: &[Letter], t: usize, chosen: &mut Vec<usize>) {
        if chosen.len() == t {
            let word: Vec<Letter> = chosen.iter().map(|&at| letters[at]).collect();
            let words = (self.criterion.letters as u64).pow(t as u32);
            let place = combination_number(letters.len(), chosen);
            self.found.add(place * words + self.criterion.number(&word));
            return;
        }
        let from = chosen.last().map_or(0, |last| last + 1);
        for at in from..letters.len() {
            chosen.push(at);
            self.positions(letters, t, chosen);
            chosen.pop();
        }
    }

    /// Adds the states, edges or pairs of edges of a test, up to the first event that the space
    /// does not allow.
    fn path(&mut self, events: &[EventId], space: &Space) {
        let (mut state, mut before) = (0, None);
        let states = matches!(self.criterion.kind, Kind::States(_));
        if states {
            self.found.add(0);
        }
        for &event in events {
            let found = space.edges(state).iter().position(|edge| edge.event == event);
            let Some(found) = found else { return };
            let edge = (space.first_edge(state) + found) as u32;
            state = space.edges(state)[found].target;
            match &self.criterion.kind {
                Kind::States(_) => self.found.add(u64::from(state)),
                Kind::EdgePairs(pairs) => {
                    if let Some(&pair) = before.and_then(|before| pairs.get(&(before, edge))) {
                        self.found.add(pair);
                    }
                }
                _ => self.found.add(u64::from(edge)),
            }
            before = Some(edge);
        }
    }
}

impl Levels {
    fn reset(&mut self, s: usize, t: usize) {
        if self.words.len() + 1 != t {
            let level = |j: usize| vec![0; bits::words(s.pow(j as u32)) + 1];
            self.words = (1..t).map(level).collect();
            self.changes = vec![0; t - 1];
            self.extended = vec![vec![0; s]; t - 1];
        }
        self.words.iter_mut().for_each(|level| level.fill(0));
        self.changes.fill(0);
        self.extended.iter_mut().for_each(|letters| letters.fill(0));
    }
}

/// A hash of a word of any length, the same on every computer (FNV-1a).
fn digest(letters: &[Letter]) -> u64 {
    letters
        .iter()
        .flat_map(|letter| letter.to_le_bytes())
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
}
