//! Tests that custom blocks in linear form behave as in the interpreter, for several budgets: after
//! each step, the states are the same, and the tracer has received the same blocks and distances.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use catherd_scratch_sb3::{BlockNo, Project};
use catherd_scratch_vm::{Hits, Program, Random, Vm, VmSettings};
use proptest::prelude::*;

use crate::cycles::{projects, seen};
use crate::harness::paper;
use crate::language::project;
use crate::noted::{Known, Noted};

#[derive(Debug, PartialEq)]
struct Outcome {
    /// The targets after each step.
    targets: Vec<Vec<String>>,
    folded: u64,
    /// Covered blocks with their smallest distances.
    covered: BTreeMap<BlockNo, (f64, f64)>,
    /// Fuel consumed by the end of each step.
    blocks: Vec<u64>,
    hits: Hits,
    random: u64,
    running: bool,
}

#[derive(Clone, Copy)]
enum By {
    Interpreter,
    Handlers,
    /// Native code, or the handlers in builds without native code.
    NativeCode,
}

fn outcome<const MERGES: bool>(
    program: &Arc<Program>,
    settings: &VmSettings,
    steps: usize,
    by: By,
    known: Known,
) -> Outcome {
    let tracer = Noted::<MERGES>::knowing(known);
    let mut vm = Vm::new(program.clone(), settings.clone(), Random::portable(1), tracer);
    match by {
        By::Interpreter => vm.interpret(),
        By::Handlers => vm.handle(),
        By::NativeCode => vm.hurry(),
    }
    vm.green_flag();
    let (mut targets, mut blocks) = (Vec::<Vec<_>>::new(), Vec::new());
    let mut snapshots = Vec::new();
    for _ in 0..steps {
        vm.step();
        blocks.push(vm.executed_blocks());
        targets.push(vm.targets().map(|id| seen(&vm.target(id).unwrap())).collect());
        snapshots.push(vm.snapshot());
    }
    let (hits, running) = (*vm.hits(), vm.is_running());
    let random = vm.draw().to_bits();
    // The VM shares lists with the snapshot, and must not have changed them.
    vm.restore(&snapshots[0]);
    let first: Vec<_> = vm.targets().map(|id| seen(&vm.target(id).unwrap())).collect();
    assert_eq!(first, targets[0]);
    let covered = std::mem::take(&mut vm.tracer.covered);
    Outcome { targets, folded: vm.tracer.folded, covered, blocks, hits, random, running }
}

/// The targets and the consumed fuel after some steps without a tracer.
fn untraced(program: &Arc<Program>, settings: &VmSettings, steps: usize, by: By) -> Vec<String> {
    let mut vm = Vm::new(program.clone(), settings.clone(), Random::portable(1), ());
    match by {
        By::Interpreter => vm.interpret(),
        By::Handlers => vm.handle(),
        By::NativeCode => vm.hurry(),
    }
    vm.green_flag();
    (0..steps).for_each(|_| vm.step());
    let seen = vm.targets().map(|id| seen(&vm.target(id).unwrap()));
    seen.chain([vm.executed_blocks().to_string()]).collect()
}

/// Compares the results of three steps by the interpreter, by handlers and in native code.
pub(crate) fn compare(source: &str, warp_budget: u32, stack_limit: usize) {
    let program = Arc::new(Program::compile(&project(source)).unwrap());
    let settings = VmSettings {
        warp_budget,
        step_budget: 2 * u64::from(warp_budget),
        overruns_per_halving: 2,
        text_limit: 60,
        stack_limit,
        ..paper()
    };
    let both = [By::Interpreter, By::Handlers]
        .map(|by| outcome::<false>(&program, &settings, 3, by, Known::Zeros));
    assert_eq!(both[0], both[1], "{source}");
    for known in [Known::Zeros, Known::Smallest] {
        let all = [By::Interpreter, By::Handlers, By::NativeCode]
            .map(|by| outcome::<true>(&program, &settings, 3, by, known));
        assert_eq!(all[0], all[1], "with skipping: {source}");
        assert_eq!(all[1], all[2], "in native code: {source}");
    }
    let both = [By::Handlers, By::NativeCode].map(|by| untraced(&program, &settings, 3, by));
    assert_eq!(both[0], both[1], "untraced, in native code: {source}");
}

