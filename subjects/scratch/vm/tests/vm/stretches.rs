//! Tests that remembered outcomes of code without screen refresh equal the results of its
//! execution.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use catherd_scratch_sb3::{BlockNo, Project};
use catherd_scratch_vm::{DigestScope, Hits, Program, Random, Vm, VmSettings};
use proptest::prelude::*;

use crate::cycles::projects;
use crate::harness::paper;
use crate::language::project;
use crate::linear::{cases, conditions, operands};
use crate::noted::{Known, Noted};

#[derive(Debug, PartialEq)]
struct Seen {
    digest: u128,
    blocks: u64,
    hits: Hits,
    overloaded: bool,
    covered: BTreeMap<BlockNo, (f64, f64)>,
}

/// What is observed in executions of a program from its start, some of which have equal inputs and
/// seeds.
fn executions(vm: &mut Vm<Noted<true>>, steps: u32) -> Vec<Seen> {
    let start = vm.snapshot();
    let mut seen = Vec::new();
    for execution in 0..8 {
        vm.restore(&start);
        vm.set_random(Random::portable(u64::from(execution == 6)));
        vm.tracer.covered.clear();
        vm.green_flag();
        for step in 0..steps {
            match (execution, step) {
                (1, 2) | (5, 2) => vm.key("space", true),
                (2, 1) | (7, 3) => vm.mouse_move(30.0, f64::from(step)),
                (3, 0) => vm.mouse_button(true),
                (5, 3) => vm.key("space", false),
                _ => {}
            }
            vm.step();
            seen.push(Seen {
                digest: vm.state_digest(DigestScope::Future),
                blocks: vm.executed_blocks(),
                hits: *vm.hits(),
                overloaded: vm.is_overloaded(),
                covered: vm.tracer.covered.clone(),
            });
        }
    }
    seen
}

/// The share of blocks that were executed although outcomes were remembered, and the number of
/// outcomes that were applied.
fn compare(program: &Arc<Program>, settings: &VmSettings, steps: u32, bytes: usize) -> (f64, u64) {
    let vm = || {
        Vm::new(
            program.clone(),
            settings.clone(),
            Random::portable(0),
            Noted::knowing(Known::Smallest),
        )
    };
    let (mut plain, mut remembering) = (vm(), vm());
    remembering.remember(50, bytes);
    let (expected, found) = (executions(&mut plain, steps), executions(&mut remembering, steps));
    for (number, (expected, found)) in expected.iter().zip(&found).enumerate() {
        assert_eq!(expected, found, "step {number}");
    }
    (remembering.tracer.calls as f64 / plain.tracer.calls as f64, remembering.remembered().1)
}

fn compare_source(source: &str, warp_budget: u32) -> (f64, u64) {
    let program = Arc::new(Program::compile(&project(source)).unwrap());
    let settings = VmSettings {
        warp_budget,
        step_budget: 3 * u64::from(warp_budget),
        overruns_per_halving: 3,
        text_limit: 60,
        ..paper()
    };
    compare(&program, &settings, 7, 1 << 20)
}

/// A program with scripts that call custom blocks with these bodies.
fn program(f: &str, g: &str) -> String {
    format!(
        "(message x) (var n #0) (var m 1) (var s \"\") (list l 3 random #5 \"\" abc #2.5 -1 1e1 \"  7\")
         (sprite A (costume a) (costume b) (var o #0) (var p last) (list k #1 #2 #3)
           (define-warp f (a b) {f})
           (define g (a) {g})
           (flag (forever [(call f 2 $n) (change o 1) (call g x)]))
           (key space (change m 1))
           (received x (change o 1)))
         (sprite B (var p 1) (list k 1) (define-warp f (a b) {f}) (define g (a) {g})
           (flag (change n (* 0 (timer))) (call f $m (mouse-x)) (change n 1))
           (received x (change p 1)))"
    )
}

#[test]
fn what_was_executed_before_is_not_executed_again() {
    let bodies = [
        // A loop that never ends.
        "(forever [(change n 1) (if (> $n 1e9) [(set n 0)])])",
        "(repeat Infinity [(add l $n) (change n 1)])",
        "(until (= $s end) [(change-x 1) (move 3) (right 7) (pen-down) (pen-set color $n)
           (change n 1) (stamp) (pen-clear)])",
        "(repeat Infinity [(set n (random 1 100)) (replace k (random 1 3) $n)])",
        // The custom block ends in each step.
        "(repeat 200 [(change o (* $o (item l 1))) (set s (join $o x))])",
        "(repeat 90 [(next-costume) (change-effect COLOR 3) (set-size $n) (call g 3)])",
        // The custom block reads its parameter.
        "(repeat 300 [(change o (+ (mouse-y) (arg a)))]) (if (key? space) [(change n 1)])",
        "(repeat 100 [(change n (of \"x position\" B)) (goto B)])",
        "(repeat 100 [(change n (distance B)) (if (touching _mouse_) [(change o 1)])])",
        "(repeat 100 [(change-x 1) (if (touching B) [(change o 1)] ) (if (touching _edge_) [(set-x 0)])])",
        // The custom block starts scripts.
        "(repeat 30 [(change n 1)]) (broadcast x) (repeat 50 [(change o 1)])",
        // The custom block contains blocks with other effects, which are not executed.
        "(repeat 100 [(change n 1) (if (= $n no) [(say $n) (show) (clone _myself_)])])",
        "(repeat 100 [(change n 1) (if (= $n no) [(change o (item l (timer)))])])",
    ];
    for body in bodies {
        let (executed, taken) = compare_source(&program(body, "(change o (arg a))"), 2000);
        assert!(taken > 3 && executed < 0.95, "{body}: {taken} taken over, {executed} executed");
    }
}

