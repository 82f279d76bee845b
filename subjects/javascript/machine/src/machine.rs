//! The machine: executes tests on a program.

mod statements;

use std::collections::BTreeSet;
use std::rc::Rc;

use catherd_javascript_engine::Session;
use catherd_search::Stream;
use serde::Deserialize;
use serde_json::Value;

use crate::execution::{Evidence, Execution, TestOutcome, Thrown};
use crate::live::{Live, PROXY, SUBJECT, met};
use crate::program::Program;
use crate::settings::{ExecuteOptions, MachineSettings};
use crate::statement::Statement;
use statements::{Ended, statements};

/// The limit of a test that uses a part of Node.js that this machine lacks.
const UNSUPPORTED: &str = "unsupported";

/// The reason why the machine cannot continue.
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
    known_classes: Option<BTreeSet<String>>,
}

#[derive(Default, Deserialize)]
struct Report {
    records: Vec<Evidence>,
    traps: u64,
    types: Vec<String>,
}

impl Machine {
    /// A machine with a seed for the random values of proxies.
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

    /// From now on, describes the class of a result if the name of the class is new
    /// ([`Execution::classes`]).
    pub fn look_for_classes(&mut self, known: impl Iterator<Item = String>) {
        self.known_classes = Some(known.collect());
    }

    /// Number of executed tests and of analyses.
    pub fn loads(&self) -> u64 {
        self.loads
    }

    fn live(&mut self) -> Result<Live, MachineError> {
        match self.live.take() {
            Some(live) => Ok(live),
            None => Live::new(&self.program, &self.settings).map_err(MachineError),
        }
    }

    /// The classes, functions and values of the program, as the analyser of the prelude reports
    /// them.
    ///
    /// # Errors
    /// If the engine does not start, or if the program cannot be loaded.
    pub fn analyse(&mut self) -> Result<Value, MachineError> {
        let mut live = self.live()?;
        let text = live.within_the_stack(|live| {
            live.clear();
            let text = live.enter(|session| {
                session.resume(self.settings.load_polls);
                let text = live.call::<_, String>(session, "analyse", ());
                match (live.stopped(session), text) {
                    (Some(limit), _) => Err(met(limit)),
                    (None, text) => text.map_err(|thrown| thrown.to_string()),
                }
            });
            text.and_then(|text| text)
        });
        let text = text
            .map_or_else(|deep| Err(met(deep.limit)), |(text, _)| text)
            .map_err(MachineError)?;
        self.loads += 1;
        serde_json::from_str(&text).map_err(|error| MachineError(error.to_string()))
    }

    /// Sources of the regular expressions that loading constructs from strings.
    ///
    /// # Errors
    /// If the engine does not start.
    pub fn constructed_patterns(&mut self) -> Result<Vec<String>, MachineError> {
        let mut live = self.live()?;
        let text = live.within_the_stack(|live| {
            live.clear();
            live.enter(|session| {
                session.resume(self.settings.load_polls);
                let text = live.call::<_, String>(session, "constructedPatterns", ());
                text.ok().filter(|_| live.stopped(session).is_none())
            })
        });
        let text = text.ok().and_then(|(text, _)| text.ok()).flatten().unwrap_or_default();
        let found: BTreeSet<String> = serde_json::from_str(&text).unwrap_or_default();
        Ok(found.into_iter().collect())
    }

    /// The branch distance of an operator, or of `truthy`, from an outcome. Operands are JavaScript
    /// expressions.
    ///
    /// # Errors
    /// If an operand cannot be evaluated, or the engine does not start.
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
        let before = self.proxy.clone();
        let attempt = |live: &mut Live| {
            self.proxy = before.clone();
            self.attempt(live, &text, test, options)
        };
        let mut result = match live.within_the_stack(attempt) {
            Ok((result, deep))
                if !deep || !result.as_ref().is_ok_and(|(it, _)| it.met_a_count()) =>
            {
                result
            }
            // Builds differ in whether endless recursion exceeds the stack before it reaches
            // another limit.
            ended => {
                let limit = ended.err().map_or("frames", |deep| deep.limit);
                self.proxy = before;
                let steps = options.steps.unwrap_or(self.settings.steps);
                Ok((live.without_result(limit, steps), After::Stopped))
            }
        };
        if let Ok((execution, after)) = &mut result
            && execution.outcome == TestOutcome::Limit(UNSUPPORTED)
        {
            // In Node.js, the test would reach these units differently or not at all.
            *execution = live.without_result(UNSUPPORTED, execution.steps);
            *after = After::Stopped;
        }
        self.loads += 1;
        if let (Ok((execution, After::Usable)), Some(known)) =
            (&mut result, &mut self.known_classes)
        {
            let new = new_classes(execution, known);
            if !new.is_empty() {
                let describe =
                    |live: &mut Live| live.enter(|session| describe(live, session, &new));
                let found = live.within_the_stack(describe);
                execution.classes =
                    found.map_or(Ok(Vec::new()), |(found, _)| found).map_err(MachineError)?;
            }
        }
        if self.settings.reuse {
            self.live = Some(live);
        }
        result.map(|(execution, _)| execution).map_err(MachineError)
    }

    /// The result of a test that is not executed, because the test would end the process of the
    /// engine: the limit `crash`, and nothing reached.
    ///
    /// # Errors
    /// If the engine does not start.
    pub fn leave_out(&mut self, options: ExecuteOptions) -> Result<Execution, MachineError> {
        let live = self.live()?;
        let steps = options.steps.unwrap_or(self.settings.steps);
        let execution = live.without_result("crash", steps);
        if self.settings.reuse {
            self.live = Some(live);
        }
        Ok(execution)
    }

    fn attempt(
        &mut self,
        live: &mut Live,
        text: &str,
        test: &[Statement],
        options: ExecuteOptions,
    ) -> Result<(Execution, After), String> {
        let shared = Rc::clone(&live.shared);
        std::mem::swap(&mut *shared.proxy.borrow_mut(), &mut self.proxy);
        let settings = &self.settings;
        let result = live.load(settings, options).and_then(|ended| {
            live.enter(|session| execute(live, session, settings, text, test, options, ended))
        });
        std::mem::swap(&mut *shared.proxy.borrow_mut(), &mut self.proxy);
        result
    }
}

