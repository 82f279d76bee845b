//! Tests of searches for projects, some of which are damaged or hostile.

use std::fs;
use std::io::{Cursor, Write};
#[cfg(unix)]
use std::os::unix::fs::symlink;
use std::path::Path;
#[cfg(unix)]
use std::process::Command;

use catherd_scratch_corpora::{FindError, FoundProjects, find};
use tempfile::TempDir;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

fn project_json(blocks: &str, costumes: &str) -> String {
    format!(
        r#"{{"targets":[
            {{"isStage":true,"name":"Stage","variables":{{}},"lists":{{}},"broadcasts":{{}},
              "blocks":{{}},"currentCostume":0,"costumes":[],"sounds":[]}},
            {{"isStage":false,"name":"Cat","variables":{{}},"lists":{{}},"broadcasts":{{}},
              "blocks":{{{blocks}}},"currentCostume":0,"costumes":[{costumes}],"sounds":[]}}],
            "monitors":[],"extensions":[],"meta":{{"semver":"3.0.0"}}}}"#
    )
}

fn block(id: &str, opcode: &str, next: &str, top_level: bool) -> String {
    format!(
        r#""{id}":{{"opcode":"{opcode}","next":{next},"parent":null,"inputs":{{}},
            "fields":{{}},"shadow":false,"topLevel":{top_level}}}"#
    )
}

fn flag() -> String {
    block("flag", "event_whenflagclicked", "null", true)
}

fn good_json() -> String {
    project_json(&flag(), "")
}

fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, contents) in files {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(contents).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn project(json: &str) -> Vec<u8> {
    archive(&[("project.json", json.as_bytes())])
}

fn names(found: &FoundProjects) -> Vec<&str> {
    found.projects.iter().map(|entry| &*entry.name).collect()
}

fn skip_line(bytes: &[u8]) -> String {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("bad.sb3");
    fs::write(&path, bytes).unwrap();
    fs::write(folder.path().join("good.sb3"), project(&good_json())).unwrap();
    let found = find([folder.path()]).unwrap();
    assert_eq!(names(&found), ["good"]);
    let [skipped] = &found.skipped[..] else { panic!("{:?}", found.skipped) };
    let line = skipped.to_string();
    assert!(!line.contains('\n'), "{line}");
    line.strip_prefix(&path.display().to_string())
        .expect("the line begins with the path")
        .to_owned()
}

#[test]
fn a_truncated_archive() {
    let complete = project(&good_json());
    let line = skip_line(&complete[..complete.len() / 2]);
    assert!(line.starts_with(": is not an intact zip archive: "), "{line}");
}

#[test]
fn an_archive_without_project_json() {
    assert_eq!(skip_line(&archive(&[("notes.txt", b"hello")])), ": contains no project.json");
}

#[test]
fn invalid_json() {
    let line = skip_line(&project(r#"{"targets": [ oops"#));
    assert!(line.starts_with(": project.json is not valid JSON: "), "{line}");
}

#[test]
fn a_project_without_blocks() {
    assert_eq!(skip_line(&project(&project_json("", ""))), ": has no blocks");
}

#[test]
fn a_block_cycle() {
    let blocks = [
        block("flag", "event_whenflagclicked", r#""show""#, true),
        block("show", "looks_show", r#""hide""#, false),
        block("hide", "looks_hide", r#""show""#, false),
    ];
    let line = skip_line(&project(&project_json(&blocks.join(","), "")));
    assert!(line.contains("cycle") && line.contains(r#"target "Cat", block ""#), "{line}");
}

#[test]
fn hostile_names_do_not_break_the_line() {
    let blocks = [
        block(r"show\n", "looks_show", r#""hide""#, true),
        block("hide", "looks_hide", r#""show\n""#, false),
    ];
    let line = skip_line(&project(&project_json(&blocks.join(","), "")));
    assert!(line.contains("cycle"), "{line}");
}

#[test]
fn a_zip_bomb() {
    // Hundreds of megabytes of blanks compress to a small archive.
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file("project.json", SimpleFileOptions::default()).unwrap();
    let blanks = vec![b' '; 1 << 20];
    for _ in 0..300 {
        zip.write_all(&blanks).unwrap();
    }
    zip.write_all(good_json().as_bytes()).unwrap();
    let bomb = zip.finish().unwrap().into_inner();
    assert!(bomb.len() < 1 << 20, "{} bytes", bomb.len());
    let line = skip_line(&bomb);
    assert!(line.starts_with(": too large: more than "), "{line}");
}

/// The search must neither wait for a pipe without a writer nor read an endless device.
#[cfg(unix)]
#[test]
fn pipes_and_devices_are_not_projects() {
    let folder = TempDir::new().unwrap();
    let pipe = folder.path().join("pipe.sb3");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    symlink("/dev/zero", folder.path().join("zeros.sb3")).unwrap();
    fs::write(folder.path().join("good.sb3"), project(&good_json())).unwrap();
    let found = find([folder.path()]).unwrap();
    assert_eq!(names(&found), ["good"]);
    let lines: Vec<_> = found.skipped.iter().map(ToString::to_string).collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    let reason =
        "cannot be read: it is a pipe, a device or a socket; expected an .sb3 or .sb2 file";
    assert!(lines.iter().all(|line| line.contains(reason)), "{lines:?}");
    let found = find([&pipe]).unwrap();
    assert!(found.skipped[0].reason.starts_with(reason), "{found:?}");
}

#[test]
fn a_missing_costume_is_a_warning() {
    let costume = r#"{"name":"cat","assetId":"00ff","md5ext":"00ff.svg","dataFormat":"svg"}"#;
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("cat.sb3");
    fs::write(&path, project(&project_json(&flag(), costume))).unwrap();
    let found = find([folder.path()]).unwrap();
    assert_eq!(names(&found), ["cat"]);
    let expected =
        format!(r#"{}: target "Cat", "cat": 00ff.svg is missing or damaged"#, path.display());
    assert_eq!(found.projects[0].warnings, [expected]);
}

#[test]
fn unknown_blocks_result_in_one_warning_per_kind() {
    let blocks = [
        block("flag", "event_whenflagclicked", r#""on""#, true),
        block("on", "ev3_fly", r#""again""#, false),
        block("again", "ev3_fly", "null", false),
    ];
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("motor.sb3");
    fs::write(&path, project(&project_json(&blocks.join(","), ""))).unwrap();
    let found = find([folder.path()]).unwrap();
    let expected = format!("{}: unknown block ev3_fly does nothing", path.display());
    assert_eq!(found.projects[0].warnings, [expected]);
}

#[test]
fn a_folder_with_no_projects() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("notes.txt"), "hello").unwrap();
    let error = find([folder.path()]).unwrap_err();
    assert!(matches!(error, FindError::Empty { .. }));
    let line = error.to_string();
    assert!(line.starts_with(&folder.path().display().to_string()), "{line}");
    assert!(line.contains("searched for .sb3 and .sb2 files") && !line.contains('\n'), "{line}");
}

#[test]
fn a_path_that_does_not_exist() {
    let line = find(["no/such/place.sb3"]).unwrap_err().to_string();
    assert!(line.starts_with("no/such/place.sb3: "), "{line}");
}

#[test]
fn a_search_finds_archives_and_unpacked_folders() {
    let folder = TempDir::new().unwrap();
    let good = project(&good_json());
    let put = |path: &str, bytes: &[u8]| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    };
    put("snake.sb3", &good);
    put("week1/pong.sb3", &good);
    put("week2/set/pong.SB3", &good);
    put("maze/project.json", good_json().as_bytes());
    put("maze/inner.sb3", &good);
    put("readme.md", b"hello");
    put(".hidden.sb3", &good);
    put(".git/pong.sb3", &good);
    put("too/deep/for/us.sb3", &good);
    let found = find([folder.path()]).unwrap();
    assert_eq!(names(&found), ["maze", "set-pong", "snake", "week1-pong"]);
    assert_eq!(found.skipped, []);

    let maze = folder.path().join("maze");
    let again = find([&maze, &maze.join("project.json"), &folder.path().join("snake.sb3")]);
    assert_eq!(names(&again.unwrap()), ["maze", "snake"]);
}

#[test]
fn a_folder_and_its_archive_are_one_project() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("project.json"), good_json()).unwrap();
    let unpacked = find([folder.path()]).unwrap().projects.remove(0);
    let packed = folder.path().join("packed.sb3");
    fs::write(&packed, unpacked.load().unwrap().archive).unwrap();
    assert_eq!(find([packed]).unwrap().projects[0].digest, unpacked.digest);
}

#[test]
#[ignore = "needs CATHERD_CORPUS"]
fn no_project_of_a_corpus_is_skipped() {
    let corpus = std::env::var_os("CATHERD_CORPUS");
    let corpus = corpus.expect("CATHERD_CORPUS names the folder of the corpus");
    let found = find([Path::new(&corpus).join("whisker-examples")]).unwrap();
    assert!(!found.projects.is_empty());
    assert_eq!(found.skipped, []);
}
