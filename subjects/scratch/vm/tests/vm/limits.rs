//! Tests that every limit that a program hits is counted, with the step of the first hit.

use catherd_scratch_vm::{Hit, Limit, VmSettings};

use crate::harness::{Harness, paper};
use crate::language::project;

fn hits(settings: VmSettings, steps: usize, source: &str) -> Vec<(Limit, Hit)> {
    let mut harness = Harness::with(project(source), settings);
    harness.vm.green_flag();
    harness.steps(steps);
    harness.vm.hits().iter().collect()
}

#[test]
fn a_program_within_its_limits_hits_none() {
    let source = "(var s x) (list l) (sprite A (define-warp f () (repeat 10 [(set s (join $s $s)) (add l $s)]))
        (flag (call f) (repeat 9 [(clone _myself_)]) (log end)))";
    assert_eq!(hits(paper(), 20, source), []);
}

#[test]
fn slices() {
    let settings = VmSettings { warp_budget: 1000, ..paper() };
    let source = "(sprite A (define-warp f () (forever [])) (flag (wait 0.1) (call f)))";
    assert_eq!(hits(settings, 10, source), [(Limit::Slice, Hit { first: 4, times: 7 })]);
}

#[test]
fn steps() {
    let settings = VmSettings { warp_budget: 1000, step_budget: 1000, ..paper() };
    let source = "(sprite A (define-warp f () (forever [])) (flag (call f)) (flag (forever [])))";
    let hit = Hit { first: 1, times: 3 };
    assert_eq!(hits(settings, 3, source), [(Limit::Slice, hit), (Limit::Step, hit)]);
}

#[test]
fn call_depth() {
    let settings = VmSettings { stack_limit: 100, ..paper() };
    let source = "(sprite A (define-warp f () (call f)) (flag (call f)))";
    assert_eq!(hits(settings, 3, source), [(Limit::CallDepth, Hit { first: 1, times: 1 })]);
}

#[test]
fn text() {
    let settings = VmSettings { text_limit: 100, ..paper() };
    let source = "(var s x) (sprite A (flag (repeat 9 [(set s (join $s $s))])))";
    let mut harness = Harness::with(project(source), settings.clone());
    harness.vm.green_flag();
    harness.steps(10);
    assert_eq!(
        harness.vm.hits().iter().collect::<Vec<_>>(),
        [(Limit::Text, Hit { first: 7, times: 3 })]
    );
    assert_eq!(harness.var("s"), "x".repeat(100));
    // The contents of a list also form a string.
    let source = "(var s) (list l 123456789 123456789 123456789) (sprite A (flag (set s %l)))";
    assert_eq!(hits(VmSettings { text_limit: 29, ..paper() }, 1, source), []);
    let cut = hits(VmSettings { text_limit: 28, ..settings }, 1, source);
    assert_eq!(cut, [(Limit::Text, Hit { first: 1, times: 1 })]);
}

#[test]
fn lists() {
    let source = "(list l) (sprite A (define-warp f () (repeat 200002 [(add l #1)]) (insert l x 1)) (flag (call f)))";
    assert_eq!(hits(paper(), 1, source), [(Limit::List, Hit { first: 1, times: 3 })]);
}

#[test]
fn clones() {
    let source = "(sprite A (define-warp f () (repeat 305 [(clone _myself_)])) (flag (call f)))";
    assert_eq!(hits(paper(), 1, source), [(Limit::Clones, Hit { first: 1, times: 5 })]);
}

#[test]
fn costumes() {
    let source = "(sprite A (costume wide 20000 20 \"#ff0000\") (costume fine 20 20 \"#ff0000\")
        (costume high 20 20000 \"#ff0000\") (flag (log end)))";
    assert_eq!(hits(paper(), 2, source), [(Limit::Costume, Hit { first: 0, times: 2 })]);
    // Another click on the flag does not count the costumes again.
    let mut harness = Harness::after(3, source);
    harness.vm.green_flag();
    assert_eq!(harness.vm.hits().of(Limit::Costume), Hit { first: 0, times: 2 });
}

#[test]
fn hits_are_part_of_the_state() {
    let source = "(sprite A (flag (repeat 400 [(clone _myself_)])))";
    let mut harness = Harness::flag(source);
    let start = harness.vm.snapshot();
    harness.steps(350);
    assert_eq!(harness.vm.hits().of(Limit::Clones).first, 301);
    harness.vm.restore(&start);
    assert!(harness.vm.hits().is_empty());
}

#[test]
fn long_scripts_without_loops_are_interrupted() {
    let settings = VmSettings { step_budget: 1000, ..paper() };
    let changes = "(change n 1)".repeat(2500);
    let source = format!("(var n #0) (sprite A (flag {changes} (log end)))");
    let mut harness = Harness::with(project(&source), settings);
    harness.vm.green_flag();
    harness.steps(1);
    assert_eq!(harness.var("n"), "1000");
    harness.steps(2);
    assert_eq!(harness.var("n"), "2500");
    assert_eq!(harness.list("log"), ["end"]);
    assert_eq!(harness.vm.hits().of(Limit::Step), Hit { first: 1, times: 2 });
}

#[test]
fn stamps_cost_by_their_size() {
    let stamps = "(stamp)".repeat(3000);
    let source =
        format!("(costume a) (sprite A (costume a) (flag (set-size 500) {stamps} (log end)))");
    let mut harness =
        Harness::with(project(&source), VmSettings { step_budget: 10_000, ..paper() });
    harness.vm.green_flag();
    harness.steps(1);
    assert!(harness.list("log").is_empty() && harness.vm.hits().of(Limit::Step).times == 1);
}
