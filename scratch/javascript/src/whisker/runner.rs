//! Execution of suites: the order of tests, of steps, and of the phases inside of a step.

use std::rc::Rc;
use std::sync::Arc;

use catherd_javascript_engine::quickjs::function::IntoArgs;
use catherd_javascript_engine::quickjs::{Error, Exception, Function, Value as Js};
use catherd_javascript_engine::{Engine, Host, Limits, LogLevel, Session, Thrown};
use catherd_sb3::BlockNo;
use catherd_suite::CoveredBlocks;
use catherd_vm::{Program, Snapshot};

use super::driver::{
    AFTER, BEFORE, CONSTRAINTS, Driver, Finished, MOVED, RANDOM, STEP_MS, TargetKey,
};
use super::hints;
use super::host::{self, Parts};
use super::module::{LoadError, SuiteFile, TestInfo};
use super::outcome::{Outcome, Status, SuiteOutcome};
use super::stepper::{Raised, Stepper};
use crate::seed::Seed;

/// How a suite is executed. All options influence results, except `acceleration`, which suites
/// are only told.
#[derive(Clone, Debug)]
pub struct Options {
    /// Seed of all tests; `None` for their own seeds, 0 if they have none.
    pub seed: Option<Seed>,
    /// Names of the tests to execute; all if empty.
    pub tests: Vec<String>,
    /// Categories of the tests to execute; all if empty.
    pub categories: Vec<String>,
    /// Quirks of the original: no `wait`, and scripts share the machine's random numbers.
    pub strict: bool,
    /// The version of July 2022 (P) in place of that of October 2023: its comparisons and types.
    pub compat_p: bool,
    /// Factor that suites read.
    pub acceleration: f64,
    /// Seconds by which the timer advances a step, 0.075 in the original (Whisker paper, section
    /// 3.2).
    pub timer_increment: f64,
    /// Most steps of a test.
    pub steps: u64,
    /// Most blocks that a test executes.
    pub blocks: u64,
    /// Limits of scripts.
    pub limits: Limits,
    /// Whether coverage is measured.
    pub coverage: bool,
    /// Inputs to which the project reacts, for `detectRandomInputs`: kind and name.
    pub detected_inputs: Vec<(&'static str, String)>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            seed: None,
            tests: Vec::new(),
            categories: Vec::new(),
            strict: false,
            compat_p: false,
            acceleration: 1.0,
            timer_increment: 0.075,
            steps: 100_000,
            blocks: 400_000_000,
            limits: Limits::default(),
            coverage: false,
            detected_inputs: Vec::new(),
        }
    }
}

impl Options {
    fn chooses(&self, test: &TestInfo) -> bool {
        let named = |names: &[String], name: &String| names.is_empty() || names.contains(name);
        let name = test.name.clone().unwrap_or_default();
        let category = self.categories.is_empty()
            || test.categories.iter().any(|category| self.categories.contains(category));
        named(&self.tests, &name) && category
    }
}

/// Executes a suite on a program, which was compiled [with
/// colours](Program::with_colors).
///
/// # Errors
/// If the suite cannot be loaded.
pub fn run(
    suite: &SuiteFile,
    program: &Arc<Program>,
    options: &Options,
) -> Result<SuiteOutcome, LoadError> {
    let blocks: Vec<BlockNo> = program.commands().collect();
    let covered = options.coverage.then(|| CoveredBlocks::new(program.block_count()));
    let mut execution = SuiteExecution {
        suite,
        program,
        options,
        next: 0,
        total_steps: 0,
        covered,
        blocks,
        outcome: SuiteOutcome { tests: Vec::new(), assertions: 0, coverage: None },
    };
    // A context in which a limit was met is not used again.
    while !execution.run_in_context()? {}
    if let Some(covered) = &execution.covered {
        let count = execution.blocks.iter().filter(|block| covered.contains(**block)).count();
        execution.outcome.coverage = Some((count, execution.blocks.len()));
    }
    Ok(execution.outcome)
}

/// A suite that is being executed.
struct SuiteExecution<'a> {
    suite: &'a SuiteFile,
    program: &'a Arc<Program>,
    options: &'a Options,
    /// Position of the next test.
    next: usize,
    total_steps: u64,
    covered: Option<CoveredBlocks>,
    blocks: Vec<BlockNo>,
    outcome: SuiteOutcome,
}

