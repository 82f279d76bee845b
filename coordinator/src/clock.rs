//! Clocks of the coordinator.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::lease_expiry::MAX_CLOCK_ADVANCE;

/// A clock that never goes back.
pub trait Clock: Send + Sync {
    /// The time since an arbitrary start.
    fn now(&self) -> Duration;
}

/// The computer's monotonic clock. Each reading advances it by at most one second, because a
/// coordinator that did not read it for longer was probably suspended.
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
        let passed = instant.saturating_duration_since(last.0).min(MAX_CLOCK_ADVANCE);
        *last = (instant, last.1 + passed);
        last.1
    }
}

impl Clock for Monotonic {
    fn now(&self) -> Duration {
        self.at(Instant::now())
    }
}

/// A clock that advances only when [`Manual::advance`] is called, for simulations and tests.
#[derive(Debug, Default)]
pub struct Manual(AtomicU64);

impl Manual {
    /// Advances the clock by whole milliseconds.
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
    fn a_reading_advances_the_clock_by_at_most_a_second() {
        let clock = Monotonic::default();
        let start = Instant::now();
        let first = clock.at(start);
        let after = |ms| clock.at(start + Duration::from_millis(ms)) - first;
        assert_eq!(after(200).as_millis(), 200);
        assert_eq!(after(60_200).as_millis(), 1200);
        assert_eq!(after(60_300).as_millis(), 1300);
        assert_eq!(after(60_000).as_millis(), 1300, "it never decreases");
    }
}
