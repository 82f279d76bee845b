//! A coordinator and its workers on this machine, until every run has ended.

use std::io;
use std::time::{Duration, Instant};

use catherd_analysis_results::{InterimTables, ResultsError, StudyFolder};
use catherd_cli_console::{Failure, terminal};
use catherd_coordinator::{Coordinator, Progress};
use catherd_platform::StopSignals;
use catherd_worker::LocalFleet;
use tokio::net::TcpListener;

use super::display::Display;
use crate::failure::Worded;
use crate::programs::WorkerPrograms;
use crate::worker;

/// Interval at which progress and workers are checked.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Time without any live worker after which the study fails. Restarting a worker takes less.
const NO_WORKER_TIMEOUT: Duration = Duration::from_secs(5);

/// Time for which a store must work after an error until it counts as working: on a full disk small
/// changes may succeed between larger ones that fail.
const RECOVERY: Duration = Duration::from_secs(5);

/// How the execution of a plan ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// Every run has ended.
    Finished,
    /// A signal stopped it; the current runs have ended.
    Stopped,
    /// A signal stopped it while runs were being executed.
    StoppedAtOnce,
    /// The store returned errors for too long.
    StoreFailed,
}

/// The workers of a study on this machine.
pub(super) struct Workers<'a> {
    /// The core of each.
    pub(super) cores: &'a [usize],
    /// The token by which they prove to the coordinator that this process started them.
    pub(super) token: &'a str,
    /// How they execute programs; `None` for studies whose runs execute none.
    pub(super) programs: Option<&'a WorkerPrograms>,
}

/// Serves the study to one worker on each core until every run has ended. After the first SIGINT
/// or SIGTERM, workers finish their current runs; after the second, or if the store fails, they are
/// stopped at once. A store that fails for longer than `retry` ends the execution.
pub(super) fn run(
    coordinator: &Coordinator,
    folder: &StudyFolder,
    workers: &Workers<'_>,
    mut display: Display,
    mut interim: InterimTables,
    retry: Duration,
) -> Result<Ended, Failure> {
    if coordinator.progress().is_finished() {
        return Ok(Ended::Finished);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(cannot_start)?;
    let ended = runtime.block_on(async {
        let mut stop = StopSignals::listen().map_err(cannot_start)?;
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.map_err(cannot_start)?;
        let address = format!("http://{}", listener.local_addr().map_err(cannot_start)?);
        let server = tokio::spawn(coordinator.serve(listener));
        let program = std::env::current_exe().map_err(cannot_start)?;
        let spools = folder.spools();
        let programs = workers.programs.cloned();
        let input = format!("{}\n", workers.token);
        let fleet = LocalFleet::start(workers.cores, input, move |core| {
            worker::command(&program, &address, &spools, core, programs.as_ref())
        })
        .map_err(cannot_start)?;
        tokio::select! {
            ended = async {
                let mut store = StoreWatch::new(retry);
                watch(coordinator, &fleet, &mut stop, &mut display, &mut interim, &mut store).await
            } => ended,
            served = server => match served {
                Ok(Err(cause)) => Err(cause.worded()),
                // The server ends when the coordinator is dropped, which is later.
                Ok(Ok(())) | Err(_) => Err(Failure::new("the coordinator has stopped serving")
                    .hint("repeat the command to continue from here")),
            },
        }
    });
    interim.stop();
    display.end(&coordinator.progress());
    if matches!(ended, Ok(Ended::Finished)) {
        // Records left in spools were acknowledged, or their runs have ended by another attempt.
        let _ = std::fs::remove_dir_all(folder.spools());
    }
    ended
}

/// Waits until the study has ended, no worker is left, or a signal stops it.
async fn watch(
    coordinator: &Coordinator,
    fleet: &LocalFleet,
    stop: &mut StopSignals,
    display: &mut Display,
    interim: &mut InterimTables,
    store: &mut StoreWatch,
) -> Result<Ended, Failure> {
    let mut tick = tokio::time::interval(POLL_INTERVAL);
    let mut draining = false;
    let mut last_alive = Instant::now();
    loop {
        tokio::select! {
            _ = tick.tick() => {}
            () = stop.received() => {
                // Without a store no run could end.
                if draining || store.is_failing() {
                    return Ok(Ended::StoppedAtOnce);
                }
                draining = true;
                fleet.drain();
                display.draining();
            }
        }
        let progress = coordinator.progress();
        if progress.is_finished() {
            return Ok(Ended::Finished);
        }
        if let Some(lost) = ResultsError::of_store(coordinator) {
            // Trying again is of no use.
            return Err(lost.worded());
        }
        if store.has_failed(&progress) {
            return Ok(Ended::StoreFailed);
        }
        if draining && store.is_failing() {
            return Ok(Ended::StoppedAtOnce);
        }
        display.show(&progress);
        interim.poll(progress.done + progress.failed + progress.quarantined);
        if !fleet.alive().is_empty() {
            last_alive = Instant::now();
        } else if draining {
            return Ok(Ended::Stopped);
        } else if last_alive.elapsed() > NO_WORKER_TIMEOUT {
            let reasons = fleet.abandoned_cores();
            let reason = reasons.first().map_or("all workers have ended", |(_, reason)| reason);
            return Err(Failure::new(format_args!("no worker is left: {reason}"))
                .hint("remove the cause, then repeat the command to continue from here"));
        }
    }
}

/// Watches whether the store works.
struct StoreWatch {
    retry: Duration,
    failing_since: Option<Instant>,
    /// The time from which on a store that was failing works.
    working_since: Option<Instant>,
}

impl StoreWatch {
    fn new(retry: Duration) -> StoreWatch {
        StoreWatch { retry, failing_since: None, working_since: None }
    }

    fn is_failing(&self) -> bool {
        self.failing_since.is_some()
    }

    /// Whether the store has returned errors for too long. Says so when it begins and when it ends.
    fn has_failed(&mut self, progress: &Progress) -> bool {
        let Some(error) = &progress.last_error else {
            let working = self.failing_since.is_some()
                && self.working_since.get_or_insert_with(Instant::now).elapsed() > RECOVERY;
            if working {
                self.failing_since = None;
                terminal::note("The results can be stored again.");
            }
            return false;
        };
        self.working_since = None;
        let seconds = self.retry.as_secs();
        let since = *self.failing_since.get_or_insert_with(|| {
            terminal::note(&format!(
                "warning: the results cannot be stored: {error}; trying again for {seconds} s"
            ));
            Instant::now()
        });
        let failed = since.elapsed() >= self.retry;
        if failed {
            terminal::note(&format!(
                "error: the results could not be stored for {seconds} s: {error}\n \
                 hint: free disk space, then repeat the command"
            ));
        }
        failed
    }
}

fn cannot_start(cause: io::Error) -> Failure {
    Failure::new(format_args!("cannot start the workers: {cause}"))
        .hint("check that the system's limits allow more processes, threads and ports")
}
