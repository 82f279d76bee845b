//! Regular expressions over events, and their automata.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::alphabet::{Alphabet, Letter};

const MAX_STATES: usize = 10_000;

/// Maximum number of transitions of all automata of a criterion; each takes four bytes.
pub(crate) const MAX_TRANSITIONS: usize = 1 << 27;

const MAX_REPEATS: u32 = 1000;
const MAX_PARTS: usize = 20_000;

/// Maximum depth of parentheses.
const DEEPEST: usize = 100;

/// The reason why an expression cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expression, column {column}: {cause}")]
pub struct ExpressionError {
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong, in one line.
    pub cause: String,
}

/// A regular expression over letters that is matched against whole tests.
#[derive(Clone, Debug)]
pub struct Expression(Part);

#[derive(Clone, Debug)]
enum Part {
    Letters(Vec<Name>),
    /// Any letter except these.
    Except(Vec<Name>),
    Sequence(Vec<Part>),
    Either(Vec<Part>),
    /// The part, and the minimum and maximum number of its occurrences.
    Repeat(Box<Part>, u32, Option<u32>),
}

#[derive(Clone, Debug)]
struct Name {
    text: String,
    column: usize,
    /// Whether the name is in brackets without quotation marks, where letters of one character need
    /// no space between them.
    bracket: bool,
}

struct Reader {
    characters: Vec<char>,
    at: usize,
    depth: usize,
    parts: usize,
}

impl Expression {
    /// Parses an expression.
    ///
    /// # Errors
    ///
    /// If the text is not an expression, or exceeds a limit.
    pub fn parse(text: &str) -> Result<Expression, ExpressionError> {
        let mut reader = Reader { characters: text.chars().collect(), at: 0, depth: 0, parts: 0 };
        let part = reader.either()?;
        match reader.next() {
            None => Ok(Expression(part)),
            Some(found) => Err(reader.error(format!("unmatched `{found}`"))),
        }
    }

    /// The names that are certainly letters. An unquoted name of several characters in brackets is
    /// left out, because it may be several letters.
    pub fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        self.0.visit(&mut |name| {
            if !name.bracket || name.text.chars().count() == 1 {
                names.push(name.text.clone());
            }
        });
        names
    }

    pub(crate) fn automaton(&self, alphabet: &Alphabet) -> Result<Automaton, ExpressionError> {
        let mut builder = Builder { alphabet, states: vec![Nfa::default()] };
        let end = builder.add(&self.0, 0)?;
        builder.automaton(end)
    }

    /// Whether the expression matches a test, which is given by names of letters. The alphabet
    /// consists of these names and [`Expression::names`].
    ///
    /// # Errors
    ///
    /// If a name is not a letter, or the automaton is too large.
    pub fn matches(&self, test: &[String]) -> Result<bool, ExpressionError> {
        let mut letters = self.names();
        letters.extend(test.iter().cloned());
        let alphabet = Alphabet::names(&crate::events::Events::plain(letters));
        let test: Vec<Letter> = test.iter().filter_map(|name| alphabet.find(name)).collect();
        Ok(self.automaton(&alphabet)?.matches(&test))
    }
}

impl Part {
    fn visit(&self, visit: &mut dyn FnMut(&Name)) {
        match self {
            Part::Letters(names) | Part::Except(names) => names.iter().for_each(visit),
            Part::Sequence(parts) | Part::Either(parts) => {
                parts.iter().for_each(|part| part.visit(visit));
            }
            Part::Repeat(part, ..) => part.visit(visit),
        }
    }
}

impl Reader {
    fn error(&self, cause: String) -> ExpressionError {
        ExpressionError { column: self.at + 1, cause }
    }

    /// Skips white space and returns the next character without skipping it.
    fn next(&mut self) -> Option<char> {
        while self.characters.get(self.at).is_some_and(|character| character.is_whitespace()) {
            self.at += 1;
        }
        self.characters.get(self.at).copied()
    }

