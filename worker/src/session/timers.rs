//! What reaches a session from outside but the network: heartbeats that are due, signals.

use std::io;
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::UnboundedSender;

use super::Notice;

/// Rings for a heartbeat now and then.
pub(super) fn ring(notify: &UnboundedSender<Notice>, every: Duration) {
    let notify = notify.clone();
    tokio::spawn(async move {
        let mut timer = tokio::time::interval(every);
        timer.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            timer.tick().await;
            if notify.send(Notice::BeatDue).is_err() {
                return;
            }
        }
    });
}

/// Passes SIGTERM and SIGINT on.
pub(super) fn listen(notify: &UnboundedSender<Notice>) -> io::Result<()> {
    for kind in [SignalKind::terminate(), SignalKind::interrupt()] {
        let mut signals = signal(kind)?;
        let notify = notify.clone();
        tokio::spawn(async move {
            while signals.recv().await.is_some() {
                if notify.send(Notice::Terminate).is_err() {
                    return;
                }
            }
        });
    }
    Ok(())
}
