//! Generating a test suite: search, machine and fitness tied together.

use std::ops::ControlFlow;
use std::sync::Arc;

use catherd_sb3::Project;
use catherd_search::{
    Algorithm, Budget, Clock, Improvement, Meter, Parameters as _, Problem, Progress, Setting,
    Stop, Stopwatch, Stream,
};

use crate::assertion::{Assertions, Deviations, Observer, assert_changes};
use crate::chromosome::{Chromosome, Genetics};
use crate::counts::Counts;
use crate::event::Event;
use crate::execution::{Executor, MEMORY, Recording};
use crate::extraction::Tables;
use crate::goals::Model;
use crate::limits::Limits;
use crate::minimisation::{Candidate, Minimisation, Minimised, Replayer as _};
use crate::problem::{ScratchProblem, TestCase};
use crate::random_testing::{Drawn, RandomTesting};
use crate::runner::Bounds;
use crate::settings::Settings;
use crate::suite::{FORMAT, Suite, SuiteError, SuiteEvent, SuiteTest, Tolerances};
use catherd_vm::{CompileError, Program};

/// What generates: written into suites.
pub const ENGINE: &str = concat!("catherd ", env!("CARGO_PKG_VERSION"));

/// One run.
#[derive(Clone, Debug)]
pub struct Request {
    /// How to search.
    pub algorithm: Algorithm,
    /// From which all randomness of the run comes.
    pub seed: u64,
    /// What the search may spend.
    pub budget: Budget,
    /// What suites call the project: usually its digest.
    pub project: String,
    /// Give the suite regression assertions; none: do without. They cost one execution of
    /// each test and as many as there are re-executions, and make suites several times as
    /// big.
    pub assertions: Option<Assertions>,
}

