//! The phases of a judgement in one JavaScript context, and the virtual clock that drives the
//! schedule and the VM.

use std::rc::Rc;

use catherd_javascript_engine::quickjs::{Ctx, Error, Function, Object, Result as JsResult, Value};
use catherd_javascript_engine::{Session, Thrown};
use catherd_scratch_vm::{Pace, Vm, VmSettings};

use crate::host;
use crate::machine::{STEP_MS, Shared};
use crate::observer::{Hooks, Observer};
use crate::output::JudgementEnd;
use crate::plan::{Phases, Plan, PlanError};

/// Maximum number of passes over all threads in a step. The original has a time limit instead:
/// three quarters of the length of a step.
const BATCHES: u32 = 100;
const MAX_TIMERS: u64 = 1_000_000;
/// The date at which the clock of scripts begins, in days since 2000.
const DATE: f64 = 8_766.5;

struct Parts<'js> {
    start: Function<'js>,
    phase: Function<'js>,
    times: Function<'js>,
    schedule: Function<'js>,
    close: Function<'js>,
    note: Function<'js>,
    threads_done: Function<'js>,
    hooks: Hooks<'js>,
}

enum Broken {
    /// A test that must not fail has failed.
    Fatal,
    Thrown(Thrown),
    Limit(String),
}

pub(crate) struct Course<'a, 'js> {
    session: &'a Session<'js>,
    shared: &'a Rc<Shared>,
    parts: Parts<'js>,
}

impl<'a, 'js> Course<'a, 'js> {
    pub(crate) fn run(
        session: &'a Session<'js>,
        shared: &'a Rc<Shared>,
        plan: &'a Plan,
    ) -> Result<JudgementEnd, PlanError> {
        let parts = install(session, shared)
            .map_err(|thrown| PlanError::Stopped(format!("the judge does not start: {thrown}")))?;
        session.begin_test();
        let phases = plan.load(session)?;
        let course = Course { session, shared, parts };
        let done = course.phases(&phases)?;
        let stopped = session.stopped().map(|stop| stop.to_string());
        Ok(match (done, stopped) {
            (_, Some(stop)) | (Err(Broken::Limit(stop)), None) => JudgementEnd::Limited(stop),
            (Err(Broken::Thrown(thrown)), None) => {
                let mut message = plan.described(&thrown);
                let missing = shared.missing.take();
                if let Some(name) = missing.filter(|_| thrown.name == "TypeError") {
                    message += &format!("; `{name}` does not exist");
                }
                JudgementEnd::Rejected(message)
            }
            (Ok(()) | Err(Broken::Fatal), None) => {
                // Closing has no effect if the judgement is already closed.
                let closed = course.call::<()>(&course.parts.close);
                match (closed, shared.failed.take()) {
                    (Err(Broken::Limit(stop)), _) => JudgementEnd::Limited(stop),
                    (_, Some(message)) => JudgementEnd::Failed(message),
                    _ => JudgementEnd::Closed,
                }
            }
        })
    }

    fn phases(&self, phases: &Phases<'js>) -> Result<Result<(), Broken>, PlanError> {
        let started = self.call::<()>(&self.parts.start);
        let before = started.and_then(|()| self.phase("beforeExecution", phases.before.as_ref()));
        if before.is_err() {
            return Ok(before);
        }
        if self.shared.options.only_static {
            let words = "Only the code was checked: the program was not executed.";
            return Ok(self.called(self.session.call::<_, ()>(&self.parts.note, (words,))));
        }
        if phases.during.is_none() && phases.after.is_none() {
            self.shared.end_execution();
            return Ok(Ok(()));
        }
        let during = self.phase("duringExecution", phases.during.as_ref());
        if during.is_err() {
            return Ok(during);
        }
        let program =
            self.shared.compile().map_err(|error| PlanError::Program(error.to_string()))?;
        let executed = self.start_machine(program).and_then(|interval| {
            if phases.during.is_none() {
                self.shared.end_execution();
                return Ok(());
            }
            self.execute(interval)
        });
        if executed.is_err() {
            return Ok(executed);
        }
        Ok(self.phase("afterExecution", phases.after.as_ref()))
    }

