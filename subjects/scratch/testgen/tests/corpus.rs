//! Tests of suites for whole projects: the projects of the demo corpus, and real projects in the
//! folder that `CATHERD_CORPUS` names. The folder `reference` next to that folder contains the
//! expectations of Whisker's tests.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use catherd_scratch_sb3::Project;
use catherd_scratch_suite::measure_coverage;
use catherd_scratch_testgen::{Generated, GenerationSettings, Prepared, Request};
use catherd_search::Budget;

fn corpus() -> PathBuf {
    std::env::var_os("CATHERD_CORPUS").expect("CATHERD_CORPUS names a folder of projects").into()
}

fn run(path: &Path, algorithm: &str, executions: u64) -> Generated {
    let project = Project::read(path).unwrap_or_else(|error| panic!("{error}"));
    let prepared = Prepared::new(&project, GenerationSettings::default()).unwrap();
    let budget = Budget { executions: Some(executions), ..Budget::default() };
    let request = Request::new(algorithm, &[], 1, budget).unwrap();
    let generated = prepared.generate(&request, |_| ControlFlow::Continue(()));
    assert!(generated.unstable.is_empty(), "{}: {:?}", path.display(), generated.unstable);
    let goals = prepared.model().goals();
    let replayed = measure_coverage(&generated.suite, prepared.program(), goals, u64::MAX).unwrap();
    let promised: Vec<_> = generated.suite.tests.iter().map(|test| test.covers.clone()).collect();
    assert_eq!(replayed, promised, "{}", path.display());
    let mut together = replayed.concat();
    together.sort_unstable();
    together.dedup();
    assert_eq!(together, generated.covered, "{}", path.display());
    generated
}

#[test]
#[ignore = "needs CATHERD_CORPUS"]
fn projects_that_whisker_covers_are_covered() {
    let corpus = corpus();
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

fn projects(folder: &Path, accepts: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut projects: Vec<_> =
        entries.map(|entry| entry.unwrap().path()).filter(|path| accepts(path)).collect();
    projects.sort();
    assert!(!projects.is_empty());
    projects
}

#[test]
fn suites_of_the_demo_corpus_repeat_their_coverage() {
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../datasets/demo");
    for path in projects(&demo, Path::is_dir) {
        let generated = run(&path, "mio", 20);
        assert!(!generated.covered.is_empty(), "{}", path.display());
    }
}

#[test]
#[ignore = "needs CATHERD_CORPUS"]
fn suites_of_real_projects_repeat_their_coverage() {
    let corpus = corpus();
    let is_archive = |path: &Path| path.extension().is_some_and(|extension| extension == "sb3");
    for path in projects(&corpus.join("whisker-examples"), is_archive) {
        let generated = run(&path, "mosa", 60);
        assert!(!generated.covered.is_empty(), "{}", path.display());
    }
}