    fn either(&mut self) -> Result<Part, ExpressionError> {
        let mut parts = vec![self.sequence()?];
        while self.next() == Some('|') {
            self.at += 1;
            parts.push(self.sequence()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Part::Either(parts) })
    }

    fn sequence(&mut self) -> Result<Part, ExpressionError> {
        let mut parts = Vec::new();
        while let Some(next) = self.next().filter(|next| !matches!(next, '|' | ')')) {
            let part = self.single(next)?;
            parts.push(self.repeated(part)?);
            self.parts += 1;
            if self.parts > MAX_PARTS {
                return Err(self.error(format!("more than {MAX_PARTS} parts")));
            }
        }
        Ok(Part::Sequence(parts))
    }

    fn single(&mut self, next: char) -> Result<Part, ExpressionError> {
        match next {
            '.' => {
                self.at += 1;
                Ok(Part::Except(Vec::new()))
            }
            '(' => {
                self.at += 1;
                self.depth += 1;
                if self.depth > DEEPEST {
                    return Err(self.error(format!("more than {DEEPEST} levels of parentheses")));
                }
                let part = self.either()?;
                self.depth -= 1;
                if self.next() != Some(')') {
                    return Err(self.error("a parenthesis is never closed".to_owned()));
                }
                self.at += 1;
                Ok(part)
            }
            '[' => {
                self.at += 1;
                let except = self.next() == Some('^');
                self.at += usize::from(except);
                let mut names = Vec::new();
                loop {
                    match self.next() {
                        Some(']') => break,
                        Some(_) => names.push(self.name(true)?),
                        None => return Err(self.error("a bracket is never closed".to_owned())),
                    }
                }
                self.at += 1;
                Ok(if except { Part::Except(names) } else { Part::Letters(names) })
            }
            _ => Ok(Part::Letters(vec![self.name(false)?])),
        }
    }

    fn name(&mut self, bracket: bool) -> Result<Name, ExpressionError> {
        let column = self.at + 1;
        let quoted = self.characters[self.at] == '"';
        self.at += usize::from(quoted);
        let start = self.at;
        let inside = |&character: &char| match quoted {
            true => character != '"',
            // A dot inside a name is a part of the name if a letter follows; the loop below accepts
            // such a dot.
            false => character.is_alphanumeric() || matches!(character, '_' | '-' | '$'),
        };
        loop {
            match self.characters.get(self.at) {
                Some(character) if inside(character) => self.at += 1,
                Some('.') if !quoted && self.at > start => match self.characters.get(self.at + 1) {
                    Some(next) if next.is_alphabetic() => self.at += 1,
                    _ => break,
                },
                _ => break,
            }
        }
        let text: String = self.characters[start..self.at].iter().collect();
        if quoted {
            if self.at == self.characters.len() {
                return Err(self.error("a quotation mark is never closed".to_owned()));
            }
            self.at += 1;
        } else if text.is_empty() {
            let found = self.characters[self.at];
            return Err(self.error(format!("`{found}` is not a letter: write it as \"{found}\"")));
        }
        Ok(Name { text, column, bracket: bracket && !quoted })
    }

    fn repeated(&mut self, mut part: Part) -> Result<Part, ExpressionError> {
        loop {
            let (low, high) = match self.next() {
                Some('*') => (0, None),
                Some('+') => (1, None),
                Some('?') => (0, Some(1)),
                Some('{') => {
                    let bounds = self.bounds()?;
                    part = Part::Repeat(Box::new(part), bounds.0, bounds.1);
                    continue;
                }
                _ => return Ok(part),
            };
            self.at += 1;
            part = match part {
                // Do not repeat a part that may already occur any number of times, because another
                // repetition changes nothing.
                Part::Repeat(inner, 0, None) => Part::Repeat(inner, 0, None),
                part => Part::Repeat(Box::new(part), low, high),
            };
            self.parts += 1;
            if self.parts > MAX_PARTS {
                return Err(self.error(format!("more than {MAX_PARTS} parts")));
            }
        }
    }

