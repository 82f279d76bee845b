//! Tests suites that are made from journals, and the avoidance of calls that crashed.

use std::ops::ControlFlow;
use std::path::PathBuf;

use catherd_javascript_classes::machine::{Package, Program};
use catherd_javascript_classes::{
    Crash, Generated, GenerationSettings, Journal, Method, Request, generate_with,
};
use catherd_search::{Algorithm, Budget};

/// One goal cannot be covered, so a search uses its whole budget.
const SOURCE: &str = "exports.never = n => { if (n > 2 && n < 1) return 1; return 0; };
    exports.sign = n => n > 0 ? 1 : n < 0 ? -1 : 0;
    exports.kind = (a, b) => { if (a === b) return 'same'; if (typeof a === 'string') return 'text'; return 'other'; };";

/// Generates in a thread, because the engine needs a large stack.
fn generated(journal: Journal) -> Generated {
    let work = move || {
        let program = Program::new(Package::of_source("a.js", SOURCE).unwrap()).unwrap();
        let request = Request {
            method: Method::Search(Algorithm::named("mio").unwrap()),
            settings: GenerationSettings::default(),
            seed: 3,
            budget: Budget { executions: Some(400), ..Budget::default() },
            project: String::new(),
            engine: String::new(),
            functions: None,
        };
        let mut observer = |_: &_| ControlFlow::Continue(());
        generate_with(&program, &request, journal, &mut observer).unwrap()
    };
    std::thread::Builder::new().stack_size(256 << 20).spawn(work).unwrap().join().unwrap()
}

fn files(name: &str) -> [PathBuf; 2] {
    ["found", "number"].map(|file| {
        let name = format!("catherd-journal-{name}-{file}-{}", std::process::id());
        std::env::temp_dir().join(name)
    })
}

#[test]
fn the_tests_of_a_search_give_its_suite_again() {
    let [found, number] = files("again");
    let whole = generated(Journal::create(&found, &number, Vec::new()).unwrap());
    assert!(whole.covered.len() >= 6, "{:?}", whole.covered);
    // No execution is in progress after the search.
    assert_eq!(Journal::under_way(&number), None);
    let again = generated(Journal::read(&found).unwrap());
    assert_eq!(again.covered, whole.covered);
    assert!(!again.suite.tests.is_empty());
    // A process may be killed while it writes.
    let text = std::fs::read(&found).unwrap();
    std::fs::write(&found, &text[..text.len() - 3]).unwrap();
    let cut = generated(Journal::read(&found).unwrap());
    assert!(cut.covered.len() < whole.covered.len() && !cut.covered.is_empty());
    for file in [found, number] {
        std::fs::remove_file(file).unwrap();
    }
}

#[test]
fn executions_that_ended_the_process_are_left_out() {
    let [found, number] = files("crashed");
    let search = |crashed: &[(u64, u64)]| {
        let crashed =
            crashed.iter().map(|(number, target)| Crash { number: *number, target: *target });
        generated(Journal::create(&found, &number, crashed.collect()).unwrap())
    };
    let crashes = |generated: &Generated| generated.counts.limits.get("crash").copied();
    let whole = search(&[]);
    assert_eq!(crashes(&whole), None);
    assert_eq!(crashes(&search(&[(100, 0)])), Some(1));
    // After the second crash in a call of a target, all tests that call the target are left out.
    let blamed = search(&[(30, 0), (60, 0)]);
    assert!(crashes(&blamed).is_some_and(|count| count > 20), "{:?}", blamed.counts);
    for file in [&found, &number] {
        std::fs::remove_file(file).unwrap();
    }
}
