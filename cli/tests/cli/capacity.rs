//! `catherd capacity` through the binary.

use std::fs;

use crate::support::{catherd, stderr};
use serde_json::Value;

#[test]
fn the_costs_of_the_writer_are_measured() {
    let directory = tempfile::tempdir().unwrap();
    let mut command = catherd();
    command.current_dir(&directory).args(["capacity", "measure", "--json", "costs.json"]);
    command.args(["--workers", "2", "--runs", "400", "--projects", "2"]);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let costs = fs::read_to_string(directory.path().join("costs.json")).unwrap();
    let costs: Value = serde_json::from_str(&costs).unwrap();
    for request in ["lease", "commit"] {
        let writer = costs[request]["writer_us"].as_f64().unwrap();
        assert!(writer > 0.0, "{request}: {costs}");
    }
}
