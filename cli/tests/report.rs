//! `catherd report` and `catherd reproduce` through the binary.

mod support;

use std::fs;
use std::process::Output;

use support::{catherd, small, stderr};

const RUNS: &str = "\
project,algorithm,seed,goals,covered
Pong,random,1,10,8
Pong,random,2,10,7
Pong,mio,1,10,10
Pong,mio,2,10,9
";

#[test]
fn imported_runs_are_reported_explained_and_checked() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("raw.csv"), RUNS).unwrap();
    let call = |arguments: &[&str]| -> Output {
        catherd().current_dir(&place).args(arguments).output().unwrap()
    };
    let words = |output: &Output| String::from_utf8(output.stdout.clone()).unwrap();
    assert_eq!(call(&["import", "csv", "raw.csv", "--out", "tables"]).status.code(), Some(0));

    let output = call(&["report", "tables", "-o", "page", "--title", "Pong & co"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let page = fs::read_to_string(place.path().join("page/report.html")).unwrap();
    assert!(page.contains("<h1>Pong &amp; co</h1>"));
    assert!(page.contains("Coverage over time: needs a timeline"));
    let table = fs::read_to_string(place.path().join("page/tables/table6.csv")).unwrap();
    assert!(table.contains("mio,random,1,"), "{table}");

    let output = call(&["report", "tables", "--explain", "algorithms/mio/mean"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let said = words(&output);
    assert!(said.starts_with("algorithms/mio/mean is 95.00 %, computed from 2 runs\n"), "{said}");
    assert!(said.contains("100.00 %") && said.contains("90.00 %") && !said.contains("80.00 %"));
    assert!(!place.path().join("report").exists(), "explaining writes nothing");

    let check = |text: &str| call(&["report", "tables", "-o", "page", "--check", text]);
    assert_eq!(check("algorithms/mio/mean >= 95 %").status.code(), Some(0));
    let output = check("algorithms/mio/mean > 95 %");
    assert_eq!(output.status.code(), Some(4));
    assert!(words(&output).contains("FAILED, it is 95.00 %"), "{}", words(&output));
    let output = check("algorithms/moi/mean > 95 %");
    assert_eq!(output.status.code(), Some(1));
    let said = stderr(&output);
    assert!(said.contains("unknown row `moi`: the report has random; mio"), "{said}");
    assert_eq!(call(&["report", "nowhere"]).status.code(), Some(1));
}

#[test]
fn a_study_is_run_and_reported() {
    let place = tempfile::tempdir().unwrap();
    let project = place.path().join("projects/cat");
    fs::create_dir_all(&project).unwrap();
    fs::write(project.join("project.json"), small("a")).unwrap();
    fs::write(
        place.path().join("tiny.toml"),
        "projects = [\"projects\"]\nalgorithms = [\"random\"]\nseeds = 2\nbudget.executions = 5\n",
    )
    .unwrap();
    let reproduce = |bound: &str| {
        let check = format!("algorithms/random/mean {bound}");
        let arguments = ["reproduce", "tiny.toml", "--quiet", "--check", &check];
        catherd().current_dir(&place).args(arguments).output().unwrap()
    };
    let output = reproduce("> 0");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(place.path().join("results/tiny/report/report.html").exists());
    assert_eq!(reproduce("> 1").status.code(), Some(4));
}
