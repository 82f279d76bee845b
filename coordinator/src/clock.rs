//! Time as the ledger sees it: a span since some start, which never goes back.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A monotonic clock.
pub trait Clock: Send + Sync {
    /// The time since a start of the clock's choice.
    fn now(&self) -> Duration;
}

/// The most that passes between two looks at a [`Monotonic`] clock. The coordinator looks
/// several times a second, unless it was stopped or its disk stalled, and then it could hear
/// nobody renew a lease.
const LONGEST_LOOK: Duration = Duration::from_secs(1);

/// The machine's monotonic clock, without the time during which nobody looked at it.
#[derive(Debug)]
pub struct Monotonic(Mutex<(Instant, Duration)>);

impl Default for Monotonic {
    fn default() -> Monotonic {
        Monotonic(Mutex::new((Instant::now(), Duration::ZERO)))
    }
}

impl Monotonic {
    fn at(&self, instant: Instant) -> Duration {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let passed = instant.saturating_duration_since(last.0).min(LONGEST_LOOK);
        *last = (instant, last.1 + passed);
        last.1
    }
}

impl Clock for Monotonic {
    fn now(&self) -> Duration {
        self.at(Instant::now())
    }
}

/// A clock that stands still until it is moved; for simulations and tests.
#[derive(Debug, Default)]
pub struct Manual(AtomicU64);

impl Manual {
    /// Moves the clock ahead; parts of a millisecond are dropped.
    pub fn advance(&self, by: Duration) {
        self.0.fetch_add(by.as_millis() as u64, Ordering::SeqCst);
    }
}

impl Clock for Manual {
    fn now(&self) -> Duration {
        Duration::from_millis(self.0.load(Ordering::SeqCst))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_that_nobody_saw_does_not_count() {
        let clock = Monotonic::default();
        let start = Instant::now();
        let first = clock.at(start);
        let after = |ms| clock.at(start + Duration::from_millis(ms)) - first;
        assert_eq!(after(200).as_millis(), 200);
        assert_eq!(after(60_200).as_millis(), 1200);
        assert_eq!(after(60_300).as_millis(), 1300);
        assert_eq!(after(60_000).as_millis(), 1300, "it never goes back");
    }
}
