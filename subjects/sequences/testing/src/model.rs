//! Models: behavioural programs, for example as text (`*.bp`) or as tables (`*.bp.json`).
//!
//! A behavioural program is a set of b-threads, each of which requests, waits for and blocks
//! events. [`Model::open`] reads a file or a built-in model, and [`Model::parse`] reads a string.

mod compile;
mod error;
mod graphwalker;
mod javascript;
mod parser;
mod source;
mod syntax;
mod table;
mod token;

use crate::events::{EventId, EventSet};
use crate::program::{Body, Program};

pub use error::ModelError;
pub(crate) use error::closest;
pub use source::{BUILTIN, ModelSource};
pub use table::TableFormError;

/// A model that can be explored.
#[derive(Clone, Debug)]
pub struct Model {
    /// The name of the model.
    pub name: String,
    /// The compiled program.
    pub program: Program,
    /// Known faults of the described system, with the events that trigger each fault.
    pub faults: Vec<NamedWord>,
    /// Requirements of the system, each with the events that a test of the requirement contains.
    pub requirements: Vec<NamedWord>,
    /// The recommended length of words (`default t = N`), if the model has one.
    pub strength: Option<u32>,
    /// Possible mistakes in the model, one line each.
    pub warnings: Vec<String>,
}

/// A fault or a requirement of a system, with a word of events: these events, directly after one
/// another, trigger the fault, or test the requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedWord {
    /// The name.
    pub name: String,
    /// The alternative events for each position.
    pub word: Vec<Vec<EventId>>,
}

impl NamedWord {
    /// Whether a test contains the events directly after one another.
    pub fn is_in(&self, test: &[EventId]) -> bool {
        let is = |window: &[EventId]| {
            window.iter().zip(&self.word).all(|(event, allowed)| allowed.contains(event))
        };
        self.word.is_empty() || test.windows(self.word.len()).any(is)
    }

    /// Whether a test contains the events in this order, possibly with other events between them.
    pub fn is_apart_in(&self, test: &[EventId]) -> bool {
        let mut left = self.word.as_slice();
        for event in test {
            if left.first().is_some_and(|allowed| allowed.contains(event)) {
                left = &left[1..];
            }
        }
        left.is_empty()
    }
}

impl Model {
    /// Reads a model from a file, or a built-in model such as `builtin:abp`.
    ///
    /// # Errors
    ///
    /// If the model cannot be read or has an error.
    pub fn open(path: &str) -> Result<Model, ModelError> {
        ModelSource::open(path)?.model()
    }

    /// Reads a model from its text.
    ///
    /// # Errors
    ///
    /// If the model has an error.
    pub fn parse(name: &str, text: &str) -> Result<Model, ModelError> {
        ModelSource::of_text(name, text).model()
    }

    /// The model as tables, in JSON. A model with data, guards, or threads that are not tables
    /// becomes a single thread with the states of the model.
    ///
    /// # Errors
    ///
    /// If the model has too many states, or breaks one of its own rules.
    pub fn tables(&self, limit: usize) -> Result<String, TableFormError> {
        table::write(self, limit)
    }

    fn find_warnings(&mut self) {
        let program = &self.program;
        let events = program.events().len();
        let mut requested = EventSet::empty(events);
        let mut whole = true;
        for thread in &program.threads {
            match &thread.body {
                Body::Table(rows, first) => {
                    if first.is_none() && thread.guard.is_none() {
                        self.warnings.push(format!("thread `{}` ends at once", thread.name));
                    }
                    for row in rows {
                        let words = requested.words_mut().iter_mut();
                        words.zip(program.set(row.request)).for_each(|(a, b)| *a |= b);
                    }
                }
                Body::Code(_) => whole = false,
            }
        }
        if !whole {
            return;
        }
        let silent = (0..events as EventId).filter(|&event| !requested.contains(event));
        let silent: Vec<_> = silent.map(|event| program.events().get(event).to_string()).collect();
        if !silent.is_empty() {
            let (shown, rest) = silent.split_at(silent.len().min(5));
            let more =
                if rest.is_empty() { String::new() } else { format!(", {} more", rest.len()) };
            self.warnings.push(format!("no thread requests {}{more}", shown.join(", ")));
        }
    }
}
