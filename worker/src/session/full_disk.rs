//! What a session does while the disk for its runs is full: it returns its leases and tries again
//! after a pause.

use std::time::Duration;

use tokio::time::Instant;

use super::leasing::Leasing;
use super::{Event, Phase, Session};
use crate::executor::JobOutcome;

/// The pause before runs are leased again.
const PAUSE: Duration = Duration::from_secs(1);

#[derive(Default)]
pub(super) struct FullDisk {
    /// The time of the first run that found the disk full.
    since: Option<Instant>,
    /// The reason, if the disk remained full.
    pub(super) given_up: Option<String>,
}

impl Session {
    pub(super) fn note_disk(&mut self, outcome: &JobOutcome) {
        let JobOutcome::DiskFull(reason) = outcome else {
            if let (Some(_), JobOutcome::Record(_)) = (self.full_disk.since, outcome) {
                tracing::warn!("there is space for runs again");
                self.full_disk.since = None;
            }
            return;
        };
        let limit = self.config.space_timeout;
        let since = *self.full_disk.since.get_or_insert_with(|| {
            tracing::error!("{reason}; trying again for {} s", limit.as_secs());
            Instant::now()
        });
        self.return_waiting();
        if since.elapsed() >= limit {
            self.full_disk.given_up = Some(reason.clone());
            self.phase = self.phase.max(Phase::Draining);
            return;
        }
        self.leasing = Leasing::BackingOff;
        self.spawn(async move {
            tokio::time::sleep(PAUSE).await;
            Event::LeaseDue
        });
    }
}
