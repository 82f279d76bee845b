//! Tests of warp and custom blocks.
//!
//! `Mistake N` and `(run)` in comments are explained in `main.rs`.

use std::sync::Arc;

use catherd_scratch_vm::{Program, Random, Value, Vm};

use crate::cycles::seen;
use crate::harness::{Harness, draws, paper};
use crate::language::project;

fn steps<const N: usize>(source: &str) -> [String; N] {
    Harness::flag(source).run(N).try_into().unwrap()
}

#[test]
fn warp_runs_loops_within_a_step() {
    let log = steps(
        "(sprite A (define-warp f () (repeat 3 [(log i)]) (call g)) (define g () (repeat 2 [(log j)]))
           (flag (call f) (log a) (call g) (log b)))",
    );
    // g is in warp only if g is called from f.
    assert_eq!(log, ["i i i j j a j", "j", "b"]);
}

#[test]
fn waits_in_warp_take_their_steps() {
    // (run)
    for (seconds, at) in [("0", 1), ("0.1", 3)] {
        for block in [format!("(wait {seconds})"), format!("(say-for x {seconds})")] {
            let source = format!("(sprite A (define-warp f () {block}) (flag (call f) (log end)))");
            let log = Harness::flag(&source).run(6);
            assert_eq!(log.iter().position(|s| s == "end"), Some(at), "{block}");
        }
    }
    let log = steps(
        "(message m) (sprite A (define-warp f () (broadcast-wait m) (wait-until (= 1 1)) (log w))
           (flag (call f) (log end)) (received m (wait 0) (log r)))",
    );
    assert_eq!(log, ["", "r", "w end"]);
}

#[test]
fn waiting_for_a_random_number_in_warp_continues_in_the_same_step() {
    let log = steps(
        "(sprite A (define-warp f () (wait-until (= (random 1 50) 7)) (log end)) (flag (call f)))",
    );
    assert_eq!(log, ["end"]);
}

#[test]
fn recursion_without_warp_takes_a_step_a_level() {
    // (run)
    let log = steps(
        "(sprite A (define f (n) (log (arg n)) (if (> (arg n) 1) [(call f (- (arg n) 1))]))
           (flag (call f 3) (log end)))",
    );
    assert_eq!(log, ["3", "2", "1 end"]);
    // Recursion through six C-blocks is not detected.
    let log = steps(
        "(sprite A (define f (n) (log (arg n)) (if 1 [(if 1 [(if 1 [(if 1 [(if 1 [
             (if (> (arg n) 1) [(call f (- (arg n) 1))])])])])])]))
           (flag (call f 3) (log end)))",
    );
    assert_eq!(log, ["3 2 1 end"]);
    let log = steps(
        "(sprite A (define-warp f (n) (log (arg n)) (if (> (arg n) 1) [(call f (- (arg n) 1))]))
           (flag (call f 3) (log end)))",
    );
    assert_eq!(log, ["3 2 1 end"]);
    // Mutual recursion is recursion.
    let log = steps(
        "(sprite A (define f (n) (log (arg n)) (if (> (arg n) 1) [(call g (- (arg n) 1))]))
           (define g (n) (log g) (call f (arg n))) (flag (call f 2) (log end)))",
    );
    assert_eq!(log, ["2 g", "1 end"]);
}

#[test]
fn parameters_belong_to_the_innermost_call() {
    // Mistake 29: outside a custom block, a parameter is the number 0; parameters of outer calls
    // are not visible.
    let log = steps(
        "(sprite A (define f (a b) (log (join (arg a) (arg b))) (call g 9) (log (arg a)))
           (define g (c) (log (join (arg a) (arg c))))
           (flag (log (= (arg a) 0)) (call f 1 2) (log (arg a))))",
    );
    assert_eq!(log, ["true 12 09 1 0"]);
    let value = Harness::after(1, "(var v) (sprite A (flag (set v (arg? x))))").value("v");
    assert_eq!(value, Value::Number(0.0));
}

