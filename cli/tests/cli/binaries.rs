//! Tests what runs of external tools record, such as binary files, snapshots and processor time.

#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use crate::support::cluster::{coordinator, succeed, worker};
use crate::support::{ENVIRONMENT, catherd, program, stderr};
use tempfile::TempDir;

struct Place(TempDir);

impl Place {
    fn new(script: &str) -> Place {
        let place = Place(TempDir::new().unwrap());
        fs::create_dir_all(place.path("adapter")).unwrap();
        fs::create_dir_all(place.path("projects")).unwrap();
        fs::write(place.path("projects/one.txt"), "one").unwrap();
        let description = "contract = 1\ntool = 'fake'\nversion = '1.0'\n";
        fs::write(place.path("adapter/adapter.toml"), description).unwrap();
        place.executable("adapter/run", &format!("#!/bin/sh\n{script}\n"));
        place
    }

    fn executable(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, more: &str) -> (bool, String) {
        let study = format!(
            "subject = 'command'\nprojects = ['projects']\nseeds = 2\nalgorithms = ['x']\n\
             budget = {{ wall = '1min' }}\n[command]\nadapter = 'adapter'\n{more}"
        );
        fs::write(self.path("study.toml"), study).unwrap();
        let words = ["run", "study.toml", "--out", "out", "--workers", "1"];
        let output = catherd().current_dir(self.0.path()).args(words).output().unwrap();
        (output.status.success(), stderr(&output) + &String::from_utf8_lossy(&output.stdout))
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn rows(&self) -> Vec<std::collections::HashMap<String, String>> {
        let mut runs = csv::Reader::from_path(self.path("out/runs.csv")).unwrap();
        runs.deserialize().map(Result::unwrap).collect()
    }
}

#[test]
#[ignore = "slow"]
fn binary_files_are_kept_by_digest_and_large_ones_cost_no_run() {
    let place = Place::new(
        r#"mkdir crashes
printf '\000\377bad' > "crashes/id:0,sig:06"
head -c 52428800 /dev/zero > corpus.tar
ln -s /etc/hostname crashes/link; mkfifo crashes/pipe
ln -s /etc folder
names=""; for n in $(seq 300); do echo $n > crashes/n$n; names="$names, \"crashes/n$n\""; done
printf x > "$(printf 'crashes/a\tb')"
echo "{\"contract\": 1, \"goals\": 2, \"covered\": [1], \"files\": {\"binary\": [
 \"corpus.tar\", \"crashes/id:0,sig:06\", \"crashes/link\", \"crashes/pipe\", \"../x\", \"/etc/hostname\",
 \"folder/hostname\", \"missing\", \"crashes/a\\\\tb\", \"crashes/id:0,sig:06\" $names]}}" > result.json"#,
    );
    let (good, text) = place.run("run_artifacts = '64KiB'\n");
    assert!(good, "{text}");
    for row in place.rows() {
        assert_eq!((&*row["outcome"], &*row["covered"]), ("done", "1"), "{text}");
        // The archive, links, a pipe, paths outside the folder, a missing file, a repeated file,
        // and 102 of 302 other files are left out.
        assert!(row["metrics"].contains("\"files_left_out\":110"), "{}", row["metrics"]);
    }
    let index = place.text("out/artifacts/index.csv");
    assert_eq!(index.lines().count(), 1 + 2 * 200, "{index}");
    assert!(index.contains(",\"crashes-id:0,sig:06\",5,"), "{index}");
    assert!(index.contains(",crashes-a-tb,1,"), "{index}");
    // Both runs have the same files, which are written once.
    let folder = fs::read_dir(place.path("out/artifacts")).unwrap();
    let names: Vec<String> =
        folder.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(names.len(), 201, "{names:?}");
    assert!(names.iter().all(|name| name.len() == 64 || name == "index.csv"), "{names:?}");
    let digest = index.lines().find(|line| line.contains("sig:06")).unwrap();
    let digest = digest.rsplit(',').next().unwrap();
    assert_eq!(fs::read(place.path(&format!("out/artifacts/{digest}"))).unwrap(), b"\0\xffbad");
    let logs = place.path("out/logs/one.txt/x-1.files-left-out.txt");
    let log = fs::read_to_string(logs).unwrap();
    assert!(log.contains("corpus.tar: 52428800 bytes; 65536 of 65536 are left\n"), "{log}");
    assert!(log.contains("not a path within the working folder"), "{log}");
    // A large text file is left out in the same way, and the end of the file is kept as a log.
    let place = Place::new(
        r#"head -c 52428800 /dev/zero | tr '\0' a > big.txt
echo '{"contract": 1, "goals": 2, "covered": [1], "files": {"text": ["big.txt"], "logs": ["big.txt"]}}' > result.json"#,
    );
    let (good, text) = place.run("run_artifacts = '16MiB'\n");
    assert!(good, "{text}");
    for row in place.rows() {
        assert_eq!((&*row["outcome"], &*row["covered"]), ("done", "1"), "{text}");
        assert!(row["metrics"].contains("\"files_left_out\":1"), "{}", row["metrics"]);
    }
    let note = format!("({} earlier bytes are left out)\n", 52_428_800 - (64 << 10));
    assert_eq!(place.text("out/logs/one.txt/x-1.big.txt"), note + &"a".repeat(64 << 10));
    let (_, text) = place.run("run_artifacts = '17MiB'\n");
    assert!(text.contains("`run_artifacts` is more than 16 MiB"), "{text}");
}

/// Disks of different sizes become full at different times of the study.
#[test]
#[ignore = "needs unshare"]
fn a_study_continues_after_its_disk_was_full() {
    for megabytes in [12, 15, 36, 45] {
        continues_after_a_full_disk(megabytes);
    }
}

fn continues_after_a_full_disk(megabytes: u32) {
    let place = Place::new(
        r#"head -c 14000000 /dev/urandom > corpus || exit 1
echo '{"contract": 1, "goals": 2, "covered": [1], "files": {"binary": ["corpus"]}}' > result.json"#,
    );
    let study = "subject = 'command'\nprojects = ['projects']\nseeds = 3\nalgorithms = ['x']\n\
                 budget = { wall = '1min' }\n[command]\nadapter = 'adapter'\nrun_artifacts = '16MiB'\n";
    fs::write(place.path("study.toml"), study).unwrap();
    fs::create_dir(place.path("disk")).unwrap();
    // The disk is a file system of a namespace, so nothing is mounted outside it.
    let script = r#"mount -t tmpfs -o size="$1"m disk disk || exit 9
study() { "$0" run study.toml --out disk/out --workers 1 --quiet --retry-timeout 5; }
if study >&2; then exit 8; fi
mount -o remount,size=400m disk && study >&2 || exit 7
cd disk/out/artifacts && sha256sum [0-9a-f]*[0-9a-f] && cat ../runs.csv"#;
    let mut shell = std::process::Command::new("unshare");
    shell.args(["--map-root-user", "--mount", "sh", "-c", script]).arg(program());
    shell.arg(megabytes.to_string());
    let output = shell.envs(ENVIRONMENT).current_dir(place.path(".")).output().unwrap();
    let (text, errors) = (String::from_utf8_lossy(&output.stdout).into_owned(), stderr(&output));
    assert!(output.status.success(), "{megabytes} MB: {:?}: {errors}", output.status);
    assert!(errors.contains("free disk space"), "{megabytes} MB: {errors}");
    let names = text.lines().filter_map(|line| line.split_once("  "));
    let names: Vec<_> = names.filter(|(digest, _)| digest.len() == 64).collect();
    assert_eq!(names.len(), 3, "{megabytes} MB: {text}");
    assert!(names.iter().all(|(digest, name)| digest == name), "{text}");
    assert_eq!(text.matches(",done,").count(), 3, "{megabytes} MB: {text}");
}

#[test]
#[ignore = "slow"]
fn a_killed_run_keeps_its_snapshot() {
    let snapshot = r#"echo '{"contract": 1, "goals": 9, "covered": [0, 4], "timeline":
 [{"wall_ms": 10, "covered": 2}], "faults": [{"name": "crash in f", "wall_ms": 7}]}' > new.json
mv new.json snapshot.json"#;
    let ends = [
        ("trap '' TERM; sleep 60", "run_limit = '2s'\n", "ended by its limit of 2 s"),
        ("sleep 60", "run_limit = '2s'\n", "signal: 15 (SIGTERM)"),
        ("kill -9 $$", "", "signal: 9 (SIGKILL)"),
        ("while :; do :; done", "run_cpu = '1s'\n", "signal: 15 (SIGTERM)"),
    ];
    for (end, limit, reason) in ends {
        let place = Place::new(&format!("{snapshot}\n{end}"));
        let (good, text) = place.run(limit);
        assert!(good, "{end}: {text}");
        for row in place.rows() {
            assert_eq!((&*row["outcome"], &*row["covered"]), ("done", "2"), "{end}: {text}");
            let metrics = &row["metrics"];
            assert!(metrics.contains("\"from_snapshot\":1"), "{end}: {metrics}");
            assert!(metrics.contains("\"exposed_ms.crash in f\":7"), "{end}: {metrics}");
        }
        let log = place.text("out/logs/one.txt/x-1.snapshot.txt");
        assert!(log.contains(reason), "{end}: {log}");
    }
    // Without a snapshot, the reason names the limit of processor time.
    let place = Place::new("while :; do :; done");
    place.run("run_cpu = '1s'\n");
    for row in place.rows() {
        assert_eq!(row["outcome"], "timed-out");
        assert_eq!(row["reason"], "ended by its limit of 1 s of processor time");
    }
}

