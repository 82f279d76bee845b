//! Tests adapters of external tools.

#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Output;
use std::time::{Duration, Instant};

use crate::support::{catherd, digests, stderr};
use tempfile::TempDir;

const DESCRIPTION: &str = "\
contract = 1
tool = 'fake'
version = '1.0'
environment = 'locks'
";

struct Place(TempDir);

impl Place {
    /// Writes an adapter whose commands `prepare` and `doctor` succeed, and whose command `execute`
    /// is the given script.
    fn new(execute: &str) -> Place {
        let place = Place(TempDir::new().unwrap());
        place.write("adapter/adapter.toml", DESCRIPTION);
        place.write("adapter/locks/tool.txt", "package==1.0");
        place.write(
            "adapter/run",
            &format!(
                "#!/bin/sh\n\
                 value() {{ sed -n \"s/^ *\\\"$1\\\": \\\"*\\([^\\\",]*\\)\\\"*,*\\$/\\1/p\" \"$2\" | head -1; }}\n\
                 case $1 in\n\
                 prepare) value module \"$2\" > \"$(value environment \"$2\")/modules\";;\n\
                 describe) . \"$(dirname \"$0\")/describe\";;\n\
                 doctor) echo \"checked $(cat \"$(value environment \"$2\")/modules\")\";;\n\
                 execute)\n{execute}\n;;\nesac\n"
            ),
        );
        fs::set_permissions(place.path("adapter/run"), fs::Permissions::from_mode(0o755)).unwrap();
        for module in ["a", "b"] {
            let text = format!(
                "descriptor = 1\nname = 'pack.{module}'\ngroup = 'pack'\n\
                 [data]\nmodule = 'pack.{module}'\n[measures]\nlines = 4\n"
            );
            place.write(&format!("projects/{module}.project.toml"), &text);
        }
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn command(&self, words: &[&str]) -> Output {
        catherd().current_dir(self.0.path()).args(words).output().unwrap()
    }

    fn prepare(&self) {
        self.write("study.toml", &study(""));
        let output = self.command(&["tool", "prepare", "study.toml"]);
        assert!(output.status.success(), "{}", stderr(&output));
    }

    fn run(&self, out: &str, more: &str) -> (Output, String) {
        self.write("study.toml", &study(more));
        let output = self.command(&["run", "study.toml", "--out", out, "--workers", "1"]);
        let text = stderr(&output) + &String::from_utf8_lossy(&output.stdout);
        (output, text)
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }
}

fn study(more: &str) -> String {
    format!(
        "subject = 'command'\nprojects = ['projects']\nseeds = 1\nalgorithms = ['x']\n\
         budget = {{ executions = 1 }}\n[command]\nadapter = 'adapter'\n{more}"
    )
}

const TOOL: &str = r#""contract": 1, "tool": {"name": "fake", "version": "1.0"}"#;

#[test]
#[ignore = "slow"]
fn descriptors_name_projects_and_pass_data_to_the_adapter() {
    let script = format!(
        r#"test -f "$(value environment "$2")/modules" || exit 1
grep -q '"cores": 1' "$2" || exit 1
mkdir suite; value module "$2" > suite/test.py; echo helper > suite/helper.py
echo '{{{TOOL}, "goals": 3, "covered": 2, "goal_names": ["one", "two", "three"],
  "timeline": [{{"wall_ms": 4, "covered": 1}}, {{"wall_ms": 9, "covered": 2}}],
  "executions": 7, "times": {{"search_ms": 5, "assertions_ms": 1}},
  "metrics": {{"mutation_score": 0.25, "mccabe": 1.5}},
  "mutants": [{{"mutant": "m1", "operator": "AOR", "target": "f", "outcome": "killed", "killed_by": 0,
                "executions": 1}}],
  "mutant_counts": {{"created": 4, "checked": 4, "killed": 1}},
  "files": {{"suite": ["suite/test.py", "suite/helper.py"], "logs": ["tool.log"]}}}}' > result.json
date +%N > tool.log; seq 20000 >> tool.log"#
    );
    let place = Place::new(&script);
    place.write("study.toml", &study(""));
    let ill = place.command(&["doctor", "study.toml"]);
    assert_eq!(ill.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&ill.stdout).contains("is not prepared"), "{ill:?}");

    place.prepare();
    let well = place.command(&["doctor", "study.toml"]);
    assert!(well.status.success(), "{}", stderr(&well));
    assert!(String::from_utf8_lossy(&well.stdout).contains("checked pack.a"), "{well:?}");

    let (output, text) = place.run("out", "");
    assert!(output.status.success(), "{text}");
    let runs = place.text("out/runs.csv");
    assert!(runs.contains("pack.a") && runs.contains("pack.b"), "{runs}");
    assert!(runs.contains("mutation_score") && runs.contains("1.5"), "{runs}");
    assert!(place.text("out/mutants.csv").contains("AOR"));
    let projects = place.text("out/projects.csv");
    assert!(projects.starts_with("project,sha256,group,lines,"), "{projects}");
    let suites = place.path("out/suites");
    let folder = fs::read_dir(suites).unwrap().map(Result::unwrap).next().unwrap().path();
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort_unstable();
    assert_eq!(files, ["x-1.goals.json", "x-1.suite-helper.py", "x-1.suite-test.py"]);
    // Logs are not part of the digest, and only the end of a long log is kept.
    let log = place.text("out/logs/pack.a/x-1.tool.log");
    let (note, end) = log.split_once('\n').unwrap();
    assert!(note.starts_with('(') && note.ends_with(" earlier bytes are left out)"), "{note}");
    assert!(end.len() == 64 << 10 && end.ends_with("\n20000\n"), "{} bytes", end.len());
    let verified = place.command(&["verify", "out", "--sample", "100%"]);
    let text = String::from_utf8_lossy(&verified.stdout).into_owned();
    assert!(text.contains("2 of 2 runs agree"), "{text}{}", stderr(&verified));

    // A changed lock file defines a new environment, so no run is the same as before.
    let before: Vec<_> = digests(&place.path("out")).into_keys().collect();
    place.write("adapter/locks/tool.txt", "package==1.1");
    place.prepare();
    let (output, text) = place.run("out", "");
    assert!(output.status.success(), "{text}");
    assert!(digests(&place.path("out")).into_keys().all(|run| !before.contains(&run)));
}

