//! Coverage criteria: which requirements (items) a test covers.
//!
//! An item of a criterion over words is the number of the word: its letters are the digits in base
//! s, where s is the number of letters, and the first letter is the most significant digit. For
//! words with positions, s^t times the number of the combination of positions is added, where t is
//! the length of the word.

mod automaton;
mod cover;
mod parse;
mod reachable;
mod size;

use std::fmt;

use rustc_hash::FxHashMap;

use crate::alphabet::{Alphabet, Letter};
use crate::bits;
use crate::events::EventId;
use crate::space::Space;

pub(crate) use automaton::Automaton;
pub use automaton::{Expression, ExpressionError};
pub use cover::Cover;
pub use parse::{CriterionError, split_list};
pub use reachable::Unbounded;

/// Maximum number of items in a bit vector.
const MAX_BITS: u64 = 1 << 28;

/// A criterion over an alphabet.
#[derive(Clone, Debug)]
pub struct Criterion {
    text: String,
    pub(crate) letters: usize,
    pub(crate) kind: Kind,
    /// Exclusive upper bound on the items' numbers.
    span: u64,
    /// Whether only words without a repeated letter are items.
    pub(crate) distinct: bool,
    pub(crate) relax: Option<Relax>,
    weights: Option<FxHashMap<u64, u64>>,
    /// A test is cut before the first occurrence of this letter.
    pub(crate) until: Option<Letter>,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Subsequence(usize),
    Consecutive(usize),
    Exclusive(usize),
    UnorderedCube(usize),
    /// The second number is the length of the tests.
    Positions(usize, usize),
    Order(Vec<Letter>, Vec<Letter>),
    Safety(Vec<Letter>, Vec<Letter>),
    Expressions(Vec<(String, Automaton)>),
    /// Number of states.
    States(usize),
    /// Number of edges.
    Transitions(usize),
    /// Pairs of consecutive edges with their numbers.
    EdgePairs(FxHashMap<(u32, u32), u64>),
    /// Tests modulo a group of permutations of letters.
    Symmetry(Vec<Vec<Letter>>),
}

/// A relaxation, by which items are merged into classes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Relax {
    First,
    Last,
    Set,
    /// The class of each item that has a class, and the number of classes.
    Classes(FxHashMap<u64, u64>, u64),
}

impl fmt::Display for Criterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Criterion {
    /// The length of the words, or `None` if the items are not words.
    pub fn strength(&self) -> Option<usize> {
        match self.kind {
            Kind::Subsequence(t)
            | Kind::Consecutive(t)
            | Kind::Exclusive(t)
            | Kind::UnorderedCube(t)
            | Kind::Positions(t, _) => Some(t),
            _ => None,
        }
    }

    /// An upper bound on the number of items, or of classes if the criterion is relaxed.
    /// Reachability is ignored.
    pub fn bound(&self) -> u64 {
        let s = self.letters as u64;
        match (&self.relax, self.strength()) {
            (Some(Relax::Classes(_, classes)), _) => *classes,
            (Some(Relax::First | Relax::Last), _) => s,
            (Some(Relax::Set), Some(t)) => {
                let smallest = if self.distinct { t as u64 } else { 1 };
                (smallest..=t as u64).map(|size| binomial(s, size)).sum()
            }
            (_, Some(t)) if self.distinct => {
                let words = (0..t as u64).map(|used| s.saturating_sub(used)).product::<u64>();
                match self.kind {
                    Kind::Positions(t, length) => words * binomial(length as u64, t as u64),
                    _ => words,
                }
            }
            _ => self.span,
        }
    }

    /// The numbers of all items, reachable or not, in ascending order; `None` if more than `most`
    /// numbers would have to be checked.
    pub fn all_items(&self, most: u64) -> Option<Vec<u64>> {
        let end = match &self.relax {
            Some(Relax::Classes(_, classes)) => *classes,
            Some(Relax::First | Relax::Last) => self.letters as u64,
            Some(Relax::Set) | None => self.span,
        };
        let is_item = |&item: &u64| match (&self.relax, self.strength()) {
            (Some(Relax::Set), Some(_)) => self.is_set(item),
            (None, Some(_)) => !self.distinct || self.is_distinct(item),
            _ => true,
        };
        (end <= most).then(|| (0..end).filter(is_item).collect())
    }

    /// Whether a word represents the set of its letters: the letters ascend, and the last letter is
    /// repeated to the end.
    fn is_set(&self, item: u64) -> bool {
        let word = self.word(item);
        let fills = |letter: &Letter| !self.distinct && word.last() == Some(letter);
        word.windows(2).all(|pair| pair[0] < pair[1] || pair[0] == pair[1] && fills(&pair[1]))
    }

    fn is_distinct(&self, item: u64) -> bool {
        self.is_distinct_to(self.strength().unwrap_or(0), item)
    }

