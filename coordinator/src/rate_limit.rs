//! Limits on the rates of requests of each worker, as token buckets. A worker that works correctly
//! rarely reaches a limit.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

const MAX_WORKERS: usize = 1 << 16;

/// The bucket is full at the beginning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rate {
    /// Number of requests that a full bucket permits at once.
    pub(crate) burst: u32,
    pub(crate) per_second: u32,
}

#[derive(Clone, Copy, Debug)]
struct Bucket {
    left: f64,
    at: Duration,
}

#[derive(Debug)]
pub(crate) struct RateLimit {
    rate: Rate,
    buckets: Mutex<BTreeMap<String, Bucket>>,
}

impl RateLimit {
    pub(crate) fn new(rate: Rate) -> RateLimit {
        RateLimit { rate, buckets: Mutex::default() }
    }

    /// Counts requests of a worker. Returns false, without counting any of them, if they are not
    /// permitted now.
    pub(crate) fn permits(&self, now: Duration, worker: &str, requests: usize) -> bool {
        let requests = requests as f64;
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if !buckets.contains_key(worker) && buckets.len() >= MAX_WORKERS {
            // A missing bucket counts as full.
            buckets.retain(|_, bucket| self.refilled(*bucket, now) < f64::from(self.rate.burst));
            if buckets.len() >= MAX_WORKERS {
                return false;
            }
        }
        let full = Bucket { left: f64::from(self.rate.burst), at: now };
        let bucket = buckets.entry(worker.to_owned()).or_insert(full);
        *bucket = Bucket { left: self.refilled(*bucket, now), at: now };
        let permitted = bucket.left >= requests;
        if permitted {
            bucket.left -= requests;
        }
        permitted
    }

    fn refilled(&self, Bucket { left, at }: Bucket, now: Duration) -> f64 {
        let gained = now.saturating_sub(at).as_secs_f64() * f64::from(self.rate.per_second);
        (left + gained).min(f64::from(self.rate.burst))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_permitted_and_then_the_rate() {
        let limit = RateLimit::new(Rate { burst: 3, per_second: 2 });
        let permitted =
            |ms, worker: &str, requests| limit.permits(Duration::from_millis(ms), worker, requests);
        assert!(permitted(0, "a", 2) && permitted(0, "a", 1) && !permitted(0, "a", 1));
        assert!(permitted(0, "b", 3), "each worker has its own bucket");
        assert!(!permitted(400, "a", 1) && permitted(500, "a", 1) && !permitted(500, "a", 1));
        assert!(permitted(60_000, "a", 3) && !permitted(60_000, "a", 1));
        assert!(!permitted(90_000, "a", 4), "more than a burst is never permitted");
    }

    #[test]
    fn names_that_are_made_up_take_bounded_memory() {
        let limit = RateLimit::new(Rate { burst: 1, per_second: 1 });
        for name in 0..MAX_WORKERS {
            assert!(limit.permits(Duration::ZERO, &name.to_string(), 1));
        }
        assert!(!limit.permits(Duration::ZERO, "one more", 1));
        assert!(limit.permits(Duration::from_secs(1), "one more", 1));
        assert_eq!(limit.buckets.lock().unwrap().len(), 1);
    }
}
