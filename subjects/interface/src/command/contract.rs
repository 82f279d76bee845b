//! Names that tools and catherd must both know, such as the parameters that choose a tool, and the
//! files of an adapter and of its runs.

/// The parameter that names the folder of an adapter.
pub(super) const ADAPTER: &str = "adapter";

/// The parameter with the digest of the tool.
pub(super) const DIGEST: &str = catherd_experiments::TOOL;

pub(super) const CONTRACT: u64 = 1;

/// The description of the adapter, in the folder of the adapter.
pub(super) const DESCRIPTION: &str = "adapter.toml";

/// The executable of the adapter, in the folder of the adapter.
pub(super) const EXECUTABLE: &str = "run";

/// The request, in the working folder.
pub(super) const REQUEST: &str = "request.json";

/// The result, in the working folder.
pub(super) const RESULT: &str = "result.json";

/// The file, in the working folder, with the improvements that the tool reports during the run: one
/// JSON object on each line.
pub(super) const LIVE: &str = "live.jsonl";

/// The result of a run that has not ended yet, in the working folder.
pub(super) const SNAPSHOT: &str = "snapshot.json";

/// The key, in results and in requests to measurers, of the file that is measured apart from the
/// trial.
pub(super) const ARTIFACT: &str = "artifact";

/// The folder of environments, in the folder of the adapter.
pub(super) const ENVIRONMENTS: &str = ".environment";
