//! Tests `catherd sequences` through the binary.

use std::fs;
use std::path::Path;

use crate::support::{json, sequences, stderr, succeed};
use serde_json::Value;

#[test]
fn plain_lists_of_events_need_no_model() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    fs::write(folder.join("log.txt"), "a, b, c\nc b a\na, b\n").unwrap();
    let criterion = ["--criterion", "subsequence:2"];
    let shown = succeed(folder, &[&["coverage", "log.txt", "--missing"][..], &criterion].concat());
    assert_eq!(shown, "subsequence:2: 6 of 9 items (66.7 %), bound 9\n- a, a\n- b, b\n- c, c\n");
    let suite =
        succeed(folder, &[&["generate", "log.txt", "--until", "100%"][..], &criterion].concat());
    assert_eq!(suite, "a, b, c\nc, b, a\n");
    let distinct = ["coverage", "log.txt", "--missing", "--criterion", "subsequence:2 distinct"];
    assert_eq!(
        succeed(folder, &distinct),
        "subsequence:2 distinct: 6 of 6 items (100.0 %), bound 6\n"
    );
    let all = ["generate", "--events", "a,b,c,d", "--criterion", "subsequence:3 distinct"];
    let suite = succeed(folder, &[&all[..], &["--until", "100%"]].concat());
    assert!((6..=8).contains(&suite.lines().count()), "{suite}");
}

#[test]
fn the_states_of_the_published_model_are_counted() {
    let place = tempfile::tempdir().unwrap();
    let counts = json(place.path(), &["space", "builtin:moodle", "--json"]);
    for (member, expected) in [("threads", 3), ("events", 22), ("states", 103), ("edges", 195)] {
        assert_eq!(counts[member], expected, "{member}");
    }
    assert_eq!(counts["prefixes"], "33489");
    assert_eq!(counts["maximal_traces"], "9922");
    let truncated = sequences(place.path(), &["space", "builtin:abp", "--limit", "100"]);
    assert_eq!(truncated.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&truncated.stdout).contains("100 and more"));
}

#[test]
#[ignore = "slow"]
fn a_suite_is_made_measured_executed_and_judged() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let criterion = ["--criterion", "consecutive:2"];
    let make = ["generate", "builtin:abp", "--size", "20", "-o", "suite.json"];
    succeed(folder, &[&make[..], &criterion].concat());
    let measured = json(
        folder,
        &[&["coverage", "builtin:abp", "suite.json", "--json"][..], &criterion].concat(),
    );
    assert_eq!((&measured["reachable"], &measured["bound"]), (&101.into(), &121.into()));
    assert!(measured["rank"].as_u64().unwrap() >= 90, "{measured}");

    let test = ["test", "builtin:abp", "suite.json", "--system", "abp"];
    let passed = succeed(folder, &test);
    assert_eq!(passed.lines().filter(|line| line.starts_with("ok ")).count(), 20, "{passed}");
    let faulty = sequences(folder, &[&test[..], &["--bug", "abp-2", "--shrink"]].concat());
    assert_eq!(faulty.status.code(), Some(2), "{}", stderr(&faulty));
    let shown = String::from_utf8(faulty.stdout).unwrap();
    assert!(shown.contains("not ok "), "{shown}");
    assert!(shown.contains("  shortened: send, "), "{shown}");
    assert!(shown.contains("\n  minimum: local minimum\n"), "{shown}");

    fs::write(folder.join("results.csv"), "result,test\nfailed,send,rAck\npassed,send\n").unwrap();
    let risk = json(folder, &["risk", "builtin:abp", "results.csv", "--next", "3", "--json"]);
    assert_eq!(risk["tests"], 2);
    assert_eq!(risk["items"][0]["item"], "send, rAck");
    assert_eq!(risk["next"].as_array().unwrap().len(), 3);
}