    /// Reads `{n}`, `{n,}` or `{n,m}`.
    fn bounds(&mut self) -> Result<(u32, Option<u32>), ExpressionError> {
        let rest: String =
            self.characters[self.at + 1..].iter().take_while(|c| **c != '}').collect();
        let wrong = || self.error("write {n}, {n,} or {n,m} with numbers up to 1000".to_owned());
        let number = |text: &str| text.trim().parse().ok().filter(|n| *n <= MAX_REPEATS);
        let bounds = match rest.split_once(',') {
            None => number(&rest).map(|n| (n, Some(n))),
            Some((low, "")) => number(low).map(|low| (low, None)),
            Some((low, high)) => number(low).zip(number(high)).map(|(low, high)| (low, Some(high))),
        };
        let bounds = bounds.filter(|(low, high)| high.is_none_or(|high| *low <= high));
        let bounds = bounds.ok_or_else(wrong)?;
        self.at += rest.chars().count() + 2;
        Ok(bounds)
    }
}

/// A state of a nondeterministic automaton.
#[derive(Clone, Debug, Default)]
struct Nfa {
    letters: Vec<(Letter, usize)>,
    silent: Vec<usize>,
}

struct Builder<'a> {
    alphabet: &'a Alphabet,
    states: Vec<Nfa>,
}

impl Builder<'_> {
    fn state(&mut self) -> Result<usize, ExpressionError> {
        if self.states.len() >= 10 * MAX_STATES {
            let cause = "the expression is too large".to_owned();
            return Err(ExpressionError { column: 1, cause });
        }
        self.states.push(Nfa::default());
        Ok(self.states.len() - 1)
    }

    fn letters(&self, names: &[Name]) -> Result<Vec<Letter>, ExpressionError> {
        let mut letters = Vec::new();
        for name in names {
            if let Some(letter) = self.alphabet.find(&name.text) {
                letters.push(letter);
                continue;
            }
            let single = |character: char| self.alphabet.find(&character.to_string());
            let split: Option<Vec<Letter>> =
                if name.bracket { name.text.chars().map(single).collect() } else { None };
            match split {
                Some(split) => letters.extend(split),
                None => {
                    let cause = format!("unknown event `{}`", name.text);
                    return Err(ExpressionError { column: name.column, cause });
                }
            }
        }
        Ok(letters)
    }

    /// Adds a part after a state and returns the state after the part.
    fn add(&mut self, part: &Part, from: usize) -> Result<usize, ExpressionError> {
        match part {
            Part::Letters(names) => {
                let letters = self.letters(names)?;
                self.add_letters(letters, from)
            }
            Part::Except(names) => {
                let not = self.letters(names)?;
                let all = 0..self.alphabet.len() as Letter;
                self.add_letters(all.filter(|letter| !not.contains(letter)).collect(), from)
            }
            Part::Sequence(parts) => parts.iter().try_fold(from, |at, part| self.add(part, at)),
            Part::Either(parts) => {
                let end = self.state()?;
                for part in parts {
                    let start = self.state()?;
                    self.states[from].silent.push(start);
                    let last = self.add(part, start)?;
                    self.states[last].silent.push(end);
                }
                Ok(end)
            }
            Part::Repeat(part, low, high) => {
                let mut at = from;
                for _ in 0..*low {
                    at = self.add(part, at)?;
                }
                let end = self.state()?;
                match high {
                    Some(high) => {
                        for _ in *low..*high {
                            self.states[at].silent.push(end);
                            at = self.add(part, at)?;
                        }
                        self.states[at].silent.push(end);
                    }
                    None => {
                        let start = self.state()?;
                        self.states[at].silent.push(start);
                        let last = self.add(part, start)?;
                        self.states[last].silent.push(start);
                        self.states[start].silent.push(end);
                    }
                }
                Ok(end)
            }
        }
    }

    fn add_letters(&mut self, letters: Vec<Letter>, from: usize) -> Result<usize, ExpressionError> {
        let end = self.state()?;
        self.states[from].letters.extend(letters.into_iter().map(|letter| (letter, end)));
        Ok(end)
    }

    fn closure(&self, states: Vec<usize>) -> Vec<usize> {
        let mut found: std::collections::BTreeSet<usize> = states.iter().copied().collect();
        let mut open = states;
        while let Some(state) = open.pop() {
            open.extend(self.states[state].silent.iter().filter(|&&next| found.insert(next)));
        }
        found.into_iter().collect()
    }

    /// The minimal deterministic automaton, by the subset construction.
    fn automaton(&self, end: usize) -> Result<Automaton, ExpressionError> {
        let s = self.alphabet.len();
        let mut sets = vec![self.closure(vec![0])];
        let mut numbers: FxHashMap<Vec<usize>, u32> = FxHashMap::default();
        numbers.insert(sets[0].clone(), 0);
        let mut next = Vec::new();
        let mut at = 0;
        while at < sets.len() {
            let mut targets: BTreeMap<Letter, Vec<usize>> = BTreeMap::new();
            for &state in &sets[at] {
                for &(letter, target) in &self.states[state].letters {
                    targets.entry(letter).or_default().push(target);
                }
            }
            for letter in 0..s as Letter {
                let set = self.closure(targets.remove(&letter).unwrap_or_default());
                let count = sets.len() as u32;
                let number = *numbers.entry(set).or_insert_with_key(|set| {
                    sets.push(set.clone());
                    count
                });
                next.push(number);
            }
            at += 1;
            if sets.len() > MAX_STATES {
                let cause = format!("the automaton has more than {MAX_STATES} states");
                return Err(ExpressionError { column: 1, cause });
            }
            if next.len() > MAX_TRANSITIONS {
                let cause = format!("the automaton has more than {MAX_TRANSITIONS} transitions");
                return Err(ExpressionError { column: 1, cause });
            }
        }
        let accepts: Vec<bool> = sets.iter().map(|set| set.binary_search(&end).is_ok()).collect();
        Ok(Automaton { letters: s, next, accepts }.minimal())
    }
}

