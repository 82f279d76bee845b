//! Names that tools and catherd must both know.

/// The parameter with the folder of an adapter.
pub(super) const ADAPTER: &str = "adapter";

/// The parameter with the digest of the tool.
pub(super) const DIGEST: &str = catherd_experiments::TOOL;

pub(super) const CONTRACT: u64 = 1;

/// A file in the folder of the adapter.
pub(super) const DESCRIPTION: &str = "adapter.toml";

/// A file in the folder of the adapter.
pub(super) const EXECUTABLE: &str = "run";

/// A file in the working folder.
pub(super) const REQUEST: &str = "request.json";

/// A file in the working folder.
pub(super) const RESULT: &str = "result.json";

/// A file in the working folder, with the improvements during a run.
pub(super) const LIVE: &str = "live.jsonl";

/// A file in the working folder, with the result of a run that has not ended yet.
pub(super) const SNAPSHOT: &str = "snapshot.json";

/// The key of the file that is measured apart from the trial.
pub(super) const ARTIFACT: &str = "artifact";

/// A folder in the folder of the adapter.
pub(super) const ENVIRONMENTS: &str = ".environment";