#[test]
fn a_study_requests_mutation_analysis_from_tools_that_have_it() {
    let script = format!(
        r#"grep -q '"sample": 2' "$2" || exit 1
echo '{{{TOOL}, "goals": 1, "covered": 1, "mutant_counts": {{"created": 2, "checked": 2, "killed": 1}}}}' > result.json"#
    );
    let place = Place::new(&script);
    place.prepare();
    let (output, text) = place.run("refused", "[mutation]\nsample = 2\n");
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("fake has no mutation analysis"), "{text}");
    place.write("adapter/adapter.toml", &format!("{DESCRIPTION}mutation = true\n"));
    let (output, text) = place.run("out", "[mutation]\nsample = 2\n");
    // Without the settings, the tool would have failed.
    assert_eq!(output.status.code(), Some(0), "{text}");
}

#[test]
#[ignore = "slow"]
fn results_that_break_the_contract_fail_with_a_reason() {
    let script = format!(
        r#"case $(value flaw "$2") in
names) rest='"goals": 3, "covered": 2, "goal_names": ["one"]';;
other) rest='"goals": 3, "covered": 2, "mutation": 1';;
counts) rest='"goals": 3, "covered": 2, "mutant_counts": {{"created": 1, "checked": 2, "killed": 0}}';;
many) rest='"goals": 3, "covered": 4';;
esac
echo "{{{}, $rest}}" > result.json"#,
        TOOL.replace('"', "\\\"")
    );
    let place = Place::new(&script);
    let flaws = "environment = 'locks'\n[parameters]\nflaw = { kind = 'text' }\n";
    let description = DESCRIPTION.replace("environment = 'locks'\n", flaws);
    place.write("adapter/adapter.toml", &description);
    for (flaw, reason) in [
        ("names", "goal_names: the number of names is 1, not 3"),
        ("other", "unknown key `mutation`"),
        ("counts", "mutant_counts: more mutants"),
        ("many", "goal 3 is covered, but there are 3 goals"),
    ] {
        place.write("study.toml", &study(&format!("flaw = '{flaw}'\n")));
        let output = place.command(&["tool", "prepare", "study.toml"]);
        assert!(output.status.success(), "{}", stderr(&output));
        let (output, text) = place.run(flaw, &format!("flaw = '{flaw}'\n"));
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(reason), "{flaw}: {text}");
    }
}

