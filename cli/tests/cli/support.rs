//! Shared code of the tests of the binary: small projects, and commands.

pub(crate) mod cluster;

use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::{Value, json};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// `CATHERD_BINARY` may name another build.
pub(crate) fn program() -> PathBuf {
    let built = assert_cmd::cargo::cargo_bin!("catherd");
    std::env::var_os("CATHERD_BINARY").map_or(built.into(), PathBuf::from)
}

/// The environment of the tests' processes: tokens of coordinators on loopback are not stored in
/// the user's home folder.
pub(crate) const ENVIRONMENT: [(&str, &str); 1] =
    [("XDG_STATE_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/state"))];

pub(crate) fn catherd() -> Command {
    let mut command = Command::new(program());
    command
        .envs(ENVIRONMENT)
        .env_remove("CATHERD_LOG")
        .timeout(std::time::Duration::from_secs(600));
    command
}

fn block(opcode: &str, parent: Option<&str>, next: Option<&str>, rest: &Value) -> Value {
    let mut block = json!({
        "opcode": opcode, "parent": parent, "next": next, "inputs": {}, "fields": {},
        "shadow": false, "topLevel": parent.is_none(),
    });
    for (key, value) in rest.as_object().unwrap() {
        block[key] = value.clone();
    }
    block
}

pub(crate) fn with_blocks(blocks: &Value, costumes: &Value) -> String {
    let target = |name: &str, blocks: &Value, costumes: &Value| {
        json!({
            "isStage": name == "Stage", "name": name, "variables": {}, "lists": {},
            "broadcasts": {}, "blocks": blocks, "comments": {}, "currentCostume": 0,
            "costumes": costumes, "sounds": [], "volume": 100, "layerOrder": 0, "visible": true,
            "x": 0, "y": 0, "size": 100, "direction": 90, "draggable": false,
            "rotationStyle": "all around", "tempo": 60,
        })
    };
    json!({
        "targets": [target("Stage", &json!({}), &json!([])), target("Cat", blocks, costumes)],
        "monitors": [], "extensions": [], "meta": { "semver": "3.0.0" },
    })
    .to_string()
}

/// `when KEY pressed: forever: if mouse down: show`, and `when flag: wait 2, say hi, if 2 < 1:
/// hide`. Searches use up their budget, because no test can cover the last block.
pub(crate) fn small(key: &str) -> String {
    let blocks = json!({
        "flag": block("event_whenflagclicked", None, Some("wait"), &json!({})),
        "wait": block("control_wait", Some("flag"), Some("say"),
            &json!({ "inputs": { "DURATION": [1, [5, "2"]] } })),
        "say": block("looks_say", Some("wait"), Some("never"),
            &json!({ "inputs": { "MESSAGE": [1, [10, "hi"]] } })),
        "never": block("control_if", Some("say"), None,
            &json!({ "inputs": { "CONDITION": [2, "less"], "SUBSTACK": [2, "hide"] } })),
        "less": block("operator_lt", Some("never"), None,
            &json!({ "inputs": { "OPERAND1": [1, [4, "2"]], "OPERAND2": [1, [4, "1"]] } })),
        "hide": block("looks_hide", Some("never"), None, &json!({})),
        "key": block("event_whenkeypressed", None, Some("forever"),
            &json!({ "fields": { "KEY_OPTION": [key, null] } })),
        "forever": block("control_forever", Some("key"), None,
            &json!({ "inputs": { "SUBSTACK": [2, "if"] } })),
        "if": block("control_if", Some("forever"), None,
            &json!({ "inputs": { "CONDITION": [2, "mouse"], "SUBSTACK": [2, "show"] } })),
        "mouse": block("sensing_mousedown", Some("if"), None, &json!({})),
        "show": block("looks_show", Some("if"), None, &json!({})),
    });
    with_blocks(&blocks, &json!([]))
}

/// `when flag: show`, with `show` followed by `next`.
pub(crate) fn two_blocks(next: Option<&str>, costumes: &Value) -> String {
    let blocks = json!({
        "flag": block("event_whenflagclicked", None, Some("show"), &json!({})),
        "show": block("looks_show", Some("flag"), next, &json!({})),
    });
    with_blocks(&blocks, costumes)
}

pub(crate) fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, contents) in files {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(contents).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

pub(crate) fn packed(json: &str) -> Vec<u8> {
    archive(&[("project.json", json.as_bytes())])
}

pub(crate) fn two_projects(folder: &Path) {
    fs::create_dir_all(folder.join("unpacked")).unwrap();
    fs::write(folder.join("unpacked/project.json"), small("x")).unwrap();
    fs::write(folder.join("packed.sb3"), packed(&small("space"))).unwrap();
}

/// Writes two plain files, which are projects of the kind `noop`.
pub(crate) fn two_files(folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    for name in ["one", "two"] {
        fs::write(folder.join(name), name).unwrap();
    }
}

pub(crate) fn digests(results: &Path) -> BTreeMap<String, String> {
    let mut runs = csv::Reader::from_path(results.join("runs.csv")).unwrap();
    let rows = runs.deserialize().map(Result::unwrap);
    // A quarantined run has no record.
    rows.filter(|(_, record): &(String, String)| !record.is_empty()).collect()
}

pub(crate) fn stderr(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub(crate) fn sequences(folder: &Path, arguments: &[&str]) -> std::process::Output {
    catherd().current_dir(folder).arg("sequences").args(arguments).output().unwrap()
}

pub(crate) fn succeed(folder: &Path, arguments: &[&str]) -> String {
    let output = sequences(folder, arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
    String::from_utf8(output.stdout).unwrap()
}

pub(crate) fn json(folder: &Path, arguments: &[&str]) -> Value {
    serde_json::from_str(&succeed(folder, arguments)).unwrap()
}
