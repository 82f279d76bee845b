//! Sends the traces of a coordinator to an OpenTelemetry collector: OTLP as JSON over HTTP
//! (<https://opentelemetry.io/docs/specs/otlp/>).

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, SystemTime};

use catherd_cli_console::Failure;
use catherd_coordinator::{Span, SpanSink};
use serde_json::{Value, json};

/// Maximum number of spans that wait for the collector. Further spans are dropped.
const MAX_WAITING: usize = 1 << 16;

/// Maximum number of spans in a request.
const MAX_BATCH: usize = 512;

/// Time within which a request must be answered.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Time without a new span after which spans are sent even if a request could contain more.
const INTERVAL: Duration = Duration::from_secs(1);

pub(in crate::coordinator) fn exporter(url: &str) -> Result<SpanSink, Failure> {
    let (sender, spans): (SyncSender<Span>, _) = sync_channel(MAX_WAITING);
    let url = url.to_owned();
    std::thread::Builder::new()
        .name("traces".to_owned())
        .spawn(move || send_all(&url, &spans))
        .map_err(|cause| Failure::new(format_args!("cannot start a thread: {cause}")))?;
    // Drop spans if too many wait, because a slow collector must not delay runs.
    Ok(Arc::new(move |span| drop(sender.try_send(span))))
}

fn send_all(url: &str, spans: &Receiver<Span>) {
    let agent = ureq::Agent::config_builder().timeout_global(Some(TIMEOUT)).build().new_agent();
    let mut told = false;
    while let Ok(first) = spans.recv() {
        let mut batch = vec![first];
        while batch.len() < MAX_BATCH {
            match spans.recv_timeout(INTERVAL) {
                Ok(span) => batch.push(span),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
            }
        }
        let body = request(&batch).to_string();
        let sent = agent.post(url).header("content-type", "application/json").send(body);
        match sent {
            Ok(_) => told = false,
            Err(cause) if !told => {
                tracing::warn!("traces are lost, because {url} does not accept them: {cause}");
                told = true;
            }
            Err(_) => {}
        }
    }
}

/// Returns the body of a request (`ExportTraceServiceRequest`).
fn request(spans: &[Span]) -> Value {
    let spans: Vec<Value> = spans.iter().map(encoded).collect();
    let version = env!("CARGO_PKG_VERSION");
    json!({ "resourceSpans": [{
        "resource": { "attributes": [attribute("service.name", "catherd"), attribute("service.version", version)] },
        "scopeSpans": [{ "scope": { "name": "catherd", "version": version }, "spans": spans }],
    }] })
}

fn attribute(key: &str, value: &str) -> Value {
    json!({ "key": key, "value": { "stringValue": value } })
}

fn encoded(span: &Span) -> Value {
    let time = |time: SystemTime| {
        let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        since.as_nanos().to_string()
    };
    let attributes: Vec<Value> =
        span.attributes.iter().map(|(key, value)| attribute(key, value)).collect();
    let mut encoded = json!({
        "traceId": hex::encode(span.trace),
        "spanId": hex::encode(span.id),
        "name": span.name,
        // SPAN_KIND_INTERNAL.
        "kind": 1,
        "startTimeUnixNano": time(span.start),
        "endTimeUnixNano": time(span.end),
        "attributes": attributes,
        // STATUS_CODE_OK or STATUS_CODE_ERROR.
        "status": match &span.error {
            None => json!({ "code": 1 }),
            Some(reason) => json!({ "code": 2, "message": reason }),
        },
    });
    if let Some(parent) = span.parent {
        encoded["parentSpanId"] = json!(hex::encode(parent));
    }
    encoded
}
