//! Random search.

use crate::parameters::{Field, Parameters};
use crate::problem::Problem;
use crate::session::{Ended, Session};

/// Random search (Whisker paper, Algorithm 7): samples tests and keeps the shortest for
/// each goal. No parameters, no local search.
///
/// Random testing without codons (Algorithm 3) is this search of a problem whose genes
/// are the number of events and the seed from which executing them draws.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RandomSearch {}

impl Parameters for RandomSearch {
    fn fields(&mut self) -> Vec<Field<'_>> {
        Vec::new()
    }
}

impl RandomSearch {
    pub(crate) fn run<P: Problem>(&self, session: &mut Session<'_, P>) -> Ended {
        loop {
            let genes = session.sample();
            session.execute(genes)?;
            session.iterations += 1;
        }
    }
}
