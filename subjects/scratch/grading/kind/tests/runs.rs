//! Tests of runs of suites on projects, through the interface of subject kinds.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::slice;
use std::sync::Arc;

use catherd_experiments::{
    Algorithm, Budget, Metric, MutantOutcome, Mutation, Parameter, ProjectSource, RunRecord,
    RunSpec,
};
use catherd_interface::{FoundProject, RunError, RunProgress, RunnerContext, SubjectKind};
use catherd_scratch_grading_kind::{Bundle, ENGINE, KIND, Suites};

const PASSES: &str = "
    const runs = async t => {
        await t.runForTime(3000);
        t.assert.ok(t.getSprites().length > 0);
    };
    const fails = async t => t.assert.ok(false, 'never');
    const strict = async t => {
        const before = t.getSprites().map(s => [s.x, s.y, s.visible, s.sayText]);
        for (const key of ['space', 'left arrow', 'right arrow', 'up arrow', 'down arrow']) {
            t.keyPress(key, 5);
            await t.runForSteps(10);
        }
        t.assert.not(JSON.stringify(t.getSprites().map(s => [s.x, s.y, s.visible, s.sayText]))
            === JSON.stringify(before), 'something moves');
    };
    module.exports = [{test: runs, name: 'runs'}, {test: fails, name: 'fails'},
        {test: strict, name: 'keys'}, {name: 'later', skip: true}];
";

/// A folder with two copies of a project of the demo corpus, a suite for each of them, and a file
/// that is not a suite.
fn folder() -> tempfile::TempDir {
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../datasets/demo");
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    write("maze.sb3", &catherd_scratch_sb3::pack(demo.join("maze")).unwrap());
    write("maze2.sb3", &catherd_scratch_sb3::pack(demo.join("maze")).unwrap());
    write("maze-manual.js", PASSES.as_bytes());
    write("maze2-other.js", b"module.exports = []");
    write("notes.txt", b"no suite");
    folder
}

fn find(folder: &Path) -> Vec<FoundProject> {
    let found = Suites.find(&ProjectSource::Paths(vec![folder.to_owned()]), &()).unwrap();
    assert!(found.skipped.is_empty(), "{:?}", found.skipped);
    found.projects
}

fn spec(project: &FoundProject, algorithm: &str) -> RunSpec {
    RunSpec {
        project: project.digest,
        project_name: project.name.clone(),
        subject: KIND.into(),
        algorithm: Algorithm::plain(algorithm),
        seed: 1,
        budget: Budget::of("executions", 30),
        mutation: None,
        engine: ENGINE.into(),
    }
}

fn run(project: &FoundProject, spec: &RunSpec) -> Result<RunRecord, RunError> {
    let mut runner = Suites.runner(&RunnerContext::default()).unwrap();
    runner.load(project.digest, project.bytes().unwrap().into()).unwrap();
    runner.run(spec, &mut |_| ControlFlow::Continue(()))
}

#[test]
fn suites_are_those_whose_names_begin_as_the_project_does() {
    let folder = folder();
    let names = |project: &FoundProject| {
        let bundle = Bundle::from_bytes(&project.bytes().unwrap()).unwrap();
        bundle.suites.into_iter().map(|suite| suite.name).collect::<Vec<_>>()
    };
    let projects = find(folder.path());
    assert_eq!(projects.iter().map(names).collect::<Vec<_>>(), [["manual"], ["other"]]);
    fs::remove_file(folder.path().join("maze2.sb3")).unwrap();
    fs::create_dir(folder.path().join("maze")).unwrap();
    fs::write(folder.path().join("maze/mio-1.json"), "{}").unwrap();
    fs::write(folder.path().join("free.js"), "").unwrap();
    let alone = find(folder.path());
    assert_eq!(names(&alone[0]), ["2-other", "free", "manual", "mio-1"]);
    // The digest depends on the contents of suites.
    fs::write(folder.path().join("free.js"), "x").unwrap();
    assert_ne!(find(folder.path())[0].digest, alone[0].digest);
    // A folder that contains only suites may have suites of all projects.
    let suites = tempfile::tempdir().unwrap();
    fs::write(suites.path().join("maze-far.js"), "").unwrap();
    fs::write(suites.path().join("pong.js"), "").unwrap();
    let paths = [folder.path(), suites.path()].map(Path::to_owned).to_vec();
    let found = Suites.find(&ProjectSource::Paths(paths), &()).unwrap();
    assert_eq!(names(&found.projects[0]), ["2-other", "far", "free", "manual", "mio-1"]);
    fs::write(folder.path().join("maze_manual.json"), "{}").unwrap();
    let found = Suites.find(&ProjectSource::Paths(vec![folder.path().to_owned()]), &()).unwrap();
    assert!(found.skipped[0].reason.contains("two files are the suite `manual`"));
}

