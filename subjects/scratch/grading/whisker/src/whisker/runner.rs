//! Execution of suites: their JavaScript contexts, and the order and results of their tests.

use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;

use catherd_javascript_engine::{Engine, Host, LogLevel, Session};
use catherd_scratch_grading_report::{Status, SuiteFacts, without_lone_surrogates};
use catherd_scratch_sb3::BlockNo;
use catherd_scratch_suite::CoveredBlocks;
use catherd_scratch_vm::Program;

use super::driver::Driver;
use super::execution::TestExecution;
use super::host;
use super::module::{LoadError, SuiteFile, TestInfo};
use super::options::SuiteOptions;
use super::outcome::{SuiteOutcome, TestOutcome};
use super::stepper::Stepper;

/// A test that a caller chooses by its position in the suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// Position of the test in the suite.
    pub number: usize,
    /// Maximum number of blocks that the program may execute in the test.
    pub blocks: u64,
}

/// A test that has been executed.
#[derive(Clone, Debug)]
pub struct Executed {
    /// Position of the test in the suite.
    pub number: usize,
    /// The result of the test.
    pub outcome: TestOutcome,
    /// The blocks that the test covered; empty if the test was skipped or
    /// [`SuiteOptions::coverage`] is not set.
    pub covered: CoveredBlocks,
    /// Whether the test has sent keyboard input.
    pub presses_keys: bool,
    /// Number of inputs that the test has sent.
    pub inputs: u64,
}

/// Executes a suite on a program, which must have been compiled [with
/// colours](Program::with_colors).
///
/// # Errors
/// If the suite cannot be loaded.
pub fn run(
    suite: &SuiteFile,
    program: &Arc<Program>,
    options: &SuiteOptions,
) -> Result<SuiteOutcome, LoadError> {
    let mut tests = Vec::new();
    let mut seen = |executed: Executed| {
        tests.push(executed.outcome);
        ControlFlow::Continue(())
    };
    let mut execution = SuiteExecution::new(suite, program, options, None, &mut seen);
    // A context in which a limit was reached is not used for further tests.
    while !execution.run_in_context()? {}
    let coverage = options.coverage.then(|| execution.coverage());
    let facts = execution.facts;
    Ok(SuiteOutcome { tests, facts, coverage })
}

/// Executes tests of a suite in order: the tests in `chosen` or, if `chosen` is `None`, the tests
/// that the options choose. `seen` is called after each test; if it breaks, the execution ends.
///
/// # Errors
/// If the suite cannot be loaded.
pub fn run_chosen(
    suite: &SuiteFile,
    program: &Arc<Program>,
    options: &SuiteOptions,
    chosen: Option<&[Chosen]>,
    seen: &mut dyn FnMut(Executed) -> ControlFlow<()>,
) -> Result<(), LoadError> {
    let mut execution = SuiteExecution::new(suite, program, options, chosen, seen);
    while !execution.run_in_context()? {}
    Ok(())
}

impl SuiteFile {
    /// Loads the suite without executing a test.
    ///
    /// # Errors
    /// If the suite cannot be loaded.
    pub fn check(&self, program: &Arc<Program>, options: &SuiteOptions) -> Result<(), LoadError> {
        run_chosen(self, program, options, Some(&[]), &mut |_| ControlFlow::Break(()))
    }
}

struct SuiteExecution<'a> {
    suite: &'a SuiteFile,
    program: &'a Arc<Program>,
    options: &'a SuiteOptions,
    /// The tests to execute; `None` if the options choose them.
    chosen: Option<&'a [Chosen]>,
    seen: &'a mut dyn FnMut(Executed) -> ControlFlow<()>,
    next: usize,
    total_steps: u64,
    covered: CoveredBlocks,
    blocks: Vec<BlockNo>,
    facts: SuiteFacts,
}