impl SuiteExecution<'_> {
    /// Executes tests in one context. Returns true after the last test.
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
        let initial = driver.vm.borrow().snapshot();
        let parts = host::install(session, driver, &self.suite.name)
            .map_err(|thrown| LoadError::Stopped(thrown.to_string()))?;
        session.begin_test();
        let exported = self.suite.evaluate(session)?;
        let described: String = session
            .call(&parts.load, (exported,))
            .map_err(|thrown| self.suite.failed(session, thrown))?;
        let tests: Vec<TestInfo> = serde_json::from_str(&described)
            .map_err(|error| LoadError::Stopped(format!("the suite is damaged: {error}")))?;
        self.outcome.assertions = tests.iter().map(|test| test.assertions).sum();
        let default_seed = tests.first().and_then(TestInfo::seed).unwrap_or_default();
        let covered = self.covered.take();
        let mut stepper = Stepper::new(driver, session, &parts.changed, covered);
        while self.next < tests.len() {
            let test = &tests[self.next];
            self.next += 1;
            if !self.options.chooses(test) {
                continue;
            }
            if test.skip {
                self.outcome.tests.push(skipped(test));
                continue;
            }
            let seed = self.options.seed.or(test.seed()).unwrap_or(default_seed);
            let covered = stepper.count_covered(&self.blocks);
            let total = if self.options.coverage { self.blocks.len() } else { 0 };
            driver.coverage.set((covered, total));
            let mut execution =
                TestExecution { session, driver, parts: &parts, stepper: &mut stepper, test };
            let outcome = execution.run(self.next - 1, &initial, seed);
            self.outcome.tests.push(outcome);
            if session.stopped().is_some() {
                break;
            }
        }
        self.total_steps = driver.total_steps.get();
        self.covered = stepper.into_covered();
        Ok(self.next >= tests.len())
    }
}

fn skipped(test: &TestInfo) -> Outcome {
    Outcome {
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
        skipped: true,
    }
}

/// A test that is being executed.
struct TestExecution<'a, 'b, 'js> {
    session: &'a Session<'js>,
    driver: &'a Rc<Driver>,
    parts: &'a Parts<'js>,
    stepper: &'a mut Stepper<'b, 'js>,
    test: &'a TestInfo,
}

impl<'js> TestExecution<'_, '_, 'js> {
    fn run(&mut self, number: usize, initial: &Snapshot, seed: Seed) -> Outcome {
        let (session, driver) = (self.session, self.driver);
        session.clock().clear();
        session.begin_test();
        driver.begin_test(initial, seed);
        let begun = session
            .call::<_, ()>(&self.parts.reset, ())
            .and_then(|()| session.call::<_, ()>(&self.parts.begin, (number,)));
        if let (Err(thrown), None) = (begun, session.stopped()) {
            self.finish(Status::Error, thrown);
        }
        session.drain();
        while driver.finished.borrow().is_none() && session.stopped().is_none() {
            self.turn();
        }
        let outcome = self.outcome();
        if session.stopped().is_none() {
            driver.end();
        }
        outcome
    }

    /// One turn of the event loop: timers that are due, then a step or a jump of the clock.
    fn turn(&mut self) {
        let session = self.session;
        session.begin_turn();
        loop {
            match session.fire_timer() {
                Ok(true) => session.drain(),
                Ok(false) => break,
                Err(thrown) if session.stopped().is_none() => {
                    self.driver.log(&format!("error in a timer: {thrown}"));
                    session.drain();
                }
                Err(_) => return,
            }
            if self.driver.finished.borrow().is_some() || session.stopped().is_some() {
                return;
            }
        }
        if self.driver.run.active.get() && !self.driver.run.dead.get() {
            self.advance_run();
        } else if let Some(due) = session.clock().next_due() {
            session.clock().advance_to(due);
        } else {
            let message = "the test waits for something that never happens".to_owned();
            self.finish(Status::Error, Thrown { message, ..Thrown::default() });
        }
    }

    /// Executes a step of the run, or ends it.
    fn advance_run(&mut self) {
        let (session, driver) = (self.session, self.driver);
        let run = &driver.run;
        let executed = run.executed.get();
        let within = (executed as f64) < run.limit.get();
        if run.cancelled.get() || run.holds.get() || !within {
            driver.inputs.borrow_mut().age(executed as f64);
            run.active.set(false);
            let settled = self.parts.settle.call::<_, ()>((true,));
            self.ignore(settled);
            return session.drain();
        }
        if driver.test_steps.get() >= driver.options.steps {
            return self.refuse("step limit: the test is longer than allowed");
        }
        if driver.vm.borrow().is_out_of_fuel() {
            return self.refuse("block limit: the program executes more blocks than allowed");
        }
        match self.step() {
            Ok(()) => {}
            Err(Some(thrown)) => return self.fail_run(thrown),
            Err(None) => return,
        }
        if run.has_condition.get() && !run.cancelled.get() {
            let checked = self.parts.check.call::<_, ()>(());
            self.ignore(checked);
            session.drain();
        }
        let milliseconds = driver.test_steps.get() as f64 * STEP_MS;
        let timeout = self.test.timeout.filter(|timeout| *timeout > 0.0);
        if timeout.is_some_and(|timeout| milliseconds > timeout) {
            let message = "Timeout".to_owned();
            self.finish(Status::Fail, Thrown { message, ..Thrown::default() });
        }
    }

