//! Limits that belong to a run of an external tool: its parameters `run_limit` and `run_memory`.
//!
//! They are a part of the run id, because they decide results: a run that exceeds one ends with the
//! outcome `timed-out` or `out-of-memory` and is not repeated. The limits of a worker
//! ([`Limits`](crate::Limits)) apply in addition and are no part of the id.

use std::time::Duration;

use catherd_experiments::{Algorithm, Parameter, RunOutcome, RunRecord, RunSpec};

use crate::algorithm::FieldError;

/// The parameter with the limit of real time, such as `"2.5h"`.
pub(super) const TIME: &str = "run_limit";

/// The parameter with the limit of memory of all processes together, such as `"4GiB"`.
pub(super) const MEMORY: &str = "run_memory";

/// Time between the request to end (SIGTERM) and the kill.
const NOTICE: Duration = Duration::from_secs(10);

/// The limits of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RunLimits {
    /// Real time; `None` if there is no limit.
    pub(super) time: Option<Duration>,
    /// Resident memory of all processes together in bytes; `None` if there is no limit.
    pub(super) memory: Option<u64>,
}

impl RunLimits {
    /// The limits that an algorithm sets.
    ///
    /// # Errors
    ///
    /// If a parameter is not a valid limit.
    pub(super) fn of(algorithm: &Algorithm) -> Result<RunLimits, FieldError> {
        let time =
            number(algorithm, TIME, &[("ms", 1.0), ("s", 1e3), ("min", 60e3), ("h", 3600e3)])?;
        let memory =
            number(algorithm, MEMORY, &[("MiB", f64::from(1 << 20)), ("GiB", f64::from(1 << 30))])?;
        Ok(RunLimits { time: time.map(Duration::from_millis), memory })
    }

    /// The time after which the program is asked to end: ten seconds before the limit of time, or half of
    /// the limit if it is shorter than twenty seconds. `None` if there is no limit.
    pub(super) fn notice(&self) -> Option<Duration> {
        self.time.map(|time| time.saturating_sub(NOTICE).max(time / 2))
    }

    /// The record of a run that has exceeded one of the limits; `None` if it has not. `memory` is the
    /// resident memory in bytes.
    pub(super) fn exceeded(
        &self,
        spec: &RunSpec,
        elapsed: Duration,
        memory: u64,
    ) -> Option<RunRecord> {
        if self.time.is_some_and(|limit| elapsed > limit) {
            return Some(self.timed_out(spec, elapsed));
        }
        let limit = self.memory.filter(|limit| memory > *limit)?;
        let reason = format!("killed beyond its limit of {} MiB", limit >> 20);
        let wall_ms = elapsed.as_millis() as u64;
        Some(RunRecord::limited(spec, RunOutcome::OutOfMemory, limit, &reason, wall_ms))
    }

    /// The record of a run that exceeded the limit of time.
    pub(super) fn timed_out(&self, spec: &RunSpec, elapsed: Duration) -> RunRecord {
        let limit = self.time.unwrap_or_default();
        let reason = format!("ended by its limit of {} s", limit.as_secs_f64());
        let (limit, wall_ms) = (limit.as_millis() as u64, elapsed.as_millis() as u64);
        RunRecord::limited(spec, RunOutcome::TimedOut, limit, &reason, wall_ms)
    }
}

/// Reads a parameter that is a number with a unit; `None` if it is not set.
fn number(
    algorithm: &Algorithm,
    name: &str,
    units: &[(&str, f64)],
) -> Result<Option<u64>, FieldError> {
    let Some(parameter) = algorithm.parameters.get(name) else { return Ok(None) };
    let read = || {
        let Parameter::Text(text) = parameter else { return None };
        let text = text.trim();
        let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, unit) = (&text[..digits], text[digits..].trim());
        let factor = units.iter().find(|(known, _)| *known == unit)?.1;
        let number = (number.parse::<f64>().ok()? * factor).round();
        (1.0..=9e15).contains(&number).then_some(number as u64)
    };
    read().map(Some).ok_or_else(|| {
        let known: Vec<_> = units.iter().map(|(unit, _)| *unit).collect();
        let text = if let Parameter::Text(text) = parameter { text.trim() } else { "" };
        let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').trim();
        let number = text[..text.len() - unit.len()].trim();
        // Units that are written in another way.
        let meant = match unit.to_lowercase().as_str() {
            "m" | "mins" | "minutes" if name == TIME => "min",
            "sec" | "secs" | "seconds" if name == TIME => "s",
            "hr" | "hrs" | "hours" if name == TIME => "h",
            "m" | "mb" | "mib" => "MiB",
            "g" | "gb" | "gib" => "GiB",
            _ => "",
        };
        let example = match (number, meant) {
            ("", _) | (_, "") => format!("4{}", known[known.len() - 1]),
            (number, meant) => format!("{number}{meant}"),
        };
        FieldError {
            field: Some(name.to_owned()),
            cause: format!("`{name}` is not a number with a unit of {}", known.join(", ")),
            advice: format!("write it in quotation marks, such as \"{example}\""),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_numbers_with_units() {
        let limits = |name: &str, value: &str| {
            let mut algorithm = Algorithm::plain("x");
            algorithm.parameters.insert(name.to_owned(), Parameter::Text(value.to_owned()));
            RunLimits::of(&algorithm)
        };
        let time = limits(TIME, "2.5h").unwrap();
        assert_eq!(time.time, Some(Duration::from_secs(9000)));
        assert_eq!(time.notice(), Some(Duration::from_secs(8990)));
        assert_eq!(limits(TIME, "3 s").unwrap().notice(), Some(Duration::from_millis(1500)));
        assert_eq!(limits(MEMORY, "4GiB").unwrap().memory, Some(4 << 30));
        assert!(limits(TIME, "5m").unwrap_err().advice.ends_with("such as \"5min\""));
        assert!(limits(MEMORY, "2GB").unwrap_err().advice.ends_with("such as \"2GiB\""));
        for (name, value) in [(TIME, "4"), (TIME, "-1s"), (TIME, "4GiB"), (MEMORY, "0MiB")] {
            assert_eq!(limits(name, value).unwrap_err().field.as_deref(), Some(name), "{value}");
        }
    }
}
