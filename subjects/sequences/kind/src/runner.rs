//! Executing runs: a [`RunSpec`] becomes a search, and its result a [`RunRecord`].

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use catherd_experiments::{Digest, RunRecord, RunSpec};
use catherd_interface::{LoadedProjects, RunError, RunProgress, Runner};

use crate::configuration::{self, Method};
use crate::search::{Watch, search};
use crate::subject::{Stop, Subject};
use crate::{record, risk};

/// The number of models that stay loaded, with their states and pools.
const KEPT: usize = 2;

/// Executes runs on models.
pub(crate) struct SequencesRunner(LoadedProjects<Subject>);

impl Default for SequencesRunner {
    fn default() -> SequencesRunner {
        SequencesRunner(LoadedProjects::new(KEPT))
    }
}

impl Runner for SequencesRunner {
    fn load(&mut self, digest: Digest, bytes: Arc<[u8]>) -> Result<(), String> {
        self.0.load(digest, || Subject::read(digest, &bytes))
    }

    fn run(
        &mut self,
        spec: &RunSpec,
        on_progress: &mut dyn FnMut(RunProgress) -> ControlFlow<()>,
    ) -> Result<RunRecord, RunError> {
        let start = Instant::now();
        let (subject, loading) = self.0.take_turn(spec.project)?;
        let configuration =
            configuration::read(&spec.algorithm).map_err(|error| RunError::Failed(error.cause))?;
        let wall = spec.budget.wall_ms.map(Duration::from_millis);
        let mut watch = Watch { start, wall, on_progress, stopped: false };
        let result = match configuration.method {
            Method::Risk { rule, keep, repeats } => {
                risk::run(subject, spec, &configuration, (rule, keep, repeats), &mut watch)
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