#[test]
fn arguments_fall_back_to_defaults() {
    let f = "(define f ((a 7) (b #f)) (log (join (arg a) (join / (arg? b)))))";
    for (call, log) in [
        ("(call f 1 2)", "1/2"),
        ("(call f _ 2)", "7/2"),
        ("(call f)", "7/false"),
        ("(call f 1=x)", "7/x"),
        ("(call f 1 2 3)", "1/2"),
        ("(call unknown 1)", ""),
    ] {
        assert_eq!(steps(&format!("(sprite A {f} (flag {call}))")), [log], "{call}");
    }
    // The last of several parameters with the same name is used.
    assert_eq!(steps("(sprite A (define f (a a) (log (arg a))) (flag (call f 1 2)))"), ["2"]);
}

#[test]
fn arguments_see_the_callers_parameters() {
    let log = steps(
        "(sprite A (define f (a b) (if (< (arg a) 3) [(call f (+ (arg a) 1) (arg a))]) (log (join (arg a) (arg b))))
           (define-warp w () (call f 1 0)) (flag (call w)))",
    );
    assert_eq!(log, ["32 21 10"]);
}

#[test]
fn the_first_definition_wins_and_sprites_have_their_own() {
    let log = steps(
        "(sprite A (define f () (log 1)) (define f () (log 2)) (flag (call f)))
         (sprite B (define f () (log b)) (flag (call f)))",
    );
    assert_eq!(log, ["b 1"]);
}

#[test]
fn stop_this_script_leaves_the_custom_block_only() {
    let log = steps(
        "(sprite A (define f () (log 1) (stop \"this script\") (log 2)) (flag (call f) (log 3)))",
    );
    assert_eq!(log, ["1 3"]);
    // The call is executed again, so its arguments are evaluated again (run).
    let log = steps(
        "(sprite A (define f (a) (stop \"this script\")) (flag (call@call f (random 0.0 1.0)) (log (random 0.0 1.0))))",
    );
    assert_eq!(log, [draws(3)[2].to_string()]);
    // The `stop this script` block is in a loop in a custom block.
    let log = steps(
        "(sprite A (define f () (forever [(log i) (stop \"this script\")])) (flag (call f) (log end)))",
    );
    assert_eq!(log, ["i end"]);
}

#[test]
fn definitions_and_calls_are_covered() {
    let harness = Harness::after(
        1,
        "(sprite A (define f (a) (stop@stop \"this script\")) (flag@hat (call@call f 1)))",
    );
    let counts = ["hat", "call", "n0", "stop"].map(|id| harness.covered(id));
    assert_eq!(counts, [1, 2, 1, 1]);
}

#[test]
fn a_prototype_with_more_ids_than_names_does_not_crash() {
    let mut project = crate::language::project(
        "(sprite A (define f (a b) (log (arg a)) (log (arg b))) (flag (call f 1 2)))",
    );
    for block in &mut project.targets[1].blocks {
        if let Some(catherd_scratch_sb3::Mutation::Prototype { names, .. }) = &mut block.mutation {
            names.pop();
        }
    }
    let mut harness = Harness::with(project, crate::harness::paper());
    harness.vm.green_flag();
    assert_eq!(harness.run(1), ["1 0"]);
}

/// The interpreter says something in each round, so executions by handlers or native code are short
/// until the inner loop has more rounds.
#[test]
fn native_code_can_be_switched_off_after_short_executions() {
    let source = "(var n #0) (var rounds #1)
        (sprite A (costume a)
          (define-warp f () (repeat 20000 [(repeat $rounds [(change n 1)]) (say \"\")]))
          (flag (forever [(call f)]))
          (key x (set rounds #25)))";
    let program = Arc::new(Program::compile(&project(source)).unwrap());
    let states = [true, false].map(|interprets| {
        let mut vm = Vm::new(program.clone(), paper(), Random::portable(1), ());
        if interprets {
            vm.interpret();
        }
        vm.green_flag();
        (0..12).for_each(|_| vm.step());
        vm.handle();
        vm.key("x", true);
        (0..2).for_each(|_| vm.step());
        let seen = vm.targets().map(|id| seen(&vm.target(id).unwrap()));
        seen.chain([vm.executed_blocks().to_string()]).collect::<Vec<_>>()
    });
    assert_eq!(states[0], states[1]);
}
