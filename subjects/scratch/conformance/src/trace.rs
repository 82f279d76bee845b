//! Reference traces, which contain the states of a project after each step in the original VM.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

/// A recorded run.
#[derive(Clone, Debug, Deserialize)]
pub struct Trace {
    /// Name of the project.
    pub project: String,
    /// SHA-256 of the project's file.
    pub sha256: String,
    /// Number of recorded steps.
    pub steps: u64,
    /// Seed of the recording's random generator.
    pub seed: u32,
    /// Input events by step.
    pub inputs: Vec<StepInputs>,
    /// The covered blocks, usually as `BLOCKID-SPRITENAME`.
    pub covered: Vec<String>,
    /// The state before the first step, then the change of each step.
    #[serde(rename = "trace")]
    pub states: Vec<StateChange>,
}

/// Input events that arrive directly before a step.
#[derive(Clone, Debug, Deserialize)]
pub struct StepInputs {
    /// Number of the step, from 1.
    pub step: u64,
    /// The events, in order.
    pub events: Vec<InputEvent>,
}

/// One input event.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "t", rename_all = "lowercase")]
pub enum InputEvent {
    /// A key is pressed or released.
    Key {
        /// The name of the key in Scratch.
        key: String,
        /// Whether the key is pressed; otherwise the key is released.
        down: bool,
    },
    /// The mouse moves to stage coordinates.
    Mouse {
        /// Horizontal position in stage units, to the right.
        x: f64,
        /// Vertical position in stage units, upwards.
        y: f64,
    },
    /// The mouse button is pressed or released at the position of the mouse.
    Button {
        /// Whether the button is pressed; otherwise the button is released.
        down: bool,
    },
    /// The open question is answered.
    Answer {
        /// The text.
        text: String,
    },
    /// The loudness of the microphone changes.
    Sound {
        /// Loudness from now on, 0 to 100; negative without sound.
        level: f64,
    },
}

/// A state, or the change between two states.
#[derive(Clone, Debug, Deserialize)]
pub struct StateChange {
    /// Number of live threads; `None` if the number did not change.
    pub threads: Option<u64>,
    /// All targets in execution order; `None` if neither the targets nor their order changed.
    pub ts: Option<Vec<Properties>>,
    /// Changed properties of targets, by the position of the target.
    #[serde(default)]
    pub ch: BTreeMap<usize, Properties>,
}

/// Properties of a target, by their keys in the trace format.
pub type Properties = BTreeMap<String, Value>;

/// Error in reading a trace.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TraceError {
    /// The file cannot be read.
    #[error("{path}: {cause}", path = path.display())]
    File {
        /// File of the trace.
        path: PathBuf,
        /// Error of the system.
        cause: std::io::Error,
    },
    /// The content is not a trace.
    #[error("{path}: not a reference trace: {cause}", path = path.display())]
    Format {
        /// File of the trace.
        path: PathBuf,
        /// Error of the parser.
        cause: serde_json::Error,
    },
}

impl Trace {
    /// Reads a trace, compressed or plain.
    ///
    /// # Errors
    /// If the file cannot be read or is not a trace.
    pub fn read(path: &Path) -> Result<Trace, TraceError> {
        let failed = |cause| TraceError::File { path: path.to_owned(), cause };
        let bytes = std::fs::read(path).map_err(failed)?;
        let text = if bytes.starts_with(&[0x1f, 0x8b]) {
            let mut text = Vec::new();
            flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_end(&mut text).map_err(failed)?;
            text
        } else {
            bytes
        };
        serde_json::from_slice(&text)
            .map_err(|cause| TraceError::Format { path: path.to_owned(), cause })
    }
}
