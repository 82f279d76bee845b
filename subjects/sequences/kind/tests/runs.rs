//! Tests the subject kind `sequences` through the interface of subject kinds.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use catherd_experiments::{
    Algorithm, Budget, Digest, Metric, Parameter, ProjectSource, RunOutcome, RunRecord, RunSpec,
};
use catherd_interface::{RunError, RunProgress, Runner, RunnerContext, SubjectKind};
use catherd_sequences_kind::{ENGINE, KIND, Sequences};

fn algorithm(name: &str, parameters: &[(&str, &str)]) -> Algorithm {
    let mut algorithm = Algorithm::plain(name);
    for (name, value) in parameters {
        let value = match value.parse() {
            Ok(number) => Parameter::Integer(number),
            Err(_) => Parameter::Text((*value).to_owned()),
        };
        algorithm.parameters.insert((*name).to_owned(), value);
    }
    algorithm
}

fn models(paths: &[&str]) -> Vec<(String, Arc<[u8]>)> {
    let paths = paths.iter().map(PathBuf::from).collect();
    let found = Sequences.find(&ProjectSource::Paths(paths), &()).unwrap();
    found.projects.iter().map(|p| (p.name.clone(), p.bytes().unwrap().into())).collect()
}

fn spec(model: &[u8], algorithm: Algorithm, seed: u64) -> RunSpec {
    RunSpec {
        project: Digest::of(model),
        project_name: "model".into(),
        subject: KIND.into(),
        algorithm,
        seed,
        budget: Budget::of("executions", 40_000),
        mutation: None,
        engine: ENGINE.into(),
    }
}

fn runner() -> Box<dyn Runner> {
    Sequences.runner(&RunnerContext::default()).unwrap()
}

