//! The machine: executes tests on a program.

use std::collections::BTreeSet;
use std::rc::Rc;

use catherd_javascript_engine::Session;
use catherd_search::Stream;
use serde::Deserialize;
use serde_json::Value;

use crate::execution::{Evidence, Execution, Reached, TestOutcome, Thrown};
use crate::live::{Live, PROXY, SUBJECT};
use crate::program::Program;
use crate::settings::{ExecuteOptions, MachineSettings};
use crate::statement::Statement;

/// The machine cannot continue.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the JavaScript machine: {0}")]
pub struct MachineError(String);

/// Executes tests on a program.
pub struct Machine {
    live: Option<Live>,
    program: Rc<Program>,
    settings: MachineSettings,
    proxy: Stream,
    loads: u64,
    /// Names of the known classes; `None` if new classes are not looked for.
    known_classes: Option<BTreeSet<String>>,
}

/// The report of the prelude after a test.
#[derive(Default, Deserialize)]
struct Report {
    records: Vec<Evidence>,
    traps: u64,
    types: Vec<String>,
}

/// The result of executing the statements of a test.
struct Ended {
    outcome: TestOutcome,
    at: usize,
    observed: Vec<Value>,
    awaited: Vec<bool>,
    trace: Vec<Reached>,
    useful: Option<usize>,
}

impl Machine {
    /// A machine with a seed for the numbers of proxies.
    pub fn new(program: &Rc<Program>, settings: MachineSettings, seed: u64) -> Machine {
        Machine {
            live: None,
            program: Rc::clone(program),
            settings,
            proxy: Stream::new(seed, PROXY),
            loads: 0,
            known_classes: None,
        }
    }

    /// From now on, describes the class of a result if its name is new ([`Execution::classes`]).
    pub fn look_for_classes(&mut self, known: impl Iterator<Item = String>) {
        self.known_classes = Some(known.collect());
    }

    /// How often the program was loaded, by its evaluation or from an image.
    pub fn loads(&self) -> u64 {
        self.loads
    }

    fn live(&mut self) -> Result<Live, MachineError> {
        match self.live.take() {
            Some(live) => Ok(live),
            None => Live::new(&self.program, &self.settings).map_err(MachineError),
        }
    }

    /// The classes, functions and values of the program, as the analyser of the prelude reports them.
    ///
    /// # Errors
    /// If the program cannot be loaded.
    pub fn analyse(&mut self) -> Result<Value, MachineError> {
        let mut live = self.live()?;
        live.clear();
        let text = live.enter(|session| {
            session.resume(self.settings.load_polls);
            let text = live.call::<_, String>(session, "analyse", ());
            match (live.stopped(session), text) {
                (Some(limit), _) => Err(format!("the limit `{limit}` is met")),
                (None, text) => text.map_err(|thrown| thrown.to_string()),
            }
        });
        let text = text.and_then(|text| text).map_err(MachineError)?;
        self.loads += 1;
        serde_json::from_str(&text).map_err(|error| MachineError(error.to_string()))
    }

    /// The branch distance of an operator, or of `truthy`, from an outcome. Operands are JavaScript expressions.
    ///
    /// # Errors
    /// If an operand is no expression.
    pub fn distance(
        &mut self,
        operator: &str,
        operands: [&str; 2],
        want: bool,
    ) -> Result<f64, MachineError> {
        let live = self.live()?;
        let result = live.enter(|session| {
            let value = |code: &str| {
                session.evaluate::<catherd_javascript_engine::quickjs::Value>(
                    "operand",
                    &format!("({code})"),
                )
            };
            let values = (operator, value(operands[0])?, value(operands[1])?, want);
            live.call::<_, f64>(session, "distance", values)
        });
        let result = result.map_err(MachineError)?.map_err(|e| MachineError(e.to_string()));
        self.live = Some(live);
        result
    }

    /// Executes a test.
    ///
    /// # Errors
    /// If the engine does not start.
    pub fn execute(
        &mut self,
        test: &[Statement],
        options: ExecuteOptions,
    ) -> Result<Execution, MachineError> {
        let mut live = self.live()?;
        let text = Value::from(test.iter().map(Statement::to_json).collect::<Vec<_>>()).to_string();
        let shared = Rc::clone(&live.shared);
        std::mem::swap(&mut *shared.proxy.borrow_mut(), &mut self.proxy);
        let settings = &self.settings;
        let mut result = live.load(settings, options).and_then(|ended| {
            live.enter(|session| execute(&live, session, settings, &text, test, options, ended))
        });
        std::mem::swap(&mut *shared.proxy.borrow_mut(), &mut self.proxy);
        self.loads += 1;
        if let (Ok((execution, false)), Some(known)) = (&mut result, &mut self.known_classes) {
            let found = live.enter(|session| new_classes(&live, session, execution, known));
            execution.classes = found.map_err(MachineError)?;
        }
        if self.settings.reuse {
            self.live = Some(live);
        }
        result.map(|(execution, _)| execution).map_err(MachineError)
    }
}

