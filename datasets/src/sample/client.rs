//! An HTTP client that is polite and does not give up early.
//!
//! What it waits for, and how often it asks, depends on clocks and chance; what it
//! answers does not.

use std::collections::BTreeMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use ureq::http::{HeaderMap, StatusCode, header::RETRY_AFTER};
use ureq::{Agent, Error};

use super::Settings;

/// The longest pause between two attempts, unless the server asks for more.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// The longest pause that a server can ask for.
const LONGEST_REQUEST: Duration = Duration::from_secs(15 * 60);
/// So often the same bytes must come before they are what the server has.
const CONVINCING: usize = 3;
/// How often a wait looks whether it was called off.
const GLANCE: Duration = Duration::from_millis(50);

/// What a server has to say about an address, once it is decided.
#[derive(Debug)]
pub(super) enum Reply<T> {
    /// The contents, which passed the check.
    Whole(T),
    /// Refused for good, with this status.
    Refused(u16),
    /// The same contents again and again, and they do not pass: why.
    Broken(String),
    /// More bytes than are allowed.
    TooLarge,
}

/// Why there is no reply.
#[derive(Debug)]
pub(super) enum Unanswered {
    /// Every attempt met trouble; the last is told.
    Undecided { trouble: Trouble, detail: String },
    /// Somebody asked to stop.
    Stopped,
}

/// What may be otherwise the next time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Trouble {
    RateLimited,
    ServerError,
    Connection,
    Timeout,
    Truncated,
    Contents,
}

impl Trouble {
    pub(super) fn name(self) -> &'static str {
        match self {
            Trouble::RateLimited => "rate-limited",
            Trouble::ServerError => "server-error",
            Trouble::Connection => "connection",
            Trouble::Timeout => "timeout",
            Trouble::Truncated => "truncated",
            Trouble::Contents => "wrong-contents",
        }
    }
}

/// How often each kind of trouble was met.
pub(super) type Troubles = BTreeMap<String, u64>;

/// The client of all probes of a process.
pub(super) struct Client<'s> {
    agent: Agent,
    settings: &'s Settings,
    stop: &'s AtomicBool,
    /// When the next request may leave.
    next: Mutex<Instant>,
}

/// An attempt that met trouble.
struct Met {
    trouble: Trouble,
    detail: String,
    /// The server asks to be left alone so long.
    pause: Option<Duration>,
}

