//! Tests that messages about bad input and failed starts name the cause.

use std::fs;
use std::io::{Cursor, Write};
use std::path::Path;
use std::process::Command;

use crate::support::{archive, catherd, packed, small, stderr, two_blocks, with_blocks};
use serde_json::json;
use tempfile::TempDir;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const QUICK: [&str; 5] = ["--algorithms", "random", "--executions", "3", "--quiet"];

/// Executes `catherd run`, which must fail, and returns the last two lines of its messages: the
/// error and the hint.
fn refusal(arguments: &[&str]) -> (String, String) {
    let output = catherd().arg("run").args(arguments).output().unwrap();
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(!text.contains("panicked"), "{text}");
    let lines: Vec<&str> = text.lines().collect();
    let [.., line, hint] = lines[..] else { panic!("{text}") };
    let line = line.strip_prefix("error: ").expect("the line before the last is the error");
    (line.to_owned(), hint.strip_prefix(" hint: ").expect("the last line is a hint").to_owned())
}

/// Returns a zip archive whose unpacked size exceeds the maximum for a project.
fn bomb() -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file("project.json", SimpleFileOptions::default()).unwrap();
    let blanks = vec![b' '; 1 << 20];
    for _ in 0..300 {
        zip.write_all(&blanks).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
#[ignore = "slow"]
fn bad_projects_are_skipped_with_their_reason_and_the_good_one_runs() {
    let directory = TempDir::new().unwrap();
    let folder = directory.path().join("games");
    fs::create_dir(&folder).unwrap();
    let good = packed(&small("x"));
    let bad: [(&str, Vec<u8>, &str); 6] = [
        ("truncated", good[..good.len() / 2].to_vec(), "is not an intact zip archive"),
        ("no-json", archive(&[("notes.txt", b"hello")]), "contains no project.json"),
        ("invalid", packed(r#"{"targets": [ oops"#), "project.json is not valid JSON"),
        ("empty", packed(&with_blocks(&json!({}), &json!([]))), "has no blocks"),
        ("cycle", packed(&two_blocks(Some("show"), &json!([]))), "this block is part of a cycle"),
        ("bomb", bomb(), "too large: more than"),
    ];
    fs::write(folder.join("good.sb3"), good).unwrap();
    for (name, bytes, _) in &bad {
        fs::write(folder.join(format!("{name}.sb3")), bytes).unwrap();
    }
    // A project with a missing costume file is accepted with a warning.
    let costume = json!([{
        "name": "cat", "assetId": "00ff", "md5ext": "00ff.svg", "dataFormat": "svg",
    }]);
    fs::write(folder.join("naked.sb3"), packed(&two_blocks(None, &costume))).unwrap();

    let out = directory.path().join("out");
    let mut command = catherd();
    command.arg("run").arg("--projects").arg(&folder).args(QUICK).arg("--out").arg(&out);
    let output = command.output().unwrap();
    let (text, summary) = (stderr(&output), String::from_utf8(output.stdout.clone()).unwrap());
    assert_eq!(output.status.code(), Some(2), "{text}");
    let table = fs::read_to_string(out.join("skipped.csv")).unwrap();
    for (name, _, cause) in &bad {
        let path = folder.join(format!("{name}.sb3")).display().to_string();
        let line = format!("skipped: {path}: ");
        let lines: Vec<_> = text.lines().filter(|l| l.starts_with(&line)).collect();
        assert!(matches!(lines[..], [line] if line.contains(cause)), "{name}: {text}");
        assert!(summary.contains(&format!("Skipped {path}: ")), "{summary}");
        assert!(table.contains(&path), "{table}");
    }
    assert!(text.contains("warning: ") && text.contains("00ff.svg is missing"), "{text}");
    let runs = fs::read_to_string(out.join("runs.csv")).unwrap();
    assert_eq!(runs.lines().filter(|line| line.contains(",done,")).count(), 2, "{runs}");
    assert!(runs.contains(",good,") && runs.contains(",naked,"), "{runs}");
}

#[test]
fn a_study_of_only_bad_projects_gives_the_reason_for_each() {
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("broken.sb3");
    fs::write(&file, "no zip").unwrap();
    let arguments = ["--projects", file.to_str().unwrap()];
    let output = catherd().arg("run").args(arguments).args(QUICK).output().unwrap();
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(1));
    assert!(text.starts_with(&format!("skipped: {}: is not", file.display())), "{text}");
    assert!(text.contains("error: study `study` has no usable project\n hint: "), "{text}");
}

#[test]
fn pipes_and_devices_are_not_projects() {
    let directory = TempDir::new().unwrap();
    let pipe = directory.path().join("pipe.sb3");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for path in [&pipe, Path::new("/dev/null")] {
        let mut command = catherd();
        command.arg("run").arg("--projects").arg(path).args(QUICK).current_dir(&directory);
        let text = stderr(&command.output().unwrap());
        let line = format!(
            "skipped: {}: cannot be read: it is a pipe, a device or a socket; expected",
            path.display()
        );
        assert!(text.starts_with(&line), "{text}");
        let mut command = catherd();
        command.args(["generate", "-o", "suite.json"]).arg(path).current_dir(&directory);
        let text = stderr(&command.output().unwrap());
        assert!(text.contains("it is a pipe, a device or a socket"), "{text}");
    }
    let noop = ["--subject", "noop", "--algorithms", "a", "--executions", "1", "--projects"];
    let (line, _) = refusal(&[&noop[..], &[pipe.to_str().unwrap()]].concat());
    assert!(line.ends_with("is a pipe, a device or a socket; expected a regular file"), "{line}");
}

#[test]
fn studies_that_cannot_be_run_are_refused() {
    let directory = TempDir::new().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (empty, good, file) = (path("empty"), path("good.sb3"), path("file"));
    fs::create_dir(&empty).unwrap();
    fs::write(&good, packed(&small("x"))).unwrap();
    fs::write(&file, "").unwrap();
    let out = path("out");
    let with = |changes: &[&str]| {
        let (line, hint) = refusal(&[changes, &["--out", &out]].concat());
        assert!(!Path::new(&out).exists(), "{line}");
        (line, hint)
    };
    let random = ["--algorithms", "random"];

    let (line, _) = with(&[&["--projects", &empty], &QUICK[..]].concat());
    assert!(line.starts_with(&empty) && line.contains("no projects here"), "{line}");

    let (line, hint) =
        with(&["--projects", &good, "--algorithms", "random,tabu", "--executions", "3"]);
    assert!(hint.starts_with("use one of random, random-events, mosa"), "{hint}");
    assert_eq!(line, "unknown algorithm `tabu`");

    for (flag, value) in [("--executions", "-5"), ("--steps", "-1"), ("--wall", "-3s")] {
        let (line, hint) = with(&[&["--projects", &good, flag, value], &random[..]].concat());
        assert!(line.starts_with(&format!("{flag}: ")) && line.ends_with("is negative"), "{line}");
        assert!(hint.starts_with("give a"), "{hint}");
    }
    let (line, hint) = with(&[&["--projects", &good], &random[..]].concat());
    assert_eq!(
        (&*line, &*hint),
        ("--wall: no budget", "give a unit of work, such as --executions, or --wall")
    );

    let (line, hint) = with(&["--projects", &good, "--subject", "nope", "--executions", "3"]);
    assert_eq!(line, "--subject: unknown subject kind `nope`");
    assert!(hint.starts_with("use one of scratch, ") && hint.contains("command"), "{hint}");

    let (line, _) = with(&[&["--projects", &path("missing")], &QUICK[..]].concat());
    assert!(line.starts_with(&path("missing")), "{line}");
    let (line, _) = with(&[&path("missing.toml")]);
    assert!(line.ends_with("missing.toml: no such file or folder"), "{line}");
    assert_eq!(with(&[]).0, "no study to run");

    // A file cannot contain a folder, even for a user with all rights.
    let unwritable = format!("{file}/out");
    let arguments = ["--projects", &good, "--out", &unwritable];
    let (line, hint) = refusal(&[&arguments, &QUICK[..]].concat());
    assert!(line.starts_with(&format!("cannot use the study folder {unwritable}: ")), "{line}");
    assert!(hint.contains("--out"), "{hint}");
}

#[test]
fn errors_in_a_study_file_name_the_line() {
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("mine.toml");
    let refused = |text: &str| {
        fs::write(&file, text).unwrap();
        refusal(&[file.to_str().unwrap(), "--out", directory.path().join("out").to_str().unwrap()])
    };
    let head = "projects = ['.']\nalgorithms = ['random']\nseeds = 1\n";
    let (line, _) = refused(&format!("{head}[budget]\nexecutions = -5\n"));
    assert!(line.ends_with("mine.toml:5: budget.executions: -5 is negative"), "{line}");
    let (line, _) = refused(&format!("subject = 'python'\n{head}[budget]\nsteps = 5\n"));
    assert!(line.ends_with("mine.toml:1: subject: unknown subject kind `python`"), "{line}");
    let (line, _) = refused(&format!("{head}budget.steps = 5\nmutation.operators = ['XYZ']\n"));
    assert!(
        line.contains("mine.toml:5: mutation.operators: unknown mutation operator `XYZ`"),
        "{line}"
    );
    let (line, _) =
        refused("projects = [\n  'gone']\nalgorithms = ['mio']\nseeds = 1\nbudget.steps = 5\n");
    assert!(line.contains("mine.toml:1: projects: ") && line.contains("gone: "), "{line}");

    fs::write(directory.path().join("game.sb3"), packed(&small("x"))).unwrap();
    let (line, _) = refused(
        "projects = ['.']\nseeds = 1\n[budget]\nsteps = 5\n[[algorithms]]\nname = 'mosa'\n\
         parameters = { crossover = 7 }",
    );
    assert!(
        line.contains("mine.toml:7: algorithms.parameters.crossover: ") && line.contains("`mosa`"),
        "{line}"
    );
    assert!(line.contains("a number from 0 to 1"), "{line}");
}

#[test]
fn a_folder_belongs_to_one_study() {
    let directory = TempDir::new().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    fs::write(path("game.sb3"), packed(&small("x"))).unwrap();
    let (game, out) = (path("game.sb3"), path("out"));
    let study = ["--projects", &game, "--out", &out];
    let run = |more: &[&str]| catherd().arg("run").args(study).args(QUICK).args(more).output();
    assert_eq!(run(&[]).unwrap().status.code(), Some(0));
    // A study may be extended.
    let before = crate::support::digests(Path::new(&out));
    assert_eq!(run(&["--seeds", "3"]).unwrap().status.code(), Some(0));
    let after = crate::support::digests(Path::new(&out));
    assert_eq!(after.len(), 3 * before.len());
    assert!(before.iter().all(|(run, digest)| after.get(run) == Some(digest)));

    let (line, hint) = refusal(&[&study, &QUICK[..], &["--seeds", "7,"]].concat());
    let expected = "holds a study with other seeds: it has 1, 2, 3, this one 7";
    assert_eq!(line, format!("{out}: {expected}"));
    assert!(hint.contains("--out") && hint.contains("--fresh"), "{hint}");
    assert_eq!(run(&["--seeds", "2"]).unwrap().status.code(), Some(0));
    assert_eq!(crate::support::digests(Path::new(&out)).len(), 2);
}

#[test]
fn a_worker_that_cannot_start_gives_the_reason() {
    let directory = TempDir::new().unwrap();
    let spool = directory.path().join("spool");
    let run = |arguments: &[&str]| {
        let mut command = catherd();
        command.args(["worker", "--retry-timeout", "0", "--spool"]).arg(&spool).args(arguments);
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        stderr(&output)
    };
    let text = run(&["--connect", "127.0.0.1:1"]);
    assert!(text.starts_with("error: coordinator http://127.0.0.1:1: "), "{text}");
    let text = run(&["--connect", "no-such-host.invalid:7420"]);
    assert!(text.contains("no-such-host.invalid:7420: the name is not known"), "{text}");
    let text = run(&["--connect", "127.0.0.1:1", "--core", "1000000"]);
    assert!(text.starts_with("error: cannot pin to core 1000000: "), "{text}");
    let text = run(&["--connect", "127.0.0.1:1", "--log", "json"]);
    let line: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(line["level"], "ERROR");
    assert!(line["message"].as_str().unwrap().starts_with("error: coordinator"), "{text}");
}

#[test]
fn a_study_that_cannot_be_read_or_made_is_refused_at_once() {
    let folder = TempDir::new().unwrap();
    let start = std::time::Instant::now();
    let fifo = folder.path().join("fifo.toml");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    for file in [fifo.to_str().unwrap(), "/dev/zero"] {
        let (line, hint) = refusal(&[file]);
        assert!(line.contains(file) && line.contains("it is a pipe or a device"), "{line}\n{hint}");
    }
    let large = folder.path().join("large.toml");
    fs::File::create(&large).unwrap().set_len(17 << 20).unwrap();
    assert!(
        refusal(&[large.to_str().unwrap()]).0.contains("more than the maximum of 16777216 bytes")
    );
    let study = folder.path().join("study.toml");
    for (count, seeds, expected) in [
        ("1000000000", "1", "1000000000 projects are more than the maximum of 1000000"),
        ("9223372036854775807", "1", "are more than the maximum of 1000000"),
        ("1000000", "11", "runs: 11000000 are more than the maximum of 10000000"),
    ] {
        for kind in ["noop", "scratch", "sequences"] {
            let text = format!(
                "subject = '{kind}'\nprojects = {{ synthetic = {{ count = {count}, seed = 1 }} }}\n\
                 algorithms = ['random']\nseeds = {seeds}\n[budget]\nwall = '1s'\n"
            );
            fs::write(&study, text).unwrap();
            let (line, hint) = refusal(&[study.to_str().unwrap()]);
            assert!(line.contains("study.toml:2: ") && line.contains(expected), "{line}\n{hint}");
        }
    }
    assert!(start.elapsed() < std::time::Duration::from_secs(30), "{:?}", start.elapsed());
}