/// Executes a test in a context in which the program was loaded. `loading` is how loading ended if it
/// failed. Also returns whether the context must be discarded.
fn execute(
    live: &Live,
    session: &Session<'_>,
    settings: &MachineSettings,
    text: &str,
    test: &[Statement],
    options: ExecuteOptions,
    loading: Option<TestOutcome>,
) -> (Execution, bool) {
    let shared = &live.shared;
    session.resume(settings.load_polls);
    let began = live.call::<_, ()>(session, "begin", (text,));
    let allowance = if options.loading { settings.load_steps } else { 0 };
    let most_steps = options.steps.unwrap_or(settings.steps) + allowance;
    shared.most_steps.set(most_steps);
    let not_loaded = matches!(loading, Some(TestOutcome::Limit(_)));
    let mut ended = match (loading, live.stopped(session), began) {
        (Some(outcome), _, _) => Ended::new(outcome, 0),
        (None, Some(limit), _) => Ended::new(TestOutcome::Limit(limit), 0),
        (None, None, Err(thrown)) => Ended::new(thrown_by(thrown), 0),
        (None, None, Ok(())) => {
            session.resume(settings.polls);
            statements(live, session, settings, test, options)
        }
    };
    let stopped = not_loaded || session.stopped().is_some();
    let mut steps = shared.steps();
    let (counters, outcomes, least) = shared.counts();
    let mut after = Vec::new();
    session.resume(settings.polls);
    let report = live.call::<_, String>(session, "report", ());
    let report: Report =
        report.ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    if options.observe && !stopped {
        for index in 0..ended.at.min(test.len()) {
            let state = live.call::<_, String>(session, "stateOf", (index,));
            let state = state.ok().and_then(|text| serde_json::from_str(&text).ok());
            after.push(state.unwrap_or(Value::Null));
        }
    }
    steps += report.traps;
    if ended.outcome == TestOutcome::Limit("steps") || steps > most_steps {
        // Report exactly the limit, because the number of steps beyond it depends on when the engine polled.
        ended.outcome = TestOutcome::Limit("steps");
        steps = most_steps;
    }
    let asked = shared.drawn.get() || session.clock().was_asked();
    let execution = Execution {
        repeatable: !asked && !matches!(ended.outcome, TestOutcome::Limit(_)),
        outcome: ended.outcome,
        ended: ended.at,
        steps,
        traps: report.traps,
        counters,
        outcomes,
        least,
        evidence: report.records,
        classes: Vec::new(),
        types: report.types,
        useful: ended.useful,
        observed: ended.observed,
        awaited: ended.awaited,
        trace: ended.trace,
        after,
    };
    let broken = session.stopped().is_some() || session.unhandled_rejections().len() > 100;
    (execution, stopped || broken)
}

/// The outcome of a test in which a function of the prelude has thrown.
fn thrown_by(thrown: catherd_javascript_engine::Thrown) -> TestOutcome {
    let thrown = Thrown { name: thrown.name, message: thrown.message, value: Value::Null };
    TestOutcome::Threw { thrown, rejected: false }
}

impl Live {
    /// Loads the program into the context, from an image if there is one. Returns the outcome of the test if
    /// loading fails.
    fn load(
        &mut self,
        settings: &MachineSettings,
        options: ExecuteOptions,
    ) -> Result<Option<TestOutcome>, String> {
        self.shared.reason.set(None);
        if self.restore(&options) {
            return Ok(None);
        }
        self.clear();
        *self.shared.subject.borrow_mut() = Stream::new(options.seed, SUBJECT);
        self.shared.drawn.set(false);
        self.shared.most_steps.set(settings.load_steps);
        self.engine.clock().reset();
        self.engine.clock().advance_to(options.later);
        let (ended, complete) = self.enter(|session| {
            session.resume(settings.load_polls);
            let loaded = self.call::<_, ()>(session, "prepare", (options.infer, options.loading));
            match (self.stopped(session), loaded) {
                (Some(limit), _) => (Some(TestOutcome::Limit(limit)), false),
                (None, Err(thrown)) => (Some(thrown_by(thrown)), false),
                (None, Ok(())) => {
                    session.drain();
                    (None, session.stopped().is_none())
                }
            }
        })?;
        if complete {
            self.keep_loaded(&options, settings);
        }
        Ok(ended)
    }
}

/// Maximum number of names of classes that are looked for.
const MAX_CLASSES: usize = 200;