/// A program of custom blocks that call each other, with these bodies.
pub(crate) fn program(bodies: &[String; 3]) -> String {
    let [f, g, h] = bodies;
    format!(
        "(var n #0) (var m 1) (var s \"\") (list l 3 random #5 \"\" abc #2.5 -1 1e1 \"  7\")
         (sprite A (costume a) (var o #0) (var p last) (list k #1 #2 #3)
           (define-warp f (a b) {f})
           (define g (a) {g})
           (define-warp h (a b) {h})
           (flag (forever [(call f 2 $n) (change o 1) (call g x)]))
           (flag (repeat 3 [(call h $o 3)])))
         (sprite B (flag (forever [(change m 0) (change n 1)])))"
    )
}

pub(crate) fn operands() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "0",
        "#1",
        "#-0.5",
        "2",
        "10",
        "abc",
        "xyz",
        "abcdefghijklmnopqrst",
        "\"\"",
        "\" \"",
        "last",
        "random",
        "#1e400",
        "Infinity",
        "0x10",
        "1234567890123456789",
        "$n",
        "$m",
        "$s",
        "$o",
        "$p",
        "(arg a)",
        "(arg b)",
        "(items l)",
        "(items k)",
        "(timer)",
        "(x)",
        "(y)",
        "(direction)",
        "(size)",
        "(volume)",
        "(costume-of number)",
        "(backdrop-of number)",
        "(counter)",
        "(length $s)",
        "(mouse-x)",
        "(random 1 3)",
    ])
    .prop_map(str::to_owned);
    leaf.prop_recursive(3, 10, 2, |inner| {
        let shape = prop::sample::select(vec![
            "(+ A B)",
            "(- A B)",
            "(* A B)",
            "(/ A B)",
            "(/ A 4)",
            "(/ A -0.125)",
            "(mod A B)",
            "(mod A 3)",
            "(mod (* A 1000) 1009)",
            "(random A B)",
            "(random A 3)",
            "(length A)",
            "(round A)",
            "(round (/ A 2))",
            "(math floor A)",
            "(math ceiling A)",
            "(math abs A)",
            "(math sqrt A)",
            "(math sin A)",
            "(math ln A)",
            "(item l A)",
            "(item k A)",
            "(join A B)",
            "(letter A B)",
            "(letter A (item l B))",
            "(letter (+ A 1) $s)",
            "(letter A 1a05)",
            "(item# l A)",
        ]);
        (shape, inner.clone(), inner)
            .prop_map(|(shape, a, b)| shape.replacen('A', &a, 1).replacen('B', &b, 1))
    })
}

pub(crate) fn conditions() -> impl Strategy<Value = String> {
    let shape = prop::sample::select(vec![
        "(< A B)",
        "(= A B)",
        "(> A B)",
        "(< (item l A) B)",
        "(= A (item k B))",
        "(> (item l $n) (item l A))",
        "(= (letter A (item k B)) 1)",
        "(= 0 (letter A 1a05))",
        "(= (letter (item l A) $s) a)",
        "(< (letter A (item k B)) 1)",
        "(= (letter A $s) B)",
        "(= (letter A aK-5) k)",
        "(not (= (letter 2 \"a \") (letter A $s)))",
        "(> A (letter B $o))",
        "(< (letter A $s) (letter B 1a05))",
        "(contains A B)",
    ]);
    let leaf = (shape, operands(), operands())
        .prop_map(|(shape, a, b)| shape.replacen('A', &a, 1).replacen('B', &b, 1));
    leaf.prop_recursive(2, 4, 2, |inner| {
        let shape = prop::sample::select(vec!["(and A B)", "(or A B)", "(not A)"]);
        (shape, inner.clone(), inner)
            .prop_map(|(shape, a, b)| shape.replacen('A', &a, 1).replacen('B', &b, 1))
    })
}

