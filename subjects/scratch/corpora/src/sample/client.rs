//! HTTP client with a rate limit and retries.

use std::collections::BTreeMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use ureq::http::{HeaderMap, StatusCode, header::RETRY_AFTER};
use ureq::{Agent, Error};

use super::SampleSettings;

/// Maximum of the growing pause between attempts, before the random factor is applied.
const MAX_BACKOFF: Duration = Duration::from_secs(60);
const MAX_RETRY_AFTER: Duration = Duration::from_secs(15 * 60);
/// After this number of successive identical replies that fail the check, later replies are
/// unlikely to differ.
const MAX_IDENTICAL_BAD_REPLIES: usize = 3;
const STOP_POLL_INTERVAL: Duration = Duration::from_millis(50);

#[derive(Debug)]
pub(super) enum Reply<T> {
    Valid(T),
    /// Refused with this status, which is not expected to change on a retry.
    Refused(u16),
    /// The reason why identical contents failed the check several times in a row.
    Invalid(String),
    TooLarge,
}

#[derive(Debug)]
pub(super) enum FetchError {
    RetriesExhausted { cause: RetryCause, detail: String },
    Stopped,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RetryCause {
    RateLimited,
    ServerError,
    Connection,
    Timeout,
    Truncated,
    WrongContents,
}

impl RetryCause {
    pub(super) fn name(self) -> &'static str {
        match self {
            RetryCause::RateLimited => "rate-limited",
            RetryCause::ServerError => "server-error",
            RetryCause::Connection => "connection",
            RetryCause::Timeout => "timeout",
            RetryCause::Truncated => "truncated",
            RetryCause::WrongContents => "wrong-contents",
        }
    }
}

pub(super) type RetryCounts = BTreeMap<String, u64>;

pub(super) struct Client<'s> {
    agent: Agent,
    settings: &'s SampleSettings,
    stop: &'s AtomicBool,
    /// Time at which the next request may be sent.
    next: Mutex<Instant>,
}

struct FailedAttempt {
    cause: RetryCause,
    detail: String,
    /// Pause that the server requested.
    pause: Option<Duration>,
}

