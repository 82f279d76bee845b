//! The timer of heartbeats, and handlers of signals.

use std::io;
use std::time::Duration;

use catherd_platform::StopSignals;
use tokio::sync::mpsc::UnboundedSender;

use super::Event;

pub(super) fn spawn_heartbeat_timer(sender: &UnboundedSender<Event>, interval: Duration) {
    let sender = sender.clone();
    tokio::spawn(async move {
        let mut timer = tokio::time::interval(interval);
        timer.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            timer.tick().await;
            if sender.send(Event::HeartbeatDue).is_err() {
                return;
            }
        }
    });
}

/// Handles signals that tell the process to end.
pub(super) fn install_signal_handlers(sender: &UnboundedSender<Event>) -> io::Result<()> {
    let mut signals = StopSignals::listen()?;
    let sender = sender.clone();
    tokio::spawn(async move {
        loop {
            signals.received().await;
            if sender.send(Event::Terminate).is_err() {
                return;
            }
        }
    });
    Ok(())
}
