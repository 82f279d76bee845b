//! Tests of the text notation of blocks.

use catherd_scratch_sb3::{Notation, Project};
use serde_json::{Value, json};

fn block(opcode: &str, parent: Option<&str>, next: Option<&str>, rest: Value) -> Value {
    let mut block = json!({
        "opcode": opcode, "parent": parent, "next": next, "inputs": {}, "fields": {},
        "shadow": false, "topLevel": parent.is_none(),
    });
    for (key, value) in rest.as_object().unwrap() {
        block[key] = value.clone();
    }
    block
}

fn lines(blocks: Value) -> Vec<String> {
    let stage = json!({
        "isStage": true, "name": "Stage", "variables": {}, "lists": {}, "broadcasts": {},
        "blocks": blocks, "comments": {}, "currentCostume": 0, "costumes": [], "sounds": [],
        "volume": 100, "tempo": 60,
    });
    let project = json!({
        "targets": [stage], "monitors": [], "extensions": [], "meta": { "semver": "3.0.0" },
    });
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("project.json"), project.to_string()).unwrap();
    let project = Project::read(folder.path()).unwrap();
    let target = &project.targets[0];
    let top = target.blocks.iter().position(|block| block.top_level).unwrap();
    let script = Notation::new(target).script(top as u32);
    script.iter().map(|line| format!("{}{}", "  ".repeat(line.depth), line.text)).collect()
}

#[test]
fn scripts_read_as_they_look() {
    let blocks = json!({
        "hat": block("event_whenkeypressed", None, Some("if"),
            json!({ "fields": { "KEY_OPTION": ["left arrow", null] } })),
        "if": block("control_if_else", Some("hat"), Some("say"), json!({ "inputs": {
            "CONDITION": [2, "touching"], "SUBSTACK": [2, "set"], "SUBSTACK2": [2, "forever"] } })),
        "touching": block("sensing_touchingobject", Some("if"), None,
            json!({ "inputs": { "TOUCHINGOBJECTMENU": [1, "menu"] } })),
        "menu": block("sensing_touchingobjectmenu", Some("touching"), None,
            json!({ "fields": { "TOUCHINGOBJECTMENU": ["_edge_", null] }, "shadow": true })),
        "set": block("data_setvariableto", Some("if"), None, json!({
            "inputs": { "VALUE": [3, "plus", [10, "0"]] }, "fields": { "VARIABLE": ["v", "v"] } })),
        "plus": block("operator_add", Some("set"), None,
            json!({ "inputs": { "NUM1": [3, [12, "v", "v"], [4, ""]], "NUM2": [1, [4, "1"]] } })),
        "forever": block("control_forever", Some("if"), None, json!({})),
        "say": block("looks_say", Some("if"), Some("odd"),
            json!({ "inputs": { "MESSAGE": [1, [10, "two\nlines"]] } })),
        "odd": block("wedo2_motorOn", Some("say"), None,
            json!({ "inputs": { "SECS": [1, [4, "3"]] }, "fields": { "MOTOR": ["A", null] } })),
    });
    assert_eq!(
        lines(blocks),
        [
            "when [left arrow v] key pressed",
            "if <touching [_edge_ v] ?> then",
            "  set [v v] to ((v) + (1))",
            "else",
            "  forever",
            "  end",
            "end",
            "say [two lines]",
            "wedo2_motorOn [A v] (3)",
        ]
    );
}

#[test]
fn custom_blocks_show_their_arguments() {
    let signature = json!({
        "tagName": "mutation", "children": [], "proccode": "jump %s times if %b 100%",
        "argumentids": "[\"n\",\"c\"]", "argumentnames": "[\"count\",\"wild?\"]",
        "argumentdefaults": "[\"\",\"false\"]", "warp": "false",
    });
    let blocks = json!({
        "define": block("procedures_definition", None, Some("call"),
            json!({ "inputs": { "custom_block": [1, "prototype"] } })),
        "prototype": block("procedures_prototype", Some("define"), None,
            json!({ "mutation": signature, "shadow": true })),
        "call": block("procedures_call", Some("define"), None,
            // The second argument has no input.
            json!({ "mutation": signature, "inputs": { "n": [1, [10, "3"]] } })),
    });
    assert_eq!(
        lines(blocks),
        ["define jump (count) times if <wild?> 100%", "jump [3] times if < > 100%"]
    );
}

#[test]
fn deep_nesting_is_cut_off() {
    let mut blocks = json!({ "b0": block("looks_say", None, None,
        json!({ "inputs": { "MESSAGE": [3, "b1", [10, ""]] } })) });
    for i in 1..200 {
        let inner = format!("b{}", i + 1);
        blocks[format!("b{i}")] = block(
            "operator_not",
            Some(&format!("b{}", i - 1)),
            None,
            json!({ "inputs": { "OPERAND": [2, inner] } }),
        );
    }
    let line = lines(blocks).remove(0);
    assert!(line.contains('…') && line.chars().count() < 400, "{line}");
}
