//! Tests the adapter of Pynguin with recorded output of the tool. The binary is tested without
//! Python; tests of the code of the adapter need Python.

#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::{catherd, stderr};
use tempfile::TempDir;

/// The algorithms of the tool. There is a recording of each algorithm with each of two budgets.
const ALGORITHMS: [&str; 5] = ["DYNAMOSA", "MIO", "MOSA", "RANDOM", "WHOLE_SUITE"];

/// A replacement for the executable of the adapter, which copies the recording that matches a
/// request.
const DOUBLE: &str = r#"#!/bin/sh
value() { sed -n "s/^ *\"$1\": \"*\([^\",]*\)\"*,*\$/\1/p" "$2" | head -1; }
recorded=$(dirname "$0")/recorded
case $(value module "$2") in
no_such.module) from=import;;
pdir.format) from=reload;;
breaks) echo "an early line"; echo "[ERROR] the search broke"; exit 1;;
hangs) sleep 1000;;
*) case $(value assertions "$2")-$(value executions "$2") in
   mutation-*) from=mutation;;
   none-null) from=$(value algorithm "$2")-wall;;
   *) from=$(value algorithm "$2")-executions;;
   esac;;
esac
cp -r "$recorded/$from/." . && rm -f request.json
"#;

fn recordings() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pynguin")
}