#[test]
fn suites_keep_tests_are_shortened_and_written_for_other_tools() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let make = ["generate", "builtin:moodle", "--criterion", "consecutive:2", "--size", "4"];
    let with = |more: &[&str]| succeed(folder, &[&make[..], more].concat());
    with(&["--pool", "500", "-o", "old.json"]);
    let old = with(&["--pool", "500"]);
    // A suite that keeps all tests of an older suite is the same suite, whatever the pool.
    assert_eq!(with(&["--seed", "9", "--sampler", "avoid", "--keep", "old.json"]), old);
    let seeds: String = old.lines().take(2).map(|line| format!("{line}\n")).collect();
    fs::write(folder.join("seeds.txt"), &seeds).unwrap();
    let seeded = with(&["--seed", "9", "--seed-tests", "seeds.txt"]);
    assert!(seeded.starts_with(&seeds) && seeded.lines().count() == 4, "{seeded}");
    fs::write(folder.join("stale.txt"), format!("{seeds}AddQuiz.Start(quiz: z1)\n")).unwrap();
    let output = sequences(folder, &[&make[..], &["--keep", "stale.txt"]].concat());
    assert!(
        stderr(&output).contains("left out 1 test with events that are unknown or not allowed"),
        "{}",
        stderr(&output)
    );

    let short = with(&["--pool", "500", "--shorten", "-o", "short.json"]);
    assert_eq!(short, "");
    let rank = |file: &str| {
        let arguments = ["coverage", "builtin:moodle", file, "--criterion", "consecutive:2"];
        let shown = json(folder, &[&arguments[..], &["--json"]].concat());
        shown["rank"].as_u64().unwrap()
    };
    assert_eq!(rank("short.json"), rank("old.json"));
    let length = |file: &str| fs::metadata(folder.join(file)).unwrap().len();
    assert!(length("short.json") < length("old.json"));

    with(&["--pool", "500", "-o", "suite.csv"]);
    let rows = fs::read_to_string(folder.join("suite.csv")).unwrap();
    let first = "test,position,event,fields\n1,1,Session.Start,\"{\"\"s\"\":\"\"admin\"\"}\"\n";
    assert!(rows.starts_with(first), "{rows:.200}");
    with(&["--pool", "500", "-o", "suite.feature"]);
    let feature = fs::read_to_string(folder.join("suite.feature")).unwrap();
    let first = "Feature: moodle\n\n  Scenario: test 1\n    When Session.Start(s: admin)\n    And ";
    assert!(feature.starts_with(first), "{feature:.200}");
    assert_eq!(feature.matches("Scenario:").count(), 4);
}

#[test]
#[ignore = "slow"]
fn negative_tests_are_written_executed_and_refused() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let make =
        ["generate", "builtin:abp", "--criterion", "consecutive:2", "--size", "4", "--negative"];
    let lines = succeed(folder, &make);
    assert_eq!(lines.lines().filter(|line| line.contains('!')).count(), 4, "{lines}");
    fs::write(folder.join("negative.txt"), &lines).unwrap();
    succeed(folder, &[&make[..], &["-o", "negative.json"]].concat());
    let mut ranks = Vec::new();
    for file in ["negative.txt", "negative.json"] {
        let test = ["test", "builtin:abp", file, "--system", "abp", "--json"];
        let found = json(folder, &test);
        assert_eq!((&found["tests"], &found["failed"]), (&8.into(), &0.into()), "{found}");
        let coverage = ["coverage", "builtin:abp", file, "--criterion", "consecutive:2", "--json"];
        ranks.push(json(folder, &coverage)["rank"].clone());
    }
    assert_eq!(ranks[0], ranks[1]);
    let refused = "send, !rNak\n!sAck\nsend, rAck\n";
    fs::write(folder.join("lax.txt"), refused).unwrap();
    let missing =
        sequences(folder, &["test", "builtin:abp", "lax.txt", "--command", "no-such-program"]);
    assert_eq!(missing.status.code(), Some(1), "{}", stderr(&missing));
    let unknown = "send, !no\n";
    fs::write(folder.join("unknown.txt"), unknown).unwrap();
    let output = sequences(folder, &["test", "builtin:abp", "unknown.txt", "--system", "abp"]);
    assert!(stderr(&output).contains("unknown event `no`"), "{}", stderr(&output));
    let plain = ["generate", "lax.txt", "--criterion", "consecutive:1", "--negative"];
    assert!(stderr(&sequences(folder, &plain)).contains("--negative: only a model"));
}

#[test]
#[ignore = "slow"]
fn online_tests_are_made_from_answers() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let online = ["test", "builtin:abp", "--system", "abp"];
    let six = ["--online", "6", "--results", "results.csv"];
    let shown = succeed(folder, &[&online[..], &six].concat());
    assert_eq!(shown.lines().filter(|line| line.starts_with("ok ")).count(), 6, "{shown}");
    let results = fs::read_to_string(folder.join("results.csv")).unwrap();
    assert_eq!(results.lines().filter(|line| line.starts_with("passed,")).count(), 6);
    let risk = json(folder, &["risk", "builtin:abp", "results.csv", "--json"]);
    assert_eq!(risk["tests"], 6);
    let faulty = [&online[..], &["--bug", "abp-4", "--online", "40", "--json"]].concat();
    let output = sequences(folder, &faulty);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(found["failed"].as_u64().unwrap() > 0, "{found}");
    assert!(found["transitions"].as_f64().unwrap() > 0.0);
}

