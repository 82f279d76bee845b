//! The interface between the search and its subject.

use crate::budget::Meter;
use crate::stream::Stream;

/// An executed test. It must be cheap to clone, because an archive may contain a clone for each
/// goal.
pub trait Test: Clone {
    /// The fitness for each goal. Lower is better, and 0 means covered. Infinity is allowed;
    /// negative values and NaN are not.
    fn fitness(&self) -> &[f64];

    /// The length of the test, which decides between tests of equal fitness.
    fn length(&self) -> usize;

    /// Whether two tests have the same genes.
    fn same_genes(&self, other: &Self) -> bool;

    /// Whether the test covers `goal`.
    fn covers(&self, goal: usize) -> bool {
        self.fitness()[goal] == 0.0
    }
}

/// A subject under test. Goals are numbers below [`Problem::goals`].
///
/// A method must depend only on its arguments and on earlier calls, because searches must be
/// repeatable.
pub trait Problem {
    /// A test before its execution (a chromosome).
    type Genes: Clone;
    /// A test after its execution.
    type Test: Test;

    /// The number of goals, which must not change.
    fn goals(&self) -> usize;

    /// Goals whose coverage usually implies the coverage of the other goals, in ascending order
    /// without duplicates. By default, all goals.
    fn independent_goals(&self) -> Vec<usize> {
        (0..self.goals()).collect()
    }

    /// The number of goals, from the first on, that count as coverage. By default, all goals.
    fn counted_goals(&self) -> usize {
        self.goals()
    }

    /// Whether the search aims at a goal. By default, it aims at all goals.
    fn is_aimed_at(&self, _goal: usize) -> bool {
        true
    }

    /// For each goal, the goals on which it depends. By default, there are no dependencies.
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

    /// Executes a test. Calls [`Meter::execution`] exactly once.
    fn execute(&mut self, genes: Self::Genes, meter: &mut Meter) -> Self::Test;

    /// Applies extension local search (Whisker paper, section 5.3.1), if it is applicable. Calls
    /// [`Meter::execution`] once for each result, whether or not the result is better.
    fn extend(
        &mut self,
        test: &Self::Test,
        rng: &mut Stream,
        meter: &mut Meter,
    ) -> Option<Self::Test>;

    /// Applies reduction local search (Whisker paper, section 5.3.2), if it is applicable. The
    /// result is shorter and covers the same goals.
    fn reduce(&mut self, test: &Self::Test) -> Option<Self::Test>;
}