impl Request {
    /// A run of an algorithm by name, with parameters by name and defaults for the rest.
    /// Settings of test generation are [`Configuration`](crate::Configuration)'s.
    ///
    /// # Errors
    /// If there is no such algorithm or parameter, or a value is not allowed; the error
    /// lists what is.
    pub fn new(
        algorithm: &str,
        parameters: &[(&str, Setting<'_>)],
        seed: u64,
        budget: Budget,
    ) -> Result<Self, GenerateError> {
        let mut algorithm = Algorithm::named(algorithm)?;
        for &(name, value) in parameters {
            algorithm.set(name, value)?;
        }
        Ok(Self { algorithm, seed, budget, project: String::new(), assertions: None })
    }
}

/// Why no suite could be generated or replayed.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    /// The algorithm's name.
    #[error(transparent)]
    Algorithm(#[from] catherd_search::UnknownAlgorithm),
    /// A parameter of the algorithm.
    #[error(transparent)]
    Parameter(#[from] catherd_search::ParameterError),
    /// Bounds that leave no length for tests.
    #[error("min_events is {min_events}, but max_events is {max_events}")]
    Events {
        /// Fewest events.
        min_events: usize,
        /// Most events.
        max_events: usize,
    },
    /// The project cannot be compiled.
    #[error("the project cannot be compiled: {0}")]
    Compile(#[from] CompileError),
    /// A suite does not fit.
    #[error(transparent)]
    Suite(#[from] SuiteError),
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// After a search.
    Search(Stop),
    /// The project has no goals; its coverage is complete by definition.
    NothingToCover,
    /// The project reacts to nothing, so all tests are the same; there is one, which
    /// waits.
    NoInput,
}

/// What came of a run.
#[derive(Clone, Debug)]
pub struct Generated {
    /// How it ended.
    pub end: End,
    /// Goals of the project.
    pub goals: u32,
    /// The numbers of the goals that the search covered, ascending.
    pub covered: Vec<u32>,
    /// One point for each improvement.
    pub timeline: Vec<Improvement>,
    /// The final tests.
    pub suite: Suite,
    /// Tests of the suite whose replay did not cover what they were kept for, by
    /// position. There are none unless the machine is not deterministic: a defect.
    pub unstable: Vec<u32>,
    /// The run in numbers.
    pub counts: Counts,
    /// Limits of the machine that executions ran into.
    pub limits: Limits,
}

/// A project made ready for any number of runs.
pub struct Prepared {
    pub(crate) program: Arc<Program>,
    pub(crate) tables: Arc<Tables>,
    pub(crate) model: Model,
    pub(crate) settings: Settings,
    /// Parameter codons of a group.
    pub(crate) parameters: usize,
    /// Goals, deepest in the control dependence graph first.
    order: Vec<u32>,
    /// Looks at what is asserted.
    observer: Observer,
}

impl Prepared {
    /// Compiles a project and finds its goals and its events.
    ///
    /// # Errors
    /// If the project cannot be compiled.
    pub fn new(project: &Project, settings: Settings) -> Result<Arc<Self>, GenerateError> {
        let model = Model::of(project, settings.goals, settings.compat);
        let tables = Tables::new(project);
        let mut order: Vec<u32> = (0..model.goals().len() as u32).collect();
        order.sort_by_key(|&goal| std::cmp::Reverse(model.depth(goal as usize)));
        Ok(Arc::new(Self {
            program: Arc::new(Program::compile(project)?),
            parameters: tables.parameters(settings.extraction),
            tables: Arc::new(tables),
            observer: Observer::new(project),
            order,
            model,
            settings,
        }))
    }

    /// The compiled project.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// The project's goals and their fitness.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Searches for tests and makes a suite of what is found. `observer` is told after
    /// every execution and may end the search.
    pub fn generate(
        self: &Arc<Self>,
        request: &Request,
        observer: impl FnMut(&Progress) -> ControlFlow<()>,
    ) -> Generated {
        self.generate_within(MEMORY, request, observer)
    }

    /// As [`Prepared::generate`], with so many bytes for what tests have in common.
    pub(crate) fn generate_within(
        self: &Arc<Self>,
        memory: usize,
        request: &Request,
        mut observer: impl FnMut(&Progress) -> ControlFlow<()>,
    ) -> Generated {
        let mut rng = Stream::new(request.seed, Stream::SEARCH);
        // Tests that are only drawn have little in common, and that by chance.
        let inherits =
            !matches!(request.algorithm, Algorithm::Random(_) | Algorithm::RandomEvents(_));
        let remembered = if inherits { memory } else { 0 };
        let mut executor = Executor::new(Arc::clone(self), request.seed, remembered, &mut rng);
        let found = if self.order.is_empty() {
            Found::without_search(End::NothingToCover, Vec::new())
        } else if !self.model.has_any_input_event() {
            Found::without_search(End::NoInput, vec![idle_test(&mut executor)])
        } else if let Algorithm::RandomEvents(_) = request.algorithm {
            let mut problem = RandomTesting { executor: &mut executor };
            request.search(&mut problem, &mut rng, &mut observer)
        } else {
            let genetics = Genetics::new(self.parameters, &self.settings);
            let mut problem = ScratchProblem { executor: &mut executor, genetics };
            request.search(&mut problem, &mut rng, &mut observer)
        };
        // Replays have nothing in common with the search.
        executor.remember_anew(memory);
        self.finish(request, found, &mut executor, &mut rng)
    }

    /// Makes the final suite and the result.
    fn finish(
        &self,
        request: &Request,
        found: Found,
        executor: &mut Executor,
        rng: &mut Stream,
    ) -> Generated {
        let Found { end, archive, timeline, meter, iterations } = found;
        let stuck = executor.stuck_tests();
        let mut covered: Vec<u32> = archive.iter().flat_map(|test| test.covered.clone()).collect();
        covered.sort_unstable();
        covered.dedup();
        let clock = Stopwatch::start();
        let minimisation = Minimisation {
            enabled: self.settings.minimise,
            limit: Some(self.settings.minimisation_executions as u64).filter(|limit| *limit > 0),
            // Whoever gave the search a minute does not wait an hour for its suite.
            deadline: request.budget.wall.map(|wall| (&clock as &dyn Clock, wall)),
            group: match request.algorithm {
                // Lengths of random tests are their events.
                Algorithm::RandomEvents(_) => 1,
                _ => self.parameters + 1,
            },
        };
        let minimised = minimisation.suite(archive, &self.order, executor, rng);
        let unstable = unstable(&minimised, executor);
        let words = executor.extractor.words();
        let tests = minimised.tests.iter().map(|test| SuiteTest {
            covers: test.covered.clone(),
            codons: test.length as u32,
            events: test.events.iter().map(|&event| SuiteEvent::new(event, words)).collect(),
            assertions: Vec::new(),
            flaky: Vec::new(),
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
        if let Some(how) = request.assertions {
            self.assert(&mut suite, how);
        }
        let complete = |point: &&Improvement| point.covered == self.order.len();
        let counts = Counts {
            goals: self.order.len() as u64,
            covered: covered.len() as u64,
            iterations,
            executions: meter.executions(),
            evaluations: meter.evaluations(),
            events: meter.events(),
            steps: meter.steps(),
            stuck_tests: stuck,
            executions_to_full_coverage: timeline.last().filter(complete).map(|p| p.executions),
            suite_tests: suite.tests.len() as u64,
            suite_events: suite.events(),
            suite_assertions: suite.assertions(),
            suite_flaky: suite.tests.iter().map(|test| test.flaky.len() as u64).sum(),
            minimised_tests: minimised.removed_tests,
            minimised_events: minimised.removed_events,
            minimised_codons: minimised.removed_codons,
            minimisation_executions: minimised.executions,
        };
        let limits = executor.limits();
        Generated { end, goals: suite.goals, covered, timeline, suite, unstable, counts, limits }
    }

    fn assert(&self, suite: &mut Suite, how: Assertions) {
        let compat = self.settings.compat;
        let deviations = Deviations {
            skip_first_pair: compat.skip_first_pair,
            assert_everything: compat.assert_everything,
        };
        let asserted = assert_changes(suite, &self.program, &self.observer, how, deviations);
        // The tests come from this very program, whose sprites they name.
        debug_assert!(asserted.is_ok(), "{asserted:?}");
    }

    /// Runs the tests of a suite, none of which may have more than `most` steps; returns what
    /// each covers, goals ascending.
    ///
    /// # Errors
    /// If the suite was made for other goals, names sprites that the project lacks or has a
    /// longer test.
    pub fn replay(self: &Arc<Self>, suite: &Suite, most: u64) -> Result<Vec<Vec<u32>>, SuiteError> {
        let goals = self.order.len() as u32;
        if suite.goals != goals {
            return Err(SuiteError::Goals { suite: suite.goals, project: goals });
        }
        let mut search = Stream::new(suite.seed, Stream::SEARCH);
        let mut executor = Executor::new(Arc::clone(self), suite.seed, 0, &mut search);
        let replayed = suite.tests.iter().enumerate().map(|(position, test)| {
            let words = executor.extractor.words_mut();
            let events: Result<Vec<Event>, String> =
                test.events.iter().map(|event| event.resolve(words)).collect();
            let events = events.map_err(|sprite| SuiteError::Sprite { test: position, sprite })?;
            let steps = events.iter().map(Event::steps).sum();
            if steps > most {
                return Err(SuiteError::Steps { test: position, steps, most });
            }
            Ok(executor.covered(&events))
        });
        replayed.collect()
    }
}

/// Prepares a project and generates a suite for it, see [`Prepared::generate`].
///
/// # Errors
/// If the project cannot be compiled.
pub fn generate(
    project: &Project,
    settings: Settings,
    request: &Request,
    observer: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Generated, GenerateError> {
    Ok(Prepared::new(project, settings)?.generate(request, observer))
}

/// Runs the tests of a suite with default settings, see [`Prepared::replay`].
///
/// # Errors
/// If the project cannot be compiled or the suite does not fit it.
pub fn replay(project: &Project, suite: &Suite) -> Result<Vec<Vec<u32>>, GenerateError> {
    let most = Bounds::default().steps;
    Ok(Prepared::new(project, Settings::default())?.replay(suite, most)?)
}

/// What the final suite is made of.
struct Found {
    end: End,
    /// The tests of the archive.
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
        observer: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    ) -> Found
    where
        for<'t> Candidate: From<&'t P::Test>,
    {
        let clock = Stopwatch::start();
        let mut observer = |progress: &Progress| observer(progress);
        let search = self.algorithm.search(problem, &self.budget, rng, &clock, &mut observer);
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

impl From<&Drawn> for Candidate {
    fn from(test: &Drawn) -> Self {
        Self::new(test.events().to_vec(), test)
    }
}

/// The one test of a project that reacts to nothing.
fn idle_test(executor: &mut Executor) -> Candidate {
    executor.begin();
    let mut recording = Recording::default();
    executor.send(Event::WAIT, &mut recording);
    let chromosome = Chromosome::new(vec![0; executor.prepared().parameters + 1]);
    Candidate::from(&TestCase::new(chromosome, recording, executor))
}

/// Replays the tests; the positions of those that do not cover what they are kept for. Each is
/// executed from the green flag on, as those who execute the suite will.
fn unstable(minimised: &Minimised, executor: &mut Executor) -> Vec<u32> {
    let tests = minimised.tests.iter().zip(0..);
    tests
        .filter(|(test, _)| {
            executor.remember_anew(0);
            executor.covered(&test.events) != test.covered
        })
        .map(|(_, position)| position)
        .collect()
}
