//! Compiled models, to which models as text and models as tables are converted.
//!
//! A state is a short array of whole numbers: for each thread, its position (0 if the thread has
//! ended or its guard does not hold) and, if its body is code, the live values of its variables;
//! after all threads, the data. Two states are the same if the arrays are equal.

mod code;
mod expression;
mod step;

use crate::events::{EventId, EventSet, Events};
use crate::span::Span;

pub(crate) use code::{Code, Effect, Op, Running, Sync};
pub(crate) use expression::{BinaryOp, Environment, Expr, Place, PlaceStep, SetExpr};
pub use step::{Enabled, Stepper};

/// A compiled model.
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) events: Events,
    pub(crate) facts: EventFacts,
    pub(crate) threads: Vec<Thread>,
    /// Sets of events, to which tables refer by number; each has `words` words.
    pub(crate) sets: Vec<u64>,
    /// Words of one set.
    pub(crate) words: usize,
    pub(crate) effects: Vec<Vec<Effect>>,
    /// The indices in `effects` of each event's effects.
    pub(crate) effects_of: Vec<Vec<u32>>,
    /// The initial values of the data.
    pub(crate) data: Vec<i32>,
    /// The index of the data in a state.
    pub(crate) data_at: usize,
    /// The largest value of each element of a state; `None` if it has no bound, or may be negative.
    pub(crate) largest: Vec<Option<u32>>,
    pub(crate) has_priorities: bool,
}

/// The reason why a model cannot continue: usually, the model breaks a rule of its own data or
/// threads.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{cause}")]
pub struct Fault {
    /// The position in the model.
    pub span: Span,
    /// What is wrong, in one line.
    pub cause: String,
}

impl Fault {
    pub(crate) fn new(span: Span, cause: impl Into<String>) -> Fault {
        Fault { span, cause: cause.into() }
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct EventFacts {
    /// The name of each event as a number; `None` if the name is not a number.
    pub(crate) numbers: Vec<Option<i32>>,
    /// Field numbers and values of each event.
    pub(crate) fields: Vec<Vec<(u32, i32)>>,
    pub(crate) field_names: Vec<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct Thread {
    pub(crate) name: String,
    /// The condition under which the thread exists, if any.
    pub(crate) guard: Option<Expr>,
    pub(crate) body: Body,
    /// The index of the thread's position in a state.
    pub(crate) at: usize,
}

#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// A table of states with their transitions, and the number of the first state, which is `None`
    /// if the thread ends at once.
    Table(Vec<Row>, Option<u32>),
    /// Code, for threads with too many states or states that depend on data.
    Code(Code),
}

pub(crate) const MAX_WEIGHT: u32 = 1_000_000;

/// Number of a set in [`Program::sets`].
pub(crate) type SetId = u32;

/// A state of a thread in a table.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) request: SetId,
    /// The events that are requested or waited for.
    pub(crate) wake: SetId,
    pub(crate) block: SetId,
    pub(crate) interrupt: SetId,
    pub(crate) priority: i32,
    /// The weight of the state's requests in walks.
    pub(crate) weight: u32,
    pub(crate) next: Next,
}

/// The positions at which a thread resumes, by event; 0 ends the thread.
#[derive(Clone, Debug)]
pub(crate) struct Next {
    pub(crate) default: u32,
    /// Other positions, ordered by event.
    pub(crate) others: Vec<(EventId, u32)>,
}

impl Next {
    pub(crate) fn get(&self, event: EventId) -> u32 {
        match self.others.binary_search_by_key(&event, |other| other.0) {
            Ok(found) => self.others[found].1,
            Err(_) => self.default,
        }
    }
}

/// Sets of events, each stored once.
#[derive(Debug)]
pub(crate) struct SetTable {
    events: usize,
    sets: Vec<u64>,
    known: rustc_hash::FxHashMap<EventSet, SetId>,
}

impl SetTable {
    /// The table with the empty set as number 0.
    pub(crate) fn new(events: usize) -> SetTable {
        let mut table = SetTable { events, sets: Vec::new(), known: Default::default() };
        table.add(EventSet::empty(events));
        table
    }

    pub(crate) fn add(&mut self, set: EventSet) -> SetId {
        if let Some(&known) = self.known.get(&set) {
            return known;
        }
        let id = self.known.len() as SetId;
        self.sets.extend(set.words());
        self.known.insert(set, id);
        id
    }

    /// The memory of all sets in bytes. A word takes 16 bytes, because each set is stored in `sets`
    /// and as a key of `known`.
    pub(crate) fn bytes(&self) -> usize {
        16 * self.sets.len()
    }

    pub(crate) fn finish(self) -> (Vec<u64>, usize) {
        (self.sets, self.events.div_ceil(64))
    }
}

impl Program {
    /// The events of the model.
    pub fn events(&self) -> &Events {
        &self.events
    }

    /// The names of the b-threads.
    pub fn thread_names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.threads.iter().map(|thread| thread.name.as_str())
    }

    /// The number of elements of a state.
    pub fn width(&self) -> usize {
        self.data_at + self.data.len()
    }

    pub(crate) fn set(&self, id: SetId) -> &[u64] {
        &self.sets[id as usize * self.words..][..self.words]
    }
}
