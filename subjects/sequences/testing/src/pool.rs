//! Pools: the tests from which suites are chosen.

use std::ops::ControlFlow;

use catherd_search::Stream;
use hashbrown::HashTable;
use num_bigint::BigUint;
use rayon::prelude::*;

use crate::alphabet::{Alphabet, Letter};
use crate::events::EventId;
use crate::program::{Fault, Program, Stepper};
use crate::space::Space;
use crate::span::Span;
use crate::streams::WALKS;

/// The default limit on the length of tests, in events.
pub const DEFAULT_LENGTH: usize = 1000;

/// Maximum number of events of all walks of a pool.
pub const MAX_POOL_EVENTS: u64 = 1 << 29;

/// Maximum number of events of walks that are made before the limit is checked.
const BATCH_EVENTS: u64 = 1 << 27;

/// Number of walks that one thread makes at a time.
const CHUNK: u64 = 4096;

/// How walks choose among enabled events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sampler {
    /// Each enabled event is equally likely.
    #[default]
    Steps,
    /// Each complete trace is equally likely. The space must be acyclic, and all its states must be
    /// known.
    Traces,
    /// An enabled event is chosen in proportion to its weight, which is the largest weight of the
    /// statements that request it.
    Weighted,
    /// The enabled events that were taken least often in the state are equally likely. All walks up
    /// to the current walk are counted. All states of the space must be known.
    Avoid,
}

impl Sampler {
    /// The samplers with their names in commands and studies.
    pub const NAMED: [(&str, Sampler); 4] = [
        ("steps", Sampler::Steps),
        ("traces", Sampler::Traces),
        ("weighted", Sampler::Weighted),
        ("avoid", Sampler::Avoid),
    ];

    /// The names of the samplers.
    pub const NAMES: [&str; 4] = {
        let [a, b, c, d] = Sampler::NAMED;
        [a.0, b.0, c.0, d.0]
    };

    /// The sampler with this name, if there is one.
    pub fn named(name: &str) -> Option<Sampler> {
        Sampler::NAMED.into_iter().find(|(known, _)| *known == name).map(|(_, sampler)| sampler)
    }
}

/// Tests, stored one after the other in one vector.
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

/// Tests that are distinct after projection.
#[derive(Clone, Debug, Default)]
pub struct Pool {
    /// The distinct tests with all their events, in the order of their first walks.
    pub tests: Tests,
    /// The distinct tests as letters.
    pub letters: Vec<Vec<Letter>>,
    /// The number of the distinct test of each walk.
    pub walks: Vec<u32>,
    /// Number of walks that were made.
    pub drawn: usize,
    /// Number of walks that were cut at the maximum length.
    pub cut: usize,
    /// Number of events of all walks, duplicates included.
    pub steps: usize,
}

/// Makes walks.
pub struct Walker<'m> {
    program: &'m Program,
    space: Option<&'m Space>,
    /// The number of complete traces from each state, for [`Sampler::Traces`].
    ends: Vec<BigUint>,
    sampler: Sampler,
    seed: u64,
    length: usize,
}

/// The reason why a model does not allow a sampler.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoTraceSampler(&'static str);

