//! Execution of a test, with its event loop and the phases of a step.

use std::rc::Rc;

use catherd_javascript_engine::quickjs::{Error, Exception, Function, IntoArgs, Value as Js};
use catherd_javascript_engine::{Session, Stop, Thrown};
use catherd_scratch_grading_report::{Limit, Status, without_lone_surrogates};
use catherd_scratch_vm::Snapshot;
use serde_json::{Map, Value};

use super::driver::{AFTER, BEFORE, CONSTRAINTS, Driver, Finished, MODELS, MOVED, RANDOM, STEP_MS};
use super::hints;
use super::host::Parts;
use super::module::{SuiteFile, TestInfo};
use super::outcome::TestOutcome;
use super::stepper::{Raised, Stepper};
use super::target_key::TargetKey;
use crate::seed::Seed;

pub(super) struct TestExecution<'a, 'b, 'js> {
    pub(super) session: &'a Session<'js>,
    pub(super) driver: &'a Rc<Driver>,
    pub(super) parts: &'a Parts<'js>,
    pub(super) stepper: &'a mut Stepper<'b, 'js>,
    pub(super) suite: &'a SuiteFile,
    pub(super) test: &'a TestInfo,
}

impl<'js> TestExecution<'_, '_, 'js> {
    pub(super) fn run(
        &mut self,
        number: usize,
        initial: &Snapshot,
        seed: Seed,
        blocks: u64,
    ) -> TestOutcome {
        let (session, driver) = (self.session, self.driver);
        session.clock().clear();
        session.begin_test();
        driver.begin_test(initial, seed, blocks);
        let executed = driver.vm().executed_blocks();
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
        let mut outcome = self.outcome();
        outcome.blocks = driver.vm().executed_blocks().saturating_sub(executed);
        if session.stopped().is_none() {
            driver.end();
        }
        outcome
    }

    /// Executes one iteration of the event loop: fires the timers that are due, then executes a
    /// step of the run or advances the clock to the next timer.
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
        if driver.vm().is_out_of_fuel() {
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

    /// Executes the phases of a step, each followed by the pending jobs of promises.
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
        let models = phase(MODELS);
        if models {
            self.call(&self.parts.models_before.clone(), ())?;
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
        if models && phase(MODELS) {
            self.call(&self.parts.models_after.clone(), ())?;
        }
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

    fn send_inputs(&mut self) -> Result<(), Raised<'js>> {
        let driver = self.driver;
        let step = driver.run.executed.get() as f64;
        let original = |name: &str| driver.originals.get(name).copied();
        let dragged = driver.inputs.borrow_mut().advance(step, &mut driver.vm_mut(), original);
        for (target, from) in dragged {
            super::targets::moved(driver, target, Some(from));
            let key = TargetKey::new(target, 0).number();
            self.call(&self.parts.changed.clone(), (MOVED, key))?;
        }
        Ok(())
    }

    /// Calls a function of the prelude, then executes the pending jobs of promises.
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

    /// Rejects the promise of the run. The run remains active, as in the original.
    fn fail_run(&self, thrown: Js<'js>) {
        self.driver.run.dead.set(true);
        let settled = self.parts.settle.call::<_, ()>((false, thrown));
        self.ignore(settled);
        self.session.drain();
    }

    fn refuse(&self, message: &str) {
        self.driver.limit(Limit::Time);
        match Exception::from_message(self.session.ctx().clone(), message) {
            Ok(exception) => self.fail_run(exception.into_value()),
            Err(_) => self
                .finish(Status::Error, Thrown { message: message.to_owned(), ..Thrown::default() }),
        }
    }

    /// Ignores an error of a function of the prelude. These functions catch the errors of suites,
    /// so only a limit can have ended them.
    fn ignore(&self, result: Result<(), Error>) {
        if result.is_err() {
            self.session.ctx().catch();
        }
    }

    fn finish(&self, status: Status, thrown: Thrown) {
        let details = "{}".to_owned();
        self.driver.finished.replace(Some(Finished { status, details, thrown }));
    }

    fn outcome(&self) -> TestOutcome {
        let (session, driver) = (self.session, self.driver);
        let (mut status, mut details, mut thrown) =
            (Status::Error, String::new(), Thrown::default());
        match (session.stopped(), driver.finished.take()) {
            (Some(stop), _) => {
                driver.limit(match stop {
                    // `Caller` does not occur, because the runner never requests a stop.
                    Stop::Operations | Stop::Caller => Limit::Time,
                    // `Stack` does not occur, because the limit of the stack needs a guard, which
                    // the engine does not have.
                    Stop::Memory | Stop::Stack => Limit::Memory,
                });
                thrown.message = stop.to_string();
            }
            (None, Some(finished)) => {
                (status, details, thrown) = (finished.status, finished.details, finished.thrown);
            }
            (None, None) => thrown.message = "the test did not end".to_owned(),
        }
        if driver.run.active.get() && !driver.run.dead.get() && status == Status::Pass {
            driver.mistake(
                "a run was not awaited, so the test may check nothing; write `await` before it",
            );
        }
        for rejection in session.unhandled_rejections() {
            driver.log(&format!(
                "warning: a promise was rejected and nothing handled it: {rejection}"
            ));
        }
        let details = without_lone_surrogates(details);
        let details = serde_json::from_str(&details).unwrap_or_default();
        let hints = self.hints(status, &thrown, &details);
        TestOutcome {
            name: self.test.name.clone(),
            status,
            error: thrown.name,
            message: thrown.message,
            line: thrown.line,
            column: thrown.column,
            details,
            log: driver.take_log(),
            hints,
            steps: driver.test_steps.get(),
            blocks: 0,
            limits: driver.limits.take(),
            skipped: false,
        }
    }

    fn hints(&self, status: Status, thrown: &Thrown, details: &Map<String, Value>) -> Vec<String> {
        let driver = self.driver;
        if driver.options.strict {
            return Vec::new();
        }
        let mut hints = driver.mistakes.take();
        if status == Status::Error {
            let mut sprites: Vec<String> = driver.originals.keys().cloned().collect();
            sprites.sort();
            let (missing, unknown) = (driver.missing.borrow(), driver.unknown_sprites.borrow());
            let mut found = hints::of(thrown, &missing, &unknown, &sprites);
            if hints::is_mistake(thrown) {
                found.extend(driver.unknown_variables.borrow().last().cloned());
            }
            hints.extend(found);
        }
        if matches!(status, Status::Fail | Status::Error) {
            hints.extend(hints::comparison(details));
            let line = thrown.line.and_then(|line| self.suite.line(line));
            hints.extend(line.and_then(hints::raw_value));
        }
        hints
    }
}