/// The state of a context after a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum After {
    /// Functions of the prelude can be called.
    Usable,
    /// Functions of the prelude must not be called.
    Stopped,
}

/// `loading` is the outcome if loading failed.
fn execute(
    live: &Live,
    session: &Session<'_>,
    settings: &MachineSettings,
    text: &str,
    test: &[Statement],
    options: ExecuteOptions,
    loading: Option<TestOutcome>,
) -> (Execution, After) {
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
    session.resume(settings.polls);
    let report = live.call::<_, String>(session, "report", ());
    let report: Report =
        report.ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let after = match ended.after.take() {
        Some(states) if !stopped => states,
        None if !stopped && options.observe => (0..ended.at.min(test.len()))
            .map(|index| statements::state(live, session, index))
            .collect(),
        _ => Vec::new(),
    };
    steps += report.traps;
    if ended.outcome == TestOutcome::Limit("steps") || steps > most_steps {
        // Report exactly the limit, because the number of steps beyond it depends on when the
        // engine polled.
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
        stray: ended.stray,
        after,
    };
    let broken = session.stopped().is_some() || session.unhandled_rejections().len() > 100;
    let after = if stopped || broken { After::Stopped } else { After::Usable };
    (execution, after)
}

fn thrown_by(thrown: catherd_javascript_engine::Thrown) -> TestOutcome {
    let thrown = Thrown { name: thrown.name, message: thrown.message, value: Value::Null };
    TestOutcome::Threw { thrown, rejected: false }
}

impl Live {
    /// An execution that has reached nothing.
    fn without_result(&self, limit: &'static str, steps: u64) -> Execution {
        let (mut counters, mut outcomes, mut least) = self.shared.counts();
        counters.fill(0);
        outcomes.iter_mut().for_each(|counts| counts.fill(0));
        least.fill(1.0);
        Execution {
            outcome: TestOutcome::Limit(limit),
            ended: 0,
            steps,
            traps: 0,
            counters,
            outcomes,
            least,
            evidence: Vec::new(),
            observed: Vec::new(),
            awaited: Vec::new(),
            types: Vec::new(),
            classes: Vec::new(),
            useful: None,
            trace: Vec::new(),
            repeatable: false,
            stray: "",
            after: Vec::new(),
        }
    }

    /// Returns the outcome of the test if loading fails.
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
                    self.drain(session);
                    (None, session.stopped().is_none())
                }
            }
        })?;
        if complete && !self.engine.exceeded_stack() {
            self.keep_loaded(&options, settings);
        }
        Ok(ended)
    }
}

/// From this number of known names on, new classes are not looked for.
const MAX_CLASSES: usize = 200;

/// Returns the indices of the results whose classes were unknown, with the names of the classes.
fn new_classes(execution: &Execution, known: &mut BTreeSet<String>) -> Vec<(usize, String)> {
    let mut new = Vec::new();
    if matches!(execution.outcome, TestOutcome::Limit(_)) {
        return new;
    }
    for (index, type_) in execution.types.iter().enumerate() {
        let name = type_.strip_prefix("object:").filter(|name| !name.is_empty());
        if let Some(name) = name
            && known.len() < MAX_CLASSES
            && known.insert(name.to_owned())
        {
            new.push((index, name.to_owned()));
        }
    }
    new
}

fn describe(live: &Live, session: &Session<'_>, results: &[(usize, String)]) -> Vec<Value> {
    let describe = |(index, name): &(usize, String)| {
        let text = live.call::<_, String>(session, "describe", (*index,)).ok()?;
        serde_json::from_str(&text).ok().filter(|class: &Value| class["name"] == **name)
    };
    results.iter().filter_map(describe).collect()
}
