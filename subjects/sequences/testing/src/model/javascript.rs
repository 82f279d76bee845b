//! Models in JavaScript, in the style of BPjs, are converted to tables. B-threads are functions
//! that call `sync`.
//!
//! A b-thread is called again for each of its states, so data outside it must not change. States
//! are distinguished by the statements that follow them, up to a horizon, so a long loop may be
//! taken for an endless loop.

use catherd_javascript_engine::quickjs::Function;
use catherd_javascript_engine::{Engine, Host, Limits, Session, Stop, Thrown};

use super::error::ModelError;
use crate::span::Span;

/// A script that defines the objects of BPjs; its value is the function that converts the
/// b-threads.
const OBJECTS: &str = include_str!("javascript.js");

/// The name of the model's file in errors of the engine.
const FILE: &str = "model.bp.js";

/// Maximum work of the engine for a model, in the units of [`Limits::turn`].
const OPERATIONS: u64 = 10_000;

/// Maximum memory of a model in bytes.
const MEMORY: usize = 512 << 20;

fn failed(cause: impl Into<String>) -> ModelError {
    ModelError::new(Span::default(), cause)
}

fn thrown(session: &Session<'_>, thrown: &Thrown) -> ModelError {
    match session.stopped() {
        Some(Stop::Operations) => failed("the b-threads do not stop computing")
            .hint("let each loop of a b-thread call `sync`, or write the model as *.bp"),
        Some(Stop::Memory) => {
            failed("the b-threads need too much memory").hint("write the model as *.bp")
        }
        Some(Stop::Caller | Stop::Stack) => failed("the engine stopped the script"),
        None => {
            let (line, column) = (thrown.line.unwrap_or(0), thrown.column.unwrap_or(0));
            let error = match thrown.name.as_str() {
                "Error" | "" => thrown.message.clone(),
                _ => thrown.to_string(),
            };
            ModelError::new(Span { file: 0, line, column }, error).hint(
                "correct the script; BPjs has bp.Event, bp.registerBThread, and bp.sync with \
                 request, waitFor, block",
            )
        }
    }
}

pub(super) fn convert(text: &str) -> Result<String, ModelError> {
    convert_within(OPERATIONS, text)
}

