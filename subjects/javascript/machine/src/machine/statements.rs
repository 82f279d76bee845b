//! Execution of the statements of a test.

use catherd_javascript_engine::Session;
use serde_json::Value;

use crate::execution::{Reached, TestOutcome, Thrown};
use crate::live::Live;
use crate::settings::{ExecuteOptions, MachineSettings};
use crate::statement::Statement;

pub(super) struct Ended {
    pub(super) outcome: TestOutcome,
    pub(super) at: usize,
    pub(super) observed: Vec<Value>,
    pub(super) awaited: Vec<bool>,
    pub(super) trace: Vec<Reached>,
    pub(super) useful: Option<usize>,
    /// See [`Execution::stray`](crate::Execution::stray).
    pub(super) stray: &'static str,
    /// See [`Execution::after`](crate::Execution::after); `None` if the states were not recorded.
    pub(super) after: Option<Vec<Value>>,
}

impl Ended {
    pub(super) fn new(outcome: TestOutcome, at: usize) -> Ended {
        let (observed, awaited, trace) = (Vec::new(), Vec::new(), Vec::new());
        Ended { outcome, at, observed, awaited, trace, useful: None, stray: "", after: None }
    }

    fn stopped_at(self, outcome: TestOutcome, at: usize) -> Ended {
        Ended { outcome, at, useful: None, ..self }
    }
}

pub(super) fn state(live: &Live, session: &Session<'_>, index: usize) -> Value {
    let text = live.call::<_, String>(session, "stateOf", (index,));
    text.ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or(Value::Null)
}

/// Executes the statements one by one. Functions passed to `process.nextTick`, jobs of promises and
/// timers are executed where a promise is awaited, and after the last statement, as in a test that
/// is written as code.
pub(super) fn statements(
    live: &Live,
    session: &Session<'_>,
    settings: &MachineSettings,
    test: &[Statement],
    options: ExecuteOptions,
) -> Ended {
    let mut ended = Ended::new(TestOutcome::Passed, test.len());
    let mut timers = Timers::default();
    // The rejections of loading are not a result of the test.
    session.unhandled_rejections();
    let mut reached = live.shared.reached();
    let mut useful = reached.map(|_| 0);
    for (index, _) in test.iter().enumerate() {
        session.begin_turn();
        let code = live.call::<_, i32>(session, "run", (index,));
        let mut code = code.unwrap_or(1);
        let mut rejected = false;
        ended.awaited.push(code == 2);
        if code == 2 {
            timers.failed |= live.run_ticks(session);
            timers.failed |= live.drain(session);
            code = settle(live, session, settings, &mut timers);
            rejected = code == 2;
        }
        if let Some(limit) = live.stopped(session) {
            return ended.stopped_at(TestOutcome::Limit(limit), index);
        }
        if timers.count > settings.timers {
            return ended.stopped_at(TestOutcome::Limit("timers"), index);
        }
        if code == 1 && !rejected || code == 2 {
            let text = live.call::<_, String>(session, "exception", ());
            let text = text.unwrap_or_else(|_| r#"{"name":"","message":""}"#.to_owned());
            let thrown: Thrown = serde_json::from_str(&text).unwrap_or_default();
            if let Some(limit) = thrown.limit() {
                return ended.stopped_at(TestOutcome::Limit(limit), index);
            }
            let mut ended = ended.stopped_at(TestOutcome::Threw { thrown, rejected }, index);
            if options.observe {
                // Execute pending work before the test ends, as happens in a test that is written
                // as code.
                ended.after = Some((0..index).map(|each| state(live, session, each)).collect());
                ended.stray = timers.finish(live, session, settings);
                if let Some(limit) = timers.limit(live, session, settings) {
                    ended.outcome = TestOutcome::Limit(limit);
                }
            }
            return ended;
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
    if options.observe {
        // Record states before pending work continues, because tests that are written as code
        // compare them at this time.
        let states = (0..test.len()).map(|index| state(live, session, index));
        ended.after = Some(states.collect());
    }
    ended.stray = timers.finish(live, session, settings);
    if live.shared.reached() != reached {
        useful = None;
    }
    if let Some(limit) = timers.limit(live, session, settings) {
        ended.outcome = TestOutcome::Limit(limit);
    }
    Ended { useful, ..ended }
}

#[derive(Default)]
struct Timers {
    count: usize,
    /// Whether a timer, or a function passed to `process.nextTick`, has thrown an exception.
    failed: bool,
}

/// Runs timers until the awaited promise settles, no timer is left, or a limit is reached. Returns
/// 2 if the promise was rejected, otherwise 0.
fn settle(
    live: &Live,
    session: &Session<'_>,
    settings: &MachineSettings,
    timers: &mut Timers,
) -> i32 {
    loop {
        let more = timers.count <= settings.timers && session.stopped().is_none();
        match live.call::<_, i32>(session, "isSettled", ()) {
            Ok(2) => return 2,
            Ok(0) if more && timers.fire(live, session) => {}
            _ => return 0,
        }
    }
}

impl Timers {
    fn limit(
        &self,
        live: &Live,
        session: &Session<'_>,
        settings: &MachineSettings,
    ) -> Option<&'static str> {
        live.stopped(session).or((self.count > settings.timers).then_some("timers"))
    }

    /// Executes all pending work. Returns [`Execution::stray`](crate::Execution::stray).
    fn finish(
        &mut self,
        live: &Live,
        session: &Session<'_>,
        settings: &MachineSettings,
    ) -> &'static str {
        session.begin_turn();
        self.failed |= live.run_ticks(session);
        self.failed |= live.drain(session);
        while self.count <= settings.timers && self.fire(live, session) {}
        match session.unhandled_rejections().is_empty() {
            false => "rejection",
            true if self.failed => "timer",
            true => "",
        }
    }

    /// Returns whether another timer may be called.
    fn fire(&mut self, live: &Live, session: &Session<'_>) -> bool {
        let Some(due) = session.clock().next_due() else { return false };
        self.count += 1;
        session.clock().advance_to(due);
        session.begin_turn();
        // An exception in a timer ends only this timer.
        self.failed |= session.fire_timer().is_err();
        self.failed |= live.run_ticks(session);
        self.failed |= live.drain(session);
        session.stopped().is_none()
    }
}
