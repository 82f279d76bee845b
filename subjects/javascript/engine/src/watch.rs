//! Limits the processor time of scripts, because not all built-in functions count their work.
//! Exceeding the limit ends the process, because no result may depend on processor time.

use std::io::{self, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Once, OnceLock, PoisonError, Weak};
use std::time::Duration;

use catherd_platform::ThreadClock;

const INTERVAL: Duration = Duration::from_millis(200);

/// Seconds of processor time that an execution may always take, unless [`VARIABLE`] is set.
const SECONDS: u64 = 10;

/// Units of operations in a turn to which [`SECONDS`] applies. Larger turns may take proportionally
/// longer.
const UNITS: u64 = 2_000;

const VARIABLE: &str = "CATHERD_JAVASCRIPT_SECONDS";

/// Milliseconds of processor time that an execution may always take, from one second to one hour.
fn least() -> u64 {
    static LEAST: OnceLock<u64> = OnceLock::new();
    *LEAST.get_or_init(|| {
        let seconds = std::env::var(VARIABLE).ok().and_then(|text| text.parse().ok());
        seconds.unwrap_or(SECONDS).clamp(1, 3_600) * 1_000
    })
}

const EXIT_CODE: i32 = 70;

static PULSES: Mutex<Vec<Weak<Pulse>>> = Mutex::new(Vec::new());

#[derive(Debug)]
pub(crate) struct Pulse {
    /// Grows when an execution begins or ends, so it is odd during executions.
    beats: AtomicU64,
    /// Maximum processor time of an execution, in milliseconds.
    most: AtomicU64,
    clock: ThreadClock,
    subject: String,
}

impl Pulse {
    pub(crate) fn start(subject: &str, units: u64) -> Arc<Pulse> {
        static WATCH: Once = Once::new();
        WATCH.call_once(|| {
            // Ignore the error: without the thread, only the counted limits hold.
            let _ = std::thread::Builder::new().name("processor-time".to_owned()).spawn(watch);
        });
        let pulse = Arc::new(Pulse {
            beats: AtomicU64::new(0),
            most: AtomicU64::new(0),
            clock: ThreadClock::of_this_thread(),
            subject: subject.to_owned(),
        });
        pulse.permit(units);
        PULSES.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(&pulse));
        pulse
    }

    pub(crate) fn permit(&self, units: u64) {
        self.most.store(least().saturating_mul(units.max(UNITS)) / UNITS, Ordering::Relaxed);
    }

    pub(crate) fn enter(&self) -> Entered<'_> {
        self.beats.fetch_add(1, Ordering::Relaxed);
        Entered(self)
    }
}

pub(crate) struct Entered<'a>(&'a Pulse);

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        self.0.beats.fetch_add(1, Ordering::Relaxed);
    }
}

fn watch() {
    // For each engine, the last value of its pulse, and the processor time at which the value was
    // first seen.
    let mut seen: Vec<(Weak<Pulse>, u64, Duration)> = Vec::new();
    loop {
        std::thread::sleep(INTERVAL);
        seen.retain(|(pulse, ..)| pulse.strong_count() > 0);
        for pulse in PULSES.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            seen.push((pulse, 0, Duration::ZERO));
        }
        for (pulse, beats, since) in &mut seen {
            let Some(pulse) = pulse.upgrade() else { continue };
            let now = pulse.beats.load(Ordering::Relaxed);
            let Some(time) = pulse.clock.elapsed() else { continue };
            if now.is_multiple_of(2) || now != *beats {
                (*beats, *since) = (now, time);
                continue;
            }
            let most = Duration::from_millis(pulse.most.load(Ordering::Relaxed));
            if time.saturating_sub(*since) > most {
                end_process(&format!(
                    "{}: an execution has taken more than {} s of processor time within its counted limits, in \
                     built-in functions whose work is not counted; the process was ended",
                    pulse.subject,
                    most.as_secs()
                ));
            }
        }
    }
}

/// Ends this process with a reason on standard error. A run in this process counts as a crash.
pub fn end_process(reason: &str) -> ! {
    // Ignore the error: standard error may be closed.
    let _ = io::stderr().write_all(format!("error: {reason}\n").as_bytes());
    std::process::exit(EXIT_CODE)
}
