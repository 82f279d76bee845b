//! Models: behavioural programs as text (`*.bp`) or as tables (`*.bp.json`).
//!
//! A behavioural program is a set of b-threads, each of which requests, waits for and blocks
//! events. [`Model::open`] reads a file or a built-in model, [`Model::parse`] a text.

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
pub use source::{BUILTIN, Source};

/// A model that can be explored.
#[derive(Clone, Debug)]
pub struct Model {
    /// Its name, of the model itself or of its file.
    pub name: String,
    /// What it does.
    pub program: Program,
    /// Known faults of the system that it describes, by the word of events that triggers each.
    pub faults: Vec<NamedWord>,
    /// Requirements of the system, by the word of events that a test of each contains.
    pub requirements: Vec<NamedWord>,
    /// The length of words that the model recommends, `default t = N`; `None` if it has none.
    pub strength: Option<u32>,
    /// What may be a mistake, one line each.
    pub warnings: Vec<String>,
}

/// A fault or a requirement of a system by events, one directly after the other, that trigger the fault
/// or that a test of the requirement contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedWord {
    /// Its name.
    pub name: String,
    /// The events, each one of some.
    pub word: Vec<Vec<EventId>>,
}

impl NamedWord {
    /// Whether a test has the events one directly after the other.
    pub fn is_in(&self, test: &[EventId]) -> bool {
        let is = |window: &[EventId]| {
            window.iter().zip(&self.word).all(|(event, allowed)| allowed.contains(event))
        };
        self.word.is_empty() || test.windows(self.word.len()).any(is)
    }

    /// Whether a test has the events in this order, others between them or not.
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
    /// Reads a model from a file, or a built-in one by its name, such as `builtin:abp`.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or the first place at fault.
    pub fn open(path: &str) -> Result<Model, ModelError> {
        Source::open(path)?.model()
    }

    /// Reads a model from its text.
    ///
    /// # Errors
    ///
    /// The first place at fault.
    pub fn parse(name: &str, text: &str) -> Result<Model, ModelError> {
        Source::of_text(name, text).model()
    }

    /// The model in table form, as JSON. A model with data becomes one thread whose states are
    /// those of the model.
    ///
    /// # Errors
    ///
    /// If the model has more than `limit` states.
    pub fn tables(&self, limit: usize) -> Result<String, String> {
        table::write(self, limit)
    }

    /// What may be a mistake: events that no thread requests.
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
