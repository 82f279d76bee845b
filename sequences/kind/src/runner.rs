//! Executing runs: a [`RunSpec`] becomes a search, and its result a [`RunRecord`].

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use catherd_experiments::{Digest, RunRecord, RunSpec};
use catherd_subject::{RunError, RunProgress, Runner};

use crate::configuration::{self, Method};
use crate::search::{Watch, search};
use crate::subject::{Stop, Subject};
use crate::{record, risk};

/// The number of models that stay loaded, with their states and pools. A worker gets the runs of
/// one project in a row, so a few are enough.
const KEPT: usize = 2;

/// Executes runs on models.
#[derive(Default)]
pub(crate) struct SequencesRunner {
    /// Recently used models, the loaded one at the back.
    subjects: VecDeque<Subject>,
    /// Time that loading took; part of the wall time of the next run.
    loading: Duration,
}

impl Runner for SequencesRunner {
    fn load(&mut self, digest: Digest, bytes: Arc<[u8]>) -> Result<(), String> {
        let start = Instant::now();
        let kept = self.subjects.iter().position(|kept| kept.digest == digest);
        let subject = match kept.and_then(|at| self.subjects.remove(at)) {
            Some(subject) => subject,
            None => Subject::read(digest, &bytes)?,
        };
        self.subjects.push_back(subject);
        if self.subjects.len() > KEPT {
            self.subjects.pop_front();
        }
        self.loading = start.elapsed();
        Ok(())
    }

    fn run(
        &mut self,
        spec: &RunSpec,
        on_progress: &mut dyn FnMut(RunProgress) -> ControlFlow<()>,
    ) -> Result<RunRecord, RunError> {
        let start = Instant::now();
        let loading = std::mem::take(&mut self.loading);
        let subject = self.subjects.back_mut().filter(|subject| subject.digest == spec.project);
        let Some(subject) = subject else {
            return Err(RunError::Failed("another project is loaded".to_owned()));
        };
        let configuration =
            configuration::read(&spec.algorithm).map_err(|error| RunError::Failed(error.cause))?;
        let wall = spec.budget.wall_ms.map(Duration::from_millis);
        let mut watch = Watch { start, wall, on_progress, stopped: false };
        let result = match configuration.method {
            Method::Risk { rule, keep } => {
                risk::run(subject, spec, &configuration, (rule, keep), &mut watch)
            }
            _ => search(subject, spec, &configuration, &mut watch).and_then(|outcome| {
                let mut record = record::of(subject, spec, &configuration, &outcome)?;
                record.resources.search_ms = outcome.time.as_millis() as u64;
                Ok(record)
            }),
        };
        if watch.stopped {
            return Err(RunError::Stopped);
        }
        let mut record = match result {
            Ok(record) => record,
            Err(Stop::Failed(cause)) => return Err(RunError::Failed(cause)),
            Err(Stop::Asked) => {
                let cause = "the budget of real time ended the run before its pool was made";
                return Err(RunError::Failed(cause.to_owned()));
            }
        };
        record.resources.wall_ms = (loading + start.elapsed()).as_millis() as u64;
        Ok(record)
    }
}
