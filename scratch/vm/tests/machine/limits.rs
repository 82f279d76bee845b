//! Every limit that a program runs into is on record: when first, how often.

use catherd_vm::{Hit, Limit, Settings};

use crate::language::project;
use crate::rig::{Rig, paper};

/// What a program has hit after some steps.
fn hits(settings: Settings, steps: usize, source: &str) -> Vec<(Limit, Hit)> {
    let mut rig = Rig::with(project(source), settings);
    rig.vm.green_flag();
    rig.steps(steps);
    rig.vm.hits().iter().collect()
}

#[test]
fn a_program_within_its_means_hits_none() {
    let source = "(var s x) (list l) (sprite A (define-warp f () (repeat 10 [(set s (join $s $s)) (add l $s)]))
        (flag (call f) (repeat 9 [(clone _myself_)]) (log end)))";
    assert_eq!(hits(paper(), 20, source), []);
}

#[test]
fn slices() {
    let settings = Settings { warp_budget: 1000, ..paper() };
    let source = "(sprite A (define-warp f () (forever [])) (flag (wait 0.1) (call f)))";
    assert_eq!(hits(settings, 10, source), [(Limit::Slice, Hit { first: 4, times: 7 })]);
}

#[test]
fn steps() {
    let settings = Settings { warp_budget: 1000, step_budget: 1000, ..paper() };
    let source = "(sprite A (define-warp f () (forever [])) (flag (call f)) (flag (forever [])))";
    let hit = Hit { first: 1, times: 3 };
    assert_eq!(hits(settings, 3, source), [(Limit::Slice, hit), (Limit::Step, hit)]);
}

#[test]
fn call_depth() {
    let settings = Settings { stack_limit: 100, ..paper() };
    let source = "(sprite A (define-warp f () (call f)) (flag (call f)))";
    assert_eq!(hits(settings, 3, source), [(Limit::CallDepth, Hit { first: 1, times: 1 })]);
}

#[test]
fn text() {
    let settings = Settings { text_limit: 100, ..paper() };
    let source = "(var s x) (sprite A (flag (repeat 9 [(set s (join $s $s))])))";
    let mut rig = Rig::with(project(source), settings.clone());
    rig.vm.green_flag();
    rig.steps(10);
    assert_eq!(
        rig.vm.hits().iter().collect::<Vec<_>>(),
        [(Limit::Text, Hit { first: 7, times: 3 })]
    );
    assert_eq!(rig.var("s"), "x".repeat(100));
    // The contents of a list are a text as well.
    let source = "(var s) (list l 123456789 123456789 123456789) (sprite A (flag (set s %l)))";
    assert_eq!(hits(Settings { text_limit: 29, ..paper() }, 1, source), []);
    let cut = hits(Settings { text_limit: 28, ..settings }, 1, source);
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
    // Clicking the flag again makes them no more.
    let mut rig = Rig::after(3, source);
    rig.vm.green_flag();
    assert_eq!(rig.vm.hits().of(Limit::Costume), Hit { first: 0, times: 2 });
}

#[test]
fn the_record_is_part_of_the_state() {
    let source = "(sprite A (flag (repeat 400 [(clone _myself_)])))";
    let mut rig = Rig::flag(source);
    let start = rig.vm.snapshot();
    rig.steps(350);
    assert_eq!(rig.vm.hits().of(Limit::Clones).first, 301);
    rig.vm.restore(&start);
    assert!(rig.vm.hits().is_empty());
}

#[test]
fn long_scripts_without_loops_are_put_off() {
    let settings = Settings { step_budget: 1000, ..paper() };
    let changes = "(change n 1)".repeat(2500);
    let source = format!("(var n #0) (sprite A (flag {changes} (log end)))");
    let mut rig = Rig::with(project(&source), settings);
    rig.vm.green_flag();
    rig.steps(1);
    assert_eq!(rig.var("n"), "1000");
    rig.steps(2);
    assert_eq!(rig.var("n"), "2500");
    assert_eq!(rig.list("log"), ["end"]);
    assert_eq!(rig.vm.hits().of(Limit::Step), Hit { first: 1, times: 2 });
}

#[test]
fn stamps_cost_by_their_size() {
    let stamps = "(stamp)".repeat(3000);
    let source =
        format!("(costume a) (sprite A (costume a) (flag (set-size 500) {stamps} (log end)))");
    let mut rig = Rig::with(project(&source), Settings { step_budget: 10_000, ..paper() });
    rig.vm.green_flag();
    rig.steps(1);
    assert!(rig.list("log").is_empty() && rig.vm.hits().of(Limit::Step).times == 1);
}
