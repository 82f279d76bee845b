//! Tests of branch distances (Whisker paper, section 5.2.2).

use std::sync::Arc;

use catherd_scratch_vm::{Program, Random, Vm, VmSettings};

use crate::harness::{Harness, SEED, paper};

/// The pair of distances of a condition, evaluated once by a sprite at (10, 20).
fn pair(condition: &str) -> (f64, f64) {
    pair_in("", condition)
}

fn pair_in(others: &str, condition: &str) -> (f64, f64) {
    let source =
        format!("(list l a 1) {others} (sprite A x=10 y=20 (flag (if@if {condition} [])))");
    let pairs = Harness::after(1, &source).pairs("if");
    assert_eq!(pairs.len(), 1);
    pairs[0]
}

const INF: f64 = f64::INFINITY;

#[test]
fn relations() {
    for (condition, to_true, to_false) in [
        ("(< 3 5)", 0.0, 2.0),
        ("(< 5 3)", 3.0, 0.0),
        ("(< 3 3)", 1.0, 0.0),
        ("(> 5 3)", 0.0, 2.0),
        ("(> 3 5)", 3.0, 0.0),
        ("(> 3 3)", 1.0, 0.0),
        ("(= 3 3)", 0.0, 1.0),
        ("(= 3 5.5)", 2.5, 0.0),
        ("(= 5.5 3)", 2.5, 0.0),
        ("(= #t 3)", 2.0, 0.0),
        // Strings are compared as strings, and the distance to the outcome that did not occur is 1.
        ("(< a b)", 0.0, 1.0),
        ("(> a b)", 1.0, 0.0),
        ("(= a A)", 0.0, 1.0),
        ("(= a b)", 1.0, 0.0),
        ("(= \"\" 0)", 1.0, 0.0),
        ("(= \" \" 0)", 1.0, 0.0),
        ("(> a 5)", 0.0, 1.0),
        ("(= _ 5)", 1.0, 0.0),
        // Infinite operands and NaN.
        ("(> 5 Infinity)", INF, 0.0),
        ("(> Infinity 5)", 0.0, INF),
        ("(= Infinity Infinity)", 0.0, 1.0),
        ("(< Infinity Infinity)", INF, 0.0),
        ("(= Infinity -Infinity)", INF, 0.0),
        ("(= (/ 0 0) 5)", 1.0, 0.0),
    ] {
        assert_eq!(pair(condition), (to_true, to_false), "{condition}");
    }
}

#[test]
fn connectives() {
    for (condition, to_true, to_false) in [
        ("(and (> 1 5) (> 1 3))", 8.0, 0.0),
        ("(and (> 9 5) (> 1 3))", 3.0, 0.0),
        ("(and (> 9 5) (> 4 3))", 0.0, 1.0),
        ("(or (> 1 5) (> 1 3))", 3.0, 0.0),
        ("(or (> 9 5) (> 1 3))", 0.0, 4.0),
        ("(or (> 9 5) (> 4 3))", 0.0, 5.0),
        ("(not (= 42 40))", 0.0, 2.0),
        ("(not (= 42 42))", 1.0, 0.0),
        ("(not (not (> 1 5)))", 5.0, 0.0),
        // Missing operands count as false: (1, 0).
        ("(and _ (> 1 5))", 6.0, 0.0),
        ("(or (> 1 5) _)", 1.0, 0.0),
        ("(and _ _)", 2.0, 0.0),
        ("(not _)", 0.0, 1.0),
        ("_", 1.0, 0.0),
        // De Morgan's laws and mixed conditions.
        ("(not (and (> 1 5) (> 1 3)))", 0.0, 8.0),
        ("(and (not (= 1 1)) (contains abc x))", 2.0, 0.0),
    ] {
        assert_eq!(pair(condition), (to_true, to_false), "{condition}");
    }
}

