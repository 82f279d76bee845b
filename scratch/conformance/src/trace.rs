//! Reference traces: what a project did, step by step, in the original machine.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

/// A recorded run.
#[derive(Clone, Debug, Deserialize)]
pub struct Trace {
    /// Name of the project, for people.
    pub project: String,
    /// SHA-256 of the project's file.
    pub sha256: String,
    /// Steps recorded.
    pub steps: u64,
    /// Seed of the recording's random generator.
    pub seed: u32,
    /// Input by step.
    pub inputs: Vec<Inputs>,
    /// `BLOCKID-SPRITENAME` of every block evaluated.
    pub covered: Vec<String>,
    /// The state before the first step, then what each step changed.
    #[serde(rename = "trace")]
    pub states: Vec<Change>,
}

/// Input that arrives just before a step.
#[derive(Clone, Debug, Deserialize)]
pub struct Inputs {
    /// The step, from 1.
    pub step: u64,
    /// In order.
    pub events: Vec<Event>,
}

/// One input event.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "t", rename_all = "lowercase")]
pub enum Event {
    /// A key goes down or up.
    Key {
        /// Scratch's name of the key.
        key: String,
        /// Pressed?
        down: bool,
    },
    /// The mouse moves to stage coordinates.
    Mouse {
        /// Stage units.
        x: f64,
        /// Stage units, up.
        y: f64,
    },
    /// The mouse button changes where the mouse is.
    Button {
        /// Pressed?
        down: bool,
    },
    /// The open question is answered.
    Answer {
        /// The text.
        text: String,
    },
}

/// A state or the change of one.
#[derive(Clone, Debug, Deserialize)]
pub struct Change {
    /// Threads alive, if that changed.
    pub threads: Option<u64>,
    /// All targets in execution order, if their set changed.
    pub ts: Option<Vec<Properties>>,
    /// Changed properties by position, if the set stayed.
    #[serde(default)]
    pub ch: BTreeMap<usize, Properties>,
}

/// Properties of a target by the keys of the format.
pub type Properties = BTreeMap<String, Value>;

/// A trace that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The file cannot be opened or unpacked.
    #[error("{path}: {source}", path = path.display())]
    File {
        /// The trace.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The content is no trace.
    #[error("{path}: not a reference trace: {source}", path = path.display())]
    Format {
        /// The trace.
        path: PathBuf,
        /// Where it ceases to be one.
        source: serde_json::Error,
    },
}

impl Trace {
    /// Reads a trace, compressed (`.gz`) or plain.
    ///
    /// # Errors
    /// [`TraceError`], which names the file.
    pub fn read(path: &Path) -> Result<Trace, TraceError> {
        let failed = |source| TraceError::File { path: path.to_owned(), source };
        let bytes = std::fs::read(path).map_err(failed)?;
        let text = if bytes.starts_with(&[0x1f, 0x8b]) {
            let mut text = Vec::new();
            flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_end(&mut text).map_err(failed)?;
            text
        } else {
            bytes
        };
        serde_json::from_slice(&text)
            .map_err(|source| TraceError::Format { path: path.to_owned(), source })
    }
}