fn unwatched(_: RunProgress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn run(runner: &mut dyn Runner, model: &Arc<[u8]>, spec: &RunSpec) -> RunRecord {
    runner.load(Digest::of(model), Arc::clone(model)).unwrap();
    let record = runner.run(spec, &mut unwatched).unwrap();
    record.check_bounds().unwrap();
    let read: RunRecord = serde_json::from_str(&serde_json::to_string(&record).unwrap()).unwrap();
    assert_eq!(read, record);
    record
}

fn count(record: &RunRecord, name: &str) -> i64 {
    match record.metrics.get(name) {
        Some(Metric::Integer(count)) => *count,
        other => panic!("{name}: {other:?}"),
    }
}

const SMALL: [(&str, &str); 4] = [
    ("pool", "300"),
    ("goals", "consecutive:2"),
    ("measure", "subsequence:2, consecutive:3"),
    ("size", "3"),
];

fn small(name: &str, more: &[(&str, &str)]) -> Algorithm {
    algorithm(name, &[&SMALL, more].concat())
}

#[test]
fn every_algorithm_makes_a_consistent_record() {
    let (name, model) = models(&["builtin:moodle"]).remove(0);
    assert_eq!(name, "moodle");
    let mut runner = runner();
    for info in Sequences.algorithms() {
        let algorithm = small(&info.name, &[]);
        let spec = spec(&model, algorithm, 3);
        let record = run(&mut *runner, &model, &spec);
        assert_eq!((record.run, record.outcome), (spec.id(), RunOutcome::Done), "{}", info.name);
        assert_eq!(record.goals(), 66, "{}", info.name);
        assert_eq!(count(&record, "goals.exact"), 1);
        let last = record.timeline.last().unwrap();
        assert_eq!(last.covered, record.covered(), "{}", info.name);
        assert_eq!(record.timeline[0].work.len(), 2);
        if info.name == "risk" {
            assert_eq!(record.suite.tests, 0);
            continue;
        }
        assert_eq!(record.suite.tests, 3, "{}", info.name);
        assert_eq!(count(&record, "rank"), i64::from(record.covered()), "{}", info.name);
        assert_eq!(count(&record, "reachable"), 66);
        assert_eq!(count(&record, "bound"), 144);
        assert_eq!(count(&record, "reachable.subsequence:2"), 103);
        assert_eq!(count(&record, "reachable.consecutive:3"), 205);
        assert!(count(&record, "rank.subsequence:2") > 50, "{}", info.name);
        for rule in ["trigger", "trigger-subsequence", "replay"] {
            let failing = count(&record, &format!("failing.race.{rule}"));
            let detected = count(&record, &format!("detected.race.{rule}"));
            assert_eq!(detected, i64::from(failing > 0), "{} {rule}", info.name);
        }
        let suite: serde_json::Value =
            serde_json::from_str(&record.artifacts["suite.json"]).unwrap();
        assert_eq!(suite["digest"], spec.project.to_string());
        assert_eq!(suite["tests"].as_array().unwrap().len(), 3);
    }
}

#[test]
fn records_depend_only_on_model_and_specification() {
    let found = models(&["builtin:moodle", "builtin:vault"]);
    let mut first = runner();
    let mut records = Vec::new();
    for (_, model) in &found {
        for (name, seed) in [("ga", 1), ("ga", 2), ("unranked", 2), ("direct", 7), ("risk", 1)] {
            for pool_seed in ["1", "run"] {
                let spec = spec(model, small(name, &[("pool_seed", pool_seed)]), seed);
                let digest = run(&mut *first, model, &spec).digest();
                records.push((model, spec, digest));
            }
        }
    }
    // Repeat the runs in reverse order, so that different pools are in memory, and some of them
    // with a new runner.
    let mut second = runner();
    for (number, (model, spec, digest)) in records.iter().enumerate().rev() {
        assert_eq!(run(&mut *second, model, spec).digest(), *digest, "{}", spec.place());
        if number % 5 == 0 {
            assert_eq!(run(&mut *runner(), model, spec).digest(), *digest, "{}", spec.place());
        }
    }
}

#[test]
fn a_budget_limits_evaluations_and_events() {
    let (_, model) = models(&["builtin:abp:2"]).remove(0);
    let mut runner = runner();
    let of = |unit: &str, limit| {
        let spec = spec(&model, small("best-of", &[("goals", "subsequence:3")]), 1);
        RunSpec { budget: Budget::of(unit, limit), ..spec }
    };
    let record = run(&mut *runner, &model, &of("executions", 17));
    assert_eq!(record.work["executions"], 17);
    assert_eq!(count(&record, "pool"), 300);
    let steps = record.work["steps"];
    let record = run(&mut *runner, &model, &of("steps", steps / 2));
    assert!(record.work["steps"] <= steps / 2, "{:?}", record.work);
    assert!((100..250).contains(&count(&record, "pool")), "{record:?}");
    assert_eq!(record.work["executions"], 1000);
    // No walk fits within the budget, so the suite is empty.
    let record = run(&mut *runner, &model, &of("steps", 1));
    assert_eq!((record.suite.tests, record.covered()), (0, 0));
}

#[test]
fn full_coverage_ends_a_run() {
    let (_, model) = models(&["builtin:moodle"]).remove(0);
    let more = [("size", "20"), ("goals", "consecutive:1")];
    let record = run(&mut *runner(), &model, &spec(&model, small("best-of", &more), 1));
    assert_eq!((record.covered(), record.goals()), (12, 12));
    assert!(record.work["executions"] < 1000, "{:?}", record.work);
}

#[test]
fn a_run_can_be_stopped_and_an_impossible_run_has_a_reason() {
    let (_, model) = models(&["builtin:moodle"]).remove(0);
    let mut runner = runner();
    runner.load(Digest::of(&model), Arc::clone(&model)).unwrap();
    for name in ["ga", "risk", "direct"] {
        let spec = spec(&model, small(name, &[]), 1);
        let stopped = runner.run(&spec, &mut |_| ControlFlow::Break(()));
        assert_eq!(stopped, Err(RunError::Stopped), "{name}");
    }
    let mut failed =
        |algorithm: Algorithm| match runner.run(&spec(&model, algorithm, 1), &mut unwatched) {
            Err(RunError::Failed(cause)) => cause,
            other => panic!("{other:?}"),
        };
    let cause = failed(small("ga", &[("bugs", "races")]));
    assert_eq!(cause, "the model has no fault `races`; it has race");
    let cause = failed(small("ga", &[("criterion", "order([Session.Begin], [AddQuiz.Start])")]));
    assert!(cause.contains("unknown event `Session.Begin`"), "{cause}");
    let cause = failed(small("ga", &[("goals", "subsequence:30")]));
    assert!(cause.contains("12 letters have 2^63 or more words of length 30"), "{cause}");
    let cause = failed(small("optimal", &[("pool", "1000")]));
    assert!(cause.contains("of at most 300 tests"), "{cause}");
    let cause = failed(small("direct", &[("states", "50")]));
    assert!(cause.contains("reachable items are not known"), "{cause}");
    let cause = failed(small("ga", &[("alphabet.AddQuiz", "a")]));
    assert_eq!(cause, "alphabet: unknown event `AddQuiz`");
    let half: Arc<[u8]> = model[..model.len() / 2].into();
    assert!(runner.load(Digest::of(&half), half).is_err());
}

#[test]
fn a_model_with_too_many_states_has_the_items_of_its_pool() {
    let (_, model) = models(&["builtin:moodle"]).remove(0);
    let more = [("states", "50"), ("goals", "consecutive:3")];
    let record = run(&mut *runner(), &model, &spec(&model, small("greedy", &more), 1));
    assert_eq!(count(&record, "goals.exact"), 0);
    assert!((100..=205).contains(&record.goals()), "{}", record.goals());
    assert!(!record.metrics.contains_key("reachable"));
}

#[test]
fn letters_may_be_mapped() {
    let (_, model) = models(&["builtin:moodle"]).remove(0);
    let more = [("alphabet.Session.Start", "in"), ("alphabet.Session.End", "out")];
    let record = run(&mut *runner(), &model, &spec(&model, small("greedy", &more), 1));
    assert_eq!((count(&record, "bound"), record.goals()), (4, 4));
}

#[test]
fn the_variance_of_risk_falls_with_the_number_of_tests() {
    let (_, model) = models(&["builtin:abp:2"]).remove(0);
    let more = [("pool", "2000"), ("keep", "100"), ("goals", "subsequence:2")];
    let record = run(&mut *runner(), &model, &spec(&model, small("risk", &more), 1));
    let variance = |tests: u64| record.metrics[&format!("risk.variance.max.{tests}")].value();
    assert!(variance(100) > variance(1000) && variance(1000) > 0.0);
    assert!(count(&record, "risk.failures") > 0);
    assert!(count(&record, "risk.kept") <= count(&record, "risk.seen"));
    let table = &record.artifacts["risk.csv"];
    assert!(table.starts_with("tests,item,alpha,beta,mean,variance\n1,\""), "{table:.100}");
}

#[test]
fn a_test_that_several_walks_make_is_executed_once_or_for_each() {
    let (_, model) = models(&["builtin:abp:1"]).remove(0);
    let more = |duplicates| [("pool", "2000"), ("keep", "1"), ("duplicates", duplicates)];
    let run = |duplicates| {
        run(&mut *runner(), &model, &spec(&model, small("risk", &more(duplicates)), 1))
    };
    let (once, each, unset) = (run("removed"), run("kept"), {
        let more = [("pool", "2000"), ("keep", "1")];
        self::run(&mut *runner(), &model, &spec(&model, small("risk", &more), 1))
    });
    assert_eq!(once.metrics, unset.metrics);
    let executions = |record: &RunRecord| record.work["executions"] as i64;
    assert_eq!((executions(&each), count(&each, "pool")), (2000, 2000));
    assert_eq!(executions(&once), count(&once, "pool.distinct"));
    assert!(executions(&once) < 1900, "{} distinct tests of 2000", executions(&once));
    // The number of tests that cover an item, summed over the items, at the last checkpoint.
    let tests = |record: &RunRecord| -> f64 {
        let end = executions(record).to_string() + ",";
        let rows = record.artifacts["risk.csv"].lines().filter(|row| row.starts_with(&end));
        let number = |row: &str, column: usize| -> f64 {
            row.rsplit(',').nth(column).unwrap().parse().unwrap()
        };
        rows.map(|row| number(row, 3) + number(row, 2) - 2.0).sum()
    };
    assert!(tests(&each) > tests(&once) && tests(&once) > 0.0);
    assert!(count(&each, "risk.failures") > count(&once, "risk.failures"));
    assert_eq!(count(&each, "risk.seen"), count(&once, "risk.seen"));
}

#[test]
fn models_are_found_and_unusable_ones_are_skipped_by_name() {
    let place = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(place.path().join(name), text).unwrap();
    write("good.bp", "events a, b\nthread t { request a request b }\n");
    write("again.bp", "events a, b\nthread t { request a request b }\n");
    write("dead.bp", "events a\nthread t { wait a }\n");
    write("bad.bp", "events a\nthread t { requst a }\n");
    write("notes.txt", "no model");
    let paths = ["studies/builtin:vault".into(), place.path().to_owned()].to_vec();
    let found = Sequences.find(&ProjectSource::Paths(paths), &()).unwrap();
    let names: Vec<_> = found.projects.iter().map(|project| &*project.name).collect();
    assert_eq!(names, ["again", "vault"]);
    let reason = |name: &str| {
        let skipped = found.skipped.iter().find(|skipped| skipped.path.ends_with(name));
        skipped.unwrap().reason.clone()
    };
    assert_eq!(reason("good.bp"), "the same model as again");
    assert_eq!(reason("dead.bp"), "nothing can happen in the first state");
    assert!(reason("bad.bp").contains("2:12"), "{}", reason("bad.bp"));
    let gone = ProjectSource::Paths(vec![place.path().join("gone.bp")]);
    let error = Sequences.find(&gone, &()).unwrap_err();
    assert!(error.cause.contains("gone.bp"), "{error}");
    let builtin = ProjectSource::Paths(vec!["builtin:vaults".into()]);
    let found = Sequences.find(&builtin, &()).unwrap();
    assert!(found.skipped[0].reason.contains("no built-in model"), "{found:?}");
}

#[test]
fn models_are_measured() {
    let paths = ["builtin:moodle", "builtin:abp:2"].map(PathBuf::from).to_vec();
    let found = Sequences.find(&ProjectSource::Paths(paths), &()).unwrap();
    let table = Sequences.describe(&found.projects).unwrap().unwrap();
    let cell = |row: usize, column: &str| {
        let at = table.columns.iter().position(|known| *known == column).unwrap();
        table.rows[row][at].as_str()
    };
    let moodle = ["threads", "events", "names", "states", "edges", "prefixes", "maximal_traces"];
    assert_eq!(moodle.map(|c| cell(1, c)), ["3", "22", "12", "103", "195", "33489", "9922"]);
    assert_eq!(
        ["states", "edges", "cyclic", "prefixes"].map(|c| cell(0, c)),
        ["257", "853", "1", ""]
    );
}

#[test]
fn parameters_are_checked_by_name_and_value() {
    for info in Sequences.algorithms() {
        Sequences.check_algorithm(&Algorithm::plain(&info.name)).unwrap();
        for parameter in info.parameters {
            let Some(default) = parameter.default else { continue };
            let mut with_default = Algorithm::plain(&info.name);
            with_default.parameters.insert(parameter.name.clone(), default);
            assert_eq!(Sequences.check_algorithm(&with_default), Ok(()), "{}", parameter.name);
        }
    }
    let unknown = Sequences.check_algorithm(&Algorithm::plain("mosa")).unwrap_err();
    assert!(unknown.field.is_none() && unknown.advice.contains("unranked"), "{unknown:?}");
    for (name, value, expected) in [
        ("criterion", "subsequenz:2", "unknown criterion `subsequenz`"),
        ("goals", "consecutive:0", "`0` is not a length of words"),
        ("goals", "subsequence:64", "2^63 or more words"),
        ("measure", "subsequence:2, cube:2", "unknown criterion `cube`"),
        ("criterion", "expressions items.txt", "files of criteria do not travel with a study"),
        ("size", "0", "must be a whole number from 1 to 100000"),
        ("pool_seed", "each", "parameter `pool_seed` is `each`"),
        ("detect", "trigger, crash", "parameter `detect` names `crash`"),
        ("alphabet", "letters", "parameter `alphabet` is `letters`"),
        ("profile", "new", "must be one of paper, released, released-grouped"),
        ("population", "0", "must be a whole number from 1 to 100000"),
        ("crossover", "2", "parameter `crossover` is `2`, but must be"),
        ("tries", "5", "unknown parameter `tries`"),
    ] {
        let error = Sequences.check_algorithm(&algorithm("ga", &[(name, value)])).unwrap_err();
        assert_eq!(error.field.as_deref(), Some(name));
        assert!(error.cause.contains(expected), "{}", error.cause);
        assert!(!error.advice.is_empty());
    }
    // Criteria with events are accepted here, because events are checked only when a run begins,
    // against the events of its model.
    for criterion in
        ["order([a b], [c])", "states", "subsequence:auto until=end", "expressions(a b)"]
    {
        Sequences.check_algorithm(&algorithm("ga", &[("criterion", criterion)])).unwrap();
    }
}
