//! Tests of runs on Scratch projects through the interface of subject kinds.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use catherd_experiments::{
    Algorithm, Budget, Digest, Metric, MutantOutcome, MutantRecord, Mutation, Parameter,
    RunOutcome, RunRecord, RunSpec,
};
use catherd_interface::{FieldError, RunError, RunProgress, Runner, RunnerContext, SubjectKind};
use catherd_scratch_kind::{ENGINE, KIND, Scratch};

fn project(name: &str) -> Arc<[u8]> {
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../datasets/demo");
    catherd_scratch_sb3::pack(demo.join(name)).unwrap().into()
}

fn spec(project: &[u8], algorithm: &str, seed: u64) -> RunSpec {
    RunSpec {
        project: Digest::of(project),
        project_name: "demo".into(),
        subject: KIND.into(),
        algorithm: Algorithm::plain(algorithm),
        seed,
        budget: Budget::of("executions", 30),
        mutation: None,
        engine: ENGINE.into(),
    }
}

fn runner() -> Box<dyn Runner> {
    Scratch.runner(&RunnerContext::default()).unwrap()
}

fn unwatched(_: RunProgress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

#[test]
fn a_record_has_the_results_of_the_search() {
    let bytes = project("maze");
    let mut subject = runner();
    subject.load(Digest::of(&bytes), bytes.clone()).unwrap();
    let spec = spec(&bytes, "mio", 7);
    let mut seen = Vec::new();
    let record = subject
        .run(&spec, &mut |live| {
            seen.push(live);
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!((record.run, record.outcome), (spec.id(), RunOutcome::Done));
    assert_eq!(record.work["executions"], 30);
    assert_eq!(record.metrics["executedTests"], Metric::Integer(30));
    assert!(record.covered() > 0);
    let last = record.timeline.last().unwrap();
    assert_eq!(last.covered, record.covered());
    assert!(record.suite.tests > 0);
    assert!(record.artifacts["suite.json"].contains(&spec.project.to_string()));
    let read: RunRecord = serde_json::from_str(&serde_json::to_string(&record).unwrap()).unwrap();
    assert_eq!(read, record);
    let end = seen.last().unwrap();
    assert_eq!((end.covered, end.goals), (last.covered, record.goals()));
    assert_eq!(end.work, record.work);

    // Earlier runs, even on other projects, do not influence a run.
    let other = project("quiz");
    subject.load(Digest::of(&other), other.clone()).unwrap();
    subject.run(&self::spec(&other, "random", 1), &mut unwatched).unwrap();
    let elsewhere = subject.run(&spec, &mut unwatched).unwrap_err();
    assert!(matches!(elsewhere, RunError::Failed(_)));
    subject.load(Digest::of(&bytes), bytes).unwrap();
    assert_eq!(subject.run(&spec, &mut unwatched).unwrap().digest(), record.digest());
}

#[test]
fn a_run_can_be_stopped_and_a_broken_project_is_refused() {
    let bytes = project("maze");
    let mut subject = runner();
    subject.load(Digest::of(&bytes), bytes.clone()).unwrap();
    let stopped = subject.run(&spec(&bytes, "random", 1), &mut |_| ControlFlow::Break(()));
    assert_eq!(stopped, Err(RunError::Stopped));
    let half: Arc<[u8]> = bytes[..bytes.len() / 2].into();
    let refusal = subject.load(Digest::of(&half), half).unwrap_err().to_string();
    assert!(refusal.contains("not an intact zip archive"), "{refusal}");
}

#[test]
fn algorithms_are_checked_by_name_and_parameter() {
    let with = |name: &str, value: Parameter| {
        let mut algorithm = Algorithm::plain("mosa");
        algorithm.parameters.insert(name.into(), value);
        Scratch.check_algorithm(&algorithm)
    };
    let refused = |name: &str, value: Parameter| {
        let FieldError { field, cause, .. } = with(name, value).unwrap_err();
        assert_eq!(field.as_deref(), Some(name), "{cause}");
        cause
    };
    for algorithm in Scratch.algorithms() {
        Scratch.check_algorithm(&Algorithm::plain(&algorithm.name)).unwrap();
    }
    let unknown = Scratch.check_algorithm(&Algorithm::plain("tabu")).unwrap_err();
    assert_eq!(unknown.field, None);
    let FieldError { cause, advice, .. } = unknown;
    assert!(cause.contains("`tabu`") && advice.contains("dynamosa"), "{cause} {advice}");
    for algorithm in Scratch.algorithms() {
        assert!(advice.contains(&algorithm.name), "{advice}");
    }
    assert_eq!(with("population", Parameter::Integer(10)), Ok(()));
    assert!(refused("population", Parameter::Number(2.5)).contains("a whole number"));
    assert_eq!(refused("size", Parameter::Integer(10)), "unknown parameter `size`");
    let text = refused("crossover", Parameter::Text("high".into()));
    assert_eq!(text, "parameter `crossover` is `high`, but must be a number from 0 to 1");
    let word = refused("extraction", Parameter::Text("psychic".into()));
    assert!(word.contains("must be one of dynamic, static, naive, wait"), "{word}");
    assert_eq!(with("compat.clone_links", Parameter::Bool(true)), Ok(()));
    assert_eq!(with("max_events", Parameter::Integer(2)), Ok(()));
    let bounds = refused("max_events", Parameter::Integer(1));
    assert_eq!(bounds, "min_events is 2, but max_events is 1");
    let flag = refused(catherd_experiments::ASSERTIONS, Parameter::Integer(7));
    assert_eq!(flag, "parameter `assertions` is neither true nor false");
}

#[test]
fn parameters_are_listed_with_defaults_that_are_allowed() {
    for algorithm in Scratch.algorithms() {
        for parameter in algorithm.parameters {
            let Some(default) = parameter.default else { continue };
            let mut with_default = Algorithm::plain(&algorithm.name);
            with_default.parameters.insert(parameter.name.clone(), default);
            assert_eq!(Scratch.check_algorithm(&with_default), Ok(()), "{}", parameter.name);
        }
    }
}

#[test]
fn settings_of_test_generation_are_each_runs_own() {
    let bytes = project("maze");
    let mut subject = runner();
    subject.load(Digest::of(&bytes), bytes.clone()).unwrap();
    let mut run = |parameters: &[(&str, &str)]| {
        let mut spec = spec(&bytes, "mosa", 1);
        let parameters = parameters.iter().map(|&(n, v)| (n.into(), Parameter::Text(v.into())));
        spec.algorithm.parameters = parameters.collect();
        subject.run(&spec, &mut unwatched).unwrap()
    };
    let published = run(&[]);
    let waiting = run(&[("extraction", "wait")]);
    assert!(waiting.covered() < published.covered());
    let presses = |record: &RunRecord| record.artifacts["suite.json"].contains("KeyPress");
    assert!(!presses(&waiting) && presses(&published));
    assert_eq!(run(&[]).digest(), published.digest());
}

#[test]
fn a_record_has_the_results_of_mutants() {
    let bytes = project("maze");
    let plain = spec(&bytes, "mio", 7);
    let mutated = |mutation| RunSpec { mutation: Some(mutation), ..plain.clone() };
    let run = |spec: &RunSpec| {
        let mut subject = runner();
        subject.load(Digest::of(&bytes), bytes.clone()).unwrap();
        subject.run(spec, &mut unwatched)
    };
    let all = mutated(Mutation::default());
    let record = run(&all).unwrap();
    assert_ne!(all.id(), plain.id());
    assert!(record.mutants.len() > 10, "{}", record.mutants.len());
    let without = run(&plain).unwrap();
    assert!(without.mutants.is_empty());
    assert_eq!((&record.criteria, &record.work), (&without.criteria, &without.work));
    let expects = |record: &RunRecord| record.artifacts["suite.json"].contains("expect");
    assert!(expects(&record) && !expects(&without));
    let killed = |mutant: &&MutantRecord| mutant.outcome == MutantOutcome::Killed;
    assert!(record.mutants.iter().filter(killed).count() > 3, "{:?}", record.mutants);
    assert_eq!(run(&all).unwrap().digest(), record.digest());
    let mut other = record.clone();
    other.mutants[0].executions += 1;
    assert_ne!(other.digest(), record.digest());

    let operators = vec!["sbd".to_owned()];
    let some = run(&mutated(Mutation { operators, sample: Some(3), ..Mutation::default() }));
    let some = some.unwrap().mutants;
    assert_eq!(some.len(), 3);
    assert!(some.iter().all(|mutant| record.mutants.contains(mutant)), "{some:?}");

    let operators = vec!["XYZ".to_owned()];
    let wrong = Mutation { operators, ..Mutation::default() };
    let error = Scratch.check_mutation(&wrong).unwrap_err();
    assert_eq!(error.field.as_deref(), Some("operators"));
    assert!(error.cause.starts_with("unknown mutation operator `XYZ`"), "{error}");
    assert!(run(&mutated(wrong)).is_err());

    let mut subject = runner();
    subject.load(Digest::of(&bytes), bytes.clone()).unwrap();
    let mut tried = 0;
    let stopped = subject.run(&all, &mut |live| {
        // After the 30 executions of the search, mutants are executed.
        tried += u32::from(live.work["executions"] >= 30);
        if tried > 5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert!(matches!(stopped, Err(RunError::Stopped)));
}

#[test]
fn suites_have_assertions_if_the_configuration_says_so() {
    let bytes = project("traffic-light");
    let mut subject = runner();
    subject.load(Digest::of(&bytes), bytes.clone()).unwrap();
    let plain = spec(&bytes, "mio", 7);
    let mut asserting = plain.clone();
    let on = catherd_experiments::Parameter::Bool(true);
    asserting.algorithm.parameters.insert(catherd_experiments::ASSERTIONS.into(), on);
    assert_ne!(plain.id(), asserting.id());
    let mut run = |spec: &RunSpec| subject.run(spec, &mut unwatched).unwrap();
    let (without, with) = (run(&plain), run(&asserting));
    assert_eq!(without.metrics["suiteAssertions"], Metric::Integer(0));
    assert_eq!(without.criteria, with.criteria);
    assert!(with.metrics["suiteAssertions"].value() > 0.0);
    let suite = &with.artifacts["suite.json"];
    assert!(suite.contains("\"expect\""), "{suite}");
}

#[test]
fn suites_for_games_are_measured_under_fresh_seeds() {
    let bytes = project("apple-catch");
    let mut subject = runner();
    subject.load(Digest::of(&bytes), bytes.clone()).unwrap();
    let mut spec = spec(&bytes, "reflex", 3);
    spec.algorithm.parameters.insert("play_steps".to_owned(), Parameter::Integer(200));
    let record = subject.run(&spec, &mut unwatched).unwrap();
    let share = |name: &str| match record.metrics[&format!("coverage.{name}")] {
        Metric::Number(share) => share,
        Metric::Integer(_) => panic!("{name} is not a share"),
    };
    assert_eq!(record.metrics["coverage.seeds"], Metric::Integer(10));
    assert!((0.0..=share("expected")).contains(&share("robust")), "{:?}", record.metrics);
    assert_eq!(share("seeded"), f64::from(record.covered()) / f64::from(record.goals()));
    assert_eq!(share("reliable.10"), share("robust"));
    assert!(record.artifacts["suite.json"].contains("\"format\": 3"), "it has policies");
    assert_eq!(
        record,
        subject
            .run(&spec, &mut unwatched)
            .map(|again| RunRecord {
                resources: record.resources.clone(),
                timeline: record.timeline.clone(),
                ..again
            })
            .unwrap()
    );

    // For other algorithms, suites are executed under fresh seeds only if `fresh_seeds` is set.
    spec.algorithm = Algorithm::plain("mio-long");
    let plain = subject.run(&spec, &mut unwatched).unwrap();
    assert!(!plain.metrics.keys().any(|name| name.starts_with("coverage.")));
    assert!(plain.artifacts["suite.json"].contains("\"algorithm\": \"mio-long\""));
    spec.algorithm.parameters.insert("fresh_seeds".to_owned(), Parameter::Integer(3));
    let measured = subject.run(&spec, &mut unwatched).unwrap();
    assert_eq!(measured.metrics["coverage.seeds"], Metric::Integer(3));
    assert_eq!(measured.artifacts, plain.artifacts, "measuring changes no suite");
    spec.algorithm.parameters.insert("fresh_seeds".to_owned(), Parameter::Bool(true));
    assert!(Scratch.check_algorithm(&spec.algorithm).is_err());
}