#[test]
fn blocks_with_other_effects_are_executed() {
    let bodies = [
        "(repeat 100 [(say $n)])",
        "(repeat 100 [(change n 1) (if (= $n no) []) (set-volume 5)])",
        "(repeat 100 [(change n (of p B))])",
        "(repeat 100 [(change n 1) (if (touching-color #ffffff) [(change o 1)])])",
        "(repeat 100 [(change n 1) (show)])",
    ];
    for body in bodies {
        assert_eq!(compare_source(&program(body, ""), 2000).1, 0, "{body}");
    }
}

#[test]
fn a_small_memory_forgets() {
    let source = program("(repeat Infinity [(add l $n) (change n 1)])", "");
    let program = Arc::new(Program::compile(&project(&source)).unwrap());
    let settings = VmSettings { warp_budget: 900, ..paper() };
    let all = compare(&program, &settings, 9, 1 << 20).1;
    let some = compare(&program, &settings, 9, 60_000).1;
    assert!(some < all, "{some} of {all}");
    assert_eq!(compare(&program, &settings, 9, 0).1, 0);
}

fn blocks() -> impl Strategy<Value = String> {
    let shape = prop::sample::select(vec![
        "(set n A)",
        "(set o A)",
        "(set s (join $s B))",
        "(change n A)",
        "(change m #-1)",
        "(set p A)",
        "(add l A)",
        "(replace k A B)",
        "(delete l A)",
        "(insert k A B)",
        "(delete-all k)",
        "(change-x 1)",
        "(goto-xy A B)",
        "(move A)",
        "(point A)",
        "(right 15)",
        "(next-costume)",
        "(costume A)",
        "(set-effect WHIRL A)",
        "(clear-effects)",
        "(set-size A)",
        "(pen-down)",
        "(pen-up)",
        "(pen-clear)",
        "(stamp)",
        "(pen-size A)",
        "(pen-change brightness A)",
        "(call f A B)",
        "(call g A)",
        "(stop \"this script\")",
        "(set o (answer))",
        "(if (key? space) [(change o 1)])",
        "(if (mouse-down) [(set n (timer))])",
        "(set n (size))",
        "(broadcast x)",
        "(goto B)",
        "(goto _mouse_)",
        "(goto _random_)",
        "(set n (of \"x position\" B))",
        "(set o (distance B))",
        "(set o (distance _mouse_))",
        "(if (touching _mouse_) [(change o 1)])",
        "(if (touching B) [(change o 1)])",
        "(if (touching _edge_) [(change o 1)])",
        "(say A)",
    ]);
    let leaf = (shape, operands(), operands())
        .prop_map(|(shape, a, b)| shape.replacen('A', &a, 1).replacen('B', &b, 1));
    leaf.prop_recursive(4, 16, 4, |inner| {
        let header = prop::sample::select(vec![
            "forever X",
            "repeat Infinity X",
            "repeat 3 X",
            "repeat 70 X",
            "until C X",
            "until (> $n 100) X",
            "while C X",
            "if C X",
            "if-else C X X",
            "for o 4 X",
        ]);
        let body = prop::collection::vec(inner, 0..4);
        (header, conditions(), body).prop_map(|(header, condition, body)| {
            let header = header.replace('X', &format!("[{}]", body.join(" ")));
            format!("({})", header.replacen('C', &condition, 1))
        })
    })
}

fn body() -> impl Strategy<Value = String> {
    prop::collection::vec(blocks(), 0..6).prop_map(|blocks| blocks.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    #[ignore = "slow"]
    fn generated_programs_do_the_same_when_they_are_remembered(
        f in body(),
        g in body(),
        warp_budget in prop::sample::select(vec![100_u32, 1000, 5000]),
    ) {
        compare_source(&program(&f, &g), warp_budget);
    }
}

#[test]
#[ignore = "needs CATHERD_CORPUS"]
#[allow(clippy::print_stdout, reason = "the test prints what it compared")]
fn real_projects_do_the_same_when_they_are_remembered() {
    let corpus = std::env::var_os("CATHERD_CORPUS");
    let corpus = corpus.expect("CATHERD_CORPUS names a folder of projects");
    let settings = VmSettings { warp_budget: 50_000, step_budget: 200_000, ..paper() };
    let (mut compared, mut taken) = (0, 0);
    for path in projects(Path::new(&corpus)) {
        let Ok(project) = Project::read(&path) else { continue };
        let Ok(program) = Program::compile(&project) else { continue };
        taken += compare(&Arc::new(program), &settings, 8, 8 << 20).1;
        compared += 1;
    }
    println!("{compared} projects, {taken} stretches were taken over");
    assert!(taken > 0);
}