#[test]
fn suites_of_a_folder_count_together() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    fs::create_dir_all(folder.join("suites/deep")).unwrap();
    fs::write(folder.join("suites/a.json"), "[[\"5\"]]").unwrap();
    fs::write(folder.join("suites/deep/b.json"), "[[\"1\", \"2\", \"6\"]]").unwrap();
    let coverage =
        ["coverage", "builtin:vault", "suites", "--criterion", "consecutive:1", "--json"];
    let found = json(folder, &[&coverage[..], &["--missing", "--unreachable"]].concat());
    assert_eq!((&found["tests"], &found["rank"]), (&2.into(), &4.into()));
    assert_eq!(found["missing"].as_array().unwrap().len(), 6);
    assert_eq!(found["unreachable"].as_array().unwrap().len(), 0);
    let pairs = ["coverage", "builtin:vault", "suites", "--criterion", "consecutive:2"];
    let shown = succeed(folder, &[&pairs[..], &["--unreachable"]].concat());
    assert!(shown.contains("- Open, 1: unreachable\n"), "{shown}");
    assert!(
        stderr(&sequences(folder, &["coverage", "builtin:vault", ".", "--criterion", "pairs"]))
            .contains("unknown criterion `pairs`")
    );
}

#[test]
fn every_command_prints_json() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    assert_eq!(json(folder, &["check", "builtin:vault", "--json"])["states"], 8);
    let walks = json(folder, &["walk", "builtin:vault", "-n", "3", "--json"]);
    assert_eq!(walks["tests"].as_array().unwrap().len(), 3);
    fs::write(folder.join("walks.json"), walks.to_string()).unwrap();
    let coverage = ["coverage", "builtin:vault", "walks.json", "--criterion", "consecutive:1"];
    assert!(json(folder, &[&coverage[..], &["--json"]].concat())["rank"].as_u64().unwrap() > 0);
    assert!(json(folder, &["compile", "builtin:vault", "--json"])["threads"].is_array());
    let generate = ["generate", "builtin:vault", "--criterion", "consecutive:1", "--json"];
    let suite = json(folder, &[&generate[..], &["--until", "100%"]].concat());
    assert_eq!((&suite["covered"], &suite["reachable"]), (&10.into(), &10.into()));
    let example = "{\"id\": \"x\", \"kind\": \"items\", \"input\": {\"test\": [\"a\"], \
                   \"criterion\": \"consecutive\", \"t\": 1}, \"expect\": {\"rank\": 1}}\n";
    fs::write(folder.join("examples.jsonl"), example).unwrap();
    assert_eq!(json(folder, &["examples", "examples.jsonl", "--json"])["equal"], 1);
}

#[test]
fn the_table_form_can_be_read_as_a_model() {
    let place = tempfile::tempdir().unwrap();
    let table = succeed(place.path(), &["compile", "builtin:vault"]);
    fs::write(place.path().join("vault.bp.json"), table).unwrap();
    let counts = json(place.path(), &["space", "vault.bp.json", "--json"]);
    assert_eq!((&counts["states"], &counts["edges"]), (&8.into(), &46.into()));
    assert_eq!(succeed(place.path(), &["walk", "builtin:vault", "-n", "3"]).lines().count(), 3);
}

/// The model has 2^60 states, which walks do not need.
#[test]
fn walks_of_a_model_with_many_states_begin_at_once() {
    let place = tempfile::tempdir().unwrap();
    let events: Vec<String> = (0..60).map(|number| format!("e{number}")).collect();
    let threads = events.iter().map(|event| format!("thread t_{event} {{ request {event} }}\n"));
    let model = format!("events {}\n{}", events.join(", "), threads.collect::<String>());
    fs::write(place.path().join("many.bp"), model).unwrap();
    for sampler in ["steps", "weighted"] {
        let walk = ["walk", "many.bp", "-n", "2", "--length", "100", "--sampler", sampler];
        let walks = succeed(place.path(), &walk);
        let lengths: Vec<_> = walks.lines().map(|line| line.split(", ").count()).collect();
        assert_eq!(lengths, [60, 60], "{walks}");
    }
}

/// Only the part of an event that fits on a line is quoted.
#[test]
fn unknown_events_of_any_length_have_a_short_error() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("long.txt"), "\"".repeat(200_000)).unwrap();
    let coverage = ["coverage", "builtin:vault", "long.txt", "--criterion", "consecutive:1"];
    let output = sequences(place.path(), &coverage);
    assert_eq!(output.status.code(), Some(1));
    let text = stderr(&output);
    assert!(text.contains("long.txt: test 1: unknown event") && text.len() < 500, "{}", text.len());
}