    /// Whether the word of this length with this number has no repeated letter.
    pub(crate) fn is_distinct_to(&self, length: usize, number: u64) -> bool {
        let word = self.word_of(length, number);
        word.iter().enumerate().all(|(at, letter)| !word[..at].contains(letter))
    }

    pub(crate) fn word(&self, item: u64) -> Vec<Letter> {
        self.word_of(self.strength().unwrap_or(0), item)
    }

    /// The word of this length with this number.
    pub(crate) fn word_of(&self, length: usize, number: u64) -> Vec<Letter> {
        let s = self.letters as u64;
        let mut rest = number;
        let mut word: Vec<Letter> = (0..length)
            .map(|_| {
                let letter = (rest % s) as Letter;
                rest /= s;
                letter
            })
            .collect();
        word.reverse();
        word
    }

    pub(crate) fn number(&self, word: &[Letter]) -> u64 {
        word.iter().fold(0, |number, &letter| number * self.letters as u64 + u64::from(letter))
    }

    /// The name of an item.
    pub fn item_name(&self, item: u64, alphabet: &Alphabet) -> String {
        let names = |letters: &[Letter]| {
            let names: Vec<_> = letters
                .iter()
                .map(|&letter| alphabet.letters()[letter as usize].as_str())
                .collect();
            names.join(", ")
        };
        match (&self.relax, &self.kind) {
            (Some(Relax::First), _) => format!("{}, ...", names(&[item as Letter])),
            (Some(Relax::Last), _) => format!("..., {}", names(&[item as Letter])),
            (Some(Relax::Set), _) => {
                let mut word = self.word(item);
                word.dedup();
                format!("{{{}}}", names(&word))
            }
            (Some(Relax::Classes(..)), _) => format!("class {item}"),
            (None, Kind::Positions(t, length)) => {
                let words = (self.letters as u64).pow(*t as u32);
                let at: Vec<_> = combination(*length, *t, item / words)
                    .iter()
                    .map(|at| (at + 1).to_string())
                    .collect();
                format!("{} at {}", names(&self.word(item % words)), at.join(", "))
            }
            (None, Kind::Order(first, then) | Kind::Safety(first, then)) => {
                let (a, b) = (item as usize / then.len(), item as usize % then.len());
                names(&[first[a], then[b]])
            }
            (None, Kind::Expressions(list)) => list[item as usize].0.clone(),
            (None, Kind::States(_)) => format!("state {item}"),
            (None, Kind::Transitions(_)) => format!("edge {item}"),
            (None, Kind::EdgePairs(pairs)) => {
                let pair = pairs.iter().find(|(_, number)| **number == item);
                pair.map_or_else(String::new, |((a, b), _)| format!("edges {a}, {b}"))
            }
            (None, Kind::Symmetry(_)) => format!("orbit {item:016x}"),
            (None, _) => names(&self.word(item)),
        }
    }

    /// Row and column of an item in a picture: usually the word without its last letter, and the
    /// last letter. An item that cannot be divided has an empty column.
    pub fn cell(&self, item: u64, alphabet: &Alphabet) -> (String, String) {
        let is_word = matches!(
            self.kind,
            Kind::Subsequence(2..)
                | Kind::Consecutive(2..)
                | Kind::Exclusive(2..)
                | Kind::UnorderedCube(2..)
                | Kind::Order(..)
                | Kind::Safety(..)
        );
        let name = self.item_name(item, alphabet);
        // Labels with fields may contain commas, so take the longest letter that the name ends
        // with.
        let last = |letter: &&String| name.ends_with(&format!(", {letter}"));
        let column = alphabet.letters().iter().filter(last).max_by_key(|letter| letter.len());
        match column.filter(|_| is_word && self.relax.is_none()) {
            Some(column) => (name[..name.len() - column.len() - 2].to_owned(), column.clone()),
            None => (name, String::new()),
        }
    }

    /// The weight of an item in ranks: 1 if the criterion has no weights, and 0 if it has weights
    /// but none for the item.
    pub fn weight(&self, item: u64) -> u64 {
        self.weights.as_ref().map_or(1, |weights| weights.get(&item).copied().unwrap_or(0))
    }

    /// Whether items have weights.
    pub fn has_weights(&self) -> bool {
        self.weights.is_some()
    }

    /// Whether the items depend on a state space.
    pub fn needs_space(&self) -> bool {
        matches!(self.kind, Kind::States(_) | Kind::Transitions(_) | Kind::EdgePairs(_))
    }

    fn relaxed(&self, items: Vec<u64>) -> Vec<u64> {
        let Some(relax) = &self.relax else { return items };
        let mut classes: Vec<u64> =
            items.iter().filter_map(|item| self.class_of(relax, *item)).collect();
        classes.sort_unstable();
        classes.dedup();
        classes
    }

