//! Online testing: tests that are made while they are executed, guided by the answers of the
//! system.

use catherd_search::Stream;

use crate::events::{EventId, Events};
use crate::space::{Edge, Space};
use crate::streams::ONLINE;

use super::{Answer, CommandError, System, Verdict};

/// Makes tests while executing them. Each next event is one that was taken least often in the
/// state, among the events that the model allows and the system does not exclude.
pub struct Online<'s> {
    space: &'s Space,
    events: &'s Events,
    /// How often each edge was taken.
    taken: Vec<u32>,
    stream: Stream,
    length: usize,
}

impl<'s> Online<'s> {
    /// Creates a maker of tests of at most `length` events, for a space whose states are all known.
    pub fn new(space: &'s Space, events: &'s Events, seed: u64, length: usize) -> Online<'s> {
        let taken = vec![0; space.edge_count()];
        Online { space, events, taken, stream: Stream::new(seed, ONLINE), length }
    }

    /// The share of the edges of the space that were taken, from 0 to 1.
    pub fn coverage(&self) -> f64 {
        let taken = self.taken.iter().filter(|&&times| times > 0).count();
        taken as f64 / self.taken.len().max(1) as f64
    }

    /// Makes and executes a test. The test ends at the first failure, at its maximum length, or
    /// when no event remains to be tried. If an answer names events and the model allows none of
    /// them, the test fails.
    ///
    /// # Errors
    ///
    /// If the system cannot be used.
    pub fn test(
        &mut self,
        system: &mut dyn System,
    ) -> Result<(Vec<EventId>, Verdict), CommandError> {
        system.reset()?;
        let (mut test, mut state) = (Vec::new(), 0);
        let mut skipped: Vec<EventId> = Vec::new();
        while test.len() < self.length {
            let edges = self.space.edges(state);
            let named = system.next().map(|labels| labels.to_vec());
            let known = named.as_ref().map(|labels| {
                labels.iter().filter_map(|label| self.events.find(label)).collect::<Vec<_>>()
            });
            let is_named =
                |edge: &Edge| known.as_ref().is_none_or(|known| known.contains(&edge.event));
            if let Some(labels) = named.filter(|labels| !labels.is_empty())
                && !edges.iter().any(is_named)
            {
                let why = format!("the model does not allow {}", labels.join(" or "));
                return Ok((test.clone(), Verdict::Failed { at: test.len(), why }));
            }
            let first = self.space.first_edge(state);
            let open = |at: &usize| is_named(&edges[*at]) && !skipped.contains(&edges[*at].event);
            let open: Vec<usize> = (0..edges.len()).filter(open).collect();
            let fewest = open.iter().map(|at| self.taken[first + at]).min();
            let least: Vec<usize> =
                open.into_iter().filter(|at| Some(self.taken[first + at]) == fewest).collect();
            if least.is_empty() {
                break;
            }
            let at = *self.stream.pick(&least);
            let edge = edges[at];
            match system.execute(self.events.get(edge.event))? {
                Answer::Done => {
                    self.taken[first + at] = self.taken[first + at].saturating_add(1);
                    test.push(edge.event);
                    state = edge.target;
                    skipped.clear();
                }
                Answer::Skipped => skipped.push(edge.event),
                Answer::Failed(why) | Answer::Broken(why) => {
                    let at = test.len();
                    test.push(edge.event);
                    return Ok((test, Verdict::Failed { at, why }));
                }
            }
        }
        Ok((test, Verdict::Passed))
    }
}