fn blocks() -> impl Strategy<Value = String> {
    let shape = prop::sample::select(vec![
        "(set n A)",
        "(set o A)",
        "(set s A)",
        "(set s (join $s B))",
        "(set s (join $s (letter A $o)))",
        "(set s (join $s $s))",
        "(set o (join A $s))",
        "(set n (letter A $s))",
        "(change n A)",
        "(change o 1)",
        "(change m #-1)",
        "(set n (item k A))",
        "(set n (* $n -1))",
        "(set p A)",
        "(add l A)",
        "(add k A)",
        "(replace l A B)",
        "(replace k A B)",
        "(replace l A (item k B))",
        "(replace l (+ A 1) (item l $n))",
        "(add l (item k A))",
        "(delete l A)",
        "(insert k A B)",
        "(delete-all k)",
        "(change-x 1)",
        "(change-x A)",
        "(set-x A)",
        "(change-y (* A B))",
        "(set-y A)",
        "(goto-xy A B)",
        "(move A)",
        "(left A)",
        "(right (+ A B))",
        "(point A)",
        "(hide)",
        "(set-size A)",
        "(change-size (- A B))",
        "(set-effect GHOST A)",
        "(change-effect GHOST (+ A 1))",
        "(clear-effects)",
        "(costume A)",
        "(costume (+ A B))",
        "(pen-up)",
        "(pen-clear)",
        "(stamp)",
        "(pen-color A)",
        "(pen-color (* A B))",
        "(pen-set color A)",
        "(pen-change A B)",
        "(pen-size (+ A 1))",
        "(incr-counter)",
        "(call f A B)",
        "(call f (arg a) $n)",
        "(call g A)",
        "(call h B A)",
        "(call h (item l A) (- (arg b) 1))",
        "(call h B)",
        "(stop \"this script\")",
        "(say A)",
        "(wait 0)",
        "(set-volume A)",
        "(pen-down)",
        "(reset-timer)",
    ]);
    let leaf = (shape, operands(), operands())
        .prop_map(|(shape, a, b)| shape.replacen('A', &a, 1).replacen('B', &b, 1));
    leaf.prop_recursive(4, 16, 4, |inner| {
        let header = prop::sample::select(vec![
            "forever X",
            "repeat Infinity X",
            "repeat 3 X",
            "repeat A X",
            "repeat 70 X",
            "until C X",
            "until (> $n 100) X",
            "until (or (< $n 1) (not (> (item k $n) A))) X",
            "repeat 20 X",
            "while C X",
            "if C X",
            "if C X",
            "if-else C X X",
            "for o 4 X",
            "at-once X",
            "if (< (arg b) 9) X",
        ]);
        let body = prop::collection::vec(inner, 0..4);
        (header, conditions(), operands(), body).prop_map(|(header, condition, operand, body)| {
            let header = header.replace('X', &format!("[{}]", body.join(" ")));
            format!("({})", header.replacen('C', &condition, 1).replacen('A', &operand, 1))
        })
    })
}

fn bodies() -> impl Strategy<Value = String> {
    prop::collection::vec(blocks(), 0..5).prop_map(|blocks| blocks.join(" "))
}

