//! Real projects, if there are any: `CATHERD_CORPUS` names the folder, beside which
//! `reference` holds what Whisker's own tests expect.
#![allow(clippy::print_stderr)]

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use catherd_sb3::Project;
use catherd_search::Budget;
use catherd_testgen::{Generated, Prepared, Request, Settings};

fn corpus() -> Option<PathBuf> {
    let corpus = std::env::var_os("CATHERD_CORPUS").map(PathBuf::from);
    if corpus.is_none() {
        eprintln!("skipped: CATHERD_CORPUS is not set");
    }
    corpus
}

fn run(path: &Path, algorithm: &str, executions: u64) -> Generated {
    let project = Project::read(path).unwrap_or_else(|error| panic!("{error}"));
    let prepared = Prepared::new(&project, Settings::default()).unwrap();
    let budget = Budget { executions: Some(executions), ..Budget::default() };
    let request = Request::new(algorithm, &[], 1, budget).unwrap();
    let generated = prepared.generate(&request, |_| ControlFlow::Continue(()));
    assert!(generated.unstable.is_empty(), "{}: {:?}", path.display(), generated.unstable);
    let replayed = prepared.replay(&generated.suite).unwrap();
    let promised: Vec<_> = generated.suite.tests.iter().map(|test| test.covers.clone()).collect();
    assert_eq!(replayed, promised, "{}", path.display());
    let mut together = replayed.concat();
    together.sort_unstable();
    together.dedup();
    assert_eq!(together, generated.covered, "{}", path.display());
    generated
}

#[test]
fn projects_that_whisker_covers_are_covered() {
    let Some(corpus) = corpus() else { return };
    let expectations = corpus.join("../reference/whisker_expectations.csv");
    let expectations = std::fs::read_to_string(expectations).unwrap();
    let mut missed = Vec::new();
    let mut checked = 0;
    for line in expectations.lines() {
        let mut fields = line.splitn(3, ',');
        let (project, kind) = (fields.next().unwrap(), fields.next().unwrap());
        if kind != "coverage" {
            continue;
        }
        let algorithm = if fields.next().unwrap().contains("MOSA") { "mosa" } else { "random" };
        let path = corpus.join("whisker-integration").join(format!("{project}.sb3"));
        let generated = run(&path, algorithm, 1000);
        checked += 1;
        if generated.covered.len() != generated.goals as usize {
            missed.push(format!("{project}: {}/{}", generated.covered.len(), generated.goals));
        }
    }
    assert!(checked > 0);
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn suites_of_real_projects_repeat_their_coverage() {
    let Some(corpus) = corpus() else { return };
    let mut projects: Vec<_> = std::fs::read_dir(corpus.join("whisker-examples"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "sb3"))
        .collect();
    projects.sort();
    assert!(!projects.is_empty());
    for path in projects {
        let generated = run(&path, "mosa", 60);
        assert!(!generated.covered.is_empty(), "{}", path.display());
    }
}
