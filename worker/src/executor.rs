//! The thread that executes runs, separate from the network side.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use catherd_experiments::text::truncated;
use catherd_experiments::{
    Digest, Engines, MAX_REASON_BYTES, Provenance, RunOutcome, RunRecord, RunSpec,
};
use catherd_interface::{Limits, RunError, RunProgress, Runner};
use tokio::time::Instant;

use crate::MakeRunner;
use crate::measured_run::MeasuredRun;

pub(crate) struct Job {
    pub(crate) token: u64,
    pub(crate) attempt: u32,
    pub(crate) spec: RunSpec,
    pub(crate) project: Arc<[u8]>,
}

#[derive(Debug)]
pub(crate) enum JobOutcome {
    Record(Box<RunRecord>),
    Crash(String),
    /// The disk was full; the string describes the shortage.
    DiskFull(String),
    Cancelled,
}

/// The executor writes the progress of the running job, and the network side cancels the job.
#[derive(Default)]
pub(crate) struct JobControl {
    progress: Mutex<RunProgress>,
    /// Token of the job to cancel, or 0, which no lease has.
    cancelled: AtomicU64,
}

impl JobControl {
    pub(crate) fn progress(&self) -> RunProgress {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn cancel(&self, token: u64) {
        self.cancelled.store(token, Ordering::Relaxed);
    }

    fn report(&self, token: u64, progress: RunProgress) -> ControlFlow<()> {
        *self.progress.lock().unwrap_or_else(PoisonError::into_inner) = progress;
        if self.is_cancelled(token) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn is_cancelled(&self, token: u64) -> bool {
        self.cancelled.load(Ordering::Relaxed) == token
    }
}

/// Executes runs and survives their panics.
pub(crate) struct Executor {
    make: Box<MakeRunner>,
    engines: Engines,
    provenance: Provenance,
    limits: Limits,
    control: Arc<JobControl>,
    /// The runner and its subject kind.
    runner: Option<(String, Box<dyn Runner>)>,
    /// The project that the runner has loaded.
    loaded: Option<Digest>,
}

impl Executor {
    pub(crate) fn new(
        make: Box<MakeRunner>,
        engines: Engines,
        provenance: Provenance,
        limits: Limits,
        control: Arc<JobControl>,
    ) -> Executor {
        Executor { make, engines, provenance, limits, control, runner: None, loaded: None }
    }

    pub(crate) fn is_cancelled(&self, job: &Job) -> bool {
        self.control.is_cancelled(job.token)
    }

    pub(crate) fn execute(&mut self, job: &Job) -> JobOutcome {
        let start = Instant::now();
        let mut used = Duration::ZERO;
        // A panic may leave the runner inconsistent, but the runner is then dropped.
        let ended = panic::catch_unwind(AssertUnwindSafe(|| self.attempt(job, &mut used)));
        let recorded = |executor: &Executor, record| {
            JobOutcome::Record(Box::new(executor.with_provenance(record, job.attempt, used)))
        };
        match ended {
            Ok(Ok(record)) if record.run != job.spec.id() => {
                let (kind, id, other) = (&job.spec.subject, job.spec.id(), record.run);
                JobOutcome::Crash(format!(
                    "internal error: subject kind `{kind}` returned a record for run {other}, \
                     expected {id}"
                ))
            }
            Ok(Ok(record)) => recorded(self, record),
            Ok(Err(RunError::Failed(reason))) => {
                let wall_ms = start.elapsed().as_millis() as u64;
                recorded(self, RunRecord::failed(&job.spec, &reason, wall_ms))
            }
            Ok(Err(RunError::TimedOut(reason))) => {
                let wall_ms = start.elapsed().as_millis() as u64;
                let record = RunRecord {
                    outcome: RunOutcome::TimedOut,
                    ..RunRecord::failed(&job.spec, &reason, wall_ms)
                };
                recorded(self, record)
            }
            Ok(Err(RunError::OutOfMemory(reason))) => {
                recorded(self, out_of_memory(&job.spec, reason))
            }
            Ok(Err(RunError::Crashed(reason))) => JobOutcome::Crash(bounded(&reason)),
            Ok(Err(RunError::DiskFull(reason))) => JobOutcome::DiskFull(reason),
            Ok(Err(RunError::Stopped)) => JobOutcome::Cancelled,
            Err(_) => {
                self.runner = None;
                self.loaded = None;
                JobOutcome::Crash(last_panic())
            }
        }
    }

    /// Sets `used` to the processor time of the run.
    fn attempt(&mut self, job: &Job, used: &mut Duration) -> Result<RunRecord, RunError> {
        let spec = &job.spec;
        if let Some(engine) = self.engines.get(&spec.subject).filter(|id| **id != spec.engine) {
            // The record would name the engine of the plan although a different engine made it.
            let needed = &spec.engine;
            return Err(RunError::Crashed(format!(
                "the run needs engine {needed}, and this worker has {engine}"
            )));
        }
        let _ = self.control.report(job.token, RunProgress::default());
        if self.runner.as_ref().is_none_or(|(kind, _)| *kind != spec.subject) {
            // The coordinator leases only runs of the worker's kinds. A different worker may
            // execute the kind, so the run counts as a crash.
            let unknown = || {
                RunError::Crashed(format!("this worker does not execute `{}` runs", spec.subject))
            };
            let runner = (self.make)(&spec.subject).ok_or_else(unknown)?;
            self.runner = Some((spec.subject.clone(), runner));
            self.loaded = None;
        }
        let Some((_, runner)) = &mut self.runner else { return Err(RunError::Stopped) };
        if self.loaded != Some(spec.project) {
            self.loaded = None;
            let before = runner.processor_time();
            let loaded = runner.load(spec.project, job.project.clone());
            *used = runner.processor_time().saturating_sub(before);
            loaded?;
            self.loaded = Some(spec.project);
        }
        let mut measured = (spec.budget.wall_ms.is_some() || runner.starts_programs())
            .then(|| MeasuredRun::start(self.provenance.core));
        let start = Instant::now();
        let before = runner.processor_time();
        let mut timed_out = None;
        let result = runner.run(spec, &mut |progress| {
            if let Some(measured) = &mut measured {
                measured.sample();
            }
            let elapsed = start.elapsed();
            if self.limits.wall.is_some_and(|wall| elapsed > wall) {
                timed_out = Some(elapsed);
                return ControlFlow::Break(());
            }
            self.control.report(job.token, progress)
        });
        let (conditions, of_family) = measured.map(MeasuredRun::finish).unzip();
        let of_runner = || runner.processor_time().saturating_sub(before);
        *used = of_family.unwrap_or_else(of_runner);
        match (result, timed_out) {
            (Err(RunError::Stopped), Some(elapsed)) => {
                Err(RunError::TimedOut(format!("stopped after {} s", elapsed.as_secs())))
            }
            (result, _) => result.map(|mut record| {
                // If the runner has only measured a stored trial, the record contains the
                // conditions of the trial's execution.
                record.resources.conditions = record.resources.conditions.or(conditions);
                record
            }),
        }
    }

    /// Adds only those used resources that the record does not contain yet.
    fn with_provenance(&self, mut record: RunRecord, attempt: u32, used: Duration) -> RunRecord {
        if record.resources.peak_rss_kib == 0 {
            record.resources.peak_rss_kib = catherd_platform::peak_rss_kib();
        }
        if record.resources.cpu_ms == 0 {
            record.resources.cpu_ms = milliseconds(used);
        }
        let isolation = record.provenance.isolation;
        record.provenance = Provenance { attempt, isolation, ..self.provenance.clone() };
        record
    }
}

/// Rounded up, because 0 stands for an unknown time.
pub(crate) fn milliseconds(used: Duration) -> u64 {
    used.as_micros().div_ceil(1000) as u64
}

fn bounded(reason: &str) -> String {
    truncated(reason, MAX_REASON_BYTES).into_owned()
}

pub(crate) fn out_of_memory(spec: &RunSpec, reason: String) -> RunRecord {
    RunRecord { outcome: RunOutcome::OutOfMemory, ..RunRecord::failed(spec, &reason, 0) }
}

thread_local! {
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Returns and removes the message.
pub(crate) fn last_panic() -> String {
    bounded(&LAST_PANIC.take())
}

/// Installs a panic hook that stores the message of a panic for the report. Panics of the
/// executor's thread are not shown, because they are reported and do not end the process.
pub(crate) fn install_panic_hook() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let payload = info.payload();
            let message = payload
                .downcast_ref::<&str>()
                .copied()
                .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
                .unwrap_or("a panic without a message");
            let place = info.location().map(|place| format!(" at {place}")).unwrap_or_default();
            LAST_PANIC.set(format!("panicked{place}: {message}"));
            if std::thread::current().name() != Some("executor") {
                usual(info);
            }
        }));
    });
}
