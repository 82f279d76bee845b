//! Improvements that a tool reports during a run.

use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;

use serde::Deserialize;

use super::UNITS;
use crate::runner::RunProgress;

/// Maximum number of bytes that are read at a time.
const MAX_BYTES: u64 = 1 << 16;

/// A file to which the tool appends its improvements. Invalid lines are skipped, because
/// improvements are only displayed.
pub(super) struct Live {
    path: PathBuf,
    /// Number of bytes that have been read, up to the end of a line.
    read: u64,
    progress: RunProgress,
}

#[derive(Deserialize)]
struct Line {
    executions: Option<u64>,
    steps: Option<u64>,
    covered: Option<u32>,
    goals: Option<u32>,
}

impl Live {
    pub(super) fn of(path: PathBuf) -> Live {
        Live { path, read: 0, progress: RunProgress::default() }
    }

    /// Reads the next complete lines. A line that is too long stops the reading for good.
    pub(super) fn progress(&mut self) -> RunProgress {
        // The file may not exist yet, or may not be a regular file.
        let Ok(mut file) = catherd_platform::open_regular(&self.path) else {
            return self.progress.clone();
        };
        let mut bytes = Vec::new();
        let read = file.seek(SeekFrom::Start(self.read));
        let read = read.and_then(|_| file.take(MAX_BYTES).read_to_end(&mut bytes));
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        if read.is_err() || (whole == 0 && bytes.len() as u64 == MAX_BYTES) {
            return self.progress.clone();
        }
        self.read += whole as u64;
        for line in bytes[..whole].split(|byte| *byte == b'\n') {
            let Ok(line) = serde_json::from_slice::<Line>(line) else { continue };
            for (unit, amount) in UNITS.iter().zip([line.executions, line.steps]) {
                if let Some(amount) = amount {
                    self.progress.work.insert((*unit).to_owned(), amount);
                }
            }
            self.progress.covered = line.covered.unwrap_or(self.progress.covered);
            self.progress.goals = line.goals.unwrap_or(self.progress.goals);
        }
        self.progress.clone()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn whole_lines_are_read_once() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("live.jsonl");
        let mut live = Live::of(path.clone());
        assert_eq!(live.progress(), RunProgress::default());
        fs::write(&path, "{\"executions\": 3, \"covered\": 1, \"goals\": 5}\nnonsense\n{\"cov")
            .unwrap();
        let progress = live.progress();
        assert_eq!((progress.work["executions"], progress.covered, progress.goals), (3, 1, 5));
        let text = fs::read_to_string(&path).unwrap() + "ered\": 4}\n";
        fs::write(&path, text).unwrap();
        assert_eq!(live.progress().covered, 4);
    }
}
