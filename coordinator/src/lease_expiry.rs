//! The rules for when a lease expires, with their constants and comparisons.
//!
//! 1. A lease expires one *term* ([`Policy::term`](crate::Policy::term)) after it was granted or
//!    last renewed. A heartbeat renews the leases that it names. Workers send one
//!    heartbeat every [`heartbeat_interval`], so four in a row may be lost.
//! 2. Only the coordinator's clock counts, never a worker's. The clock is monotonic, and at most
//!    [`MAX_CLOCK_ADVANCE`] is credited between two readings, because a coordinator that was
//!    suspended for longer, or whose disk stalled, could not receive heartbeats.
//! 3. The coordinator looks for expired leases every [`TICK_INTERVAL`]. An expired lease is
//!    reinstated if its worker reappears before the run has been leased again.
//! 4. After a restart, every stored lease gets a new term, because the time that has passed
//!    since the coordinator ended is unknown.
//! 5. A standby coordinator takes over a PostgreSQL store when the leader's session has been
//!    silent for [`leader_silence`], measured on the *server's* clock, so the clocks of the
//!    two coordinators need not agree. The leader renews its session every [`TICK_INTERVAL`]. The
//!    new leader loads the leases according to rule 4.

use std::time::Duration;

/// Upper bound on the time that is credited between two readings of the coordinator's clock. In
/// operation, the clock is read every [`TICK_INTERVAL`] or more often.
pub(crate) const MAX_CLOCK_ADVANCE: Duration = Duration::from_secs(1);

/// Time between two searches for expired leases.
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

/// Silence of a leader's session, on the database server's clock, after which a standby
/// coordinator terminates the session and takes over.
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
