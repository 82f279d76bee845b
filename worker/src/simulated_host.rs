//! A simulated host for a worker, for tests: a single thread, virtual time, no signals, and
//! synchronous file access.

use std::time::Duration;

use catherd_experiments::RunSpec;
use tokio::sync::mpsc::UnboundedReceiver;

use crate::executor::{Executor, Job, JobOutcome};

const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// The host of a worker in a simulation.
pub struct SimulatedHost {
    /// The time that the execution of a run takes.
    pub run_time: Box<dyn Fn(&RunSpec) -> Duration + Send>,
    /// The true time in which the clock of this host advances by one second.
    pub second: Duration,
}

impl SimulatedHost {
    /// `time` is on the clock of this host.
    pub(crate) fn true_time(&self, time: Duration) -> Duration {
        time.mul_f64(self.second.as_secs_f64())
    }

    /// Executes jobs one after another, like the thread of the executor.
    pub(crate) async fn execute(
        self,
        mut executor: Executor,
        mut jobs: UnboundedReceiver<Job>,
        mut report: impl FnMut(u64, JobOutcome),
    ) {
        while let Some(job) = jobs.recv().await {
            let mut left = (self.run_time)(&job.spec);
            while !left.is_zero() && !executor.is_cancelled(&job) {
                tokio::time::sleep(left.min(POLL_INTERVAL)).await;
                left = left.saturating_sub(POLL_INTERVAL);
            }
            report(job.token, executor.execute(&job));
        }
    }
}