#[test]
fn other_conditions_are_one_away() {
    for (condition, holds) in [
        ("(contains abc b)", true),
        ("(contains abc x)", false),
        ("(has l a)", true),
        ("(has l x)", false),
        ("(key? a)", false),
        ("(mouse-down)", false),
        ("(arg? x)", false),
        ("(loud)", false),
        ("$v", false),
        ("(+ 1 2)", true),
        // Distances of nested expressions are not propagated.
        ("(join (> 1 5) \"\")", false),
        ("(join (> 1 5) x)", true),
    ] {
        let want = if holds { (0.0, 1.0) } else { (1.0, 0.0) };
        assert_eq!(pair_in("(var v 0)", condition), want, "{condition}");
    }
}

#[test]
fn keys_and_button_when_pressed() {
    let mut harness =
        Harness::flag("(sprite A (flag (if@key (key? a) []) (if@button (mouse-down) [])))");
    harness.vm.key("a", true);
    harness.vm.mouse_button(true);
    harness.steps(1);
    assert_eq!(
        (harness.pairs("key"), harness.pairs("button")),
        (vec![(0.0, 1.0)], vec![(0.0, 1.0)])
    );
}

#[test]
fn touching_is_as_far_as_the_centres() {
    for (others, condition, to_true, to_false) in [
        ("(sprite B x=70 y=100)", "(touching B)", 100.0, 0.0),
        ("(sprite B x=15 y=20)", "(touching B)", 0.0, 1.0),
        // The sprites do not touch although their centres are equal, so the distance must not be 0.
        ("(sprite B hidden x=10 y=20)", "(touching B)", 1.0, 0.0),
        ("", "(touching nobody)", 10000.0, 0.0),
        ("", "(touching _edge_)", 160.0, 0.0),
        ("", "(not (touching _edge_))", 0.0, 160.0),
        ("", "(touching _mouse_)", 10000.0, 0.0),
    ] {
        assert_eq!(pair_in(others, condition), (to_true, to_false), "{condition}");
    }
    let touching = pair_in("", "(touching _edge_)");
    assert!(touching.0 > 0.0);
    // The distance is measured to the nearest visible instance.
    let harness = Harness::after(
        2,
        "(sprite A (flag (wait 0) (if@if (touching B) []))) (sprite B x=200 (flag (clone _myself_)) (cloned (set-x 60)))",
    );
    assert_eq!(harness.pairs("if"), [(60.0, 0.0)]);
}

#[test]
fn touching_the_edge_is_never_negative() {
    let harness =
        Harness::after(1, "(sprite A (flag (goto-xy 239 0) (if@if (touching _edge_) [])))");
    assert_eq!(harness.pairs("if"), [(0.0, 1.0)]);
}

#[test]
fn colours_are_searched_on_a_grid() {
    let green = "(sprite B x=115 y=23 (costume green 20 20 \"#00ff00\"))";
    // The search uses steps of 10 from (10, 20), and the square begins at x = 105.
    assert_eq!(pair_in(green, "(touching-color \"#00ff00\")"), (100.0 / 600.0, 0.0));
    assert_eq!(pair_in(green, "(touching-color \"#123456\")"), (1.0, 0.0));
    assert_eq!(pair_in(green, "(touching-color \"#ffffff\")"), (0.0, 1.0));
    let (t, f) = pair_in(green, "(color-touching \"#ff0000\" \"#00ff00\")");
    assert!(t > 80.0 / 600.0 && t < 110.0 / 600.0 && f == 0.0, "{t}");
    assert_eq!(pair_in(green, "(color-touching \"#0000ff\" \"#00ff00\")"), (1.0, 0.0));
    assert_eq!(pair_in(green, "(color-touching \"#ff0000\" \"#123456\")"), (1.0, 0.0));
    let near = "(sprite B x=25 y=20 (costume green 20 20 \"#00ff00\"))";
    assert_eq!(pair_in(near, "(touching-color \"#00ff00\")"), (0.0, 1.0));
    assert_eq!(pair_in(near, "(not (color-touching \"#ff0000\" \"#00ff00\"))"), (1.0, 0.0));
}

