//! Tests the traces of runs that a collector receives.

#![cfg(feature = "traces")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::cluster::{coordinator, succeed, worker};
use crate::support::{catherd, stderr, two_files};

/// Starts a collector. Returns the address, and the spans that the collector has received.
fn collector() -> (String, Arc<Mutex<Vec<Value>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let spans = Arc::new(Mutex::new(Vec::new()));
    let received = spans.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = BufReader::new(stream.unwrap());
            let mut line = String::new();
            // The connection is closed after each answer.
            stream.read_line(&mut line).unwrap();
            assert!(line.starts_with("POST /v1/traces "), "{line}");
            let mut length = 0;
            loop {
                line.clear();
                stream.read_line(&mut line).unwrap();
                if line.trim().is_empty() {
                    break;
                }
                let (name, value) = line.split_once(':').unwrap();
                match name.to_ascii_lowercase().as_str() {
                    "content-length" => length = value.trim().parse().unwrap(),
                    "content-type" => assert_eq!(value.trim(), "application/json"),
                    _ => {}
                }
            }
            let mut body = vec![0; length];
            stream.read_exact(&mut body).unwrap();
            let body: Value = serde_json::from_slice(&body).unwrap();
            let all = body["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap();
            received.lock().unwrap().extend(all.iter().cloned());
            let answer = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";
            stream.get_mut().write_all(answer.as_bytes()).unwrap();
        }
    });
    (address, spans)
}

fn time(span: &Value, key: &str) -> u64 {
    span[key].as_str().unwrap().parse().unwrap()
}

#[test]
fn a_run_has_a_trace_from_its_submission_to_its_record() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let (url, spans) = collector();
    let options = ["--listen", "127.0.0.1:0", "--traces", &url];
    let (_coordinator, address) = coordinator(&folder.join("data"), &options);
    two_files(&folder.join("files"));
    let file = folder.join("traced.toml");
    let text = "subject = 'noop'\nprojects = ['files']\nseeds = 3\nalgorithms = ['a']\n\
                [budget]\nexecutions = 1\n";
    fs::write(&file, text).unwrap();
    succeed(&["submit", file.to_str().unwrap()], &address);
    assert!(worker(&address, folder, &["--idle", "1"]).0.wait().unwrap().success());
    let start = Instant::now();
    while spans.lock().unwrap().len() < 24 {
        assert!(start.elapsed() < Duration::from_secs(60), "{:?}", spans.lock().unwrap());
        std::thread::sleep(Duration::from_millis(50));
    }

    let out = folder.join("out");
    succeed(&["results", "traced", "--out", out.to_str().unwrap()], &address);
    let runs = fs::read_to_string(out.join("runs.csv")).unwrap();
    let runs: BTreeSet<String> = runs.lines().skip(1).map(|line| line[..32].to_owned()).collect();
    let mut traces: BTreeMap<String, BTreeMap<String, Value>> = BTreeMap::new();
    for span in spans.lock().unwrap().iter() {
        let trace = span["traceId"].as_str().unwrap().to_owned();
        let name = span["name"].as_str().unwrap().to_owned();
        assert_eq!(span["status"]["code"], 1);
        let twice = traces.entry(trace).or_default().insert(name, span.clone());
        assert!(twice.is_none(), "{twice:?}");
    }
    assert_eq!(traces.keys().cloned().collect::<BTreeSet<_>>(), runs);
    for trace in traces.values() {
        let [run, queued, lease, commit] = ["run", "queued", "lease", "commit"].map(|n| &trace[n]);
        assert!(run["parentSpanId"].is_null());
        for child in [queued, lease, commit] {
            assert_eq!(child["parentSpanId"], run["spanId"]);
        }
        let (begin, end) = ("startTimeUnixNano", "endTimeUnixNano");
        assert_eq!(time(run, begin), time(queued, begin));
        assert_eq!(time(queued, end), time(lease, begin));
        assert_eq!(time(lease, end), time(commit, begin));
        assert_eq!(time(commit, end), time(run, end));
        assert!(time(run, begin) < time(lease, begin) && time(lease, begin) < time(run, end));
        let attributes = lease["attributes"].to_string();
        assert!(
            attributes.contains("catherd.worker") && attributes.contains("\"w\""),
            "{attributes}"
        );
    }
    let output = catherd().args(["coordinator", "--traces", "collector:4318"]).output().unwrap();
    assert!(stderr(&output).contains("such as http://127.0.0.1:4318"), "{}", stderr(&output));
}
