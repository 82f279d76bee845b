//! Execution of scripts.

use std::cell::RefCell;
use std::rc::Rc;

use catherd_javascript_engine::{Engine, Host, Limits, Session};

pub(crate) fn small() -> Limits {
    Limits { turn: 20, test: 1_000, memory: 16 << 20, stack: 256 << 10, timers: 1_000 }
}

/// Evaluates a script, and executes its jobs and timers. Returns the lines of the console, followed
/// by errors.
pub(crate) fn run(limits: Limits, script: &str) -> String {
    run_with(limits, script, |_| ())
}

pub(crate) fn run_with(
    limits: Limits,
    script: &str,
    then: impl for<'js> FnOnce(&Session<'js>),
) -> String {
    let lines = Rc::new(RefCell::new(Vec::new()));
    let log = Rc::clone(&lines);
    let mut state = 0.0;
    let host = Host {
        random: Box::new(move || {
            state = (state + 0.618_033_988_749_895) % 1.0;
            state
        }),
        log: Box::new(move |_, line| log.borrow_mut().push(line.to_owned())),
        ..Host::default()
    };
    let engine = Engine::new(limits, host).unwrap();
    engine
        .enter(|session| {
            let mut thrown = session.evaluate::<()>("suite.js", script).err();
            session.drain();
            while session.stopped().is_none() {
                let Some(due) = session.clock().next_due() else { break };
                session.clock().advance_to(due);
                session.begin_turn();
                while let Some(true) = session
                    .fire_timer()
                    .map_err(|error| thrown = thrown.take().or(Some(error)))
                    .unwrap_or(true)
                    .then_some(session.stopped().is_none())
                {
                    session.drain();
                }
            }
            let mut lines = lines.borrow_mut();
            match (session.stopped(), thrown) {
                (Some(stop), _) => lines.push(format!("ended: {stop}")),
                (None, Some(thrown)) => {
                    let place = match (thrown.line, thrown.column) {
                        (Some(line), Some(column)) => format!(" at {line}:{column}"),
                        _ => String::new(),
                    };
                    lines.push(format!("threw: {thrown}{place}"));
                }
                (None, None) => {}
            }
            for rejection in session.unhandled_rejections() {
                lines.push(format!("unhandled: {rejection}"));
            }
            drop(lines);
            then(session);
        })
        .unwrap();
    lines.borrow().join("\n")
}
