//! Tests `catherd generate`, `catherd test` and `catherd coverage` through the binary.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::support::{catherd, packed, small, stderr, with_blocks};
use serde_json::{Value, json};

fn run(folder: &Path, arguments: &[&str]) -> Output {
    catherd().current_dir(folder).args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn generated() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("game.sb3"), packed(&small("x"))).unwrap();
    let command = ["generate", "game.sb3", "--executions", "100", "-o", "suite.json", "--quiet"];
    let output = run(folder.path(), &command);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("game.sb3: 8 of 9 blocks covered (88.9 %)"));
    folder
}

fn suite(folder: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(folder.join("suite.json")).unwrap()).unwrap()
}

#[test]
fn a_generated_suite_passes_on_its_project_and_covers_its_goals() {
    let folder = generated();
    let tests = suite(folder.path())["tests"].as_array().unwrap().len();

    let tap = run(folder.path(), &["test", "game.sb3", "suite.json"]);
    assert_eq!(tap.status.code(), Some(0), "{}", stderr(&tap));
    let tap = stdout(&tap);
    assert!(tap.starts_with(&format!("TAP version 13\n1..{tests}\nok 1 - test 0\n")), "{tap}");
    assert!(tap.ends_with(&format!("# tests {tests}\n# pass {tests}\n# fail 0\n")), "{tap}");

    let coverage = run(folder.path(), &["coverage", "game.sb3", "suite.json"]);
    assert_eq!(coverage.status.code(), Some(0), "{}", stderr(&coverage));
    let coverage = stdout(&coverage);
    assert!(coverage.contains("Cat: 8 of 9 blocks"), "{coverage}");
    assert!(coverage.contains("    wait (2) seconds\n    say [hi]\n"), "{coverage}");
    assert!(coverage.contains("    if <(2) < (1)> then\n  -   hide\n    end\n"), "{coverage}");
    assert!(!coverage.contains("mouse down"), "{coverage}");

    let coverage = run(folder.path(), &["coverage", "game.sb3", "suite.json", "--json"]);
    let coverage: Value = serde_json::from_str(&stdout(&coverage)).unwrap();
    assert_eq!(coverage["covered"], 8);
    let uncovered = &coverage["sprites"][0]["scripts"][0]["uncovered"];
    assert_eq!(*uncovered, json!([{ "block": "hide", "text": "hide" }]));
    // Goals are named by their blocks, and the coverage lists the tests that cover each goal.
    let blocks = coverage["blocks"].as_array().unwrap();
    let hide = blocks.iter().find(|goal| goal["block"] == "hide").unwrap();
    assert_eq!((&hide["sprite"], &hide["tests"]), (&json!("Cat"), &json!([])));
    let covers = |test: &Value, goal: &Value| test["covers"].as_array().unwrap().contains(goal);
    for (goal, number) in blocks.iter().zip(0..) {
        assert_eq!(goal["goal"], number);
        let suite = suite(folder.path());
        let tests = suite["tests"].as_array().unwrap().iter().zip(0..);
        let covering: Vec<i32> =
            tests.filter(|(test, _)| covers(test, &goal["goal"])).map(|(_, n)| n).collect();
        assert_eq!(goal["tests"], json!(covering), "{goal}");
    }
}

