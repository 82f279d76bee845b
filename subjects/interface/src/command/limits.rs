//! Limits of a run of an external tool.
//!
//! The limits are part of the run id, because results depend on them. A run that is ended by its
//! own limit is not repeated. The limits of a worker ([`Limits`](crate::Limits)) apply in addition
//! and are not part of the run id.

use std::time::Duration;

use catherd_experiments::{Algorithm, MAX_BINARY_BYTES, Parameter, RunOutcome, RunRecord, RunSpec};

use crate::algorithm::FieldError;

/// The parameter with the limit on real time.
pub(super) const TIME: &str = "run_limit";

/// The parameter with the limit on processor time.
pub(super) const CPU: &str = "run_cpu";

/// The parameter with the limit on memory.
pub(super) const MEMORY: &str = "run_memory";

/// The parameter with the limit on the binary files of a run.
pub(super) const ARTIFACTS: &str = "run_artifacts";

/// The default limit on the binary files of a run, in bytes.
const DEFAULT_ARTIFACTS: u64 = 1 << 20;

/// The parameter with the limit on the real time of measuring apart from the trial.
pub(super) const MEASURING: &str = "measure_limit";

const DEFAULT_MEASURING: Duration = Duration::from_secs(3600);

/// Maximum time between the request to end (SIGTERM) and the kill.
pub(super) const NOTICE: Duration = Duration::from_secs(10);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RunLimits {
    pub(super) time: Option<Duration>,
    /// Processor time of all processes together, in user and system mode.
    pub(super) cpu: Option<Duration>,
    /// Resident memory of all processes together, in bytes.
    pub(super) memory: Option<u64>,
    /// Total size of the binary files, in bytes; at most [`MAX_BINARY_BYTES`].
    pub(super) artifacts: u64,
    /// Real time of measuring apart from the trial.
    pub(super) measuring: Duration,
}

/// Units of time, in milliseconds.
const TIMES: [(&str, f64); 4] = [("ms", 1.0), ("s", 1e3), ("min", 60e3), ("h", 3600e3)];

/// Units of size, in bytes.
const SIZES: [(&str, f64); 3] = [("KiB", 1024.0), ("MiB", 1_048_576.0), ("GiB", 1_073_741_824.0)];

impl RunLimits {
    pub(super) fn of(algorithm: &Algorithm) -> Result<RunLimits, FieldError> {
        let time = number(algorithm, TIME, &TIMES)?.map(Duration::from_millis);
        let cpu = number(algorithm, CPU, &TIMES)?.map(Duration::from_millis);
        let memory = number(algorithm, MEMORY, &SIZES[1..])?;
        let artifacts = number(algorithm, ARTIFACTS, &SIZES[..2])?.unwrap_or(DEFAULT_ARTIFACTS);
        if artifacts > MAX_BINARY_BYTES as u64 {
            return Err(FieldError {
                field: Some(ARTIFACTS.to_owned()),
                cause: format!("`{ARTIFACTS}` is more than {} MiB", MAX_BINARY_BYTES >> 20),
                advice: "keep archives of large corpora outside of results".to_owned(),
            });
        }
        let measuring = number(algorithm, MEASURING, &TIMES)?.map(Duration::from_millis);
        let measuring = measuring.unwrap_or(DEFAULT_MEASURING);
        Ok(RunLimits { time, cpu, memory, artifacts, measuring })
    }

    /// The time after which the program is asked to end.
    pub(super) fn notice(&self) -> Option<Duration> {
        self.time.map(|time| time.saturating_sub(NOTICE).max(time / 2))
    }

    /// `memory` is the resident memory in bytes.
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
        let reason = format!("killed because it exceeded its limit of {} MiB", limit >> 20);
        let wall_ms = elapsed.as_millis() as u64;
        Some(RunRecord::limited(spec, RunOutcome::OutOfMemory, limit, &reason, wall_ms))
    }

    pub(super) fn timed_out(&self, spec: &RunSpec, elapsed: Duration) -> RunRecord {
        let (limit, of) = match (self.time, self.cpu) {
            // The notice for the limit on real time was not due yet, so the limit on processor time
            // ended the run.
            (_, Some(cpu)) if self.notice().is_none_or(|notice| elapsed < notice) => {
                (cpu, " of processor time")
            }
            (time, _) => (time.unwrap_or_default(), ""),
        };
        let reason = format!("ended by its limit of {} s{of}", limit.as_secs_f64());
        let (limit, wall_ms) = (limit.as_millis() as u64, elapsed.as_millis() as u64);
        RunRecord::limited(spec, RunOutcome::TimedOut, limit, &reason, wall_ms)
    }
}

/// Reads a parameter that is a number with a unit. The result is at least 1, in the base unit.
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
        let is_time = [TIME, CPU, MEASURING].contains(&name);
        // Common misspellings of the units, for the advice.
        let meant = match unit.to_lowercase().as_str() {
            "m" | "mins" | "minutes" if is_time => "min",
            "sec" | "secs" | "seconds" if is_time => "s",
            "hr" | "hrs" | "hours" if is_time => "h",
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
            cause: format!("`{name}` is not a number above 0 with a unit of {}", known.join(", ")),
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
