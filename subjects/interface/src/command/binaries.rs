//! Binary files of a result, such as inputs that crash a program, and the list of files that are
//! left out of a result.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use catherd_experiments::text::printable;
use catherd_experiments::{Binary, Metric, RunRecord};

use super::answer::{flat, open};

pub(super) const BINARY: &str = "binary";

const MAX_BINARIES: usize = 200;

const MAX_NAME_BYTES: usize = 200;

/// Maximum size of a record as JSON, in bytes. The record must fit into a message.
const RECORD_BYTES: usize = 28 << 20;

const FILES_LEFT_OUT: &str = "files_left_out";

const LEFT_OUT_LOG: &str = "files-left-out.txt";

const MAX_LINES: usize = 200;

/// Adds the binary files of a result to its record. A file that cannot be kept is left out with a
/// reason, because the run is valid without the file.
pub(super) fn add(
    record: &mut RunRecord,
    folder: &Path,
    files: &[PathBuf],
    most: u64,
    left_out: &mut Vec<String>,
) {
    if files.is_empty() {
        return;
    }
    let length = serde_json::to_vec(record).map_or(RECORD_BYTES, |json| json.len());
    // In base64, three bytes become four characters of JSON.
    let room = RECORD_BYTES.saturating_sub(length) / 4 * 3;
    let mut left = most.min(room as u64);
    let mut kept: BTreeMap<String, Binary> = BTreeMap::new();
    for file in files {
        let name = name_of(file);
        match read(folder, file, &name, left, most) {
            Ok(_) if kept.len() >= MAX_BINARIES => {
                left_out.push(format!("{name}: at most {MAX_BINARIES} files are kept\n"));
            }
            Ok(_) if kept.contains_key(&name) => {
                left_out.push(format!("{name}: another file has the same name\n"));
            }
            Ok(bytes) => {
                left -= bytes.len() as u64;
                kept.insert(name, Binary(bytes));
            }
            Err(reason) => {
                let shown = catherd_experiments::text::truncated(&name, MAX_NAME_BYTES);
                left_out.push(format!("{shown}: {reason}\n"));
            }
        }
    }
    record.binaries = kept;
}

pub(super) fn name_of(file: &Path) -> String {
    printable(&flat(file)).replace('\\', "-")
}

/// Adds the results of a measurement to the record of its trial.
pub(super) fn merge(
    record: &mut RunRecord,
    mut metrics: BTreeMap<String, Metric>,
    mut logs: BTreeMap<String, String>,
    files: BTreeMap<String, Binary>,
    most: u64,
) {
    let counts = [metrics.remove(FILES_LEFT_OUT), record.metrics.remove(FILES_LEFT_OUT)];
    let before: f64 = counts.into_iter().flatten().map(Metric::value).sum();
    let lines = [record.logs.remove(LEFT_OUT_LOG), logs.remove(LEFT_OUT_LOG)];
    record.metrics.extend(metrics);
    record.logs.extend(logs);
    let kept: u64 = record.binaries.values().map(|binary| binary.0.len() as u64).sum();
    let length = serde_json::to_vec(record).map_or(RECORD_BYTES, |json| json.len());
    let room = RECORD_BYTES.saturating_sub(length) / 4 * 3;
    let mut left = most.saturating_sub(kept).min(room as u64);
    let mut left_out = Vec::new();
    for (name, binary) in files {
        let size = binary.0.len() as u64;
        if size > left
            || record.binaries.len() >= MAX_BINARIES
            || record.binaries.contains_key(&name)
        {
            left_out.push(format!(
                "{name}: {size} bytes from the measurer; {left} of {most} bytes are left, for at most \
                 {MAX_BINARIES} files with different names\n"
            ));
            continue;
        }
        left -= size;
        record.binaries.insert(name, binary);
    }
    let count = before as i64 + left_out.len() as i64;
    if count > 0 {
        record.metrics.insert(FILES_LEFT_OUT.to_owned(), Metric::Integer(count));
        let lines: Vec<String> = lines.into_iter().flatten().chain(left_out).collect();
        record.logs.insert(LEFT_OUT_LOG.to_owned(), lines.concat());
    }
}

/// The error is the reason to leave the file out.
fn read(folder: &Path, file: &Path, name: &str, left: u64, most: u64) -> Result<Vec<u8>, String> {
    if name.is_empty() || name.len() > MAX_NAME_BYTES {
        return Err(format!("the name has {} bytes instead of 1 to {MAX_NAME_BYTES}", name.len()));
    }
    let opened = open(folder, file).map_err(|cause| cause.to_string())?;
    let length = opened.metadata().map_err(|cause| cause.to_string())?.len();
    let too_large = |length: u64| format!("{length} bytes; {left} of {most} are left");
    if length > left {
        return Err(too_large(length));
    }
    let mut bytes = Vec::new();
    opened.take(left + 1).read_to_end(&mut bytes).map_err(|cause| cause.to_string())?;
    // The file may have grown.
    if bytes.len() as u64 > left { Err(too_large(bytes.len() as u64)) } else { Ok(bytes) }
}

pub(super) fn note_left_out(record: &mut RunRecord, left_out: &[String]) {
    if left_out.is_empty() {
        return;
    }
    let count = Metric::Integer(left_out.len() as i64);
    record.metrics.insert(FILES_LEFT_OUT.to_owned(), count);
    let mut log = left_out[..left_out.len().min(MAX_LINES)].concat();
    if let more @ 1.. = left_out.len().saturating_sub(MAX_LINES) {
        log += &format!("{more} more files\n");
    }
    record.logs.insert(LEFT_OUT_LOG.to_owned(), log);
}
