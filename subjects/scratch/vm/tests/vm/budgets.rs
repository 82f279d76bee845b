//! Tests that every step of a hostile program ends soon, and in the same state on every computer.

use catherd_scratch_vm::{Limit, VmSettings};

use crate::harness::{Harness, eval, paper};
use crate::language::project;

/// Small budgets, so that a step is also fast in a debug build.
fn tight() -> VmSettings {
    VmSettings { warp_budget: 20_000, step_budget: 50_000, ..paper() }
}

fn survive(steps: usize, source: &str) -> Harness {
    survive_with(tight(), steps, source)
}

fn survive_with(settings: VmSettings, steps: usize, source: &str) -> Harness {
    let budget = settings.step_budget as usize;
    let mut harness = Harness::with(project(source), settings);
    harness.vm.green_flag();
    for _ in 0..steps {
        harness.steps(1);
        let blocks = harness.log().in_step.len();
        assert!(blocks <= budget, "{blocks} blocks in a step: {source}");
    }
    harness
}

/// Number of times that the last step executed the block with this label.
fn in_last_step(harness: &Harness, label: &str) -> usize {
    let block = harness.block(label);
    harness.log().in_step.iter().filter(|&&other| other == block).count()
}

#[test]
fn endless_warp_loops_end_their_slices() {
    let harness = survive(
        5,
        "(var n #0) (sprite A (define-warp f () (forever [(change n 1)])) (flag (call f)))
         (sprite B (flag (forever [(log b)])))",
    );
    assert_eq!(harness.list("log").len(), 5);
    // An iteration has two blocks, and each step has a new budget.
    let n: f64 = harness.var("n").parse().unwrap();
    assert!((49_000.0..51_000.0).contains(&n), "{n}");
    survive(5, "(sprite A (define-warp f () (forever [])) (flag (call f)))");
    survive(5, "(sprite A (define-warp f () (repeat Infinity [])) (flag (call f)))");
    survive(5, "(sprite A (define-warp f () (until _ [])) (flag (call f)))");
    survive(5, "(var v) (sprite A (define-warp f () (for v Infinity [])) (flag (call f)))");
    survive(5, "(sprite A (define-warp f () (wait-until (= (random 0.0 1.0) 2))) (flag (call f)))");
}

#[test]
fn many_endless_warp_loops_share_the_steps_budget() {
    let harness = survive(
        4,
        "(sprite A (define-warp f () (forever [])) (flag (repeat 100 [(clone _myself_)])) (cloned (call f)))",
    );
    assert!(harness.vm.hits().of(Limit::Step).times > 0);
}

#[test]
fn clone_storms_end() {
    // Every clone creates another and deletes itself, all within one batch.
    let harness = survive(
        5,
        "(var n #0) (sprite A (flag (clone _myself_)) (cloned (change n 1) (clone _myself_) (delete-clone)))",
    );
    assert!(harness.vm.hits().of(Limit::Step).times > 0);
    assert!(harness.vm.targets().count() < 10);
    let harness = survive(
        9,
        "(sprite A (flag (clone _myself_)) (cloned (forever [(clone _myself_) (clone A)])))",
    );
    assert_eq!(harness.targets("A").count(), 301);
}

#[test]
fn clones_count_as_a_thousand_blocks() {
    let source =
        "(sprite A (flag (clone _myself_)) (cloned (clone@again _myself_) (delete-clone)))";
    let harness = survive_with(paper(), 2, source);
    let clones = in_last_step(&harness, "again");
    assert!((1_000..4_000).contains(&clones), "{clones} clones in a step");
}

#[test]
fn deep_recursion_ends_the_thread() {
    let harness = survive(
        3,
        "(sprite A (define-warp f () (call f) (log back)) (flag (call f) (log end)))
         (sprite B (flag (wait 0) (log b)))",
    );
    assert_eq!(harness.list("log"), ["b"]);
    assert!(harness.vm.hits().of(Limit::CallDepth).times > 0);
    // Outside warp, each level of recursion takes one step.
    let harness =
        survive(50, "(var n #0) (sprite A (define f () (change n 1) (call f)) (flag (call f)))");
    assert_eq!(harness.var("n"), "50");
    // Recursion that is not detected.
    survive(
        3,
        "(sprite A (define f () (if 1 [(if 1 [(if 1 [(if 1 [(if 1 [(if 1 [(call f)])])])])])])) (flag (call f)))",
    );
}

#[test]
fn branching_recursion_ends_its_slice() {
    for define in ["define", "define-warp"] {
        let source = format!(
            "(sprite A ({define} f (n) (if 1 [(if 1 [(if 1 [(if 1 [(if 1 [(if (> (arg n) 0) [
               (call f (- (arg n) 1)) (call f (- (arg n) 1))])])])])])])) (flag (call f 60)))
             (sprite B (flag (forever [(log b)])))"
        );
        assert_eq!(survive(3, &source).list("log").len(), 3, "{define}");
    }
}

#[test]
fn parameters_of_deep_recursion_are_bounded() {
    survive(
        3,
        "(sprite A (define-warp f (a b c) (call f (join (arg a) x) (arg b) (+ (arg c) 1))) (flag (call f 1 2 3)))",
    );
}