#[test]
#[ignore = "slow"]
fn a_tool_that_hangs_times_out_and_is_not_repeated() {
    let place = Place::new("trap '' TERM; sleep 1000 & echo $! > /dev/null; sleep 1000");
    place.prepare();
    let (output, text) = place.run("out", "run_limit = '2s'\n");
    assert_eq!(output.status.code(), Some(2), "{text}");
    let runs = place.text("out/runs.csv");
    assert_eq!(runs.matches(",timed-out,").count(), 2, "{runs}");
    // Each run was attempted only once. Columns are counted from the right, because the cell with
    // the parameters contains commas.
    let attempt = runs.lines().next().unwrap().rsplit(',').position(|name| name == "attempt");
    let attempts = runs.lines().skip(1).map(|run| run.rsplit(',').nth(attempt.unwrap()).unwrap());
    assert!(attempts.eq(["1", "1"]), "{runs}");
    assert!(text.contains("timed out: ended by its limit of 2 s"), "{text}");
    assert!(text.contains("2 runs"), "{text}");
    // Repeating the command executes nothing.
    let again = Instant::now();
    let (_, text) = place.run("out", "run_limit = '2s'\n");
    assert!(again.elapsed() < Duration::from_secs(30), "{text}");
    let refused = place.run("wrong", "run_limit = '2'\n").1;
    assert!(
        refused.contains("`run_limit` is not a number above 0 with a unit of ms, s, min, h"),
        "{refused}"
    );
}

#[test]
#[ignore = "slow"]
fn a_tool_is_told_to_end_before_its_limit() {
    let script = format!(
        r#"trap 'echo "{{{}, \"goals\": 1, \"covered\": [0]}}" > result.json; exit 0' TERM
sleep 1000 & wait"#,
        TOOL.replace('"', "\\\"")
    );
    let place = Place::new(&script);
    place.prepare();
    // The program is asked to end after 14 s (10 s before its limit), when it has certainly begun.
    let (output, text) = place.run("out", "run_limit = '24s'\n");
    assert!(output.status.success(), "{text}");
    assert_eq!(place.text("out/runs.csv").matches(",done,").count(), 2);
}

#[test]
fn the_memory_limit_applies_to_all_processes_of_a_run_together() {
    // Three processes with about 100 MB each.
    let place = Place::new(
        "for i in 1 2 3; do head -c 100000000 /dev/zero | tail -c 99999999 | \
                            (sleep 20; cat) > /dev/null & done; wait",
    );
    place.prepare();
    let (output, text) = place.run("out", "run_memory = '200MiB'\n");
    assert_eq!(output.status.code(), Some(2), "{text}");
    let runs = place.text("out/runs.csv");
    assert_eq!(runs.matches(",out-of-memory,").count(), 2, "{runs}");
    assert!(text.contains("killed because it exceeded its limit of 200 MiB"), "{text}");
}

#[test]
fn a_program_has_no_network_and_writes_only_to_its_own_folder() {
    let place = Place::new("");
    let script = format!(
        r#"#!/bin/sh
echo x > "{0}/elsewhere" && exit 1
echo x > "$HOME/home" && echo x > "$TMPDIR/tmp" && echo x > here || exit 1
grep -v -e lo: -e '|' /proc/net/dev && exit 1
echo '{{"goals": 1, "covered": [0]}}' > "$1""#,
        place.0.path().display()
    );
    place.write("tool", &script);
    fs::set_permissions(place.path("tool"), fs::Permissions::from_mode(0o755)).unwrap();
    let study = "subject = 'command'\nprojects = ['projects']\nseeds = 1\nbudget = { executions = 1 }\n\
                 algorithms = [{ name = 'x', parameters = { command = './tool {out}' } }]\n";
    place.write("study.toml", study);
    let output = place.command(&["run", "study.toml", "--out", "out", "--workers", "1"]);
    let text = stderr(&output) + &String::from_utf8_lossy(&output.stdout);
    // If the kernel does not permit namespaces, missing guarantees are reported.
    if !text.contains("programs are run without") {
        assert!(output.status.success(), "{text}");
        assert!(!place.path("elsewhere").exists());
    }
}