    /// The class of a word, if it has one.
    pub(crate) fn class_of(&self, relax: &Relax, item: u64) -> Option<u64> {
        let t = self.strength().unwrap_or(1) as u32;
        let s = self.letters as u64;
        match relax {
            Relax::First => Some(item / s.pow(t - 1)),
            Relax::Last => Some(item % s),
            Relax::Set => {
                let mut word = self.word(item);
                word.sort_unstable();
                word.dedup();
                let last = *word.last()?;
                word.resize(t as usize, last);
                Some(self.number(&word))
            }
            Relax::Classes(classes, _) => classes.get(&item).copied(),
        }
    }

    /// The items that a test covers, ascending. A criterion over states has no items without a
    /// space.
    pub fn items(&self, test: &[EventId], alphabet: &Alphabet, space: Option<&Space>) -> Vec<u64> {
        let mut cover = Cover::new(self);
        let mut letters = Vec::new();
        alphabet.project(test, &mut letters);
        cover.test(&letters, test, space);
        cover.items()
    }

    /// The items of a projected test, for criteria that need no state space.
    pub fn items_of_letters(&self, letters: &[Letter]) -> Vec<u64> {
        let mut cover = Cover::new(self);
        cover.test(letters, &[], None);
        cover.items()
    }

    fn dense(&self) -> bool {
        self.span <= MAX_BITS && !matches!(self.kind, Kind::Symmetry(_))
    }

    /// The number of machine words of a bit vector for all items, plus one.
    fn bit_words(&self) -> usize {
        bits::words(self.span as usize) + 1
    }
}

/// The number of subsets of size `k` of `n` elements; `u64::MAX` if the computation overflows.
pub(crate) fn binomial(n: u64, k: u64) -> u64 {
    if k > n {
        return 0;
    }
    let k = k.min(n - k);
    let mut result = 1_u64;
    for step in 0..k {
        match result.checked_mul(n - step) {
            Some(product) => result = product / (step + 1),
            None => return u64::MAX,
        }
    }
    result
}

/// The number of a sorted combination among all combinations of its size, in lexicographic order.
fn combination_number(length: usize, positions: &[usize]) -> u64 {
    let (mut number, mut from) = (0, 0);
    for (chosen, &at) in positions.iter().enumerate() {
        let left = positions.len() - chosen - 1;
        number +=
            (from..at).map(|skip| binomial((length - skip - 1) as u64, left as u64)).sum::<u64>();
        from = at + 1;
    }
    number
}

/// The combination with this number, as counted by [`combination_number`].
fn combination(length: usize, size: usize, mut number: u64) -> Vec<usize> {
    let (mut positions, mut at) = (Vec::new(), 0);
    while positions.len() < size && at < length {
        let with = binomial((length - at - 1) as u64, (size - positions.len() - 1) as u64);
        if number < with {
            positions.push(at);
        } else {
            number -= with;
        }
        at += 1;
    }
    positions
}

#[cfg(test)]
mod tests {
    use rustc_hash::FxHashSet;

    use super::*;
    use crate::Events;

    #[test]
    fn all_items_are_as_many_as_the_bound_and_have_names_of_their_own() {
        let alphabet = Alphabet::names(&Events::plain(["a", "b", "c", "d"]));
        let none = |_: &str| Err(String::new());
        for text in [
            "subsequence:2",
            "subsequence:3 distinct",
            "consecutive:3 relax=by-set",
            "subsequence:3 distinct relax=by-set",
            "subsequence:2 relax=by-first",
            "consecutive:2 distinct relax=by-last",
            "positions:2 length=3",
            "positions:2 length=3 distinct",
            "order([a b], [c])",
            "expressions(a .*; .* b)",
        ] {
            let criterion = Criterion::parse(text, &alphabet, None, None, &none).unwrap();
            let all = criterion.all_items(1000).unwrap();
            assert_eq!(all.len() as u64, criterion.bound(), "{text}");
            assert!(all.is_sorted());
            let names: FxHashSet<_> =
                all.iter().map(|&i| criterion.item_name(i, &alphabet)).collect();
            assert_eq!(names.len(), all.len(), "{text}: {names:?}");
            let covered = criterion.items_of_letters(&[0, 1, 2]);
            assert!(!covered.is_empty(), "{text}");
            assert!(covered.iter().all(|item| all.binary_search(item).is_ok()), "{text}");
        }
        let large = Criterion::parse("subsequence:6", &alphabet, None, None, &none).unwrap();
        assert_eq!(large.all_items(1000), None);
    }

    #[test]
    fn combinations_are_numbered_in_order() {
        let mut number = 0;
        for a in 0..5 {
            for b in a + 1..5 {
                assert_eq!(combination_number(5, &[a, b]), number);
                assert_eq!(combination(5, 2, number), [a, b]);
                number += 1;
            }
        }
        assert_eq!(number, binomial(5, 2));
    }
}
