//! Search for a suite: runs the algorithms of `catherd-sequences-testing` within the budget of a
//! run.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use catherd_experiments::{Budget, RunSpec};
use catherd_interface::RunProgress;
use catherd_sequences_testing::suite::{self, Matrix, SearchResult};
use catherd_sequences_testing::{Cover, DirectLimits, EventId, Pool, Space, direct};

use crate::configuration::{Configuration, Method};
use crate::info::{EXECUTIONS, STEPS, work};
use crate::subject::{Items, Stop, Subject};

/// Checks whether the caller or the budget of real time ends a search.
pub(crate) struct Watch<'w> {
    pub(crate) start: Instant,
    pub(crate) wall: Option<Duration>,
    pub(crate) on_progress: &'w mut dyn FnMut(RunProgress) -> ControlFlow<()>,
    /// Whether the caller stopped the search, in which case there is no record.
    pub(crate) stopped: bool,
}

impl Watch<'_> {
    pub(crate) fn report(
        &mut self,
        executions: u64,
        steps: u64,
        covered: u32,
        goals: u32,
    ) -> ControlFlow<()> {
        let progress = RunProgress { work: work(executions, steps), covered, goals };
        self.stopped |= (self.on_progress)(progress).is_break();
        let late = self.wall.is_some_and(|wall| self.start.elapsed() >= wall);
        if self.stopped || late { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Improvement {
    pub(crate) executions: u64,
    pub(crate) steps: u64,
    pub(crate) wall_ms: u64,
    /// Number of goals that the suite covers.
    pub(crate) covered: u32,
}

#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) tests: Vec<Vec<EventId>>,
    pub(crate) executions: u64,
    pub(crate) steps: u64,
    pub(crate) improvements: Vec<Improvement>,
    /// Generations of the genetic algorithm, and whether it converged.
    pub(crate) generations: Option<(u64, bool)>,
    /// Counts of walks, distinct tests and cut walks of the pool.
    pub(crate) pool: Option<[u64; 3]>,
    /// The items that are goals: the reachable items, or the items of the pool.
    pub(crate) goals: Vec<u64>,
    /// Time of the search, without the time for making the pool.
    pub(crate) time: Duration,
}

fn limit(budget: &Budget, unit: &str) -> u64 {
    budget.limit(unit).unwrap_or(u64::MAX)
}

pub(crate) fn search(
    subject: &mut Subject,
    spec: &RunSpec,
    configuration: &Configuration,
    watch: &mut Watch<'_>,
) -> Result<Outcome, Stop> {
    let goals = subject.items(&configuration.goals, configuration)?;
    let own = subject.items(&configuration.criterion, configuration)?;
    if configuration.method == Method::Direct {
        let start = Instant::now();
        let outcome = make(subject, spec, configuration, &goals, &own, watch)?;
        return Ok(Outcome { time: start.elapsed(), ..outcome });
    }
    let mut go_on = || match watch.report(0, 0, 0, 0) {
        ControlFlow::Break(()) => Err(Stop::Asked),
        ControlFlow::Continue(()) => Ok(()),
    };
    let steps = spec.budget.limit(STEPS);
    let pool = subject.pool(configuration, spec.seed, steps, &mut go_on)?;
    let matrix = subject.matrix(&pool, &own, &mut go_on)?;
    let goals_matrix = subject.matrix(&pool, &goals, &mut go_on)?;
    let reachable = goals.reachable.clone().unwrap_or_else(|| goals_matrix.items().to_vec());
    let start = Instant::now();
    let outcome =
        choose(spec, configuration, &pool.pool, [&matrix, &goals_matrix], reachable, watch)?;
    Ok(Outcome { time: start.elapsed(), ..outcome })
}

/// Chooses tests of a pool, given the matrix of the search's criterion and the matrix of the goals.
fn choose(
    spec: &RunSpec,
    configuration: &Configuration,
    pool: &Pool,
    [matrix, goals]: [&Matrix; 2],
    reachable: Vec<u64>,
    watch: &mut Watch<'_>,
) -> Result<Outcome, Stop> {
    let steps = pool.steps as u64;
    let all = reachable.len() as u32;
    let mut improvements: Vec<Improvement> = Vec::new();
    let mut on_progress = |found: &SearchResult| {
        let known = improvements.last().map(|last| last.executions);
        if known != Some(found.best.executions) {
            let covered = count_common(&goals.covered(&found.best.suite), &reachable);
            let wall_ms = watch.start.elapsed().as_millis() as u64;
            let executions = found.best.executions;
            improvements.push(Improvement { executions, steps, wall_ms, covered });
        }
        let covered = improvements.last().map_or(0, |last| last.covered);
        let on = watch.report(found.executions, steps, covered, all);
        // End the search when all goals are covered, because no later suite can cover more goals.
        if covered == all { ControlFlow::Break(()) } else { on }
    };
    let (size, seed) = (configuration.size, spec.seed);
    let limit = limit(&spec.budget, EXECUTIONS);
    let on_progress = &mut on_progress;
    let found = match configuration.method {
        Method::BestOf { tries } => suite::best_of(matrix, size, tries, seed, limit, on_progress),
        Method::Evolution(settings) => {
            suite::evolve(matrix, size, settings, seed, limit, on_progress)
        }
        Method::Greedy { ties } => suite::greedy(matrix, size, ties, seed, limit, on_progress),
        Method::Local { restarts } => {
            suite::local(matrix, size, restarts, seed, limit, on_progress)
        }
        Method::Optimal => suite::optimal(matrix, size, limit, on_progress)
            .map_err(|error| Stop::Failed(error.to_string()))?,
        _ => suite::unranked(matrix, size, seed, limit, on_progress),
    };
    let is_evolution = matches!(configuration.method, Method::Evolution(_));
    Ok(Outcome {
        tests: found.best.suite.iter().map(|&test| pool.tests.test(test as usize)).collect(),
        executions: found.executions,
        steps,
        improvements,
        generations: is_evolution.then_some((found.generations, found.converged)),
        pool: Some([pool.drawn, pool.len(), pool.cut].map(|count| count as u64)),
        goals: reachable,
        time: Duration::ZERO,
    })
}

fn make(
    subject: &mut Subject,
    spec: &RunSpec,
    configuration: &Configuration,
    goals: &Items,
    own: &Items,
    watch: &mut Watch<'_>,
) -> Result<Outcome, Stop> {
    let space = subject.space(configuration.states)?;
    let alphabet = subject.alphabet(&configuration.pool.letters)?;
    let (Some(reachable), Some(wanted)) = (&goals.reachable, &own.reachable) else {
        let cause = "direct: the reachable items are not known, because the model has more states \
                     than `states` allows, or because the reachable items of this criterion cannot \
                     be computed";
        return Err(Stop::Failed(cause.to_owned()));
    };
    let all = reachable.len() as u32;
    let aim = DirectLimits {
        size: configuration.size,
        length: configuration.pool.length,
        limit: limit(&spec.budget, EXECUTIONS),
    };
    let most_steps = limit(&spec.budget, STEPS);
    let mut outcome = Outcome { goals: reachable.clone(), ..Outcome::default() };
    let mut covered: BTreeSet<u64> = BTreeSet::new();
    let on_test = &mut |made: catherd_sequences_testing::GeneratedTest<'_>| {
        covered.extend(items_of(goals, made.test, &alphabet, &space));
        let common = count_common(&covered.iter().copied().collect::<Vec<_>>(), reachable);
        (outcome.executions, outcome.steps) = (made.walks, made.events);
        outcome.improvements.push(Improvement {
            executions: made.walks,
            steps: made.events,
            wall_ms: watch.start.elapsed().as_millis() as u64,
            covered: common,
        });
        let on = watch.report(made.walks, made.events, common, all);
        let ended = common == all || made.events >= most_steps;
        if ended { ControlFlow::Break(()) } else { on }
    };
    let criterion = &own.criterion;
    outcome.tests = direct(criterion, &space, &alphabet, wanted, aim, spec.seed, on_test);
    Ok(outcome)
}

pub(crate) fn items_of(
    items: &Items,
    test: &[EventId],
    alphabet: &catherd_sequences_testing::Alphabet,
    space: &Space,
) -> Vec<u64> {
    let mut letters = Vec::new();
    alphabet.project(test, &mut letters);
    let mut cover = Cover::new(&items.criterion);
    cover.test(&letters, test, Some(space));
    cover.items()
}

pub(crate) fn count_common(some: &[u64], others: &[u64]) -> u32 {
    positions(some, others).len() as u32
}

/// The positions in `others` of the numbers that are in both lists. Both lists must be ascending.
pub(crate) fn positions(some: &[u64], others: &[u64]) -> Vec<u32> {
    let mut found = Vec::new();
    let mut some = some.iter().peekable();
    for (position, other) in (0..).zip(others) {
        while some.next_if(|item| *item < other).is_some() {}
        if some.peek() == Some(&other) {
            found.push(position);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_the_positions_of_common_numbers() {
        assert_eq!(positions(&[2, 3, 9], &[1, 3, 4, 9]), [1, 3]);
        assert_eq!(positions(&[5], &[]), [0_u32; 0]);
        assert_eq!(count_common(&[1, 2, 3], &[1, 2, 3]), 3);
    }
}
