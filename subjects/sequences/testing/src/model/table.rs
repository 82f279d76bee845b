//! Models as tables: `*.bp.json`.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::json;

use crate::events::{Event, EventId, EventSet, Events, FieldValue, MAX_EVENTS, ones};
use crate::program::{Body, EventFacts, MAX_WEIGHT, Next, Program, Row, SetTable, Thread};
use crate::space::{BrokenModel, Space};

use super::compile::MAX_THREADS;
use super::error::{ModelError, closest};
use super::{Model, NamedWord};
use crate::span::Span;

/// Maximum number of states of all threads of a table.
const MAX_ROWS: usize = 1 << 20;

/// Maximum memory of all sets of events, in bytes.
const MAX_SET_BYTES: usize = 256 << 20;

/// Stands for all events in a set, and for all other events in `next`.
const ANY: &str = "*";

#[derive(Serialize, Deserialize)]
struct Tables {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    events: Vec<EventForm>,
    threads: Vec<ThreadForm>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    faults: BTreeMap<String, Vec<Labels>>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    requirements: BTreeMap<String, Vec<Labels>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    t: Option<u32>,
}

/// The alternative events of a position in a word: one label, or several.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Labels {
    One(String),
    Several(Vec<String>),
}

/// An event: its name, or an object with `event` and its fields.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum EventForm {
    Plain(String),
    Fields(Members),
}

/// The members of an object in the order of the fields.
struct Members(Vec<(String, serde_json::Value)>);

impl Serialize for Members {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Members, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with `event` and fields")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Object)
    }
}

#[derive(Serialize, Deserialize)]
struct ThreadForm {
    name: String,
    states: Vec<StateForm>,
}

#[derive(Serialize, Deserialize)]
struct StateForm {
    #[serde(default)]
    request: Vec<String>,
    #[serde(default)]
    wait: Vec<String>,
    #[serde(default)]
    block: Vec<String>,
    #[serde(default)]
    interrupt: Vec<String>,
    #[serde(default, skip_serializing_if = "is_zero")]
    priority: i32,
    #[serde(default = "one", skip_serializing_if = "is_one")]
    weight: u32,
    #[serde(default)]
    next: BTreeMap<String, Option<u32>>,
}

fn one() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_one(number: &u32) -> bool {
    *number == 1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &i32) -> bool {
    *number == 0
}

fn failed(cause: impl Into<String>) -> ModelError {
    ModelError::new(Span::default(), cause)
}

pub(super) fn read(name: &str, text: &str) -> Result<Model, ModelError> {
    let tables: Tables = serde_json::from_str(text).map_err(|error| {
        let span = Span { file: 0, line: error.line() as u32, column: error.column() as u32 };
        let cause = error.to_string();
        let cause = cause.split(" at line").next().unwrap_or_default();
        ModelError::new(span, format!("the tables of the model cannot be read: {cause}"))
            .hint("write {\"events\": [...], \"threads\": [{\"name\", \"states\": [...]}]}")
    })?;
    let mut events = Events::default();
    if tables.events.len() > MAX_EVENTS {
        return Err(failed(format!("{} events: at most {MAX_EVENTS}", tables.events.len())));
    }
    for form in &tables.events {
        let event = event(form)?;
        let label = event.to_string();
        if label == ANY {
            let cause =
                format!("`{ANY}` stands for all other events, so no event may have this name");
            return Err(failed(cause).hint("give the event another name"));
        }
        if events.labelled(&label).is_some() {
            return Err(failed(format!("a second event `{label}`")).hint("list it once"));
        }
        events.add(event);
    }
    if events.is_empty() {
        return Err(failed("the model has no events").hint("list them under `events`"));
    }
    if tables.threads.len() > MAX_THREADS {
        return Err(failed(format!("{} threads: at most {MAX_THREADS}", tables.threads.len())));
    }
    let mut sets = SetTable::new(events.len());
    let mut threads = Vec::new();
    let mut largest = Vec::new();
    let mut rows_of_all = 0;
    for (at, thread) in tables.threads.iter().enumerate() {
        rows_of_all += thread.states.len();
        if rows_of_all > MAX_ROWS {
            return Err(failed(format!("more than {MAX_ROWS} states of threads")));
        }
        let rows = thread.states.iter().enumerate().map(|(number, state)| {
            if sets.bytes() > MAX_SET_BYTES {
                return Err(failed("the sets of events need too much memory"));
            }
            let place = || format!("thread `{}`, state {number}", thread.name);
            row(state, thread.states.len(), &events, &mut sets).map_err(|mut error| {
                error.cause = format!("{}: {}", place(), error.cause);
                error
            })
        });
        let rows: Vec<Row> = rows.collect::<Result<_, _>>()?;
        largest.push(Some(rows.len() as u32));
        let first = (!rows.is_empty()).then_some(0);
        let body = Body::Table(rows, first);
        threads.push(Thread { name: thread.name.clone(), guard: None, body, at });
    }
    let faults = named_words(tables.faults, &events)?;
    let requirements = named_words(tables.requirements, &events)?;
    let has_priorities = tables.threads.iter().any(|t| t.states.iter().any(|s| s.priority != 0));
    let (sets, words) = sets.finish();
    let program = Program {
        effects_of: vec![Vec::new(); events.len()],
        events,
        facts: EventFacts::default(),
        data_at: threads.len(),
        threads,
        sets,
        words,
        effects: Vec::new(),
        data: Vec::new(),
        largest,
        has_priorities,
    };
    let name = tables.name.unwrap_or_else(|| name.to_owned());
    Ok(Model { name, program, faults, requirements, strength: tables.t, warnings: Vec::new() })
}

