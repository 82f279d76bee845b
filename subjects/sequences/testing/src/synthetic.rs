//! Synthetic models: random b-threads, for scalability studies.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use catherd_search::Stream;

use crate::events::EventId;
use crate::model::Model;
use crate::pool::{DEFAULT_LENGTH, Sampler, Walker};
use crate::streams::SYNTHETIC;

/// Minimum number of different traces that end, for a synthetic model.
const FEWEST_TRACES: usize = 100;

/// Number of walks that search a model for [`FEWEST_TRACES`] different traces.
const WALKS: u64 = 1000;

/// Maximum number of tries to make a model with [`FEWEST_TRACES`] traces.
const TRIES: u64 = 100;

/// The sizes of synthetic models.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// Number of b-threads, 1 to 64.
    pub threads: usize,
    /// Number of events, 1 to 1000.
    pub events: usize,
    /// Number of statements of a b-thread, 1 to 200.
    pub depth: usize,
    /// The probability, from 0 to 1, that a statement waits for a random event if the event belongs
    /// to a different b-thread, and that a request blocks such an event.
    pub density: f64,
}

impl Default for Shape {
    fn default() -> Shape {
        Shape { threads: 8, events: 40, depth: 12, density: 0.3 }
    }
}

/// The reason why a synthetic model cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SyntheticError {
    /// A part of the shape is out of range.
    #[error("{part} must be from {range}")]
    Range {
        /// The part.
        part: &'static str,
        /// The permitted range.
        range: &'static str,
    },
    /// No model with enough traces was found.
    #[error(
        "no model of this shape with {FEWEST_TRACES} traces that end was found in {TRIES} tries"
    )]
    NoTraces,
}

impl Shape {
    /// Checks the ranges.
    ///
    /// # Errors
    ///
    /// If a part of the shape is out of range.
    pub fn check(&self) -> Result<(), SyntheticError> {
        let whole = [
            ("threads", self.threads, 64, "1 to 64"),
            ("events", self.events, 1000, "1 to 1000"),
            ("depth", self.depth, 200, "1 to 200"),
        ];
        for (part, value, most, range) in whole {
            if !(1..=most).contains(&value) {
                return Err(SyntheticError::Range { part, range });
            }
        }
        if !(0.0..=1.0).contains(&self.density) {
            return Err(SyntheticError::Range { part: "density", range: "0 to 1" });
        }
        Ok(())
    }
}

/// The text of the synthetic model with this number, which counts from 1. The text depends only on
/// the seed, the shape and the number. Each model has at least 100 complete traces.
///
/// # Errors
///
/// If the shape is out of range, or no such model is found.
pub fn synthetic(shape: &Shape, seed: u64, number: u64) -> Result<String, SyntheticError> {
    shape.check()?;
    for attempt in 0..TRIES {
        let mut stream = Stream::new(seed, SYNTHETIC + number * TRIES + attempt);
        let text = text(shape, seed, number, &mut stream);
        if has_traces(&text) {
            return Ok(text);
        }
    }
    Err(SyntheticError::NoTraces)
}

/// Whether walks of a model make enough different traces that end.
fn has_traces(text: &str) -> bool {
    let Ok(model) = Model::parse("synthetic", text) else { return false };
    let walker = Walker::new(&model.program, None, Sampler::Steps, 1, DEFAULT_LENGTH);
    let Ok((walks, _)) = walker.map_err(drop).and_then(|w| w.walks(0..WALKS).map_err(drop)) else {
        return false;
    };
    let ended = (0..walks.len()).map(|walk| walks.get(walk)).filter(|w| w.len() < DEFAULT_LENGTH);
    ended.collect::<BTreeSet<_>>().len() >= FEWEST_TRACES
}

/// The first b-thread has no loop, and its last event ends the loops of the other b-threads, so
/// that traces can end.
fn text(shape: &Shape, seed: u64, number: u64, stream: &mut Stream) -> String {
    let names: Vec<String> = (1..=shape.events).map(|event| format!("e{event}")).collect();
    let all = names.join(", ");
    let mut text = format!("model \"synthetic-{seed}-{number}\"\nevents {all}, last\n");
    let own = |thread: usize| -> Vec<EventId> {
        let of = (0..shape.events).filter(|event| event % shape.threads == thread);
        let of: Vec<EventId> = of.map(|event| event as EventId).collect();
        if of.is_empty() { vec![(thread % shape.events) as EventId] } else { of }
    };
    for thread in 0..shape.threads {
        let events = own(thread);
        let loops = thread > 0 && stream.unit() < 0.25;
        let _ = writeln!(text, "thread t{} {{", thread + 1);
        let (indent, interrupt) = match loops {
            true => {
                text += "  loop {\n";
                ("    ", ", interrupt last")
            }
            false => ("  ", ""),
        };
        for _ in 0..shape.depth {
            let any = names[stream.index(names.len())].clone();
            let request = names[*stream.pick(&events) as usize].clone();
            if shape.threads > 1
                && !events.iter().any(|&own| names[own as usize] == any)
                && stream.unit() < shape.density
            {
                let _ = writeln!(text, "{indent}wait {any}{interrupt}");
                continue;
            }
            let second = names[*stream.pick(&events) as usize].clone();
            let requests = match second == request || stream.unit() < 0.5 {
                true => request.clone(),
                false => format!("{request} | {second}"),
            };
            let is_own = requests.split(" | ").any(|own| own == any);
            let block = match shape.threads > 1 && !is_own && stream.unit() < shape.density {
                true => format!(", block {any}"),
                false => String::new(),
            };
            let _ = writeln!(text, "{indent}request {requests}{block}{interrupt}");
        }
        text += match (loops, thread) {
            (true, _) => "  }\n}\n",
            (false, 0) => "  request last\n}\n",
            (false, _) => "}\n",
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_the_same_each_time_and_differ_by_number_and_seed() {
        let shape = Shape { threads: 4, events: 10, depth: 5, density: 0.3 };
        let first = synthetic(&shape, 1, 1).unwrap();
        assert_eq!(first, synthetic(&shape, 1, 1).unwrap());
        assert_ne!(first, synthetic(&shape, 1, 2).unwrap());
        assert_ne!(first, synthetic(&shape, 2, 1).unwrap());
        let model = Model::parse("m", &first).unwrap();
        assert_eq!((model.program.thread_names().len(), model.program.events().len()), (4, 11));
        assert_eq!(model.name, "synthetic-1-1");
    }

    #[test]
    #[ignore = "slow"]
    fn every_model_has_a_hundred_traces_that_end() {
        for density in [0.0, 0.3, 0.9] {
            let shape = Shape { density, ..Shape::default() };
            for number in 1..=3 {
                let text = synthetic(&shape, 7, number).unwrap();
                assert!(has_traces(&text));
            }
        }
        let single = Shape { threads: 1, events: 3, depth: 1, density: 0.5 };
        assert_eq!(synthetic(&single, 1, 1), Err(SyntheticError::NoTraces));
        let wrong = Shape { threads: 65, ..Shape::default() };
        assert!(synthetic(&wrong, 1, 1).unwrap_err().to_string().contains("threads"));
        let wrong = Shape { density: f64::NAN, ..Shape::default() };
        assert!(synthetic(&wrong, 1, 1).is_err());
    }
}
