//! Suites: sets of tests of a pool, chosen for the items that they cover.

mod evolution;
mod exhaustive;
mod greedy;
mod local;
mod random;

use std::ops::ControlFlow;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::bits;
use crate::criterion::{Cover, Criterion};
use crate::pool::Pool;
use crate::space::Space;

pub use evolution::{Evolution, Profile, converged, evolve, partially_matched};
pub use exhaustive::{TooLarge, optimal};
pub use greedy::{Ties, greedy, greedy_from, greedy_until};
pub use local::local;
pub use random::{best_of, unranked};

/// Maximum number of columns of a matrix that is stored as bits; a larger matrix is stored as
/// lists.
const MAX_COLUMNS: usize = 1 << 16;

/// The items of the tests of a pool. Items that no test covers have no column.
#[derive(Clone, Debug)]
pub struct Matrix {
    tests: usize,
    /// The item of each column, ascending.
    items: Vec<u64>,
    rows: Rows,
    /// The weight of each column; `None` if all are 1.
    weights: Option<Vec<u64>>,
}

#[derive(Clone, Debug)]
enum Rows {
    /// Bit vectors: the number of words per row, and the words of all rows.
    Bits(usize, Vec<u64>),
    /// Lists of columns: the ends of rows, and the columns of all rows.
    Lists(Vec<usize>, Vec<u32>),
}

impl Matrix {
    /// Computes the items of all tests of a pool.
    pub fn new(criterion: &Criterion, pool: &Pool, space: Option<&Space>) -> Matrix {
        let items_of = |cover: &mut Cover<'_>, number: usize| {
            cover.clear();
            let test = if criterion.needs_space() { pool.tests.test(number) } else { Vec::new() };
            cover.test(&pool.letters[number], &test, space);
            cover.items()
        };
        let numbers: Vec<usize> = (0..pool.len()).collect();
        let lists: Vec<Vec<u64>> = numbers
            .par_chunks(1024)
            .flat_map_iter(|chunk| {
                let mut cover = Cover::new(criterion);
                chunk.iter().map(|&number| items_of(&mut cover, number)).collect::<Vec<_>>()
            })
            .collect();
        Matrix::of_items(criterion, &lists)
    }

    fn of_items(criterion: &Criterion, lists: &[Vec<u64>]) -> Matrix {
        let mut items: Vec<u64> = Vec::new();
        for list in lists {
            // Check membership first, because most tests add nothing new.
            if list.iter().any(|item| items.binary_search(item).is_err()) {
                items.extend(list);
                items.sort_unstable();
                items.dedup();
            }
        }
        let columns: FxHashMap<u64, u32> = items.iter().copied().zip(0..).collect();
        let rows = if items.len() <= MAX_COLUMNS {
            let words = bits::words(items.len()).max(1);
            let mut rows = vec![0; words * lists.len()];
            for (row, list) in rows.chunks_mut(words).zip(lists) {
                list.iter().for_each(|item| bits::set(row, columns[item] as usize));
            }
            Rows::Bits(words, rows)
        } else {
            let (mut ends, mut all) = (Vec::with_capacity(lists.len()), Vec::new());
            for list in lists {
                all.extend(list.iter().map(|item| columns[item]));
                ends.push(all.len());
            }
            Rows::Lists(ends, all)
        };
        let weights = criterion
            .has_weights()
            .then(|| items.iter().map(|&item| criterion.weight(item)).collect::<Vec<_>>());
        Matrix { tests: lists.len(), items, rows, weights }
    }

    /// The number of tests.
    pub fn tests(&self) -> usize {
        self.tests
    }

    /// The items that some test covers, ascending.
    pub fn items(&self) -> &[u64] {
        &self.items
    }

    /// The largest rank that a suite of the pool can have.
    pub fn best(&self) -> u64 {
        self.weights.as_ref().map_or(self.items.len() as u64, |weights| weights.iter().sum())
    }

    fn columns(&self, test: usize, visit: &mut dyn FnMut(usize)) {
        match &self.rows {
            Rows::Bits(words, rows) => {
                bits::ones(&rows[test * words..][..*words]).for_each(|at| visit(at as usize));
            }
            Rows::Lists(ends, all) => {
                let start = if test == 0 { 0 } else { ends[test - 1] };
                all[start..ends[test]].iter().for_each(|&at| visit(at as usize));
            }
        }
    }

    /// The items that a test covers, ascending.
    pub fn items_of(&self, test: usize) -> Vec<u64> {
        let mut items = Vec::new();
        self.columns(test, &mut |at| items.push(self.items[at]));
        items
    }

    /// The items that a suite covers, ascending.
    pub fn covered(&self, suite: &[u32]) -> Vec<u64> {
        let mut union = Union::new(self);
        suite.iter().for_each(|&test| union.add(test as usize));
        bits::ones(&union.bits).map(|at| self.items[at as usize]).collect()
    }

    /// The rank of a suite.
    pub fn rank(&self, suite: &[u32]) -> u64 {
        Union::new(self).rank_of(suite)
    }
}

