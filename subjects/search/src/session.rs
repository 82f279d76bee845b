//! The state and the result of a search.

use std::convert::Infallible;
use std::ops::ControlFlow;
use std::time::Duration;

use crate::archive::Archive;
use crate::budget::{Budget, Clock, Meter};
use crate::problem::Problem;
use crate::stop::Stop;
use crate::stream::Stream;

/// An increase in coverage, as a point on the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Improvement {
    /// The number of test executions, including the improving execution.
    pub executions: u64,
    /// The number of executed steps, including the steps of the improving execution.
    pub steps: u64,
    /// The real time since the search began.
    pub elapsed: Duration,
    /// The number of counted goals ([`Problem::counted_goals`]) that are covered.
    pub covered: usize,
}

/// The state of a search, which observers receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The work so far.
    pub meter: Meter,
    /// The number of iterations completed so far.
    pub iterations: u64,
    /// The number of counted goals ([`Problem::counted_goals`]) covered so far.
    pub covered: usize,
    /// The number of counted goals.
    pub goals: usize,
}

/// A function that is called for each test that is offered to the archive. `Break` ends the search
/// with [`Stop::Cancelled`].
pub type Observer<'a> = dyn FnMut(&Progress) -> ControlFlow<()> + 'a;

/// The result of a search.
#[derive(Clone, Debug)]
pub struct Search<T> {
    /// The best test for each covered goal.
    pub archive: Archive<T>,
    /// One point for each improvement. The coverage is strictly increasing.
    pub timeline: Vec<Improvement>,
    /// The work of the search.
    pub meter: Meter,
    /// The number of iterations ([`Budget::iterations`]).
    pub iterations: u64,
    /// Why the search ended.
    pub stop: Stop,
    /// The real time of the search.
    pub elapsed: Duration,
}

/// Never `Ok`: the reason why the search ended.
pub(crate) type Ended = Result<Infallible, Stop>;

pub(crate) struct Session<'a, P: Problem> {
    pub(crate) problem: &'a mut P,
    pub(crate) rng: &'a mut Stream,
    pub(crate) archive: Archive<P::Test>,
    pub(crate) meter: Meter,
    pub(crate) iterations: u64,
    budget: &'a Budget,
    clock: &'a dyn Clock,
    observer: &'a mut Observer<'a>,
    began: Duration,
    timeline: Vec<Improvement>,
    counted: usize,
    covered: usize,
    cancelled: bool,
}

impl<'a, P: Problem> Session<'a, P> {
    pub(crate) fn new(
        problem: &'a mut P,
        budget: &'a Budget,
        rng: &'a mut Stream,
        clock: &'a dyn Clock,
        observer: &'a mut Observer<'a>,
    ) -> Self {
        Self {
            archive: Archive::aimed(problem.goals(), |goal| problem.is_aimed_at(goal)),
            counted: problem.counted_goals(),
            covered: 0,
            problem,
            rng,
            meter: Meter::default(),
            iterations: 0,
            budget,
            began: clock.now(),
            clock,
            observer,
            timeline: Vec::new(),
            cancelled: false,
        }
    }

    pub(crate) fn stop(&self) -> Option<Stop> {
        if self.cancelled {
            return Some(Stop::Cancelled);
        }
        if self.archive.uncovered().is_empty() {
            return Some(Stop::Covered);
        }
        self.budget.spent(&self.meter, self.iterations, || self.elapsed())
    }

    pub(crate) fn progress(&self) -> f64 {
        self.budget.progress(&self.meter, self.iterations, || self.elapsed())
    }

    fn elapsed(&self) -> Duration {
        self.clock.now().saturating_sub(self.began)
    }

    pub(crate) fn sample(&mut self) -> P::Genes {
        self.problem.sample(self.rng)
    }

    pub(crate) fn mutate(&mut self, genes: &P::Genes) -> P::Genes {
        self.problem.mutate(genes, self.rng)
    }

    pub(crate) fn execute(&mut self, genes: P::Genes) -> Result<P::Test, Stop> {
        let test = self.run(genes)?;
        self.credit(&test, 0.0);
        Ok(test)
    }

    /// Executes a test, which the caller must credit.
    pub(crate) fn run(&mut self, genes: P::Genes) -> Result<P::Test, Stop> {
        if let Some(stop) = self.stop() {
            return Err(stop);
        }
        let before = self.meter.executions();
        let test = self.problem.execute(genes, &mut self.meter);
        debug_assert_eq!(self.meter.executions(), before + 1, "one execution is counted once");
        Ok(test)
    }

    /// Returns the goals that are covered for the first time.
    pub(crate) fn credit(&mut self, test: &P::Test, closeness: f64) -> Vec<usize> {
        let first = self.archive.update(test, closeness);
        let new = first.iter().filter(|goal| **goal < self.counted).count();
        self.covered += new;
        let covered = self.covered;
        if new > 0 {
            self.timeline.push(Improvement {
                executions: self.meter.executions(),
                steps: self.meter.steps(),
                elapsed: self.elapsed(),
                covered,
            });
        }
        let progress = Progress {
            meter: self.meter,
            iterations: self.iterations,
            covered,
            goals: self.counted,
        };
        self.cancelled |= (self.observer)(&progress).is_break();
        first
    }

    pub(crate) fn finish(self, stop: Stop) -> Search<P::Test> {
        Search {
            elapsed: self.elapsed(),
            archive: self.archive,
            timeline: self.timeline,
            meter: self.meter,
            iterations: self.iterations,
            stop,
        }
    }
}
