//! Executes a study with a coordinator and workers on this machine.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use catherd_analysis_results::{InterimTables, ResultsError, StudyFolder};
use catherd_cli_console::{Failure, terminal};
use catherd_coordinator::{Coordinator, FailureCount, Progress};
use catherd_platform::StopSignals;
use catherd_worker::LocalFleet;
use tokio::net::TcpListener;

use super::display::Display;
use super::trials::TRIALS;
use crate::failure::Worded;
use crate::programs::WorkerPrograms;
use crate::worker;

/// Interval at which progress and workers are checked.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Maximum number of times that a damaged project is stored again. Once is not enough, because a
/// worker that was reading the project meanwhile reports the damage again.
const MAX_RESTORATIONS: u32 = 3;

/// Time after which damage that belongs to no project ends the study. Until then, it may be damage
/// to a project that has been stored again meanwhile.
const DAMAGE_TIMEOUT: Duration = Duration::from_secs(5);

/// Time without any live worker after which the study fails.
const NO_WORKER_TIMEOUT: Duration = Duration::from_secs(5);

/// Time without errors after which a store that failed counts as working again. On a full disk,
/// small writes may succeed between larger writes that fail.
const RECOVERY: Duration = Duration::from_secs(5);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// Every run has ended.
    Finished,
    /// A signal stopped the study, and the current runs have ended.
    Stopped,
    /// A signal stopped the study while runs were being executed.
    StoppedAtOnce,
    /// The store returned errors for too long.
    StoreFailed,
    /// Too many runs of an algorithm failed for the same reason.
    FailedAlike,
}

/// Number of runs of an algorithm that must fail for the same reason, without a successful run, to
/// stop a study.
const MAX_ALIKE: usize = 10;

#[derive(Clone, Copy, Debug)]
pub(super) struct FailureRule {
    pub(super) projects: usize,
    pub(super) keep_going: bool,
}

impl FailureRule {
    /// If many runs of an algorithm fail alike and none succeeds, the cause is probably the tool
    /// and not a project.
    fn stops<'p>(&self, progress: &'p Progress) -> Option<&'p FailureCount> {
        let projects = self.projects.min(2);
        progress.failures.iter().find(|count| {
            let alike = count.runs >= MAX_ALIKE && count.projects >= projects;
            !self.keep_going && count.done == 0 && alike
        })
    }
}

pub(super) struct Workers<'a> {
    pub(super) cores: &'a [usize],
    /// The token with which workers prove to the coordinator that this process started them.
    pub(super) token: &'a str,
    pub(super) programs: Option<&'a WorkerPrograms>,
    pub(super) dashboard: Option<SocketAddr>,
    /// Stores damaged projects again.
    pub(super) restore: &'a dyn Fn() -> Result<(), Failure>,
}

/// After the first signal, workers finish their current runs, unless the store fails; after the
/// second signal, they are stopped at once.
pub(super) fn run(
    coordinator: &Coordinator,
    folder: &StudyFolder,
    workers: &Workers<'_>,
    mut display: Display,
    mut interim: InterimTables,
    (retry, rule): (Duration, FailureRule),
) -> Result<Ended, Failure> {
    if coordinator.progress().is_finished() {
        // A process that was killed before it returned may have left spools.
        clear(&folder.spools(), coordinator.progress().quarantined > 0);
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
        if let Some(address) = workers.dashboard {
            show_dashboard(coordinator, address).await?;
        }
        let server = tokio::spawn(coordinator.serve(listener));
        let program = std::env::current_exe().map_err(cannot_start)?;
        let spools = folder.spools();
        let programs = workers.programs.cloned();
        let input = format!("{}\n", workers.token);
        let folders = spools.clone();
        let spool = move |core| worker::spool(&folders, core);
        let fleet = LocalFleet::start(workers.cores, input, spool, move |core| {
            worker::command(&program, &address, &spools, core, programs.as_ref(), retry)
        })
        .map_err(cannot_start)?;
        tokio::select! {
            ended = async {
                let mut store = StoreWatch::new(retry);
                let mut watch = Watch { coordinator, fleet: &fleet, restore: workers.restore, rule };
                watch.until_ended(&mut stop, &mut display, &mut interim, &mut store).await
            } => ended,
            served = server => match served {
                Ok(Err(cause)) => Err(cause.worded()),
                // The server must not end before the coordinator is dropped.
                Ok(Ok(())) | Err(_) => Err(Failure::new("the coordinator has stopped serving")
                    .hint("repeat the command to continue from here")),
            },
        }
    });
    interim.stop();
    display.end(&coordinator.progress());
    if matches!(ended, Ok(Ended::Finished)) {
        // Records left in spools were acknowledged, or their runs have ended in other attempts.
        clear(&folder.spools(), coordinator.progress().quarantined > 0);
    }
    ended
}

