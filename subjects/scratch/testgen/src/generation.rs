//! Generation of a test suite: search, minimisation and assertions.

use std::ops::ControlFlow;
use std::sync::Arc;

use catherd_scratch_sb3::Project;
use catherd_scratch_suite::event::Event;
use catherd_scratch_suite::{ENGINE, FORMAT, Suite, SuiteEvent, SuiteTest, Tolerances};
use catherd_search::{Clock, Improvement, Meter, Problem, Progress, Stopwatch, Stream};

use crate::assertion::{
    Assertions, Deviations, assert_changes, assert_play, assert_state, separate_chance,
};
use crate::chromosome::{Chromosome, Genetics};
use crate::counts::Counts;
use crate::error::GenerateError;
use crate::execution::{Executor, PREFIX_CACHE_BYTES, Recording};
use crate::minimisation::{Candidate, Minimisation, Minimised, Replayer as _};
use crate::prepared::Prepared;
use crate::problem::{ScratchProblem, TestCase};
use crate::random_testing::{GeneratedTest, RandomTesting};
use crate::request::{BranchCoverage, End, Generated, Request};
use crate::settings::GenerationSettings;

impl Prepared {
    /// Searches for tests and creates a suite from them. `on_progress` is called during the search
    /// and may end it.
    pub fn generate(
        self: &Arc<Self>,
        request: &Request,
        mut on_progress: impl FnMut(&Progress) -> ControlFlow<()>,
    ) -> Generated {
        self.generate_within(PREFIX_CACHE_BYTES, request, &mut on_progress)
    }

    /// Like [`Prepared::generate`], with a prefix cache of at most `memory` bytes. The callback is
    /// a trait object, because a generic search would be compiled again for each caller.
    pub(crate) fn generate_within(
        self: &Arc<Self>,
        memory: usize,
        request: &Request,
        on_progress: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    ) -> Generated {
        let mut rng = Stream::new(request.seed, Stream::SEARCH);
        // Independent random tests share prefixes only by chance, so caching is only worthwhile if
        // their steps are slow.
        let derives = request.algorithm.derives_tests();
        let cached = if derives { memory } else { 0 };
        let mut executor = Executor::new(Arc::clone(self), request.seed, cached, &mut rng);
        if !derives {
            executor.cache_prefixes_when_long(memory);
        }
        let found = if self.order.is_empty() {
            Found::without_search(End::NothingToCover, Vec::new())
        } else if !self.model.has_any_input_event() {
            Found::without_search(End::NoInput, vec![idle_test(&mut executor)])
        } else if request.algorithm.draws_events() {
            let mut problem = RandomTesting { executor: &mut executor };
            request.search(&mut problem, &mut rng, on_progress)
        } else {
            let genetics = Genetics::new(self.parameters, &self.settings);
            let mut problem = ScratchProblem { executor: &mut executor, genetics };
            request.search(&mut problem, &mut rng, on_progress)
        };
        // Replays send recorded events, so they share no prefixes with the search.
        executor.reset_prefix_cache(memory);
        self.finish(request, found, &mut executor, &mut rng)
    }

    fn finish(
        &self,
        request: &Request,
        found: Found,
        executor: &mut Executor,
        rng: &mut Stream,
    ) -> Generated {
        let Found { end, archive, timeline, meter, iterations } = found;
        let hung_tests = executor.hung_tests();
        let mut covered: Vec<u32> = archive.iter().flat_map(|test| test.covered.clone()).collect();
        covered.sort_unstable();
        covered.dedup();
        let clock = Stopwatch::start();
        let minimisation = Minimisation {
            enabled: self.settings.minimise,
            limit: Some(self.settings.minimisation_executions as u64).filter(|limit| *limit > 0),
            // Limit minimisation to the same amount of real time as the search if the budget limits
            // real time.
            deadline: request.budget.wall.map(|wall| (&clock as &dyn Clock, wall)),
            group: if request.algorithm.draws_events() {
                // The length of such a test is its number of events.
                1
            } else {
                self.parameters + 1
            },
        };
        let minimised = minimisation.suite(archive, &self.order, executor, rng);
        let unstable = unstable(&minimised, executor);
        let words = executor.extractor.words();
        let tests = minimised.tests.iter().map(|test| SuiteTest {
            covers: test.covered.clone(),
            codons: test.length as u32,
            events: test.events.iter().map(|&event| SuiteEvent::new(event, words)).collect(),
            ..SuiteTest::default()
        });
        let mut suite = Suite {
            format: FORMAT,
            engine: ENGINE.to_owned(),
            project: request.project.clone(),
            algorithm: request.algorithm.name().to_owned(),
            seed: request.seed,
            goals: self.order.len() as u32,
            machine: self.settings.machine.clone(),
            tolerances: Tolerances::default(),
            nan_equal: self.settings.compat.nan_equal,
            tests: tests.collect(),
        };
        let branches = self.separate_branches(&mut suite, &mut covered);
        if let Some(how) = request.assertions {
            self.assert(&mut suite, how);
        }
        let complete = |point: &&Improvement| point.covered == self.model.block_goals();
        let counts = Counts {
            goals: u64::from(suite.goals),
            covered: covered.len() as u64,
            iterations,
            executions: meter.executions(),
            evaluations: meter.evaluations(),
            events: meter.events(),
            steps: meter.steps(),
            hung_tests,
            executions_to_full_coverage: timeline.last().filter(complete).map(|p| p.executions),
            suite_tests: suite.tests.len() as u64,
            suite_events: suite.events(),
            suite_assertions: suite.assertions(),
            robust: request.assertions.map(|_| suite.robust() as u64),
            suite_flaky: suite.tests.iter().map(|test| test.flaky.len() as u64).sum(),
            minimised_tests: minimised.removed_tests,
            minimised_events: minimised.removed_events,
            minimised_codons: minimised.removed_codons,
            minimisation_executions: minimised.executions,
        };
        let limits = executor.limits();
        let goals = suite.goals;
        Generated { end, goals, covered, branches, timeline, suite, unstable, counts, limits }
    }