fn named_words(
    words: BTreeMap<String, Vec<Labels>>,
    events: &Events,
) -> Result<Vec<NamedWord>, ModelError> {
    let place = |labels: &Labels| {
        let labels = match labels {
            Labels::One(label) => std::slice::from_ref(label),
            Labels::Several(labels) => labels,
        };
        Ok(set(labels, events)?.iter().collect())
    };
    let word = |(name, word): (String, Vec<Labels>)| {
        Ok(NamedWord { name, word: word.iter().map(place).collect::<Result<_, ModelError>>()? })
    };
    words.into_iter().map(word).collect()
}

fn event(form: &EventForm) -> Result<Event, ModelError> {
    let fields = match form {
        EventForm::Plain(name) => return Ok(Event::plain(name.clone())),
        EventForm::Fields(Members(members)) => members,
    };
    let name = fields.iter().find(|(member, _)| member == "event").map(|(_, name)| name);
    let Some(serde_json::Value::String(name)) = name else {
        return Err(
            failed("an event without a name").hint("write {\"event\": NAME, \"field\": VALUE}")
        );
    };
    let mut event = Event::plain(name.clone());
    for (field, value) in fields.iter().filter(|(field, _)| field != "event") {
        let value = match value {
            serde_json::Value::String(text) => FieldValue::Text(text.clone()),
            serde_json::Value::Bool(flag) => FieldValue::Flag(*flag),
            value => match value.as_i64().and_then(|number| i32::try_from(number).ok()) {
                Some(number) => FieldValue::Integer(number),
                None => {
                    return Err(failed(format!("event `{name}`, field `{field}`: invalid value"))
                        .hint("give a string, a whole number, true or false"));
                }
            },
        };
        event.fields.push((field.clone(), value));
    }
    Ok(event)
}

/// The events that are given by label or by name.
fn set(labels: &[String], events: &Events) -> Result<EventSet, ModelError> {
    let mut found = EventSet::empty(events.len());
    for label in labels {
        if let Some(event) = events.labelled(label) {
            found.insert(event);
        } else if label == ANY {
            found = EventSet::all(events.len());
        } else if !events.named(label).is_empty() {
            events.named(label).iter().for_each(|&event| found.insert(event));
        } else {
            let error = failed(format!("unknown event `{label}`"));
            return Err(match closest(label, events.names()) {
                Some(near) => error.hint(format!("write `{near}`, if that is what you mean")),
                None => error.hint("list it under `events`"),
            });
        }
    }
    Ok(found)
}

