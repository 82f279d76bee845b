//! Tests `catherd report` and `catherd reproduce` through the binary.

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use crate::support::{catherd, small, stderr};

const RUNS: &str = "\
project,algorithm,seed,goals,covered
Pong,random,1,10,8
Pong,random,2,10,7
Pong,mio,1,10,10
Pong,mio,2,10,9
";

#[test]
fn imported_runs_are_reported_explained_and_checked() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("raw.csv"), RUNS).unwrap();
    let call = |arguments: &[&str]| -> Output {
        catherd().current_dir(&directory).args(arguments).output().unwrap()
    };
    let stdout = |output: &Output| String::from_utf8(output.stdout.clone()).unwrap();
    assert_eq!(call(&["import", "csv", "raw.csv", "--out", "tables"]).status.code(), Some(0));

    let output = call(&["report", "tables", "-o", "page", "--title", "Pong & co"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let page = fs::read_to_string(directory.path().join("page/report.html")).unwrap();
    assert!(page.contains("<h1>Pong &amp; co</h1>"));
    assert!(page.contains("Coverage over time: needs a timeline"));
    let table = fs::read_to_string(directory.path().join("page/tables/table6.csv")).unwrap();
    assert!(table.contains("mio,random,1,"), "{table}");

    let output = call(&["report", "tables", "--explain", "algorithms/mio/mean"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.starts_with("algorithms/mio/mean is 95.00 %, computed from 2 runs\n"), "{text}");
    assert!(text.contains("100.00 %") && text.contains("90.00 %") && !text.contains("80.00 %"));
    assert!(!directory.path().join("report").exists(), "explaining writes nothing");

    let check = |check: &str| call(&["report", "tables", "-o", "page", "--check", check]);
    assert_eq!(check("algorithms/mio/mean >= 95 %").status.code(), Some(0));
    let output = check("algorithms/mio/mean > 95 %");
    assert_eq!(output.status.code(), Some(4));
    assert!(stdout(&output).contains("FAILED, it is 95.00 %"), "{}", stdout(&output));
    let output = check("algorithms/moi/mean > 95 %");
    assert_eq!(output.status.code(), Some(1));
    let text = stderr(&output);
    assert!(text.contains("unknown row `moi`: expected one of random; mio"), "{text}");
    assert_eq!(call(&["report", "nowhere"]).status.code(), Some(1));
}

#[test]
fn ambiguous_rows_and_bounds_in_the_wrong_unit_are_refused() {
    let place = tempfile::tempdir().unwrap();
    let third = RUNS.replace("random", "mosa");
    let runs = format!("{RUNS}{}", third.lines().skip(1).take(2).collect::<Vec<_>>().join("\n"));
    fs::write(place.path().join("raw.csv"), runs).unwrap();
    let call = |arguments: &[&str]| -> Output {
        catherd().current_dir(&place).args(arguments).output().unwrap()
    };
    call(&["import", "csv", "raw.csv", "--out", "tables"]);
    for (flag, value) in
        [("--explain", "table6/mosa/better"), ("--check", "table6/mosa/better > 0")]
    {
        let output = call(&["report", "tables", flag, value]);
        assert_eq!(output.status.code(), Some(1));
        let said = stderr(&output);
        assert!(said.contains("ambiguous row `mosa`: it matches row 2 (mosa,random,"), "{said}");
        assert!(said.contains("; row 3 (mosa,mio,"), "{said}");
    }
    let output = call(&["report", "tables", "--check", "algorithms/mio/mean > 50"]);
    assert_eq!(output.status.code(), Some(1));
    let said = stderr(&output);
    assert!(said.contains("it is a share from 0 to 1") && said.contains("`50 %`"), "{said}");
    let output = call(&["report", "tables", "--explain", "aa-test/mio/false_positive_rate"]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.starts_with("aa-test/mio/false_positive_rate is n/a"), "{said}");
}

#[test]
#[ignore = "slow"]
fn a_check_of_an_incomplete_study_fails() {
    let place = tempfile::tempdir().unwrap();
    let folder = study(&place, 2);
    let call = |arguments: &[&str]| -> Output {
        let report = ["report", "results/tiny", "-o", "page", "--check"];
        catherd().current_dir(&place).args(report).args(arguments).output().unwrap()
    };
    let words = |output: &Output| String::from_utf8(output.stdout.clone()).unwrap();
    let check = ["table6/1/missing = 0"];
    assert_eq!(call(&check).status.code(), Some(0));
    // The plan has a third seed, but the tables contain only the runs of two seeds.
    let plan = fs::read_to_string(folder.join("study.json")).unwrap();
    let mut plan: serde_json::Value = serde_json::from_str(&plan).unwrap();
    plan["seeds"] = serde_json::json!([1, 2, 3]);
    fs::write(folder.join("study.json"), plan.to_string()).unwrap();
    let state = folder.join("study-state.json");
    if state.exists() {
        let text = fs::read_to_string(&state).unwrap();
        let mut counts: serde_json::Value = serde_json::from_str(&text).unwrap();
        counts["planned"] = 6.into();
        counts["pending"] = 2.into();
        counts["complete"] = false.into();
        fs::write(&state, counts.to_string()).unwrap();
    }
    let output = call(&check);
    assert_eq!(output.status.code(), Some(4), "{}", stderr(&output));
    let said = words(&output);
    assert!(said.starts_with("Interim: 4 of 6 runs.\n"), "{said}");
    assert!(said.contains("FAILED, it is 0; interim: 4 of 6 runs"), "{said}");
    assert!(said.contains("2 of 6 planned runs have no coverage (2 not run)"), "{said}");
    let output = call(&["table6/1/missing = 0", "--interim"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(words(&output).contains("holds, it is 0; interim: 4 of 6 runs"), "{}", words(&output));
    let page = fs::read_to_string(place.path().join("page/report.html")).unwrap();
    assert!(page.contains(">interim: 4 of 6 runs<"));
    let earlier = ["no worse", "--against", "results/tiny"];
    let output = call(&earlier);
    assert_eq!(output.status.code(), Some(4), "{}", stderr(&output));
    assert!(words(&output).contains("FAILED for mio, +0.00 percentage"), "{}", words(&output));
    let output = call(&[&earlier[..], &["--interim"][..]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));

    // A project without any run is missing from every comparison.
    plan["projects"] = serde_json::json!([
        plan["projects"][0],
        { "name": "dog", "digest": "0".repeat(64) },
    ]);
    fs::write(folder.join("study.json"), plan.to_string()).unwrap();
    let output = call(&["table6/1/missing = 0", "--interim"]);
    assert_eq!(output.status.code(), Some(4));
    assert!(words(&output).contains("FAILED, it is 1"), "{}", words(&output));
}

#[test]
fn too_few_seeds_are_reported_before_the_run() {
    let place = tempfile::tempdir().unwrap();
    let said = |seeds: usize| stderr(&run(&place, seeds));
    let needed = "note: with 3 seeds, no difference between algorithms on a project can be \
                  significant: 4 are needed for p < 0.05";
    assert!(said(3).contains(needed), "{}", said(3));
    assert!(!said(4).contains("significant"));
}

fn run(place: &tempfile::TempDir, seeds: usize) -> Output {
    let project = place.path().join("projects/cat");
    fs::create_dir_all(&project).unwrap();
    fs::write(project.join("project.json"), small("a")).unwrap();
    let study = format!(
        "projects = [\"projects\"]\nalgorithms = [\"random\", \"mio\"]\nseeds = {seeds}\n\
         budget.executions = 5\n"
    );
    fs::write(place.path().join("tiny.toml"), study).unwrap();
    catherd().current_dir(place).args(["run", "tiny.toml"]).output().unwrap()
}

fn study(place: &tempfile::TempDir, seeds: usize) -> PathBuf {
    let output = run(place, seeds);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    place.path().join("results/tiny")
}

#[test]
fn a_study_is_run_and_reported() {
    let directory = tempfile::tempdir().unwrap();
    let project = directory.path().join("projects/cat");
    fs::create_dir_all(&project).unwrap();
    fs::write(project.join("project.json"), small("a")).unwrap();
    fs::write(
        directory.path().join("tiny.toml"),
        "projects = [\"projects\"]\nalgorithms = [\"random\"]\nseeds = 2\nbudget.executions = 5\n",
    )
    .unwrap();
    let reproduce = |bound: &str| {
        let check = format!("algorithms/random/mean {bound}");
        let arguments = ["reproduce", "tiny.toml", "--quiet", "--check", &check];
        catherd().current_dir(&directory).args(arguments).output().unwrap()
    };
    let output = reproduce("> 0");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(directory.path().join("results/tiny/report/report.html").exists());
    assert_eq!(reproduce("> 1").status.code(), Some(4));
}

#[test]
#[ignore = "slow"]
fn reports_draw_the_test_of_each_project_on_request() {
    let place = tempfile::tempdir().unwrap();
    let call = |arguments: &[&str]| -> Output {
        catherd().current_dir(&place).args(arguments).output().unwrap()
    };
    let demo = concat!(env!("CARGO_MANIFEST_DIR"), "/../datasets/demo/");
    let [maze, quiz] = ["maze", "quiz"].map(|name| format!("{demo}{name}"));
    let (budget, out) = ("20", "games");
    let output = call(&[
        "run",
        "--projects",
        &maze,
        &quiz,
        "--algorithms",
        "mio,random",
        "--seeds",
        "1",
        "--executions",
        budget,
        "--quiet",
        "--out",
        out,
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let output = call(&["report", out, "-o", "games/report", "--pictures"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.contains("pictures.html: 2 pictures\n"), "{printed}");
    let report = place.path().join("games/report");
    let page = fs::read_to_string(report.join("pictures.html")).unwrap();
    assert_eq!(page.matches("<img").count(), 2, "{page}");
    for name in ["maze", "quiz"] {
        let bytes = fs::read(report.join(format!("pictures/{name}.gif"))).unwrap();
        assert!(bytes.starts_with(b"GIF89a") && bytes.len() <= 300_000, "{}", bytes.len());
        assert!(page.contains(&format!("src=\"pictures/{name}.gif\"")), "{page}");
    }
    let output = call(&["verify", "games", "--sample", "1"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    fs::write(report.join("pictures/maze.gif"), "GIF89a").unwrap();
    let output = call(&["verify", "games", "--sample", "1"]);
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.contains("pictures/maze.gif"), "{printed}");

    fs::write(place.path().join("raw.csv"), RUNS).unwrap();
    assert_eq!(call(&["import", "csv", "raw.csv", "--out", "tables"]).status.code(), Some(0));
    let output = call(&["report", "tables", "-o", "page", "--pictures"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("no folder has the store"), "{}", stderr(&output));
}