/// With `keep_trials`, unmeasured trials are kept.
fn clear(spools: &Path, keep_trials: bool) {
    // Ignore errors, because the results are stored.
    let trials = spools.join(TRIALS);
    if !keep_trials || !trials.exists() {
        let _ = std::fs::remove_dir_all(spools);
        return;
    }
    for entry in std::fs::read_dir(spools).into_iter().flatten().flatten() {
        if entry.path() != trials {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
    // Remove the folders as well if no trial is left.
    let _ = std::fs::remove_dir(&trials).and_then(|()| std::fs::remove_dir(spools));
}

async fn show_dashboard(coordinator: &Coordinator, address: SocketAddr) -> Result<(), Failure> {
    if !address.ip().is_loopback() {
        let hint = "name an address of this machine, such as 127.0.0.1:7421; `catherd coordinator` has \
                    a dashboard for others";
        return Err(Failure::new(format_args!(
            "--dashboard: {address} could be reached by other machines"
        ))
        .hint(hint));
    }
    let listener = TcpListener::bind(address).await.map_err(|cause| {
        Failure::new(format_args!("--dashboard: cannot listen on {address}: {cause}"))
            .hint("name another address, such as --dashboard 127.0.0.1:0 for any free port")
    })?;
    let address = listener.local_addr().map_err(cannot_start)?;
    terminal::note(&format!("dashboard: http://{address}/"));
    tokio::spawn(coordinator.serve_dashboard(listener, Vec::new()));
    Ok(())
}

struct Watch<'a> {
    coordinator: &'a Coordinator,
    fleet: &'a LocalFleet,
    restore: &'a dyn Fn() -> Result<(), Failure>,
    rule: FailureRule,
}

fn alike_note(FailureCount { label, reason, runs, .. }: &FailureCount) {
    let failure = Failure::new(format_args!(
        "{runs} runs of {label} failed alike, and none succeeded: {reason}"
    ));
    let hint = "remove the cause; `catherd tool try` executes one run of an external tool; --keep-going \
                executes the other runs all the same";
    terminal::note(&failure.hint(hint).to_string());
}

impl Watch<'_> {
    async fn until_ended(
        &mut self,
        stop: &mut StopSignals,
        display: &mut Display,
        interim: &mut InterimTables,
        store: &mut StoreWatch,
    ) -> Result<Ended, Failure> {
        let Watch { coordinator, fleet, restore, rule } = *self;
        let mut restored: BTreeMap<_, u32> = BTreeMap::new();
        let mut tick = tokio::time::interval(POLL_INTERVAL);
        let mut draining = false;
        let mut last_alive = Instant::now();
        let mut damaged_since = None;
        loop {
            tokio::select! {
                _ = tick.tick() => {}
                () = stop.received() => {
                    // Stop at once if the store fails, because runs cannot end without the store.
                    if draining || store.is_failing() {
                        return Ok(Ended::StoppedAtOnce);
                    }
                    draining = true;
                    fleet.drain();
                    display.draining();
                }
            }
            let progress = coordinator.progress();
            display.show_reasons(&progress);
            if progress.is_finished() {
                return Ok(Ended::Finished);
            }
            if let Some(alike) = rule.stops(&progress) {
                alike_note(alike);
                return Ok(Ended::FailedAlike);
            }
            if let Some(lost) = ResultsError::of_store(coordinator) {
                let damaged = coordinator.projects().damaged();
                let again = |project| restored.get(project) >= Some(&MAX_RESTORATIONS);
                let since: &mut Instant = damaged_since.get_or_insert_with(Instant::now);
                let stays = damaged.is_empty() && since.elapsed() > DAMAGE_TIMEOUT;
                if progress.lost_file.is_some() || stays || damaged.iter().any(again) {
                    // A retry cannot succeed.
                    return Err(lost.worded());
                }
                if !damaged.is_empty() {
                    *since = Instant::now();
                    for project in damaged {
                        *restored.entry(project).or_default() += 1;
                    }
                    tokio::task::block_in_place(restore)?;
                }
            } else {
                damaged_since = None;
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
}

struct StoreWatch {
    retry: Duration,
    failing_since: Option<Instant>,
    /// The time since which a store that was failing works again.
    working_since: Option<Instant>,
}

impl StoreWatch {
    fn new(retry: Duration) -> StoreWatch {
        StoreWatch { retry, failing_since: None, working_since: None }
    }

    fn is_failing(&self) -> bool {
        self.failing_since.is_some()
    }

    /// Whether the store has returned errors for too long. Prints a message when errors begin and
    /// when they end.
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
                 hint: if the disk is full, free disk space; then repeat the command"
            ));
        }
        failed
    }
}

fn cannot_start(cause: io::Error) -> Failure {
    Failure::new(format_args!("cannot start the workers: {cause}"))
        .hint("check that the system's limits allow more processes, threads and ports")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_stop_a_study_if_they_are_the_fault_of_a_tool() {
        let rule = FailureRule { projects: 5, keep_going: false };
        let alike = FailureCount { runs: 10, projects: 2, ..FailureCount::default() };
        let stops = |rule: FailureRule, count: &FailureCount| {
            let failures = vec![count.clone()];
            rule.stops(&Progress { failures, ..Progress::default() }).is_some()
        };
        assert!(stops(rule, &alike));
        assert!(!stops(FailureRule { keep_going: true, ..rule }, &alike));
        let one_project = FailureCount { projects: 1, ..alike.clone() };
        assert!(
            !stops(rule, &one_project) && stops(FailureRule { projects: 1, ..rule }, &one_project)
        );
        assert!(!stops(rule, &FailureCount { runs: 9, ..alike.clone() }));
        assert!(!stops(rule, &FailureCount { done: 1, ..alike }));
    }
}
