//! Stored measurements. An artifact is usually measured only once on a computer.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use catherd_experiments::{Digest, RunRecord};

use super::contract::ENVIRONMENTS;
use super::trials;

/// A folder next to the environments of the measurer.
const FOLDER: &str = "measured";

/// Maximum total size of a measurer's measurements, in bytes.
const MAX_BYTES: u64 = 1 << 30;

pub(super) struct Measurements {
    folder: PathBuf,
    max_bytes: u64,
}

impl Measurements {
    pub(super) fn of(measurer: &Path) -> Option<Measurements> {
        let folder = measurer.join(ENVIRONMENTS).join(FOLDER);
        fs::create_dir_all(&folder).ok()?;
        Some(Measurements { folder, max_bytes: MAX_BYTES })
    }

    pub(super) fn get(&self, name: Digest) -> Option<RunRecord> {
        serde_json::from_str(&trials::sealed(&self.file(name))?).ok()
    }

    /// Stores a measurement atomically, after a line with its digest. Old measurements may be
    /// removed.
    pub(super) fn put(&self, name: Digest, measured: &RunRecord) -> io::Result<()> {
        let text = serde_json::to_string(measured)?;
        let file = self.file(name);
        let part = file.with_extension(format!("{}.part", std::process::id()));
        fs::write(&part, format!("{}\n{text}", Digest::of(text.as_bytes())))?;
        fs::rename(part, file)?;
        self.prune()
    }

    /// Removes the oldest measurements if the folder is too large. Other workers may do the same at
    /// the same time.
    fn prune(&self) -> io::Result<()> {
        let mut files: Vec<(SystemTime, PathBuf, u64)> = Vec::new();
        for entry in fs::read_dir(&self.folder)?.flatten() {
            if let Ok(metadata) = entry.metadata() {
                files.push((metadata.modified()?, entry.path(), metadata.len()));
            }
        }
        let mut bytes: u64 = files.iter().map(|file| file.2).sum();
        files.sort_unstable();
        files.pop();
        for (_, file, size) in files {
            if bytes <= self.max_bytes {
                break;
            }
            match fs::remove_file(file) {
                Err(cause) if cause.kind() != io::ErrorKind::NotFound => return Err(cause),
                _ => bytes -= size,
            }
        }
        Ok(())
    }

    fn file(&self, name: Digest) -> PathBuf {
        self.folder.join(format!("{name}.json"))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use catherd_experiments::{Algorithm, Budget, RunSpec};

    use super::*;

    #[test]
    fn old_measurements_are_removed() {
        let place = tempfile::tempdir().unwrap();
        let spec = RunSpec {
            project: Digest::of(b"one"),
            project_name: "one".into(),
            subject: super::super::KIND.into(),
            algorithm: Algorithm::plain("x"),
            seed: 7,
            budget: Budget::wall_ms(1500),
            engine: "e".into(),
            mutation: None,
        };
        let record = RunRecord::new(&spec, Vec::new());
        let name = |number: u8| Digest::of(&[number]);
        let mut measurements = Measurements::of(place.path()).unwrap();
        measurements.put(name(0), &record).unwrap();
        let size = fs::metadata(measurements.file(name(0))).unwrap().len();
        measurements.max_bytes = 3 * size;
        for number in 1..6 {
            // The resolution of file times is coarse, so set the times.
            let file = fs::File::options().append(true).open(measurements.file(name(number - 1)));
            let long_ago = SystemTime::now() - Duration::from_secs(3600 - u64::from(number));
            file.unwrap().set_modified(long_ago).unwrap();
            measurements.put(name(number), &record).unwrap();
        }
        let stored: Vec<bool> =
            (0..6).map(|number| measurements.get(name(number)).is_some()).collect();
        assert_eq!(stored, [false, false, false, true, true, true]);
        measurements.max_bytes = 0;
        measurements.put(name(6), &record).unwrap();
        assert_eq!(fs::read_dir(&measurements.folder).unwrap().count(), 1);
        assert_eq!(measurements.get(name(6)), Some(record));
    }
}
