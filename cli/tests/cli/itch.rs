//! Tests `catherd test` with plans for Itch.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::support::{catherd, packed, small, stderr};
use serde_json::Value;

fn run(folder: &Path, arguments: &[&str]) -> Output {
    catherd().current_dir(folder).args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Creates a folder with a project, a plan that the project passes, a plan that the project fails,
/// and a plan with an error.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    write("game.sb3", &packed(&small("x")));
    let right = "function beforeExecution(e) { Itch.checkPredefinedBlocks({}, e); }
        function duringExecution(e) { e.scheduler.greenFlag(false).wait(3000).end(); }
        function afterExecution(e) {
            e.group.test('said').expect(e.log.events.find(x => x.type === 'say').data.text).toBe('hi');
        }";
    write("right.js", right.as_bytes());
    let wrong = "function beforeExecution(e) {
            e.group.group('g', () => e.group.test('hidden').acceptIf(false));
        }";
    write("wrong.js", wrong.as_bytes());
    write("broken.js", b"function beforeExecution(e) {\n  e.group.tests('x');\n}");
    folder
}

#[test]
fn a_plan_judges_a_submission_in_both_formats() {
    let folder = folder();
    let partial = run(folder.path(), &["test", "game.sb3", "right.js"]);
    assert_eq!(partial.status.code(), Some(0), "{}{}", stdout(&partial), stderr(&partial));
    let text = stdout(&partial);
    let first = r#"{"command":"start-judgement","version":2}"#;
    assert!(text.starts_with(first), "{text}");
    assert!(text.ends_with("{\"command\":\"close-judgement\"}\n"), "{text}");
    assert_eq!(stdout(&run(folder.path(), &["test", "game.sb3", "right.js"])), text);

    let full = run(folder.path(), &["test", "game.sb3", "wrong.js", "--json"]);
    assert_eq!(full.status.code(), Some(2), "{}", stderr(&full));
    let full: Value = serde_json::from_str(&stdout(&full)).unwrap();
    assert_eq!(full["meta"]["correctTests"], 0);
    assert_eq!(full["children"][0]["children"][0]["name"], "hidden");

    let only = run(folder.path(), &["test", "game.sb3", "right.js", "--static"]);
    assert_eq!(only.status.code(), Some(0), "{}", stderr(&only));
    assert!(!stdout(&only).contains("said") && stdout(&only).contains("append-message"));
}

#[test]
fn errors_of_plans_state_their_line() {
    let folder = folder();
    let broken = run(folder.path(), &["test", "game.sb3", "broken.js"]);
    assert_eq!(broken.status.code(), Some(1));
    assert!(stderr(&broken).contains("on line 2"), "{}", stderr(&broken));
    assert!(stdout(&broken).contains("testplan error"), "{}", stdout(&broken));
}

#[test]
fn a_folder_of_submissions_gives_a_table() {
    let folder = folder();
    let class = folder.path().join("class");
    fs::create_dir(&class).unwrap();
    fs::write(class.join("a.sb3"), packed(&small("x"))).unwrap();
    fs::write(class.join("b.sb3"), b"no project").unwrap();
    let table = run(folder.path(), &["test", "class", "right.js", "--template", "game.sb3"]);
    assert_eq!(table.status.code(), Some(2), "{}", stderr(&table));
    let text = stdout(&table);
    let rows: Vec<&str> = text.lines().collect();
    assert_eq!(rows.len(), 3, "{text}");
    assert!(rows[0].contains("said") && rows[1].contains("a.sb3"), "{text}");
    assert!(rows[2].contains("b.sb3"), "{text}");
}

#[test]
fn judgements_are_written_in_the_given_format_to_the_given_file() {
    let folder = folder();
    let junit = ["test", "game.sb3", "wrong.js", "--format", "junit", "-o", "report.xml"];
    let written = run(folder.path(), &junit);
    assert_eq!(written.status.code(), Some(2), "{}", stderr(&written));
    assert_eq!(stdout(&written), "");
    let text = fs::read_to_string(folder.path().join("report.xml")).unwrap();
    assert!(text.contains("<testsuite ") && text.contains("hidden"), "{text}");

    let own = run(folder.path(), &["test", "game.sb3", "right.js", "-o", "judgement"]);
    assert_eq!(own.status.code(), Some(0), "{}", stderr(&own));
    let text = fs::read_to_string(folder.path().join("judgement")).unwrap();
    assert_eq!(text, stdout(&run(folder.path(), &["test", "game.sb3", "right.js"])));

    let class = folder.path().join("class");
    fs::create_dir(&class).unwrap();
    fs::write(class.join("a.sb3"), packed(&small("x"))).unwrap();
    let table = ["test", "class", "right.js", "--template", "game.sb3", "-o", "table.csv"];
    assert_eq!(run(folder.path(), &table).status.code(), Some(0));
    let first = fs::read_to_string(folder.path().join("table.csv")).unwrap();
    assert!(first.contains("said"), "{first}");
    fs::write(class.join("b.sb3"), packed(&small("y"))).unwrap();
    let resumed = run(folder.path(), &[&table[..], &["--resume"]].concat());
    assert!(resumed.status.code().is_some_and(|code| code != 1), "{}", stderr(&resumed));
    let text = fs::read_to_string(folder.path().join("table.csv")).unwrap();
    assert!(text.starts_with(&first) && text.contains("b.sb3"), "{text}");
}

#[test]
fn a_judgement_by_a_plan_is_written_for_a_platform() {
    let folder = folder();
    fs::create_dir(folder.path().join("exercise")).unwrap();
    let plan = "function beforeExecution(e) { Itch.checkPredefinedBlocks({}, e); }";
    fs::write(folder.path().join("exercise/plan.js"), plan).unwrap();
    let changed = packed(&small("x").replace("\"hi\"", "\"ho\""));
    fs::write(folder.path().join("changed.sb3"), changed).unwrap();
    let judge = |source: &str, language: &str| {
        let configuration = serde_json::json!({ "resources": "exercise", "source": source,
            "memory_limit": 100_000_000, "natural_language": language });
        let mut command = catherd();
        let command = command.current_dir(folder.path()).arg("judge");
        let output = command.write_stdin(configuration.to_string()).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stdout(&output)
    };
    // Without a template, a submission is compared with itself.
    assert!(!judge("changed.sb3", "en").contains("\"enum\":\"wrong\""));
    fs::copy(folder.path().join("game.sb3"), folder.path().join("exercise/template.sb3")).unwrap();
    let wrong = judge("changed.sb3", "en");
    assert!(wrong.contains("\"enum\":\"wrong\"") && wrong.contains("close-judgement"), "{wrong}");
    assert_ne!(judge("changed.sb3", "nl"), wrong);
    assert!(!judge("game.sb3", "en").contains("\"enum\":\"wrong\""));
}
