//! Journal of all probes, to which each finished probe appends a line.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::client::RetryCounts;
use super::{ProbeOutcome, SampleError};
use crate::corpus::{CorpusError, Member, Recipe};

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum JournalLine {
    Recipe(Recipe),
    Probe(Box<ProbeEntry>),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct ProbeEntry {
    /// Position in the order of ids, from 0.
    pub(super) position: usize,
    pub(super) id: u64,
    pub(super) outcome: ProbeOutcome,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) detail: Option<String>,
    #[serde(default, rename = "troubles", skip_serializing_if = "RetryCounts::is_empty")]
    pub(super) retries: RetryCounts,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) project: Option<Member>,
}

pub(super) struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Opens or creates a journal. An incomplete last line, which a killed process or a full disk
    /// can leave, is removed.
    pub(super) fn open(
        path: &Path,
        recipe: &Recipe,
    ) -> Result<(Journal, Vec<ProbeEntry>), SampleError> {
        let io = || CorpusError::io(path);
        let file = OpenOptions::new().read(true).append(true).create(true).open(path);
        let mut file = file.map_err(io())?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                let folder = path.parent().unwrap_or(path).to_owned();
                return Err(SampleError::Busy { folder });
            }
            Err(TryLockError::Error(error)) => return Err(io()(error).into()),
            Ok(()) => {}
        }
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(io())?;
        let complete = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        if complete < text.len() {
            file.set_len(complete as u64).map_err(io())?;
            file.seek(SeekFrom::End(0)).map_err(io())?;
        }
        let mut journal = Journal { path: path.to_owned(), file };
        let mut entries = Vec::new();
        for (number, line) in text[..complete].split_inclusive(|&byte| byte == b'\n').enumerate() {
            let fault =
                |cause: &str| CorpusError::damaged(path, format!("line {}: {cause}", number + 1));
            match serde_json::from_slice(line).map_err(|error| fault(&error.to_string()))? {
                JournalLine::Recipe(found) if number == 0 => {
                    if !is_same_order(&found, recipe) {
                        let folder = path.parent().unwrap_or(path).to_owned();
                        return Err(SampleError::OtherRecipe { folder });
                    }
                }
                JournalLine::Probe(entry) if number > 0 => entries.push(*entry),
                _ => return Err(fault("the recipe is not the first line, or is missing").into()),
            }
        }
        if complete == 0 {
            journal.write(&JournalLine::Recipe(recipe.clone()))?;
        }
        Ok((journal, entries))
    }

    /// The result is on disk when this method returns.
    pub(super) fn append(&mut self, entry: &ProbeEntry) -> Result<(), CorpusError> {
        self.write(&JournalLine::Probe(Box::new(entry.clone())))
    }

    fn write(&mut self, line: &JournalLine) -> Result<(), CorpusError> {
        let mut text = serde_json::to_vec(line).expect("strings and numbers serialise to JSON");
        text.push(b'\n');
        let written = self.file.write_all(&text).and_then(|()| self.file.sync_data());
        written.map_err(CorpusError::io(&self.path))
    }
}

/// The number of projects may differ, because a sample can be enlarged.
fn is_same_order(a: &Recipe, b: &Recipe) -> bool {
    let uncounted = |recipe: &Recipe| {
        let mut recipe = recipe.clone();
        match &mut recipe {
            Recipe::Sample { count, .. } => *count = 0,
            Recipe::List { count, .. } => *count = None,
            _ => {}
        }
        recipe
    };
    uncounted(a) == uncounted(b)
}