/// The columns that some tests cover together.
#[derive(Clone, Debug)]
pub(crate) struct Union<'m> {
    matrix: &'m Matrix,
    bits: Vec<u64>,
}

impl<'m> Union<'m> {
    fn new(matrix: &'m Matrix) -> Union<'m> {
        Union { matrix, bits: vec![0; bits::words(matrix.items.len()).max(1)] }
    }

    fn clear(&mut self) {
        self.bits.fill(0);
    }

    fn add(&mut self, test: usize) {
        match &self.matrix.rows {
            Rows::Bits(words, rows) => {
                let row = &rows[test * words..][..*words];
                self.bits.iter_mut().zip(row).for_each(|(a, b)| *a |= b);
            }
            Rows::Lists(..) => {
                let bits = &mut self.bits;
                self.matrix.columns(test, &mut |at| bits::set(bits, at));
            }
        }
    }

    fn rank(&self) -> u64 {
        match &self.matrix.weights {
            None => bits::count(&self.bits),
            Some(weights) => bits::ones(&self.bits).map(|at| weights[at as usize]).sum(),
        }
    }

    fn rank_of(&mut self, suite: &[u32]) -> u64 {
        self.clear();
        suite.iter().for_each(|&test| self.add(test as usize));
        self.rank()
    }

    fn gain(&self, test: usize) -> u64 {
        match (&self.matrix.rows, &self.matrix.weights) {
            (Rows::Bits(words, rows), None) => {
                let row = &rows[test * words..][..*words];
                let new = row.iter().zip(&self.bits).map(|(a, b)| u64::from((a & !b).count_ones()));
                new.sum()
            }
            (_, weights) => {
                let mut gain = 0;
                self.matrix.columns(test, &mut |at| {
                    if !bits::has(&self.bits, at) {
                        gain += weights.as_ref().map_or(1, |weights| weights[at]);
                    }
                });
                gain
            }
        }
    }
}

/// Receives the state of a search whenever a suite is better than all earlier suites, and regularly
/// in between. The search ends if the function returns `Break`.
pub type OnProgress<'o> = dyn FnMut(&SearchResult) -> ControlFlow<()> + 'o;

/// Approximate maximum number of units of work between two calls to [`OnProgress`].
const PAUSE: u64 = 512;

/// The best suite so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BestSuite {
    /// Indices of tests of the pool.
    pub suite: Vec<u32>,
    /// The rank.
    pub rank: u64,
    /// Number of evaluations of ranks until this rank was reached.
    pub executions: u64,
}

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchResult {
    /// The best suite.
    pub best: BestSuite,
    /// Number of evaluations of ranks.
    pub executions: u64,
    /// Number of generations of a genetic algorithm; 0 for other algorithms.
    pub generations: u64,
    /// Whether a genetic algorithm ended because the best rank had almost stopped changing.
    pub converged: bool,
}

struct Session<'s, 'o> {
    union: Union<'s>,
    found: SearchResult,
    limit: u64,
    ended: bool,
    /// Units of work since the last call to `on_progress`.
    pieces: u64,
    on_progress: &'s mut OnProgress<'o>,
}

impl<'s, 'o> Session<'s, 'o> {
    fn new(matrix: &'s Matrix, limit: u64, on_progress: &'s mut OnProgress<'o>) -> Session<'s, 'o> {
        let (union, found) = (Union::new(matrix), SearchResult::default());
        Session { union, found, limit, ended: limit == 0, pieces: 0, on_progress }
    }

    fn evaluate(&mut self, suite: &[u32]) -> u64 {
        let rank = self.union.rank_of(suite);
        self.evaluated(suite, rank);
        rank
    }

    fn evaluated(&mut self, suite: &[u32], rank: u64) {
        self.found.executions += 1;
        let first = self.found.executions == 1;
        if first || rank > self.found.best.rank {
            let executions = self.found.executions;
            self.found.best = BestSuite { suite: suite.to_vec(), rank, executions };
            self.report();
        }
        self.ended |= self.found.executions >= self.limit;
        self.worked(1);
    }

    /// A unit takes about as long as the evaluation of a suite.
    fn worked(&mut self, pieces: u64) {
        self.pieces += pieces;
        if self.pieces >= PAUSE {
            self.report();
        }
    }

    fn report(&mut self) {
        self.pieces = 0;
        self.ended |= (self.on_progress)(&self.found).is_break();
    }
}

/// The probability that a suite of some random tests from a pool contains at least one of the
/// failing tests: `1 - C(pool - failing, suite) / C(pool, suite)`.
pub fn random_detection(pool: u64, failing: u64, suite: u64) -> f64 {
    if suite > pool.saturating_sub(failing) {
        return if failing > 0 { 1.0 } else { 0.0 };
    }
    let passing = |drawn: u64| (pool - failing - drawn) as f64 / (pool - drawn) as f64;
    1.0 - (0..suite).map(passing).product::<f64>()
}