#[test]
#[ignore = "slow"]
fn processor_time_is_that_of_all_processes() {
    let place = Place::new(
        r#"work() { timeout "$1" sh -c 'while :; do :; done'; }
work 1
(setsid sh -c 'timeout 1 sh -c "while :; do :; done"; touch done' &)
while ! test -e done; do sleep 0.1; done
sleep 1
echo '{"contract": 1, "goals": 1, "covered": [0]}' > result.json"#,
    );
    let (good, text) = place.run("");
    assert!(good, "{text}");
    for row in place.rows() {
        let cpu: u64 = row["cpu_ms"].parse().unwrap();
        let wall: u64 = row["wall_ms"].parse().unwrap();
        // Two processes worked for one second each if the machine was idle, and no process worked
        // while the run slept.
        assert!(cpu > 200 && cpu + 900 < wall, "{cpu} of {wall}");
    }
}

#[test]
fn a_measurer_is_a_part_of_the_run() {
    let place = Place::new(
        r#"folder=$(sed -n 's/^ *"folder": "\(.*\)",*$/\1/p' "$2")
echo one > left; "$folder/run" measure "$2""#,
    );
    fs::create_dir_all(place.path("measure")).unwrap();
    let description = "contract = 1\ntool = 'counter'\nversion = '1'\n";
    fs::write(place.path("measure/adapter.toml"), description).unwrap();
    let script = |goals: usize| {
        format!(
            "#!/bin/sh\ntest \"$1\" = measure && test -f left || exit 1\n\
             echo '{{\"contract\": 1, \"goals\": {goals}, \"covered\": [0]}}' > result.json\n"
        )
    };
    place.executable("measure/run", &script(3));
    let (good, text) = place.run("measurer = 'measure'\n");
    assert!(good, "{text}");
    let first = place.rows();
    assert!(first.iter().all(|row| row["goals"] == "3"), "{text}");
    // The digest of the measurer is part of a run, so a folder with runs of the previous measurer
    // is refused.
    place.executable("measure/run", &script(4));
    let (good, text) = place.run("measurer = 'measure'\n");
    assert!(!good && text.contains("measurer_digest"), "{text}");
    let (_, text) = place.run("measurer = 'nothing'\n");
    assert!(text.contains("nothing/adapter.toml"), "{text}");
}

