//! Coordinator and workers until every run has ended.

use std::io;
use std::time::{Duration, Instant};

use catherd_coordinator::Coordinator;
use catherd_platform::StopSignals;
use catherd_worker::LocalFleet;
use tokio::net::TcpListener;

use super::display::Display;
use super::folder::Folder;
use crate::failure::Failure;
use crate::worker;

/// The study is looked at this often.
const LOOK: Duration = Duration::from_millis(100);

/// Longer than a worker that died takes to be started again.
const DESERTED: Duration = Duration::from_secs(5);

/// How the herding ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// Every run has ended.
    Finished,
    /// Somebody said so.
    Stopped,
}

/// Serves the study to a worker on each core until every run has ended. The first SIGINT
/// or SIGTERM lets the runs in hand finish, the second does not.
pub(super) fn run(
    coordinator: &Coordinator,
    folder: &Folder,
    cores: &[usize],
    mut display: Display,
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
        let fleet = LocalFleet::start(cores, move |core| {
            worker::command(&program, &address, &spools, core)
        })
        .map_err(cannot_start)?;
        tokio::select! {
            ended = watch(coordinator, &fleet, &mut stop, &mut display) => ended,
            served = server => match served {
                Ok(Err(cause)) => Err(cause.into()),
                // It serves until the coordinator is dropped.
                Ok(Ok(())) | Err(_) => Err(Failure::new("the coordinator has stopped serving")
                    .hint("repeat the command to go on from here")),
            },
        }
    });
    display.end(&coordinator.progress());
    if matches!(ended, Ok(Ended::Finished)) {
        // What is left there was acknowledged, or belongs to runs that have ended otherwise.
        let _ = std::fs::remove_dir_all(folder.spools());
    }
    ended
}

/// Waits until the study has ended, no worker is left, or signals stop it.
async fn watch(
    coordinator: &Coordinator,
    fleet: &LocalFleet,
    stop: &mut StopSignals,
    display: &mut Display,
) -> Result<Ended, Failure> {
    let mut tick = tokio::time::interval(LOOK);
    let mut draining = false;
    let mut last_alive = Instant::now();
    loop {
        tokio::select! {
            _ = tick.tick() => {}
            () = stop.received() => {
                if draining {
                    return Ok(Ended::Stopped);
                }
                draining = true;
                fleet.drain();
                display.draining();
            }
        }
        let progress = coordinator.progress();
        display.show(&progress);
        if progress.is_finished() {
            return Ok(Ended::Finished);
        }
        if !fleet.alive().is_empty() {
            last_alive = Instant::now();
        } else if draining {
            return Ok(Ended::Stopped);
        } else if last_alive.elapsed() > DESERTED {
            let reasons = fleet.abandoned_cores();
            let reason = reasons.first().map_or("all workers have ended", |(_, reason)| reason);
            return Err(Failure::new(format_args!("nobody is left to work: {reason}"))
                .hint("repeat the command to go on from here"));
        }
    }
}

fn cannot_start(cause: io::Error) -> Failure {
    Failure::new(format_args!("cannot start the workers: {cause}"))
        .hint("see whether the system's limits allow processes, threads and ports")
}