    fn phase(&self, name: &str, function: Option<&Function<'js>>) -> Result<(), Broken> {
        let Some(function) = function else { return Ok(()) };
        self.session.begin_test();
        let passed = self.session.call::<_, bool>(&self.parts.phase, (name, function.clone()));
        let passed = self.called(passed)?;
        self.session.drain();
        self.check_limits()?;
        if passed { Ok(()) } else { Err(Broken::Fatal) }
    }

    fn call<R: catherd_javascript_engine::quickjs::FromJs<'js>>(
        &self,
        function: &Function<'js>,
    ) -> Result<R, Broken> {
        self.called(self.session.call(function, ()))
    }

    fn called<R>(&self, result: Result<R, Thrown>) -> Result<R, Broken> {
        self.check_limits()?;
        result.map_err(Broken::Thrown)
    }

    fn check_limits(&self) -> Result<(), Broken> {
        match self.session.stopped() {
            Some(stop) => Err(Broken::Limit(stop.to_string())),
            None => Ok(()),
        }
    }

    /// Creates the VM with the acceleration that the plan requested. Returns the milliseconds
    /// between two steps.
    fn start_machine(
        &self,
        program: std::sync::Arc<catherd_scratch_vm::Program>,
    ) -> Result<f64, Broken> {
        let times: Vec<f64> = self.call(&self.parts.times)?;
        let [whole, time] = times[..] else { return Err(Broken::Limit("no times".to_owned())) };
        let usable = |factor: f64| if factor.is_finite() && factor > 0.0 { factor } else { 1.0 };
        let (whole, time) = (usable(whole), usable(time));
        // With a time acceleration of exactly 1, the original does not change the interval.
        let interval = if time == 1.0 { STEP_MS } else { STEP_MS / whole };
        let pace = Pace {
            step_ms: interval * time,
            sound_step_ms: interval,
            turbo: self.shared.turbo.get(),
        };
        self.shared.pace.set(pace);
        let settings = VmSettings {
            timer_increment: pace.step_ms / 1000.0,
            batches: BATCHES,
            one_timer: true,
            days_since_2000: DATE,
            pace,
            ..VmSettings::of(program.compat())
        };
        let random = self.shared.random.borrow().clone().drawing_names();
        let mut vm = Vm::new(program, settings, random, ());
        vm.set_fuel(self.shared.options.blocks);
        self.shared.vm.replace(Some(vm));
        self.shared.executing.set(true);
        Ok(interval)
    }

    fn execute(&self, interval: f64) -> Result<(), Broken> {
        let (session, shared) = (self.session, self.shared);
        let Some(program) = shared.with_vm(|vm| vm.program().clone()) else { return Ok(()) };
        let observer = Observer::new(shared, session, &self.parts.hooks);
        let settings = VmSettings {
            timer_increment: shared.pace.get().step_ms / 1000.0,
            batches: BATCHES,
            one_timer: true,
            days_since_2000: DATE,
            pace: shared.pace.get(),
            ..VmSettings::of(program.compat())
        };
        let random = shared.random.borrow().clone();
        let mut watching = Vm::new(program, settings, random, observer);
        session.begin_test();
        self.call::<()>(&self.parts.schedule)?;
        session.drain();
        let mut timers = 0;
        let mut step = 1_u64;
        while !shared.over.get() {
            self.check_limits()?;
            let due = step as f64 * interval;
            match session.clock().next_due().filter(|timer| *timer <= due) {
                Some(timer) => {
                    timers += 1;
                    if timers > MAX_TIMERS {
                        return Err(Broken::Limit("too many timers".to_owned()));
                    }
                    session.clock().advance_to(timer);
                    session.begin_turn();
                    if let Err(thrown) = session.fire_timer() {
                        self.check_limits()?;
                        shared.output.borrow_mut().log(&format!("error: {thrown}"));
                    }
                }
                None => {
                    if step > shared.options.steps {
                        return Err(Broken::Limit("the schedule does not end: step limit".into()));
                    }
                    session.clock().advance_to(due);
                    session.begin_test();
                    self.step(&mut watching)?;
                    step += 1;
                }
            }
            session.drain();
        }
        self.check_limits()
    }

    fn step(&self, watching: &mut Vm<Observer<'_, 'js>>) -> Result<(), Broken> {
        let shared = self.shared;
        shared.steps.set(shared.steps.get() + 1);
        watching.tracer.begin();
        watching.set_pace(Pace { turbo: shared.turbo.get(), ..shared.pace.get() });
        let was_running = shared.with_vm(|vm| {
            let running = vm.is_running();
            watching.exchange_state(vm);
            running
        });
        watching.step();
        shared.with_vm(|vm| watching.exchange_state(vm));
        if let Some(raised) = watching.tracer.raised.take() {
            return Err(match raised {
                Some(thrown) => Broken::Thrown(thrown),
                None => Broken::Limit(
                    self.session.stopped().map_or_else(String::new, |stop| stop.to_string()),
                ),
            });
        }
        shared.sweep_bubbles();
        let distinct = watching.tracer.distinct;
        if distinct > 0 {
            shared.snap_times(&"profiler.basic".into(), distinct);
        }
        if shared.with_vm(|vm| vm.is_out_of_fuel()) == Some(true) {
            return Err(Broken::Limit("the program executes too many blocks".to_owned()));
        }
        let stopped =
            was_running == Some(true) && shared.with_vm(|vm| vm.is_running()) == Some(false);
        let mut done = Vec::new();
        shared.awaited.borrow_mut().retain_mut(|waiting| {
            watching.tracer.ended.iter().for_each(|thread| {
                waiting.threads.remove(thread);
            });
            let over = stopped || waiting.threads.is_empty();
            if over {
                done.push(waiting.action);
            }
            !over
        });
        for action in done {
            self.called(self.session.call::<_, ()>(&self.parts.threads_done, (action,)))?;
        }
        Ok(())
    }
}