#[test]
#[ignore = "slow"]
fn a_study_without_its_environment_is_refused_before_it_starts() {
    let place = Place::new("exit 1");
    let (output, text) = place.run("out", "");
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("fake 1.0 has no environment on this machine"), "{text}");
    assert!(text.contains("catherd tool prepare study.toml"), "{text}");
    assert!(!place.path("out").exists());
    // Equal causes of several projects share a line.
    place.prepare();
    let (output, text) = place.run("out", "");
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("pack.a and 1 more project, 2 runs quarantined after"), "{text}");
    // A study that has ended no longer needs an environment.
    fs::remove_dir_all(place.path("adapter/.environment")).unwrap();
    let (output, text) = place.run("out", "");
    assert_eq!(output.status.code(), Some(2), "{text}");
}

#[test]
fn a_tool_describes_projects_when_its_environment_is_prepared() {
    let place =
        Place::new(&format!("echo '{{{TOOL}, \"goals\": 1, \"covered\": [0]}}' > result.json"));
    place.write("adapter/adapter.toml", &format!("{DESCRIPTION}describe = true\n"));
    let script = r#"echo x > "$(dirname "$0")/asked-$$" 2> /dev/null
case $(value module "$2") in
pack.a) echo '{"contract": 1, "measures": {"mccabe": 2.5, "lines": 5, "goals": 1}}' > result.json;;
pack.b) echo '{"contract": 1, "outcome": "unsupported", "reason": "no module"}' > result.json;;
*) echo 'it broke' >&2; exit 1;;
esac
"#;
    place.write("adapter/describe", script);
    place.write(
        "projects/c.project.toml",
        "descriptor = 1\nname = 'pack.c'\n[data]\nmodule = 'pack.c'\n",
    );
    place.write("study.toml", &study(""));
    let output = place.command(&["tool", "prepare", "study.toml"]);
    let text = stderr(&output);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("unsupported: pack.b: no module"), "{text}");
    assert!(text.contains("not described: pack.c: ") && text.contains("it broke"), "{text}");

    let (output, text) = place.run("out", "");
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("b.project.toml: unsupported: no module"), "{text}");
    let runs = place.text("out/runs.csv");
    assert!(
        runs.contains("pack.a") && runs.contains("pack.c") && !runs.contains("pack.b"),
        "{runs}"
    );
    // The descriptor's own measure takes precedence, and the tool supplies the other measures.
    let projects = place.text("out/projects.csv");
    assert!(projects.contains(",pack,4,2.5,"), "{projects}");
    assert!(place.text("out/skipped.csv").contains("unsupported: no module"));
    // The tool is not asked about projects that are already described.
    place.write("adapter/describe", "echo '{}' > result.json\n");
    let output = place.command(&["tool", "prepare", "study.toml"]);
    let text = stderr(&output);
    assert!(text.contains("unsupported: pack.b: no module"), "{text}");
    assert!(text.contains("not described: pack.c: missing field `contract`"), "{text}");
}

#[test]
#[ignore = "slow"]
fn progress_shows_the_interim_results_of_a_tool() {
    let script = format!(
        r#"echo '{{"covered": 2, "goals": 7}}' >> live.jsonl; sleep 8
echo '{{{TOOL}, "goals": 7, "covered": 3}}' > result.json"#
    );
    let place = Place::new(&script);
    place.prepare();
    fs::remove_file(place.path("projects/b.project.toml")).unwrap();
    let (output, text) = place.run("out", "");
    assert!(output.status.success(), "{text}");
    assert!(text.contains("executing: 2/7 goals"), "{text}");
}
