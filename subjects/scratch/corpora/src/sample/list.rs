//! Lists of ids, such as a ranking or a frozen corpus.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read as _;
use std::path::Path;

use super::{Candidate, SampleError};
use crate::corpus::{CorpusError, Sha};

const MAX_BYTES: u64 = 64 << 20;

/// Reads an id and an optional SHA-256 from each line; rankings have other columns, which are
/// ignored.
pub(super) fn read(file: &Path) -> Result<Vec<Candidate>, SampleError> {
    let text = text(file)?;
    let mut candidates = Vec::new();
    let mut known = BTreeSet::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') || line == "id" || line.starts_with("id,") {
            continue;
        }
        let fault =
            |cause: String| CorpusError::damaged(file, format!("line {}: {cause}", number + 1));
        let mut cells = line.split(',').map(str::trim);
        let id = cells.next().unwrap_or_default();
        let id: u64 = id.parse().map_err(|_| fault(format!("`{id}` is not a project id")))?;
        let frozen = cells.next().filter(|cell| cell.len() == 64).map(str::parse::<Sha>);
        let frozen = frozen
            .transpose()
            .map_err(|_| fault("the id is not followed by a SHA-256".to_owned()))?;
        if !known.insert(id) {
            return Err(fault(format!("id {id} is repeated")).into());
        }
        candidates.push(Candidate { id, frozen });
    }
    if candidates.is_empty() {
        return Err(CorpusError::damaged(file, "contains no ids").into());
    }
    Ok(candidates)
}

/// The size is limited because the file may be an endless device.
pub(super) fn text(file: &Path) -> Result<String, CorpusError> {
    let mut text = String::new();
    let opened = fs::File::open(file).map_err(CorpusError::unreadable(file))?;
    let mut limited = opened.take(MAX_BYTES + 1);
    limited.read_to_string(&mut text).map_err(CorpusError::unreadable(file))?;
    if text.len() as u64 > MAX_BYTES {
        let fault = format!("a list has at most {} MiB", MAX_BYTES >> 20);
        return Err(CorpusError::damaged(file, fault));
    }
    Ok(text)
}

pub(super) fn digest(candidates: &[Candidate]) -> Sha {
    let mut text = String::new();
    for Candidate { id, frozen } in candidates {
        text += &match frozen {
            Some(sha) => format!("{id} {sha}\n"),
            None => format!("{id}\n"),
        };
    }
    Sha::of(text)
}
