//! The registry of algorithms, with their types and names.

use crate::budget::{Budget, Clock};
use crate::mio::Mio;
use crate::mosa::{DynaMosa, Mosa};
use crate::one_plus_one::OnePlusOne;
use crate::parameters::{Field, Parameters};
use crate::problem::Problem;
use crate::random::{RandomEvents, RandomSearch};
use crate::search_algorithm::SearchAlgorithm;
use crate::session::{Observer, Search, Session};
use crate::stream::Stream;
use crate::whole_suite::WholeSuite;

/// Defines [`Algorithm`] from the types of the algorithms.
macro_rules! registry {
    ($($algorithm:ident,)+) => {
        /// A search algorithm with its parameters.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Algorithm {
            $(
                #[doc = concat!("The algorithm [`", stringify!($algorithm), "`].")]
                $algorithm($algorithm),
            )+
        }

        macro_rules! dispatch {
            ($value:expr, $bound:ident => $call:expr) => {
                match $value { $(Algorithm::$algorithm($bound) => $call,)+ }
            };
        }

        impl Algorithm {
            /// The names of all algorithms.
            pub const NAMES: [&'static str; [$(<$algorithm>::NAME),+].len()] =
                [$(<$algorithm>::NAME),+];

            /// Returns the algorithm with this name, with default parameters.
            ///
            /// # Errors
            /// If no algorithm has this name.
            pub fn named(name: &str) -> Result<Self, UnknownAlgorithm> {
                match name {
                    $(<$algorithm>::NAME => Ok(Self::$algorithm(Default::default())),)+
                    _ => Err(UnknownAlgorithm(name.to_owned())),
                }
            }
        }
    };
}

registry! {
    RandomSearch,
    RandomEvents,
    Mosa,
    DynaMosa,
    Mio,
    WholeSuite,
    OnePlusOne,
}

/// The error for an unknown name of an algorithm.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown algorithm `{0}`")]
pub struct UnknownAlgorithm(pub String);

impl Algorithm {
    /// The name of the algorithm in study files.
    pub fn name(&self) -> &'static str {
        dispatch!(self, algorithm => name_of(algorithm))
    }

    /// A description in one line.
    pub fn summary(&self) -> &'static str {
        dispatch!(self, algorithm => summary_of(algorithm))
    }

    /// Whether the algorithm derives tests from earlier tests.
    pub fn derives_tests(&self) -> bool {
        dispatch!(self, algorithm => derives_tests(algorithm))
    }

    /// Whether the algorithm needs a problem whose tests draw their events while they are executed.
    pub fn draws_events(&self) -> bool {
        dispatch!(self, algorithm => draws_events(algorithm))
    }

    /// Runs the algorithm until there is a reason to stop ([`Stop`](crate::Stop)).
    ///
    /// # Panics
    /// If a test does not have exactly one fitness value for each goal.
    pub fn search<'a, P: Problem>(
        &self,
        problem: &'a mut P,
        budget: &'a Budget,
        rng: &'a mut Stream,
        clock: &'a dyn Clock,
        observer: &'a mut Observer<'a>,
    ) -> Search<P::Test> {
        let mut session = Session::new(problem, budget, rng, clock, observer);
        let Err(stop) = dispatch!(self, algorithm => algorithm.run(&mut session));
        session.finish(stop)
    }
}

fn name_of<A: SearchAlgorithm>(_: &A) -> &'static str {
    A::NAME
}

fn summary_of<A: SearchAlgorithm>(_: &A) -> &'static str {
    A::SUMMARY
}

fn derives_tests<A: SearchAlgorithm>(_: &A) -> bool {
    A::DERIVES_TESTS
}

fn draws_events<A: SearchAlgorithm>(_: &A) -> bool {
    A::DRAWS_EVENTS
}

impl Parameters for Algorithm {
    fn fields(&mut self) -> Vec<Field<'_>> {
        dispatch!(self, algorithm => algorithm.fields())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn algorithms_are_made_by_name_and_described() {
        for name in Algorithm::NAMES {
            let algorithm = Algorithm::named(name).unwrap();
            assert_eq!(algorithm.name(), name);
            assert!(!algorithm.summary().is_empty(), "{name}");
            for parameter in algorithm.parameters() {
                assert!(!parameter.meaning.is_empty(), "{name}: {}", parameter.name);
            }
        }
        let mut names = Algorithm::NAMES.to_vec();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Algorithm::NAMES.len());
    }
}
