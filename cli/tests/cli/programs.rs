//! Tests programs of the subject kind `command`.

#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::support::cluster::{Process, coordinator, succeed, worker};
use crate::support::{ENVIRONMENT, catherd, digests, program, stderr};
use tempfile::TempDir;

/// More time than any step of these tests takes on a busy machine.
const LONG: Duration = Duration::from_secs(300);

struct Place(TempDir);

impl Place {
    /// Writes the program `tool`, a shell script whose first argument is the path of the result.
    fn new(script: &str) -> Place {
        let place = Place(TempDir::new().unwrap());
        place.write("projects/one", "one");
        place.write("tool", &format!("#!/bin/sh\n{script}\n"));
        fs::set_permissions(place.path("tool"), fs::Permissions::from_mode(0o755)).unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn study(&self, name: &str, algorithms: &[(&str, &str)]) -> String {
        let mut text = "subject = 'command'\nprojects = ['projects']\nseeds = 1\n\
                        budget = { executions = 1 }\n"
            .to_owned();
        for (name, arguments) in algorithms {
            let tool = self.text("tool");
            text += &format!(
                "[[algorithms]]\nname = '{name}'\n\
                 parameters = {{ command = '{tool} {{out}} {arguments}', environment = 'SEED={{seed}}' }}\n"
            );
        }
        let file = format!("{name}.toml");
        self.write(&file, &text);
        self.text(&file)
    }

    /// Whether no working folder of a run remains below a folder.
    fn has_no_run_folder(&self, below: &str) -> bool {
        let mut folders = vec![self.path(below)];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().map(Result::unwrap) {
                if entry.file_name().to_str().unwrap().starts_with("run-") {
                    return false;
                }
                if entry.file_type().unwrap().is_dir() {
                    folders.push(entry.path());
                }
            }
        }
        true
    }
}

/// A process of a program: `sleep` with a unique duration, by which a test recognises the process.
struct Sleeper(String);

impl Sleeper {
    fn new() -> Sleeper {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        Sleeper(format!("{}.{}", 1000 + count, std::process::id()))
    }

    fn is_running(&self) -> bool {
        let wanted = format!("sleep\0{}\0", self.0);
        let processes = fs::read_dir("/proc").unwrap().flatten();
        let mut lines = processes.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
        lines.any(|line| line == wanted.as_bytes())
    }