    /// Removes the branches from the goals of a suite and from `covered`, and returns their
    /// coverage. Returns `None` if branches are not goals.
    pub fn separate_branches(
        &self,
        suite: &mut Suite,
        covered: &mut Vec<u32>,
    ) -> Option<BranchCoverage> {
        if !self.model.has_branches() {
            return None;
        }
        let blocks = self.model.block_goals() as u32;
        let split =
            |goals: &mut Vec<u32>| goals.split_off(goals.partition_point(|goal| *goal < blocks));
        let covered = split(covered).into_iter().map(|goal| goal - blocks).collect();
        for test in &mut suite.tests {
            split(&mut test.covers);
        }
        let goals = std::mem::replace(&mut suite.goals, blocks) - blocks;
        Some(BranchCoverage { goals, covered })
    }

    /// Adds assertions to the tests of a suite for this project, and marks flaky assertions and
    /// goals that are covered by chance.
    pub fn assert(&self, suite: &mut Suite, how: Assertions) {
        let compat = self.settings.compat;
        let deviations = Deviations {
            skip_first_pair: compat.skip_first_pair,
            assert_everything: compat.assert_everything,
        };
        let asserted = assert_changes(suite, &self.program, &self.observer, how, deviations)
            .and_then(|()| assert_play(suite, &self.program, &self.observer, how.limit))
            .and_then(|()| {
                let goals = &self.model.goals()[..self.model.block_goals()];
                separate_chance(suite, &self.program, goals, how.reexecutions)?;
                assert_state(suite, &self.program, &self.observer, how, goals)
            });
        // This cannot fail, because the tests refer only to sprites of the program.
        debug_assert!(asserted.is_ok(), "{asserted:?}");
    }
}

/// Prepares a project and generates a suite for it; see [`Prepared::generate`].
///
/// # Errors
/// If the project cannot be compiled.
pub fn generate(
    project: &Project,
    settings: GenerationSettings,
    request: &Request,
    on_progress: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Generated, GenerateError> {
    Ok(Prepared::new(project, settings)?.generate(request, on_progress))
}

struct Found {
    end: End,
    archive: Vec<Candidate>,
    timeline: Vec<Improvement>,
    meter: Meter,
    iterations: u64,
}

impl Found {
    fn without_search(end: End, archive: Vec<Candidate>) -> Self {
        Self { end, archive, timeline: Vec::new(), meter: Meter::default(), iterations: 0 }
    }
}

impl Request {
    fn search<P: Problem>(
        &self,
        problem: &mut P,
        rng: &mut Stream,
        on_progress: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    ) -> Found
    where
        for<'t> Candidate: From<&'t P::Test>,
    {
        let clock = Stopwatch::start();
        let mut on_progress = |progress: &Progress| on_progress(progress);
        let search = self.algorithm.search(problem, &self.budget, rng, &clock, &mut on_progress);
        Found {
            end: End::Search(search.stop),
            archive: search.archive.tests().into_iter().map(Candidate::from).collect(),
            timeline: search.timeline,
            meter: search.meter,
            iterations: search.iterations,
        }
    }
}

impl From<&TestCase> for Candidate {
    fn from(test: &TestCase) -> Self {
        Self::new(test.events.clone(), test)
    }
}

impl From<&GeneratedTest> for Candidate {
    fn from(test: &GeneratedTest) -> Self {
        Self::new(test.events().to_vec(), test)
    }
}

/// The only test of a project that reacts to no input: a wait.
fn idle_test(executor: &mut Executor) -> Candidate {
    executor.begin();
    let mut recording = Recording::default();
    executor.send(Event::WAIT, &mut recording);
    let chromosome = Chromosome::new(vec![0; executor.prepared().parameters + 1]);
    Candidate::from(&TestCase::new(chromosome, recording, executor))
}

/// Replays the tests and returns the positions of the tests that now cover different goals. Each
/// test is executed from the green flag, as in every execution of the suite.
fn unstable(minimised: &Minimised, executor: &mut Executor) -> Vec<u32> {
    let tests = minimised.tests.iter().zip(0..);
    tests
        .filter(|(test, _)| {
            executor.reset_prefix_cache(0);
            executor.covered(&test.events) != test.covered
        })
        .map(|(_, position)| position)
        .collect()
}
