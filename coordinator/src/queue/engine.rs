//! Subject kinds with their engines.

use catherd_experiments::Engines;
use serde::Deserialize;

/// A subject kind with the engine id that runs need. A different engine may produce different
/// records.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct SubjectEngine {
    /// Name of the subject kind.
    #[serde(rename = "subject")]
    pub kind: String,
    /// The engine id that the runs need.
    pub engine: String,
}

impl SubjectEngine {
    /// Whether a worker with these engines executes the runs of this engine.
    pub fn is_in(&self, engines: &Engines) -> bool {
        engines.get(&self.kind) == Some(&self.engine)
    }
}