#[test]
fn control_blocks_leave_the_pair_of_their_condition() {
    let harness = Harness::after(
        4,
        "(var n #0) (sprite A (flag
           (if@if (= $n 5) []) (if-else@else (= $n 5) [] [])
           (until@until (= $n 2) [(change n #1)]) (while@while (> $n 3) []) (wait-until@wait (= $n 2))))",
    );
    assert_eq!(harness.pairs("if"), [(5.0, 0.0)]);
    assert_eq!(harness.pairs("else"), [(5.0, 0.0)]);
    assert_eq!(harness.pairs("until"), [(2.0, 0.0), (1.0, 0.0), (0.0, 1.0)]);
    assert_eq!(harness.pairs("while"), [(2.0, 0.0)]);
    assert_eq!(harness.pairs("wait"), [(0.0, 1.0)]);
}

#[test]
fn repeat_counts_the_iterations_still_to_come() {
    let harness = Harness::after(
        6,
        "(var v) (sprite A (flag (repeat@r 3 []) (repeat@none 0 []) (for@for v 2 [])))",
    );
    assert_eq!(harness.pairs("r"), [(0.0, 2.0), (0.0, 1.0), (0.0, 1.0), (1.0, 0.0)]);
    assert_eq!(harness.pairs("none"), [(1.0, 0.0)]);
    assert_eq!(harness.pairs("for"), [(0.0, 1.0), (0.0, 1.0), (1.0, 0.0)]);
    // A nested loop counts its own iterations.
    let harness = Harness::after(3, "(sprite A (flag (forever@f [(repeat@r 2 [])])))");
    assert_eq!(harness.pairs("r"), [(0.0, 1.0), (0.0, 1.0), (1.0, 0.0)]);
    assert_eq!(harness.pairs("f"), [(0.0, 1.0)]);
}

#[test]
fn timed_blocks_leave_the_fraction_of_time_left() {
    for block in [
        "(wait@t 0.1)",
        "(say-for@t x 0.1)",
        "(think-for@t x 0.1)",
        "(glide@t 0.1 5 5)",
        "(glide-to@t 0.1 B)",
        "(play-done@t pop)",
        "(speak@t \"1.5\")",
    ] {
        let source = format!("(sprite A (sound pop 0.1) (flag {block})) (sprite B)");
        let pairs = Harness::after(9, &source).pairs("t");
        let n = pairs.len();
        assert!(n >= 4, "{block}");
        assert_eq!((pairs[0], pairs[n - 1]), ((1.0, 0.0), (0.0, 1.0)), "{block}");
        let falls = pairs.windows(2).all(|w| w[1].0 < w[0].0);
        assert!(falls && pairs[1..n - 1].iter().all(|p| p.1 == 0.0), "{block} {pairs:?}");
    }
    // The distances of blocks with a duration of 0 are numbers.
    for block in ["(wait@t 0)", "(wait@t abc)", "(say-for@t x 0)", "(glide@t 0 5 5)"] {
        let pairs = Harness::after(2, &format!("(sprite A (flag {block}))")).pairs("t");
        assert_eq!(pairs.last(), Some(&(0.0, 1.0)), "{block}");
        assert!(pairs.iter().all(|p| !p.0.is_nan()), "{block} {pairs:?}");
    }
    // A sound that does not exist never ends.
    let pairs = Harness::after(3, "(sprite A (flag (play-done@t pop)))").pairs("t");
    assert_eq!(pairs, [(1.0, 0.0); 3]);
}

#[test]
fn examples_of_the_papers_implementation() {
    let least = |n: usize, blocks: &str, id: &str| {
        let source = format!("(var v #0) (sprite A (flag (set v #0) {blocks}))");
        Harness::after(n, &source).least(id)
    };
    assert_eq!(least(1, "(if@c (= $v 42) [(say G)])", "c").0, 42.0);
    assert_eq!(least(5, "(wait-until@c (= $v 42)) (say G)", "c").0, 42.0);
    assert_eq!(least(5, "(until@c (= $v 42) []) (say G)", "c").0, 42.0);
    assert_eq!(least(1, "(if-else@c (not (= $v 42)) [] [(say G)])", "c").1, 42.0);
    assert_eq!(least(1, "(until@c (= $v 0) [(say G)])", "c").1, 1.0);
    assert_eq!(least(1, "(repeat@c 0 [(say G)])", "c").0, 1.0);
    assert_eq!(
        least(
            30,
            "(set v #10) (until@c (= $v 0) [(change v 10) (if (= $v 50) [(set v #10)])]) (say G)",
            "c"
        )
        .0,
        10.0
    );
    assert_eq!(least(30, "(repeat@c 10 [(forever [(think x)])]) (say G)", "c").1, 9.0);
    let left = least(9, "(wait@c 100) (say G)", "c").0;
    assert!(left > 0.0 && left <= 1.0);
}

#[test]
fn one_distance_is_zero_and_the_other_positive() {
    // Check the contract of the tracer with blocks of many kinds.
    let mut harness = Harness::flag(
        "(var n #0) (sprite B x=90) (sprite A (sound pop 0.2) (flag (forever [
           (change n (random -5 5)) (glide 0.1 $n $n) (repeat (random 0 3) [])
           (if (or (touching _edge_) (not (touching-color (* $n 99999)))) [(wait (random -0.1 0.1))])
           (until (or (> (random 0 9) 4) (touching B)) [])
           (if-else (and (= $n (random 0 3)) (contains $n 1)) [(say-for x 0)] [(play-done pop)])])))",
    );
    harness.steps(300);
    assert!(harness.log().distances.len() > 300);
    for &(block, t, f) in &harness.log().distances {
        assert!((t == 0.0 && f > 0.0) || (f == 0.0 && t > 0.0), "{block:?} {t} {f}");
    }
}