/// Bodies that consist of computations, conditions and `calls`.
fn small_bodies(calls: &[&'static str]) -> impl Strategy<Value = String> + use<> {
    let mut shapes = vec![
        "(set n A)",
        "(set o (+ (arg a) (arg b)))",
        "(set s A)",
        "(set s (join $s (arg a)))",
        "(set s (join (arg b) (letter (arg a) $s)))",
        "(change m (arg a))",
        "(change n (arg b))",
        "(set p (item l (arg a)))",
        "(add l (arg a))",
        "(replace k (arg b) A)",
        "(delete l A)",
        "(if C [X])",
        "(if (< (arg a) (arg b)) [X])",
        "(if (or (= (arg a) A) C) [X])",
        "(if-else C [X] [(change m 1) X])",
    ];
    shapes.extend(calls);
    let block = (prop::sample::select(shapes), conditions(), operands(), operands());
    prop::collection::vec(block, 0..6).prop_map(|blocks| {
        let within = |inner: String, (shape, c, a, b): (&str, String, String, String)| {
            let rest = if shape.contains('X') { String::new() } else { format!(" {inner}") };
            let shape = shape.replace('X', &inner).replacen('C', &c, 1).replacen('A', &a, 1);
            shape.replacen('B', &b, 1) + &rest
        };
        blocks.into_iter().fold(String::new(), within)
    })
}

/// Custom blocks. The first of them calls the others in a loop, and the others may be expanded.
fn expandable() -> impl Strategy<Value = [String; 3]> {
    let calls = ["(call g A)", "(call h A B)", "(call h (arg a) (- (arg b) 1))", "(call g $n)"];
    let outer = small_bodies(&calls);
    let inner = small_bodies(&["(call h A 3)", "(call h (arg a) $n)", "(call h B A)"]);
    (outer, inner, small_bodies(&[]), operands()).prop_map(|(f, g, h, a)| {
        [format!("(repeat 9 [{f} (change n 1) (call g $n) (call h (arg a) {a})])"), g, h]
    })
}

/// Custom blocks that call themselves and each other, sometimes up to the limit of the stack.
fn recursive() -> impl Strategy<Value = [String; 3]> {
    let f = small_bodies(&[
        "(if (< (arg a) 60) [(call f (+ (arg a) 1) A)])",
        "(if (< (arg a) 40) [(if (> (arg a) 0) [(if (> 99 (arg a)) [(call f (+ (arg a) 1) A)])])])",
        "(if-else C [(change n 1)] [(call f A (arg b)) (change o (arg b))])",
        "(call g (arg b))",
        "(if C [(call h (arg a) (- (arg b) 1)) (set s (arg a))])",
        "(call f (- (arg a) 1) $s)",
    ]);
    let g = small_bodies(&["(if (> (arg a) 0) [(call h A 58)])", "(call h (arg a) $n)"]);
    let h = small_bodies(&[
        "(if (> (arg b) 0) [(call h (arg a) (- (arg b) 1)) (change m (arg b))])",
        "(if C [(if (< (arg b) 9) [(call h A (+ (arg b) 1)) (call h (arg a) 10)])])",
        "(if (= (arg b) 3) [(repeat 2 [(call g B)])])",
        "(if C [(call f A B) (stop \"this script\")])",
    ]);
    (f, g, h).prop_map(<[String; 3]>::from)
}

#[test]
fn calls_and_branches_leave_the_stack_as_the_interpreter_does() {
    let bodies = [
        // Recursion in branches and loops, up to the limit of the stack.
        "(if (> $n -1) [(repeat 2 [(if (< (arg a) 1e9) [(change n 1) (call f (+ (arg a) 1) 0)])])])",
        "(if-else (< (arg a) 2) [(set n 1)] [(call f (- (arg a) 1) (arg b)) (change n (arg b))])",
        "(if (< (arg a) 40) [(if (> (arg a) 0) [(if (> 99 (arg a)) [(call f (+ (arg a) 1) 1)])])])",
        "(repeat 40 [(change n 1) (if (= $n 30) [(stop \"this script\")])]) (change o 1)",
        "(call g $n) (until (> $n 400) [(if (> $o 3) [(wait 0)]) (change n 1) (call g 1)])",
        "(repeat 9 [(if (= 1 1) [(repeat 5 [(if (= 2 2) [(call h $n 2)])])])])",
        // Expanded calls, with numbers and with strings.
        "(repeat 30 [(change n 1) (call h $n 2) (call h 3 $s) (call g (arg a)) (call g abc)])",
    ];
    for body in bodies {
        let bodies = [body, "(change o (arg a))", "(set m (+ $m (arg b)))"].map(str::to_owned);
        for (budget, limit) in
            [(100_000, 20_000), (100_000, 150), (100_000, 120), (997, 300), (90, 20_000)]
        {
            compare(&program(&bodies), budget, limit);
        }
    }
}

#[test]
fn texts_are_compared_and_written_as_by_the_interpreter() {
    let bodies = [
        // Comparisons of two long strings take fuel.
        "(set s (join abcdefghijklmnop (arg a))) (repeat 30 [(change n 1)
           (if (= $s abcdefghijklmnopqrst) [(change o 1)]) (if (> qrstuvwxyzabcdefgh $s) [])])",
        "(until (or (= $s stop) (> $n 20)) [(change n 1) (if (= $n 12) [(set s STOP)])
           (if (not (< $s abc)) [(change o 1)]) (if (= $s \"\") [(set m (arg a))])])",
        "(repeat 20 [(add l abc) (add l xyz) (change n 1) (replace l $n xyz) (replace l (arg b) $s)])",
        // Joining takes fuel, and ends at the limit of strings.
        "(repeat 40 [(change n 1) (set s (join $s (letter $n abcdeABCDE12345ö))) (set o (join $s $s))
           (if (= (letter $n $s) c) [(change m 1)]) (if (> (arg b) (letter 2 $o)) [(set p (letter $n $s))])
           (set s (join $s \"\")) (set m (join $m (letter $n (arg a))))])",
        "(set s a) (repeat 25 [(set s (join $s $s)) (change n 1)
           (if (or (= (letter 3 $s) 3) (< (letter $n abc) (arg b))) [(set o (join $n $s))])])",
        // Outcomes of handlers are combined with outcomes of native code.
        "(set s abca) (repeat 30 [(change n 1)
           (if (and (and (< $n 25) (= (letter $n abcabcabcabcabcabc) a)) (> 30 $n)) [(change m 1)])
           (if (or (and (= $n 3) (= (letter 2 $s) c)) (> $n 28)) [(change o 1)])
           (if (and (or (> $n 5) (= $s stop)) (< $m 9))
             [(if (or (= (letter $n abab) b) (= $n 7)) [(change p 1)])])])",
    ];
    for body in bodies {
        let bodies = [body, "(set s (arg a))", "(if (= (arg a) abc) [(set s abc)])"];
        for budget in [100_000, 300, 90] {
            compare(&program(&bodies.map(str::to_owned)), budget, 20_000);
        }
    }
}

