//! Examples of the behaviour of this kind.

use catherd_javascript_classes::examples::{self, ExampleError, Verdict};

use crate::runner::on_a_large_stack;

/// Checks an example, which is a line of JSON, if its id begins with `only`.
///
/// # Errors
///
/// If the line is not an example.
pub fn check(line: &str, only: &str) -> Result<Option<Verdict>, ExampleError> {
    let example: serde_json::Value =
        serde_json::from_str(line).map_err(|error| error.to_string())?;
    let id = example["id"].as_str().unwrap_or("");
    if !id.starts_with(only) {
        return Ok(None);
    }
    on_a_large_stack(|| examples::check(line)).map(Some)
}