#[test]
#[ignore = "slow"]
fn workers_of_a_cluster_deliver_binary_files() {
    let place = Place::new(
        r#"head -c 3145728 /dev/urandom > corpus.bin
echo '{"contract": 1, "goals": 2, "covered": [1], "files": {"binary": ["corpus.bin"]}}' > result.json"#,
    );
    let study = "subject = 'command'\nprojects = ['projects']\nseeds = 2\nalgorithms = ['x']\n\
                 budget = { wall = '1min' }\n[command]\nadapter = 'adapter'\nrun_artifacts = '4MiB'\n";
    fs::write(place.path("study.toml"), study).unwrap();
    let (_coordinator, address) = coordinator(&place.path("store"), &["--listen", "127.0.0.1:0"]);
    let (programs, tools) = (place.path("programs"), place.path(""));
    let more = ["--programs", programs.to_str().unwrap(), "--tools", tools.to_str().unwrap()];
    let _worker = worker(&address, &place.path("worker"), &more);
    let file = place.path("study.toml");
    succeed(&["submit", file.to_str().unwrap()], &address);
    succeed(&["watch"], &address);
    let out = place.path("out");
    succeed(&["results", "study", "--out", out.to_str().unwrap()], &address);
    let index = place.text("out/artifacts/index.csv");
    assert_eq!(index.matches(",corpus.bin,3145728,").count(), 2, "{index}");
    for line in index.lines().skip(1) {
        let digest = line.rsplit(',').next().unwrap();
        let file = place.path(&format!("out/artifacts/{digest}"));
        assert_eq!(fs::metadata(file).unwrap().len(), 3_145_728);
    }
}

