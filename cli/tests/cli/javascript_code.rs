//! Tests suites that are written as code for JavaScript projects.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{ENVIRONMENT, catherd, program};

const LIST: &str = "exports.first = list => {
  if (list.length === 0) return 'none';
  return list[0];
};
";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("list.js"), LIST).unwrap();
    folder
}

fn run(folder: &tempfile::TempDir, arguments: &[&str]) -> String {
    let output = catherd().current_dir(folder.path()).args(arguments).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}\n{text}\n{error}");
    text
}

#[test]
#[ignore = "slow"]
fn an_exported_suite_is_the_one_that_generation_writes() {
    let folder = folder();
    let generate = ["generate", "list.js", "--executions", "300", "-q", "-o"];
    run(&folder, &[&generate[..], &["suite.json"]].concat());
    for style in ["node-test", "jest", "mocha"] {
        let flags = ["--no-confirmation", "--style", style];
        run(&folder, &[&generate[..], &["direct.test.js"], &flags].concat());
        run(&folder, &[&["export", "suite.json", "-o", "exported.test.js"], &flags[..]].concat());
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        let text = read("exported.test.js");
        assert_eq!(text, read("direct.test.js"));
        assert!(text.contains("first returns 'none'"), "{text}");
        let printed = run(&folder, &[&["export", "suite.json"], &flags[..]].concat());
        assert_eq!(printed, text);
    }
    let refused = |arguments: &[&str]| {
        let output = catherd().current_dir(folder.path()).args(arguments).output().unwrap();
        assert!(!output.status.success());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    fs::write(folder.path().join("list.js"), "exports.first = list => list[0];").unwrap();
    let error = refused(&["export", "suite.json"]);
    assert!(error.contains("its project is neither next to it"), "{error}");
    let error = refused(&["export", "suite.json", "--project", "list.js"]);
    assert!(error.contains("generated for another project"), "{error}");
    let error = refused(&["export", "list.js"]);
    assert!(error.contains("list.js: not JSON: "), "{error}");
    let mocha = ["--style", "mocha", "--snapshots"];
    let error = refused(&[&["export", "suite.json", "--any-project"], &mocha[..]].concat());
    assert!(error.contains("Mocha has no snapshots"), "{error}");
}

#[test]
fn files_that_are_not_suites_are_refused_with_a_cause() {
    let folder = folder();
    let generate = ["generate", "list.js", "--executions", "100", "-q", "-o", "suite.json"];
    run(&folder, &generate);
    let path = |name: &str| folder.path().join(name);
    let suite = fs::read_to_string(path("suite.json")).unwrap();
    fs::write(path("half.json"), &suite[..suite.len() / 2]).unwrap();
    fs::write(path("other.json"), r#"{"subject": "scratch", "tests": []}"#).unwrap();
    fs::write(path("list.json"), "[1, 2]").unwrap();
    fs::write(path("empty.json"), r#"{"subject": "javascript"}"#).unwrap();
    fs::write(path("bytes.json"), [0xff, 0xfe, 0x00]).unwrap();
    fs::create_dir(path("folder.json")).unwrap();
    let large = fs::File::create(path("large.json")).unwrap();
    large.set_len((256 << 20) + 1).unwrap();
    let mut cases = vec![
        ("half.json", "not JSON: EOF while parsing"),
        ("list.js", "not JSON: expected value at line 1 column 1"),
        ("other.json", "not a suite for a JavaScript project"),
        ("list.json", "not a suite for a JavaScript project"),
        ("empty.json", "empty.json: "),
        ("bytes.json", "valid UTF-8"),
        ("folder.json", "not a file"),
        ("missing.json", "No such file"),
        ("large.json", "larger than 256 MiB"),
    ];
    if cfg!(unix) {
        let made = Command::new("mkfifo").arg(path("pipe.json")).status().unwrap();
        assert!(made.success());
        cases.extend([("pipe.json", "not a file"), ("/dev/zero", "not a file")]);
    }
    for (name, cause) in cases {
        let mut command = catherd();
        command.current_dir(folder.path()).args(["export", name, "-o", "out.test.js"]);
        let output = command.output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{name}: {error}");
        assert!(error.contains(name) && error.contains(cause), "{name}: {error}");
        assert!(!path("out.test.js").exists(), "{name}");
    }
}

#[test]
fn a_summary_says_how_to_keep_tests_of_errors() {
    let folder = folder();
    let checks = (0..12).map(|n| format!("  if (n === {n}) throw new Error('bad {n}');\n"));
    let source = format!("exports.check = n => {{\n{}}};\n", checks.collect::<String>());
    fs::write(folder.path().join("list.js"), source).unwrap();
    let generate = ["generate", "list.js", "--executions", "2000", "--no-confirmation", "-o"];
    let said = run(&folder, &[&generate[..], &["list.test.js"]].concat());
    let line = said.lines().find(|line| line.contains("--all-errors")).unwrap_or_default();
    assert!(line.contains(" tests are not in the code: enough other tests show errors"), "{said}");
    let all = run(&folder, &[&generate[..], &["all.test.js", "--all-errors"]].concat());
    assert!(!all.contains("not in the code"), "{all}");
}

#[test]
fn large_values_are_compared_with_snapshots_if_asked_for() {
    let folder = folder();
    let source = "exports.table = () => Array.from({ length: 150 }, (_, n) => n * n);
        exports.nothing = () => { throw undefined; };";
    fs::write(folder.path().join("list.js"), source).unwrap();
    let generate = ["generate", "list.js", "--executions", "100", "-q", "--no-confirmation"];
    let jest = ["--style", "jest", "--snapshots", "-o", "list.test.js"];
    run(&folder, &[&generate[..], &jest].concat());
    let text = fs::read_to_string(folder.path().join("list.test.js")).unwrap();
    assert!(text.contains("expect(subject.table()).toMatchSnapshot();"), "{text}");
    // The thrown value says nothing about the call.
    assert!(!text.contains("nothing"), "{text}");
}

#[test]
fn a_watched_project_gets_new_tests_after_a_change() {
    let folder = folder();
    let code = folder.path().join("list.test.js");
    let mut child = Command::new(program())
        .envs(ENVIRONMENT)
        .current_dir(folder.path())
        .args(["generate", "list.js", "--executions", "300", "-q", "--no-confirmation", "--watch"])
        .args(["-o", "list.test.js"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let contains = |word: &str| {
        let end = Instant::now() + Duration::from_secs(120);
        while Instant::now() < end {
            if fs::read_to_string(&code).is_ok_and(|text| text.contains(word)) {
                return true;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        false
    };
    let before = contains("'none'");
    fs::write(folder.path().join("list.js"), LIST.replace("'none'", "'empty'")).unwrap();
    let after = before && contains("'empty'");
    // The process that generates detects that its parent, the killed process, has ended, and ends
    // as well.
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(after, "{:?}", fs::read_to_string(&code));
}

#[test]
#[ignore = "needs node"]
fn tests_that_fail_as_they_are_written_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    // The second function checks which file has loaded the module, and the third function does not
    // end in a test.
    let source = "exports.double = n => n * 2;
exports.where = n => (module.parent?.filename?.includes('.test.') ? n : n + 1);
exports.wait = n => { while (module.parent?.filename?.includes('.test.')); return n + 1; };
";
    fs::write(folder.path().join("number.js"), source).unwrap();
    for name in ["number.test.js", "number.test.mjs"] {
        for style in ["node-test", "mocha"] {
            let flags = ["--executions", "300", "--style", style, "-o", name];
            let made = run(&folder, &[&["generate", "number.js"], &flags[..]].concat());
            assert!(
                made.contains("2 tests are not in the code: the code fails in Node.js"),
                "{made}"
            );
            assert!(made.contains(" goals fewer than the suite."), "{made}");
            let code = fs::read_to_string(folder.path().join(name)).unwrap();
            assert!(code.contains("describe('double'") && !code.contains("where"), "{code}");
            assert!(
                code.contains("in random orders: 0 assertions changed, 2 tests left out."),
                "{code}"
            );
        }
        fs::remove_file(folder.path().join(name)).unwrap();
    }
}
