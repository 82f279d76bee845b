//! The state of a search that all algorithms share.

use std::convert::Infallible;
use std::ops::ControlFlow;
use std::time::Duration;

use crate::archive::Archive;
use crate::budget::{Budget, Clock, Meter};
use crate::problem::Problem;
use crate::stop::Stop;
use crate::stream::Stream;

/// An increase of coverage: one point of the timeline, on three clocks that start with the
/// search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Improvement {
    /// Test executions finished, the improving one included.
    pub executions: u64,
    /// Steps run, the steps of the improving execution included.
    pub steps: u64,
    /// Real time since the search began; the only field that differs between repetitions.
    pub elapsed: Duration,
    /// Counted goals ([`Problem::counted_goals`]) covered after the improvement.
    pub covered: usize,
}

/// The state of a search that observers receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Work so far.
    pub meter: Meter,
    /// Iterations completed so far.
    pub iterations: u64,
    /// Counted goals ([`Problem::counted_goals`]) covered so far.
    pub covered: usize,
    /// Number of counted goals.
    pub goals: usize,
}

/// Called each time the archive has seen a test (each execution, and each reduced
/// test); `Break` ends the search with [`Stop::Cancelled`].
pub type Observer<'a> = dyn FnMut(&Progress) -> ControlFlow<()> + 'a;

/// The result of a search.
#[derive(Clone, Debug)]
pub struct Search<T> {
    /// The best test for each covered goal.
    pub archive: Archive<T>,
    /// One point for each improvement; coverage and executions rise strictly.
    pub timeline: Vec<Improvement>,
    /// The work of the search.
    pub meter: Meter,
    /// Iterations as the algorithm counts them (see [`Budget::iterations`]).
    pub iterations: u64,
    /// Why the search ended.
    pub stop: Stop,
    /// Real time of the whole search.
    pub elapsed: Duration,
}

/// Result of an algorithm: never `Ok`, always the reason why the search ended.
pub(crate) type Ended = Result<Infallible, Stop>;

/// The state that all algorithms share. They decide what to execute next; the session
/// executes, credits and counts, and stops them at the end of the budget.
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
    /// Number of goals, from the first on, that progress and timeline count, and how many of them
    /// are covered.
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

    /// Why the search must end now; `None` if it may continue.
    pub(crate) fn stop(&self) -> Option<Stop> {
        if self.cancelled {
            return Some(Stop::Cancelled);
        }
        if self.archive.uncovered().is_empty() {
            return Some(Stop::Covered);
        }
        self.budget.spent(&self.meter, self.iterations, || self.elapsed())
    }

    /// How much of the budget is spent, in 0..=1.
    pub(crate) fn progress(&self) -> f64 {
        self.budget.progress(&self.meter, self.iterations, || self.elapsed())
    }

    fn elapsed(&self) -> Duration {
        self.clock.now().saturating_sub(self.began)
    }

    /// A random chromosome.
    pub(crate) fn sample(&mut self) -> P::Genes {
        self.problem.sample(self.rng)
    }

    /// A mutated copy.
    pub(crate) fn mutate(&mut self, genes: &P::Genes) -> P::Genes {
        self.problem.mutate(genes, self.rng)
    }

    /// Executes a test and credits it; in the archive, it replaces only longer tests. `Err` if the
    /// search must end before the execution.
    pub(crate) fn execute(&mut self, genes: P::Genes) -> Result<P::Test, Stop> {
        let test = self.run(genes)?;
        self.credit(&test, 0.0);
        Ok(test)
    }

    /// Executes a test, which the caller credits next; `Err` if the search must end before the
    /// execution. No other function runs chromosomes, so no algorithm can miss the end of its
    /// budget.
    pub(crate) fn run(&mut self, genes: P::Genes) -> Result<P::Test, Stop> {
        if let Some(stop) = self.stop() {
            return Err(stop);
        }
        let before = self.meter.executions();
        let test = self.problem.execute(genes, &mut self.meter);
        debug_assert_eq!(self.meter.executions(), before + 1, "one execution is counted once");
        Ok(test)
    }

    /// Offers a finished test to the archive, records an improvement and calls the
    /// observer; returns the goals covered for the first time.
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

    /// The result; `stop` is why the algorithm returned.
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