impl<'m> Walker<'m> {
    /// A walker of a model. The space does not change walks, but some samplers need it.
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
            (Sampler::Steps | Sampler::Weighted, _) | (Sampler::Avoid, Some(_)) => Vec::new(),
            (Sampler::Traces, Some(space)) if !space.cyclic() => space.ends(),
            (Sampler::Traces, _) => {
                let cause = "equally likely traces need a model that has no cycles and whose states \
                             are all known";
                return Err(NoTraceSampler(cause));
            }
            (Sampler::Avoid, None) => {
                let cause = "walks that avoid earlier ones need a model whose states are all known";
                return Err(NoTraceSampler(cause));
            }
        };
        Ok(Walker { program, space, ends, sampler, seed, length })
    }

    /// Returns whether the walk was cut at the maximum length. `taken` counts how often walks took
    /// each edge.
    fn walk(
        &self,
        number: u64,
        taken: &mut Vec<u32>,
        test: &mut Vec<EventId>,
    ) -> Result<bool, Fault> {
        test.clear();
        let mut stream = Stream::new(self.seed, WALKS + number);
        match (self.sampler, self.space) {
            (Sampler::Traces, Some(space)) => Ok(self.walk_traces(space, &mut stream, test)),
            (Sampler::Avoid, Some(space)) => {
                taken.resize(space.edge_count(), 0);
                Ok(self.walk_avoiding(space, &mut stream, taken, test))
            }
            (Sampler::Steps, Some(space)) => {
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
            _ => self.walk_program(&mut stream, test),
        }
    }

    fn walk_program(&self, stream: &mut Stream, test: &mut Vec<EventId>) -> Result<bool, Fault> {
        let mut stepper = Stepper::new(self.program);
        let mut state = stepper.initial()?;
        let (mut next, mut enabled, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            stepper.enabled(&state, &mut enabled)?;
            if enabled.is_empty() {
                return Ok(false);
            }
            if test.len() == self.length {
                return Ok(true);
            }
            let choice = if enabled.len() == 1 {
                0
            } else if self.sampler == Sampler::Weighted {
                stepper.weights(&state, &enabled, &mut weights)?;
                let mut draw = stream.below(weights.iter().sum());
                let passes = |weight: &u64| {
                    let passed = draw < *weight;
                    draw = draw.saturating_sub(*weight);
                    passed
                };
                weights.iter().position(passes).unwrap_or(0)
            } else {
                stream.index(enabled.len())
            };
            test.push(enabled[choice]);
            stepper.step(&state, enabled[choice], &mut next)?;
            std::mem::swap(&mut state, &mut next);
        }
    }

    fn walk_avoiding(
        &self,
        space: &Space,
        stream: &mut Stream,
        taken: &mut [u32],
        test: &mut Vec<EventId>,
    ) -> bool {
        let (mut state, mut least) = (0, Vec::new());
        loop {
            let edges = space.edges(state);
            if edges.is_empty() || test.len() == self.length {
                return !edges.is_empty();
            }
            let own = &mut taken[space.first_edge(state)..][..edges.len()];
            let fewest = own.iter().min().copied();
            least.clear();
            least.extend((0..own.len()).filter(|&at| Some(own[at]) == fewest));
            let choice = if least.len() == 1 { least[0] } else { *stream.pick(&least) };
            own[choice] = own[choice].saturating_add(1);
            test.push(edges[choice].event);
            state = edges[choice].target;
        }
    }

    fn walk_traces(&self, space: &Space, stream: &mut Stream, test: &mut Vec<EventId>) -> bool {
        let mut state = 0;
        loop {
            let edges = space.edges(state);
            if edges.is_empty() || test.len() == self.length {
                return !edges.is_empty();
            }
            let mut draw = below(stream, &self.ends[state as usize]);
            for edge in edges {
                let traces = &self.ends[edge.target as usize];
                if draw < *traces {
                    test.push(edge.event);
                    state = edge.target;
                    break;
                }
                draw -= traces;
            }
        }
    }

    /// The walks with these numbers, and how many of them were cut at the maximum length.
    ///
    /// # Errors
    ///
    /// If the model breaks one of its own rules, or if walks of [`Sampler::Avoid`] have more than
    /// [`MAX_POOL_EVENTS`] events.
    pub fn walks(&self, numbers: std::ops::Range<u64>) -> Result<(Tests, usize), Fault> {
        if self.sampler == Sampler::Avoid {
            let (tests, cut) = self.walks_in_turn(&numbers, MAX_POOL_EVENTS)?;
            return if tests.events() as u64 > MAX_POOL_EVENTS {
                Err(too_many())
            } else {
                Ok((tests, cut))
            };
        }
        let starts: Vec<u64> = numbers.clone().step_by(CHUNK as usize).collect();
        let chunk = |start: u64| {
            let (mut tests, mut cut, mut test) = (Tests::default(), 0, Vec::new());
            for number in start..(start + CHUNK).min(numbers.end) {
                cut += usize::from(self.walk(number, &mut Vec::new(), &mut test)?);
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

    /// Stops once the returned walks have more than `most` events in total.
    fn walks_in_turn(
        &self,
        numbers: &std::ops::Range<u64>,
        most: u64,
    ) -> Result<(Tests, usize), Fault> {
        let (mut tests, mut cut) = (Tests::default(), 0);
        let (mut taken, mut test) = (Vec::new(), Vec::new());
        for number in 0..numbers.end {
            let is_cut = self.walk(number, &mut taken, &mut test)?;
            if numbers.contains(&number) {
                tests.push(&test);
                cut += usize::from(is_cut);
            }
            if tests.events() as u64 > most {
                break;
            }
        }
        Ok((tests, cut))
    }

    /// Makes up to `walks` walks with at most `events` events in total, and counts the walks that
    /// were cut. Returns `None` if `go_on`, which is called before each batch of walks, returns
    /// `Break`.
    ///
    /// # Errors
    ///
    /// If the model breaks one of its own rules.
    pub fn walks_within(
        &self,
        walks: u64,
        mut events: u64,
        go_on: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Option<(Tests, usize)>, Fault> {
        // Make walks that avoid earlier walks in one batch, because a later batch would have to
        // repeat all walks before it.
        let batch = match self.sampler {
            Sampler::Avoid => walks.max(1),
            _ => (BATCH_EVENTS / self.length.max(1) as u64).clamp(1, 8 * CHUNK),
        };
        let (mut tests, mut cut, mut test) = (Tests::default(), 0, Vec::new());
        for start in (0..walks).step_by(batch as usize) {
            if go_on().is_break() {
                return Ok(None);
            }
            let numbers = start..(start + batch).min(walks);
            let (more, more_cut) = match self.sampler {
                Sampler::Avoid => self.walks_in_turn(&numbers, events)?,
                _ => self.walks(numbers.clone())?,
            };
            if let Some(rest) = events.checked_sub(more.events() as u64) {
                events = rest;
                tests.append(more);
                cut += more_cut;
                continue;
            }
            let mut taken = Vec::new();
            for number in numbers {
                let is_cut = self.walk(number, &mut taken, &mut test)?;
                let Some(rest) = events.checked_sub(test.len() as u64) else { break };
                events = rest;
                tests.push(&test);
                cut += usize::from(is_cut);
            }
            break;
        }
        Ok(Some((tests, cut)))
    }

    /// Makes walks for a pool, and returns how many walks were cut.
    ///
    /// # Errors
    ///
    /// If the model breaks one of its own rules, or the walks have more than [`MAX_POOL_EVENTS`]
    /// events.
    pub fn pool_walks(&self, size: u64) -> Result<(Tests, usize), Fault> {
        let walks = self.walks_within(size, MAX_POOL_EVENTS, &mut || ControlFlow::Continue(()))?;
        let (tests, cut) = walks.unwrap_or_default();
        if (tests.len() as u64) < size { Err(too_many()) } else { Ok((tests, cut)) }
    }

    /// A pool of `size` walks. Duplicates are removed after projection and not replaced.
    ///
    /// # Errors
    ///
    /// As for [`Walker::pool_walks`].
    pub fn pool(&self, size: u64, alphabet: &Alphabet) -> Result<Pool, Fault> {
        let (tests, cut) = self.pool_walks(size)?;
        Ok(Pool { cut, ..Pool::new(&tests, alphabet) })
    }
}

impl Pool {
    /// The pool of some tests, with duplicates removed after projection.
    pub fn new(tests: &Tests, alphabet: &Alphabet) -> Pool {
        let mut pool = Pool { drawn: tests.len(), steps: tests.events(), ..Pool::default() };
        let mut known: HashTable<usize> = HashTable::new();
        let mut letters = Vec::new();
        for number in 0..tests.len() {
            let test = tests.get(number);
            letters.clear();
            letters.extend(test.iter().filter_map(|&event| alphabet.letter(event.into())));
            let hash = hash(&letters);
            if let Some(&known) = known.find(hash, |&known| pool.letters[known] == letters) {
                pool.walks.push(known as u32);
                continue;
            }
            let next = pool.letters.len();
            pool.walks.push(next as u32);
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

fn too_many() -> Fault {
    let cause = format!("the walks have more than {MAX_POOL_EVENTS} events");
    Fault::new(Span::default(), cause)
}

fn hash(letters: &[Letter]) -> u64 {
    use std::hash::{Hash, Hasher};
    let mut hasher = rustc_hash::FxHasher::default();
    letters.hash(&mut hasher);
    hasher.finish()
}

/// A number below a bound, with equal probability for each such number. Numbers with as many bits
/// as the bound are drawn until a number is below the bound.
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
