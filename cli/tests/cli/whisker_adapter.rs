//! Tests the adapter for Whisker with the `catherd` binary, and with replacements for Whisker's
//! checkout and browser.

#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Output;

use crate::support::{catherd, stderr};
use tempfile::TempDir;

/// A replacement for Whisker's servant, which writes the columns of the original.
const SERVANT: &str = r#"
const fs = require('fs');
const browser = require('child_process').spawnSync(process.env.CHROME_BIN, ['--headless'], { encoding: 'utf8' });
if (browser.stdout !== '--enable-unsafe-swiftshader --headless\n') process.exit(3);
const at = (name) => process.argv[process.argv.indexOf(name) + 1];
const config = JSON.parse(fs.readFileSync(at('--config-path')));
const duration = config.stoppingCondition.conditions[0].duration;
fs.writeFileSync(at('--test-download-dir') + '/tests.js', 'module.exports = [];\n');
const header = 'projectName,configName,fitnessFunctionCount,iterationCount,' +
  'coveredFitnessFunctionCount,bestCoverage,testsuiteEventCount,executedEventsCount,executedTests,' +
  'minimizedTests,minimizedEvents,averageTestExecutionTime,bestTestSuiteSize,' +
  'numberFitnessEvaluations,createdTestsToReachFullCoverage,timeToReachFullCoverage,0,1000,2000';
const row = `game,mio,54,9,${duration === 20000 ? 52 : 0},0.963,20,924,135,-2,36,443,3,135,-1,-1,40,50,52`;
fs.writeFileSync(at('--csv-file'), `${header}\n${row}`);
"#;

fn write(file: &Path, text: &str) {
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

#[test]
#[ignore = "needs node"]
fn the_original_runs_under_the_contract() {
    let place = TempDir::new().unwrap();
    let path = |name: &str| place.path().join(name);
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../adapters/whisker");
    for name in ["adapter.toml", "adapter.mjs", "checkout.txt", "run"] {
        write(&path("adapter").join(name), &fs::read_to_string(own.join(name)).unwrap());
    }
    fs::set_permissions(path("adapter/run"), fs::Permissions::from_mode(0o755)).unwrap();
    let checkout = path("checkout");
    write(&checkout.join("servant/servant.js"), SERVANT);
    write(&checkout.join("package.json"), "{\"version\": \"0.8.0\"}");
    let config = "{\"stoppingCondition\": {\"conditions\": [{\"type\": \"fixedTime\"}]}}";
    write(&checkout.join("config/mio.json"), config);
    write(&checkout.join("node_modules/puppeteer/package.json"), "{}");
    let browser = path("a browser");
    write(&browser, "#!/bin/sh\necho \"$@\"\n");
    fs::set_permissions(&browser, fs::Permissions::from_mode(0o755)).unwrap();
    write(&path("projects/game.sb3"), "a project");
    write(&path("projects/other.txt"), "none");
    write(
        &path("study.toml"),
        "subject = 'command'\nprojects = ['projects']\nseeds = 1\nalgorithms = ['mio']\n\
         budget = { wall = '2s' }\n[command]\nadapter = 'adapter'\n",
    );
    let run = |words: &[&str]| -> Output {
        let mut command = catherd();
        command.current_dir(place.path()).args(words);
        command.env("WHISKER_HOME", &checkout).env("CHROME_BIN", &browser);
        command.output().unwrap()
    };
    let text = |output: &Output| stderr(output) + &String::from_utf8_lossy(&output.stdout);
    let missing = text(&run(&["tool", "prepare", "study.toml"]));
    assert!(missing.contains("whisker-web/dist/index.html is missing"), "{missing}");
    write(&checkout.join("whisker-web/dist/index.html"), "");
    let prepared = run(&["tool", "prepare", "study.toml"]);
    assert!(prepared.status.success(), "{}", text(&prepared));
    let healthy = run(&["doctor", "study.toml"]);
    assert!(text(&healthy).contains("whisker 0.8.0: can be run"), "{}", text(&healthy));

    let output = run(&["run", "study.toml", "--out", "out"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    let mut runs = csv::Reader::from_path(path("out/runs.csv")).unwrap();
    let runs: Vec<std::collections::BTreeMap<String, String>> =
        runs.deserialize().map(Result::unwrap).collect();
    let of = |project: &str| runs.iter().find(|run| run["project"] == project).unwrap();
    assert_eq!((&*of("game.sb3")["goals"], &*of("game.sb3")["covered"]), ("54", "52"));
    assert_eq!((&*of("game.sb3")["suite_tests"], &*of("game.sb3")["suite_size"]), ("3", "10"));
    assert_eq!(of("other.txt")["reason"], "unsupported: not a project of Scratch 3 (.sb3)");
    let timeline = fs::read_to_string(path("out/timeline.csv")).unwrap();
    assert_eq!(timeline.lines().count(), 4, "{timeline}");
}
