//! Tests the processor time of runs of three subject kinds: the time is recorded, and changes
//! neither digests nor the results in packages.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use crate::support::{catherd, digests, stderr, two_projects};
use serde_json::Value;
use tempfile::TempDir;

/// Kind, projects with algorithms, and budget of each study. The worker itself executes runs of the
/// first study; a separate process executes runs of the other studies.
const STUDIES: [(&str, &str, &str); 3] = [
    ("scratch", "projects = ['projects']\nalgorithms = ['mio']", "executions = 30"),
    ("javascript", "projects = ['list.js']\nalgorithms = ['random']", "executions = 30"),
    ("sequences", "projects = ['builtin:abp']\nalgorithms = ['unranked']", "executions = 5"),
];

fn succeed(place: &Path, words: &[&str]) -> String {
    let output = catherd().current_dir(place).args(words).output().unwrap();
    assert!(output.status.success(), "{words:?}: {}", stderr(&output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
#[ignore = "slow"]
fn every_run_has_its_processor_time_and_the_same_digest_again() {
    let place = TempDir::new().unwrap();
    let place = place.path();
    two_projects(&place.join("projects"));
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("../datasets/javascript/linked-list.js");
    fs::copy(list, place.join("list.js")).unwrap();
    for (kind, projects, budget) in STUDIES {
        let study = format!(
            "name = '{kind}'\nsubject = '{kind}'\n{projects}\nseeds = 2\nbudget = {{ {budget} }}\n"
        );
        let file = format!("{kind}.toml");
        fs::write(place.join(&file), study).unwrap();
        let mut packages = Vec::new();
        for time in ["first", "again"] {
            let out = format!("{kind}-{time}");
            succeed(place, &["run", &file, "--out", &out, "--workers", "1", "--quiet"]);
            let mut runs = csv::Reader::from_path(place.join(&out).join("runs.csv")).unwrap();
            for row in runs.deserialize() {
                let row: HashMap<String, String> = row.unwrap();
                let cpu: u64 = row["cpu_ms"].parse().unwrap();
                // Usually, only one thread works at a time, but clocks differ by some milliseconds.
                let wall: u64 = row["wall_ms"].parse().unwrap();
                assert!((1..=2 * wall + 100).contains(&cpu), "{cpu} of {wall}");
                // Other conditions are measured only for budgets in real time.
                assert!(row["started_ms"].is_empty(), "{row:?}");
            }
            let package = format!("{out}.zip");
            succeed(place, &["archive", &out, "--with-projects", "-o", &package]);
            packages.push(results_of(&place.join(package)));
        }
        let said = succeed(place, &["verify", &format!("{kind}-first"), "--sample", "100%"]);
        assert!(!said.contains("differ"), "{said}");
        succeed(place, &["verify", &format!("{kind}-first.zip"), "--sample", "1"]);
        let both = ["first", "again"].map(|time| digests(&place.join(format!("{kind}-{time}"))));
        assert!(!both[0].is_empty() && both[0] == both[1], "{kind}");
        assert_eq!(packages[0], packages[1], "{kind}");
    }
}

fn results_of(package: &Path) -> Value {
    let mut zip = zip::ZipArchive::new(fs::File::open(package).unwrap()).unwrap();
    let list = zip.by_name("archive.json").unwrap();
    let list: Value = serde_json::from_reader(list).unwrap();
    assert!(!list["results"].is_null());
    list["results"].clone()
}
