//! Shortest traces to the classes of a relaxed criterion, each of which contains several words.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use crate::alphabet::{Alphabet, Letter};
use crate::criterion::{Criterion, Kind, Relax};
use crate::events::EventId;
use crate::space::Space;

/// Maximum number of pairs of a state and the beginning of a word that are visited.
const MAX_VISITED: usize = 1 << 23;

/// A state of the model after a trace, and the letters of the trace that may begin a word.
struct Node {
    state: u32,
    length: usize,
    /// The letters as the number of a word.
    word: u64,
    from: usize,
    by: EventId,
}

struct Words<'c> {
    criterion: &'c Criterion,
    relax: &'c Relax,
    class: u64,
    /// The number of letters of a word.
    strength: usize,
    /// Whether other letters may be between the letters of a word.
    apart: bool,
    /// The letters of the class, if it is a set.
    set: Vec<Letter>,
    /// The beginnings of the words of the class with their lengths, if the words are listed.
    listed: FxHashSet<(usize, u64)>,
}

/// A shortest trace that covers a word of a class; `None` if there is no such trace, or none with
/// [`MAX_VISITED`] pairs, or if the criterion is neither `subsequence` nor `consecutive`.
pub(super) fn shortest_trace(
    criterion: &Criterion,
    relax: &Relax,
    space: &Space,
    alphabet: &Alphabet,
    class: u64,
) -> Option<Vec<EventId>> {
    let words = Words::new(criterion, relax, class)?;
    let mut nodes = vec![Node { state: 0, length: 0, word: 0, from: 0, by: 0 }];
    let mut known = FxHashSet::from_iter([(0, 0, 0)]);
    let mut at = 0;
    while at < nodes.len() && nodes.len() <= MAX_VISITED {
        let Node { state, length, word, .. } = nodes[at];
        for edge in space.edges(state) {
            let letter = alphabet.letter(edge.event);
            if letter.is_some() && letter == criterion.until {
                continue;
            }
            let [skipped, taken] = words.after(length, word, letter);
            if taken.is_some_and(|(length, word)| words.contain(length, word)) {
                return Some(trace(&nodes, at, edge.event));
            }
            let next = [skipped, taken.map(|(length, word)| words.shortened(length, word))];
            for (length, word) in next.into_iter().flatten() {
                if known.insert((edge.target, length, word)) {
                    let (state, by) = (edge.target, edge.event);
                    nodes.push(Node { state, length, word, from: at, by });
                }
            }
        }
        at += 1;
    }
    None
}

fn trace(nodes: &[Node], mut at: usize, last: EventId) -> Vec<EventId> {
    let mut trace = vec![last];
    while at != 0 {
        trace.push(nodes[at].by);
        at = nodes[at].from;
    }
    trace.reverse();
    trace
}

impl<'c> Words<'c> {
    fn new(criterion: &'c Criterion, relax: &'c Relax, class: u64) -> Option<Words<'c>> {
        let apart = match criterion.kind {
            Kind::Subsequence(_) => true,
            Kind::Consecutive(_) => false,
            _ => return None,
        };
        let strength = criterion.strength()?;
        let set = if *relax == Relax::Set { criterion.word(class) } else { Vec::new() };
        let mut listed = FxHashSet::default();
        if let Relax::Classes(classes, _) = relax {
            for (word, _) in classes.iter().filter(|one| *one.1 == class) {
                let word = criterion.word(*word);
                listed.extend(
                    (0..=strength).map(|length| (length, criterion.number(&word[..length]))),
                );
            }
        }
        Some(Words { criterion, relax, class, strength, apart, set, listed })
    }

    /// The beginnings of words without and with a letter after a beginning.
    fn after(&self, length: usize, word: u64, letter: Option<Letter>) -> [Option<(usize, u64)>; 2] {
        let Some(letter) = letter.filter(|_| length < self.strength) else {
            return [Some((length, word)), None];
        };
        let longer = (length + 1, word * self.criterion.letters as u64 + u64::from(letter));
        match self.apart {
            true => [Some((length, word)), self.may_begin(longer, letter).then_some(longer)],
            false => [None, Some(longer)],
        }
    }

    /// Whether a word of the class may begin in this way, given that it may without the last letter.
    fn may_begin(&self, (length, word): (usize, u64), last: Letter) -> bool {
        if self.criterion.distinct && !self.criterion.is_distinct_to(length, word) {
            return false;
        }
        match self.relax {
            Relax::First => length > 1 || u64::from(last) == self.class,
            Relax::Last => length < self.strength || u64::from(last) == self.class,
            Relax::Set => self.set.contains(&last) && self.may_complete(length, word),
            Relax::Classes(..) => self.listed.contains(&(length, word)),
        }
    }

    /// Whether the letters of the set that a beginning lacks fit into the rest of the word.
    fn may_complete(&self, length: usize, word: u64) -> bool {
        let given = self.criterion.word_of(length, word);
        let all: BTreeSet<_> = self.set.iter().collect();
        let missing = all.iter().filter(|letter| !given.contains(letter)).count();
        missing <= self.strength - length
    }

    fn contain(&self, length: usize, word: u64) -> bool {
        length == self.strength
            && self.criterion.class_of(self.relax, word) == Some(self.class)
            && (!self.criterion.distinct || self.criterion.is_distinct_to(length, word))
    }

    /// A beginning after which the same letters complete a word of the class, and which many
    /// beginnings have in common.
    fn shortened(&self, length: usize, word: u64) -> (usize, u64) {
        let mut letters = self.criterion.word_of(length, word);
        if !self.apart {
            // The next letter completes a word of the last letters.
            let kept = length.min(self.strength - 1);
            return (kept, self.criterion.number(&letters[length - kept..]));
        }
        let exact = match self.relax {
            Relax::First => 1,
            Relax::Last | Relax::Set => 0,
            Relax::Classes(..) => length,
        };
        let rest = &mut letters[exact.min(length)..];
        match self.criterion.distinct || *self.relax == Relax::Set {
            true => rest.sort_unstable(),
            false => rest.fill(0),
        }
        (length, self.criterion.number(&letters))
    }
}
