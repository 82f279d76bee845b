//! Tests `catherd generate --assertions` with the binary: the remaining assertions kill the same
//! mutants.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{catherd, stderr};
use tempfile::TempDir;

fn project(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../datasets/demo").join(name)
}

fn generate(place: &TempDir, name: &str, which: &str) -> serde_json::Value {
    let file = place.path().join(format!("{which}.json"));
    let mut command = catherd();
    command.arg("generate").arg(project(name)).args(["--executions", "60", "--seed", "3"]);
    command.args(["--quiet", "--assertions", which, "--out"]).arg(&file);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

fn killed(place: &TempDir, name: &str, which: &str) -> BTreeSet<String> {
    let mut command = catherd();
    command.arg("mutate").arg(project(name)).arg(place.path().join(format!("{which}.json")));
    let output = command.args(["--stable", "--json", "--quiet"]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    let mutants = text.lines().map(|line| serde_json::from_str(line).unwrap());
    let killed = mutants.filter(|mutant: &serde_json::Value| mutant["outcome"] == "killed");
    killed.map(|mutant| mutant["mutant"].to_string()).collect()
}

/// Returns the assertions of a suite, each after the number of its test.
fn assertions(suite: &serde_json::Value) -> Vec<String> {
    let tests = suite["tests"].as_array().unwrap().iter().enumerate();
    let of = |(number, test): (usize, &serde_json::Value)| -> Vec<String> {
        let list = test["assertions"].as_array().unwrap();
        list.iter().map(|assertion| format!("{number} {assertion}")).collect()
    };
    tests.flat_map(of).collect()
}

#[test]
#[ignore = "slow"]
fn fewer_assertions_notice_the_same_mutants() {
    for name in ["traffic-light", "ball-bounce", "quiz"] {
        let place = TempDir::new().unwrap();
        let levels = ["all", "relevant", "minimal", "minimal-by-test", "diverse"];
        let suites = levels.map(|which| generate(&place, name, which));
        let kept = suites.each_ref().map(assertions);
        let sets = kept.each_ref().map(|kept| kept.iter().collect::<BTreeSet<_>>());
        assert!(sets[1].is_subset(&sets[0]), "{name}");
        assert!(kept[2].len() < kept[0].len(), "{name}: {:?}", kept.each_ref().map(Vec::len));
        let noticed = levels.map(|which| killed(&place, name, which));
        assert!(!noticed[0].is_empty(), "{name}");
        assert_eq!(noticed[1], noticed[0], "{name}: relevant");
        assert_eq!(noticed[2], noticed[0], "{name}: minimal");
        assert_eq!(noticed[3], noticed[0], "{name}: minimal by test");
        assert_eq!(noticed[4], noticed[0], "{name}: diverse");
        assert!(kept[2].len() <= kept[3].len() && sets[3].is_subset(&sets[1]), "{name}");
        assert!(sets[4].is_subset(&sets[0]) && kept[4].len() <= kept[0].len(), "{name}");
        for (which, suite) in levels.iter().zip(&suites).skip(1) {
            let tests = |suite: &serde_json::Value| suite["tests"].as_array().unwrap().clone();
            for (test, original) in tests(suite).iter().zip(tests(&suites[0])) {
                assert_eq!(test["events"], original["events"], "{name}");
                assert_eq!(test["covers"], original["covers"], "{name}");
                assert_eq!(test["flaky"].as_array().map_or(0, Vec::len), 0, "{name}");
            }
            // The suite passes on the project with the suite's seed and with another seed.
            let file = place.path().join(format!("{which}.json"));
            for seed in ["3", "11"] {
                let mut command = catherd();
                command.arg("test").arg(project(name)).arg(&file).args(["--seed", seed]);
                let output = command.output().unwrap();
                assert!(output.status.success(), "{name}: {}", stderr(&output));
            }
        }
        assert_eq!(generate(&place, name, "minimal"), suites[2], "{name}: the same every time");
    }
}

#[test]
fn a_study_minimises_the_assertions_of_its_suites() {
    let place = TempDir::new().unwrap();
    let study = format!(
        "projects = ['{}']\nseeds = 1\nbudget = {{ executions = 40 }}\nalgorithms = [\n\
         {{ name = 'mio', parameters = {{ assertions = true }} }},\n\
         {{ name = 'mio', label = 'minimal', parameters = {{ minimise_assertions = 'minimal', \
         asked_mutants = 100 }} }}]\n",
        project("traffic-light").display()
    );
    let file = place.path().join("study.toml");
    fs::write(&file, &study).unwrap();
    let out = place.path().join("out");
    let run = |study: &Path| catherd().arg("run").arg(study).arg("--out").arg(&out).output();
    let output = run(&file).unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let suite = |label: &str| -> serde_json::Value {
        let file = out.join(format!("suites/traffic-light/{label}-1.json"));
        serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
    };
    let [all, minimal] = [suite("mio"), suite("minimal")].map(|suite| assertions(&suite).len());
    assert!(0 < minimal && minimal < all, "{minimal} of {all}");
    let wrong = place.path().join("wrong.toml");
    fs::write(&wrong, study.replace("'minimal'", "'fewer'")).unwrap();
    let refused = stderr(&run(&wrong).unwrap());
    assert!(refused.contains("write none, relevant, minimal"), "{refused}");
}