/// Compares a VM with tracing to a VM without tracing, with a small budget for warp.
fn assert_tracing_is_unseen(source: &str) {
    let settings = VmSettings { warp_budget: 20_000, ..paper() };
    let project = crate::language::project(source);
    let program = Arc::new(Program::compile(&project).unwrap());
    let mut plain = Vm::new(program, settings.clone(), Random::reference(SEED), ());
    let mut traced = Harness::with(project, settings);
    plain.green_flag();
    traced.vm.green_flag();
    for _ in 0..40 {
        plain.step();
        traced.steps(1);
        for id in traced.vm.targets() {
            let (a, b) = (traced.vm.target(id).unwrap(), plain.target(id).unwrap());
            assert_eq!((a.x, a.y, a.costume), (b.x, b.y, b.costume));
            assert!(a.variables().eq(b.variables()) && a.lists().eq(b.lists()));
        }
    }
}

#[test]
fn tracing_changes_nothing() {
    assert_tracing_is_unseen(
        "(list l) (sprite B x=90) (sprite A (flag (forever [
           (if (and (touching B) (= (random 1 3) 2)) [(add l (random 1 9))])
           (if (touching-color (random 0 16777215)) [(move 3)]) (move (random -3 9)) (bounce)])))",
    );
    // Tracing also makes no difference if a budget ends the slices.
    assert_tracing_is_unseen(
        "(var s x) (var t x) (var n #0) (list l a b) (sprite B x=90)
         (sprite A (define-warp f () (repeat 12 [(set s (join $s $s)) (set t (join $t $t))])
           (forever [(change n #1) (if (= $s $t) []) (if (has l $n) []) (if (touching B) [])
             (if (not (touching-color \"#123456\")) [(move 1)])])) (flag (call f)))",
    );
}