/// Files that one command writes can be read by other commands, whatever the names of events.
#[test]
fn events_with_any_name_are_read_again() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let table = succeed(folder, &["compile", "builtin:vault"]);
    let names = [("1", "one, two"), ("2", "# \\\"2\\\""), ("3", "log in"), ("4", "f(x")];
    let table = names.iter().fold(table, |table, (digit, name)| {
        table.replace(&format!("\"{digit}\""), &format!("\"{name}\""))
    });
    fs::write(folder.join("names.bp.json"), table).unwrap();
    let walks = succeed(folder, &["walk", "names.bp.json", "-n", "50", "--length", "4"]);
    assert!(walks.contains("\"one, two\"") && walks.contains("\"f(x\""), "{walks}");
    fs::write(folder.join("walks.txt"), walks).unwrap();
    let generate = ["generate", "names.bp.json", "--criterion", "consecutive:1", "--until", "100%"];
    fs::write(folder.join("suite.txt"), succeed(folder, &generate)).unwrap();
    for (file, covered) in [("walks.txt", 9), ("suite.txt", 10)] {
        let coverage =
            ["coverage", "names.bp.json", file, "--criterion", "consecutive:1", "--json"];
        assert_eq!(json(folder, &coverage)["rank"], covered, "{file}");
    }
}

#[test]
fn errors_in_a_model_state_their_position() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("m.bp"), "events a\nthread t { request b }\n").unwrap();
    let output = sequences(place.path(), &["check", "m.bp"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("m.bp:2:20: unknown event `b`"), "{}", stderr(&output));
    let output =
        sequences(place.path(), &["coverage", "builtin:abp", "m.bp", "--criterion", "pairs"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("unknown criterion `pairs`"), "{}", stderr(&output));
}

#[cfg(unix)]
#[test]
fn programs_that_ignore_the_protocol_are_ended_and_do_not_fill_memory() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    fs::write(folder.join("s.txt"), "1, 2\n3, 4, 5\n").unwrap();
    for (script, cause) in [
        ("while :; do echo '{\"ok\": true}'; done", "came before its message"),
        ("read line; echo '{\"ok\": true}'; exec sleep 100", "no answer within 300 ms"),
        (
            "read line; echo '{\"ok\": true}'; read line; tr '\\0' x < /dev/zero",
            "is not understood",
        ),
    ] {
        fs::write(folder.join("system.sh"), script).unwrap();
        let limit = ["--command", "sh system.sh", "--event-ms", "300"];
        let output = sequences(folder, &[&["test", "builtin:vault", "s.txt"][..], &limit].concat());
        let shown = String::from_utf8_lossy(&output.stdout).into_owned() + &stderr(&output);
        // Whether an answer is read before the message is sent may differ between runs. Therefore a
        // program that always answers may pass, and the answer of a program that continues to write
        // may be too early.
        let early = "came before its message";
        let always = cause == early && output.status.code() == Some(0);
        let failed = matches!(output.status.code(), Some(1 | 2))
            && [cause, early, "# flaky"].iter().any(|text| shown.contains(text));
        assert!(always || failed, "{script}: {shown}");
    }
}