    /// The phases of a step. After each, the jobs of promises are executed.
    fn step(&mut self) -> Result<(), Raised<'js>> {
        let driver = Rc::clone(self.driver);
        let run = &driver.run;
        let phase = |phase: u32| driver.phases.get() & phase != 0;
        if phase(BEFORE) {
            self.call(&self.parts.before.clone(), ())?;
            if run.cancelled.get() {
                return Ok(());
            }
        }
        if phase(RANDOM) {
            self.call(&self.parts.random.clone(), ())?;
        }
        if !driver.inputs.borrow().is_empty() {
            self.send_inputs()?;
        }
        driver.remember_all();
        let stepped = self.stepper.step();
        if driver.end_deferred.get() {
            driver.end();
        }
        stepped?;
        self.session.clock().advance_to(self.session.clock().now() + STEP_MS);
        let count = || {
            run.executed.set(run.executed.get() + 1);
            driver.test_steps.set(driver.test_steps.get() + 1);
            driver.total_steps.set(driver.total_steps.get() + 1);
        };
        self.session.drain();
        if run.cancelled.get() {
            count();
            return Ok(());
        }
        if phase(AFTER) {
            self.call(&self.parts.after.clone(), ())?;
        }
        if phase(CONSTRAINTS) && !run.cancelled.get() {
            self.call(&self.parts.constraints.clone(), ())?;
        }
        count();
        if self.session.stopped().is_some() { Err(None) } else { Ok(()) }
    }

    /// Performs and undoes inputs, and tells watchers of sprites that were dragged.
    fn send_inputs(&mut self) -> Result<(), Raised<'js>> {
        let driver = self.driver;
        let step = driver.run.executed.get() as f64;
        let original = |name: &str| driver.originals.get(name).copied();
        let dragged =
            driver.inputs.borrow_mut().advance(step, &mut driver.vm.borrow_mut(), original);
        for (target, from) in dragged {
            super::targets::moved(driver, target, Some(from));
            let key = TargetKey::new(target, 0).number();
            self.call(&self.parts.changed.clone(), (MOVED, key))?;
        }
        Ok(())
    }

    /// Calls a function of the suite's side, then executes jobs.
    fn call<A: IntoArgs<'js>>(
        &self,
        function: &Function<'js>,
        arguments: A,
    ) -> Result<(), Raised<'js>> {
        let result = function.call::<_, ()>(arguments);
        let raised = result.map_err(|_| {
            let thrown = self.session.ctx().catch();
            self.session.stopped().is_none().then_some(thrown)
        });
        self.session.drain();
        if self.session.stopped().is_some() { Err(None) } else { raised }
    }

    /// Rejects the promise of the run. It stays active, as in the original.
    fn fail_run(&self, thrown: Js<'js>) {
        self.driver.run.dead.set(true);
        let settled = self.parts.settle.call::<_, ()>((false, thrown));
        self.ignore(settled);
        self.session.drain();
    }

    fn refuse(&self, message: &str) {
        match Exception::from_message(self.session.ctx().clone(), message) {
            Ok(exception) => self.fail_run(exception.into_value()),
            Err(_) => self
                .finish(Status::Error, Thrown { message: message.to_owned(), ..Thrown::default() }),
        }
    }

    /// Functions of the suite's side catch what suites throw; what is left is a limit.
    fn ignore(&self, result: Result<(), Error>) {
        if result.is_err() {
            self.session.ctx().catch();
        }
    }

    fn finish(&self, status: Status, thrown: Thrown) {
        let details = "{}".to_owned();
        self.driver.finished.replace(Some(Finished { status, details, thrown }));
    }

    /// How the test ended.
    fn outcome(&self) -> Outcome {
        let (session, driver) = (self.session, self.driver);
        let (mut status, mut details, mut thrown) =
            (Status::Error, String::new(), Thrown::default());
        match (session.stopped(), driver.finished.take()) {
            (Some(stop), _) => thrown.message = stop.to_string(),
            (None, Some(finished)) => {
                (status, details, thrown) = (finished.status, finished.details, finished.thrown);
            }
            (None, None) => thrown.message = "the test did not end".to_owned(),
        }
        if driver.run.active.get() && !driver.run.dead.get() && status == Status::Pass {
            driver.log("warning: a run was not awaited; the test may check nothing");
        }
        for rejection in session.unhandled_rejections() {
            driver.log(&format!(
                "warning: a promise was rejected and nothing handled it: {rejection}"
            ));
        }
        let mut sprites: Vec<String> = driver.originals.keys().cloned().collect();
        sprites.sort();
        let hints = if status == Status::Error && !driver.options.strict {
            hints::of(&thrown, &driver.missing.borrow(), &driver.unknown_sprites.borrow(), &sprites)
        } else {
            Vec::new()
        };
        Outcome {
            name: self.test.name.clone(),
            status,
            error: thrown.name,
            message: thrown.message,
            line: thrown.line,
            column: thrown.column,
            details: serde_json::from_str(&details).unwrap_or_default(),
            log: driver.take_log(),
            hints,
            steps: driver.test_steps.get(),
            skipped: false,
        }
    }
}