#[test]
fn message_ping_pong_takes_steps() {
    let harness = survive(
        20,
        "(message a b) (sprite A (flag (broadcast a)) (received a (log a) (broadcast b)))
         (sprite B (received b (log b) (broadcast a)))",
    );
    assert!(harness.list("log").len() <= 41);
    survive(
        20,
        "(message a b) (sprite A (flag (broadcast-wait a)) (received a (broadcast-wait b)))
         (sprite B (received b (broadcast-wait a)))",
    );
    survive(
        5,
        "(message a) (sprite A (define-warp f () (forever [(broadcast a)])) (flag (repeat 50 [(clone _myself_)]) (call f))
           (received a (forever [])))",
    );
}

#[test]
fn backdrops_ping_pong_too() {
    survive(
        10,
        "(costume a) (costume b) (sprite A (flag (backdrop a)) (shown a (backdrop b)) (shown b (backdrop a)))",
    );
}

#[test]
fn doubling_text_is_cut() {
    let harness = survive(
        60,
        "(var s x) (sprite A (define-warp f () (forever [(set s (join $s $s))])) (flag (call f)))",
    );
    assert_eq!(harness.var("s").len(), paper().text_limit);
    survive(
        5,
        "(var s ä) (sprite A (define-warp f () (forever [(set s (join $s $s))])) (flag (call f)))",
    );
}

#[test]
fn long_text_costs_time() {
    let long =
        "(define-warp f () (repeat 22 [(set s (join $s $s))]) (forever [BLOCK])) (flag (call f))";
    for block in [
        "(set v (length (join $s a)))",
        "(set v (= $s $t))",
        "(set v (contains $s y))",
        "(set v (letter 5 $s))",
        "(say $s)",
        "(set v (+ $s 1))",
        "(broadcast (join $s \"\"))",
        "(costume (join $s \"\"))",
        "(set v (of volume (join $s \"\")))",
        "(set v (key? $s))",
        "(set v (touching $s))",
        "(set v (touching-color $s))",
        "(ask $s)",
    ] {
        let source = format!(
            "(var s x) (var t) (var v) (message m) (sprite A {})",
            long.replace("BLOCK", block)
        );
        survive(3, &source);
    }
}

#[test]
#[ignore = "slow"]
fn full_lists_cost_time() {
    let fill = "(define-warp f () (repeat 200000 [(add l (join item (items l)))]) (log full) (forever [BLOCK])) (flag (call f))";
    // Blocks, and how often a step may execute them. Iterating over 32 items of a list costs as
    // much as one block.
    for (block, most) in [
        ("(add@it l x)", 250_000),
        ("(insert@it l x 1)", 90),
        ("(insert@it l x random)", 300),
        ("(delete@it l 1) (add l x)", 90),
        ("(replace@it l 100000 x)", 250_000),
        ("(set@it v (item# l nothing))", 90),
        ("(set@it v (has l nothing))", 90),
        ("(set@it v %l)", 9),
        ("(set@it v (item l random))", 250_000),
    ] {
        let source = format!("(list l) (var v) (sprite A {})", fill.replace("BLOCK", block));
        let settings = VmSettings { warp_budget: 400_000, step_budget: 500_000, ..paper() };
        let mut harness = survive_with(settings, 4, &source);
        let times = in_last_step(&harness, "it");
        assert!((1..=most).contains(&times), "{block}: {times} times in a step");
        assert_eq!(harness.logged(), "full");
        assert!(harness.target("Stage").lists().all(|(_, l)| l.len() <= 200_000));
    }
}

#[test]
fn lists_hold_two_hundred_thousand_items() {
    let source = "(list l) (sprite A (define-warp f () (repeat 200002 [(add l #1)]) (log (items l))
        (insert l first 1) (log (items l)) (log (item l 1)) (insert l x last) (log (items l))
        (insert l x 200000) (log (item l last)) (insert l x 200001) (log (items l))
        (delete l all) (log (items l))) (flag (call f)))";
    let harness = Harness::after(1, source);
    assert_eq!(harness.list("log"), ["200000", "200000", "first", "200000", "x", "200000", "0"]);
}

#[test]
fn waits_in_warp_do_not_spin() {
    for block in ["(wait 9)", "(wait-until _)", "(ask q)", "(play-done x)", "(glide 9 5 5)"] {
        let harness =
            survive(5, &format!("(sprite A (define-warp f () {block}) (flag (call f) (log end)))"));
        assert!(harness.list("log").is_empty(), "{block}");
    }
}

