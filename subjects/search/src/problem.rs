//! The interface between the search and its subject.

use crate::budget::Meter;
use crate::stream::Stream;

/// One executed test. Must be cheap to clone, because archives hold one clone for each goal; genes,
/// trace and fitness should therefore be in an `Arc`.
pub trait Test: Clone {
    /// Fitness for each goal, in goal order: lower is better, 0 means covered,
    /// infinity is allowed, negative values and NaN are not.
    fn fitness(&self) -> &[f64];

    /// The number of codons, which decides between tests of equal fitness. It is not the
    /// number of executed events: a test that ended early keeps its unused codons.
    fn length(&self) -> usize;

    /// Whether both have the same genes (MIO refuses duplicates in a population).
    fn same_genes(&self, other: &Self) -> bool;

    /// Whether the test covers `goal`.
    fn covers(&self, goal: usize) -> bool {
        self.fitness()[goal] == 0.0
    }
}

/// A subject under test: how tests are made, changed and run. Goals are numbered from 0, in the
/// problem's order; [`Problem::goals`] is their number.
///
/// Every method must be a pure function of its arguments (the stream included) and of
/// the state that earlier calls left in `self`, otherwise searches are not repeatable.
pub trait Problem {
    /// A test before it has run (a chromosome).
    type Genes: Clone;
    /// A test that has run.
    type Test: Test;

    /// The number of goals; constant.
    fn goals(&self) -> usize;

    /// The goals whose coverage implies the coverage of the others, in ascending order without
    /// duplicates. MIO keeps populations for these. All goals unless overridden.
    fn independent_goals(&self) -> Vec<usize> {
        (0..self.goals()).collect()
    }

    /// The number of goals, from the first on, that progress and timeline count: all unless
    /// overridden. The goals of further criteria follow them.
    fn counted_goals(&self) -> usize {
        self.goals()
    }

    /// Whether the search aims at a goal. For a goal at which it does not aim, a test is archived
    /// only if it happens to cover the goal. True for every goal unless overridden.
    fn is_aimed_at(&self, _goal: usize) -> bool {
        true
    }

    /// For each goal, the goals one of which has to be covered before it can be covered. DynaMOSA
    /// pursues the goal only then. Empty unless overridden, so that no goal has to wait.
    fn dependencies(&self) -> Vec<Vec<usize>> {
        vec![Vec::new(); self.goals()]
    }

    /// A random chromosome.
    fn sample(&mut self, rng: &mut Stream) -> Self::Genes;

    /// The genes of an executed test.
    fn genes(&self, test: &Self::Test) -> Self::Genes;

    /// A mutated copy, which may be equal to the original.
    fn mutate(&mut self, genes: &Self::Genes, rng: &mut Stream) -> Self::Genes;

    /// Two children; copies of the parents if these cannot be crossed.
    fn crossover(
        &mut self,
        a: &Self::Genes,
        b: &Self::Genes,
        rng: &mut Stream,
    ) -> (Self::Genes, Self::Genes);

    /// Runs a test. Calls [`Meter::execution`] exactly once, with one fitness
    /// evaluation.
    fn execute(&mut self, genes: Self::Genes, meter: &mut Meter) -> Self::Test;

    /// Extension local search (Whisker paper, section 5.3.1). `None` if it is not applicable, at no
    /// cost. Otherwise returns the extended test, whether improved or not, and calls
    /// [`Meter::execution`] once, with one fitness evaluation for each appended event.
    fn extend(
        &mut self,
        test: &Self::Test,
        rng: &mut Stream,
        meter: &mut Meter,
    ) -> Option<Self::Test>;

    /// Reduction local search (Whisker paper, section 5.3.2). `None` if it is not applicable;
    /// otherwise returns a shorter test that covers the same goals, without an execution.
    fn reduce(&mut self, test: &Self::Test) -> Option<Self::Test>;
}
