//! What a worker stands on when it is not a process of its own.

use std::time::Duration;

use catherd_experiments::RunSpec;
use tokio::sync::mpsc::UnboundedReceiver;

use crate::executor::{Ended, Executor, Job};

/// A running job hears this often that it has to stop.
const GLANCE: Duration = Duration::from_millis(100);

/// A simulated machine: one thread for everything, time that passes only while all wait, and
/// no signals. What touches files does so in place.
pub struct Stage {
    /// How long the execution of a run takes.
    pub length: Box<dyn Fn(&RunSpec) -> Duration + Send>,
    /// True time in a second of this machine's clock.
    pub second: Duration,
}

impl Stage {
    /// How long this machine takes for a time of its own clock.
    pub(crate) fn stretch(&self, time: Duration) -> Duration {
        time.mul_f64(self.second.as_secs_f64())
    }

    /// Executes jobs one after another, as the executor's thread does.
    pub(crate) async fn execute(
        self,
        mut executor: Executor,
        mut jobs: UnboundedReceiver<Job>,
        mut report: impl FnMut(u64, Ended),
    ) {
        while let Some(job) = jobs.recv().await {
            let mut left = (self.length)(&job.spec);
            while !left.is_zero() && !executor.is_stopped(&job) {
                tokio::time::sleep(left.min(GLANCE)).await;
                left = left.saturating_sub(GLANCE);
            }
            report(job.token, executor.execute(&job));
        }
    }
}