#[test]
fn sensing_costs_time() {
    for block in [
        "(set v (touching B))",
        "(set v (touching _edge_))",
        "(set v (touching-color \"#123456\"))",
        "(set v (color-touching \"#ff0000\" \"#123456\"))",
        "(set-size (random 10 500))",
        "(set-effect fisheye (random 1 500)) (set v (touching B))",
        "(say (random 1 999999))",
        "(point (random 1 360)) (set v (touching-color \"#123456\"))",
        "(bounce) (right 7)",
        "(pen-size 1200) (pen-down) (move (random 1 999))",
        "(set-size 400) (stamp)",
        "(pen-clear)",
        "(pen-size 1200) (pen-down) (move (random -9 9)) (set v (touching-color \"#123456\"))",
        "(layers forward 1)",
        "(backdrop \"next backdrop\")",
        "(goto _random_)",
        "(if (touching-color \"#123456\") [])",
    ] {
        let source = format!(
            "(var v) (sprite A (define-warp f () (forever [{block}])) (flag (call f)))
             (sprite B (flag (repeat 30 [(clone _myself_)])))"
        );
        survive(2, &source);
    }
}

#[test]
fn effects_that_move_points_cost_more() {
    // Both costumes fill the stage; without budgets, their hulls, samples and stamps would take
    // seconds.
    for (block, most) in
        [("(bounce@it)", 3), ("(stamp@it)", 3), ("(set@it v (touching-color \"#123456\"))", 3)]
    {
        let source = format!(
            "(var v) (costume sky 480 360 \"#808080\")
             (sprite A (costume big 480 360 \"#ff0000\") (define-warp f () (forever [
                (set-effect whirl (random 1 500)) {block}])) (flag (call f)))"
        );
        let times = in_last_step(&survive(2, &source), "it");
        assert!((1..=most).contains(&times), "{block}: {times} times in a step");
    }
}

#[test]
fn extreme_numbers_harm_nothing() {
    let extremes =
        ["(/ 1 0)", "(/ -1 0)", "(/ 0 0)", "1e308", "-1e308", "5e-324", "1e21", "_", "\"\""];
    let blocks = [
        "(move №)",
        "(goto-xy № №)",
        "(change-x №)",
        "(change-y №)",
        "(right №)",
        "(point №)",
        "(set-size №)",
        "(change-size №)",
        "(set-effect color №)",
        "(change-effect color №)",
        "(set-effect fisheye №)",
        "(set-effect whirl №)",
        "(set-effect pixelate №)",
        "(set-effect mosaic №)",
        "(set-effect ghost №)",
        "(costume №)",
        "(backdrop №)",
        "(layers forward №)",
        "(layers backward №)",
        "(set-volume №)",
        "(set-sound pitch №)",
        "(set-tempo №)",
        "(set v (letter № abc))",
        "(set v (item l №))",
        "(insert l x №)",
        "(delete l №)",
        "(replace l № x)",
        "(set v (random № 5))",
        "(set v (random № №))",
        "(set v (mod № 7))",
        "(set v (mod 7 №))",
        "(set v (math sin №))",
        "(set v (math \"10 ^\" №))",
        "(set v (round №))",
        "(pen-size №)",
        "(pen-set color №)",
        "(pen-set saturation №)",
        "(pen-color №)",
        "(pen_setPenShadeToNumber SHADE=№)",
        "(pen_changePenHueBy HUE=№)",
        "(pen-down) (move №)",
        "(set v (touching-color №))",
        "(set v (key? №))",
        "(play-done №)",
        "(say №)",
        "(bounce)",
        "(set v (touching B))",
        "(if (touching-color №) [])",
        "(if (touching _edge_) [])",
        "(stamp)",
        "(for v № [])",
        "(repeat № [])",
        "(wait №)",
        "(glide № № №)",
        "(rest №)",
    ];
    for n in extremes {
        let scripts: String = blocks
            .iter()
            .map(|b| format!("(flag {} {})", b.replace('№', n), b.replace('№', n)))
            .collect();
        survive(
            3,
            &format!(
                "(var v) (list l a b c) (costume a) (costume b) (sprite A (sound pop 0.1) {scripts}) (sprite B)"
            ),
        );
    }
}

#[test]
#[ignore = "slow"]
fn nested_reporters_up_to_the_limit() {
    for (open, close) in [
        ("(+ 1 ", ")"),
        ("(join a ", ")"),
        ("(not ", ")"),
        ("(and 1 ", ")"),
        ("(operator_add NUM2=(random 1 2) NUM1=", ")"),
        ("(math abs ", ")"),
        ("(item l ", ")"),
        ("(= 1 ", ")"),
        ("(unknown_reporter A=", ")"),
    ] {
        let deep = format!("{}(random 1 1){}", open.repeat(398), close.repeat(398));
        eval(&deep.replace("item l", "item log"));
        let source = format!("(var n) (list l) (sprite A (flag (if {deep} []) (log end)))");
        assert_eq!(Harness::after(1, &source).list("log"), ["end"]);
    }
}

#[test]
fn the_outcome_depends_only_on_the_settings() {
    // These numbers must be the same in every build and on every computer.
    let harness = survive(
        3,
        "(var n #0) (var s x) (sprite A (define-warp f () (forever [(change n (random 1 9)) (set s (join $s $n))]))
           (flag (call f))) (sprite B (flag (clone _myself_)) (cloned (change n 1) (clone _myself_) (delete-clone)))",
    );
    let fingerprint = (harness.var("n"), harness.var("s").len(), harness.vm.targets().count());
    assert_eq!(fingerprint, ("3649".to_owned(), 2706, 5));
}