#[test]
fn the_same_command_gives_the_same_suite_and_parameters_matter() {
    let folder = generated();
    let generate = |more: &[&str]| {
        let command = [&["generate", "game.sb3", "--executions", "100", "--quiet"][..], more];
        let output = run(folder.path(), &command.concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stdout(&output)
    };
    assert_eq!(generate(&[]), fs::read_to_string(folder.path().join("suite.json")).unwrap());
    let bare = generate(&["--algorithm", "mosa", "--parameter", "population=4", "--no-assertions"]);
    let bare: Value = serde_json::from_str(&bare).unwrap();
    assert_eq!(bare["algorithm"], "mosa");
    assert!(bare["tests"].as_array().unwrap().iter().all(|test| test["assertions"] == json!([])));
    let report = generate(&["-o", "suite.js", "--json"]);
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!((&report["goals"], &report["covered"]), (&json!(9), &json!(8)));
    let javascript = fs::read_to_string(folder.path().join("suite.js")).unwrap();
    assert!(javascript.contains("t.keyPress(\"x\", ") && javascript.contains("module.exports = ["));
}

#[test]
fn a_failing_test_reports_the_expected_and_the_actual_value() {
    let folder = generated();
    // The project of the suite says `hi`; this project says `ho`.
    let other = small("x").replace("\"hi\"", "\"ho\"");
    fs::write(folder.path().join("other.sb3"), packed(&other)).unwrap();
    let refused = run(folder.path(), &["test", "other.sb3", "suite.json"]);
    assert_eq!(refused.status.code(), Some(1));
    let text = stderr(&refused);
    assert!(text.contains("suite.json: the suite was made for project "), "{text}");
    assert!(text.contains("--any-project"), "{text}");

    // Every format compares the digest.
    let formatted =
        |project| run(folder.path(), &["test", project, "suite.json", "--format", "junit"]);
    assert_eq!(stderr(&formatted("other.sb3")), text);
    let own = formatted("game.sb3");
    assert_eq!(own.status.code(), Some(0), "{}", stderr(&own));
    assert!(stdout(&own).contains("failures=\"0\""), "{}", stdout(&own));

    let failing = run(folder.path(), &["test", "other.sb3", "suite.json", "--any-project"]);
    assert_eq!(failing.status.code(), Some(2), "{}", stderr(&failing));
    let tap = stdout(&failing);
    assert!(tap.contains("expected `Cat`: bubble \\\"hi\\\""), "{tap}");
    assert!(tap.contains("  got: \"\\\"ho\\\"\"\n"), "{tap}");
    let arguments = ["test", "other.sb3", "suite.json", "--any-project", "--json"];
    let report: Value = serde_json::from_str(&stdout(&run(folder.path(), &arguments))).unwrap();
    assert!(report["failed"].as_u64().unwrap() >= 1);
}

#[test]
fn suites_that_cannot_be_used_are_refused_with_the_reason() {
    let folder = generated();
    let good = fs::read_to_string(folder.path().join("suite.json")).unwrap();
    for (bad, reason) in [
        (good.replace("\"format\": 2", "\"format\": 99"), "has format 99, but this release reads"),
        (good.replace("KeyPress", "Telepathy"), "unknown variant `Telepathy`"),
        (good[..good.find("\"tests\"").unwrap()].to_owned(), "not a test suite: EOF"),
        (String::new(), "not a test suite: EOF"),
        (good.replace("\"key\":\"x\"", "\"key\":7"), "not a test suite: invalid type"),
        (good.replace("\"key\":\"x\"", "\"kee\":\"x\""), "unknown field `kee`"),
        (good.replace("\"warp_budget\":", "\"warp_budget\":9"), "`warp_budget` is 91000000"),
    ] {
        fs::write(folder.path().join("bad.json"), bad).unwrap();
        for command in ["test", "coverage"] {
            let output = run(folder.path(), &[command, "game.sb3", "bad.json"]);
            let text = stderr(&output);
            assert_eq!(output.status.code(), Some(1), "{text}");
            assert!(text.contains("bad.json: ") && text.contains(reason), "{reason}: {text}");
            assert!(text.contains("hint: "), "{text}");
        }
    }
    let mut endless = suite(folder.path());
    endless["tests"][0]["events"] = json!([{ "event": "Wait", "steps": 1_000_000_000 }]);
    endless["tests"][0]["assertions"] = json!([]);
    fs::write(folder.path().join("bad.json"), endless.to_string()).unwrap();
    let coverage = run(folder.path(), &["coverage", "game.sb3", "bad.json"]);
    assert_eq!(coverage.status.code(), Some(1));
    let reason = "test 0 has 1000000001 steps; the maximum is 100000";
    assert!(stderr(&coverage).contains(reason), "{}", stderr(&coverage));
    let tap = run(folder.path(), &["test", "game.sb3", "bad.json"]);
    assert_eq!(tap.status.code(), Some(2));
    assert!(stdout(&tap).contains("longer than --steps allows"), "{}", stdout(&tap));
    let missing = run(folder.path(), &["test", "game.sb3", "none.json"]);
    assert!(stderr(&missing).contains("none.json: "), "{}", stderr(&missing));
}

#[test]
fn a_project_with_nothing_to_cover_has_an_outcome() {
    let folder = tempfile::tempdir().unwrap();
    let loose = json!({ "loose": {
        "opcode": "looks_show", "parent": null, "next": null, "inputs": {}, "fields": {},
        "shadow": false, "topLevel": true,
    } });
    for blocks in [json!({}), loose] {
        fs::write(folder.path().join("empty.sb3"), packed(&with_blocks(&blocks, &json!([]))))
            .unwrap();
        let output = run(folder.path(), &["generate", "empty.sb3", "-o", "suite.json", "-q"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(stdout(&output).contains("nothing to cover"), "{}", stdout(&output));
        let tap = run(folder.path(), &["test", "empty.sb3", "suite.json"]);
        assert_eq!(tap.status.code(), Some(0));
        assert!(stdout(&tap).starts_with("TAP version 13\n1..0\n"));
        let coverage = run(folder.path(), &["coverage", "empty.sb3", "suite.json"]);
        assert!(stdout(&coverage).contains("nothing to cover"), "{}", stdout(&coverage));
    }
}

#[test]
fn errors_of_bad_requests_state_what_is_allowed() {
    let folder = generated();
    for (arguments, reason) in [
        (&["--algorithm", "psychic"][..], "unknown algorithm `psychic`"),
        (&["--parameter", "flair=3"], "flair"),
        (&["--parameter", "population=many"], "population"),
        (&["--executions", "0"], "0 is too small"),
        (&["--wall", "soon"], "--wall"),
        (&["--json"], "--out"),
    ] {
        let command = [&["generate", "game.sb3"][..], arguments].concat();
        let output = run(folder.path(), &command);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(stderr(&output).contains(reason), "{reason}: {}", stderr(&output));
    }
}

/// A suite in JavaScript for the project of [`generated`].
const TESTS: &str = "
const says = async function (t) {
    await t.runForSteps(90);
    t.assert.equal(t.getSprite('Cat').name, 'Cat');
};
module.exports = [
    { name: 'says', test: says, categories: ['quick'] },
    { name: 'wrong', test: async t => { t.assert.notEqual(1, 2) } },
    { name: 'missing', test: async t => { t.assert.ok(t.getSprite('Boat').visible) } },
    { name: 'later', skip: true },
];
";

#[test]
fn a_suite_in_javascript_reports_in_tap_or_json() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("game.sb3"), packed(&small("x"))).unwrap();
    fs::write(folder.path().join("tests.js"), TESTS).unwrap();

    let tap = run(folder.path(), &["test", "game.sb3", "tests.js"]);
    assert_eq!(tap.status.code(), Some(2), "{}", stderr(&tap));
    let text = stdout(&tap);
    assert!(text.starts_with("TAP version 13\n1..4\nok 1 - says\nnot ok 2 - wrong\n"), "{text}");
    assert!(
        text.contains("`t.assert.notEqual` does not exist; write `t.assert.not(a == b)`"),
        "{text}"
    );
    assert!(text.contains("no sprite is named `Boat`; sprites: Cat"), "{text}");
    assert!(text.ends_with("# tests 4\n# pass 1\n# fail 0\n# error 2\n# skip 1\n"), "{text}");

    let one = run(
        folder.path(),
        &["test", "game.sb3", "tests.js", "--test", "says", "--json", "--coverage"],
    );
    assert_eq!(one.status.code(), Some(0), "{}", stderr(&one));
    let report: Value = serde_json::from_str(&stdout(&one)).unwrap();
    assert_eq!((&report["pass"], &report["tests"][0]["status"]), (&json!(1), &json!("pass")));
    assert!(report["coverage"]["covered"].as_u64() > Some(0), "{report}");
    // The seed may be any string. This suite does not depend on the seed.
    let again = run(folder.path(), &["test", "game.sb3", "tests.js", "--seed", "any text"]);
    assert_eq!(stdout(&again), text);
}

#[test]
fn a_suite_in_javascript_on_a_folder_of_projects_gives_a_table() {
    let folder = tempfile::tempdir().unwrap();
    let class = folder.path().join("class");
    fs::create_dir(&class).unwrap();
    for name in ["b.sb3", "a.sb3"] {
        fs::write(class.join(name), packed(&small(name))).unwrap();
    }
    fs::write(class.join("c.sb3"), "no archive").unwrap();
    fs::write(folder.path().join("tests.js"), TESTS).unwrap();
    let output = run(folder.path(), &["test", "class", "tests.js"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    let text = stdout(&output);
    let mut table = csv::Reader::from_reader(text.as_bytes());
    let header: Vec<_> = table.headers().unwrap().iter().map(str::to_owned).collect();
    let tests = ["project", "digest", "status", "says", "wrong", "missing", "later", "passed"];
    assert_eq!(header[..8], tests);
    let rows: Vec<csv::StringRecord> = table.records().map(Result::unwrap).collect();
    let projects: Vec<_> = rows.iter().map(|row| row[0].replace('\\', "/")).collect();
    assert_eq!(projects, ["class/a.sb3", "class/b.sb3", "class/c.sb3"]);
    for row in &rows[..2] {
        assert_eq!(
            row.iter().skip(2).take(8).collect::<Vec<_>>().join(" "),
            "executed pass error error skip 1 0 2"
        );
    }
    assert!(rows[2][2].contains("c.sb3") && rows[2][3].is_empty(), "{text}");
    let empty = run(folder.path(), &["test", ".", "tests.js"]);
    assert_eq!(empty.status.code(), Some(1), "{}", stderr(&empty));
}

#[test]
fn errors_of_javascript_suites_that_cannot_be_executed_give_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("game.sb3"), packed(&small("x"))).unwrap();
    for (text, error) in [
        ("module.exports = [;", "tests.js: SyntaxError: "),
        ("module.exports = 5", "module.exports is not an array of tests"),
        ("let x = 1;", "tests.js: neither a Whisker suite"),
        ("module.exports = [require('fs')]", "Cannot find module `fs`"),
        ("for (;;) {} module.exports = []", "the script does not stop computing"),
    ] {
        fs::write(folder.path().join("tests.js"), text).unwrap();
        let output = run(folder.path(), &["test", "game.sb3", "tests.js"]);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(stderr(&output).contains(error), "{text}: {}", stderr(&output));
        assert!(stderr(&output).contains("hint: "), "{text}: {}", stderr(&output));
    }
    fs::write(folder.path().join("tests.js"), TESTS).unwrap();
    let coverage = run(folder.path(), &["coverage", "game.sb3", "tests.js"]);
    assert_eq!(coverage.status.code(), Some(1));
    assert!(stderr(&coverage).contains("execute it with catherd test"), "{}", stderr(&coverage));
}

#[test]
fn a_suite_with_a_policy_is_executed_and_measured_under_other_seeds() {
    let folder = generated();
    let mut suite = suite(folder.path());
    assert_eq!(suite["format"], 2);
    suite["format"] = json!(3);
    suite["tests"][0]["policy"] = json!({ "most": 30, "rules": [
        { "press": { "event": "ClickSprite", "sprite": "Cat" }, "every": 5 } ] });
    fs::write(folder.path().join("suite.json"), suite.to_string()).unwrap();
    let test = run(folder.path(), &["test", "game.sb3", "suite.json", "--json"]);
    assert_eq!(test.status.code(), Some(0), "{}", stderr(&test));
    let report: Value = serde_json::from_str(&stdout(&test)).unwrap();
    assert!(report["tests"][0]["steps"].as_u64().unwrap() >= 30, "{report}");

    let command = ["coverage", "game.sb3", "suite.json", "--seeds", "4"];
    let text = stdout(&run(folder.path(), &command));
    assert!(text.contains("under 4 other seeds:\nseeded"), "{text}");
    let json = run(folder.path(), &[&command[..], &["--json"]].concat());
    let report: Value = serde_json::from_str(&stdout(&json)).unwrap();
    let reliability = &report["reliability"];
    assert_eq!(reliability["seeds"], 4);
    assert_eq!(reliability["seeded"], report["covered"]);
    assert_eq!(reliability["best"].as_array().unwrap().len(), 9);

    suite["tests"][0]["policy"]["rules"][0]["press"]["sprite"] = json!("Dog");
    fs::write(folder.path().join("suite.json"), suite.to_string()).unwrap();
    let refused = run(folder.path(), &["test", "game.sb3", "suite.json"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("the project has no sprite `Dog`"), "{}", stderr(&refused));
}

#[test]
fn a_suite_with_a_network_is_executed() {
    let folder = generated();
    let mut suite = suite(folder.path());
    suite["format"] = json!(5);
    let network = json!({ "press": 10, "wait": 50, "hidden": 0,
        "inputs": [{ "see": "x", "sprite": "Cat" }],
        "outputs": [{ "send": { "key": "x" } }, { "send": "wait" }],
        "links": [[0, 2, 1.0]] });
    suite["tests"] = json!([{ "covers": [], "codons": 0, "events": [],
        "policy": { "most": 30, "rules": [], "network": network } }]);
    let file = folder.path().join("suite.json");
    let covered = |suite: &Value| {
        fs::write(&file, suite.to_string()).unwrap();
        let json = run(folder.path(), &["coverage", "game.sb3", "suite.json", "--json"]);
        let report: Value = serde_json::from_str(&stdout(&json)).unwrap();
        report["covered"].as_u64().unwrap()
    };
    let pressing = covered(&suite);
    for command in ["test", "mutate"] {
        let output = run(folder.path(), &[command, "game.sb3", "suite.json"]);
        assert_eq!(output.status.code(), Some(0), "{command}: {}", stderr(&output));
    }
    suite["tests"][0]["policy"]["network"]["links"][0][2] = json!(-1.0);
    assert!(covered(&suite) < pressing, "the network waits");
    suite["tests"][0]["policy"]["network"]["links"][0][1] = json!(9);
    fs::write(&file, suite.to_string()).unwrap();
    let refused = run(folder.path(), &["test", "game.sb3", "suite.json"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("the network has 6 nodes"), "{}", stderr(&refused));
}

#[test]
#[ignore = "slow"]
fn a_test_is_shown_as_an_animation() {
    let folder = generated();
    let play = |arguments: &[&str]| {
        let command = [&["play", "game.sb3", "suite.json"], arguments].concat();
        run(folder.path(), &command)
    };
    let output = play(&["-o", "test.gif", "--test", "1", "--every", "1"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let shown = fs::read(folder.path().join("test.gif")).unwrap();
    // Width and height follow the version, and the file ends with a semicolon.
    assert!(shown.starts_with(b"GIF89a\xe0\x01\x68\x01"), "{:?}", &shown[..10]);
    assert!(shown.ends_with(b";"));
    play(&["-o", "again.gif", "--test", "1", "--every", "1"]);
    assert!(shown == fs::read(folder.path().join("again.gif")).unwrap());

    let refused = play(&["-o", "test.png"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("name a file *.gif"), "{}", stderr(&refused));
    let refused = play(&["-o", "none.gif", "--test", "99"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("suite.json: no test 99"), "{}", stderr(&refused));
    let refused = play(&["-o", "none.gif", "--steps", "1"]);
    assert!(stderr(&refused).contains("allow more with --steps"), "{}", stderr(&refused));
    assert!(!folder.path().join("none.gif").exists());
}
