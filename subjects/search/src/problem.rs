//! The interface between the search and its subject.

use crate::budget::Meter;
use crate::stream::Stream;

/// An executed test. It must be cheap to clone, because an archive may contain a clone for each
/// goal. Genes, trace and fitness should therefore be in an `Arc`.
pub trait Test: Clone {
    /// The fitness for each goal, in the order of the goals. Lower is better, 0 means covered, and
    /// infinity is allowed, but negative values and NaN are not.
    fn fitness(&self) -> &[f64];

    /// The number of codons, which decides between tests of equal fitness. This is not the number
    /// of executed events, because a test that ended early keeps its unused codons.
    fn length(&self) -> usize;

    /// Whether two tests have the same genes. A population of MIO does not accept duplicates.
    fn same_genes(&self, other: &Self) -> bool;

    /// Whether the test covers `goal`.
    fn covers(&self, goal: usize) -> bool {
        self.fitness()[goal] == 0.0
    }
}

/// A subject under test: how tests are generated, changed and executed. Goals are numbers from 0 to
/// [`Problem::goals`], exclusive.
///
/// The result of a method must depend only on its arguments, including the stream, and on the state
/// that earlier calls left in `self`. Otherwise, searches cannot be repeated.
pub trait Problem {
    /// A test before its execution (a chromosome).
    type Genes: Clone;
    /// A test after its execution.
    type Test: Test;

    /// The number of goals, which must not change.
    fn goals(&self) -> usize;

    /// Goals whose coverage usually implies the coverage of the other goals, in ascending order
    /// without duplicates. MIO may have populations for these goals only. By default, these are all
    /// goals.
    fn independent_goals(&self) -> Vec<usize> {
        (0..self.goals()).collect()
    }

    /// The number of goals, from the first goal on, that progress and timeline count: by default,
    /// all goals. The goals of further criteria have larger numbers.
    fn counted_goals(&self) -> usize {
        self.goals()
    }

    /// Whether the search aims at a goal. Tests for other goals are archived only if they cover
    /// these goals by chance. By default, the search aims at all goals.
    fn is_aimed_at(&self, _goal: usize) -> bool {
        true
    }

    /// For each goal, the goals on which it depends. DynaMOSA usually pursues a goal with
    /// dependencies only after one of them is covered. By default, goals have no dependencies.
    fn dependencies(&self) -> Vec<Vec<usize>> {
        vec![Vec::new(); self.goals()]
    }

    /// A random chromosome.
    fn sample(&mut self, rng: &mut Stream) -> Self::Genes;

    /// The chromosome of an executed test.
    fn genes(&self, test: &Self::Test) -> Self::Genes;

    /// A mutated copy, which may be equal to the original.
    fn mutate(&mut self, genes: &Self::Genes, rng: &mut Stream) -> Self::Genes;

    /// Two children, which are copies of the parents if the parents cannot be crossed.
    fn crossover(
        &mut self,
        a: &Self::Genes,
        b: &Self::Genes,
        rng: &mut Stream,
    ) -> (Self::Genes, Self::Genes);

    /// Executes a test. Calls [`Meter::execution`] exactly once, with one fitness evaluation.
    fn execute(&mut self, genes: Self::Genes, meter: &mut Meter) -> Self::Test;

    /// Applies extension local search (Whisker paper, section 5.3.1). `None`, at no cost, if
    /// extension is not applicable. Otherwise, calls [`Meter::execution`] once, and returns the
    /// extended test, whether it is better or not.
    fn extend(
        &mut self,
        test: &Self::Test,
        rng: &mut Stream,
        meter: &mut Meter,
    ) -> Option<Self::Test>;

    /// Applies reduction local search (Whisker paper, section 5.3.2). `None` if reduction is not
    /// applicable. Otherwise, returns a shorter test that covers the same goals, without executing
    /// a test.
    fn reduce(&mut self, test: &Self::Test) -> Option<Self::Test>;
}