    fn wait(&self, running: bool) {
        let end = Instant::now() + LONG;
        while self.is_running() != running {
            assert!(Instant::now() < end, "{} is running: {}", self.0, !running);
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn started(&self) {
        self.wait(true);
    }

    fn ended(&self) {
        self.wait(false);
    }
}

#[test]
fn the_environment_of_the_caller_does_not_reach_programs() {
    // The checksum of the environment is recorded as a metric.
    let place = Place::new(
        r#"sum=$(env | grep -v -e ^HOME= -e ^TMPDIR= -e ^PWD= | sort | cksum | cut -d' ' -f1)
test "$HOME" = "$PWD/home" && test -d "$HOME" && test -d "$TMPDIR" && test "$SEED" = 1 || exit 1
test ! -s "$2/study.db" && test ! -s "$2/study.db-wal" || { echo "$2 is visible"; exit 1; }
echo "{\"goals\": 1, \"covered\": [0], \"counts\": {\"environment\": $sum}}" > "$1""#,
    );
    let run = |out: &str, variables: &[(&str, &str)]| {
        let out = place.path(out);
        let study = place.study("study", &[("tool", out.to_str().unwrap())]);
        let mut command = catherd();
        command.args(["run", &study, "--quiet", "--workers", "1", "--out"]).arg(&out);
        let output = command.envs(variables.iter().copied()).output().unwrap();
        assert!(
            output.status.success(),
            "{}{}",
            stderr(&output),
            String::from_utf8_lossy(&output.stdout)
        );
        assert!(place.has_no_run_folder(out.to_str().unwrap()));
        let mut runs = csv::Reader::from_path(out.join("runs.csv")).unwrap();
        let at = runs.headers().unwrap().iter().position(|name| name == "metrics").unwrap();
        runs.records().next().unwrap().unwrap()[at].to_owned()
    };
    let one = run("one", &[]);
    assert!(one.contains("environment"), "{one}");
    let other = [("PYTHONHASHSEED", "3"), ("TZ", "Asia/Tokyo"), ("http_proxy", "http://x:1")];
    let home = [("HOME", "/nowhere"), ("LANG", "C")];
    assert_eq!(run("two", &[&other[..], &home].concat()), one);
}

#[test]
fn tokens_are_hidden_and_a_relative_folder_for_programs_works() {
    let place = Place::new(
        r#"test -s "$2" && { echo "read the token: $(cat "$2")"; exit 1; }
ls "$3" | grep -v programs && { echo "saw the spool"; exit 1; }
kill -9 1 2>/dev/null
echo '{"goals": 1, "covered": [0]}' > "$1""#,
    );
    place.write("token", "secret");
    let arguments = format!("{} {}", place.text("token"), place.text("spool"));
    let study = place.study("games", &[("tool", &arguments)]);
    let (_coordinator, address) = coordinator(&place.path("store"), &["--listen", "127.0.0.1:0"]);
    succeed(&["submit", &study], &address);
    let mut command = Command::new(program());
    command.args(["worker", "--connect", &address, "--spool", "spool", "--idle", "1"]);
    command.args(["--programs", "spool/programs", "--isolation", "required"]);
    command.args(["--hide", "token", "--cache", "cache"]);
    command.envs(ENVIRONMENT).current_dir(place.0.path()).stderr(Stdio::piped());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let status = succeed(&["status", "games"], &address);
    assert!(status.contains("Nothing is missing."), "{status}");
    assert!(place.has_no_run_folder("."));
}

/// A program that starts a process in a new session and waits for the process, which does not end.
const DAEMON: &str = "setsid sleep \"$2\" & wait; sleep 1000";

/// When a worker is killed, all processes of the worker's program end, and the working folder is
/// removed.
fn a_killed_worker_leaves_nothing(isolation: &str) {
    let place = Place::new(DAEMON);
    let sleeper = Sleeper::new();
    let study = place.study("games", &[("tool", &sleeper.0)]);
    let (_coordinator, address) = coordinator(&place.path("store"), &["--listen", "127.0.0.1:0"]);
    succeed(&["submit", &study], &address);
    let folder = place.text("programs");
    let more = ["--programs", &folder, "--isolation", isolation];
    let mut worker: Process = worker(&address, place.0.path(), &more);
    sleeper.started();
    assert!(!place.has_no_run_folder("programs"));
    worker.0.kill().unwrap();
    worker.0.wait().unwrap();
    sleeper.ended();
    // The supervisor removes the folder after the last process has ended.
    let end = Instant::now() + LONG;
    while !place.has_no_run_folder("programs") {
        assert!(Instant::now() < end, "a working folder is left");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_killed_worker_leaves_nothing_of_its_program() {
    a_killed_worker_leaves_nothing("required");
}

#[test]
fn a_killed_worker_without_namespaces_leaves_nothing_of_its_program() {
    a_killed_worker_leaves_nothing("off");
}

#[test]
fn a_program_that_kills_its_supervisor_leaves_nothing() {
    let script = format!(
        "{RESULT_TO_OUT}\n(setsid sleep \"$2\" &)\n\
                          while ! test -e \"$3\"; do sleep 0.01; done; kill -9 $PPID; sleep 1000"
    );
    let place = Place::new(&script);
    let sleeper = Sleeper::new();
    let arguments = format!("{} {}", sleeper.0, place.text("go"));
    let study = place.study("games", &[("tool", &arguments)]);
    let (_coordinator, address) = coordinator(&place.path("store"), &["--listen", "127.0.0.1:0"]);
    succeed(&["submit", &study], &address);
    let folder = place.text("programs");
    let more = ["--programs", &folder, "--isolation", "off", "--idle", "1"];
    let mut worker = worker(&address, place.0.path(), &more);
    sleeper.started();
    place.write("go", "");
    sleeper.ended();
    assert!(worker.0.wait().unwrap().success());
    // The result was complete, so it does not matter how the program ended.
    let status = succeed(&["status", "games"], &address);
    assert!(status.contains("Nothing is missing."), "{status}");
    assert!(place.has_no_run_folder("programs"));
}

const RESULT_TO_OUT: &str = r#"echo '{"goals": 1, "covered": [0]}' > "$1""#;

/// The limit of reserved memory of a worker does not apply to programs, because programs with an
/// address sanitizer reserve terabytes.
#[test]
fn programs_do_not_inherit_the_limit_of_reserved_memory() {
    let place = Place::new(&format!(
        r#"test "$(ulimit -S -d)" = "$(ulimit -H -d)" || exit 1; {RESULT_TO_OUT}"#
    ));
    for isolation in ["wanted", "off"] {
        let study = place.study("reserved", &[("tool", "")]);
        let out = place.text(isolation);
        let run = ["run", &study, "--out", &out, "--workers", "1", "--isolation", isolation];
        let output = catherd().args(run).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{isolation}: {}", stderr(&output));
    }
}

#[test]
fn results_that_are_not_regular_files_are_refused() {
    let place = Place::new(
        r#"case "$2" in
fifo) mkfifo "$1";;
link) ln -s "$0" "$1";;
folder) mkdir "$1";;
huge) truncate -s 1T "$1";;
esac"#,
    );
    let kinds = ["fifo", "link", "folder", "huge"].map(|kind| (kind, kind));
    let study = place.study("hostile", &kinds);
    let out = place.text("out");
    let run = ["run", &study, "--out", &out, "--workers", "2"];
    let output = catherd().args(run).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    let text = stderr(&output) + &String::from_utf8_lossy(&output.stdout);
    for reason in [
        "result.json: a FIFO, not a regular file",
        "result.json: a symbolic link, not a regular file",
        "result.json: a folder, not a regular file",
        "result.json: 1099511627776 bytes",
    ] {
        assert!(text.contains(reason), "{text}");
    }
    assert!(place.has_no_run_folder("out"));
}

