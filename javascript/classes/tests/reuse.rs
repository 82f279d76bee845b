//! Contexts that serve many executions give the results of contexts of their own.

use std::path::Path;
use std::rc::Rc;

use catherd_javascript_classes::machine::Statement;
use catherd_javascript_classes::machine::{ExecuteOptions, Execution, Outcome, Package, Program};
use catherd_javascript_classes::{
    Coverage, Method, Request, Settings, Subject, generate, machine_of,
};
use catherd_search::{Algorithm, Budget, Stream};
use serde_json::json;

fn on_a_large_stack(work: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(256 << 20).spawn(work).unwrap().join().unwrap();
}

/// Executes random tests in contexts of both kinds. Returns whether the contexts that served many say
/// that they could.
fn compare(program: &Rc<Program>, tests: usize) -> bool {
    let settings = Settings::default();
    let machine = |reuse| machine_of(program, &settings, 1, reuse);
    let subject = Subject::new(program, machine(true), settings.clone(), 1).unwrap();
    let (mut many, mut own) = (machine(true), machine(false));
    let mut rng = Stream::new(1, Stream::SEARCH);
    for number in 0..tests {
        let target = number % subject.model.targets.len();
        let genes = subject.maker(false).random(target, &mut rng);
        let options = ExecuteOptions { observe: true, seed: 1, ..ExecuteOptions::default() };
        let many = many.execute(&genes.statements, options).unwrap();
        let own = own.execute(&genes.statements, options).unwrap();
        assert_eq!(many.outcome, own.outcome, "{genes:?}");
        assert_eq!(many.observed, own.observed, "{genes:?}");
        assert_eq!(many.after, own.after, "{genes:?}");
        assert_eq!(many.steps, own.steps, "{genes:?}");
        if matches!(own.outcome, Outcome::Limit(_)) {
            // How far past a limit a test comes depends on when the engine asks.
            let reached = |execution: &Execution| -> Vec<bool> {
                execution.counters.iter().map(|count| *count > 0).collect()
            };
            assert_eq!(reached(&many), reached(&own), "{genes:?}");
        } else {
            assert_eq!((&many.counters, &many.outcomes), (&own.counters, &own.outcomes));
        }
        assert_eq!(many.least, own.least, "{genes:?}");
    }
    many.is_clean().unwrap()
}

#[test]
fn executions_do_not_see_each_other_on_the_demo_corpus() {
    on_a_large_stack(|| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets/javascript");
        for name in ["collections.js", "machines.js", "texts.mjs", "numbers.js", "linked-list.js"] {
            let program = Program::new(Package::read(&folder.join(name)).unwrap()).unwrap();
            assert!(compare(&program, 60), "{name}");
        }
    });
}

#[test]
fn a_context_that_a_program_has_changed_serves_no_other_test() {
    on_a_large_stack(|| {
        let source = "module.exports = { pollute() { Object.prototype.x = 1; return ({}).x; },
            look() { return ({}).x; } };";
        let program = Program::new(Package::of_source("a.js", source).unwrap()).unwrap();
        assert!(compare(&program, 10));
    });
}

#[test]
fn a_test_without_end_leaves_the_others_their_context() {
    on_a_large_stack(|| {
        let source = "exports.spin = n => { while (n !== null) n = n; };
            exports.twice = n => n > 3 ? n + n : 0;";
        let program = Program::new(Package::of_source("a.js", source).unwrap()).unwrap();
        assert!(compare(&program, 12));
    });
}

#[test]
fn an_execution_is_repeatable_unless_the_program_asks_for_chance_or_time() {
    let source = "exports.plain = () => new Date(5).getTime() + Math.abs(-1);
        exports.chance = () => Math.random() < 2;
        exports.time = () => new Date() > 0;
        exports.passed = () => performance.now() >= 0;
        exports.later = () => { setTimeout(() => 1, 5); };
        exports.thrown = () => { throw new Error('plain'); };
        exports.endless = () => { for (;;); };";
    let program = Program::new(Package::of_source("a.js", source).unwrap()).unwrap();
    let mut machine = machine_of(&program, &Settings::default(), 1, true);
    let mut repeatable = |name: &str| {
        let call = Statement::from_json(&json!({"op": "call", "path": [name], "arguments": []}));
        machine.execute(&[call.unwrap()], ExecuteOptions::default()).unwrap().repeatable
    };
    for name in ["plain", "thrown"] {
        assert!(repeatable(name), "{name}");
    }
    for name in ["chance", "time", "passed", "later", "endless"] {
        assert!(!repeatable(name), "{name}");
    }
    assert!(repeatable("plain"), "after others");
}

#[test]
fn a_program_that_asks_for_the_time_while_it_is_loaded_is_not_repeatable() {
    let source = "const start = Date.now(); exports.f = () => start > 0;";
    let program = Program::new(Package::of_source("a.js", source).unwrap()).unwrap();
    let mut machine = machine_of(&program, &Settings::default(), 1, true);
    for _ in 0..2 {
        assert!(!machine.execute(&[], ExecuteOptions::default()).unwrap().repeatable);
    }
}

#[test]
fn minimised_suites_cover_what_their_run_says() {
    on_a_large_stack(|| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets/javascript");
        for name in ["linked-list.js", "caches.js", "texts.mjs"] {
            let program = Program::new(Package::read(&folder.join(name)).unwrap()).unwrap();
            let run = |minimise| {
                let request = Request {
                    method: Method::Search(Algorithm::named("random").unwrap()),
                    settings: Settings { minimise, ..Settings::default() },
                    seed: 1,
                    budget: Budget { executions: Some(200), ..Budget::default() },
                    project: String::new(),
                    engine: String::new(),
                };
                generate(&program, &request, &mut |_| std::ops::ControlFlow::Continue(())).unwrap()
            };
            let (small, large) = (run(true), run(false));
            assert_eq!(small.covered, large.covered, "{name}");
            let statements = |tests: &[catherd_javascript_classes::SuiteTest]| -> usize {
                tests.iter().map(|test| test.statements.len()).sum()
            };
            assert!(statements(&small.suite.tests) < statements(&large.suite.tests), "{name}");
            let mut machine = machine_of(&program, &Settings::default(), 1, true);
            let again = Coverage::measure(&program, &mut machine, &small.suite.tests, 1);
            assert_eq!(again.totals(&program.units), small.coverage, "{name}");
            let names: std::collections::BTreeSet<String> = again
                .uncovered(&program.units)
                .iter()
                .map(|g| program.units.goal_name(g))
                .collect();
            for goal in &small.covered {
                assert!(!names.contains(&small.goals[*goal as usize]), "{name}: {goal}");
            }
        }
    });
}
