//! The application of local search operators (Whisker paper, section 5.3).

use crate::problem::{Problem, Test};
use crate::session::Session;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Extension,
    Reduction,
}

impl Operator {
    pub(crate) fn improved<T: Test>(self, old: &T, new: &T) -> bool {
        match self {
            Self::Extension => covered(new) > covered(old),
            Self::Reduction => true,
        }
    }
}

fn covered<T: Test>(test: &T) -> usize {
    test.fitness().iter().filter(|fitness| **fitness == 0.0).count()
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalSearch {
    pub(crate) extension: f64,
    pub(crate) reduction: f64,
}

impl LocalSearch {
    pub(crate) const MEANING: &str = "probability of each local search";

    pub(crate) fn operators(self) -> [(Operator, f64); 2] {
        [(Operator::Extension, self.extension), (Operator::Reduction, self.reduction)]
    }
}

impl<P: Problem> Session<'_, P> {
    /// The caller must credit the test that is returned.
    pub(crate) fn improve(
        &mut self,
        (operator, probability): (Operator, f64),
        test: &P::Test,
    ) -> Option<P::Test> {
        if self.stop().is_some() || !self.rng.chance(probability) {
            return None;
        }
        match operator {
            Operator::Extension => {
                let before = self.meter.executions();
                let extended = self.problem.extend(test, self.rng, &mut self.meter);
                let counted = self.meter.executions() - before;
                debug_assert_eq!(
                    counted,
                    extended.is_some().into(),
                    "an extension is one execution"
                );
                extended
            }
            Operator::Reduction => self.problem.reduce(test),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toy::Point;

    #[test]
    fn extension_has_to_cover_more_goals() {
        let old = Point::new(&[0.0, 0.0, 5.0, 5.0], 2);
        let improved = |fitness| Operator::Extension.improved(&old, &Point::new(fitness, 3));
        assert!(improved(&[0.0, 5.0, 0.0, 0.0]), "more, though not the same");
        assert!(!improved(&[0.0, 5.0, 0.0, 1.0]), "as many");
        assert!(!improved(&[0.0, 0.0, 1.0, 1.0]), "closer only");
    }
}