#[test]
fn goals_are_named_by_blocks() {
    let folder = folder();
    let project = find(folder.path()).swap_remove(0);
    let algorithms = [Algorithm::plain("manual"), Algorithm::plain("random")];
    let named = Suites.name_goals(slice::from_ref(&project), &algorithms).unwrap();
    assert!(!named.is_empty() && named.iter().all(|goals| goals.project == project.digest));
    let record = run(&project, &spec(&project, "manual")).unwrap();
    let goals = named.iter().map(|named| named.names.len()).collect::<Vec<_>>();
    assert!(goals.iter().all(|count| *count == record.goals() as usize), "{goals:?}");
    assert!(named[0].names.iter().all(|name| name.contains(": ")), "{:?}", named[0].names);
}

#[test]
fn manual_and_generated_suites_face_the_same_mutants() {
    let folder = folder();
    let project = &find(folder.path())[0];
    let mutation = Mutation { sample: Some(60), ..Mutation::default() };
    let spec = |name| RunSpec { mutation: Some(mutation.clone()), ..spec(project, name) };
    let manual = run(project, &spec("manual")).unwrap();
    let counts = ["passedTests", "failedTests", "errorTests", "skippedTests"];
    assert_eq!(counts.map(|name| manual.metrics[name]), [2, 1, 0, 1].map(Metric::Integer));
    assert_eq!(manual.metrics["falsePositiveTests"], Metric::Integer(1));
    assert!(manual.covered() > 0 && manual.suite.size == 5, "{:?}", manual.suite);
    assert_eq!(manual.artifacts["tests.ndjson"].lines().count(), 5);
    let killed = manual.mutants.iter().filter(|m| m.outcome == MutantOutcome::Killed);
    let killers: Vec<_> = killed.map(|mutant| mutant.killed_by).collect();
    assert!(!killers.is_empty() && killers.iter().all(|test| *test == Some(2)), "{killers:?}");
    assert_eq!(run(project, &spec("manual")).unwrap().digest(), manual.digest());

    let generated = run(project, &spec("random")).unwrap();
    assert_eq!(generated.run, spec("random").id());
    let ids = |record: &RunRecord| record.mutants.iter().map(|m| m.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&generated), ids(&manual));

    // The generated suite, saved as a file, has the same verdict on every mutant.
    fs::create_dir(folder.path().join("maze")).unwrap();
    let suite = &generated.artifacts["suite.json"];
    fs::write(folder.path().join("maze/random-1.json"), suite).unwrap();
    let project = &find(folder.path())[0];
    let mut again = RunSpec { project: project.digest, ..spec("again") };
    let name = Parameter::Text("random-{seed}".to_owned());
    again.algorithm.parameters.insert("suite".to_owned(), name);
    let again = run(project, &again).unwrap();
    let outcomes = |record: &RunRecord| {
        record.mutants.iter().map(|m| (m.outcome, m.killed_by)).collect::<Vec<_>>()
    };
    assert_eq!(outcomes(&again), outcomes(&generated));
    assert_eq!(again.covered(), generated.covered());
}

#[test]
fn what_cannot_be_executed_is_named() {
    let folder = folder();
    fs::write(folder.path().join("maze-bad.js"), "module.exports = [").unwrap();
    fs::write(folder.path().join("maze-other.json"), "{\"format\": 99}").unwrap();
    let project = &find(folder.path())[0];
    for (name, reason) in [
        ("none", "the project has no suite `none`; it has bad, manual, other"),
        ("bad", "suite `bad`: SyntaxError"),
        ("other", "suite `other`: "),
    ] {
        let error = run(project, &spec(project, name)).unwrap_err();
        assert!(matches!(&error, RunError::Failed(text) if text.contains(reason)), "{error:?}");
    }
    let mut algorithm = Algorithm::plain("manual");
    algorithm.parameters.insert("sute".to_owned(), Parameter::Bool(true));
    let error = Suites.check_algorithm(&algorithm).unwrap_err();
    assert_eq!(error.field.as_deref(), Some("sute"));
    let mut runner = Suites.runner(&RunnerContext::default()).unwrap();
    assert!(runner.load(project.digest, Arc::from(&b"PK"[..])).is_err());
    let stopped = {
        runner.load(project.digest, project.bytes().unwrap().into()).unwrap();
        runner.run(&spec(project, "manual"), &mut |_: RunProgress| ControlFlow::Break(()))
    };
    assert_eq!(stopped.unwrap_err(), RunError::Stopped);
}