#[test]
fn walks_end_when_their_output_is_not_read() {
    use std::io::Read;
    use std::process::{Command, Stdio};
    let mut walk = Command::new(crate::support::program())
        .args(["sequences", "walk", "builtin:vault", "-n", "18446744073709551615"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut beginning = [0; 10];
    walk.stdout.take().unwrap().read_exact(&mut beginning).unwrap();
    let start = std::time::Instant::now();
    let ended = loop {
        if let Some(status) = walk.try_wait().unwrap() {
            break Some(status);
        }
        if start.elapsed().as_secs() > 300 {
            break None;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    };
    let _ = walk.kill();
    walk.wait().unwrap();
    assert_eq!(ended.expect("it continues without a reader").code(), Some(0));
}

#[test]
#[ignore = "slow"]
fn excessive_sizes_are_refused_by_name() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    // Each state has a list of up to four thousand numbers.
    let wide = "model wide\nevents a, b\ndata q: list 4000 of 0..65535 = []\ndata n: 0..65535 = 0\n\
                on a {\n  push q, n\n  n = (n + 1) mod 65536\n}\n\
                on b { n = (n * 3 + 1) mod 65536 }\nrequest a | b when len(q) < 4000\n";
    fs::write(folder.join("wide.bp"), wide).unwrap();
    let shown = sequences(folder, &["space", "wide.bp", "--limit", "3000"]);
    assert_eq!(shown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&shown.stdout).contains("3000 and more"));
    let long = format!("expressions({}a{})", "(".repeat(5000), ")".repeat(5000));
    let refused: [(&[&str], &str); 4] = [
        (&["walk", "builtin:abp", "--length", "99999999999"], "--length"),
        (&["generate", "builtin:vault", "--criterion", &long, "--size", "2"], "((..."),
        (&["space", "builtin:abp", "--length", "18446744073709551615"], "--length"),
        (
            &["generate", "builtin:abp", "--criterion", "subsequence:20", "--size", "2"],
            "2^63 or more words of length 20",
        ),
    ];
    for (arguments, named) in refused {
        let output = sequences(folder, arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(stderr(&output).contains(named), "{arguments:?}: {}", stderr(&output));
    }
}

#[test]
fn worked_examples_are_compared() {
    let place = tempfile::tempdir().unwrap();
    let example = |rank: u32| {
        format!(
            "{{\"id\": \"x\", \"kind\": \"items\", \"input\": {{\"test\": [\"a\", \"b\"], \
             \"criterion\": \"subsequence\", \"t\": 2}}, \"expect\": {{\"rank\": {rank}}}}}\n"
        )
    };
    fs::write(place.path().join("right.jsonl"), example(1)).unwrap();
    let right = succeed(place.path(), &["examples", "right.jsonl"]);
    assert_eq!(right, "1 of 1 examples are equal\n");
    fs::write(place.path().join("wrong.jsonl"), example(2)).unwrap();
    let wrong = sequences(place.path(), &["examples", "wrong.jsonl"]);
    assert_eq!(wrong.status.code(), Some(4));
    assert!(String::from_utf8_lossy(&wrong.stdout).contains("x: rank: expected 2, found 1"));
}

fn blocks<'p>(page: &'p str, language: &str) -> Vec<&'p str> {
    let parts = page.split("```").skip(1).step_by(2);
    parts.filter_map(|part| part.strip_prefix(&format!("{language}\n"))).collect()
}

/// A server that is stopped when the value is dropped.
struct Server(std::process::Child);

impl Server {
    fn start(folder: &Path, file: &str) -> Server {
        let mut command = std::process::Command::new("python3");
        let server = Server(command.arg(file).current_dir(folder).spawn().unwrap());
        let start = std::time::Instant::now();
        while std::net::TcpStream::connect("127.0.0.1:8137").is_err() {
            assert!(start.elapsed() < std::time::Duration::from_secs(300), "no server");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        server
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// Executes the commands of the tutorial with the files that the tutorial contains.
#[test]
#[ignore = "needs python3"]
fn the_tutorial_finds_the_fault_of_its_server() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = fs::read_to_string(root.join("docs/sequences-tutorial.md")).unwrap();
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let [server, adapter, repair] = blocks(&page, "python")[..] else { panic!("three files") };
    fs::write(folder.join("server.py"), server).unwrap();
    fs::write(folder.join("adapter.py"), adapter).unwrap();
    let model = blocks(&page, "text")[0];
    assert!(model.lines().filter(|line| !line.is_empty()).count() <= 10, "{model}");
    fs::write(folder.join("login.bp"), model).unwrap();
    let commands: Vec<&str> = blocks(&page, "").iter().flat_map(|block| block.lines()).collect();
    let execute = |line: &str| {
        let words = line.replace("'python3 adapter.py'", "python3\u{a0}adapter.py");
        let words: Vec<String> =
            words.split(' ').skip(2).map(|word| word.replace('\u{a0}', " ")).collect();
        sequences(folder, &words.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let (test, others) = commands.split_last().unwrap();
    assert!(others.len() >= 5);
    let faulty = Server::start(folder, "server.py");
    for command in others {
        let output = execute(command);
        assert_eq!(output.status.code(), Some(0), "{command}: {}", stderr(&output));
    }
    let failed = execute(test);
    assert_eq!(failed.status.code(), Some(2), "{}", stderr(&failed));
    let shown = String::from_utf8(failed.stdout).unwrap();
    let expected = blocks(&page, "text")[1];
    assert!(shown.contains(expected), "{shown}");
    drop(faulty);
    let repaired = server.replace("status = 401\n", &format!("status = 401\n{repair}"));
    fs::write(folder.join("repaired.py"), repaired).unwrap();
    let _repaired = Server::start(folder, "repaired.py");
    let passed = execute(test);
    assert_eq!(passed.status.code(), Some(0), "{}", String::from_utf8_lossy(&passed.stdout));
}
