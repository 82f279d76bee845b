//! The thread that executes runs, one after another, apart from the network.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use catherd_experiments::{Digest, Engines, Outcome, Provenance, RunRecord, RunSpec};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::Instant;

use crate::limits::Limits;
use crate::seat;
use crate::stage::Stage;
use crate::subject::{Live, MakeSubject, RunError, Subject};

/// A run to execute.
pub(crate) struct Job {
    pub(crate) token: u64,
    pub(crate) attempt: u32,
    pub(crate) spec: RunSpec,
    pub(crate) project: Arc<[u8]>,
}

/// How a job ended.
#[derive(Debug)]
pub(crate) enum Ended {
    Record(Box<RunRecord>),
    Crash(String),
    Stopped,
}

/// What the network side sees of the running job, and how it stops it.
#[derive(Default)]
pub(crate) struct Window {
    live: Mutex<Live>,
    /// Token of the job to stop; tokens start at 1.
    stop: AtomicU64,
}

impl Window {
    pub(crate) fn live(&self) -> Live {
        *self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn stop(&self, token: u64) {
        self.stop.store(token, Ordering::Relaxed);
    }

    fn show(&self, token: u64, live: Live) -> ControlFlow<()> {
        *self.live.lock().unwrap_or_else(PoisonError::into_inner) = live;
        if self.is_stopped(token) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn is_stopped(&self, token: u64) -> bool {
        self.stop.load(Ordering::Relaxed) == token
    }
}

/// Starts the thread, or has the stage do its work. It ends when the sender of jobs is
/// dropped.
pub(crate) fn start(
    mut executor: Executor,
    stage: Option<Stage>,
    mut report: impl FnMut(u64, Ended) + Send + 'static,
) -> std::io::Result<UnboundedSender<Job>> {
    remember_panics();
    let (sender, mut jobs): (_, UnboundedReceiver<Job>) = unbounded_channel();
    match stage {
        Some(stage) => drop(tokio::spawn(stage.execute(executor, jobs, report))),
        None => drop(std::thread::Builder::new().name("executor".to_owned()).spawn(move || {
            while let Some(job) = jobs.blocking_recv() {
                report(job.token, executor.execute(&job));
            }
        })?),
    }
    Ok(sender)
}

/// Executes runs and survives them.
pub(crate) struct Executor {
    make: Box<MakeSubject>,
    engines: Engines,
    provenance: Provenance,
    limits: Limits,
    window: Arc<Window>,
    subject: Option<(String, Box<dyn Subject>)>,
    loaded: Option<Digest>,
}

impl Executor {
    pub(crate) fn new(
        make: Box<MakeSubject>,
        engines: Engines,
        provenance: Provenance,
        limits: Limits,
        window: Arc<Window>,
    ) -> Executor {
        Executor { make, engines, provenance, limits, window, subject: None, loaded: None }
    }

    pub(crate) fn is_stopped(&self, job: &Job) -> bool {
        self.window.is_stopped(job.token)
    }

    pub(crate) fn execute(&mut self, job: &Job) -> Ended {
        let start = Instant::now();
        // What a panic leaves of the subject is thrown away below.
        let ended = panic::catch_unwind(AssertUnwindSafe(|| self.attempt(job)));
        match ended {
            Ok(Ok(record)) if record.run != job.spec.id() => {
                Ended::Crash(format!("the subject returned a record of run {}", record.run))
            }
            Ok(Ok(record)) => Ended::Record(Box::new(self.sign(record, job.attempt))),
            Ok(Err(RunError::Failed(reason))) => {
                let wall_ms = start.elapsed().as_millis() as u64;
                Ended::Record(Box::new(
                    self.sign(RunRecord::failed(&job.spec, reason, wall_ms), job.attempt),
                ))
            }
            Ok(Err(RunError::TimedOut(reason))) => {
                let wall_ms = start.elapsed().as_millis() as u64;
                let record = RunRecord {
                    outcome: Outcome::TimedOut,
                    ..RunRecord::failed(&job.spec, reason, wall_ms)
                };
                Ended::Record(Box::new(self.sign(record, job.attempt)))
            }
            Ok(Err(RunError::OutOfMemory(reason))) => {
                Ended::Record(Box::new(self.sign(out_of_memory(&job.spec, reason), job.attempt)))
            }
            Ok(Err(RunError::Crashed(reason))) => Ended::Crash(reason),
            Ok(Err(RunError::Stopped)) => Ended::Stopped,
            Err(_) => {
                self.subject = None;
                self.loaded = None;
                Ended::Crash(LAST_PANIC.take())
            }
        }
    }

    fn attempt(&mut self, job: &Job) -> Result<RunRecord, RunError> {
        let spec = &job.spec;
        if let Some(engine) = self.engines.get(&spec.subject).filter(|id| **id != spec.engine) {
            // Its record would have the name of another engine's run.
            let needs = format!("the run needs engine {}", spec.engine);
            return Err(RunError::Crashed(format!("{needs}, and this worker has {engine}")));
        }
        let _ = self.window.show(job.token, Live::default());
        if self.subject.as_ref().is_none_or(|(kind, _)| *kind != spec.subject) {
            let unknown = || RunError::Failed(format!("unknown subject kind `{}`", spec.subject));
            let subject = (self.make)(&spec.subject).ok_or_else(unknown)?;
            self.subject = Some((spec.subject.clone(), subject));
            self.loaded = None;
        }
        let Some((_, subject)) = &mut self.subject else { return Err(RunError::Stopped) };
        if self.loaded != Some(spec.project) {
            self.loaded = None;
            subject.load(spec.project, job.project.clone()).map_err(RunError::Failed)?;
            self.loaded = Some(spec.project);
        }
        let start = Instant::now();
        let mut late = None;
        let ended = subject.run(spec, &mut |live| {
            let elapsed = start.elapsed();
            if self.limits.wall.is_some_and(|wall| elapsed > wall) {
                late = Some(elapsed);
                return ControlFlow::Break(());
            }
            self.window.show(job.token, live)
        });
        match (ended, late) {
            (Err(RunError::Stopped), Some(elapsed)) => {
                Err(RunError::TimedOut(format!("stopped after {} s", elapsed.as_secs())))
            }
            (ended, _) => ended,
        }
    }

    fn sign(&self, mut record: RunRecord, attempt: u32) -> RunRecord {
        record.resources.peak_rss_kib = seat::peak_rss_kib();
        record.provenance = Provenance { attempt, ..self.provenance.clone() };
        record
    }
}

/// The record of a run that the memory limit ended.
pub(crate) fn out_of_memory(spec: &RunSpec, reason: String) -> RunRecord {
    RunRecord { outcome: Outcome::OutOfMemory, ..RunRecord::failed(spec, reason, 0) }
}

thread_local! {
    /// Message and place of the last panic of this thread.
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Puts a hook before the process's own that keeps the message for the report, and keeps
/// the executor's panics out of the terminal: they are reported, not fatal.
fn remember_panics() {
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
