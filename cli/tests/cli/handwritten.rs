//! Tests handwritten suites in JavaScript through the binary.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::support::{catherd, packed, small, stderr};
use serde_json::{Value, json};
use tempfile::TempDir;

const SUITE: &str = "
const says = async t => { await t.runForTime(3000); t.assert.equal(t.getSprite('Cat').sayText, 'hi'); };
module.exports = [
    {test: says, name: 'the cat says \"hi\", <twice>'},
    {test: async t => t.log('a line'), name: 'logs'},
    {test: async t => t.assume.ok(false, 'not today'), name: 'skips'},
];
";

/// Creates a folder with a suite and the three submissions of a class, of which one is wrong and
/// one is not a project.
fn class() -> TempDir {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    };
    write("class/ada.sb3", &packed(&small("x")));
    write("class/bob.sb3", b"no zip");
    write("class/eve.sb3", &packed(&small("x").replace("\"hi\"", "\"ho\"")));
    write("tests.js", SUITE.as_bytes());
    folder
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    catherd().current_dir(folder).args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn test(folder: &TempDir, code: i32, arguments: &[&str]) -> String {
    let output = run(folder.path(), &[&["test"], arguments].concat());
    assert_eq!(output.status.code(), Some(code), "{}{}", stdout(&output), stderr(&output));
    stdout(&output)
}

#[test]
fn the_table_of_a_class_is_the_same_with_any_number_of_threads_and_after_a_stop() {
    let folder = class();
    let table = test(&folder, 2, &["class", "tests.js", "-j", "1"]);
    let rows: Vec<csv::StringRecord> =
        csv::Reader::from_reader(table.as_bytes()).records().map(Result::unwrap).collect();
    let column = |at: usize| rows.iter().map(|row| row[at].to_owned()).collect::<Vec<_>>();
    assert_eq!(column(3), ["pass", "", "fail"]);
    assert!(rows[1][2].contains("bob.sb3"), "{table}");
    assert_eq!(test(&folder, 2, &["class", "tests.js", "-j", "8"]), table);
    let list = rows.iter().map(|row| format!("{}\n", &row[0])).collect::<String>();
    let listed = catherd()
        .current_dir(folder.path())
        .args(["test", "-", "tests.js"])
        .write_stdin(list)
        .output()
        .unwrap();
    assert_eq!(stdout(&listed), table);

    // A command that was stopped may leave a part of the table, with an incomplete last row.
    let file = folder.path().join("table.csv");
    let resume = ["class", "tests.js", "-o", "table.csv", "--resume"];
    for kept in [0, 30, table.find("ada").unwrap() + 200, table.len()] {
        fs::write(&file, &table[..kept.min(table.len())]).unwrap();
        assert_eq!(test(&folder, 2, &resume), "");
        assert_eq!(fs::read_to_string(&file).unwrap(), table, "{kept}");
    }
    // The last character may be incomplete as well.
    fs::write(&file, [table.as_bytes(), &"é".as_bytes()[..1]].concat()).unwrap();
    test(&folder, 2, &resume);
    assert_eq!(fs::read_to_string(&file).unwrap(), table);
    // If the suite has changed, the rows are made again.
    fs::write(folder.path().join("tests.js"), SUITE.replace("'hi'", "'ho'")).unwrap();
    test(&folder, 2, &resume);
    assert_ne!(fs::read_to_string(&file).unwrap(), table);
    fs::write(&file, "a,b\n1,2\n").unwrap();
    assert!(test(&folder, 1, &resume).is_empty());
    assert_eq!(fs::read_to_string(&file).unwrap(), "a,b\n1,2\n");
}

#[test]
fn a_resumed_table_says_that_the_only_project_has_failed() {
    let folder = class();
    let one = ["class/eve.sb3", "tests.js", "--format", "table", "-o", "one.csv"];
    test(&folder, 2, &one);
    test(&folder, 2, &[&one[..], &["--resume"]].concat());
    let none = catherd().current_dir(folder.path()).args(["test", "-", "tests.js"]).output();
    assert_eq!(none.unwrap().status.code(), Some(1));
}