const PRELUDE: [&str; 10] = [
    include_str!("prelude/language.js"),
    include_str!("prelude/lines.js"),
    include_str!("prelude/lodash.js"),
    include_str!("prelude/model.js"),
    include_str!("prelude/patterns.js"),
    include_str!("prelude/output.js"),
    include_str!("prelude/checks.js"),
    include_str!("prelude/log.js"),
    include_str!("prelude/scheduler.js"),
    include_str!("prelude/evaluation.js"),
];

fn install<'js>(session: &Session<'js>, shared: &Rc<Shared>) -> Result<Parts<'js>, Thrown> {
    let ctx = session.ctx();
    session.caught(parts(ctx, shared))
}

fn parts<'js>(ctx: &Ctx<'js>, shared: &Rc<Shared>) -> JsResult<Parts<'js>> {
    let host = host::functions(ctx, shared)?;
    let options = Object::new(ctx.clone())?;
    options.set("language", shared.options.language.as_str())?;
    options.set("strict", shared.options.strict)?;
    options.set("translations", ctx.json_parse(shared.options.translations.to_string())?)?;
    let kit: Function = ctx.eval(include_str!("prelude/kit.js"))?;
    let kit: Object = kit.call((host, options))?;
    let mut last = Value::new_undefined(ctx.clone());
    for part in PRELUDE {
        last = ctx.eval::<Function, _>(part)?.call((kit.clone(),))?;
    }
    let parts = last.into_object().ok_or(Error::Unknown)?;
    Ok(Parts {
        start: parts.get("start")?,
        phase: parts.get("phase")?,
        times: parts.get("times")?,
        schedule: parts.get("schedule")?,
        close: parts.get("close")?,
        note: parts.get("note")?,
        threads_done: parts.get("threadsDone")?,
        hooks: Hooks {
            moved: parts.get("moved")?,
            sent: parts.get("sent")?,
            answer: parts.get("answer")?,
        },
    })
}
