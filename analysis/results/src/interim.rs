//! Interim tables, which are written at intervals while the runs of a study are executed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::error::{ResultsError, WriteError};
use crate::stored::StoredStudies;
use crate::tables::{Extent, StudyTables};

/// Writing should take only a small part of one core's time.
const PAUSE_FACTOR: u32 = 20;

/// Writes the tables of a study at intervals, in a separate thread.
pub struct InterimTables {
    tables: StudyTables,
    studies: StoredStudies,
    interval: Duration,
    next: Instant,
    written: u64,
    writing: Option<Writing>,
    cancelled: Arc<AtomicBool>,
    on_failure: Box<dyn FnMut(ResultsError)>,
    /// Only the first of several successive failures is reported.
    failed: bool,
}

struct Writing {
    start: Instant,
    thread: JoinHandle<Result<(), ResultsError>>,
}

impl InterimTables {
    /// Prepares to write the tables at most once per `interval`. `on_failure` is called with
    /// errors.
    pub fn new(
        tables: StudyTables,
        studies: StoredStudies,
        interval: Duration,
        on_failure: impl FnMut(ResultsError) + 'static,
    ) -> InterimTables {
        InterimTables {
            tables,
            studies,
            interval,
            next: Instant::now() + interval,
            written: 0,
            writing: None,
            cancelled: Arc::default(),
            on_failure: Box::new(on_failure),
            failed: false,
        }
    }

    /// Starts to write tables if they are due. `ended` is the number of runs that have ended.
    pub fn poll(&mut self, ended: u64) {
        if self.writing.as_ref().is_some_and(|writing| writing.thread.is_finished()) {
            self.join();
        }
        if self.writing.is_some() || self.next > Instant::now() || ended <= self.written {
            return;
        }
        self.written = ended;
        let (tables, studies) = (self.tables.clone(), self.studies.clone());
        let cancelled = self.cancelled.clone();
        let write = move || {
            let results = studies.results().map(|result| {
                if cancelled.load(Ordering::Relaxed) {
                    return Err(ResultsError::Cancelled);
                }
                result
            });
            match tables.write(results, Extent::Tables) {
                Ok(_) => Ok(()),
                Err(WriteError::Source(error) | WriteError::Results(error)) => Err(error),
            }
        };
        let start = Instant::now();
        match std::thread::Builder::new().name("tables".to_owned()).spawn(write) {
            Ok(thread) => self.writing = Some(Writing { start, thread }),
            Err(cause) => self.report(ResultsError::Thread(cause)),
        }
        self.next = start + self.interval;
    }

    /// Stops writing, and waits for the thread.
    pub fn stop(mut self) {
        self.cancelled.store(true, Ordering::Relaxed);
        self.join();
    }

    fn join(&mut self) {
        let Some(Writing { start, thread }) = self.writing.take() else { return };
        match thread.join() {
            Ok(Ok(())) => self.failed = false,
            Ok(Err(error)) => self.report(error),
            Err(defect) => std::panic::resume_unwind(defect),
        }
        self.next = Instant::now() + self.interval.max(PAUSE_FACTOR * start.elapsed());
    }

    fn report(&mut self, error: ResultsError) {
        let cancelled = self.cancelled.load(Ordering::Relaxed);
        if !cancelled && !std::mem::replace(&mut self.failed, true) {
            (self.on_failure)(error);
        }
    }
}