fn convert_within(operations: u64, text: &str) -> Result<String, ModelError> {
    let limits = Limits { turn: operations, test: operations, memory: MEMORY, ..Limits::default() };
    let started = Engine::new(limits, Host::default());
    let engine = started.map_err(|error| failed(error.to_string()))?;
    let tables = engine.enter(|session| {
        let error = |cause: Thrown| thrown(session, &cause);
        let tables: Function<'_> = session.evaluate("objects.js", OBJECTS).map_err(error)?;
        session.evaluate::<()>(FILE, text).map_err(error)?;
        session.call::<_, String>(&tables, ()).map_err(error)
    });
    let tables: String = tables.map_err(|error| failed(error.to_string()))??;
    if !tables.starts_with('{') {
        return Err(failed("the script changes how objects are written as JSON")
            .hint("leave JSON and Object.prototype as they are"));
    }
    Ok(tables)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::table;
    use crate::space::Space;

    fn space(text: &str) -> Space {
        let tables = convert_within(4_000, text).unwrap_or_else(|error| panic!("{error}"));
        let model = table::read("test", &tables).unwrap_or_else(|error| panic!("{error}"));
        Space::explore(&model.program, 100_000).unwrap()
    }

    fn refusal(text: &str) -> String {
        let error = convert_within(100, text).expect_err("the model cannot be used");
        assert!(!error.hint.is_empty(), "{error}");
        error.to_string()
    }

    #[test]
    fn b_threads_that_call_sync_are_tables() {
        let hot_and_cold = r#"
            bp.registerBThread("hot", function () {
                for (let i = 0; i < 3; i++) bp.sync({ request: bp.Event("HOT") });
            });
            bp.registerBThread("cold", function () {
                for (let i = 0; i < 3; i++) bp.sync({ request: bp.Event("COLD") });
            });"#;
        let free = space(hot_and_cold);
        assert_eq!((free.states(), free.counts(None).traces.unwrap().maximal), (16, 20_u32.into()));
        let interleaved = hot_and_cold.to_owned()
            + r#"bthread("interleave", () => {
                while (true) {
                    sync({ waitFor: Event("HOT"), block: Event("COLD") });
                    sync({ waitFor: [Event("COLD")], block: Event("HOT") });
                }
            });"#;
        assert_eq!(space(&interleaved).states(), 7);
        assert_eq!(space(&interleaved).edge_count(), 6);
    }

    #[test]
    #[ignore = "slow"]
    fn events_have_fields_and_variables_of_b_threads_are_states() {
        let text = r#"
            const users = ["anna", "ben"];
            users.forEach(who => bthread("login " + who, function () {
                bp.sync({ request: bp.Event("login", { who }), interrupt: bp.Event("stop") });
                bp.sync({ request: bp.Event("stop") });
            }));
            const logins = bp.EventSet("logins", e => e.name === "login");
            bthread("in another order", function () {
                const first = bp.sync({ waitFor: logins });
                bp.sync({ waitFor: logins.and(bp.EventSet("other", e => e.data.who !== first.data.who)),
                          block: bp.Event("stop") });
            });"#;
        let space = space(text);
        // Both log in, in either order. Then one `stop` serves the requests of both.
        assert_eq!(space.counts(None).traces.unwrap().maximal, 2_u32.into());
        assert_eq!(space.occurring().len(), 3);
        let counter = r#"bthread("counter", function () {
            for (let i = 0; i < 90; i++) sync({ waitFor: bp.all });
            sync({ request: "end", block: "tick", priority: 2 });
        });
        bthread("clock", () => { while (true) sync({ request: ["tick", "tock"] }); });"#;
        // Two edges for each of 90 waits, then only the edge `end` because of its priority, and two
        // edges that repeat.
        assert_eq!(space_of(counter), (92, 183));
    }

    fn space_of(text: &str) -> (usize, usize) {
        let space = space(text);
        (space.states(), space.edge_count())
    }

    #[test]
    fn what_cannot_be_converted_has_a_reason() {
        let in_thread = |body: &str| format!("bthread('t', function () {{ {body} }});");
        for (text, expected) in [
            ("let x = ;", "SyntaxError"),
            ("let x = 1;", "no b-thread"),
            ("sync({ request: 'a' });", "outside of a b-thread"),
            (&in_thread("while (true) {}"), "do not stop computing"),
            (&in_thread("sync({ ask: 'a' })"), "unknown part `ask`"),
            (&in_thread("sync(1)"), "sync needs an object"),
            (&in_thread("sync({ request: 1 })"), "is not an event"),
            (
                &in_thread("try { sync({ request: 'a' }) } catch (e) { sync({ request: 'b' }) }"),
                "catch",
            ),
            (&in_thread("bp.store.get('a')"), "share"),
            (&in_thread("bthread('u', () => 1)"), "must not register"),
            (&in_thread("for (let i = 0; ; i++) sync({ request: 'a' + i })"), "computing"),
            (&in_thread("nothing.here"), "nothing"),
            (
                "let n = 0; bthread('t', () => { n++; if (n < 5) sync({ request: 'a' }) })",
                "outside of it",
            ),
            ("bthread('t', () => sync({ request: bp.Event('a', { event: 1 }) }))", "field `event`"),
            (
                "Object.prototype.toJSON = () => 1; bthread('t', () => sync({ request: 'a' }))",
                "written as JSON",
            ),
            (
                "JSON.stringify = () => '[[['; bthread('t', () => sync({ request: 'a' }))",
                "written as JSON",
            ),
        ] {
            let error = refusal(text);
            assert!(error.contains(expected), "{text}: {error}");
        }
        let place = refusal("\n\nbthread('t', function () {\n  nope();\n});");
        assert!(place.starts_with("line 4, column 3: ReferenceError"), "{place}");
    }
}
