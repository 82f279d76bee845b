//! Tests that executions in an image of the loaded program have the same results as executions in
//! new contexts.

use std::path::Path;
use std::rc::Rc;

use catherd_javascript_classes::machine::Statement;
use catherd_javascript_classes::machine::{ExecuteOptions, Package, Program};
use catherd_javascript_classes::{
    Coverage, GenerationSettings, Method, Request, Subject, generate, has_unknowns, machine_of,
};
use catherd_search::{Algorithm, Budget, Stream};
use serde_json::json;

fn on_a_large_stack(work: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(256 << 20).spawn(work).unwrap().join().unwrap();
}

/// Compares executions of random tests in images and in new contexts.
fn compare(program: &Rc<Program>, tests: usize) {
    let settings = GenerationSettings::default();
    let machine = |reuse| machine_of(program, &settings, 1, reuse);
    let subject = Subject::new(program, machine(true), settings.clone(), 1).unwrap();
    let (mut image, mut own) = (machine(true), machine(false));
    let mut rng = Stream::new(1, Stream::SEARCH);
    for number in 0..tests {
        let target = number % subject.model.targets.len();
        let genes = subject.maker(number % 3 == 0).random(target, &mut rng);
        let options = ExecuteOptions {
            infer: has_unknowns(&genes),
            observe: true,
            trace: number % 2 == 0,
            loading: number % 20 == 7,
            seed: 1 + (number % 7 == 0) as u64,
            later: (number % 5 / 4) as f64 * 1_000.5,
            ..ExecuteOptions::default()
        };
        let image = image.execute(&genes.statements, options).unwrap();
        let own = own.execute(&genes.statements, options).unwrap();
        assert_eq!(format!("{image:?}"), format!("{own:?}"), "{genes:?}");
    }
}

#[test]
#[ignore = "slow"]
fn executions_do_not_see_each_other_on_the_demo_corpus() {
    on_a_large_stack(|| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../datasets/javascript");
        for name in ["collections.js", "machines.js", "texts.mjs", "numbers.js", "linked-list.js"] {
            let program = Program::new(Package::read(&folder.join(name)).unwrap()).unwrap();
            compare(&program, 60);
        }
    });
}

#[test]
#[ignore = "slow"]
fn effects_of_a_test_end_with_it() {
    check_effects(12);
}

#[test]
#[ignore = "slow"]
fn effects_of_many_tests_end_with_them() {
    check_effects(40);
}

fn check_effects(tests: usize) {
    let sources = [
        "module.exports = { pollute() { Object.prototype.x = 1; Array.prototype.map = () => 5; return ({}).x; },
            look() { return [({}).x, [1].map(x => x)]; } };",
        // Tests reach the limits of operations, memory and calls.
        "exports.spin = n => { while (n !== null) n = n; };
            exports.fill = n => { for (const all = []; ; ) all.push(new Array(10000).fill(n)); };
            exports.deep = n => { const f = m => f(m + 1) + n; return f(0); };
            exports.twice = n => n > 3 ? n + n : 0;",
        // Loading uses random numbers and the time, and leaves a timer and a rejected promise.
        "let n = Math.random(); const start = Date.now(); Promise.reject(new Error('at first'));
            setTimeout(() => n += 1, 10); const all = new Map([[n, start]]);
            exports.next = () => { n += Math.random(); all.set(n, Date.now() - start); return [...all.entries()]; };
            exports.wait = () => new Promise(f => setTimeout(() => f(n), 20));",
        // Loading allocates blocks of many sizes.
        "const all = []; for (let i = 1; i < 3000; i += 31) all.push('x'.repeat(i * i % 90001), new Uint8Array(i * 17));
            exports.change = i => { all[i] = all.length; all.push(i); all.sort(); return all.slice(-3); };
            exports.clear = () => { all.length = 0; return new Array(5000).fill(1).length; };",
    ];
    on_a_large_stack(move || {
        for source in sources {
            let program = Program::new(Package::of_source("a.js", source).unwrap()).unwrap();
            compare(&program, tests);
        }
    });
}

#[test]
fn an_execution_is_repeatable_unless_the_program_asks_for_random_numbers_or_time() {
    let source = "exports.plain = () => new Date(5).getTime() + Math.abs(-1);
        exports.chance = () => Math.random() < 2;
        exports.time = () => new Date() > 0;
        exports.passed = () => performance.now() >= 0;
        exports.later = () => { setTimeout(() => 1, 5); };
        exports.thrown = () => { throw new Error('plain'); };
        exports.endless = () => { for (;;); };";
    let program = Program::new(Package::of_source("a.js", source).unwrap()).unwrap();
    let mut machine = machine_of(&program, &GenerationSettings::default(), 1, true);
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
    let mut machine = machine_of(&program, &GenerationSettings::default(), 1, true);
    for _ in 0..2 {
        assert!(!machine.execute(&[], ExecuteOptions::default()).unwrap().repeatable);
    }
}

#[test]
#[ignore = "slow"]
fn minimised_suites_cover_what_their_run_says() {
    on_a_large_stack(|| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../datasets/javascript");
        for name in ["linked-list.js", "caches.js", "texts.mjs"] {
            let program = Program::new(Package::read(&folder.join(name)).unwrap()).unwrap();
            let run = |minimise| {
                let request = Request {
                    method: Method::Search(Algorithm::named("random").unwrap()),
                    settings: GenerationSettings { minimise, ..GenerationSettings::default() },
                    seed: 1,
                    budget: Budget { executions: Some(200), ..Budget::default() },
                    project: String::new(),
                    engine: String::new(),
                    functions: None,
                };
                generate(&program, &request, &mut |_| std::ops::ControlFlow::Continue(())).unwrap()
            };
            let (small, large) = (run(true), run(false));
            assert_eq!(small.covered, large.covered, "{name}");
            let statements = |tests: &[catherd_javascript_classes::SuiteTest]| -> usize {
                tests.iter().map(|test| test.statements.len()).sum()
            };
            assert!(statements(&small.suite.tests) < statements(&large.suite.tests), "{name}");
            let mut machine = machine_of(&program, &GenerationSettings::default(), 1, true);
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
