//! Tests studies of event sequences through the binary: the records do not depend on the number of
//! workers or on interruptions.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{catherd, digests, program, stderr};
use catherd_coordinator::StoreUrl;
use catherd_coordinator::store::StoreReader;

const STUDY: &str = r#"
subject = "sequences"
projects = ["builtin:moodle", "builtin:abp:2"]
seeds = 20
algorithms = [
    "unranked",
    "ga",
    "direct",
    { label = "own pool", name = "greedy", parameters = { pool_seed = "run" } },
    { name = "risk", parameters = { keep = 10 } },
]

[sequences]
pool = 400
size = 4
measure = ["subsequence:2", "consecutive:3"]

[budget]
executions = 3000
"#;

const RUNS: u64 = 2 * 20 * 5;

fn run(folder: &Path, out: &str, more: &[&str]) {
    let mut command = catherd();
    let command = command.current_dir(folder).args(["run", "study.toml", "--out", out]);
    let output = command.args(more).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

fn ended(out: &Path) -> u64 {
    let reader = StoreReader::open(&StoreUrl::Sqlite(out.join("study.db")));
    let coverage = reader.and_then(|mut reader| reader.coverage()).unwrap_or_default();
    coverage.iter().map(|&(_, _, runs)| runs).sum()
}

#[test]
fn records_are_the_same_with_one_or_eight_workers_and_after_a_kill() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    fs::write(folder.join("study.toml"), STUDY).unwrap();
    run(folder, "one", &["--workers", "1"]);
    let expected = digests(&folder.join("one"));
    assert_eq!(expected.len() as u64, RUNS);

    let out = folder.join("eight");
    let mut study = Command::new(program())
        .current_dir(folder)
        .args(["run", "study.toml", "--workers", "8", "--out", "eight"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while ended(&out) == 0 {
        assert!(start.elapsed() < Duration::from_secs(300), "no run ended");
        std::thread::sleep(Duration::from_millis(2));
    }
    study.kill().unwrap();
    study.wait().unwrap();
    let before = ended(&out);
    assert!((1..RUNS).contains(&before), "{before} runs before the kill");
    run(folder, "eight", &["--workers", "8"]);
    assert_eq!(digests(&out), expected);

    let goals = |out: &str| fs::read_to_string(folder.join(out).join("goals.csv")).unwrap();
    assert_eq!(goals("eight"), goals("one"));
    let of_moodle = goals("one").lines().filter(|line| line.starts_with("moodle,")).count();
    // Pairs of twelve names, of which 66 are reachable.
    assert_eq!(of_moodle, 144);
    let report = catherd().current_dir(folder).args(["report", "one", "-o", "report"]).output();
    assert_eq!(report.unwrap().status.code(), Some(0));
    let table = |name: &str| {
        let file = folder.join("report/tables").join(name).with_extension("csv");
        fs::read_to_string(file).unwrap()
    };
    let sets = table("goal-sets");
    let moodle = sets.lines().find(|line| line.starts_with("moodle,")).unwrap();
    let cells: Vec<&str> = moodle.split(',').collect();
    assert_eq!((cells[1], cells[2], cells[3], cells[7]), ("consecutive:2", "100", "66", "78"));
    let counts: Vec<usize> = cells[4..7].iter().map(|cell| cell.parse().unwrap()).collect();
    assert_eq!(counts.iter().sum::<usize>(), 66);
    let uncovered = table("uncovered");
    let rows = |state: &str| uncovered.lines().filter(|line| line.contains(state)).count();
    assert_eq!(rows("not covered"), {
        let none = |line: &str| line.split(',').nth(6).unwrap().parse::<usize>().unwrap();
        sets.lines().skip(1).map(none).sum::<usize>()
    });
    assert!(rows("covered by few") >= 1 && rows("unreachable") >= 78, "{uncovered}");
}

#[test]
#[ignore = "slow"]
fn shipped_studies_name_built_in_models() {
    let study = Path::new(env!("CARGO_MANIFEST_DIR")).join("../experiments/sequences-smoke.toml");
    let output = catherd().arg("run").arg(study).arg("--dry-run").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}