#[test]
fn every_format_contains_the_same_results() {
    let folder = class();
    let one = ["class/eve.sb3", "tests.js"];
    let of = |format: &str| test(&folder, 2, &[&one[..], &["--format", format]].concat());
    let tap = of("tap");
    assert_eq!(tap, test(&folder, 2, &one));
    assert!(tap.contains("\nnot ok 1 - the cat says \"hi\", <twice>\n"), "{tap}");
    assert!(tap.contains("\nok 3 - skips # SKIP not today\n"), "{tap}");

    let lines: Vec<Value> =
        of("ndjson").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let statuses: Vec<_> = lines[1..4].iter().map(|line| line["status"].clone()).collect();
    assert_eq!(statuses, ["fail", "pass", "skip"]);
    assert_eq!((&lines[1]["actual"], &lines[1]["expected"]), (&json!("ho"), &json!("hi")));
    assert_eq!(lines[2]["log"], json!(["a line"]));
    let json: Value = serde_json::from_str(&of("json")).unwrap();
    assert_eq!((&json["fail"], &json["digest"]), (&json!(1), &lines[4]["digest"]));

    let junit = of("junit");
    assert!(junit.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>"));
    assert!(junit.contains("name=\"the cat says &quot;hi&quot;, &lt;twice&gt;\""), "{junit}");
    assert!(junit.contains("tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\""), "{junit}");
    let class = test(&folder, 2, &["class", "tests.js", "--format", "junit"]);
    assert_eq!(class.matches("<testsuite ").count(), 3, "{class}");

    let dodona = of("dodona");
    let commands: Vec<Value> =
        dodona.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ends = commands.iter().filter(|command| command["command"] == "close-test");
    let enums: Vec<_> = ends.map(|end| end["status"]["enum"].clone()).collect();
    assert_eq!(enums, ["wrong", "correct", "correct"]);
    assert_eq!(test(&folder, 0, &[&one[..], &["--exit-zero"]].concat()), tap);
    let whisker = of("whisker-csv");
    let mut lines = whisker.lines();
    let columns = "the cat says \"hi\", <twice>,logs,skips,passed,failed,error,skip";
    assert!(lines.next().unwrap().contains(columns), "{whisker}");
    let row = lines.next().unwrap();
    assert!(row.starts_with("eve.sb3,0,1,None,fail,pass,skip,1,1,0,1,"), "{whisker}");
    assert!(row.ends_with(",3.000"), "{whisker}");
    for format in ["json", "dodona"] {
        test(&folder, 1, &["class", "tests.js", "--format", format]);
    }
}

#[test]
fn results_are_the_same_at_every_acceleration() {
    let folder = class();
    let digest = |acceleration: &str| {
        let arguments = ["class/ada.sb3", "tests.js", "--format", "json", "--acceleration"];
        let text = test(&folder, 0, &[&arguments[..], &[acceleration]].concat());
        serde_json::from_str::<Value>(&text).unwrap()["tests"].clone()
    };
    assert_eq!(digest("1"), digest("10"));
    assert_eq!(digest("1"), digest("100"));
}

#[test]
fn a_suite_is_checked_with_solution_and_template() {
    let folder = class();
    let check = |solution: &str, template: &str, code: i32| {
        let arguments = [solution, "tests.js", "--template", template, "--expect", "exercise"];
        test(&folder, code, &arguments)
    };
    assert!(
        check("class/ada.sb3", "class/eve.sb3", 0).ends_with("ok 2 - the template is rejected\n")
    );
    let both = check("class/ada.sb3", "class/ada.sb3", 2);
    assert!(both.ends_with("\nnot ok 2 - the template is rejected\n"), "{both}");
    let wrong = check("class/eve.sb3", "class/eve.sb3", 2);
    assert!(
        wrong.contains("not ok 1 - the solution is accepted\n# not passed: the cat"),
        "{wrong}"
    );
    let arguments = ["class/ada.sb3", "tests.js", "--template", "class/eve.sb3"];
    let into = |more: &[&str], code: i32| {
        test(&folder, code, &[&arguments[..], &["--expect", "exercise"], more].concat())
    };
    assert_eq!(into(&["-o", "report.tap"], 0), "");
    let report = fs::read_to_string(folder.path().join("report.tap")).unwrap();
    assert!(report.ends_with("ok 2 - the template is rejected\n"), "{report}");
    assert_eq!(into(&["--json"], 1), "");
}

#[test]
fn a_suite_that_cannot_be_loaded_is_reported_once() {
    let folder = class();
    fs::write(folder.path().join("tests.js"), "module.exports = [\n;").unwrap();
    let output = run(folder.path(), &["test", "class", "tests.js"]);
    assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(1), ""));
    let text = stderr(&output);
    assert!(text.contains("tests.js: SyntaxError") && text.contains("line 2"), "{text}");
}

