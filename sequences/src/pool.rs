//! Pools: the tests that suites are chosen from.

use std::ops::ControlFlow;

use catherd_search::Stream;
use hashbrown::HashTable;
use num_bigint::BigUint;
use rayon::prelude::*;

use crate::alphabet::{Alphabet, Letter};
use crate::events::EventId;
use crate::program::{Fault, Program, Stepper};
use crate::space::Space;
use crate::streams::WALKS;

/// The length of tests unless a study sets it.
pub const DEFAULT_LENGTH: usize = 1000;

/// Walks that one thread makes in a row.
const CHUNK: u64 = 4096;

/// How walks choose among enabled events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sampler {
    /// Each enabled event is equally likely.
    #[default]
    Steps,
    /// Each trace that ends is equally likely; for acyclic spaces.
    Traces,
}

/// Tests one after the other in one piece of memory.
#[derive(Clone, Debug, Default)]
pub struct Tests {
    events: Vec<u16>,
    ends: Vec<usize>,
}

impl Tests {
    /// Adds a test.
    pub fn push(&mut self, test: &[EventId]) {
        self.events.extend(test.iter().map(|&event| event as u16));
        self.ends.push(self.events.len());
    }

    /// The number of tests.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no test.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The number of events of all tests.
    pub fn events(&self) -> usize {
        self.events.len()
    }

    /// The events of a test.
    pub fn get(&self, number: usize) -> &[u16] {
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.events[start..self.ends[number]]
    }

    /// The events of a test as event numbers.
    pub fn test(&self, number: usize) -> Vec<EventId> {
        self.get(number).iter().map(|&event| EventId::from(event)).collect()
    }

    fn append(&mut self, other: Tests) {
        let start = self.events.len();
        self.events.extend(other.events);
        self.ends.extend(other.ends.into_iter().map(|end| start + end));
    }
}

/// Tests without duplicates, after projection.
#[derive(Clone, Debug, Default)]
pub struct Pool {
    /// The distinct tests with all their events, in the order of their walks.
    pub tests: Tests,
    /// The same as letters.
    pub letters: Vec<Vec<Letter>>,
    /// Walks that were made.
    pub drawn: usize,
    /// Walks that the limit of the length cut.
    pub cut: usize,
    /// Events of all walks, duplicates included.
    pub steps: usize,
}

/// Makes walks.
pub struct Walker<'m> {
    program: &'m Program,
    space: Option<&'m Space>,
    /// The traces that end behind each state, for [`Sampler::Traces`].
    ends: Vec<BigUint>,
    seed: u64,
    length: usize,
}

/// A sampler that the model does not allow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("traces of equal chance need a model without cycles whose states are all known")]
pub struct NoTraceSampler;

