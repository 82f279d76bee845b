//! Tests that fast paths of the interpreter have the same results as the general paths: comparisons
//! of numbers without intermediate values, and strings that are extended in place.

use std::ops::ControlFlow;
use std::sync::Arc;

use catherd_scratch_sb3::BlockNo;
use catherd_scratch_vm::{Change, Limit, Midstep, Program, Random, Tracer, Value, Vm, VmSettings};
use proptest::prelude::*;

use crate::harness::{Harness, paper};
use crate::language::project;

/// Literals: numerals in several notations, and strings that are not numerals, including blank and
/// long strings.
const LITERALS: [&str; 20] = [
    "\"\"",
    "\" \"",
    "0",
    "-0",
    "1",
    "1.0",
    "050",
    "50",
    "\" 12 \"",
    "0x10",
    "16",
    "abc",
    "ABC",
    "NaN",
    "Infinity",
    "-Infinity",
    "true",
    "0.000000000000000000000001",
    "00000000000000000000000000000016",
    "\"                    \"",
];

/// The forms of an operand: a literal, a variable, a parameter, a computed string, and a computed
/// number.
fn forms(literal: &str, variable: &str, parameter: &str) -> [String; 5] {
    [
        literal.to_owned(),
        format!("${variable}"),
        format!("(arg {parameter})"),
        format!("(join {literal} \"\")"),
        format!("(+ {literal} 0)"),
    ]
}

/// Whether a comparison reads a value as a number.
fn numeric(value: &Value) -> bool {
    let blank = matches!(value, Value::Text(text) if text.is_blank());
    !blank && !value.js_number().is_nan()
}

type Formula = fn(f64, f64) -> f64;

/// The distances of a comparison by the formulas of the Whisker paper.
fn distances(value: bool, a: &Value, b: &Value, formulas: [Formula; 2]) -> (f64, f64) {
    let other = if numeric(a) && numeric(b) {
        formulas[usize::from(value)](a.to_number(), b.to_number())
    } else {
        1.0
    };
    let other = if other.is_nan() { f64::INFINITY } else { other };
    let other = if other > 0.0 { other } else { 1.0 };
    if value { (0.0, other) } else { (other, 0.0) }
}

#[test]
#[ignore = "slow"]
fn comparisons_of_all_forms_agree_with_values() {
    for (i, a) in LITERALS.iter().enumerate() {
        let b = LITERALS[(i * 7 + 3) % LITERALS.len()];
        for (a, b) in [(*a, b), (b, *a), (*a, *a)] {
            let mut script = format!("(set p {a}) (set q {b}) ");
            for x in forms(a, "p", "n") {
                for y in forms(b, "q", "m") {
                    script += &format!("(log {x}) (log {y}) ");
                    for compare in ["<", "=", ">"] {
                        script +=
                            &format!("(log ({compare} {x} {y})) (if@if ({compare} {x} {y}) []) ");
                    }
                }
            }
            // Each block needs a separate label.
            let mut number = 0;
            let script = script.split("if@if").fold(String::new(), |mut all, part| {
                if number > 0 {
                    all += &format!("if@if{number}");
                }
                number += 1;
                all + part
            });
            let source = format!(
                "(var p 0) (var q 0)
                 (sprite A (define-warp f (n m) {script}) (flag (call f {a} {b})))"
            );
            let harness = Harness::after(2, &source);
            let log = harness.target("Stage").lists().next().map(|(_, items)| items.to_vec());
            let log = log.expect("the log");
            assert_eq!(log.len(), 25 * 5, "{a} {b}");
            let mut label = 0;
            for logged in log.chunks(5) {
                let (a, b) = (&logged[0], &logged[1]);
                let order = a.compare(b);
                let expected = [order.is_lt(), order.is_eq(), order.is_gt()];
                assert_eq!(logged[2..], expected.map(Value::Bool), "{a:?} {b:?}");
                let formulas: [[Formula; 2]; 3] = [
                    [|a, b| a - b + 1.0, |a, b| b - a],
                    [|a, b| (a - b).abs(), |_, _| 1.0],
                    [|a, b| b - a + 1.0, |a, b| a - b],
                ];
                for (value, formulas) in expected.into_iter().zip(formulas) {
                    label += 1;
                    let pairs = harness.pairs(&format!("if{label}"));
                    assert_eq!(pairs, [distances(value, a, b, formulas)], "{a:?} {b:?}");
                }
            }
        }
    }
}

/// A tracer that watches. For such a tracer, the VM always copies strings, because the tracer
/// receives the old values.
struct Watching;

impl Tracer for Watching {
    const ACTIVE: bool = true;
    const WATCHES: bool = true;

    fn covered(&mut self, _: BlockNo) {}

    fn watch(&mut self, _: &Change, _: Midstep<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// The variables and lists, the consumed fuel, and the hits of the text limit after three steps.
fn outcome<T: Tracer>(source: &str, tracer: T) -> (Vec<String>, u64, u64) {
    let program = Arc::new(Program::compile(&project(source)).unwrap());
    let settings = VmSettings { text_limit: 80, ..paper() };
    let mut vm = Vm::new(program, settings, Random::portable(1), tracer);
    vm.green_flag();
    for _ in 0..3 {
        vm.step();
    }
    let mut seen = Vec::new();
    for id in vm.targets().collect::<Vec<_>>() {
        let target = vm.target(id).unwrap();
        seen.extend(target.variables().map(|(name, value)| format!("{name} {value:?}")));
        seen.extend(target.lists().map(|(name, items)| format!("{name} {items:?}")));
    }
    (seen, vm.executed_blocks(), vm.hits().of(Limit::Text).times)
}

#[test]
fn a_join_counts_as_one_block_however_long_its_string_is() {
    let blocks = |text: &str| {
        let source = format!(
            "(var s {text})
             (sprite A (define-warp f () (repeat 5 [(set s (join $s x))])) (flag (call f)))"
        );
        let program = Arc::new(Program::compile(&project(&source)).unwrap());
        let mut vm = Vm::new(program, paper(), Random::portable(1), ());
        vm.count_interpreted();
        vm.green_flag();
        vm.step();
        vm.interpreted().unwrap().blocks
    };
    assert!(blocks("a") > 10);
    assert_eq!(blocks(&"a".repeat(200)), blocks("a"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn texts_extended_in_place_equal_copied_ones(
        blocks in prop::collection::vec(
            prop::sample::select(vec![
                "(set s (join $s abc))",
                "(set s (join $s $t))",
                "(set s (join $s $s))",
                "(set s (join $s (join $t $s)))",
                "(set t (join $t ä))",
                "(set t (join $t (length $s)))",
                "(set t (join $s $t))",
                "(set t $s)",
                "(set s x)",
                "(set n (join $n 1))",
                "(change n 1)",
                "(add l $s)",
                "(set s (join $s (item l last)))",
                "(if (= $s $t) [(set t (join $t 7))])",
                "(set o (join $o $s))",
                "(clone _myself_)",
            ]),
            1..40,
        ),
    ) {
        let source = format!(
            "(var s #5) (var t \"\") (var n 0) (list l)
             (sprite A (var o 1) (flag {0}) (cloned (set o (join $o c)) (set s (join $s d))))",
            blocks.join(" "),
        );
        prop_assert_eq!(outcome(&source, ()), outcome(&source, Watching));
    }
}