#[test]
#[ignore = "slow"]
fn criteria_have_timelines_and_runs_record_the_conditions_of_the_machine() {
    let answer = |end: u32| {
        format!(
            r#"sleep 1; echo '{{"contract": 1, "criteria": [
  {{"name": "regions", "goals": 9, "covered": [0, 4]}}, {{"name": "branches", "goals": 6, "covered": [1, 2, 5]}}],
  "timeline": [{{"wall_ms": 2, "work": [], "covered": 2}}],
  "timelines": {{"branches": [{{"wall_ms": 3, "work": [], "covered": 1}}, {{"wall_ms": 80, "work": [], "covered": {end}}}]}},
  "metrics": {{"executions": 70}}}}' > result.json"#
        )
    };
    let place = Place::new(&answer(3));
    let (good, text) = place.run("");
    assert!(good, "{text}");
    let timelines = place.text("out/criteria-timeline.csv");
    let points: Vec<&str> = timelines.lines().skip(1).collect();
    assert!(
        points.len() >= 2 && points.iter().all(|line| line.contains(",branches,")),
        "{timelines}"
    );
    assert!(timelines.lines().nth(2).unwrap().ends_with(",80,3,6"), "{timelines}");
    for row in place.rows() {
        let started: u64 = row["started_ms"].parse().unwrap();
        assert!(started > 1_700_000_000_000, "{row:?}");
        if cfg!(target_os = "linux") {
            let busy: f64 = row["others_busy"].parse().unwrap();
            assert!((0.0..=1.0).contains(&busy), "{row:?}");
            assert!(row["preemptions"].parse::<u64>().is_ok(), "{row:?}");
        }
    }
    let mut report = catherd();
    report.args(["report", "out", "--out", "page"]).current_dir(place.path("."));
    let report = report.output().unwrap();
    assert!(report.status.success(), "{}", stderr(&report));
    let criteria = place.text("page/tables/criteria.csv");
    assert!(criteria.contains("branches,"), "{criteria}");
    assert!(place.path("page/figures/growth-criterion-branches.svg").exists());
    assert!(place.text("page/tables/metrics.csv").contains("executions,"));

    let place = Place::new(&answer(2));
    let (_, text) = place.run("");
    let reason = &place.rows()[0]["reason"];
    assert!(
        reason.contains("timelines.branches: it does not end with the number of covered goals"),
        "{reason} {text}"
    );
}