fn row(
    state: &StateForm,
    states: usize,
    events: &Events,
    sets: &mut SetTable,
) -> Result<Row, ModelError> {
    let request = set(&state.request, events)?;
    let mut wake = set(&state.wait, events)?;
    wake.unite(&request);
    let position = |target: Option<u32>| match target {
        None => Ok(0),
        Some(target) if (target as usize) < states => Ok(target + 1),
        Some(target) => {
            Err(failed(format!("`next` is {target}, but the thread has {states} states"))
                .hint("count states from 0"))
        }
    };
    // If there is no default, an event that `next` does not list ends the thread.
    let default = position(state.next.get(ANY).copied().flatten())?;
    let mut others = Vec::new();
    for (label, target) in &state.next {
        let target = position(*target)?;
        if label != ANY {
            others.extend(set(std::slice::from_ref(label), events)?.iter().map(|e| (e, target)));
        }
    }
    others.sort_unstable();
    others.dedup_by_key(|other| other.0);
    Ok(Row {
        request: sets.add(request),
        wake: sets.add(wake),
        block: sets.add(set(&state.block, events)?),
        interrupt: sets.add(set(&state.interrupt, events)?),
        priority: state.priority,
        weight: match state.weight {
            weight @ 1..=MAX_WEIGHT => weight,
            _ => {
                let cause = format!("a weight is a whole number from 1 to {MAX_WEIGHT}");
                return Err(failed(cause));
            }
        },
        next: Next { default, others },
    })
}

/// The reason why a model cannot be written as tables.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableFormError {
    /// The states of the model cannot be explored.
    #[error(transparent)]
    Broken(#[from] BrokenModel),
    /// The tables cannot be converted to JSON.
    #[error("{0}")]
    Json(serde_json::Error),
    /// The model has too many states, or its states need too much memory.
    #[error("the model has more than {limit} states, or its states need too much memory")]
    States {
        /// The maximum number of states.
        limit: usize,
    },
}

pub(super) fn write(model: &Model, limit: usize) -> Result<String, TableFormError> {
    let program = &model.program;
    let plain = program.data.is_empty()
        && program
            .threads
            .iter()
            .all(|thread| thread.guard.is_none() && matches!(thread.body, Body::Table(..)));
    let label = |event: EventId| program.events().get(event).to_string();
    let threads = if plain {
        program.threads.iter().map(|thread| own_form(program, thread)).collect()
    } else {
        let space = Space::explore(program, limit)?;
        if space.truncated() {
            return Err(TableFormError::States { limit });
        }
        let states = (0..space.states() as u32).map(|state| {
            let edges = space.edges(state);
            StateForm {
                request: edges.iter().map(|edge| label(edge.event)).collect(),
                wait: Vec::new(),
                block: Vec::new(),
                interrupt: Vec::new(),
                priority: 0,
                weight: 1,
                next: edges.iter().map(|edge| (label(edge.event), Some(edge.target))).collect(),
            }
        });
        vec![ThreadForm { name: model.name.clone(), states: states.collect() }]
    };
    let event = |event: &Event| match event.fields.as_slice() {
        [] => EventForm::Plain(event.name.clone()),
        fields => {
            let name = ("event".to_owned(), event.name.clone().into());
            let fields = fields.iter().map(|(field, value)| (field.clone(), json!(value)));
            EventForm::Fields(Members([name].into_iter().chain(fields).collect()))
        }
    };
    let place = |events: &Vec<EventId>| match events[..] {
        [event] => Labels::One(label(event)),
        _ => Labels::Several(events.iter().map(|&event| label(event)).collect()),
    };
    let named = |one: &NamedWord| (one.name.clone(), one.word.iter().map(place).collect());
    let tables = Tables {
        name: Some(model.name.clone()),
        events: program.events().list().iter().map(event).collect(),
        threads,
        faults: model.faults.iter().map(named).collect(),
        requirements: model.requirements.iter().map(named).collect(),
        t: model.strength,
    };
    serde_json::to_string_pretty(&tables).map_err(TableFormError::Json)
}

fn own_form(program: &Program, thread: &Thread) -> ThreadForm {
    let label = |event: EventId| program.events().get(event).to_string();
    let labels = |set: u32| ones(program.set(set)).map(label).collect();
    let Body::Table(rows, first) = &thread.body else { unreachable!("checked by the caller") };
    let target = |position: u32| position.checked_sub(1);
    let state = |row: &Row| {
        let wait = ones(program.set(row.wake))
            .filter(|&event| !crate::events::has(program.set(row.request), event));
        let others = row.next.others.iter().map(|(event, at)| (label(*event), target(*at)));
        let mut next: BTreeMap<_, _> = others.collect();
        next.insert(ANY.to_owned(), target(row.next.default));
        StateForm {
            request: labels(row.request),
            wait: wait.map(label).collect(),
            block: labels(row.block),
            interrupt: labels(row.interrupt),
            priority: row.priority,
            weight: row.weight,
            next,
        }
    };
    let states = if first.is_some() { rows.iter().map(state).collect() } else { Vec::new() };
    ThreadForm { name: thread.name.clone(), states }
}
