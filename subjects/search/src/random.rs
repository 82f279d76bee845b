//! Random search and random testing.

use crate::parameters::{Field, Parameters};
use crate::problem::Problem;
use crate::search_algorithm::SearchAlgorithm;
use crate::session::{Ended, Session};

/// Random search (Whisker paper, Algorithm 7). There are no parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RandomSearch {}

impl Parameters for RandomSearch {
    fn fields(&mut self) -> Vec<Field<'_>> {
        Vec::new()
    }
}

impl SearchAlgorithm for RandomSearch {
    const NAME: &'static str = "random";
    const SUMMARY: &'static str = "random search: samples chromosomes (Whisker paper, Algorithm 7)";
    const DERIVES_TESTS: bool = false;

    fn run<P: Problem>(&self, session: &mut Session<'_, P>) -> Ended {
        loop {
            let genes = session.sample();
            session.execute(genes)?;
            session.iterations += 1;
        }
    }
}

/// Random testing without codons (Whisker paper, Algorithm 3): random search for tests that draw
/// their events while they are executed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RandomEvents {}

impl Parameters for RandomEvents {
    fn fields(&mut self) -> Vec<Field<'_>> {
        Vec::new()
    }
}

impl SearchAlgorithm for RandomEvents {
    const NAME: &'static str = "random-events";
    const SUMMARY: &'static str = "random testing: draws events while a test runs, no \
                                   chromosomes (Whisker paper, Algorithm 3)";
    const DERIVES_TESTS: bool = false;
    const DRAWS_EVENTS: bool = true;

    fn run<P: Problem>(&self, session: &mut Session<'_, P>) -> Ended {
        RandomSearch {}.run(session)
    }
}