impl<'m> Walker<'m> {
    /// A walker of a model. Walks use the space if it is complete; the traces are the same
    /// without it.
    ///
    /// # Errors
    ///
    /// If the model does not allow the sampler.
    pub fn new(
        program: &'m Program,
        space: Option<&'m Space>,
        sampler: Sampler,
        seed: u64,
        length: usize,
    ) -> Result<Walker<'m>, NoTraceSampler> {
        let space = space.filter(|space| !space.truncated());
        let ends = match (sampler, space) {
            (Sampler::Steps, _) => Vec::new(),
            (Sampler::Traces, Some(space)) if !space.cyclic() => space.ends(),
            (Sampler::Traces, _) => return Err(NoTraceSampler),
        };
        Ok(Walker { program, space, ends, seed, length })
    }

    /// Writes the walk with a number to `test`; whether the limit of the length cut it.
    ///
    /// # Errors
    ///
    /// If the model breaks a rule of its own.
    pub fn walk(&self, number: u64, test: &mut Vec<EventId>) -> Result<bool, Fault> {
        test.clear();
        let mut stream = Stream::new(self.seed, WALKS + number);
        match self.space {
            Some(space) if !self.ends.is_empty() => Ok(self.walk_traces(space, &mut stream, test)),
            Some(space) => {
                let mut state = 0;
                loop {
                    let edges = space.edges(state);
                    if edges.is_empty() {
                        return Ok(false);
                    }
                    if test.len() == self.length {
                        return Ok(true);
                    }
                    let choice = if edges.len() == 1 { 0 } else { stream.index(edges.len()) };
                    test.push(edges[choice].event);
                    state = edges[choice].target;
                }
            }
            None => {
                let mut stepper = Stepper::new(self.program);
                let mut state = stepper.initial()?;
                let (mut next, mut enabled) = (Vec::new(), Vec::new());
                loop {
                    stepper.enabled(&state, &mut enabled)?;
                    if enabled.is_empty() {
                        return Ok(false);
                    }
                    if test.len() == self.length {
                        return Ok(true);
                    }
                    let choice = if enabled.len() == 1 { 0 } else { stream.index(enabled.len()) };
                    test.push(enabled[choice]);
                    stepper.step(&state, enabled[choice], &mut next)?;
                    std::mem::swap(&mut state, &mut next);
                }
            }
        }
    }

    /// A walk in which each trace that ends is equally likely.
    fn walk_traces(&self, space: &Space, stream: &mut Stream, test: &mut Vec<EventId>) -> bool {
        let mut state = 0;
        loop {
            let edges = space.edges(state);
            if edges.is_empty() || test.len() == self.length {
                return !edges.is_empty();
            }
            let mut draw = below(stream, &self.ends[state as usize]);
            for edge in edges {
                let behind = &self.ends[edge.target as usize];
                if draw < *behind {
                    test.push(edge.event);
                    state = edge.target;
                    break;
                }
                draw -= behind;
            }
        }
    }

    /// The walks of some numbers, and how many were cut. Walks are made in parallel; the result
    /// does not depend on it.
    ///
    /// # Errors
    ///
    /// If the model breaks a rule of its own.
    pub fn walks(&self, numbers: std::ops::Range<u64>) -> Result<(Tests, usize), Fault> {
        let starts: Vec<u64> = numbers.clone().step_by(CHUNK as usize).collect();
        let chunk = |start: u64| {
            let (mut tests, mut cut, mut test) = (Tests::default(), 0, Vec::new());
            for number in start..(start + CHUNK).min(numbers.end) {
                cut += usize::from(self.walk(number, &mut test)?);
                tests.push(&test);
            }
            Ok((tests, cut))
        };
        let chunks: Vec<(Tests, usize)> =
            starts.into_par_iter().map(chunk).collect::<Result<_, Fault>>()?;
        let (mut tests, mut cut) = (Tests::default(), 0);
        for (part, part_cut) in chunks {
            tests.append(part);
            cut += part_cut;
        }
        Ok((tests, cut))
    }

    /// The first walks of a number of them that have at most so many events together, and how many
    /// were cut. `go_on` is called every some milliseconds; `None` if it breaks.
    ///
    /// # Errors
    ///
    /// If the model breaks a rule of its own.
    pub fn walks_within(
        &self,
        walks: u64,
        mut events: u64,
        go_on: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Option<(Tests, usize)>, Fault> {
        const BATCH: u64 = 8 * CHUNK;
        let (mut tests, mut cut, mut test) = (Tests::default(), 0, Vec::new());
        for start in (0..walks).step_by(BATCH as usize) {
            if go_on().is_break() {
                return Ok(None);
            }
            let numbers = start..(start + BATCH).min(walks);
            let (batch, batch_cut) = self.walks(numbers.clone())?;
            if let Some(rest) = events.checked_sub(batch.events() as u64) {
                events = rest;
                tests.append(batch);
                cut += batch_cut;
                continue;
            }
            for number in numbers {
                let is_cut = self.walk(number, &mut test)?;
                let Some(rest) = events.checked_sub(test.len() as u64) else { break };
                events = rest;
                tests.push(&test);
                cut += usize::from(is_cut);
            }
            break;
        }
        Ok(Some((tests, cut)))
    }

    /// A pool of so many walks, duplicates removed after projection and not replaced.
    ///
    /// # Errors
    ///
    /// If the model breaks a rule of its own.
    pub fn pool(&self, size: u64, alphabet: &Alphabet) -> Result<Pool, Fault> {
        let (tests, cut) = self.walks(0..size)?;
        Ok(Pool { cut, ..Pool::new(&tests, alphabet) })
    }
}

impl Pool {
    /// The pool of some tests, duplicates removed after projection.
    pub fn new(tests: &Tests, alphabet: &Alphabet) -> Pool {
        let mut pool = Pool { drawn: tests.len(), steps: tests.events(), ..Pool::default() };
        let mut known: HashTable<usize> = HashTable::new();
        let mut letters = Vec::new();
        for number in 0..tests.len() {
            let test = tests.get(number);
            letters.clear();
            letters.extend(test.iter().filter_map(|&event| alphabet.letter(event.into())));
            let hash = hash(&letters);
            if known.find(hash, |&known| pool.letters[known] == letters).is_some() {
                continue;
            }
            let next = pool.letters.len();
            pool.letters.push(letters.clone());
            known.insert_unique(hash, next, |&known| self::hash(&pool.letters[known]));
            pool.tests.push(&tests.test(number));
        }
        pool
    }

    /// The number of distinct tests.
    pub fn len(&self) -> usize {
        self.letters.len()
    }

    /// Whether there is no test.
    pub fn is_empty(&self) -> bool {
        self.letters.is_empty()
    }
}

fn hash(letters: &[Letter]) -> u64 {
    use std::hash::{Hash, Hasher};
    let mut hasher = rustc_hash::FxHasher::default();
    letters.hash(&mut hasher);
    hasher.finish()
}

/// A number below a bound, each equally likely: as many bits as the bound has, drawn again until
/// they are below it.
fn below(stream: &mut Stream, bound: &BigUint) -> BigUint {
    if let Ok(bound) = u64::try_from(bound) {
        return BigUint::from(stream.below(bound));
    }
    let bits = bound.bits();
    loop {
        let digits: Vec<u32> = (0..bits.div_ceil(32))
            .map(|digit| {
                let left = (bits - 32 * digit).min(32);
                (stream.next_u64() >> (64 - left)) as u32
            })
            .collect();
        let draw = BigUint::new(digits);
        if draw < *bound {
            return draw;
        }
    }
}
