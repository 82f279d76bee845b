//! The runner: executes a search for a [`RunSpec`], and converts the result to a [`RunRecord`].

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use catherd_experiments::{Digest, RunRecord, RunSpec};
use catherd_interface::{LoadError, LoadedProject, RunError, RunProgress};

use crate::configuration::{self, Method};
use crate::search::{Watch, search};
use crate::subject::{Stop, Subject};
use crate::{record, risk};

impl LoadedProject for Subject {
    /// Maximum number of models that are kept in memory with their states and pools.
    const KEPT: usize = 2;

    fn read(digest: Digest, bytes: &[u8]) -> Result<Subject, LoadError> {
        Ok(Subject::read(digest, bytes)?)
    }

    fn run(
        &mut self,
        spec: &RunSpec,
        on_progress: &mut dyn FnMut(RunProgress) -> ControlFlow<()>,
    ) -> Result<RunRecord, RunError> {
        let start = Instant::now();
        let subject = self;
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
        result.map_err(|stop| {
            RunError::Failed(match stop {
                Stop::Failed(cause) => cause,
                Stop::Asked => {
                    "the budget of real time ended the run before its pool was ready".to_owned()
                }
            })
        })
    }
}
