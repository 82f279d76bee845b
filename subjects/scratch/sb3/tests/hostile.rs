//! Tests of reading damaged and hostile input.

use crate::archive;

use std::io::Write as _;

use archive::{archive, cat, read};
use catherd_scratch_sb3::{Cause, Limits, Project, ReadError};
use proptest::prelude::*;
use rusty_fork::rusty_fork_test;

fn from_bytes(bytes: &[u8]) -> Result<Project, ReadError> {
    Project::from_bytes("test.sb3", bytes, &Limits::default())
}

fn line(result: Result<Project, ReadError>) -> String {
    let line = result.expect_err("is refused").to_string();
    assert!(line.starts_with("test.sb3: ") && !line.contains('\n'), "{line}");
    line
}

#[track_caller]
fn refused(json: &str, words: &[&str]) {
    let line = line(read(json));
    for word in words {
        assert!(line.contains(word), "{line}");
    }
}

#[test]
fn broken_archives() {
    let json = cat(r#""blocks": {}"#);
    let whole = archive(&[("project.json", json.as_bytes())]);
    assert!(from_bytes(&whole).is_ok());
    for bytes in [&whole[..whole.len() / 2], &whole[..0], b"no archive at all"] {
        assert!(line(from_bytes(bytes)).contains("zip archive"));
    }
    assert!(line(from_bytes(&archive(&[("a.svg", b"")]))).contains("no project.json"));
    let deep = archive(&[("a/b/project.json", json.as_bytes())]);
    assert!(line(from_bytes(&deep)).contains("no project.json"));
}

#[test]
fn paths_that_hold_no_project() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.sb3");
    for (path, words) in [(folder.path(), "no project.json"), (&missing, "cannot be read")] {
        let line = Project::read(path).unwrap_err().to_string();
        assert!(line.starts_with(path.to_str().unwrap()) && line.contains(words), "{line}");
    }
}