impl<'s> Client<'s> {
    pub(super) fn new(settings: &'s Settings, stop: &'s AtomicBool) -> Client<'s> {
        let contact = settings.contact.as_deref().map(|c| format!("; {c}")).unwrap_or_default();
        let agent = Agent::config_builder()
            .user_agent(format!("catherd/{} (research corpus{contact})", env!("CARGO_PKG_VERSION")))
            .http_status_as_error(false)
            .max_redirects(3)
            .timeout_connect(Some(settings.timeout))
            .timeout_recv_response(Some(settings.timeout))
            .timeout_per_read(Some(settings.timeout))
            // Against servers that send a byte now and then.
            .timeout_global(Some(settings.timeout * 20))
            .build()
            .new_agent();
        Client { agent, settings, stop, next: Mutex::new(Instant::now()) }
    }

    /// Asks until it is decided what is at an address: at most `most` bytes that pass the
    /// check, or why not.
    pub(super) fn get<T>(
        &self,
        url: &str,
        most: u64,
        troubles: &mut Troubles,
        check: impl Fn(&[u8]) -> Result<T, String>,
    ) -> Result<Reply<T>, Unanswered> {
        let mut same: (Vec<u8>, usize) = (Vec::new(), 0);
        let mut attempt = 0;
        loop {
            self.wait_for_turn()?;
            let met = match self.attempt(url, most) {
                Ok(Reply::Whole(bytes)) => match check(&bytes) {
                    Ok(checked) => return Ok(Reply::Whole(checked)),
                    Err(detail) => {
                        same = if bytes == same.0 { (bytes, same.1 + 1) } else { (bytes, 1) };
                        if same.1 == CONVINCING {
                            return Ok(Reply::Broken(detail));
                        }
                        Met { trouble: Trouble::Contents, detail, pause: None }
                    }
                },
                Ok(Reply::Refused(status)) => return Ok(Reply::Refused(status)),
                Ok(Reply::Broken(why)) => return Ok(Reply::Broken(why)),
                Ok(Reply::TooLarge) => return Ok(Reply::TooLarge),
                Err(met) => met,
            };
            *troubles.entry(met.trouble.name().to_owned()).or_default() += 1;
            if attempt == self.settings.retries {
                let Met { trouble, detail, .. } = met;
                return Err(Unanswered::Undecided { trouble, detail: format!("{url}: {detail}") });
            }
            if let Some(pause) = met.pause {
                // Not this request alone: the server wants quiet.
                let quiet = Instant::now() + pause.min(LONGEST_REQUEST);
                let mut next = self.next.lock().expect("nothing panics with the lock");
                *next = (*next).max(quiet);
            }
            self.sleep_until(Instant::now() + self.backoff(attempt))?;
            attempt += 1;
        }
    }

    fn attempt(&self, url: &str, most: u64) -> Result<Reply<Vec<u8>>, Met> {
        let met = |trouble| {
            move |error: Error| {
                let trouble = match &error {
                    Error::Timeout(_) => Trouble::Timeout,
                    Error::Io(e) if e.kind() == io::ErrorKind::TimedOut => Trouble::Timeout,
                    _ => trouble,
                };
                Met { trouble, detail: error.to_string(), pause: None }
            }
        };
        let mut response = self.agent.get(url).call().map_err(met(Trouble::Connection))?;
        let status = response.status();
        if status.is_success() {
            let body = response.body_mut().with_config().limit(most.saturating_add(1));
            return match body.read_to_vec() {
                Ok(bytes) if bytes.len() as u64 <= most => Ok(Reply::Whole(bytes)),
                Ok(_) | Err(Error::BodyExceedsLimit(_)) => Ok(Reply::TooLarge),
                Err(error) => Err(met(Trouble::Truncated)(error)),
            };
        }
        let trouble = match status {
            StatusCode::TOO_MANY_REQUESTS => Trouble::RateLimited,
            StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_EARLY => Trouble::ServerError,
            _ if status.is_server_error() => Trouble::ServerError,
            _ => return Ok(Reply::Refused(status.as_u16())),
        };
        let pause = retry_after(response.headers());
        Err(Met { trouble, detail: format!("status {status}"), pause })
    }

    /// Doubles with each attempt; half to one and a half of that, so that many clients do
    /// not come back together.
    fn backoff(&self, attempt: u32) -> Duration {
        let doubled = self.settings.backoff.saturating_mul(1 << attempt.min(16));
        let jitter = RandomState::new().hash_one(attempt) as f64 / u64::MAX as f64;
        doubled.min(LONGEST_PAUSE).mul_f64(0.5 + jitter)
    }

    /// Waits until a request may leave, and takes that turn.
    fn wait_for_turn(&self) -> Result<(), Unanswered> {
        loop {
            let turn = {
                let mut next = self.next.lock().expect("nothing panics with the lock");
                let now = Instant::now();
                if *next <= now {
                    *next = now + Duration::from_secs_f64(1.0 / self.settings.rate);
                    return self.alive();
                }
                *next
            };
            self.sleep_until(turn)?;
        }
    }

    fn sleep_until(&self, end: Instant) -> Result<(), Unanswered> {
        loop {
            self.alive()?;
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            std::thread::sleep(left.min(GLANCE));
        }
    }

    fn alive(&self) -> Result<(), Unanswered> {
        if self.stop.load(Ordering::Relaxed) { Err(Unanswered::Stopped) } else { Ok(()) }
    }
}

/// What `Retry-After` asks for: seconds, or a date.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let until = DateTimeParser::new().parse_timestamp(text).ok()?;
    Duration::try_from(until.duration_since(Timestamp::now())).ok()
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