impl<'a> SuiteExecution<'a> {
    fn new(
        suite: &'a SuiteFile,
        program: &'a Arc<Program>,
        options: &'a SuiteOptions,
        chosen: Option<&'a [Chosen]>,
        seen: &'a mut dyn FnMut(Executed) -> ControlFlow<()>,
    ) -> SuiteExecution<'a> {
        SuiteExecution {
            suite,
            program,
            options,
            chosen,
            seen,
            next: 0,
            total_steps: 0,
            covered: CoveredBlocks::new(program.block_count()),
            blocks: program.commands().collect(),
            facts: SuiteFacts::default(),
        }
    }

    /// Number of covered blocks, and number of all blocks that were compiled to commands.
    fn coverage(&self) -> (usize, usize) {
        let covered = self.blocks.iter().filter(|block| self.covered.contains(**block));
        (covered.count(), self.blocks.len())
    }

    /// Maximum number of blocks of a test; `None` if the test is not chosen.
    fn bound(&self, number: usize, test: &TestInfo) -> Option<u64> {
        match self.chosen {
            Some(chosen) => {
                chosen.iter().find(|chosen| chosen.number == number).map(|chosen| chosen.blocks)
            }
            None => self.options.chooses(test).then_some(self.options.blocks),
        }
    }

    /// Returns true after the last test.
    fn run_in_context(&mut self) -> Result<bool, LoadError> {
        let driver = Rc::new(Driver::new(self.program, self.options, self.total_steps));
        let (random, log) = (Rc::clone(&driver), Rc::clone(&driver));
        let host = Host {
            random: Box::new(move || random.draw()),
            log: Box::new(move |level, line| match level {
                LogLevel::Info => log.log(line),
                LogLevel::Warning => log.log(&format!("warning: {line}")),
                LogLevel::Error => log.log(&format!("error: {line}")),
            }),
            ..Host::default()
        };
        let stopped = |error: &dyn std::fmt::Display| LoadError::Stopped(error.to_string());
        let engine = Engine::new(self.options.limits, host).map_err(|error| stopped(&error))?;
        let done = engine.enter(|session| self.run_in_session(session, &driver));
        done.map_err(|error| stopped(&error))?
    }

    fn run_in_session(
        &mut self,
        session: &Session<'_>,
        driver: &Rc<Driver>,
    ) -> Result<bool, LoadError> {
        let initial = driver.vm().snapshot();
        session.begin_test();
        let parts = host::install(session, driver, self.suite)
            .map_err(|thrown| LoadError::Stopped(thrown.to_string()))?;
        let mut exported = self.suite.evaluate(session, &parts.require, self.options.limits)?;
        if let Some(with_models) = &parts.with_models {
            exported = session
                .call(with_models, (exported,))
                .map_err(|thrown| self.suite.failed(session, thrown))?;
        }
        let described: String = session
            .call(&parts.load, (exported,))
            .map_err(|thrown| self.suite.failed(session, thrown))?;
        let tests: Vec<TestInfo> = serde_json::from_str(&without_lone_surrogates(described))
            .map_err(|error| LoadError::Stopped(format!("the suite is damaged: {error}")))?;
        let default_seed = tests.first().and_then(TestInfo::seed).unwrap_or_default();
        self.facts = SuiteFacts {
            seed: self.options.seed.unwrap_or(default_seed).to_string(),
            assertions: tests.iter().map(|test| test.assertions).sum(),
            algorithm: tests.iter().find_map(|test| test.algorithm.clone()),
        };
        let mut stepper = Stepper::new(driver, session, &parts.changed, self.options.coverage);
        while self.next < tests.len() {
            let (number, test) = (self.next, &tests[self.next]);
            self.next += 1;
            let Some(blocks) = self.bound(number, test) else { continue };
            let (mut outcome, mut covered) = (skipped(test), CoveredBlocks::default());
            if !test.skip {
                let seed = self.options.seed.or(test.seed()).unwrap_or(default_seed);
                driver.coverage.set(if self.options.coverage { self.coverage() } else { (0, 0) });
                let (suite, stepper, parts) = (self.suite, &mut stepper, &parts);
                let mut execution = TestExecution { session, driver, parts, stepper, suite, test };
                outcome = execution.run(number, &initial, seed, blocks);
                covered = stepper.take_covered();
                self.covered.extend(&covered);
            }
            let presses_keys = !test.skip && driver.keys_pressed.get();
            let inputs = if test.skip { 0 } else { driver.inputs_sent.get() };
            let executed = Executed { number, outcome, covered, presses_keys, inputs };
            if (self.seen)(executed).is_break() {
                self.next = tests.len();
            }
            if session.stopped().is_some() {
                break;
            }
        }
        self.total_steps = driver.total_steps.get();
        Ok(self.next >= tests.len())
    }
}

fn skipped(test: &TestInfo) -> TestOutcome {
    TestOutcome {
        name: test.name.clone(),
        status: Status::Skip,
        error: String::new(),
        message: String::new(),
        line: None,
        column: None,
        details: serde_json::Map::new(),
        log: Vec::new(),
        hints: Vec::new(),
        steps: 0,
        blocks: 0,
        limits: Vec::new(),
        skipped: true,
    }
}
