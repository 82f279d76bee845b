//! The limits and the work of a search.

use std::time::{Duration, Instant};

use crate::stop::Stop;

/// The cost of an execution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Fitness evaluations.
    pub evaluations: u64,
    /// Executed events.
    pub events: u64,
    /// Steps of the program under test.
    pub steps: u64,
}

/// Counts executions and their costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Meter {
    executions: u64,
    cost: Cost,
}

impl Meter {
    /// Counts another execution.
    pub fn execution(&mut self, cost: Cost) {
        self.executions += 1;
        self.cost.evaluations += cost.evaluations;
        self.cost.events += cost.events;
        self.cost.steps += cost.steps;
    }

    /// Number of executions.
    pub fn executions(&self) -> u64 {
        self.executions
    }

    /// Number of fitness evaluations.
    pub fn evaluations(&self) -> u64 {
        self.cost.evaluations
    }

    /// Number of executed events.
    pub fn events(&self) -> u64 {
        self.cost.events
    }

    /// Number of steps of the program under test.
    pub fn steps(&self) -> u64 {
        self.cost.steps
    }
}

/// A source of real time.
pub trait Clock {
    /// The time since a fixed moment.
    fn now(&self) -> Duration;
}

/// The monotonic clock of the computer.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts to measure time.
    pub fn start() -> Self {
        Self(Instant::now())
    }
}

impl Clock for Stopwatch {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

/// The limits of a search. They are checked only between executions, so the last execution may
/// exceed them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// Maximum number of test executions.
    pub executions: Option<u64>,
    /// Maximum number of steps of the program under test.
    pub steps: Option<u64>,
    /// Maximum number of fitness evaluations.
    pub evaluations: Option<u64>,
    /// Maximum number of executed events.
    pub events: Option<u64>,
    /// Maximum number of iterations. What an iteration is depends on the algorithm.
    pub iterations: Option<u64>,
    /// Maximum real time. With this limit, a search depends on the speed of the computer.
    pub wall: Option<Duration>,
}

impl Budget {
    fn shares(
        &self,
        meter: &Meter,
        iterations: u64,
        elapsed: impl FnOnce() -> Duration,
    ) -> impl Iterator<Item = (f64, Stop)> {
        let logical = [
            (self.executions, meter.executions(), Stop::Executions),
            (self.steps, meter.steps(), Stop::Steps),
            (self.evaluations, meter.evaluations(), Stop::Evaluations),
            (self.events, meter.events(), Stop::Events),
            (self.iterations, iterations, Stop::Iterations),
        ];
        let wall =
            self.wall.map(|limit| (share(elapsed().as_nanos(), limit.as_nanos()), Stop::Wall));
        logical
            .into_iter()
            .filter_map(|(limit, used, stop)| Some((share(used.into(), limit?.into()), stop)))
            .chain(wall)
    }

    /// Calls `elapsed` only if there is a limit on real time.
    pub(crate) fn spent(
        &self,
        meter: &Meter,
        iterations: u64,
        elapsed: impl FnOnce() -> Duration,
    ) -> Option<Stop> {
        self.shares(meter, iterations, elapsed)
            .find(|(share, _)| *share >= 1.0)
            .map(|(_, stop)| stop)
    }

    pub(crate) fn progress(
        &self,
        meter: &Meter,
        iterations: u64,
        elapsed: impl FnOnce() -> Duration,
    ) -> f64 {
        self.shares(meter, iterations, elapsed).fold(0.0_f64, |p, (share, _)| p.max(share)).min(1.0)
    }
}

/// The share is 1 only if the limit is reached, because rounding must not end a search early.
fn share(used: u128, limit: u128) -> f64 {
    if used >= limit { 1.0 } else { (used as f64 / limit as f64).min(1.0_f64.next_down()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meter(executions: u64, steps: u64) -> Meter {
        let mut meter = Meter::default();
        for i in 0..executions {
            let steps = if i == 0 { steps } else { 0 };
            meter.execution(Cost { evaluations: 1, events: 2, steps });
        }
        meter
    }

    fn no_clock() -> Duration {
        panic!("a logical budget read the clock")
    }

    #[test]
    fn the_first_limit_reached_ends() {
        let budget = Budget { executions: Some(10), steps: Some(100), ..Budget::default() };
        assert_eq!(budget.spent(&meter(9, 99), 0, no_clock), None);
        assert_eq!(budget.spent(&meter(9, 100), 0, no_clock), Some(Stop::Steps));
        assert_eq!(budget.spent(&meter(10, 99), 0, no_clock), Some(Stop::Executions));
        assert_eq!(
            Budget { events: Some(20), ..budget }.spent(&meter(10, 0), 0, no_clock),
            Some(Stop::Executions)
        );
        assert_eq!(
            Budget { events: Some(4), ..budget }.spent(&meter(2, 0), 0, no_clock),
            Some(Stop::Events)
        );
        assert_eq!(
            Budget { evaluations: Some(2), ..budget }.spent(&meter(2, 0), 0, no_clock),
            Some(Stop::Evaluations)
        );
        assert_eq!(
            Budget { iterations: Some(3), ..budget }.spent(&meter(2, 0), 3, no_clock),
            Some(Stop::Iterations)
        );
    }

    #[test]
    fn progress_is_the_largest_share() {
        let budget = Budget { executions: Some(10), steps: Some(100), ..Budget::default() };
        assert_eq!(budget.progress(&meter(5, 20), 0, no_clock), 0.5);
        assert_eq!(budget.progress(&meter(5, 80), 0, no_clock), 0.8);
        assert_eq!(budget.progress(&meter(5, 300), 0, no_clock), 1.0);
        assert_eq!(Budget::default().progress(&meter(5, 300), 0, no_clock), 0.0);
    }

    #[test]
    fn the_wall_limit_is_one_of_several() {
        let budget = Budget {
            executions: Some(10),
            wall: Some(Duration::from_millis(1000)),
            ..Budget::default()
        };
        let at = |ms| move || Duration::from_millis(ms);
        assert_eq!(budget.progress(&meter(5, 0), 0, at(700)), 0.7);
        assert_eq!(budget.spent(&meter(5, 0), 0, at(999)), None);
        assert_eq!(budget.spent(&meter(5, 0), 0, at(1000)), Some(Stop::Wall));
    }

    #[test]
    fn a_limit_of_zero_is_spent_at_once() {
        let budget = Budget { steps: Some(0), ..Budget::default() };
        assert_eq!(budget.spent(&Meter::default(), 0, no_clock), Some(Stop::Steps));
        assert_eq!(budget.progress(&Meter::default(), 0, no_clock), 1.0);
    }

    #[test]
    fn a_huge_limit_is_not_spent_by_rounding() {
        let budget = Budget { steps: Some(u64::MAX), ..Budget::default() };
        assert_eq!(budget.spent(&meter(1, u64::MAX - 1), 0, no_clock), None);
    }
}