#[test]
fn the_kind_of_a_suite_can_be_given() {
    let folder = class();
    let hidden = SUITE.replace("module.exports", "module['exports']");
    fs::write(folder.path().join("hidden.js"), hidden).unwrap();
    let refused = run(folder.path(), &["test", "class/ada.sb3", "hidden.js"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("choose --kind"), "{}", stderr(&refused));
    let said = test(&folder, 0, &["class/ada.sb3", "hidden.js", "--kind", "whisker"]);
    assert_eq!(said, test(&folder, 0, &["class/ada.sb3", "tests.js"]));
    let plan = "globalThis.beforeExecution = () => {};";
    fs::write(folder.path().join("plan.js"), plan).unwrap();
    let judged = test(&folder, 0, &["class/ada.sb3", "plan.js", "--kind", "itch"]);
    assert!(judged.contains("start-judgement"), "{judged}");
    fs::write(folder.path().join("suite.json"), "{}").unwrap();
    let refused = run(folder.path(), &["test", "class/ada.sb3", "suite.json", "--kind", "itch"]);
    assert!(stderr(&refused).contains("suite.json: --kind is for suites in JavaScript"));
}

#[test]
fn a_judgement_is_written_for_a_platform() {
    let folder = class();
    fs::create_dir(folder.path().join("exercise")).unwrap();
    fs::write(folder.path().join("exercise/suite.js"), SUITE).unwrap();
    let judge = |input: &str| {
        let mut command = catherd();
        let output =
            command.current_dir(folder.path()).arg("judge").write_stdin(input).output().unwrap();
        (output.status.code(), stdout(&output), stderr(&output))
    };
    let configuration = |source: &str| {
        json!({ "resources": "exercise", "source": source, "time_limit": 10,
            "memory_limit": 100_000_000, "natural_language": "nl" })
        .to_string()
    };
    let (code, text, _) = judge(&configuration("class/eve.sb3"));
    assert_eq!(code, Some(0));
    assert!(text.contains("\"enum\":\"wrong\""), "{text}");
    let (code, text, _) = judge(&configuration("class/bob.sb3"));
    assert_eq!(code, Some(0));
    assert!(text.contains("compilation error"), "{text}");
    for input in ["", "{}", "[1]", "{\"resources\": \"class\", \"source\": \"class/ada.sb3\"}"] {
        let (code, text, error) = judge(input);
        assert_eq!((code, text.as_str()), (Some(1), ""), "{error}");
        assert!(error.contains("hint: "), "{error}");
    }
}

#[test]
fn mutants_are_killed_by_suites_in_javascript() {
    let folder = class();
    let output = run(folder.path(), &["mutate", "class/ada.sb3", "tests.js", "--json", "--quiet"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let killed: Vec<Value> = lines.filter(|line| line["outcome"] == "killed").collect();
    assert!(!killed.is_empty(), "{text}");
    assert!(killed.iter().all(|line| line["killers"][0]["test"] == 0), "{text}");
    let message = killed[0]["killers"][0]["message"].as_str().unwrap();
    assert!(message.contains("hi"), "{message}");
}

/// The study `experiments/manual-suites.toml` with fewer seeds, executions and mutants.
#[test]
fn the_study_of_manual_suites_has_both_kinds_in_one_table() {
    let folder = TempDir::new().unwrap();
    let experiments = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../experiments");
    let mut text = fs::read_to_string(experiments.join("manual-suites.toml")).unwrap();
    for (from, to) in [
        ("\"../datasets", &*format!("\"{}/../datasets", experiments.display())),
        ("\"manual-suites\",\n]", &*format!("\"{}/manual-suites\",\n]", experiments.display())),
        ("seeds = 5", "seeds = 1"),
        ("mutation = true", "mutation = { sample = 40 }"),
        ("executions = 300", "executions = 20"),
    ] {
        assert!(text.contains(from), "{from}: {text}");
        text = text.replace(from, to);
    }
    fs::write(folder.path().join("study.toml"), text).unwrap();
    let output = run(folder.path(), &["run", "study.toml", "--out", "out", "--quiet"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let table = |name: &str, columns: [&str; 2]| {
        let mut table = csv::Reader::from_path(folder.path().join("out").join(name)).unwrap();
        let headers = table.headers().unwrap().clone();
        let at = columns.map(|name| headers.iter().position(|header| header == name).unwrap());
        let rows = table.records().map(Result::unwrap);
        rows.map(|row| at.map(|at| row[at].to_owned())).collect::<Vec<_>>()
    };
    let (runs, mutants) =
        (table("runs.csv", ["run", "algorithm"]), table("mutants.csv", ["run", "outcome"]));
    for name in ["manual", "random", "mio"] {
        let of = |[run, _]: &&[String; 2]| runs.iter().any(|[id, of]| id == run && of == name);
        assert_eq!(mutants.iter().filter(of).count(), 120, "{name}");
        let killed = mutants.iter().filter(of).filter(|[_, outcome]| outcome == "killed").count();
        assert!(killed > 10, "{name}: {killed}");
    }
    let tests = folder.path().join("out/suites/fireworks/manual-1.tests.ndjson");
    assert_eq!(fs::read_to_string(tests).unwrap().lines().count(), 5);
}