#[test]
#[ignore = "slow"]
fn a_relative_program_is_found_next_to_the_study_and_identified_by_its_digest() {
    let place = Place::new(r#"echo '{"goals": 1, "covered": [0]}' > "$1""#);
    place.write(
        "study.toml",
        "subject = 'command'\nprojects = ['projects']\nseeds = 1\nbudget = { executions = 1 }\n\
         algorithms = [{ name = 'a', parameters = { command = './tool {out}' } }]\n",
    );
    let run = |out: &str| {
        let out = place.path(out);
        let mut command = catherd();
        command.args(["run", &place.text("study.toml"), "--quiet", "--workers", "1", "--out"]);
        let output = command.arg(&out).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        digests(&out).into_keys().collect::<Vec<_>>()
    };
    let first = run("one");
    assert_eq!(run("two"), first);
    let out = place.text("two");
    let verify = |tools: &str| {
        catherd().args(["verify", &out, "--sample", "1", "--tools", tools]).output().unwrap()
    };
    assert!(verify(place.0.path().to_str().unwrap()).status.success());
    let output = verify("/");
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("this worker does not have ./tool with digest"), "{text}");
    let tool = fs::read_to_string(place.path("tool")).unwrap() + "# changed\n";
    fs::write(place.path("tool"), tool).unwrap();
    assert_ne!(run("three"), first);
}

const ADAPTER: &str = "\
contract = 1
tool = 'fake'
version = '1.0'
algorithms = ['A', 'B']
budgets = ['executions']
variables = { SEED = '{seed}' }

[parameters]
types = { kind = 'choice', values = ['hints', 'none'], default = 'hints' }
population = { kind = 'integer', min = 2 }
";

const EXECUTABLE: &str = r#"#!/bin/sh
value() { sed -n "s/^ *\"$1\": \"*\([^\",]*\)\"*,*\$/\1/p" "$2" | head -1; }
test "$1" = execute && test "$(value seed "$2")" = "$SEED" || exit 1
mkdir suite
echo "types: $(value types "$2"), population: $(value population "$2")" > suite/test.py
tool='"contract": 1, "tool": {"name": "fake", "version": "1.0", "python": "3.11.2"}'
case $(value algorithm "$2") in
A) head -c 9000000 /dev/zero > suite/large; printf '\377\376' > "$(printf 'suite/bin\nary')"
  echo "{$tool, \"goals\": 2, \"covered\": [0], \"times\": {\"search_ms\": 5},
    \"suite\": {\"tests\": 1, \"size\": 1, \"unit\": \"lines\", \"removed\": 0},
    \"files\": [\"suite/large\", \"suite/test.py\", \"suite/bin\\u000aary\"]}" > result.json;;
