//! The number of workers of a launch.

use std::fmt;
use std::str::FromStr;

/// Minimum and maximum number of workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkerCount {
    /// Number of workers that stay until their time ends, even without a run.
    pub min: u32,
    /// Maximum number of workers at the same time, at least 1.
    pub max: u32,
}

const MAX_WORKERS: u32 = 1_000_000;

/// Why a string is not a number of workers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerCountError(String);

impl fmt::Display for WorkerCountError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WorkerCountError {}

impl FromStr for WorkerCount {
    type Err = WorkerCountError;

    /// Parses `MAX`, `MIN..MAX` or `MIN..=MAX`. Both ranges include the maximum.
    fn from_str(text: &str) -> Result<WorkerCount, WorkerCountError> {
        let number = |part: &str| {
            let wrong = || {
                WorkerCountError(format!(
                    "`{part}` is not a whole number; write the number of workers, or MIN..MAX such as \
                     0..64"
                ))
            };
            part.trim().parse::<u32>().map_err(|_| wrong())
        };
        let (min, max) = match text.split_once("..") {
            Some((min, max)) => (number(min)?, number(max.trim_start_matches('='))?),
            None => (0, number(text)?),
        };
        if max == 0 || max > MAX_WORKERS || min > max {
            return Err(WorkerCountError(format!(
                "{text}: MAX must be 1 to {MAX_WORKERS}, and MIN at most MAX"
            )));
        }
        Ok(WorkerCount { min, max })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read() {
        let read = |text: &str| text.parse::<WorkerCount>();
        assert_eq!(read("64"), Ok(WorkerCount { min: 0, max: 64 }));
        assert_eq!(read("2..64"), Ok(WorkerCount { min: 2, max: 64 }));
        assert_eq!(read("0..=4"), Ok(WorkerCount { min: 0, max: 4 }));
        for wrong in ["0", "many", "", "3..2", "1..", "..", "-1", "1..2..3", "2000000"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
