//! The (1+1) evolutionary algorithm.

use crate::parameters::{Field, Parameters};
use crate::problem::{Problem, Test};
use crate::search_algorithm::SearchAlgorithm;
use crate::session::{Ended, Session};
use crate::stop::Stop;

/// The (1+1) EA, for one goal after another. A goal that the algorithm cannot cover uses the rest
/// of the budget.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OnePlusOne {}

impl Parameters for OnePlusOne {
    fn fields(&mut self) -> Vec<Field<'_>> {
        Vec::new()
    }
}

impl SearchAlgorithm for OnePlusOne {
    const NAME: &'static str = "one-plus-one";
    const SUMMARY: &'static str = "(1+1) EA, one goal after the other";

    fn run<P: Problem>(&self, session: &mut Session<'_, P>) -> Ended {
        for goal in 0..session.archive.goals() {
            if session.archive.covers(goal) || !session.problem.is_aimed_at(goal) {
                continue;
            }
            let genes = session.sample();
            let mut test = session.execute(genes)?;
            while !session.archive.covers(goal) {
                let genes = session.problem.genes(&test);
                let genes = session.mutate(&genes);
                let mutant = session.execute(genes)?;
                session.iterations += 1;
                if mutant.fitness()[goal] <= test.fitness()[goal] {
                    test = mutant;
                }
            }
        }
        Err(Stop::Covered)
    }
}