B) echo "{$tool, \"outcome\": \"unsupported\", \"reason\": \"no module\"}" > result.json;;
esac
"#;

#[test]
#[ignore = "slow"]
fn an_adapter_gets_a_request_and_answers_with_a_result_and_files() {
    let place = Place::new("");
    place.write("adapter/adapter.toml", ADAPTER);
    place.write("adapter/run", EXECUTABLE);
    fs::set_permissions(place.path("adapter/run"), fs::Permissions::from_mode(0o755)).unwrap();
    let study = |parameters: &str| {
        let algorithm = |name: &str| {
            format!("{{ name = '{name}', parameters = {{ adapter = 'adapter'{parameters} }} }}")
        };
        let (a, b) = (algorithm("A"), algorithm("B"));
        place.write(
            "study.toml",
            &format!(
                "subject = 'command'\nprojects = ['projects']\nseeds = 1\n\
                 algorithms = [\n{a},\n{b}]\nbudget = {{ executions = 1 }}\n"
            ),
        );
        let out = place.text("out");
        let arguments = ["run", &place.text("study.toml"), "--out", &out, "--workers", "1"];
        catherd().args(arguments).output().unwrap()
    };
    let refused = stderr(&study(", types = 'some'"));
    assert!(refused.contains("study.toml:5"), "{refused}");
    assert!(refused.contains("fake does not take this value of `types`"), "{refused}");
    assert!(refused.contains("one of hints, none"), "{refused}");
    let refused = stderr(&study(", popluation = 3"));
    assert!(refused.contains("write `population`; the other is types"), "{refused}");

    let output = study(", population = 7");
    let text = stderr(&output) + &String::from_utf8_lossy(&output.stdout);
    let runs = fs::read_to_string(place.path("out/runs.csv")).expect(&text);
    assert!(runs.contains(",done,") && runs.contains("unsupported: no module"), "{runs}");
    let suites = fs::read_dir(place.path("out/suites")).unwrap();
    let folder = suites.map(Result::unwrap).next().unwrap().path();
    let file = fs::read_to_string(folder.join("A-1.suite-test.py")).unwrap();
    assert_eq!(file, "types: hints, population: 7\n");
    assert!(text.contains("2 runs, 1 test suite"), "{text}");
    // If files cannot be kept, the numbers of the run are still recorded.
    assert!(runs.contains("\"\"files_left_out\"\":2"), "{runs}");
    let logs = fs::read_dir(place.path("out/logs")).unwrap().map(Result::unwrap);
    let logs: Vec<_> = logs.flat_map(|folder| fs::read_dir(folder.path()).unwrap()).collect();
    let left_out = logs.iter().map(|log| log.as_ref().unwrap().path());
    let mut left_out = left_out.filter(|log| log.to_str().unwrap().contains("files-left-out"));
    let left_out = fs::read_to_string(left_out.next_back().expect("a log")).unwrap();
    assert_eq!(
        left_out,
        "suite/large: 9000000 bytes; 8388608 of 8388608 are left\n\
         suite/bin\\nary: 2 bytes that are not text (UTF-8)\n"
    );
    let isolation = runs.lines().nth(1).and_then(|line| line.rsplit(',').next()).unwrap();
    assert!(isolation == "full" || isolation.starts_with("without "), "{runs}");

    // A run that failed is executed again as well.
    let verify = ["verify", "out", "--sample", "100%"];
    let verified = catherd().args(verify).current_dir(place.path("")).output().unwrap();
    let said = String::from_utf8_lossy(&verified.stdout);
    assert!(said.contains("2 of 2 runs agree"), "{said}{}", stderr(&verified));

    place.write(
        "adapter/adapter.toml",
        &ADAPTER.replace("version = '1.0'", "version = '1.0'\npython = '3.1'"),
    );
    fs::remove_dir_all(place.path("out")).unwrap();
    let output = study(", population = 8");
    let text = stderr(&output) + &String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("Python 3.11.2 ran, but adapter.toml says 3.1"), "{text}");
}
