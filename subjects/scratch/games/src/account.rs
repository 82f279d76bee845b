//! The account of a search, which records the spent budget and the times at which coverage grew.

use std::ops::ControlFlow;

use catherd_search::{Budget, Clock, Cost, Improvement, Meter, Progress, Stop, Stopwatch};

/// The steps that count for a budget of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// Steps as if every test began with the green flag: a restored prefix is counted again.
    Logical,
    /// Steps that the VM executed.
    Executed,
}

impl Counted {
    pub(crate) const WORDS: &[(&str, Self)] =
        &[("logical", Self::Logical), ("executed", Self::Executed)];
}

/// Function that is called after each execution with the progress of the search; `Break` ends the
/// search.
pub(crate) type OnProgress<'a> = dyn FnMut(&Progress) -> ControlFlow<()> + 'a;

pub(crate) struct Account<'a> {
    budget: &'a Budget,
    counted: Counted,
    /// Number of counted goals. These goals are blocks and come first among all goals.
    goals: usize,
    clock: Stopwatch,
    on_progress: &'a mut OnProgress<'a>,
    meter: Meter,
    /// Number of steps that the VM executed, including probes.
    pub(crate) executed: u64,
    pub(crate) logical: u64,
    pub(crate) executions: u64,
    covered: usize,
    pub(crate) timeline: Vec<Improvement>,
    cancelled: bool,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Work {
    pub(crate) executed: u64,
    pub(crate) logical: u64,
    pub(crate) events: u64,
}

impl<'a> Account<'a> {
    pub(crate) fn new(
        budget: &'a Budget,
        counted: Counted,
        goals: usize,
        on_progress: &'a mut OnProgress<'a>,
    ) -> Self {
        Self {
            budget,
            counted,
            goals,
            clock: Stopwatch::start(),
            on_progress,
            meter: Meter::default(),
            executed: 0,
            logical: 0,
            executions: 0,
            covered: 0,
            timeline: Vec::new(),
            cancelled: false,
        }
    }

    pub(crate) fn spend(&mut self, work: Work) {
        self.executions += 1;
        self.executed += work.executed;
        self.logical += work.logical;
        let steps = match self.counted {
            Counted::Logical => work.logical,
            Counted::Executed => work.executed,
        };
        self.meter.execution(Cost { evaluations: 1, events: work.events, steps });
        let progress = Progress {
            meter: self.meter,
            iterations: self.executions,
            covered: self.covered,
            goals: self.goals,
        };
        self.cancelled |= (self.on_progress)(&progress).is_break();
    }

    pub(crate) fn covered_goals(&mut self, covered: impl Iterator<Item = bool>) {
        self.covered(covered.take(self.goals).filter(|covered| *covered).count());
    }

    fn covered(&mut self, goals: usize) {
        if goals > self.covered {
            self.covered = goals;
            self.timeline.push(Improvement {
                executions: self.meter.executions(),
                steps: self.meter.steps(),
                elapsed: self.clock.now(),
                covered: goals,
            });
        }
    }

    pub(crate) fn meter(&self) -> &Meter {
        &self.meter
    }

    /// The spent share of the budget: the largest share over all limits, at most 1.
    pub(crate) fn progress(&self) -> f64 {
        let of = |limit: Option<u64>, used: u64| {
            limit.map_or(0.0, |limit| used as f64 / limit.max(1) as f64)
        };
        let wall = self.budget.wall.map_or(0.0, |wall| {
            self.clock.now().as_secs_f64() / wall.as_secs_f64().max(f64::MIN_POSITIVE)
        });
        [
            of(self.budget.executions, self.meter.executions()),
            of(self.budget.steps, self.meter.steps()),
            of(self.budget.events, self.meter.events()),
            of(self.budget.evaluations, self.meter.evaluations()),
            of(self.budget.iterations, self.executions),
            wall,
        ]
        .into_iter()
        .fold(0.0, f64::max)
        .min(1.0)
    }

    pub(crate) fn stop(&self, share: f64) -> Option<Stop> {
        if self.cancelled {
            return Some(Stop::Cancelled);
        }
        let spent = |limit: Option<u64>, used: u64, stop| {
            limit.filter(|limit| used as f64 >= share * *limit as f64).map(|_| stop)
        };
        let wall = self.budget.wall.filter(|wall| self.clock.now() >= wall.mul_f64(share));
        spent(self.budget.executions, self.meter.executions(), Stop::Executions)
            .or_else(|| spent(self.budget.steps, self.meter.steps(), Stop::Steps))
            .or_else(|| spent(self.budget.events, self.meter.events(), Stop::Events))
            .or_else(|| spent(self.budget.evaluations, self.meter.evaluations(), Stop::Evaluations))
            .or_else(|| spent(self.budget.iterations, self.executions, Stop::Iterations))
            .or_else(|| wall.map(|_| Stop::Wall))
    }
}
