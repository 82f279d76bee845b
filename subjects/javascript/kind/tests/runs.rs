//! Tests of runs.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use catherd_experiments::{
    Algorithm, Budget, Digest, MutantOutcome, Mutation, RunOutcome, RunRecord, RunSpec,
};
use catherd_interface::{FoundProject, RunnerContext, SubjectKind};
use catherd_javascript_classes::machine::Package;
use catherd_javascript_kind::{ENGINE, JavaScript, KIND};

fn demo(name: &str) -> Arc<[u8]> {
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../datasets/javascript").join(name);
    Package::read(&file).unwrap().pack().into()
}

fn run(project: &Arc<[u8]>, algorithm: &str, executions: u64) -> RunRecord {
    run_with(project, algorithm, executions, None)
}

fn run_with(
    project: &Arc<[u8]>,
    algorithm: &str,
    executions: u64,
    mutation: Option<Mutation>,
) -> RunRecord {
    let mut runner = JavaScript::default().runner(&RunnerContext::default()).unwrap();
    let digest = Digest::of(project);
    runner.load(digest, Arc::clone(project)).unwrap();
    let spec = RunSpec {
        project: digest,
        project_name: "demo".into(),
        subject: KIND.into(),
        algorithm: Algorithm::plain(algorithm),
        seed: 3,
        budget: Budget::of("executions", executions),
        mutation,
        engine: ENGINE.into(),
    };
    runner.run(&spec, &mut |_| ControlFlow::Continue(())).unwrap()
}

#[test]
fn the_same_run_has_the_same_digest() {
    let project = demo("triangle.js");
    for info in JavaScript::default().algorithms() {
        let record = run(&project, &info.name, 60);
        assert_eq!(record.outcome, RunOutcome::Done);
        assert!(record.covered() > 0, "{}", info.name);
        assert_eq!(record.digest(), run(&project, &info.name, 60).digest(), "{}", info.name);
    }
}

#[test]
fn a_search_covers_a_small_class_and_asserts_results() {
    let record = run(&demo("triangle.js"), "dynamosa", 3_000);
    assert!(record.covered() * 10 >= record.goals() * 9, "{} {}", record.covered(), record.goals());
    let suite = &record.artifacts["suite.json"];
    assert!(suite.contains("\"string\": \"equilateral\""), "{suite}");
    assert!(record.suite.tests > 0 && !record.timeline.is_empty());
}

#[test]
#[ignore = "slow"]
fn hostile_programs_end_in_a_record_or_a_reason() {
    let source = "module.exports = class Spin {
        forever() { for (;;); }
        swallow() { try { for (;;); } catch { return 1; } }
        deep(n) { return this.deep(n + 1); }
        hoard() { const a = []; for (;;) a.push(new Array(1000).fill(0)); }
        grow() { let s = 'x'; for (;;) s += s; }
        repeat() { return 'x'.repeat(2 ** 29).repeat(2 ** 20); }
        regexp(s) { return /^(a+)+$/.test('a'.repeat(40) + 'b'); }
    };";
    let package = Package::of_source("spin.js", source).unwrap().pack();
    let record = run(&package.into(), "random", 40);
    assert_eq!(record.outcome, RunOutcome::Done);
    assert!(record.metrics.keys().any(|name| name.starts_with("limit.")));
    for source in ["throw new Error('no')", "for (;;);", "let a = ;", "require('./missing')"] {
        let package: Arc<[u8]> = Package::of_source("bad.js", source).unwrap().pack().into();
        let mut runner = JavaScript::default().runner(&RunnerContext::default()).unwrap();
        let digest = Digest::of(&package);
        runner.load(digest, Arc::clone(&package)).unwrap();
        let spec = RunSpec {
            project: digest,
            project_name: "bad".into(),
            subject: KIND.into(),
            algorithm: Algorithm::plain("random"),
            seed: 1,
            budget: Budget::of("executions", 10),
            mutation: None,
            engine: ENGINE.into(),
        };
        let error = runner.run(&spec, &mut |_| ControlFlow::Continue(())).unwrap_err();
        assert!(!error.to_string().is_empty(), "{source}");
    }
}

#[test]
fn suites_are_executed_on_mutants() {
    let project = demo("triangle.js");
    let record = run_with(&project, "dynamosa", 100, Some(Mutation::default()));
    assert_eq!(record.metrics["falsePositiveTests"], 0.into());
    let count = |outcome| record.mutants.iter().filter(|m| m.outcome == outcome).count();
    let (killed, survived) = (count(MutantOutcome::Killed), count(MutantOutcome::Survived));
    assert!(killed > 2 * survived, "{killed} {survived}");
    let again = run_with(&project, "dynamosa", 100, Some(Mutation::default()));
    assert_eq!(record.digest(), again.digest());
    let sample = Mutation { sample: Some(5), operators: vec!["ROR".into()], ..Mutation::default() };
    let sample = run_with(&project, "dynamosa", 100, Some(sample));
    assert_eq!(sample.mutants.len(), 5);
    assert!(sample.mutants.iter().all(|mutant| mutant.operator == "ROR"));
    let unknown = Mutation { operators: vec!["XYZ".into()], ..Mutation::default() };
    assert!(JavaScript::default().check_mutation(&unknown).unwrap_err().cause.contains("XYZ"));
}

#[test]
fn measures_count_units_and_decisions() {
    let source = "exports.f = (a, b) => {
            for (const x of a) if (x && b) return 1;
            switch (b) { case 1: case 2: return 2; default: return b ? 3 : 4; }
        };
        exports.C = class { m(n) { return n; } };";
    let found = |name: &str, source: &str| {
        let bytes = Package::of_source("a.js", source).unwrap().pack();
        let digest = Digest::of(&bytes);
        FoundProject::new(name.into(), "a.js".into(), digest, move || Ok(bytes.clone()))
    };
    let endless = "exports.C = class { constructor() { for (;;); } };";
    let projects =
        [found("two", source), found("none", "exports.a = 1;"), found("endless", endless)];
    let table = JavaScript::default().describe(&projects).unwrap().unwrap();
    let columns =
        ["lines", "statements", "branches", "functions", "classes", "parameters", "mccabe"];
    assert_eq!(table.columns[2..], columns);
    // One function has 6 decisions, the other none.
    assert_eq!(table.rows[0][2..], ["4", "9", "9", "2", "1", "3", "4.000"]);
    assert_eq!(table.rows[1][2..], ["1", "1", "0", "0", "0", "0", ""]);
    // The analysis calls the constructor, which does not end.
    assert_eq!(table.rows[2][2..], ["1", "2", "0", "1", "", "", "1.000"]);
}
