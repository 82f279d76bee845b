//! Tests of fuzzing executions and campaigns.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use catherd_scratch_conformance::fuzz::{Campaign, CampaignReport, case, execute, run_campaign};

const EXECUTIONS: u64 = 40;

fn demo() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../datasets/demo");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut projects: Vec<_> = entries.filter(|path| path.join("project.json").is_file()).collect();
    projects.sort();
    projects
}

#[test]
#[ignore = "slow"]
fn damaged_projects_are_refused_or_run() {
    let projects = demo();
    let mut ran = 0;
    for number in 0..EXECUTIONS {
        let case = case(&projects, 0, number).unwrap();
        let outcome =
            execute(&case).unwrap_or_else(|broken| panic!("execution {number}: {broken}"));
        ran += u64::from(outcome == "ran");
    }
    // Enough projects must remain readable, because otherwise only the reader is tested.
    assert!((EXECUTIONS / 4..EXECUTIONS).contains(&ran), "{ran} of {EXECUTIONS} ran");
}

#[test]
#[ignore = "slow"]
fn damage_is_a_function_of_seed_and_number() {
    let projects = demo();
    let bytes = |seed, number| case(&projects, seed, number).unwrap().bytes;
    for number in 0..20 {
        assert!(bytes(3, number) == bytes(3, number));
        assert!(bytes(3, number) != bytes(4, number));
    }
}

/// `$FIRST` is the number of the first execution of a process.
fn scripted(script: &str, failures: &Path) -> CampaignReport {
    let projects = demo();
    let settings = Campaign {
        projects: &projects,
        seed: 1,
        first: 10,
        executions: Some(4),
        duration: Duration::from_secs(60),
        jobs: 1,
        time_limit: Duration::from_millis(50),
        failures,
    };
    let executor = |first: u64, _| {
        let mut command = Command::new("sh");
        command.args(["-c", script]).env("FIRST", first.to_string());
        command
    };
    run_campaign(&settings, executor, || ()).unwrap()
}

#[test]
fn campaigns_survive_crashes_and_hangs() {
    let folder = tempfile::tempdir().unwrap();
    let script = r#"for i in $(seq $FIRST 13); do
        [ $i = 11 ] && { echo stack smashed >&2; kill -SEGV $$; }
        [ $i = 12 ] && exec sleep 100
        echo $i 5 1000 ran
    done"#;
    let report = scripted(script, folder.path());
    let failures: Vec<_> = report.failures.iter().map(|f| (f.execution, &*f.cause)).collect();
    assert_eq!(failures.len(), 2, "{failures:?}");
    assert!(failures[0].0 == 11 && failures[0].1.contains("stack smashed"), "{failures:?}");
    assert!(failures[1].0 == 12 && failures[1].1.contains("hangs"), "{failures:?}");
    assert_eq!(report.executions, 2);
    assert_eq!(report.outcomes["ran"], 2);
    for failure in &report.failures {
        let stored = std::fs::read(&failure.file).unwrap();
        assert_eq!(stored, case(&demo(), 1, failure.execution).unwrap().bytes);
    }
}

#[test]
fn the_end_of_a_long_message_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let script = r#"for i in $(seq $FIRST 13); do
        [ $i = 11 ] && { yes | head -c 200000 >&2; echo stack smashed >&2; kill -SEGV $$; }
        echo $i 5 1000 ran
    done"#;
    let report = scripted(script, folder.path());
    let [failure] = &report.failures[..] else { panic!("{:?}", report.failures) };
    let cause = &failure.cause;
    assert!(failure.execution == 11 && cause.ends_with("stack smashed"), "{cause}");
    assert!(cause.contains(": (195918 earlier bytes are left out) "), "{cause}");
}

#[test]
fn campaigns_report_broken_properties() {
    let folder = tempfile::tempdir().unwrap();
    let report = scripted("echo $FIRST 7 1000 BROKEN it forgot", folder.path());
    assert_eq!(report.failures.len(), 4);
    assert!(report.failures.iter().all(|f| f.cause == "it forgot"));
}
