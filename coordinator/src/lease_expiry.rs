//! The rules for when a lease expires.
//!
//! A lease expires one *term* ([`Policy::term`](crate::Policy::term)) after it was granted or last
//! renewed by a heartbeat. Only the coordinator's clock counts. It advances by at most
//! [`MAX_CLOCK_ADVANCE`] between two readings, because a coordinator that was suspended for longer
//! could not receive heartbeats. An expired lease is reinstated if its worker reappears before the
//! run has been leased again.
//!
//! After a restart, every stored lease gets a new term, because the time that has passed is
//! unknown.
//!
//! A standby coordinator takes over a PostgreSQL store when the leader's session has been silent
//! for [`leader_silence`], measured on the server's clock, so the clocks of the two coordinators
//! need not agree.

use std::time::Duration;

/// Maximum time by which the coordinator's clock advances between two readings.
pub(crate) const MAX_CLOCK_ADVANCE: Duration = Duration::from_secs(1);

/// Time between two searches for expired leases, and between two renewals of a leader's session.
pub(crate) const TICK_INTERVAL: Duration = Duration::from_millis(200);

pub(crate) fn expiry(now: Duration, term: Duration) -> Duration {
    now + term
}

pub(crate) fn has_expired(expiry: Duration, now: Duration) -> bool {
    expiry <= now
}

pub(crate) fn heartbeat_interval(term: Duration) -> Duration {
    term / 5
}

/// The silence is measured on the database server's clock.
pub(crate) fn leader_silence(term: Duration) -> Duration {
    term
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_survives_four_lost_heartbeats_and_expires_at_the_end_of_its_term() {
        let term = Duration::from_secs(15);
        let expiry = expiry(Duration::from_secs(100), term);
        let fourth = Duration::from_secs(100) + 4 * heartbeat_interval(term);
        assert!(!has_expired(expiry, fourth));
        assert!(!has_expired(expiry, Duration::from_millis(114_999)));
        assert!(has_expired(expiry, Duration::from_secs(115)));
        assert!(MAX_CLOCK_ADVANCE >= 2 * TICK_INTERVAL, "a late tick must not slow the clock");
    }
}
