//! Traces of runs in the terms of OpenTelemetry: a trace for each run.
//!
//! The span `run` is the root. Below the root are `queued`, `lease` (an attempt) and `commit`. The
//! trace id is the beginning of the run's id, so all coordinators of a store continue the same
//! trace.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use catherd_experiments::{Digest, Plan, RunSpec};

use crate::ids::{RunNumber, Token};
use crate::ledger::Grant;

/// A part of a trace, with a beginning and an end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Id of the trace.
    pub trace: [u8; 16],
    /// Id of the span, unique in its trace.
    pub id: [u8; 8],
    /// Id of the enclosing span. The root has none.
    pub parent: Option<[u8; 8]>,
    /// The name: `run`, `queued`, `lease` or `commit`.
    pub name: &'static str,
    /// The beginning.
    pub start: SystemTime,
    /// The end.
    pub end: SystemTime,
    /// Names and values of the attributes.
    pub attributes: Vec<(&'static str, String)>,
    /// Why the attempt ended without a record.
    pub error: Option<String>,
}

/// A function that receives the spans. It must not block.
pub type SpanSink = Arc<dyn Fn(Span) + Send + Sync>;

struct Leased {
    id: Digest,
    token: Token,
    worker: String,
    attempt: u32,
    submitted: SystemTime,
    start: SystemTime,
    attributes: Vec<(&'static str, String)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Record,
    /// The attempt ended without a record, for this reason.
    Without(String),
}

pub(crate) struct Traces {
    sink: SpanSink,
    /// The time of the last submission, by project.
    submitted: Mutex<HashMap<Digest, SystemTime>>,
    leased: Mutex<HashMap<RunNumber, Leased>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Leased {
    fn root(&self) -> [u8; 8] {
        let mut root = [0; 8];
        root.copy_from_slice(&self.id.0[16..24]);
        root
    }

    fn span(&self, name: &'static str, start: SystemTime, end: SystemTime) -> Span {
        let mut trace = [0; 16];
        trace.copy_from_slice(&self.id.0[..16]);
        let seed = [&self.id.0[..], &self.token.to_be_bytes()[..], name.as_bytes()].concat();
        let mut id = [0; 8];
        id.copy_from_slice(&Digest::of(&seed).0[..8]);
        let (parent, attributes) = (Some(self.root()), Vec::new());
        Span { trace, id, parent, name, start, end, attributes, error: None }
    }

    fn lease(&self, end: SystemTime, error: Option<String>) -> Span {
        let attributes = vec![
            ("catherd.worker", self.worker.clone()),
            ("catherd.attempt", self.attempt.to_string()),
        ];
        Span { attributes, error, ..self.span("lease", self.start, end) }
    }
}

impl Traces {
    pub(crate) fn new(sink: SpanSink) -> Traces {
        Traces { sink, submitted: Mutex::default(), leased: Mutex::default() }
    }

    pub(crate) fn note_submission(&self, plan: &Plan, time: SystemTime) {
        let mut submitted = locked(&self.submitted);
        submitted.extend(plan.projects.iter().map(|project| (project.digest, time)));
    }

    /// If the end of an earlier lease of the run was not recorded, the worker of that lease counts
    /// as lost.
    pub(crate) fn note_lease(&self, worker: &str, grant: Grant, spec: &[u8], time: SystemTime) {
        let Ok(spec) = serde_json::from_slice::<RunSpec>(spec) else { return };
        let submitted = locked(&self.submitted).get(&spec.project).copied();
        let leased = Leased {
            id: spec.id(),
            token: grant.token,
            worker: worker.to_owned(),
            attempt: grant.attempt,
            submitted: submitted.unwrap_or(time),
            start: time,
            attributes: vec![
                ("catherd.run", spec.id().to_string()),
                ("catherd.project", spec.project_name.clone()),
                ("catherd.algorithm", spec.algorithm.label.clone()),
                ("catherd.seed", spec.seed.to_string()),
            ],
        };
        if grant.attempt == 1 && submitted.is_some() {
            (self.sink)(leased.span("queued", leased.submitted, time));
        }
        if let Some(lost) = locked(&self.leased).insert(grant.run, leased) {
            (self.sink)(lost.lease(time, Some("the worker was lost".to_owned())));
        }
    }

    /// The end of the attempt arrived and became durable at these times.
    pub(crate) fn note_end(
        &self,
        run: RunNumber,
        token: Token,
        ending: Ending,
        arrived: SystemTime,
        durable: SystemTime,
    ) {
        let leased = {
            let mut all = locked(&self.leased);
            match all.get(&run) {
                Some(leased) if leased.token == token => all.remove(&run),
                _ => None,
            }
        };
        let Some(leased) = leased else { return };
        let error = match &ending {
            Ending::Record => None,
            Ending::Without(reason) => Some(reason.clone()),
        };
        (self.sink)(leased.lease(arrived, error));
        (self.sink)(leased.span("commit", arrived, durable));
        if ending == Ending::Record {
            let id = leased.root();
            let span = leased.span("run", leased.submitted, durable);
            (self.sink)(Span { id, parent: None, attributes: leased.attributes, ..span });
        }
    }
}
