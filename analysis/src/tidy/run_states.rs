//! `study-state.json`: the counts of the planned runs of a study by state.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Error;

const FORMAT: u32 = 1;

/// Counts of the runs of a study by state. `planned` is the sum of the other counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunStates {
    /// Runs of the plan.
    pub planned: u64,
    /// Runs with a record of a complete execution.
    pub done: u64,
    /// Runs with a record of a failure.
    pub failed: u64,
    /// Runs that are not attempted again after failed attempts.
    pub quarantined: u64,
    /// Runs that a race or a stopping rule made unnecessary.
    pub dropped: u64,
    /// Runs that have not ended.
    pub pending: u64,
}

impl RunStates {
    /// Name of the file in a folder of results.
    pub const FILE: &str = "study-state.json";

    /// Whether there are no runs left to execute.
    pub fn is_complete(&self) -> bool {
        self.pending == 0
    }

    /// Number of runs that have ended.
    pub fn ended(&self) -> u64 {
        self.done + self.failed + self.quarantined
    }

    /// Reads the file in a folder of results; `None` if there is no file.
    ///
    /// # Errors
    /// [`Error`] if the file cannot be read or is not valid.
    pub fn read(dir: &Path) -> Result<Option<RunStates>, Error> {
        let path = dir.join(RunStates::FILE);
        let json = match fs::read(&path) {
            Ok(json) => json,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(cause) => return Err(Error::Io { path, cause }),
        };
        let read = serde_json::from_slice(&json).map_err(|error| error.to_string());
        let states = read.and_then(|file: File| file.states());
        states.map(Some).map_err(|cause| Error::States { path, cause })
    }

    /// Writes the file into a folder of results. A reader finds either the old file or the new
    /// file.
    ///
    /// # Errors
    /// [`Error::Io`] if the file cannot be written.
    pub fn write(&self, dir: &Path) -> Result<(), Error> {
        let path = dir.join(RunStates::FILE);
        let partial = dir.join(format!("{}.partial", RunStates::FILE));
        let written = serde_json::to_vec_pretty(&File::from(*self)).map_err(Into::into);
        let written = written.and_then(|mut json| {
            json.push(b'\n');
            fs::write(&partial, json)?;
            fs::rename(&partial, &path)
        });
        written.map_err(|cause| Error::Io { path, cause })
    }
}

#[derive(Serialize, Deserialize)]
struct File {
    format: u32,
    planned: u64,
    done: u64,
    failed: u64,
    quarantined: u64,
    #[serde(default)]
    dropped: u64,
    pending: u64,
    /// Whether the study is complete, for programs other than catherd.
    complete: bool,
}

impl From<RunStates> for File {
    fn from(states: RunStates) -> File {
        let complete = states.is_complete();
        let RunStates { planned, done, failed, quarantined, dropped, pending } = states;
        File { format: FORMAT, planned, done, failed, quarantined, dropped, pending, complete }
    }
}

impl File {
    fn states(self) -> Result<RunStates, String> {
        let File { format, planned, done, failed, quarantined, dropped, pending, complete } = self;
        if format != FORMAT {
            return Err(format!("format {format}; this build reads format {FORMAT}"));
        }
        let states = RunStates { planned, done, failed, quarantined, dropped, pending };
        let parts = [done, failed, quarantined, dropped, pending];
        let sum = parts.into_iter().try_fold(0_u64, u64::checked_add);
        if sum != Some(planned) || complete != states.is_complete() {
            return Err(format!(
                "the numbers do not add up to {planned} planned runs, or contradict `complete`"
            ));
        }
        Ok(states)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_written_and_read_and_must_add_up() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(RunStates::read(dir.path()).unwrap(), None);
        let states = RunStates {
            planned: 840,
            done: 210,
            failed: 3,
            quarantined: 2,
            dropped: 0,
            pending: 625,
        };
        states.write(dir.path()).unwrap();
        assert_eq!(RunStates::read(dir.path()).unwrap(), Some(states));
        assert!(!states.is_complete() && states.ended() == 215);
        let text = fs::read_to_string(dir.path().join(RunStates::FILE)).unwrap();
        assert!(text.contains("\"complete\": false"), "{text}");

        let wrong = [
            (text.replace("840", "215"), "add up"),
            (text.replace("false", "true"), "add up"),
            (text.replace("210", "18446744073709551615"), "add up"),
            (text.replace("\"format\": 1", "\"format\": 2"), "format 2"),
            (text.replace("\"done\"", "\"ended\""), "missing field"),
            (String::new(), "EOF"),
        ];
        for (text, cause) in wrong {
            fs::write(dir.path().join(RunStates::FILE), &text).unwrap();
            let error = RunStates::read(dir.path()).unwrap_err().to_string();
            assert!(error.contains(cause) && error.contains(RunStates::FILE), "{error}");
        }
    }
}