fn adapter() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../adapters/pynguin")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Creates a folder in which the replacement is used instead of the adapter.
fn place() -> TempDir {
    let place = TempDir::new().unwrap();
    let double = place.path().join("adapter");
    copy(&recordings(), &double.join("recorded"));
    let description = fs::read_to_string(adapter().join("adapter.toml")).unwrap();
    let description = description.replace("environment = \"locks\"\n", "");
    fs::write(double.join("adapter.toml"), description).unwrap();
    fs::write(double.join("run"), DOUBLE).unwrap();
    fs::set_permissions(double.join("run"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::create_dir(place.path().join("projects")).unwrap();
    place
}

fn project(place: &TempDir, module: &str) {
    let text = format!("descriptor = 1\nname = '{module}'\n[data]\nmodule = '{module}'\n");
    fs::write(place.path().join(format!("projects/{module}.project.toml")), text).unwrap();
}

fn run(place: &TempDir, out: &str, study: &str) -> (String, Option<i32>) {
    let file = place.path().join(format!("{out}.toml"));
    let common = "subject = 'command'\nprojects = ['projects']\nseeds = 1\n";
    fs::write(&file, common.to_owned() + study).unwrap();
    let mut command = catherd();
    command.arg("run").arg(&file).arg("--out").arg(place.path().join(out));
    let output = command.output().unwrap();
    (stderr(&output) + &String::from_utf8_lossy(&output.stdout), output.status.code())
}

fn rows(file: &Path) -> Vec<BTreeMap<String, String>> {
    csv::Reader::from_path(file).unwrap().deserialize().map(Result::unwrap).collect()
}

/// Returns the value of the first attribute with this name in `cov_report.xml`.
fn attribute(recording: &str, name: &str) -> u32 {
    let report = recordings().join(recording).join("report/cov_report.xml");
    let text = fs::read_to_string(report).unwrap();
    let (_, rest) = text.split_once(&format!("{name}=\"")).unwrap();
    rest.split('"').next().unwrap().parse().unwrap()
}

fn statistics(recording: &str) -> BTreeMap<String, String> {
    rows(&recordings().join(recording).join("report/statistics.csv")).remove(0)
}

/// Returns the improvements by time, from the columns of `statistics.csv`.
fn timeline(row: &BTreeMap<String, String>, goals: u32) -> Vec<(u64, u32)> {
    let share = |text: &str| (text.parse::<f64>().unwrap() * f64::from(goals)).round() as u32;
    let end = share(&row["BranchCoverage"]);
    let mut points = vec![(0, share(&row["ImportBranchCoverage"]))];
    for (name, value) in row {
        if let Some(number) = name.strip_prefix("CoverageTimeline_T") {
            points.push((100 * number.parse::<u64>().unwrap(), share(value)));
        }
    }
    points.push(((row["SearchTime"].parse::<f64>().unwrap() / 1e6).round() as u64, end));
    points.sort_unstable();
    let mut ascending: Vec<(u64, u32)> = Vec::new();
    for (at, covered) in points {
        if covered <= end && ascending.last().is_none_or(|last| covered > last.1) {
            ascending.push((at, covered));
        }
    }
    ascending
}

#[test]
#[ignore = "slow"]
fn tables_have_the_numbers_of_the_tool() {
    let place = place();
    project(&place, "string_utils.generation");
    let names = ALGORITHMS.map(|name| format!("'{name}'")).join(", ");
    for (budget, limit) in [("executions", "executions = 60"), ("wall", "wall = '3s'")] {
        let study = format!(
            "algorithms = [{names}]\nbudget = {{ {limit} }}\n[command]\nadapter = 'adapter'\n"
        );
        let (text, code) = run(&place, budget, &study);
        assert_eq!(code, Some(0), "{text}");
        let out = place.path().join(budget);
        let runs = rows(&out.join("runs.csv"));
        assert_eq!(runs.len(), 5);
        let points = rows(&out.join("timeline.csv"));
        for run in runs {
            let recording = format!("{}-{budget}", run["algorithm"]);
            let goals = attribute(&recording, "branches-valid");
            assert_eq!(run["goals"], goals.to_string(), "{recording}");
            let covered = attribute(&recording, "branches-covered");
            assert_eq!(run["covered"], covered.to_string(), "{recording}");
            let row = statistics(&recording);
            let search_ms = (row["SearchTime"].parse::<f64>().unwrap() / 1e6).round();
            assert_eq!(run["search_ms"], search_ms.to_string(), "{recording}");
            let own = points.iter().filter(|point| point["run"] == run["run"]);
            let own: Vec<(u64, u32)> = own
                .map(|p| (p["wall_ms"].parse().unwrap(), p["covered"].parse().unwrap()))
                .collect();
            assert_eq!(own, timeline(&row, goals), "{recording}");
            assert_eq!(run["executions"], "", "the tool does not count them");
        }
        let mut verify = catherd();
        verify.arg("verify").arg(&out).args(["--sample", "100%", "--tools"]).arg(place.path());
        let verified = verify.output().unwrap();
        let text = String::from_utf8_lossy(&verified.stdout).into_owned() + &stderr(&verified);
        let expected = if budget == "wall" {
            "all of them may depend on the machine"
        } else {
            "5 of 5 runs agree"
        };
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn importing_the_same_files_gives_the_same_coverage() {
    let place = TempDir::new().unwrap();
    for recording in ALGORITHMS.map(|name| format!("{name}-wall")) {
        let raw = place.path().join(&recording);
        copy(&recordings().join(&recording).join("report"), &raw);
        fs::write(raw.join("pynguin-config.toml"), "[stats]\ntimeline_interval = 100000000\n")
            .unwrap();
        let out = place.path().join(format!("{recording}-imported"));
        let mut command = catherd();
        command.args(["import", "pynguin"]).arg(raw.join("statistics.csv"));
        command.args(["--algorithm", &recording, "--out"]).arg(&out);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        let run = &rows(&out.join("runs.csv"))[0];
        let share = |covered: &str, goals: &str| {
            covered.parse::<f64>().unwrap() / goals.parse::<f64>().unwrap()
        };
        let covered = f64::from(attribute(&recording, "branches-covered"));
        let goals = f64::from(attribute(&recording, "branches-valid"));
        let found = share(&run["covered"], &run["goals"]);
        assert!((found - covered / goals).abs() < 1e-8, "{recording}: {found}");
        let last = rows(&out.join("timeline.csv")).pop().unwrap();
        let at: u64 = last["wall_ms"].parse().unwrap();
        assert!(at <= 4000, "{recording}: the last improvement at {at} ms of 3 s");
    }
}

#[test]
#[ignore = "slow"]
fn runs_that_the_tool_cannot_do_have_a_reason() {
    let place = place();
    for module in ["flutes.math", "no_such.module", "pdir.format", "breaks", "hangs"] {
        project(&place, module);
    }
    let (text, code) = run(
        &place,
        "out",
        "algorithms = ['DYNAMOSA']\nbudget = { executions = 40 }\n[command]\nadapter = 'adapter'\n\
         assertions = 'mutation'\nrun_limit = '3s'\n",
    );
    assert_eq!(code, Some(2), "{text}");
    let runs = rows(&place.path().join("out/runs.csv"));
    let of = |module: &str| runs.iter().find(|run| run["project"] == module).unwrap();
    assert_eq!(of("flutes.math")["outcome"], "done");
    let metrics: BTreeMap<String, f64> =
        serde_json::from_str(&of("flutes.math")["metrics"]).unwrap();
    let score = statistics("mutation")["MutationScore"].parse::<f64>().unwrap();
    assert_eq!(metrics["mutation_score"], score);
    assert_eq!((metrics["mutants_created"], metrics["mutants_killed"]), (13.0, 7.0));
    assert_eq!(of("no_such.module")["outcome"], "failed");
    let reason = &of("no_such.module")["reason"];
    assert_eq!(reason, "unsupported: ModuleNotFoundError: No module named 'no_such'");
    assert!(of("pdir.format")["reason"].starts_with("unsupported: Failed to reload SUT: "));
    assert!(of("breaks")["reason"].ends_with("its last line: [ERROR] the search broke"));
    assert_eq!(of("hangs")["outcome"], "timed-out");
}

/// Executes Python code in which `adapter` is the module of the adapter, and `sys.argv[2]` is the
/// folder.
fn with_adapter(code: &str, folder: &Path) -> Output {
    const IMPORT: &str = "
import importlib.util, json, pathlib, sys
spec = importlib.util.spec_from_file_location('adapter', sys.argv[1])
adapter = importlib.util.module_from_spec(spec)
spec.loader.exec_module(adapter)
";
    let mut python = Command::new("python3");
    python.args(["-B", "-c", &format!("{IMPORT}{code}")]).arg(adapter().join("adapter.py"));
    python.arg(folder).output().unwrap()
}

#[test]
#[ignore = "needs python3"]
fn the_adapter_makes_the_same_result_from_the_same_files() {
    const CODE: &str = "
folder = pathlib.Path(sys.argv[2])
request = json.loads((folder / 'request.json').read_text())
try:
    print(json.dumps(adapter.result_of(request, folder)))
except adapter.Unsupported as reason:
    print(json.dumps({'contract': 1, 'outcome': 'unsupported', 'reason': str(reason)}))
";
    for entry in fs::read_dir(recordings()).unwrap().map(Result::unwrap) {
        let output = with_adapter(CODE, &entry.path());
        assert!(output.status.success(), "{}", stderr(&output));
        let made: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let recorded = fs::read(entry.path().join("result.json")).unwrap();
        let recorded: serde_json::Value = serde_json::from_slice(&recorded).unwrap();
        assert_eq!(made, recorded, "{}", entry.path().display());
    }
}

/// On a busy machine, any module may take too long to load. Such a run has no result, and is
/// repeated.
#[test]
#[ignore = "needs python3"]
fn a_module_that_is_loaded_too_slowly_is_not_unsupported() {
    const CODE: &str = "
try:
    adapter.result_of({}, pathlib.Path(sys.argv[2]))
except (adapter.Unsupported, adapter.Failed) as reason:
    print(type(reason).__name__, reason)
";
    let place = tempfile::tempdir().unwrap();
    let said = |error: &str| {
        let log = format!(
            "[ERROR] Failed to load SUT: \nTraceback (most recent call last):\n  x\n{error}\n"
        );
        fs::write(place.path().join("pynguin.log"), log).unwrap();
        String::from_utf8(with_adapter(CODE, place.path()).stdout).unwrap()
    };
    let late = said("pynguin.utils.timeout.TestExecutionTimeoutError: Timed out after 60s");
    assert!(late.starts_with("Failed the module was not loaded within 60 s: "), "{late}");
    let missing = said("ModuleNotFoundError: No module named 'x'");
    assert_eq!(missing, "Unsupported ModuleNotFoundError: No module named 'x'\n");
}
