//! The algorithms by name.

use crate::budget::{Budget, Clock};
use crate::mio::Mio;
use crate::mosa::Mosa;
use crate::one_plus_one::OnePlusOne;
use crate::parameters::{Field, Parameters};
use crate::problem::Problem;
use crate::random::RandomSearch;
use crate::session::{Observer, Search, Session};
use crate::stream::Stream;
use crate::targets::Targets;
use crate::whole_suite::WholeSuite;

/// A search algorithm with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum Algorithm {
    /// `random`.
    Random(RandomSearch),
    /// `random-events`: random testing, which is random search of a problem whose tests
    /// are drawn event by event while they run. Which problem that is the caller decides.
    RandomEvents(RandomSearch),
    /// `mosa`.
    Mosa(Mosa),
    /// `dynamosa`: MOSA that takes a goal up only when a goal it depends on
    /// ([`Problem::dependencies`]) is covered.
    DynaMosa(Mosa),
    /// `mio`.
    Mio(Mio),
    /// `whole-suite`.
    WholeSuite(WholeSuite),
    /// `one-plus-one`.
    OnePlusOne(OnePlusOne),
}

/// There is no algorithm of this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown algorithm `{0}`: there are {names}", names = Algorithm::NAMES.join(", "))]
pub struct UnknownAlgorithm(pub String);

impl Algorithm {
    /// The names of all algorithms.
    pub const NAMES: [&'static str; 7] =
        ["random", "random-events", "mosa", "dynamosa", "mio", "whole-suite", "one-plus-one"];

    /// The algorithm of this name with its default parameters.
    ///
    /// # Errors
    /// If there is none.
    pub fn named(name: &str) -> Result<Self, UnknownAlgorithm> {
        Ok(match name {
            "random" => Self::Random(RandomSearch::default()),
            "random-events" => Self::RandomEvents(RandomSearch::default()),
            "mosa" => Self::Mosa(Mosa::default()),
            "dynamosa" => Self::DynaMosa(Mosa::default()),
            "mio" => Self::Mio(Mio::default()),
            "whole-suite" => Self::WholeSuite(WholeSuite::default()),
            "one-plus-one" => Self::OnePlusOne(OnePlusOne::default()),
            _ => return Err(UnknownAlgorithm(name.to_owned())),
        })
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Random(_) => "random",
            Self::RandomEvents(_) => "random-events",
            Self::Mosa(_) => "mosa",
            Self::DynaMosa(_) => "dynamosa",
            Self::Mio(_) => "mio",
            Self::WholeSuite(_) => "whole-suite",
            Self::OnePlusOne(_) => "one-plus-one",
        }
    }

    /// Searches until the budget is spent, every goal is covered or the observer says
    /// stop. `rng` is left where the search ended, for whatever follows in the run.
    ///
    /// # Panics
    /// If a test has not one fitness value for each goal.
    pub fn search<'a, P: Problem>(
        &self,
        problem: &'a mut P,
        budget: &'a Budget,
        rng: &'a mut Stream,
        clock: &'a dyn Clock,
        observer: &'a mut Observer<'a>,
    ) -> Search<P::Test> {
        let mut session = Session::new(problem, budget, rng, clock, observer);
        let goals = session.archive.goals();
        let Err(stop) = match self {
            Self::Random(random) | Self::RandomEvents(random) => random.run(&mut session),
            Self::Mosa(mosa) => mosa.run(&mut session, Targets::all(goals)),
            Self::DynaMosa(mosa) => {
                let dependencies = session.problem.dependencies();
                mosa.run(&mut session, Targets::dynamic(dependencies))
            }
            Self::Mio(mio) => mio.run(&mut session),
            Self::WholeSuite(whole_suite) => whole_suite.run(&mut session),
            Self::OnePlusOne(one_plus_one) => one_plus_one.run(&mut session),
        };
        session.finish(stop)
    }
}

impl Parameters for Algorithm {
    fn fields(&mut self) -> Vec<Field<'_>> {
        match self {
            Self::Random(random) | Self::RandomEvents(random) => random.fields(),
            Self::Mosa(mosa) | Self::DynaMosa(mosa) => mosa.fields(),
            Self::Mio(mio) => mio.fields(),
            Self::WholeSuite(whole_suite) => whole_suite.fields(),
            Self::OnePlusOne(one_plus_one) => one_plus_one.fields(),
        }
    }
}