#[test]
fn broken_projects() {
    refused("{\"targets\": [\n{]}", &["not valid JSON", "line 2 column 2"]);
    refused("[]", &["not an object"]);
    refused("{}", &["version"]);
    refused(r#"{"targets": [], "meta": {"semver": "4.0.0"}}"#, &["version", "4.0.0"]);
    refused(r#"{"targets": []}"#, &["no stage"]);
    refused(r#"{"targets": [3]}"#, &["targets[0]"]);
    refused(&cat(r#""isStage": true"#), &["Cat", "second stage"]);
    refused(&cat(r#""x": "left""#), &["Cat", "`x` is not a number"]);
    refused(&cat(r#""variables": {"i": ["v", []]}"#), &["Cat", "variable \"i\""]);
    refused(&cat(r#""costumes": [{"name": "a"}]"#), &["Cat", "names no file"]);
    refused(&cat(r#""blocks": {"b": {}}"#), &["Cat", "\"b\"", "no opcode"]);
    refused(
        &cat(r#""blocks": {"b": {"opcode": "looks_say", "inputs": {"MESSAGE": [1, [10, []]]}}}"#),
        &["Cat", "\"b\"", "MESSAGE"],
    );
}

#[test]
fn block_cycles_name_target_and_block() {
    let show = r#""opcode": "looks_show""#;
    for blocks in [
        format!(r#""b": {{{show}, "next": "b"}}"#),
        format!(r#""a": {{{show}, "next": "b"}}, "b": {{{show}, "inputs": {{"I": [2, "a"]}}}}"#),
        format!(
            r#""a": {{{show}, "next": "b"}}, "b": {{{show}, "inputs": {{"I": [3, null, "a"]}}}}"#
        ),
    ] {
        let result = read(&cat(&format!(r#""blocks": {{{blocks}}}"#)));
        assert!(matches!(&result, Err(ReadError { cause: Cause::Cycle(_), .. })), "{result:?}");
        let line = line(result);
        assert!(line.contains("\"Cat\"") && line.contains("cycle"), "{line}");
    }
    let shared = format!(
        r#""blocks": {{"a": {{{show}, "next": "c", "parent": "a"}}, "b": {{{show}, "next": "c"}}, "c": {{{show}}}}}"#
    );
    assert_eq!(read(&cat(&shared)).unwrap().block_count(), 3);
}

/// `links` returns the members with which a block refers to the block with the given number.
fn chain(n: usize, links: impl Fn(usize) -> String) -> String {
    let blocks: Vec<_> = (0..n)
        .map(|i| {
            format!(
                r#""b{i}": {{"opcode": "operator_add", "topLevel": {}, {}}}"#,
                i == 0,
                links(i + 1)
            )
        })
        .collect();
    cat(&format!(r#""blocks": {{{}}}"#, blocks.join(",")))
}

#[test]
#[ignore = "slow"]
fn long_scripts_are_read_and_deep_ones_refused() {
    let project = read(&chain(100_000, |next| format!(r#""next": "b{next}""#))).unwrap();
    assert_eq!(project.block_count(), 100_000);
    let nested = |next| format!(r#""inputs": {{"A": [2, "b{next}"]}}"#);
    assert!(read(&chain(200, nested)).is_ok());
    refused(&chain(100_000, nested), &["levels of nesting of blocks"]);
}

#[test]
fn shared_blocks_must_not_multiply() {
    let twice = |next| format!(r#""inputs": {{"A": [2, "b{next}"], "B": [2, "b{next}"]}}"#);
    let scripts = chain(100, twice);
    refused(&scripts, &["Cat", "share blocks"]);
    // Loose blocks are traversed as well.
    refused(&scripts.replace("true", "false"), &["Cat", "share blocks"]);
}

rusty_fork_test! {
    #![rusty_fork(timeout_ms = 60_000)]

    // Unpacking must stop at the limit, independently of the size of the file.
    #[test]
    fn unpacking_stops_at_the_limits() {
        let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        zip.start_file("project.json", zip::write::SimpleFileOptions::default()).unwrap();
        let zeros = vec![b' '; 1 << 20];
        for _ in 0..64 {
            zip.write_all(&zeros).unwrap();
        }
        let bomb = zip.finish().unwrap().into_inner();
        assert!(line(from_bytes(&bomb)).contains("too large"));

        let asset = r#"{"name": "a", "assetId": "a", "dataFormat": "svg"}"#;
        let json =
            format!(r#"{{"targets": [{{"isStage": true, "name": "Stage", "costumes": [{asset}]}}]}}"#);
        let fat = vec![0; 20 << 20];
        let bytes = archive(&[("project.json", json.as_bytes()), ("a.svg", &fat)]);
        assert!(line(from_bytes(&bytes)).contains("100 times its own size"));
        let silence = &fat[..10 << 20];
        let bytes = archive(&[("project.json", json.as_bytes()), ("a.svg", silence)]);
        assert_eq!(from_bytes(&bytes).unwrap().assets[0].bytes.len(), 10 << 20);
        let tight = Limits { unpacked_bytes: 1 << 20, ..Limits::default() };
        let refused = line(Project::from_bytes("test.sb3", &bytes, &tight));
        assert!(refused.contains("bytes unpacked"), "{refused}");
    }
}

#[test]
fn each_count_has_a_limit() {
    let json = cat(r#""costumes": [{"assetId": "a"}], "blocks": {"b": {"opcode": "looks_show"}}"#);
    let bytes = archive(&[("project.json", json.as_bytes()), ("x", b"")]);
    let with = |limits: Limits| line(Project::from_bytes("test.sb3", &bytes, &limits));
    let all = Limits::default;
    for (limits, words) in [
        (Limits { archive_bytes: 10, ..all() }, "more than 10 bytes in the archive"),
        (Limits { entries: 1, ..all() }, "more than 1 files"),
        (Limits { json_bytes: 10, ..all() }, "more than 10 bytes in project.json"),
        (Limits { json_values: 9, ..all() }, "more than 9 values"),
        (Limits { json_depth: 3, ..all() }, "more than 3 levels"),
        (Limits { targets: 1, ..all() }, "more than 1 targets"),
        (Limits { media: 0, ..all() }, "more than 0 costumes"),
        (Limits { blocks: 0, ..all() }, "more than 0 blocks"),
    ] {
        let line = with(limits);
        assert!(line.contains(words), "{line}");
    }
}

fn sample() -> Vec<u8> {
    let json = cat(r#""costumes": [{"name": "c", "assetId": "a", "dataFormat": "svg"}],
        "variables": {"v": ["v", 1]}, "lists": {"l": ["l", [1, "2"]]},
        "blocks": {"a": {"opcode": "event_whenflagclicked", "next": "b", "topLevel": true},
            "b": {"opcode": "looks_say", "parent": "a", "inputs": {"MESSAGE": [3, "c", [10, "x"]]}},
            "c": {"opcode": "operator_add", "inputs": {"NUM1": [1, [4, 1]], "NUM2": [1, [12, "v", "v"]]}}}"#);
    archive(&[("project.json", json.as_bytes()), ("a.svg", b"<svg/>")])
}

fn sample_json() -> String {
    let bytes = sample();
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    std::io::read_to_string(zip.by_name("project.json").unwrap()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutated_archives_never_panic(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<prop::sample::Index>(),
        truncate in prop::bool::weighted(0.2),
    ) {
        let mut bytes = sample();
        for (at, byte) in edits {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if truncate {
            bytes.truncate(cut.index(bytes.len()));
        }
        // Either a project or an error is correct.
        let _ = from_bytes(&bytes);
    }

    #[test]
    fn mutated_scratch_2_never_panics(
        edits in prop::collection::vec((any::<prop::sample::Index>(), "[\\[\\]{}\",:0-9abc]"), 1..4),
    ) {
        let mut json = r#"{"objName": "S", "variables": [{"name": "v", "value": 1}], "children": [
            {"objName": "Cat", "scripts": [[1, 2, [["procDef", "a %n", ["n"], [1], false],
                ["call", "a %n", ["+", 1, ["readVariable", "v"]]], ["doIf", false, [["broadcast:", "m"]]],
                ["penColor:", -1], ["lookLike:", 1]]]], "costumes": [{"costumeName": "c", "baseLayerID": 1}]},
            {"cmd": "getVar:", "param": "v", "target": "S"}, {"listName": "l"}]}"#
            .to_owned();
        for (at, with) in edits {
            let at = at.index(json.len());
            json.replace_range(at..=at, &with);
        }
        if let Err(error) = read(&json) {
            prop_assert!(error.to_string().starts_with("test.sb3: "));
        }
    }

    #[test]
    fn mutated_json_never_panics(
        edits in prop::collection::vec((any::<prop::sample::Index>(), "[\\[\\]{}\",:0-9abc]"), 1..4),
    ) {
        let mut json = sample_json();
        for (at, with) in edits {
            let at = at.index(json.len());
            json.replace_range(at..=at, &with);
        }
        if let Err(error) = read(&json) {
            prop_assert!(error.to_string().starts_with("test.sb3: "));
        }
    }
}
