//! The process of a subject, which executes the runs that a worker passes on.

use std::fs::File;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use catherd_interface::{RunError, RunProgress, Runner};

use super::frames::{Answer, Request};
use crate::{allocator, executor};

const PROGRESS_INTERVAL: Duration = Duration::from_millis(200);

/// Executes, with a runner, the requests that a worker sends through standard input, and writes the
/// answers to standard output, to which nothing else may be written. Ends the process when standard
/// input closes. Returns after a run has panicked. If the system refuses memory, a mark is written
/// to the file `mark` ([`OomMarkingAllocator`](crate::OomMarkingAllocator)).
///
/// # Errors
///
/// If the process cannot be set up, or if an answer cannot be written.
pub fn serve_subject(mut runner: Box<dyn Runner>, mark: Option<&Path>) -> io::Result<()> {
    let mark = mark.map(File::create).transpose()?;
    if let Some(mark) = &mark {
        allocator::mark_in(mark.try_clone()?);
    }
    executor::install_panic_hook();
    let stop = Arc::new(AtomicBool::new(false));
    let (sender, requests) = mpsc::channel();
    let stopping = Arc::clone(&stop);
    std::thread::Builder::new().name("requests".to_owned()).spawn(move || {
        let mut input = io::stdin().lock();
        while let Ok(Some(request)) = Request::read(&mut input) {
            match request {
                Request::Stop => stopping.store(true, Ordering::Relaxed),
                request => {
                    if sender.send(request).is_err() {
                        break;
                    }
                }
            }
        }
        // The worker has ended or has sent a malformed request, or `serve_subject` has returned.
        std::process::exit(0);
    })?;
    let mut output = io::stdout().lock();
    for request in requests {
        match request {
            Request::Load(digest, bytes) => {
                let loaded =
                    panic::catch_unwind(AssertUnwindSafe(|| runner.load(digest, bytes.into())));
                let loaded = loaded.unwrap_or_else(|_| Err(executor::last_panic().into()));
                let answer = loaded.map(|()| Vec::new()).map_err(|error| error.to_string());
                Answer::Loaded(answer).write(&mut output)?;
            }
            Request::Examine(asked) => {
                let found = panic::catch_unwind(AssertUnwindSafe(|| runner.examine(&asked)));
                let found = found.unwrap_or_else(|_| Err(executor::last_panic().into()));
                Answer::Loaded(found.map_err(|error| error.to_string())).write(&mut output)?;
            }
            Request::Run(spec, survival) => {
                stop.store(false, Ordering::Relaxed);
                if let Some(mark) = mark.as_ref().filter(|_| allocator::take_mark()) {
                    // Memory was refused before this run, but the process has survived.
                    mark.set_len(0)?;
                }
                let before = catherd_platform::processor_time_with(None);
                let mut last = Instant::now();
                let mut broken = None;
                let mut on_progress = |progress: RunProgress| {
                    if last.elapsed() >= PROGRESS_INTERVAL {
                        last = Instant::now();
                        broken =
                            broken.take().or(Answer::Progress(progress).write(&mut output).err());
                    }
                    match stop.load(Ordering::Relaxed) || broken.is_some() {
                        true => ControlFlow::Break(()),
                        false => ControlFlow::Continue(()),
                    }
                };
                let ended = panic::catch_unwind(AssertUnwindSafe(|| {
                    runner.run_again(&spec, &survival, &mut on_progress)
                }));
                broken.map_or(Ok(()), Err)?;
                let Ok(result) = ended else {
                    // The runner may be inconsistent, so this process ends, and the worker starts a
                    // new one.
                    let crash = RunError::Crashed(executor::last_panic());
                    Answer::Ended(Box::new(Err(crash))).write(&mut output)?;
                    return output.flush();
                };
                let result = result.map(|mut record| {
                    if record.resources.peak_rss_kib == 0 {
                        record.resources.peak_rss_kib = catherd_platform::peak_rss_kib();
                    }
                    if record.resources.cpu_ms == 0 {
                        let used = catherd_platform::processor_time_with(None);
                        record.resources.cpu_ms =
                            executor::milliseconds(used.saturating_sub(before));
                    }
                    record
                });
                Answer::Ended(Box::new(result)).write(&mut output)?;
            }
            Request::Stop => {}
        }
    }
    Ok(())
}
