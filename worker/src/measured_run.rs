//! Measures the conditions on the computer during a run.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use catherd_experiments::Conditions;
use catherd_platform::Meter;

pub(crate) struct MeasuredRun {
    started_ms: u64,
    meter: Meter,
}

impl MeasuredRun {
    /// `core` is the core to which the worker is pinned.
    pub(crate) fn start(core: Option<u32>) -> MeasuredRun {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let meter = Meter::start(core.map(|core| core as usize));
        MeasuredRun { started_ms: now.as_millis() as u64, meter }
    }

    pub(crate) fn sample(&mut self) {
        self.meter.sample();
    }

    /// Returns the conditions and the processor time that this process and its descendants used.
    pub(crate) fn finish(self) -> (Conditions, Duration) {
        let found = self.meter.finish();
        let share = |share: Option<f64>| share.map(|share| rounded(share, 1e4));
        let conditions = Conditions {
            started_ms: self.started_ms,
            others_busy: share(found.others_busy),
            siblings_busy: share(found.siblings_busy),
            machine_busy: share(found.machine_busy),
            steal: share(found.steal),
            mhz: found.mhz.map(|mhz| rounded(mhz, 1.0)),
            throttled: found.throttled,
            preemptions: found.preemptions,
            energy_j: found.energy.map(|joules| rounded(joules, 100.0)),
        };
        (conditions, found.processor_time)
    }
}

fn rounded(value: f64, parts: f64) -> f64 {
    (value * parts).round() / parts
}
