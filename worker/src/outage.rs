//! Reports outages, during which requests to the coordinators fail.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Repeated requests report an outage only after this time, because a restarted coordinator usually
/// answers again within it.
pub(crate) const GRACE: Duration = Duration::from_secs(2);

/// First and longest time between two reports of the same outage.
const REPORT_INTERVAL: (Duration, Duration) = (Duration::from_secs(30), Duration::from_secs(300));

#[derive(Debug)]
pub(crate) struct OutageReporter {
    addresses: String,
    /// How long requests are repeated.
    retry_timeout: Duration,
    outage: Mutex<Option<Outage>>,
}

#[derive(Debug)]
struct Outage {
    since: Instant,
    due: Instant,
    /// The time between the next report and the report after it.
    interval: Duration,
    reported: bool,
}

impl OutageReporter {
    pub(crate) fn new(addresses: String, retry_timeout: Duration) -> OutageReporter {
        OutageReporter { addresses, retry_timeout, outage: Mutex::default() }
    }

    /// Records that a request has had no answer since `since`. Outages longer than [`GRACE`] are reported at
    /// growing intervals.
    pub(crate) fn unanswered(&self, since: Instant, cause: &str) {
        let now = Instant::now();
        let mut outage = self.outage.lock().unwrap_or_else(PoisonError::into_inner);
        let outage = outage.get_or_insert(Outage {
            since,
            due: since + GRACE,
            interval: REPORT_INTERVAL.0,
            reported: false,
        });
        if now < outage.due {
            return;
        }
        outage.due = now + outage.interval;
        outage.interval = (outage.interval * 2).min(REPORT_INTERVAL.1);
        outage.reported = true;
        tracing::warn!(
            "coordinator {} has not been reachable for {} s: {cause}; giving up after {} s",
            self.addresses,
            (now - outage.since).as_secs(),
            self.retry_timeout.as_secs(),
        );
    }

    pub(crate) fn answered(&self) {
        let ended = self.outage.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(outage) = ended.filter(|outage| outage.reported) {
            let seconds = outage.since.elapsed().as_secs();
            tracing::warn!("coordinator {} answers again after {seconds} s", self.addresses);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_outage_is_reported_after_a_grace_period_and_then_at_growing_intervals() {
        let reporter = OutageReporter::new("ant:7420".to_owned(), Duration::from_secs(600));
        let reports = || {
            let outage = reporter.outage.lock().unwrap();
            outage.as_ref().map(|outage| (outage.reported, outage.due - outage.since))
        };
        let start = Instant::now();
        reporter.unanswered(start, "refused");
        assert_eq!(reports(), Some((false, GRACE)));
        tokio::time::advance(Duration::from_secs(3)).await;
        reporter.unanswered(Instant::now(), "refused");
        assert_eq!(reports(), Some((true, Duration::from_secs(33))));
        tokio::time::advance(Duration::from_secs(40)).await;
        reporter.unanswered(Instant::now(), "refused");
        assert_eq!(reports(), Some((true, Duration::from_secs(43 + 60))), "intervals grow");
        reporter.answered();
        assert_eq!(reports(), None);
    }
}