/// Describes the classes of results whose names are not known yet, and adds these names to the known ones.
fn new_classes(
    live: &Live,
    session: &Session<'_>,
    execution: &Execution,
    known: &mut BTreeSet<String>,
) -> Vec<Value> {
    let mut found = Vec::new();
    if matches!(execution.outcome, TestOutcome::Limit(_)) {
        return found;
    }
    for (index, type_) in execution.types.iter().enumerate() {
        let name = type_.strip_prefix("object:").filter(|name| !name.is_empty());
        let Some(name) = name.filter(|name| known.len() < MAX_CLASSES && !known.contains(*name))
        else {
            continue;
        };
        known.insert(name.to_owned());
        let text = live.call::<_, String>(session, "describe", (index,));
        let class = text.ok().and_then(|text| serde_json::from_str(&text).ok());
        found.extend(class.filter(|class: &Value| class["name"] == name));
    }
    found
}

impl Ended {
    fn new(outcome: TestOutcome, at: usize) -> Ended {
        let (observed, awaited, trace) = (Vec::new(), Vec::new(), Vec::new());
        Ended { outcome, at, observed, awaited, trace, useful: None }
    }

    /// The same observations with another outcome, at the statement with this index.
    fn stopped_at(self, outcome: TestOutcome, at: usize) -> Ended {
        Ended { outcome, at, useful: None, ..self }
    }
}

/// Executes the statements one by one, each followed by its promise jobs.
fn statements(
    live: &Live,
    session: &Session<'_>,
    settings: &MachineSettings,
    test: &[Statement],
    options: ExecuteOptions,
) -> Ended {
    let mut ended = Ended::new(TestOutcome::Passed, test.len());
    let mut timers = 0;
    let mut reached = live.shared.reached();
    let mut useful = reached.map(|_| 0);
    for (index, _) in test.iter().enumerate() {
        session.begin_turn();
        let state = live.call::<_, i32>(session, "run", (index,));
        session.drain();
        let mut code = state.unwrap_or(1);
        let mut rejected = false;
        ended.awaited.push(code == 2);
        if code == 2 {
            code = settle(live, session, settings, &mut timers);
            rejected = code == 2;
        }
        if let Some(limit) = live.stopped(session) {
            return ended.stopped_at(TestOutcome::Limit(limit), index);
        }
        if timers > settings.timers {
            return ended.stopped_at(TestOutcome::Limit("timers"), index);
        }
        if code == 1 && !rejected || code == 2 {
            let text = live.call::<_, String>(session, "exception", ());
            let text = text.unwrap_or_else(|_| r#"{"name":"","message":""}"#.to_owned());
            let thrown: Thrown = serde_json::from_str(&text).unwrap_or_default();
            if let Some(limit) = thrown.limit() {
                return ended.stopped_at(TestOutcome::Limit(limit), index);
            }
            return ended.stopped_at(TestOutcome::Threw { thrown, rejected }, index);
        }
        let now = live.shared.reached();
        if now != reached {
            (reached, useful) = (now, Some(index + 1));
        }
        if options.observe {
            let text = live.call::<_, String>(session, "observed", (index,));
            let value = text.ok().and_then(|text| serde_json::from_str(&text).ok());
            ended.observed.push(value.unwrap_or(Value::Null));
        }
        if options.trace {
            ended.trace.push(live.shared.reached_now());
        }
    }
    while timers <= settings.timers && fire(session) {
        timers += 1;
    }
    if live.shared.reached() != reached {
        useful = None;
    }
    ended.outcome = match live.stopped(session) {
        Some(limit) => TestOutcome::Limit(limit),
        None if timers > settings.timers => TestOutcome::Limit("timers"),
        None => TestOutcome::Passed,
    };
    Ended { useful, ..ended }
}

/// Runs timers until the awaited promise settles. Returns 2 if it was rejected; 0 if it was fulfilled or no
/// timer is left that could settle it.
fn settle(
    live: &Live,
    session: &Session<'_>,
    settings: &MachineSettings,
    timers: &mut usize,
) -> i32 {
    loop {
        match live.call::<_, i32>(session, "isSettled", ()) {
            Ok(2) => return 2,
            Ok(0) if session.stopped().is_none() && *timers <= settings.timers && fire(session) => {
                *timers += 1;
            }
            _ => return 0,
        }
    }
}

/// Calls the next timer and runs the promise jobs after it. Returns false if no timer waits.
fn fire(session: &Session<'_>) -> bool {
    let Some(due) = session.clock().next_due() else { return false };
    session.clock().advance_to(due);
    session.begin_turn();
    // Ignore the error: an exception in a timer ends only that timer.
    let _ = session.fire_timer();
    session.drain();
    session.stopped().is_none()
}
