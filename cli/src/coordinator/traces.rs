//! `catherd coordinator --traces`: the address of a collector and, in builds with the feature
//! `traces`, the exporter.

#[cfg(feature = "traces")]
mod sending;

#[cfg(not(feature = "traces"))]
use catherd_cli_console::Failure;
#[cfg(not(feature = "traces"))]
use catherd_coordinator::SpanSink;
#[cfg(feature = "traces")]
pub(super) use sending::exporter;

/// The path of traces below the address of a collector.
const PATH: &str = "/v1/traces";

pub(super) fn url(text: &str) -> Result<String, String> {
    if !text.starts_with("http://") && !text.starts_with("https://") {
        return Err("write the address of a collector, such as http://127.0.0.1:4318".to_owned());
    }
    let text = text.trim_end_matches('/');
    Ok(if text.ends_with(PATH) { text.to_owned() } else { format!("{text}{PATH}") })
}

#[cfg(not(feature = "traces"))]
pub(super) fn exporter(_: &str) -> Result<SpanSink, Failure> {
    Err(Failure::new("this catherd was built without traces")
        .hint("build it with: cargo build --release --features cluster"))
}
