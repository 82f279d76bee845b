//! Contexts that serve many executions give the results of contexts of their own.

use std::path::Path;
use std::rc::Rc;

use catherd_javascript_classes::machine::{ExecuteOptions, Execution, Outcome, Package, Program};
use catherd_javascript_classes::{Settings, Subject, machine_of};
use catherd_search::Stream;

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