impl<'s> Client<'s> {
    pub(super) fn new(settings: &'s SampleSettings, stop: &'s AtomicBool) -> Client<'s> {
        let contact = settings.contact.as_deref().map(|c| format!("; {c}")).unwrap_or_default();
        let agent = Agent::config_builder()
            .user_agent(format!("catherd/{} (research corpus{contact})", env!("CARGO_PKG_VERSION")))
            .http_status_as_error(false)
            .max_redirects(3)
            .timeout_connect(Some(settings.timeout))
            .timeout_recv_response(Some(settings.timeout))
            .timeout_per_read(Some(settings.timeout))
            // Also end requests to servers that send single bytes at long intervals.
            .timeout_global(Some(settings.timeout * 20))
            .build()
            .new_agent();
        Client { agent, settings, stop, next: Mutex::new(Instant::now()) }
    }

    pub(super) fn get<T>(
        &self,
        url: &str,
        max_bytes: u64,
        retries: &mut RetryCounts,
        check: impl Fn(&[u8]) -> Result<T, String>,
    ) -> Result<Reply<T>, FetchError> {
        let mut last_bad: (Vec<u8>, usize) = (Vec::new(), 0);
        let mut attempt = 0;
        loop {
            self.wait_for_turn()?;
            let failed = match self.attempt(url, max_bytes) {
                Ok(Reply::Valid(bytes)) => match check(&bytes) {
                    Ok(checked) => return Ok(Reply::Valid(checked)),
                    Err(detail) => {
                        last_bad =
                            if bytes == last_bad.0 { (bytes, last_bad.1 + 1) } else { (bytes, 1) };
                        if last_bad.1 == MAX_IDENTICAL_BAD_REPLIES {
                            return Ok(Reply::Invalid(detail));
                        }
                        FailedAttempt { cause: RetryCause::WrongContents, detail, pause: None }
                    }
                },
                Ok(Reply::Refused(status)) => return Ok(Reply::Refused(status)),
                Ok(Reply::Invalid(reason)) => return Ok(Reply::Invalid(reason)),
                Ok(Reply::TooLarge) => return Ok(Reply::TooLarge),
                Err(failed) => failed,
            };
            *retries.entry(failed.cause.name().to_owned()).or_default() += 1;
            if attempt == self.settings.retries {
                let FailedAttempt { cause, detail, .. } = failed;
                return Err(FetchError::RetriesExhausted {
                    cause,
                    detail: format!("{url}: {detail}"),
                });
            }
            if let Some(pause) = failed.pause {
                // The pause applies to all requests of the client.
                let end = Instant::now() + pause.min(MAX_RETRY_AFTER);
                let mut next = self.next.lock().expect("nothing panics with the lock");
                *next = (*next).max(end);
            }
            self.sleep_until(Instant::now() + self.backoff(attempt))?;
            attempt += 1;
        }
    }

    fn attempt(&self, url: &str, max_bytes: u64) -> Result<Reply<Vec<u8>>, FailedAttempt> {
        let failed = |cause| {
            move |error: Error| {
                let cause = match &error {
                    Error::Timeout(_) => RetryCause::Timeout,
                    Error::Io(e) if e.kind() == io::ErrorKind::TimedOut => RetryCause::Timeout,
                    _ => cause,
                };
                FailedAttempt { cause, detail: error.to_string(), pause: None }
            }
        };
        let mut response = self.agent.get(url).call().map_err(failed(RetryCause::Connection))?;
        let status = response.status();
        if status.is_success() {
            let body = response.body_mut().with_config().limit(max_bytes.saturating_add(1));
            return match body.read_to_vec() {
                Ok(bytes) if bytes.len() as u64 <= max_bytes => Ok(Reply::Valid(bytes)),
                Ok(_) | Err(Error::BodyExceedsLimit(_)) => Ok(Reply::TooLarge),
                Err(error) => Err(failed(RetryCause::Truncated)(error)),
            };
        }
        let cause = match status {
            StatusCode::TOO_MANY_REQUESTS => RetryCause::RateLimited,
            StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_EARLY => RetryCause::ServerError,
            _ if status.is_server_error() => RetryCause::ServerError,
            _ => return Ok(Reply::Refused(status.as_u16())),
        };
        let pause = retry_after(response.headers());
        Err(FailedAttempt { cause, detail: format!("status {status}"), pause })
    }

    /// The random factor keeps many clients from retrying at the same time.
    fn backoff(&self, attempt: u32) -> Duration {
        let doubled = self.settings.backoff.saturating_mul(1 << attempt.min(16));
        let jitter = RandomState::new().hash_one(attempt) as f64 / u64::MAX as f64;
        doubled.min(MAX_BACKOFF).mul_f64(0.5 + jitter)
    }

    fn wait_for_turn(&self) -> Result<(), FetchError> {
        loop {
            let turn = {
                let mut next = self.next.lock().expect("nothing panics with the lock");
                let now = Instant::now();
                if *next <= now {
                    *next = now + Duration::from_secs_f64(1.0 / self.settings.rate);
                    return self.check_stop();
                }
                *next
            };
            self.sleep_until(turn)?;
        }
    }

    fn sleep_until(&self, end: Instant) -> Result<(), FetchError> {
        loop {
            self.check_stop()?;
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            std::thread::sleep(left.min(STOP_POLL_INTERVAL));
        }
    }

    fn check_stop(&self) -> Result<(), FetchError> {
        if self.stop.load(Ordering::Relaxed) { Err(FetchError::Stopped) } else { Ok(()) }
    }
}

fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let until = DateTime::parse_from_rfc2822(text).ok()?;
    until.signed_duration_since(Utc::now()).to_std().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_may_ask_for_pauses_in_seconds_or_by_date() {
        let asked = |text: &str| {
            let value = text.parse().unwrap();
            retry_after(&HeaderMap::from_iter([(RETRY_AFTER, value)]))
        };
        assert_eq!(asked("120"), Some(Duration::from_secs(120)));
        assert_eq!(asked("Sun, 06 Nov 1994 08:49:37 GMT"), None);
        let later = asked("Sat, 06 Nov 2094 08:49:37 GMT").unwrap();
        assert!(later > Duration::from_secs(365 * 86_400), "{later:?}");
        assert_eq!(asked("soon"), None);
    }
}