#[test]
#[ignore = "slow"]
fn long_custom_blocks_do_not_need_a_large_stack() {
    let sum = (0..8).fold("$n".to_owned(), |sum, _| format!("(+ {sum} {sum})"));
    let one = format!("(set m {sum}) (if (> {sum} {sum}) [(change o 1)]) (call g {sum})");
    let many = "(change n 1) (if (> $n 3) [(set m $n)]) ".repeat(3000);
    let nothing = "(if-else (= $n 1) [] [(change m (* $n 3))])".repeat(3000);
    for body in [one, many, nothing] {
        let bodies = [body, "(change o (arg a))".to_owned(), "(set m (arg b))".to_owned()];
        compare(&program(&bodies), 100_000, 20_000);
    }
}

#[test]
fn lists_that_loops_change_equal_the_interpreters() {
    let bodies = [
        "(repeat 20 [(add l $n) (replace k 1 (item l 2)) (replace l 2 abc) (change n 1)])",
        "(repeat 20 [(replace l (mod $n 9) $s) (add k (items l)) (set s (item k last))
           (if (= (mod $n 7) 3) [(delete l 1) (insert k 2 $n)]) (change n 1)])",
        "(repeat 9 [(add l 1) (add l 2) (add k (arg b)) (call g $n) (call h (item l $n) 2)])",
        "(replace l 1 7) (repeat (item l 1) [(replace l 1 $n) (change n 1) (call g $n)])",
        "(repeat 9 [(add l $n) (repeat (+ (arg a) (item l (- (items l) 1))) [(change n 1) (call g 1)])])",
        "(add l 5) (repeat (item l random) [(change n 1)]) (repeat (item l (item l 1)) [(change n 1)])",
    ];
    for body in bodies {
        let bodies = [body, "(add k (arg a))", "(replace l (arg a) (arg b))"].map(str::to_owned);
        for budget in [100_000, 300, 90] {
            compare(&program(&bodies), budget, 20_000);
        }
    }
}

#[test]
#[ignore = "needs CATHERD_CORPUS"]
#[allow(clippy::print_stdout, reason = "the test prints what it compared")]
fn real_projects_have_the_same_results() {
    let corpus = std::env::var_os("CATHERD_CORPUS");
    let corpus = corpus.expect("CATHERD_CORPUS names a folder of projects");
    let settings = VmSettings { warp_budget: 100_000, step_budget: 200_000, ..paper() };
    let mut compared = 0;
    for path in projects(Path::new(&corpus)) {
        let Ok(project) = Project::read(&path) else { continue };
        let Ok(program) = Program::compile(&project) else { continue };
        let program = Arc::new(program);
        let both = [By::Interpreter, By::Handlers]
            .map(|by| outcome::<false>(&program, &settings, 40, by, Known::Zeros));
        assert!(both[0] == both[1], "{}", path.display());
        let both = [By::Handlers, By::NativeCode]
            .map(|by| outcome::<true>(&program, &settings, 40, by, Known::Smallest));
        assert!(both[0] == both[1], "in native code: {}", path.display());
        compared += 1;
    }
    println!("{compared} projects");
    assert!(compared > 0);
}

/// Number of programs that a property test generates: `CATHERD_LINEAR_CASES`, or else 64.
pub(crate) fn cases() -> u32 {
    let cases = std::env::var("CATHERD_LINEAR_CASES").ok();
    cases.and_then(|cases| cases.parse().ok()).unwrap_or(64)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn generated_programs_have_the_same_results(
        bodies in [bodies(), bodies(), bodies()],
        warp_budget in prop::sample::select(vec![100_u32, 1000, 5000, 20_000]),
        stack_limit in prop::sample::select(vec![120_usize, 200, 1000]),
    ) {
        compare(&program(&bodies), warp_budget, stack_limit);
    }

    #[test]
    fn generated_expansions_have_the_same_results(
        bodies in expandable(),
        warp_budget in prop::sample::select(vec![100_u32, 300, 1000, 5000]),
        stack_limit in prop::sample::select(vec![120_usize, 200, 1000]),
    ) {
        compare(&program(&bodies), warp_budget, stack_limit);
    }
    #[test]
    fn generated_recursions_have_the_same_results(
        bodies in recursive(),
        warp_budget in prop::sample::select(vec![100_u32, 300, 1000, 5000]),
        stack_limit in prop::sample::select(vec![120_usize, 200, 1000]),
    ) {
        compare(&program(&bodies), warp_budget, stack_limit);
    }
}