/// A deterministic automaton, whose initial state is 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Automaton {
    pub(crate) letters: usize,
    pub(crate) next: Vec<u32>,
    pub(crate) accepts: Vec<bool>,
}

impl Automaton {
    pub(crate) fn step(&self, state: u32, letter: Letter) -> u32 {
        self.next[state as usize * self.letters + letter as usize]
    }

    pub(crate) fn matches(&self, letters: &[Letter]) -> bool {
        let end = letters.iter().fold(0, |state, &letter| self.step(state, letter));
        self.accepts[end as usize]
    }

    /// The minimal automaton of the same language, by refining classes of states (Moore).
    fn minimal(&self) -> Automaton {
        let count = self.accepts.len();
        let mut class: Vec<u32> = self.accepts.iter().map(|&accepts| u32::from(accepts)).collect();
        let mut classes = 0;
        loop {
            let mut known: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
            let refined: Vec<u32> = (0..count)
                .map(|state| {
                    let row = &self.next[state * self.letters..][..self.letters];
                    let mut key = vec![class[state]];
                    key.extend(row.iter().map(|&target| class[target as usize]));
                    let number = known.len() as u32;
                    *known.entry(key).or_insert(number)
                })
                .collect();
            let found = known.len();
            class = refined;
            if found == classes {
                break;
            }
            classes = found;
        }
        let mut next = vec![0; classes * self.letters];
        let mut accepts = vec![false; classes];
        for state in 0..count {
            let own = class[state] as usize;
            accepts[own] = self.accepts[state];
            for letter in 0..self.letters {
                let target = self.next[state * self.letters + letter];
                next[own * self.letters + letter] = class[target as usize];
            }
        }
        // State 0 stays the initial state, because its class is numbered first.
        Automaton { letters: self.letters, next, accepts }
    }
}

#[cfg(test)]
mod tests;
