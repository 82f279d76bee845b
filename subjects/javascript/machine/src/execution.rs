//! The result of the execution of a test.

use std::collections::BTreeMap;

use catherd_javascript_instrument::{Control, Hit};
use serde::Deserialize;
use serde_json::Value;

/// A thrown value.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
pub struct Thrown {
    /// The name of the error; empty for other values.
    pub name: String,
    /// The message of the error, or the value as text.
    pub message: String,
    /// The value as data, if it is not an error.
    #[serde(default)]
    pub value: Value,
}

impl Thrown {
    /// The limit that the error reports, if programs can catch errors of this limit.
    pub(crate) fn limit(&self) -> Option<&'static str> {
        match (self.name.as_str(), self.message.as_str()) {
            ("RangeError", "Maximum call stack size exceeded") => Some("frames"),
            ("RangeError", "Invalid string length") => Some("text"),
            _ => None,
        }
    }
}

/// How a test ended.
#[derive(Clone, Debug, PartialEq)]
pub enum TestOutcome {
    /// All statements were executed.
    Passed,
    /// A statement or loading threw, or a promise was rejected.
    Threw {
        /// The thrown value.
        thrown: Thrown,
        /// Whether a promise was rejected.
        rejected: bool,
    },
    /// The limit with this name ended the test.
    Limit(&'static str),
}

/// Observations of an unknown argument, from which its type is inferred.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(default)]
pub struct Evidence {
    /// The number of the argument.
    pub id: u32,
    /// Members that were read, written, called, tested for existence or deleted, with counts.
    pub members: BTreeMap<String, u64>,
    /// Members that were called, with counts.
    pub called: BTreeMap<String, u64>,
    /// Members that were written, with counts.
    pub written: BTreeMap<String, u64>,
    /// Points for primitive types, by type.
    pub scores: BTreeMap<String, u64>,
    /// Other observations, with counts.
    pub more: BTreeMap<String, u64>,
    /// Maximum number of arguments with which the argument was called.
    pub arity: u32,
    /// Number of traps that the argument's proxy executed.
    pub traps: u64,
    /// Observations of values accessed through the argument, by path: `.name`, `[]` for elements,
    /// `()` for results.
    pub paths: BTreeMap<String, Evidence>,
}

/// The units that a test had reached after one of its statements.
#[derive(Clone, Debug)]
pub struct Reached {
    pub(crate) counters: Vec<u32>,
    /// How often the decision at each site was true, and how often it was false.
    pub(crate) outcomes: [Vec<u32>; 2],
}

impl Reached {
    /// Whether a unit was reached.
    pub fn hits(&self, hit: Hit) -> bool {
        hits(&self.counters, &self.outcomes, hit)
    }
}

fn hits(counters: &[u32], outcomes: &[Vec<u32>; 2], hit: Hit) -> bool {
    match hit {
        Hit::Counter(counter) => counters[counter as usize] > 0,
        Hit::Outcome { site, taken } => outcomes[usize::from(!taken)][site as usize] > 0,
        Hit::Exceeds(more, less) => counters[more as usize] > counters[less as usize],
    }
}

/// An execution of a test.
#[derive(Clone, Debug)]
pub struct Execution {
    /// How the test ended.
    pub outcome: TestOutcome,
    /// Index of the statement at which the test ended; the length of the test if it ended after the
    /// last statement, and 0 if loading failed.
    pub ended: usize,
    /// Number of counted steps, such as statements and loop iterations.
    pub steps: u64,
    /// Number of traps that all proxies executed.
    pub traps: u64,
    /// The values of the counters.
    pub counters: Vec<u32>,
    /// How often the decision at each site was true, and how often it was false.
    pub outcomes: [Vec<u32>; 2],
    /// The smallest distances of each site from true and from false, alternating.
    pub least: Vec<f64>,
    /// Observations of unknown arguments.
    pub evidence: Vec<Evidence>,
    /// The values of statements as data, if requested.
    pub observed: Vec<Value>,
    /// For each executed statement, whether its result was a promise that was awaited.
    pub awaited: Vec<bool>,
    /// The type of each variable in one word; may be empty.
    pub types: Vec<String>,
    /// Classes, not known by name before, of which results are instances.
    pub classes: Vec<Value>,
    /// The number of statements after which nothing was reached for the first time and no outcome
    /// came nearer; `None` if unknown.
    pub useful: Option<usize>,
    /// The units reached after each statement, if requested.
    pub trace: Vec<Reached>,
    /// True only if the result is the same with any seed and at any time.
    pub repeatable: bool,
    /// Unfinished work of the test that a test framework reports as a failure: `rejection` or
    /// `timer`; empty if there is none.
    pub stray: &'static str,
    /// The values of variables after the last statement, if requested.
    pub after: Vec<Value>,
}

impl Execution {
    pub(crate) fn met_a_count(&self) -> bool {
        matches!(self.outcome, TestOutcome::Limit("steps" | "polls" | "heap"))
    }

    /// Whether a unit was reached.
    pub fn hits(&self, hit: Hit) -> bool {
        hits(&self.counters, &self.outcomes, hit)
    }

    /// Whether a decision had an outcome.
    pub fn decided(&self, control: Control) -> bool {
        self.outcomes[usize::from(!control.outcome)][control.site as usize] > 0
    }

    /// The smallest distance of a decision from an outcome, in [0, 1].
    pub fn distance(&self, control: Control) -> f64 {
        self.least[control.site as usize * 2 + usize::from(!control.outcome)]
    }
}
